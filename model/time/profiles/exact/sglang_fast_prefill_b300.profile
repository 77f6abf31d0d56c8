# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_fast_prefill_b300
source = Exact top-k of SGLang on five cards: H100 SXM, H200, B200, B300, GB200 (sglang/prefill); mean; warm cache; without launch; row lengths within 10 %
bandwidth_bytes_per_s = 8e+12
vector_rate_per_s = 3.75e+13
fma_rate_per_s = 7.5e+13
matrix_rate_per_s = 2.25e+15
memory_bytes = 2.88e+11
multiprocessors = 148

kernel = exact
dtype = f32
date = 2026-11-24
runs = 224 rows of sglang/prefill, kernel fast_topk_transform_fused
card = B300

# fitted; after each value its unit, its standard error and its meaning
roof_bytes_per_s = 2.73237e+12  # bytes/s, +- 1.4 %, the memory roof
row_us = 3.14189      # us, +- 12 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000612264  # us, +- 24 %, exact top-k alone: each element of a row
rows_at_once = 250.585      # rows, +- 1.9 %, rows that the device holds; more wait in waves
long_n = 3622         # elements, a row of so many elements goes the long way
long_us = 3.81209      # us, +- 2 %, the long way: a row, whatever its length
long_element_us = 0.000178452  # us, +- 1.7 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 2052
n_high = 1048576
k_low = 2048
k_high = 2048
m_low = 4
m_high = 131072
elements_high = 1.374389535e+11
exact_count = 224
median_error = 0.04159080778
p95_error = 0.2127934417
worst_error = 0.3549305425
held_out_median_error = 0.04346078554
held_out_p95_error = 0.232420868
held_out_exact_p05_ratio = 0.8413879981
held_out_exact_p95_ratio = 1.172722338
