# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_v2_decode_b200
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
runs = 122 rows of sglang/decode, kernel topk_transform_v2
card = B200

# fitted; after each value its unit, its standard error and its meaning
launch_us = 2.80696      # us, +- 1 %, a kernel's or a call's start and end
row_element_us = 0.000162407  # us, +- 3.8 %, exact top-k alone: each element of a row
rows_at_once = 42.782       # rows, +- 9 %, rows that the device holds; more wait in waves
long_n = 23170        # elements, a row of so many elements goes the long way
long_us = 5.127        # us, +- 4 %, the long way: a row, whatever its length
long_element_us = 2.45376e-05  # us, +- 9.2 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 768
n_high = 262144
k_low = 512
k_high = 1024
m_low = 1
m_high = 256
elements_high = 262144
exact_count = 122
median_error = 0.03108549041
p95_error = 0.1149909634
worst_error = 0.1665703512
held_out_median_error = 0.03575894727
held_out_p95_error = 0.4677888443
held_out_exact_p05_ratio = 0.681296931
held_out_exact_p95_ratio = 1.092218442
held_out_k_median_error = 0.03506155146
held_out_k_p95_error = 0.1228118999
