# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_fast_decode_h100_sxm
source = Exact top-k of SGLang on five cards: H100 SXM, H200, B200, B300, GB200 (sglang/decode); mean; warm cache; without launch
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
runs = 36 rows of sglang/decode, kernel fast_topk_transform_fused
card = H100-SXM

# fitted; after each value its unit, its standard error and its meaning
launch_us = 2.8843       # us, +- 2.9 %, a kernel's or a call's start and end
row_us = 1.16836      # us, +- 7.9 %, exact top-k alone: a row, whatever its length
long_n = 5794         # elements, a row of so many elements goes the long way
long_element_us = 0.000214113  # us, +- 1.7 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 2049
n_high = 202752
k_low = 2048
k_high = 2048
m_low = 1
m_high = 128
elements_high = 262272
exact_count = 36
median_error = 0.02070237755
p95_error = 0.08195114838
worst_error = 0.09786750816
held_out_median_error = 0.09713139866
held_out_p95_error = 0.134387979
held_out_exact_p05_ratio = 0.898359834
held_out_exact_p95_ratio = 1.155252108
