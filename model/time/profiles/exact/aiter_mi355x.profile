# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = aiter_mi355x
source = Exact top-k of AMD's aiter on an MI355X (aiter/exact); mean
bandwidth_bytes_per_s = 8e+12
vector_rate_per_s = 3.93216e+13
fma_rate_per_s = 1.573e+14
matrix_rate_per_s = 2.5166e+15
memory_bytes = 2.88e+11
multiprocessors = 256

kernel = exact-once
dtype = f32
date = 2026-11-24
runs = 237 rows of aiter/exact, kernel aiter_top_k_per_row
card = MI355X

# fitted; after each value its unit, its standard error and its meaning
launch_us = 3.24582      # us, +- 25 %, a kernel's or a call's start and end
roof_bytes_per_s = 1.9811e+12   # bytes/s, +- 2.1 %, the memory roof
row_us = 4.93442      # us, +- 17 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000333987  # us, +- 4.4 %, exact top-k alone: each element of a row
rows_at_once = 374.99       # rows, +- 11 %, rows that the device holds; more wait in waves
long_n = 131072       # elements, a row of so many elements goes the long way
long_us = 42.3994      # us, +- 3.9 %, the long way: a row, whatever its length

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 2048
n_high = 1048576
k_low = 1024
k_high = 2048
m_low = 1
m_high = 16384
elements_high = 8589934592
exact_count = 237
median_error = 0.08871575122
p95_error = 0.3484866878
worst_error = 0.7360453441
held_out_median_error = 0.09961731676
held_out_p95_error = 0.3753541202
held_out_exact_p05_ratio = 0.7655921758
held_out_exact_p95_ratio = 1.246990055
held_out_k_median_error = 0.1017199504
held_out_k_p95_error = 0.4062973054
