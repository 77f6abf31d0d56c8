# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_fast_decode_gb200
source = Exact top-k of SGLang on five cards: H100 SXM, H200, B200, B300, GB200 (sglang/decode); mean; warm cache; without launch
bandwidth_bytes_per_s = 8e+12
vector_rate_per_s = 4e+13
fma_rate_per_s = 8e+13
matrix_rate_per_s = 2.5e+15
memory_bytes = 1.86e+11

kernel = exact
dtype = f32
date = 2026-11-24
runs = 37 rows of sglang/decode, kernel fast_topk_transform_fused
card = GB200

# fitted; after each value its unit, its standard error and its meaning
row_us = 3.88393      # us, +- 1.3 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000163826  # us, +- 2.9 %, exact top-k alone: each element of a row
rows_at_once = 191.848      # rows, +- 16 %, rows that the device holds; more wait in waves
long_n = 46342        # elements, a row of so many elements goes the long way
long_us = 4.2366       # us, +- 12 %, the long way: a row, whatever its length
long_element_us = 0.0001833    # us, +- 2.7 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 2049
n_high = 1048576
k_low = 2048
k_high = 2048
m_low = 1
m_high = 128
elements_high = 1048576
exact_count = 37
median_error = 0.01192165588
p95_error = 0.09173603594
worst_error = 0.09340597425
held_out_median_error = 0.01453444407
held_out_p95_error = 0.1050002278
held_out_exact_p05_ratio = 0.9049772279
held_out_exact_p95_ratio = 1.104284987
