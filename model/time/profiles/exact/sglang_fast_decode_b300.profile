# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_fast_decode_b300
source = Exact top-k of SGLang on five cards: H100 SXM, H200, B200, B300, GB200 (sglang/decode); mean; warm cache; without launch
bandwidth_bytes_per_s = 8e+12
vector_rate_per_s = 3.75e+13
fma_rate_per_s = 7.5e+13
matrix_rate_per_s = 2.25e+15
memory_bytes = 2.88e+11
multiprocessors = 148

kernel = exact
dtype = f32
date = 2026-11-24
runs = 37 rows of sglang/decode, kernel fast_topk_transform_fused
card = B300

# fitted; after each value its unit, its standard error and its meaning
launch_us = 3.09085      # us, +- 1.4 %, a kernel's or a call's start and end
row_us = 1.04915      # us, +- 4.8 %, exact top-k alone: a row, whatever its length
long_n = 5794         # elements, a row of so many elements goes the long way
long_element_us = 0.000187454  # us, +- 0.96 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 2049
n_high = 1048576
k_low = 2048
k_high = 2048
m_low = 1
m_high = 128
elements_high = 1048576
exact_count = 37
median_error = 0.005440222841
p95_error = 0.05543167866
worst_error = 0.05707461958
held_out_median_error = 0.03974650135
held_out_p95_error = 0.08938075347
held_out_exact_p05_ratio = 0.9367317538
held_out_exact_p95_ratio = 1.098153826
