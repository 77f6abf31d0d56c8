# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = cpu-epyc-zen4
source = measured by recallmodel bench: runs/cpu-epyc-zen4

kernel = cpu
dtype = f32
date = 2026-11-26
runs = 716 rows of cpu-epyc-zen4.csv, 22 contiguous of cpu-epyc-zen4/cpu-small
card = AMD EPYC, family 25, model 17

# fitted; after each value its unit, its standard error and its meaning
launch_us = 0.231398     # us, +- 17 %, a kernel's or a call's start and end
insert_us = 3.6224e-05   # us, +- 6.1 %, an insertion of a warp, for each of k_b; of a CPU, for each pair of k_b
roof_bytes_per_s = 2.25439e+10  # bytes/s, +- 3.2 %, the memory roof
select_launch_us = 1.75804      # us, +- 5.9 %, stage 2, one block or core a row: its start and end
l3_bytes_per_s = 1.27518e+11  # bytes/s, +- 7.1 %, a CPU: the rate of the last cache
keep_us = 0.000729087  # us, +- 4 %, a CPU, stage 1: each candidate
scan_us = 4.35575e-05  # us, +- 3.2 %, a CPU: each element, of which the best of a lane is kept
offer_us = 7.78365e-05  # us, +- 7.1 %, a CPU, stage 1 by blocks: the best of a block, for each of k_b
sort_us = 6.59099e-05  # us, +- 5.3 %, a CPU, stage 1 by columns: an exchange, for each element
single_ratio = 1.22934      # +- 2.9 %, a CPU, stage 1: time of a vector that goes by alone
resolve_us = 0.00131364   # us, +- 22 %, a CPU, stage 1 by blocks: each element looked at again
split_ratio = 1.08326      # +- 1.7 %, a CPU, stage 1: time if b elements are not whole lines of the cache
narrow_ratio = 1.83128      # +- 4.7 %, a CPU, stage 1: memory's time if b elements are a few lines
wanted_us = 0.0214114    # us, +- 5.9 %, a CPU, exact top-k: each of the k wanted
dense_us = 0.000317928  # us, +- 14 %, a CPU, exact top-k of a row too short for groups: each element
collect_us = 0.00607906   # us, +- 6.5 %, a CPU, the same: each of the k wanted
thread_us = 11.5198      # us, +- 11 %, the start of a thread
contiguous_us = 1.56738e-05  # us, +- 45 %, a CPU, contiguous buckets: an element, more than interleaved
contiguous_bucket_us = 0.0051565    # us, +- 14 %, a CPU, contiguous buckets: a bucket

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 4096
n_high = 16777216
k_low = 16
k_high = 65536
b_low = 16
b_high = 1827074
k_b_low = 1
k_b_high = 8
m_low = 1
m_high = 256
candidates_low = 32
candidates_high = 1827074
run_count = 645
exact_count = 71
median_error = 0.1003244449
p95_error = 0.3322619428
worst_error = 0.8420692107
held_out_median_error = 0.1117296047
held_out_p95_error = 0.3565205534
held_out_p05_ratio = 0.7675216138
held_out_p95_ratio = 1.456128219
held_out_exact_p05_ratio = 0.8111865219
held_out_exact_p95_ratio = 1.503533679
contiguous_count = 22
contiguous_p05_ratio = 0.8463110996
contiguous_p95_ratio = 2.02430928
l2_bytes = 1048576
l3_bytes = 33554432
