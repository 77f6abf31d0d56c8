# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = torch_topk_blackwell
source = Exact top-k and sampling of FlashInfer (flashinfer/exact-blackwell); median; without launch
bandwidth_bytes_per_s = 7.7e+12
vector_rate_per_s = 3.75e+13
fma_rate_per_s = 7.5e+13
matrix_rate_per_s = 2.25e+15
memory_bytes = 1.8e+11
multiprocessors = 148
shortest_kernel_us = 1.5

kernel = torch-topk
dtype = f32
date = 2026-11-24
runs = 121 rows of flashinfer/exact-blackwell, kernel torch.topk
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
elements_high = 8.192e+08
exact_count = 121
median_error = 0.03530946409
p95_error = 0.1286320126
worst_error = 0.2371309359
held_out_median_error = 0.04225763043
held_out_p95_error = 0.1450895523
held_out_exact_p05_ratio = 0.8732941437
held_out_exact_p95_ratio = 1.101962251
held_out_k_median_error = 0.03900530369
held_out_k_p95_error = 0.1310985781
