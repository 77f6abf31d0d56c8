# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = V100S
source = data published by Gaihre et al. 2021 (github.com/Anil-Gaihre/DrTopKSC, 2b8ed1e160): a warp a bucket, uint32 keys, a radix select as stage 2, timed by a host clock
bandwidth_bytes_per_s = 1.134e+12
vector_rate_per_s = 8.17664e+12
fma_rate_per_s = 1.64e+13
memory_bytes = 3.2e+10

kernel = drtopk
dtype = f32
date = 2026-11-25
runs = 1119 rows of two-stage.csv

# fitted; after each value its unit, its standard error and its meaning
launch_us = 24.8014      # us, +- 7.7 %, a kernel's or a call's start and end
block_us = 0.000220028  # us, +- 1.7 %, from one thread block's start to the next
blocks_at_once = 3987.23      # blocks, thread blocks that the device holds; more run in waves
element_us_1 = 0.0542057    # us, +- 3e+02 %, one element of one thread, in cache, k_b = 1
insert_us = 0.0898188    # us, +- 25 %, an insertion of a warp, for each of k_b, or of a CPU without vectors
memory_ratio = 2.16668       # +- 3e+02 %, an element's time from memory over that from cache
cache_bytes = 1.4739e+06   # bytes, +- 4.3e+02 %, bytes of all rows at which half come from memory
roof_bytes_per_s = 1.02669e+12  # bytes/s, +- 0.45 %, the memory roof
lines_per_us = 185094       # lines/us, +- 4.3e+02 %, lines of 128 bytes that all warps can ask for
merge_us = 0.0198352    # us, +- 4.4 %, merging the queues of a block, for each of k_b + 3
select_launch_us = 115.846      # us, +- 5.4 %, stage 2, one block or core a row: its start and end
select_element_us = 0.000168819  # us, +- 0.9 %, stage 2, one block a row: each candidate of a row
select_batch_us = 0.00102802   # us, +- 4.3e+02 %, stage 2, one block a row: each candidate, more as rows share the device

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 33554432
n_high = 1073741824
k_low = 1
k_high = 33554432
b_low = 4096
b_high = 134217728
k_b_low = 1
k_b_high = 1
m_low = 1
m_high = 1
candidates_low = 4096
candidates_high = 134217728
run_count = 2238
median_error = 0.01265435707
p95_error = 0.07689542831
worst_error = 0.4063203411
held_out_median_error = 0.01667910626
held_out_p95_error = 0.1412487077
held_out_p05_ratio = 0.9407436235
held_out_p95_ratio = 1.124549616
