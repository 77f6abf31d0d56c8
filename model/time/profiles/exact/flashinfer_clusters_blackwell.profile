# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = flashinfer_clusters_blackwell
source = Exact top-k and sampling of FlashInfer (flashinfer/exact-blackwell); median; without launch
bandwidth_bytes_per_s = 7.7e+12
vector_rate_per_s = 3.75e+13
fma_rate_per_s = 7.5e+13
matrix_rate_per_s = 2.25e+15
memory_bytes = 1.8e+11
multiprocessors = 148
shortest_kernel_us = 1.5

kernel = exact-once
dtype = f32
date = 2026-11-24
runs = 121 rows of flashinfer/exact-blackwell, kernel flashinfer_clusters
card = B200

# fitted; after each value its unit, its standard error and its meaning
launch_us = 6.5756       # us, +- 3.3 %, a kernel's or a call's start and end
roof_bytes_per_s = 1.82155e+12  # bytes/s, +- 2.3 %, the memory roof
row_element_us = 0.000215913  # us, +- 41 %, exact top-k alone: each element of a row
rows_at_once = 49.0348      # rows, +- 37 %, rows that the device holds; more wait in waves
long_n = 8192         # elements, a row of so many elements goes the long way
long_us = 6.64092      # us, +- 5.9 %, the long way: a row, whatever its length
long_element_us = 2.92506e-05  # us, +- 7.1 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 512
n_high = 524288
k_low = 256
k_high = 4096
m_low = 1
m_high = 4096
elements_high = 8.192e+08
exact_count = 121
median_error = 0.04365158015
p95_error = 0.2126402541
worst_error = 0.4031246842
held_out_median_error = 0.08073815171
held_out_p95_error = 0.2326933754
held_out_exact_p05_ratio = 0.8400247544
held_out_exact_p95_ratio = 1.272923647
held_out_k_median_error = 0.05469612773
held_out_k_p95_error = 0.2255852299
