# Written by recallmodel 0.1.0. What each number means: docs/models.md 14.
name = H100-PCIe
source = data published by Key et al. 2024 (github.com/graphcore-research/pytorch-approx-topk, c09e8c2): their kernel, torch.topk as stage 2, CUDA graphs of 16 calls
bandwidth_bytes_per_s = 2.04e+12
vector_rate_per_s = 1.280448e+13
fma_rate_per_s = 5.12e+13
matrix_rate_per_s = 7.56e+14

kernel = graphcore
dtype = f16
date = 2026-11-25
runs = 1932 rows of keyetal/two-stage, 140 of keyetal/exact

# fitted; after each value its unit, its standard error and its meaning
launch_us = 2.19516      # us, +- 1.8 %, a kernel's or a call's start and end
block_us = 0.000648151  # us, +- 1.7 %, from one thread block's start to the next
blocks_at_once = 3469.57      # blocks, thread blocks that the device holds; more run in waves
element_us_1 = 0.0502285    # us, +- 1.6 %, one element of one thread, in cache, k_b = 1
element_us_2 = 0.0538515    # us, +- 1.8 %, one element of one thread, in cache, k_b = 2
element_us_3 = 0.0516902    # us, +- 2.1 %, one element of one thread, in cache, k_b = 3
element_us_4 = 0.168815     # us, +- 1.8 %, one element of one thread, in cache, k_b = 4
insert_us = 0.0432643    # us, +- 2.3 %, an insertion of a warp, for each of k_b, or of a CPU without vectors
memory_ratio = 2.44816      # +- 1.6 %, an element's time from memory over that from cache
cache_bytes = 1.50191e+06  # bytes, +- 2.9 %, bytes of all rows at which half come from memory
roof_bytes_per_s = 1.69347e+12  # bytes/s, +- 1.3 %, the memory roof
lines_per_us = 134266       # lines/us, +- 1.9 %, lines of 128 bytes that all warps can ask for
merge_us = 0.539145     # us, +- 1.5 %, merging the queues of a block, for each of k_b + 3
select_launch_us = 5.87916      # us, +- 1.4 %, stage 2, one block or core a row: its start and end
select_element_us = 0.00358534   # us, +- 1.1 %, stage 2, one block a row: each candidate of a row
select_batch_us = 0.00302449   # us, +- 2.2 %, stage 2, one block a row: each candidate, more as rows share the device
split_launch_us = 37.1779      # us, +- 0.97 %, stage 2, several blocks a row: its start and end
split_block_us = 0.0845128    # us, +- 2 %, stage 2, several blocks a row: each block of a row
split_element_us = 1.06375e-05  # us, +- 0.98 %, stage 2, several blocks a row: each candidate of all rows

# the ranges of the runs, and |predicted/measured - 1|; held out: sizes n that a fit to the others did not see
n_low = 1024
n_high = 4194304
k_low = 1
k_high = 1048576
b_low = 1
b_high = 2097152
k_b_low = 1
k_b_high = 4
m_low = 1
m_high = 256
candidates_low = 1
candidates_high = 2097152
run_count = 1932
exact_count = 140
median_error = 0.03468316724
p95_error = 0.1383144676
worst_error = 0.3424755344
held_out_median_error = 0.0379515413
held_out_p95_error = 0.158704313
held_out_p05_ratio = 0.8976356431
held_out_p95_ratio = 1.112079296
held_out_exact_p05_ratio = 0.845000702
held_out_exact_p95_ratio = 1.21065529
