# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = torch_topk_b300
source = Exact top-k on a B300: DeepSelect and torch.topk (deepselect/exact-b300); mean; cold cache; without launch
bandwidth_bytes_per_s = 8e+12
vector_rate_per_s = 3.75e+13
fma_rate_per_s = 7.5e+13
matrix_rate_per_s = 2.25e+15
memory_bytes = 2.88e+11
multiprocessors = 148

kernel = torch-topk
dtype = bf16
date = 2026-11-24
runs = 60 rows of deepselect/exact-b300, kernel torch.topk
card = B300

# fitted; after each value its unit, its standard error and its meaning
roof_bytes_per_s = 2.7951e+11   # bytes/s, +- 1.1 %, the memory roof
row_us = 7.63508      # us, +- 7.8 %, exact top-k alone: a row, whatever its length
row_element_us = 0.00309218   # us, +- 4.6 %, exact top-k alone: each element of a row
rows_at_once = 151.319      # rows, +- 6.7 %, rows that the device holds; more wait in waves
long_us = 51.5291      # us, +- 2.1 %, the long way: a row, whatever its length
long_element_us = 3.63319e-05  # us, +- 19 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 1024
n_high = 1048576
k_low = 512
k_high = 1024
m_low = 6
m_high = 4096
elements_high = 4294967296
exact_count = 60
median_error = 0.04441704401
p95_error = 0.08416725578
worst_error = 0.1710041783
held_out_median_error = 0.0573457621
held_out_p95_error = 0.1266737438
held_out_exact_p05_ratio = 0.9099971503
held_out_exact_p95_ratio = 1.137969716
held_out_k_median_error = 0.05167053093
held_out_k_p95_error = 0.1112993434
