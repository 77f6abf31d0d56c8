# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = deepselect_b300
source = Exact top-k on a B300: DeepSelect and torch.topk (deepselect/exact-b300); mean; cold cache; without launch
bandwidth_bytes_per_s = 8e+12
vector_rate_per_s = 3.75e+13
fma_rate_per_s = 7.5e+13
matrix_rate_per_s = 2.25e+15
memory_bytes = 2.88e+11
multiprocessors = 148

kernel = exact-once
dtype = bf16
date = 2026-11-24
runs = 60 rows of deepselect/exact-b300, kernel DeepSelect
card = B300

# fitted; after each value its unit, its standard error and its meaning
launch_us = 2.56687      # us, +- 13 %, a kernel's or a call's start and end
roof_bytes_per_s = 4.74379e+12  # bytes/s, +- 3.4 %, the memory roof
row_us = 1.50955      # us, +- 14 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000113073  # us, +- 7.7 %, exact top-k alone: each element of a row
rows_at_once = 163.345      # rows, +- 9.2 %, rows that the device holds; more wait in waves
long_n = 185364       # elements, a row of so many elements goes the long way
long_us = 18.2846      # us, +- 7 %, the long way: a row, whatever its length

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 1024
n_high = 1048576
k_low = 512
k_high = 1024
m_low = 6
m_high = 4096
elements_high = 4294967296
exact_count = 60
median_error = 0.0793837764
p95_error = 0.2098060902
worst_error = 0.3322087949
held_out_median_error = 0.1410191305
held_out_p95_error = 0.3865512575
held_out_exact_p05_ratio = 0.7538868073
held_out_exact_p95_ratio = 1.444190267
held_out_k_median_error = 0.07861996739
held_out_k_p95_error = 0.304489999
