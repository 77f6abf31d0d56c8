# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = H200
source = Measured by recallmodel-bench on one NVIDIA H200 on 2026-11-26, sources d0f8706d
bandwidth_bytes_per_s = 4.8e+12
vector_rate_per_s = 1.672704e+13
fma_rate_per_s = 6.7e+13
matrix_rate_per_s = 9.894e+14
memory_bytes = 1.41e+11
multiprocessors = 132

kernel = ours
dtype = f16
date = 2026-11-26
runs = 314 rows of h200/calibrate, 26 contiguous of h200-2026-11-26-targets.csv

# fitted; after each value its unit, its standard error and its meaning
launch_us = 2.85248      # us, +- 20 %, a kernel's or a call's start and end
block_us = 0.000375885  # us, +- 2.7e+02 %, from one thread block's start to the next
blocks_at_once = 2732.69      # blocks, thread blocks that the device holds; more run in waves
element_us_1 = 0.0279176    # us, +- 26 %, one element of one thread, in cache, k_b = 1
element_us_2 = 0.0503119    # us, +- 14 %, one element of one thread, in cache, k_b = 2
element_us_3 = 0.0516902    # us, not by these runs: of another card, one element of one thread, in cache, k_b = 3
element_us_4 = 0.0482046    # us, +- 12 %, one element of one thread, in cache, k_b = 4
element_us_8 = 0.0471869    # us, +- 10 %, one element of one thread, in cache, k_b = 8
element_us_16 = 0.0536069    # us, +- 8.2 %, one element of one thread, in cache, k_b = 16
insert_us = 0.0432643    # us, not by these runs: of another card, an insertion of a warp, for each of k_b; of a CPU, for each pair of k_b
memory_ratio = 1.16676      # +- 7.8 %, an element's time from memory over that from cache
cache_bytes = 1.05142e+06  # bytes, +- 1.6e+02 %, bytes of all rows at which half come from memory
roof_bytes_per_s = 1.0888e+13   # bytes/s, +- 60 %, the memory roof
lines_per_us = 31047.6      # lines/us, +- 6.8 %, lines of 128 bytes that all warps can ask for
merge_us = 0.374325     # us, +- 9.3 %, merging the queues of a block, for each of k_b + 3
select_launch_us = 5.04254      # us, +- 17 %, stage 2, one block or core a row: its start and end
select_element_us = 0.000457024  # us, +- 10 %, stage 2, one block a row: each candidate of a row
select_batch_us = 0.000589716  # us, +- 17 %, stage 2, one block a row: each candidate, more as rows share the device
split_launch_us = 37.1779      # us, not by these runs: of another card, stage 2, several blocks a row: its start and end
split_block_us = 0.0845128    # us, not by these runs: of another card, stage 2, several blocks a row: each block of a row
split_element_us = 9.18693e-06  # us, not by these runs: of another card, stage 2, several blocks a row: each candidate of all rows
contiguous_ratio = 1.34693      # +- 5.9 %, stage 1 but its start: contiguous over interleaved buckets

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 1024
n_high = 4194304
k_low = 16
k_high = 4096
b_low = 1
b_high = 65536
k_b_low = 1
k_b_high = 16
m_low = 1
m_high = 1024
candidates_low = 16
candidates_high = 65536
run_count = 314
median_error = 0.0896719392
p95_error = 0.3877692521
worst_error = 0.9116104508
held_out_median_error = 0.1098633566
held_out_p95_error = 0.4981997767
held_out_p05_ratio = 0.6674681532
held_out_p95_ratio = 1.379648017
contiguous_count = 26
contiguous_p05_ratio = 0.6865631487
contiguous_p95_ratio = 1.470252293
l2_bytes = 6.291456e+07
