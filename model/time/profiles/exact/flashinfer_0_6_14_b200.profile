# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = flashinfer_0_6_14_b200
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
runs = 36 rows of trtllm/exact-b200, kernel flashinfer_0_6_14
card = B200

# fitted; after each value its unit, its standard error and its meaning
roof_bytes_per_s = 1.89771e+12  # bytes/s, +- 3.8 %, the memory roof
row_us = 5.7115       # us, +- 4.7 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000625005  # us, +- 12 %, exact top-k alone: each element of a row
rows_at_once = 234.998      # rows, +- 3.8 %, rows that the device holds; more wait in waves
long_n = 11588        # elements, a row of so many elements goes the long way
long_us = 11.9018      # us, +- 4 %, the long way: a row, whatever its length
long_element_us = 2.70428e-05  # us, +- 17 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 1027
n_high = 262127
k_low = 512
k_high = 1024
m_low = 1
m_high = 1024
elements_high = 268418048
exact_count = 36
median_error = 0.0285264667
p95_error = 0.1780002125
worst_error = 0.2540116124
held_out_median_error = 0.0518873218
held_out_p95_error = 0.2861952341
held_out_exact_p05_ratio = 0.777593624
held_out_exact_p95_ratio = 1.259127823
held_out_k_median_error = 0.06361594994
held_out_k_p95_error = 0.2632788127
