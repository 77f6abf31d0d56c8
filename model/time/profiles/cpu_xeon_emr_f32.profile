# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = cpu-xeon-emr
source = measured by recallmodel bench: runs/cpu-xeon-emr

kernel = cpu
dtype = f32
date = 2026-11-28
runs = 778 rows of cpu-xeon-emr.csv, 22 contiguous of cpu-xeon-emr.csv
card = Intel(R) Xeon(R) Processor, family 6, model 207

# fitted; after each value its unit, its standard error and its meaning
launch_us = 0.419108     # us, +- 9.1 %, a kernel's or a call's start and end
insert_us = 4.83999e-05  # us, +- 4.2 %, an insertion of a warp, for each of k_b; of a CPU, for each pair of k_b
roof_bytes_per_s = 4.44325e+10  # bytes/s, +- 10 %, the memory roof
select_launch_us = 0.328092     # us, +- 19 %, stage 2, one block or core a row: its start and end
l3_bytes_per_s = 3.06135e+10  # bytes/s, +- 2.2 %, a CPU: the rate of the last cache
keep_us = 0.00099814   # us, +- 2.7 %, a CPU, stage 1: each candidate
scan_us = 5.07461e-05  # us, +- 2.9 %, a CPU: each element, of which the best of a lane is kept
offer_us = 6.79979e-05  # us, +- 6.6 %, a CPU, stage 1 by blocks: the best of a block, for each of k_b
sort_us = 5.59281e-05  # us, +- 2.7 %, a CPU, stage 1 by columns: an exchange, for each element
single_ratio = 1.56379      # +- 2.9 %, a CPU, stage 1: time of a vector that goes by alone
resolve_us = 0.00229687   # us, +- 11 %, a CPU, stage 1 by blocks: each element looked at again
split_ratio = 1.1033       # +- 1.3 %, a CPU, stage 1: time if b elements are not whole lines of the cache
narrow_ratio = 1.11191      # +- 2.9 %, a CPU, stage 1: memory's time if b elements are a few lines
wanted_us = 0.0278502    # us, +- 5.5 %, a CPU, exact top-k: each of the k wanted
dense_us = 0.000201254  # us, +- 10 %, a CPU, exact top-k of a row too short for groups: each element
collect_us = 0.00169939   # us, +- 14 %, a CPU, the same: each of the k wanted
contiguous_us = 2.31391e-07  # us, +- 1.8e+03 %, a CPU, contiguous buckets: an element, more than interleaved
contiguous_bucket_us = 0.00575969   # us, +- 15 %, a CPU, contiguous buckets: a bucket

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 4096
n_high = 16777216
k_low = 16
k_high = 65536
b_low = 1
b_high = 1827074
k_b_low = 1
k_b_high = 16
m_low = 1
m_high = 256
candidates_low = 16
candidates_high = 1827074
run_count = 715
exact_count = 63
median_error = 0.0856438027
p95_error = 0.2834406492
worst_error = 0.6374625721
held_out_median_error = 0.1064855989
held_out_p95_error = 0.3473071786
held_out_p05_ratio = 0.7990410896
held_out_p95_ratio = 1.444589528
held_out_exact_p05_ratio = 0.793090268
held_out_exact_p95_ratio = 1.593672232
contiguous_count = 22
contiguous_p05_ratio = 0.6201203647
contiguous_p95_ratio = 1.647330146
l2_bytes = 2097152
l3_bytes = 67108864
