# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = torch_topk_blackwell
source = FlashInfer, message of commit 44a2672a4; CUDA graph; a Blackwell by inference

kernel = torch-topk
dtype = f32
date = 2026-11-23
runs = 121 rows of exact-blackwell.csv, kernel torch.topk
card = B200

# fitted; after each value its unit, its standard error and its meaning
launch_us = 22.4815      # us, +- 2.2 %, a kernel's or a call's start and end
roof_bytes_per_s = 3.65356e+11  # bytes/s, +- 1.6 %, the memory roof
row_element_us = 0.00431235   # us, +- 3 %, exact top-k alone: each element of a row
rows_at_once = 81.4344      # rows, +- 6.5 %, rows that the device holds; more wait in waves
long_us = 66.379       # us, +- 2.1 %, the long way: a row, whatever its length
long_element_us = 0.000110261  # us, +- 6.7 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 512
n_high = 524288
k_low = 256
k_high = 4096
m_low = 1
m_high = 4096
exact_count = 121
median_error = 0.03530946433
p95_error = 0.1286320116
worst_error = 0.2371309362
held_out_median_error = 0.04225763022
held_out_p95_error = 0.1450895524
held_out_exact_p05_ratio = 0.8732941436
held_out_exact_p95_ratio = 1.10196225
held_out_k_median_error = 0.03900530347
held_out_k_p95_error = 0.1310985777
