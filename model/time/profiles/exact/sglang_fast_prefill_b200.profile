# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_fast_prefill_b200
source = Exact top-k of SGLang on five cards: H100 SXM, H200, B200, B300, GB200 (sglang/prefill); mean; warm cache; without launch; row lengths within 10 %
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
runs = 224 rows of sglang/prefill, kernel fast_topk_transform_fused
card = B200

# fitted; after each value its unit, its standard error and its meaning
roof_bytes_per_s = 2.33333e+12  # bytes/s, +- 1.4 %, the memory roof
row_us = 4.71197      # us, +- 2 %, exact top-k alone: a row, whatever its length
rows_at_once = 255.92       # rows, +- 2.1 %, rows that the device holds; more wait in waves
long_n = 3622         # elements, a row of so many elements goes the long way
long_us = 3.63934      # us, +- 2.3 %, the long way: a row, whatever its length
long_element_us = 0.000207971  # us, +- 1.7 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 2052
n_high = 1048576
k_low = 2048
k_high = 2048
m_low = 4
m_high = 131072
elements_high = 1.374389535e+11
exact_count = 224
median_error = 0.04771095223
p95_error = 0.2223366447
worst_error = 0.3152277178
held_out_median_error = 0.05519497463
held_out_p95_error = 0.2471689474
held_out_exact_p05_ratio = 0.8060131355
held_out_exact_p95_ratio = 1.145216092
