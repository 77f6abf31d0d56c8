/* time_parameters.c - the parameters of the time models: a registry.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <model/recallmodel/time.h>

/* ROW(name, unit, meaning, where a fit of each model begins); NEEDED: every prediction needs it;
 * CONTIGUOUS: of contiguous buckets alone; AT_K_B: the time of an element at this k_b */
#define WORK(x) [RCM_TIME_BY_WORK] = x
#define SHORT(x) [RCM_TIME_SHORT] = x
#define CPU(x) [RCM_TIME_CPU] = x
#define EXACT(x) [RCM_TIME_EXACT] = x
/* clang-format off */
#define EVERY(name, unit, meaning, k_b, needed, contiguous, ...) \
    {#name, unit, meaning, \
     "lacks " #name "; recallmodel calibrate writes complete profiles", \
     offsetof(struct rcm_profile, name), k_b, needed, contiguous, {__VA_ARGS__}}
/* clang-format on */
#define ROW(name, unit, meaning, ...) EVERY(name, unit, meaning, 0, false, false, __VA_ARGS__)
#define NEEDED(name, unit, meaning, ...) EVERY(name, unit, meaning, 0, true, false, __VA_ARGS__)
#define CONTIGUOUS(name, unit, meaning, ...) EVERY(name, unit, meaning, 0, false, true, __VA_ARGS__)
#define AT_K_B(k_b, ...) \
    EVERY(element_us_##k_b, "us", "one element of one thread, in cache, k_b = " #k_b, k_b, false, \
          false, __VA_ARGS__)

static const struct rcm_time_parameter parameters[] = {
    NEEDED(launch_us, "us", "a kernel's or a call's start and end", WORK(2.0), SHORT(2.0), CPU(0.3),
           EXACT(3.0)),
    NEEDED(block_us, "us", "from one thread block's start to the next", WORK(5e-4)),
    NEEDED(blocks_at_once, "blocks", "thread blocks that the device holds; more run in waves",
           WORK(4000.0)),
    AT_K_B(1, WORK(0.05)),
    AT_K_B(2, WORK(0.06)),
    AT_K_B(3, WORK(0.08)),
    AT_K_B(4, WORK(0.1)),
    AT_K_B(8, WORK(0.2)),
    AT_K_B(16, WORK(0.4)),
    NEEDED(insert_us, "us",
           "an insertion of a warp, for each of k_b; of a CPU, for each pair of k_b", WORK(0.03),
           CPU(4e-5)),
    NEEDED(memory_ratio, "", "an element's time from memory over that from cache", WORK(2.0)),
    NEEDED(cache_bytes, "bytes", "bytes of all rows at which half come from memory", WORK(2e6)),
    NEEDED(roof_bytes_per_s, "bytes/s", "the memory roof", WORK(1.7e12), SHORT(1.7e12), CPU(2e10),
           EXACT(2e12)),
    NEEDED(lines_per_us, "lines/us", "lines of 128 bytes that all warps can ask for", WORK(1.3e5)),
    ROW(merge_us, "us", "merging the queues of a block, for each of k_b + 3", WORK(0.5)),
    ROW(select_launch_us, "us", "stage 2, one block or core a row: its start and end", WORK(6.0),
        SHORT(6.0), CPU(1.0)),
    ROW(select_element_us, "us", "stage 2, one block a row: each candidate of a row", WORK(4e-3),
        SHORT(4e-3)),
    ROW(select_batch_us, "us",
        "stage 2, one block a row: each candidate, more as rows share the device", WORK(1e-3),
        SHORT(1e-3)),
    ROW(split_launch_us, "us", "stage 2, several blocks a row: its start and end", WORK(35.0)),
    ROW(split_block_us, "us", "stage 2, several blocks a row: each block of a row", WORK(0.1)),
    ROW(split_element_us, "us", "stage 2, several blocks a row: each candidate of all rows",
        WORK(1e-5)),
    ROW(operations_per_s, "1/s", "vector operations of stage 1, 5 k_b - 2 an element", WORK(1e13),
        SHORT(1e13)),
    NEEDED(l3_bytes_per_s, "bytes/s", "a CPU: the rate of the last cache", CPU(5e10)),
    ROW(keep_us, "us", "a CPU, stage 1: each candidate", CPU(7e-4)),
    ROW(scan_us, "us", "a CPU: each element, of which the best of a lane is kept", CPU(6e-5)),
    ROW(offer_us, "us", "a CPU, stage 1 by blocks: the best of a block, for each of k_b",
        CPU(8e-5)),
    ROW(sort_us, "us", "a CPU, stage 1 by columns: an exchange, for each element", CPU(1e-4)),
    ROW(single_ratio, "", "a CPU, stage 1: time of a vector that goes by alone", CPU(1.5)),
    ROW(resolve_us, "us", "a CPU, stage 1 by blocks: each element looked at again", CPU(1.5e-3)),
    ROW(split_ratio, "", "a CPU, stage 1: time if b elements are not whole lines of the cache",
        CPU(1.1)),
    ROW(narrow_ratio, "", "a CPU, stage 1: memory's time if b elements are a few lines", CPU(1.8)),
    ROW(wanted_us, "us", "a CPU, exact top-k: each of the k wanted", CPU(1.5e-2)),
    ROW(dense_us, "us", "a CPU, exact top-k of a row too short for groups: each element",
        CPU(3e-4)),
    ROW(collect_us, "us", "a CPU, the same: each of the k wanted", CPU(7e-3)),
    ROW(thread_us, "us", "the start of a thread", CPU(3.0)),
    CONTIGUOUS(contiguous_ratio, "", "stage 1 but its start: contiguous over interleaved buckets",
               WORK(1.3), SHORT(1.3)),
    CONTIGUOUS(contiguous_us, "us", "a CPU, contiguous buckets: an element, more than interleaved",
               CPU(1e-5)),
    CONTIGUOUS(contiguous_bucket_us, "us", "a CPU, contiguous buckets: a bucket", CPU(5e-3)),
    ROW(row_us, "us", "exact top-k alone: a row, whatever its length", EXACT(2.0)),
    ROW(row_element_us, "us", "exact top-k alone: each element of a row", EXACT(1e-3)),
    ROW(rows_at_once, "rows", "rows that the device holds; more wait in waves", EXACT(200.0)),
    ROW(long_n, "elements", "a row of so many elements goes the long way", EXACT(16384.0)),
    ROW(long_us, "us", "the long way: a row, whatever its length", EXACT(10.0)),
    ROW(long_element_us, "us", "the long way: each element of a row", EXACT(3e-5)),
};

_Static_assert(sizeof parameters / sizeof *parameters == RCM_TIME_PARAMETERS,
               "RCM_TIME_PARAMETERS of time.h is the number of rows above");

const struct rcm_time_parameter *rcm_time_parameter(size_t index)
{
    return index < sizeof parameters / sizeof *parameters ? &parameters[index] : NULL;
}

double rcm_time_value(const struct rcm_profile *profile, const struct rcm_time_parameter *parameter)
{
    return *(const double *)(const void *)((const char *)profile + parameter->offset);
}

void rcm_set_time_value(struct rcm_profile *profile, const struct rcm_time_parameter *parameter,
                        double value)
{
    *(double *)(void *)((char *)profile + parameter->offset) = value;
}
