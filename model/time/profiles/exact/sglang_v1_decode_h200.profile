# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_v1_decode_h200
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
runs = 135 rows of sglang/decode, kernel topk_transform_v1
card = H200

# fitted; after each value its unit, its standard error and its meaning
launch_us = 2.11636      # us, +- 4.4 %, a kernel's or a call's start and end
row_element_us = 0.000563819  # us, +- 8.6 %, exact top-k alone: each element of a row
long_n = 3547         # elements, a row of so many elements goes the long way
long_element_us = 0.000564628  # us, +- 4 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 768
n_high = 262144
k_low = 512
k_high = 1024
m_low = 1
m_high = 256
elements_high = 262144
exact_count = 135
median_error = 0.06096207585
p95_error = 0.2893943746
worst_error = 0.3720244219
held_out_median_error = 0.06640850917
held_out_p95_error = 0.2958042371
held_out_exact_p05_ratio = 0.8078656252
held_out_exact_p95_ratio = 1.407755899
held_out_k_median_error = 0.1045197626
held_out_k_p95_error = 0.6629470328
