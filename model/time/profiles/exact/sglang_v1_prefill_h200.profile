# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = sglang_v1_prefill_h200
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
runs = 330 rows of sglang/prefill, kernel topk_transform_v1
card = H200

# fitted; after each value its unit, its standard error and its meaning
launch_us = 1.15725      # us, +- 10 %, a kernel's or a call's start and end
row_us = 0.947235     # us, +- 9.3 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000632937  # us, +- 3.4 %, exact top-k alone: each element of a row
rows_at_once = 186.45       # rows, +- 3.6 %, rows that the device holds; more wait in waves
long_n = 65560        # elements, a row of so many elements goes the long way
long_element_us = 0.000765658  # us, +- 3.4 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 513
n_high = 252048
k_low = 512
k_high = 1024
m_low = 4
m_high = 8192
elements_high = 2064777216
exact_count = 330
median_error = 0.1069630974
p95_error = 0.4592987654
worst_error = 0.6602514983
held_out_median_error = 0.1142783455
held_out_p95_error = 0.4660372573
held_out_exact_p05_ratio = 0.6996480722
held_out_exact_p95_ratio = 1.348357985
held_out_k_median_error = 0.2223380186
held_out_k_p95_error = 0.6870231519
