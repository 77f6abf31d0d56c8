# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_v1_prefill_b300
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
runs = 376 rows of sglang/prefill, kernel topk_transform_v1
card = B300

# fitted; after each value its unit, its standard error and its meaning
launch_us = 1.42089      # us, +- 12 %, a kernel's or a call's start and end
roof_bytes_per_s = 2.96821e+12  # bytes/s, +- 6.7 %, the memory roof
row_us = 0.74477      # us, +- 20 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000816773  # us, +- 14 %, exact top-k alone: each element of a row
rows_at_once = 205.739      # rows, +- 8.7 %, rows that the device holds; more wait in waves
long_n = 1792         # elements, a row of so many elements goes the long way
long_us = 1.37613      # us, +- 14 %, the long way: a row, whatever its length
long_element_us = 0.000226254  # us, +- 3.4 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 513
n_high = 254096
k_low = 512
k_high = 1024
m_low = 4
m_high = 16384
elements_high = 4163108864
exact_count = 376
median_error = 0.09761729624
p95_error = 0.27150096
worst_error = 0.573508523
held_out_median_error = 0.0970100403
held_out_p95_error = 0.3289678512
held_out_exact_p05_ratio = 0.8092720723
held_out_exact_p95_ratio = 1.29484499
held_out_k_median_error = 0.1760835063
held_out_k_p95_error = 0.5518261388
