# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_fast_decode_h200
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
runs = 36 rows of sglang/decode, kernel fast_topk_transform_fused
card = H200

# fitted; after each value its unit, its standard error and its meaning
launch_us = 2.86526      # us, +- 2.9 %, a kernel's or a call's start and end
row_us = 1.14503      # us, +- 7.9 %, exact top-k alone: a row, whatever its length
long_n = 5794         # elements, a row of so many elements goes the long way
long_element_us = 0.0002142    # us, +- 1.7 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 2049
n_high = 202752
k_low = 2048
k_high = 2048
m_low = 1
m_high = 128
elements_high = 262272
exact_count = 36
median_error = 0.01886111617
p95_error = 0.07545872225
worst_error = 0.1108537814
held_out_median_error = 0.08102206629
held_out_p95_error = 0.1299040336
held_out_exact_p05_ratio = 0.8912286973
held_out_exact_p95_ratio = 1.145539811
