# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_v1_prefill_gb200
source = Exact top-k of SGLang on five cards: H100 SXM, H200, B200, B300, GB200 (sglang/prefill); mean; warm cache; without launch; row lengths within 10 %
bandwidth_bytes_per_s = 8e+12
vector_rate_per_s = 4e+13
fma_rate_per_s = 8e+13
matrix_rate_per_s = 2.5e+15
memory_bytes = 1.86e+11

kernel = exact
dtype = f32
date = 2026-11-24
runs = 376 rows of sglang/prefill, kernel topk_transform_v1
card = GB200

# fitted; after each value its unit, its standard error and its meaning
launch_us = 1.74556      # us, +- 9.6 %, a kernel's or a call's start and end
roof_bytes_per_s = 3.08626e+12  # bytes/s, +- 8.2 %, the memory roof
row_us = 0.652439     # us, +- 21 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000850533  # us, +- 14 %, exact top-k alone: each element of a row
rows_at_once = 205.736      # rows, +- 8.8 %, rows that the device holds; more wait in waves
long_n = 1792         # elements, a row of so many elements goes the long way
long_us = 1.33208      # us, +- 15 %, the long way: a row, whatever its length
long_element_us = 0.000236343  # us, +- 3.2 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 513
n_high = 254096
k_low = 512
k_high = 1024
m_low = 4
m_high = 16384
elements_high = 4163108864
exact_count = 376
median_error = 0.09442474351
p95_error = 0.2849449105
worst_error = 0.5649181866
held_out_median_error = 0.1042787583
held_out_p95_error = 0.320473606
held_out_exact_p05_ratio = 0.8083130279
held_out_exact_p95_ratio = 1.325412468
held_out_k_median_error = 0.1531295186
held_out_k_p95_error = 0.6028190301
