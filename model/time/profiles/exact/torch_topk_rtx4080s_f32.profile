# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = torch_topk_rtx4080s_f32
source = torch.topk on an Intel Arc B580 and an RTX 4080 SUPER (xpu-ops/exact); median; with launch
bandwidth_bytes_per_s = 7.36e+11
vector_rate_per_s = 1.3056e+13
fma_rate_per_s = 5.22e+13
memory_bytes = 1.6e+10
on_chip_bytes = 67108864
multiprocessors = 80

kernel = torch-topk
dtype = f32
date = 2026-11-24
runs = 105 rows of xpu-ops/exact, kernel torch.topk
card = RTX-4080-SUPER

# fitted; after each value its unit, its standard error and its meaning
launch_us = 14.9664      # us, +- 2.3 %, a kernel's or a call's start and end
roof_bytes_per_s = 1.42836e+11  # bytes/s, +- 3.1 %, the memory roof
row_element_us = 0.00337058   # us, +- 7.1 %, exact top-k alone: each element of a row
rows_at_once = 50.4459      # rows, +- 9.9 %, rows that the device holds; more wait in waves
long_us = 41.2383      # us, +- 4.6 %, the long way: a row, whatever its length

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 128
n_high = 131073
k_low = 4
k_high = 16
m_low = 1
m_high = 2048
elements_high = 268437504
exact_count = 105
median_error = 0.07676963301
p95_error = 0.3073488678
worst_error = 0.4541455434
held_out_median_error = 0.1252000842
held_out_p95_error = 0.5178790338
held_out_exact_p05_ratio = 0.6588161359
held_out_exact_p95_ratio = 1.186799981
held_out_k_median_error = 0.07523942658
held_out_k_p95_error = 0.3070534047
