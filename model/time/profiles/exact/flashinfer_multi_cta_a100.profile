# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = flashinfer_multi_cta_a100
source = Exact top-k and sampling of FlashInfer (flashinfer/exact-a100)
bandwidth_bytes_per_s = 1.555e+12
vector_rate_per_s = 9.74592e+12
fma_rate_per_s = 1.95e+13
matrix_rate_per_s = 3.12e+14
memory_bytes = 4e+10
on_chip_bytes = 4.194304e+07
multiprocessors = 108

kernel = exact-once
dtype = f32
date = 2026-11-24
runs = 24 rows of flashinfer/exact-a100, kernel multi_cta
card = A100-PCIe-40GB

# fitted; after each value its unit, its standard error and its meaning
roof_bytes_per_s = 3.01874e+11  # bytes/s, +- 7.9 %, the memory roof
row_us = 17.593       # us, +- 14 %, exact top-k alone: a row, whatever its length
row_element_us = 0.0012347    # us, +- 14 %, exact top-k alone: each element of a row
rows_at_once = 106.097      # rows, +- 16 %, rows that the device holds; more wait in waves
long_n = 92682        # elements, a row of so many elements goes the long way
long_us = 73.4362      # us, +- 11 %, the long way: a row, whatever its length

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 4096
n_high = 524288
k_low = 2048
k_high = 2048
m_low = 1
m_high = 256
elements_high = 134217728
exact_count = 24
median_error = 0.05160615266
p95_error = 0.5834690455
worst_error = 0.6725257056
held_out_median_error = 0.09281757169
held_out_p95_error = 0.424121811
held_out_exact_p05_ratio = 0.7026864888
held_out_exact_p95_ratio = 1.488706944
