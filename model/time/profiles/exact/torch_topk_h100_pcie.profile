# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = torch_topk_h100_pcie
source = Key et al., "Approximate Top-k for Increased Parallelism", arXiv 2412.04358 (keyetal/exact); median; without launch
bandwidth_bytes_per_s = 2.04e+12
vector_rate_per_s = 1.280448e+13
fma_rate_per_s = 5.12e+13
matrix_rate_per_s = 7.56e+14
memory_bytes = 8e+10
on_chip_bytes = 5.24288e+07
multiprocessors = 114
shortest_kernel_us = 2.168

kernel = torch-topk
dtype = f16
date = 2026-11-24
runs = 140 rows of keyetal/exact
card = H100-PCIe

# fitted; after each value its unit, its standard error and its meaning
roof_bytes_per_s = 1.97692e+11  # bytes/s, +- 2 %, the memory roof
row_us = 8.49588      # us, +- 7.3 %, exact top-k alone: a row, whatever its length
row_element_us = 0.00329984   # us, +- 5.2 %, exact top-k alone: each element of a row
rows_at_once = 89.3643      # rows, +- 6.7 %, rows that the device holds; more wait in waves
long_us = 47.2121      # us, +- 3.1 %, the long way: a row, whatever its length
long_element_us = 2.33396e-05  # us, +- 5.8 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 1024
n_high = 4194304
k_low = 1
k_high = 1048576
m_low = 1
m_high = 256
elements_high = 1073741824
exact_count = 140
median_error = 0.07098258991
p95_error = 0.3222922139
worst_error = 0.3263114266
held_out_median_error = 0.149064163
held_out_p95_error = 1.233940759
held_out_exact_p05_ratio = 0.4476394477
held_out_exact_p95_ratio = 1.625448987
held_out_k_median_error = 0.07929790035
held_out_k_p95_error = 0.3208162412
