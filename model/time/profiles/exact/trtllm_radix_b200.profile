# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = trtllm_radix_b200
source = Exact top-k kernels of 2026 on a B200, on real scores of an indexer (trtllm/exact-b200); cold cache
bandwidth_bytes_per_s = 7.7e+12
vector_rate_per_s = 3.75e+13
fma_rate_per_s = 7.5e+13
matrix_rate_per_s = 2.25e+15
memory_bytes = 1.8e+11
multiprocessors = 148
shortest_kernel_us = 1.5

kernel = exact
dtype = f32
date = 2026-11-24
runs = 36 rows of trtllm/exact-b200, kernel trtllm_radix_cuda
card = B200

# fitted; after each value its unit, its standard error and its meaning
launch_us = 4.37305      # us, +- 5.1 %, a kernel's or a call's start and end
roof_bytes_per_s = 1.06782e+12  # bytes/s, +- 3.5 %, the memory roof
row_us = 1.77154      # us, +- 6 %, exact top-k alone: a row, whatever its length
rows_at_once = 130.305      # rows, +- 2.9 %, rows that the device holds; more wait in waves
long_n = 2899         # elements, a row of so many elements goes the long way
long_us = 32.6325      # us, +- 2.4 %, the long way: a row, whatever its length
long_element_us = 5.10454e-05  # us, +- 15 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 1027
n_high = 262127
k_low = 512
k_high = 1024
m_low = 1
m_high = 1024
elements_high = 268418048
exact_count = 36
median_error = 0.02972502345
p95_error = 0.09993541453
worst_error = 0.1781684209
held_out_median_error = 0.06083917323
held_out_p95_error = 0.8533648046
held_out_exact_p05_ratio = 0.7561058916
held_out_exact_p95_ratio = 7.264672534
held_out_k_median_error = 0.0480451551
held_out_k_p95_error = 0.1081409117
