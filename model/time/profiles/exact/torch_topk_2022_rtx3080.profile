# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = torch_topk_2022_rtx3080
source = torch.topk of January 2022 on an RTX 3080 (torch-2022/exact); median; with launch
bandwidth_bytes_per_s = 7.6e+11
vector_rate_per_s = 7.44192e+12
fma_rate_per_s = 2.98e+13
memory_bytes = 1e+10
on_chip_bytes = 5.24288e+06
multiprocessors = 68

kernel = exact-once
dtype = f32
date = 2026-11-24
runs = 264 rows of torch-2022/exact, kernel torch.topk
card = RTX-3080

# fitted; after each value its unit, its standard error and its meaning
launch_us = 6.29022      # us, +- 4 %, a kernel's or a call's start and end
roof_bytes_per_s = 7.68639e+10  # bytes/s, +- 1.2 %, the memory roof
row_us = 0.31523      # us, +- 22 %, exact top-k alone: a row, whatever its length
row_element_us = 0.00562117   # us, +- 13 %, exact top-k alone: each element of a row
rows_at_once = 70.7621      # rows, +- 13 %, rows that the device holds; more wait in waves
long_n = 1732         # elements, a row of so many elements goes the long way
long_us = 12.4142      # us, +- 6.7 %, the long way: a row, whatever its length
long_element_us = 0.00194344   # us, +- 4.1 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 100
n_high = 500000
k_low = 50
k_high = 2000
m_low = 1
m_high = 500000
elements_high = 1e+09
exact_count = 264
median_error = 0.0737780701
p95_error = 0.270765382
worst_error = 0.7090705231
held_out_median_error = 0.08717207291
held_out_p95_error = 0.2953001565
held_out_exact_p05_ratio = 0.7856747724
held_out_exact_p95_ratio = 1.220760972
held_out_k_median_error = 0.2717864814
held_out_k_p95_error = 0.7491195749
