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
dtype = f32
date = 2026-11-26
runs = 313 rows of h200/calibrate, 26 contiguous of h200-2026-11-26-targets.csv

# fitted; after each value its unit, its standard error and its meaning
launch_us = 4.16393      # us, +- 11 %, a kernel's or a call's start and end
block_us = 0.000307052  # us, +- 1.9e+02 %, from one thread block's start to the next
blocks_at_once = 4112.74      # blocks, thread blocks that the device holds; more run in waves
element_us_1 = 0.0205003    # us, +- 20 %, one element of one thread, in cache, k_b = 1
element_us_2 = 0.0364971    # us, +- 22 %, one element of one thread, in cache, k_b = 2
element_us_3 = 0.0516902    # us, not by these runs: of another card, one element of one thread, in cache, k_b = 3
element_us_4 = 0.0475772    # us, +- 17 %, one element of one thread, in cache, k_b = 4
element_us_8 = 0.0651487    # us, +- 16 %, one element of one thread, in cache, k_b = 8
element_us_16 = 0.0723233    # us, +- 13 %, one element of one thread, in cache, k_b = 16
insert_us = 0.0432643    # us, not by these runs: of another card, an insertion of a warp, for each of k_b; of a CPU, for each pair of k_b
memory_ratio = 1.72009      # +- 13 %, an element's time from memory over that from cache
cache_bytes = 929745       # bytes, +- 59 %, bytes of all rows at which half come from memory
roof_bytes_per_s = 1.26332e+13  # bytes/s, +- 64 %, the memory roof
lines_per_us = 28876.4      # lines/us, +- 3.6 %, lines of 128 bytes that all warps can ask for
merge_us = 0.346063     # us, +- 11 %, merging the queues of a block, for each of k_b + 3
select_launch_us = 4.06671      # us, +- 19 %, stage 2, one block or core a row: its start and end
select_element_us = 0.000842268  # us, +- 8.6 %, stage 2, one block a row: each candidate of a row
select_batch_us = 0.000946352  # us, +- 17 %, stage 2, one block a row: each candidate, more as rows share the device
split_launch_us = 37.1779      # us, not by these runs: of another card, stage 2, several blocks a row: its start and end
split_block_us = 0.0845128    # us, not by these runs: of another card, stage 2, several blocks a row: each block of a row
split_element_us = 1.83739e-05  # us, not by these runs: of another card, stage 2, several blocks a row: each candidate of all rows
contiguous_ratio = 1.12588      # +- 5.9 %, stage 1 but its start: contiguous over interleaved buckets

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 1024
n_high = 4194304
k_low = 16
k_high = 4096
b_low = 1
b_high = 262144
k_b_low = 1
k_b_high = 16
m_low = 1
m_high = 1024
candidates_low = 16
candidates_high = 262144
run_count = 313
median_error = 0.09175143028
p95_error = 0.3647463701
worst_error = 1.329005636
held_out_median_error = 0.1073076617
held_out_p95_error = 0.4512300371
held_out_p05_ratio = 0.7058104093
held_out_p95_ratio = 1.437173148
contiguous_count = 26
contiguous_p05_ratio = 0.7627960553
contiguous_p95_ratio = 2.240114059
l2_bytes = 6.291456e+07
