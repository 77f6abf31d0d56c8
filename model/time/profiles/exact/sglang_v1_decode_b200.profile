# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_v1_decode_b200
source = Exact top-k of SGLang on five cards: H100 SXM, H200, B200, B300, GB200 (sglang/decode); mean; warm cache; without launch
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
runs = 135 rows of sglang/decode, kernel topk_transform_v1
card = B200

# fitted; after each value its unit, its standard error and its meaning
launch_us = 2.70225      # us, +- 1.5 %, a kernel's or a call's start and end
roof_bytes_per_s = 1.00113e+12  # bytes/s, +- 19 %, the memory roof
long_n = 1254         # elements, a row of so many elements goes the long way
long_element_us = 0.000246627  # us, +- 3.2 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 768
n_high = 262144
k_low = 512
k_high = 1024
m_low = 1
m_high = 256
elements_high = 262144
exact_count = 135
median_error = 0.07123213137
p95_error = 0.1961870933
worst_error = 0.2532925933
held_out_median_error = 0.0747667186
held_out_p95_error = 0.2047799986
held_out_exact_p05_ratio = 0.8300662923
held_out_exact_p95_ratio = 1.162508304
held_out_k_median_error = 0.1561277719
held_out_k_p95_error = 0.3458105541
