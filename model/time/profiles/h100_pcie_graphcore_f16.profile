# Written by recallmodel calibrate 0.1.0. What each number means: docs/models.md 14.
name = H100-PCIe
source = data published by Key et al. 2024 (github.com/graphcore-research/pytorch-approx-topk, c09e8c2): their kernel, torch.topk as stage 2, CUDA graphs of 16 calls
bandwidth_bytes_per_s = 2.04e+12
vector_rate_per_s = 1.280448e+13
fma_rate_per_s = 5.12e+13
matrix_rate_per_s = 7.56e+14

kernel = graphcore
dtype = f16
date = 2026-11-21
runs = 1932 rows of h100_pcie_bucketed.csv, 140 of h100_pcie_torch_topk.csv

# fitted; after each value its unit, its standard error and its meaning
launch_us = 2.18182      # us, +- 1.9 %, a kernel's start and end
block_us = 0.000649262  # us, +- 1.9 %, from one thread block's start to the next
blocks_at_once = 3469.97      # blocks, thread blocks that the device holds; more run in waves
element_us_1 = 0.0496866    # us, +- 1.8 %, one element of one thread, in cache, k_b = 1
element_us_2 = 0.0533538    # us, +- 1.9 %, one element of one thread, in cache, k_b = 2
element_us_3 = 0.051151     # us, +- 2.3 %, one element of one thread, in cache, k_b = 3
element_us_4 = 0.16756      # us, +- 2 %, one element of one thread, in cache, k_b = 4
insert_us = 0.0431196    # us, +- 2.6 %, a warp's insertion, for each of k_b
memory_ratio = 2.47112      # +- 1.8 %, an element's time from memory over that from cache
cache_bytes = 1.50952e+06  # bytes, +- 3.1 %, bytes of all rows at which half come from memory
roof_bytes_per_s = 1.71163e+12  # bytes/s, +- 1.5 %, the memory roof
lines_per_us = 127199       # lines/us, +- 2 %, lines of 128 bytes that all warps can ask for
merge_us = 0.522846     # us, +- 1.6 %, merging the queues of a block, for each of k_b + 3
select_launch_us = 6.57342      # us, +- 1.3 %, stage 2, one block a row: its start and end
select_element_us = 0.00393963   # us, +- 1 %, stage 2, one block a row: each candidate of a row
select_batch_us = 8.98446e-05  # us, +- 1.8 %, stage 2, one block a row: each candidate of all rows
split_launch_us = 37.2366      # us, +- 1 %, stage 2, several blocks a row: its start and end
split_block_us = 0.0844043    # us, +- 2.1 %, stage 2, several blocks a row: each block of a row
split_element_us = 1.06609e-05  # us, +- 1.1 %, stage 2, several blocks a row: each candidate of all rows

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
median_error = 0.04004017021
p95_error = 0.1424786011
worst_error = 0.4390950529
held_out_median_error = 0.04343997407
held_out_p95_error = 0.1663846664
held_out_p05_ratio = 0.8800076828
held_out_p95_ratio = 1.116650726
held_out_exact_p05_ratio = 0.8514297022
held_out_exact_p95_ratio = 1.208833938
