# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = torch_topk_h200_f16
source = Measured by recallmodel-bench on one NVIDIA H200 on 2026-11-26, sources d0f8706d (h200/torch); median; cold cache; without launch
bandwidth_bytes_per_s = 4.8e+12
vector_rate_per_s = 1.672704e+13
fma_rate_per_s = 6.7e+13
matrix_rate_per_s = 9.894e+14
memory_bytes = 1.41e+11
multiprocessors = 132

kernel = torch-topk
dtype = f16
date = 2026-11-26
runs = 82 rows of h200/torch, kernel torch.topk-unsorted
card = H200

# fitted; after each value its unit, its standard error and its meaning
launch_us = 8.81735      # us, +- 6 %, a kernel's or a call's start and end
roof_bytes_per_s = 2.68131e+11  # bytes/s, +- 1.2 %, the memory roof
row_element_us = 0.00328132   # us, +- 3.8 %, exact top-k alone: each element of a row
rows_at_once = 78.3039      # rows, +- 11 %, rows that the device holds; more wait in waves
long_us = 41.2347      # us, +- 2.2 %, the long way: a row, whatever its length
long_element_us = 1.29591e-05  # us, +- 7.8 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 1024
n_high = 4194304
k_low = 16
k_high = 131072
m_low = 1
m_high = 1024
elements_high = 268435456
exact_count = 82
median_error = 0.03722994176
p95_error = 0.147996105
worst_error = 0.1894539985
held_out_median_error = 0.04252165757
held_out_p95_error = 0.2757104869
held_out_exact_p05_ratio = 0.8439908343
held_out_exact_p95_ratio = 1.11431034
held_out_k_median_error = 0.03802838781
held_out_k_p95_error = 0.1506192633
