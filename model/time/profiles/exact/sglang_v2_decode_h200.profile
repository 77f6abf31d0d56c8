# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_v2_decode_h200
source = Exact top-k of SGLang on five cards: H100 SXM, H200, B200, B300, GB200 (sglang/decode); mean; warm cache; without launch
bandwidth_bytes_per_s = 4.8e+12
vector_rate_per_s = 1.672704e+13
fma_rate_per_s = 6.7e+13
matrix_rate_per_s = 9.894e+14
memory_bytes = 1.41e+11
multiprocessors = 132

kernel = exact
dtype = f32
date = 2026-11-24
runs = 122 rows of sglang/decode, kernel topk_transform_v2
card = H200

# fitted; after each value its unit, its standard error and its meaning
launch_us = 2.20513      # us, +- 3.6 %, a kernel's or a call's start and end
row_us = 0.336315     # us, +- 24 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000127438  # us, +- 1.9 %, exact top-k alone: each element of a row
rows_at_once = 75.732       # rows, +- 11 %, rows that the device holds; more wait in waves
long_n = 23170        # elements, a row of so many elements goes the long way
long_us = 5.68039      # us, +- 2.2 %, the long way: a row, whatever its length
long_element_us = 2.08645e-05  # us, +- 4.8 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 768
n_high = 262144
k_low = 512
k_high = 1024
m_low = 1
m_high = 256
elements_high = 262144
exact_count = 122
median_error = 0.0151340861
p95_error = 0.05272906375
worst_error = 0.06729739754
held_out_median_error = 0.01778628784
held_out_p95_error = 0.7255991458
held_out_exact_p05_ratio = 0.5795098073
held_out_exact_p95_ratio = 1.038072629
held_out_k_median_error = 0.01673915184
held_out_k_p95_error = 0.05781018627
