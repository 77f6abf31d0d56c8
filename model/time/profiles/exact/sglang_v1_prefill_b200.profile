# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_v1_prefill_b200
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
runs = 376 rows of sglang/prefill, kernel topk_transform_v1
card = B200

# fitted; after each value its unit, its standard error and its meaning
launch_us = 1.58531      # us, +- 11 %, a kernel's or a call's start and end
roof_bytes_per_s = 3.04087e+12  # bytes/s, +- 8.7 %, the memory roof
row_us = 0.732975     # us, +- 20 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000829869  # us, +- 14 %, exact top-k alone: each element of a row
rows_at_once = 199          # rows, +- 8.6 %, rows that the device holds; more wait in waves
long_n = 1792         # elements, a row of so many elements goes the long way
long_us = 1.36798      # us, +- 14 %, the long way: a row, whatever its length
long_element_us = 0.000237452  # us, +- 3.2 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 513
n_high = 254096
k_low = 512
k_high = 1024
m_low = 4
m_high = 16384
elements_high = 4163108864
exact_count = 376
median_error = 0.09963939118
p95_error = 0.270452709
worst_error = 0.5625278741
held_out_median_error = 0.1022801482
held_out_p95_error = 0.284537267
held_out_exact_p05_ratio = 0.8181352902
held_out_exact_p95_ratio = 1.360880624
held_out_k_median_error = 0.1609221841
held_out_k_p95_error = 0.6110251808
