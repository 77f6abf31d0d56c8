# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_v2_decode_b300
source = Exact top-k of SGLang on five cards: H100 SXM, H200, B200, B300, GB200 (sglang/decode); mean; warm cache; without launch
bandwidth_bytes_per_s = 8e+12
vector_rate_per_s = 3.75e+13
fma_rate_per_s = 7.5e+13
matrix_rate_per_s = 2.25e+15
memory_bytes = 2.88e+11
multiprocessors = 148

kernel = exact
dtype = f32
date = 2026-11-24
runs = 122 rows of sglang/decode, kernel topk_transform_v2
card = B300

# fitted; after each value its unit, its standard error and its meaning
row_us = 2.79727      # us, +- 0.68 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000161124  # us, +- 2.8 %, exact top-k alone: each element of a row
rows_at_once = 266.394      # rows, +- 5.7 %, rows that the device holds; more wait in waves
long_n = 23170        # elements, a row of so many elements goes the long way
long_us = 7.80588      # us, +- 1.9 %, the long way: a row, whatever its length
long_element_us = 2.30258e-05  # us, +- 7 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 768
n_high = 262144
k_low = 512
k_high = 1024
m_low = 1
m_high = 256
elements_high = 262144
exact_count = 122
median_error = 0.02722626652
p95_error = 0.06554421904
worst_error = 0.1080982138
held_out_median_error = 0.03268157063
held_out_p95_error = 0.43965518
held_out_exact_p05_ratio = 0.6946107787
held_out_exact_p95_ratio = 1.070635982
held_out_k_median_error = 0.03389219315
held_out_k_p95_error = 0.07974874199
