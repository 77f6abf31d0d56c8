# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = recallmodel_h200_f32
source = Measured by recallmodel-bench on one NVIDIA H200 on 2026-11-26, sources d0f8706d (h200/exact); median; cold cache; without launch
bandwidth_bytes_per_s = 4.8e+12
vector_rate_per_s = 1.672704e+13
fma_rate_per_s = 6.7e+13
matrix_rate_per_s = 9.894e+14
memory_bytes = 1.41e+11
multiprocessors = 132

kernel = exact-once
dtype = f32
date = 2026-11-26
runs = 79 rows of h200/exact, kernel radix
card = H200

# fitted; after each value its unit, its standard error and its meaning
roof_bytes_per_s = 4.01077e+12  # bytes/s, +- 3.9 %, the memory roof
row_us = 10.4821      # us, +- 5.3 %, exact top-k alone: a row, whatever its length
row_element_us = 0.000434073  # us, +- 15 %, exact top-k alone: each element of a row
rows_at_once = 383.134      # rows, +- 7.6 %, rows that the device holds; more wait in waves
long_n = 32768        # elements, a row of so many elements goes the long way
long_us = 21.2091      # us, +- 3.9 %, the long way: a row, whatever its length
long_element_us = 1.24309e-05  # us, +- 8.5 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 1024
n_high = 4194304
k_low = 16
k_high = 4096
m_low = 1
m_high = 1024
elements_high = 268435456
exact_count = 79
median_error = 0.09680100366
p95_error = 0.268314949
worst_error = 0.4721530588
held_out_median_error = 0.1238633746
held_out_p95_error = 0.2720755662
held_out_exact_p05_ratio = 0.7997572555
held_out_exact_p95_ratio = 1.267981788
held_out_k_median_error = 0.1331900542
held_out_k_p95_error = 0.2996877409
l2_bytes = 6.291456e+07
