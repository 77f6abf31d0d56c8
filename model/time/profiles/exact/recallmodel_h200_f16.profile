# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = recallmodel_h200_f16
source = Measured by recallmodel-bench on one NVIDIA H200 on 2026-11-26, sources d0f8706d (h200/exact); median; cold cache; without launch
bandwidth_bytes_per_s = 4.8e+12
vector_rate_per_s = 1.672704e+13
fma_rate_per_s = 6.7e+13
matrix_rate_per_s = 9.894e+14
memory_bytes = 1.41e+11
multiprocessors = 132

kernel = exact-once
dtype = f16
date = 2026-11-26
runs = 79 rows of h200/exact, kernel radix
card = H200

# fitted; after each value its unit, its standard error and its meaning
launch_us = 9.63956      # us, +- 7 %, a kernel's or a call's start and end
roof_bytes_per_s = 2.69426e+12  # bytes/s, +- 3.8 %, the memory roof
row_us = 1.5853       # us, +- 27 %, exact top-k alone: a row, whatever its length
row_element_us = 9.75966e-05  # us, +- 13 %, exact top-k alone: each element of a row
rows_at_once = 106.105      # rows, +- 17 %, rows that the device holds; more wait in waves
long_n = 92682        # elements, a row of so many elements goes the long way
long_us = 7.02801      # us, +- 13 %, the long way: a row, whatever its length
long_element_us = 1.11434e-05  # us, +- 6.6 %, the long way: each element of a row

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 1024
n_high = 4194304
k_low = 16
k_high = 4096
m_low = 1
m_high = 1024
elements_high = 268435456
exact_count = 79
median_error = 0.05287717478
p95_error = 0.2523857529
worst_error = 0.3273325138
held_out_median_error = 0.08351602741
held_out_p95_error = 0.2751804676
held_out_exact_p05_ratio = 0.8356821881
held_out_exact_p95_ratio = 1.337812425
held_out_k_median_error = 0.0813084424
held_out_k_p95_error = 0.2964818274
l2_bytes = 6.291456e+07
