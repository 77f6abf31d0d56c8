# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = torch_topk_h200_f32
source = Measured by recallmodel-bench on one NVIDIA H200 on 2026-11-26, sources d0f8706d (h200/torch); median; cold cache; without launch
bandwidth_bytes_per_s = 4.8e+12
vector_rate_per_s = 1.672704e+13
fma_rate_per_s = 6.7e+13
matrix_rate_per_s = 9.894e+14
memory_bytes = 1.41e+11
multiprocessors = 132

kernel = torch-topk
dtype = f32
date = 2026-11-26
runs = 92 rows of h200/torch, kernel torch.topk-unsorted
card = H200

# fitted; after each value its unit, its standard error and its meaning
launch_us = 11.4668      # us, +- 5.4 %, a kernel's or a call's start and end
roof_bytes_per_s = 3.49246e+11  # bytes/s, +- 1.3 %, the memory roof
row_element_us = 0.00391417   # us, +- 3.8 %, exact top-k alone: each element of a row
rows_at_once = 75.7872      # rows, +- 11 %, rows that the device holds; more wait in waves
long_us = 57.7683      # us, +- 2.2 %, the long way: a row, whatever its length
long_element_us = 2.32465e-05  # us, +- 7.3 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 1024
n_high = 4194304
k_low = 16
k_high = 131072
m_low = 1
m_high = 1024
elements_high = 268435456
exact_count = 92
median_error = 0.0370012112
p95_error = 0.1568064082
worst_error = 0.270104834
held_out_median_error = 0.04043432437
held_out_p95_error = 0.2714947994
held_out_exact_p05_ratio = 0.8317418504
held_out_exact_p95_ratio = 1.113388375
held_out_k_median_error = 0.04164153017
held_out_k_p95_error = 0.1804298728
