# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_fast_decode_b200
source = Exact top-k of SGLang on five cards: H100 SXM, H200, B200, B300, GB200 (sglang/decode); mean; warm cache; without launch
bandwidth_bytes_per_s = 7.7e+12
vector_rate_per_s = 3.75e+13
fma_rate_per_s = 7.5e+13
matrix_rate_per_s = 2.25e+15
memory_bytes = 1.8e+11
multiprocessors = 148
shortest_kernel_us = 1.5

kernel = exact
dtype = f32
date = 2026-11-24
runs = 37 rows of sglang/decode, kernel fast_topk_transform_fused
card = B200

# fitted; after each value its unit, its standard error and its meaning
roof_bytes_per_s = 4.16376e+11  # bytes/s, +- 13 %, the memory roof
row_us = 3.598        # us, +- 1.3 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000158754  # us, +- 2.9 %, exact top-k alone: each element of a row
long_n = 46342        # elements, a row of so many elements goes the long way
long_us = 4.19302      # us, +- 13 %, the long way: a row, whatever its length
long_element_us = 0.000185834  # us, +- 2.8 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 2049
n_high = 1048576
k_low = 2048
k_high = 2048
m_low = 1
m_high = 128
elements_high = 1048576
exact_count = 37
median_error = 0.02274604561
p95_error = 0.05358545621
worst_error = 0.07637083175
held_out_median_error = 0.04415455953
held_out_p95_error = 0.08743579924
held_out_exact_p05_ratio = 0.9339952763
held_out_exact_p95_ratio = 1.095390087
