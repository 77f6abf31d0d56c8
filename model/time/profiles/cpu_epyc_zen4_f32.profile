# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = cpu-epyc-zen4
source = measured by recallmodel bench on a busy machine; to be measured again

kernel = cpu
dtype = f32
date = 2026-11-22
runs = 657 rows of cpu-epyc-zen4.csv

# fitted; after each value its unit, its standard error and its meaning
launch_us = 0.53807      # us, +- 22 %, a kernel's start and end
element_us_1 = 4.57341e-05  # us, +- 4.7 %, one element of one thread, in cache, k_b = 1
element_us_2 = 9.00042e-05  # us, +- 3 %, one element of one thread, in cache, k_b = 2
element_us_4 = 8.32165e-05  # us, +- 3.9 %, one element of one thread, in cache, k_b = 4
element_us_8 = 0.000141169  # us, +- 7.2 %, one element of one thread, in cache, k_b = 8
insert_us = 0.0206153    # us, +- 7 %, a warp's insertion, for each of k_b
cache_bytes = 2.32611e+07  # bytes, +- 5.5 %, bytes of all rows at which half come from memory
roof_bytes_per_s = 1.14477e+10  # bytes/s, +- 4.7 %, the memory roof
select_launch_us = 1.92968      # us, +- 8.9 %, stage 2, one block a row: its start and end
keep_us = 0.000851579  # us, +- 7.3 %, stage 1, k_b up to 2: each candidate
resolve_us = 0.00774606   # us, +- 6.3 %, stage 1, k_b > 2: each candidate
plain_us = 0.00111226   # us, +- 3.5 %, stage 1 without vectors: each element
group_us = 0.00377056   # us, +- 8.8 %, exact top-k: each group of neighbours
wanted_us = 0.00472753   # us, +- 24 %, exact top-k: each of the k wanted
radix_us = 0.00642491   # us, +- 3.5 %, exact top-k of a row too short for groups: each element

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 4096
n_high = 16777216
k_low = 16
k_high = 65536
b_low = 2
b_high = 1827074
k_b_low = 1
k_b_high = 8
m_low = 1
m_high = 256
run_count = 598
exact_count = 59
median_error = 0.131784344
p95_error = 0.4877999349
worst_error = 1.022110915
held_out_median_error = 0.1406489002
held_out_p95_error = 0.6500754767
held_out_p05_ratio = 0.6392433708
held_out_p95_ratio = 1.567580301
held_out_exact_p05_ratio = 0.5797196083
held_out_exact_p95_ratio = 1.750139053
