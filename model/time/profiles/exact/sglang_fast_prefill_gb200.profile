# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_fast_prefill_gb200
source = Exact top-k of SGLang on five cards: H100 SXM, H200, B200, B300, GB200 (sglang/prefill); mean; warm cache; without launch; row lengths within 10 %
bandwidth_bytes_per_s = 8e+12
vector_rate_per_s = 4e+13
fma_rate_per_s = 8e+13
matrix_rate_per_s = 2.5e+15
memory_bytes = 1.86e+11

kernel = exact
dtype = f32
date = 2026-11-24
runs = 224 rows of sglang/prefill, kernel fast_topk_transform_fused
card = GB200

# fitted; after each value its unit, its standard error and its meaning
roof_bytes_per_s = 2.38812e+12  # bytes/s, +- 1.4 %, the memory roof
row_us = 3.81962      # us, +- 11 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000441087  # us, +- 37 %, exact top-k alone: each element of a row
rows_at_once = 280.475      # rows, +- 2.2 %, rows that the device holds; more wait in waves
long_n = 3168         # elements, a row of so many elements goes the long way
long_us = 3.97118      # us, +- 2.2 %, the long way: a row, whatever its length
long_element_us = 0.00019915   # us, +- 1.8 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 2052
n_high = 1048576
k_low = 2048
k_high = 2048
m_low = 4
m_high = 131072
elements_high = 1.374389535e+11
exact_count = 224
median_error = 0.04222005132
p95_error = 0.2832352147
worst_error = 0.3544075261
held_out_median_error = 0.05334579266
held_out_p95_error = 0.3113979958
held_out_exact_p05_ratio = 0.7666385113
held_out_exact_p95_ratio = 1.166590967
