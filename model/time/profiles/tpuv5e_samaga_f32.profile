# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = TPUv5e
source = Samaga et al. 2025, Table 2 (arXiv 2506.04165v3), as printed
bandwidth_bytes_per_s = 8.19e+11
vector_rate_per_s = 6.14e+12
fma_rate_per_s = 6.14e+12
matrix_rate_per_s = 1.97e+14
memory_bytes = 1.6e+10
on_chip_bytes = 134217728

kernel = samaga
dtype = f32
date = 2026-11-23
runs = 17 rows of samaga/table-2, kernel samaga

# fitted; after each value its unit, its standard error and its meaning
roof_bytes_per_s = 8.69172e+11  # bytes/s, +- 15 %, the memory roof
select_batch_us = 0.000527447  # us, +- 6 %, stage 2, one block a row: each candidate, more as rows share the device
operations_per_s = 5.68503e+12  # 1/s, +- 7.3 %, vector operations of stage 1, 5 k_b - 2 an element

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 262144
n_high = 262144
k_low = 1024
k_high = 1024
b_low = 128
b_high = 65536
k_b_low = 1
k_b_high = 16
m_low = 8
m_high = 8
candidates_low = 1536
candidates_high = 65536
run_count = 17
median_error = 0.04672470861
p95_error = 0.1499863672
worst_error = 0.2377384347
