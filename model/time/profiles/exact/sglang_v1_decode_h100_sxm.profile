# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_v1_decode_h100_sxm
source = Exact top-k of SGLang on five cards: H100 SXM, H200, B200, B300, GB200 (sglang/decode); mean; warm cache; without launch
bandwidth_bytes_per_s = 3.35e+12
vector_rate_per_s = 1.672704e+13
fma_rate_per_s = 6.7e+13
matrix_rate_per_s = 9.894e+14
memory_bytes = 8e+10
on_chip_bytes = 5.24288e+07
multiprocessors = 132

kernel = exact
dtype = f32
date = 2026-11-24
runs = 135 rows of sglang/decode, kernel topk_transform_v1
card = H100-SXM

# fitted; after each value its unit, its standard error and its meaning
row_us = 2.22432      # us, +- 4.7 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000537881  # us, +- 9.9 %, exact top-k alone: each element of a row
long_n = 3547         # elements, a row of so many elements goes the long way
long_us = 1.71527      # us, +- 13 %, the long way: a row, whatever its length
long_element_us = 0.000633252  # us, +- 5.3 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 768
n_high = 262144
k_low = 512
k_high = 1024
m_low = 1
m_high = 256
elements_high = 262144
exact_count = 135
median_error = 0.06107767929
p95_error = 0.2854430054
worst_error = 0.433199068
held_out_median_error = 0.07054307206
held_out_p95_error = 0.2848378787
held_out_exact_p05_ratio = 0.778347754
held_out_exact_p95_ratio = 1.301271269
held_out_k_median_error = 0.1001622737
held_out_k_p95_error = 0.6594378601
