# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = hpc_ops_b200
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
runs = 18 rows of trtllm/exact-b200, kernel hpc_ops_fp32
card = B200

# fitted; after each value its unit, its standard error and its meaning
launch_us = 4.50837      # us, +- 4.5 %, a kernel's or a call's start and end
row_us = 2.9114       # us, +- 5.7 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000136575  # us, +- 33 %, exact top-k alone: each element of a row
rows_at_once = 185.613      # rows, +- 2.5 %, rows that the device holds; more wait in waves
long_n = 5796         # elements, a row of so many elements goes the long way
long_us = 2.84762      # us, +- 6.4 %, the long way: a row, whatever its length
long_element_us = 0.000249757  # us, +- 2 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 1027
n_high = 262127
k_low = 512
k_high = 512
m_low = 1
m_high = 1024
elements_high = 268418048
exact_count = 18
median_error = 0.01376291452
p95_error = 0.04251983208
worst_error = 0.04665658598
held_out_median_error = 0.0218448935
held_out_p95_error = 0.1117140818
held_out_exact_p05_ratio = 0.9175842174
held_out_exact_p95_ratio = 1.155347655
