# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = flashinfer_default_blackwell
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
runs = 121 rows of flashinfer/exact-blackwell, kernel flashinfer_default
card = B200

# fitted; after each value its unit, its standard error and its meaning
roof_bytes_per_s = 1.52609e+12  # bytes/s, +- 6.1 %, the memory roof
row_us = 9.83381      # us, +- 3 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000388447  # us, +- 5.2 %, exact top-k alone: each element of a row
rows_at_once = 158.503      # rows, +- 5.3 %, rows that the device holds; more wait in waves
long_n = 114487       # elements, a row of so many elements goes the long way
long_us = 45.3105      # us, +- 3.9 %, the long way: a row, whatever its length

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 512
n_high = 524288
k_low = 256
k_high = 4096
m_low = 1
m_high = 4096
elements_high = 8.192e+08
exact_count = 121
median_error = 0.08171453341
p95_error = 0.3771973973
worst_error = 0.7327622484
held_out_median_error = 0.1393643972
held_out_p95_error = 0.5652248297
held_out_exact_p05_ratio = 0.6388858527
held_out_exact_p95_ratio = 1.459386637
held_out_k_median_error = 0.09210976173
held_out_k_p95_error = 0.4059166379
