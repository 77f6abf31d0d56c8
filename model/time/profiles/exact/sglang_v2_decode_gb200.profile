# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_v2_decode_gb200
source = Exact top-k of SGLang on five cards: H100 SXM, H200, B200, B300, GB200 (sglang/decode); mean; warm cache; without launch
bandwidth_bytes_per_s = 8e+12
vector_rate_per_s = 4e+13
fma_rate_per_s = 8e+13
matrix_rate_per_s = 2.5e+15
memory_bytes = 1.86e+11

kernel = exact
dtype = f32
date = 2026-11-24
runs = 122 rows of sglang/decode, kernel topk_transform_v2
card = GB200

# fitted; after each value its unit, its standard error and its meaning
row_us = 2.97598      # us, +- 0.79 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000170921  # us, +- 3.2 %, exact top-k alone: each element of a row
rows_at_once = 250.645      # rows, +- 6.9 %, rows that the device holds; more wait in waves
long_n = 23170        # elements, a row of so many elements goes the long way
long_us = 8.16227      # us, +- 2.2 %, the long way: a row, whatever its length
long_element_us = 2.43701e-05  # us, +- 8.2 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 768
n_high = 262144
k_low = 512
k_high = 1024
m_low = 1
m_high = 256
elements_high = 262144
exact_count = 122
median_error = 0.03094506108
p95_error = 0.09131463081
worst_error = 0.1142871772
held_out_median_error = 0.0379742252
held_out_p95_error = 0.4362220786
held_out_exact_p05_ratio = 0.6962749193
held_out_exact_p95_ratio = 1.082551076
held_out_k_median_error = 0.05050514071
held_out_k_p95_error = 0.1228833995
