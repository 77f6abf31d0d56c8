# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_v1_decode_gb200
source = Exact top-k of SGLang on five cards: H100 SXM, H200, B200, B300, GB200 (sglang/decode); mean; warm cache; without launch
bandwidth_bytes_per_s = 8e+12
vector_rate_per_s = 4e+13
fma_rate_per_s = 8e+13
matrix_rate_per_s = 2.5e+15
memory_bytes = 1.86e+11

kernel = exact
dtype = f32
date = 2026-11-24
runs = 135 rows of sglang/decode, kernel topk_transform_v1
card = GB200

# fitted; after each value its unit, its standard error and its meaning
row_us = 2.8508       # us, +- 2.6 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000300359  # us, +- 12 %, exact top-k alone: each element of a row
long_n = 3547         # elements, a row of so many elements goes the long way
long_us = 2.72923      # us, +- 3.2 %, the long way: a row, whatever its length
long_element_us = 0.00025323   # us, +- 3.2 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 768
n_high = 262144
k_low = 512
k_high = 1024
m_low = 1
m_high = 256
elements_high = 262144
exact_count = 135
median_error = 0.04374791882
p95_error = 0.1458827306
worst_error = 0.2996098118
held_out_median_error = 0.04905823419
held_out_p95_error = 0.1418535582
held_out_exact_p05_ratio = 0.8884805598
held_out_exact_p95_ratio = 1.127836999
held_out_k_median_error = 0.120177726
held_out_k_p95_error = 0.2988706503
