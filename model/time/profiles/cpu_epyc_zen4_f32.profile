# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = cpu-epyc-zen4
source = measured by recallmodel bench: runs/cpu-epyc-zen4

kernel = cpu
dtype = f32
date = 2026-11-22
runs = 752 rows of cpu-epyc-zen4.csv
card = AMD EPYC, family 25, model 17

# fitted; after each value its unit, its standard error and its meaning
launch_us = 0.229524     # us, +- 16 %, a kernel's or a call's start and end
element_us_1 = 5.42016e-05  # us, +- 3.2 %, one element of one thread, in cache, k_b = 1
element_us_2 = 8.8454e-05   # us, +- 4.5 %, one element of one thread, in cache, k_b = 2
element_us_4 = 0.000237552  # us, +- 4.6 %, one element of one thread, in cache, k_b = 4
element_us_8 = 0.000512166  # us, +- 6.4 %, one element of one thread, in cache, k_b = 8
insert_us = 0.00833634   # us, +- 35 %, an insertion of a warp, for each of k_b, or of a CPU without vectors
cache_bytes = 2.81036e+07  # bytes, +- 4.9 %, bytes of all rows at which half come from memory
roof_bytes_per_s = 1.64616e+10  # bytes/s, +- 3.7 %, the memory roof
select_launch_us = 1.75453      # us, +- 6.6 %, stage 2, one block or core a row: its start and end
keep_us = 0.000705586  # us, +- 4.7 %, a CPU, stage 1: each candidate
scan_us = 6.31466e-05  # us, +- 2.8 %, a CPU, stage 1 by blocks: each element
offer_us = 7.10212e-05  # us, +- 13 %, a CPU, stage 1 by blocks: the best of a block, for each of k_b
resolve_us = 0.00178447   # us, +- 17 %, a CPU, stage 1 by blocks: each element looked at again
split_ratio = 1.08683      # +- 2 %, a CPU, stage 1: time if b elements are not whole lines of the cache
narrow_ratio = 1.52518      # +- 4.6 %, a CPU, stage 1: memory's time if b elements are less than a page
plain_us = 0.00104821   # us, +- 3.4 %, a CPU, stage 1 without vectors: each element
group_us = 0.000474096  # us, +- 49 %, a CPU, exact top-k: each group of neighbours
sample_us = 2.56791      # us, +- 20 %, a CPU, exact top-k: the threshold of more than 512 groups
wanted_us = 0.0187166    # us, +- 9 %, a CPU, exact top-k: each of the k wanted
dense_us = 0.000320781  # us, +- 15 %, a CPU, exact top-k of a row too short for groups: each element
collect_us = 0.00621277   # us, +- 7.2 %, a CPU, the same: each of the k wanted
thread_us = 13.8544      # us, +- 9.9 %, the start of a thread

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
candidates_low = 16
candidates_high = 1827074
run_count = 681
exact_count = 71
median_error = 0.1190343212
p95_error = 0.3698169909
worst_error = 0.688616673
held_out_median_error = 0.1428078187
held_out_p95_error = 0.521583009
held_out_p05_ratio = 0.6548009786
held_out_p95_ratio = 1.510850995
held_out_exact_p05_ratio = 0.7023535273
held_out_exact_p95_ratio = 1.478141588
