# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_fast_prefill_h200
source = Exact top-k of SGLang on five cards: H100 SXM, H200, B200, B300, GB200 (sglang/prefill); mean; warm cache; without launch; row lengths within 10 %
bandwidth_bytes_per_s = 4.8e+12
vector_rate_per_s = 1.672704e+13
fma_rate_per_s = 6.7e+13
matrix_rate_per_s = 9.894e+14
memory_bytes = 1.41e+11
multiprocessors = 132

kernel = exact
dtype = f32
date = 2026-11-24
runs = 176 rows of sglang/prefill, kernel fast_topk_transform_fused
card = H200

# fitted; after each value its unit, its standard error and its meaning
roof_bytes_per_s = 1.73883e+12  # bytes/s, +- 2 %, the memory roof
row_us = 4.11968      # us, +- 2.8 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000134812  # us, +- 11 %, exact top-k alone: each element of a row
rows_at_once = 212.935      # rows, +- 2.5 %, rows that the device holds; more wait in waves
long_n = 23262        # elements, a row of so many elements goes the long way
long_us = 1.74531      # us, +- 31 %, the long way: a row, whatever its length
long_element_us = 0.000238334  # us, +- 3.9 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 2052
n_high = 202752
k_low = 2048
k_high = 2048
m_low = 4
m_high = 131072
elements_high = 2.657511014e+10
exact_count = 176
median_error = 0.05268268823
p95_error = 0.2321089877
worst_error = 0.2977477545
held_out_median_error = 0.09323533261
held_out_p95_error = 0.3333757081
held_out_exact_p05_ratio = 0.7499780289
held_out_exact_p95_ratio = 1.166976333
