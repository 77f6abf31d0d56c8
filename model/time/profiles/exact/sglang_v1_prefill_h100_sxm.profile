# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_v1_prefill_h100_sxm
source = Exact top-k of SGLang on five cards: H100 SXM, H200, B200, B300, GB200 (sglang/prefill); mean; warm cache; without launch; row lengths within 10 %
bandwidth_bytes_per_s = 3.35e+12
vector_rate_per_s = 1.672704e+13
fma_rate_per_s = 6.7e+13
matrix_rate_per_s = 9.894e+14
memory_bytes = 8e+10
on_chip_bytes = 5.24288e+07
multiprocessors = 132

kernel = exact
dtype = f32
date = 2026-11-24
runs = 330 rows of sglang/prefill, kernel topk_transform_v1
card = H100-SXM

# fitted; after each value its unit, its standard error and its meaning
roof_bytes_per_s = 1.02397e+12  # bytes/s, +- 2.8 %, the memory roof
row_us = 2.20115      # us, +- 3 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000631395  # us, +- 3.6 %, exact top-k alone: each element of a row
rows_at_once = 299.352      # rows, +- 3.9 %, rows that the device holds; more wait in waves
long_n = 250012       # elements, a row of so many elements goes the long way
long_us = 245.05       # us, +- 8.7 %, the long way: a row, whatever its length

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 513
n_high = 252048
k_low = 512
k_high = 1024
m_low = 4
m_high = 8192
elements_high = 2064777216
exact_count = 330
median_error = 0.1208582879
p95_error = 0.3774422001
worst_error = 0.7908850277
held_out_median_error = 0.1074689034
held_out_p95_error = 0.4343502331
held_out_exact_p05_ratio = 0.7081115501
held_out_exact_p95_ratio = 1.354432785
held_out_k_median_error = 0.2115120086
held_out_k_p95_error = 0.6838255899
