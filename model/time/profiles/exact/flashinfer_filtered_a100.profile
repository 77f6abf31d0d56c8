# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = flashinfer_filtered_a100
source = Exact top-k and sampling of FlashInfer (flashinfer/exact-a100)
bandwidth_bytes_per_s = 1.555e+12
vector_rate_per_s = 9.74592e+12
fma_rate_per_s = 1.95e+13
matrix_rate_per_s = 3.12e+14
memory_bytes = 4e+10
on_chip_bytes = 4.194304e+07
multiprocessors = 108

kernel = exact
dtype = f32
date = 2026-11-24
runs = 24 rows of flashinfer/exact-a100, kernel filtered_pr
card = A100-PCIe-40GB

# fitted; after each value its unit, its standard error and its meaning
launch_us = 12.5223      # us, +- 15 %, a kernel's or a call's start and end
row_element_us = 0.00113803   # us, +- 16 %, exact top-k alone: each element of a row
rows_at_once = 66.2054      # rows, +- 9.6 %, rows that the device holds; more wait in waves
long_n = 32768        # elements, a row of so many elements goes the long way
long_us = 16.3714      # us, +- 36 %, the long way: a row, whatever its length
long_element_us = 0.000485045  # us, +- 8.3 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 4096
n_high = 524288
k_low = 2048
k_high = 2048
m_low = 1
m_high = 256
elements_high = 134217728
exact_count = 24
median_error = 0.07338762299
p95_error = 0.3057092561
worst_error = 0.3097373444
held_out_median_error = 0.2332353821
held_out_p95_error = 0.4167542631
held_out_exact_p05_ratio = 0.7114113502
held_out_exact_p95_ratio = 1.532263652
