# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = torch_topk_b580
source = torch.topk on an Intel Arc B580 and an RTX 4080 SUPER (xpu-ops/exact); median; with launch
bandwidth_bytes_per_s = 4.56e+11
fma_rate_per_s = 1.367e+13
memory_bytes = 1.2e+10
on_chip_bytes = 18874368

kernel = torch-topk
dtype = f32
date = 2026-11-24
runs = 105 rows of xpu-ops/exact, kernel torch.topk (parts 1 and 2)
card = Arc-B580

# fitted; after each value its unit, its standard error and its meaning
launch_us = 32.2928      # us, +- 4 %, a kernel's or a call's start and end
roof_bytes_per_s = 1.7695e+11   # bytes/s, +- 6.4 %, the memory roof
row_us = 1.79124      # us, +- 58 %, exact top-k alone: a row, whatever its length
row_element_us = 0.00251723   # us, +- 20 %, exact top-k alone: each element of a row
rows_at_once = 29.8226      # rows, +- 48 %, rows that the device holds; more wait in waves
long_us = 38.5728      # us, +- 19 %, the long way: a row, whatever its length
long_element_us = 0.000864801  # us, +- 13 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 128
n_high = 131073
k_low = 4
k_high = 16
m_low = 1
m_high = 2048
elements_high = 268437504
exact_count = 105
median_error = 0.06213153007
p95_error = 0.5785512494
worst_error = 0.8913877843
held_out_median_error = 0.1163728039
held_out_p95_error = 0.7236239999
held_out_exact_p05_ratio = 0.5801729785
held_out_exact_p95_ratio = 2.10267997
held_out_k_median_error = 0.08958039066
held_out_k_p95_error = 0.5763458751
