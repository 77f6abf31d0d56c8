/* time_parameters.c - the parameters of the time model: a registry.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <model/recallmodel/time.h>

/* clang-format off */
/* name, unit, where a fit begins, meaning, k_b, always, times_only, where a fit of a CPU begins,
 * and where one of a kernel of exact top-k alone */
#define EVERY(name, unit, start, meaning, k_b, always, times_only, cpu_start, exact_start) \
    {#name, unit, meaning, start, offsetof(struct rcm_profile, name), k_b, always, times_only, \
     cpu_start, exact_start}
#define SHARED(name, unit, start, meaning, k_b, always, times_only, cpu_start) \
    EVERY(name, unit, start, meaning, k_b, always, times_only, cpu_start, 0.0)
#define ROW(name, unit, start, meaning, k_b, always, times_only) \
    SHARED(name, unit, start, meaning, k_b, always, times_only, 0.0)
#define ELEMENT(k_b, start) \
    ROW(element_us_##k_b, "us", start, "one element of one thread, in cache, k_b = " #k_b, k_b, \
        false, false)
#define CPU(name, unit, cpu_start, meaning) \
    SHARED(name, unit, 0.0, meaning, 0, false, false, cpu_start)
#define EXACT(name, unit, exact_start, meaning) \
    EVERY(name, unit, 0.0, meaning, 0, false, false, 0.0, exact_start)
/* clang-format on */

static const struct rcm_time_parameter parameters[] = {
    EVERY(launch_us, "us", 2.0, "a kernel's or a call's start and end", 0, true, true, 0.3, 3.0),
    ROW(block_us, "us", 5e-4, "from one thread block's start to the next", 0, true, false),
    ROW(blocks_at_once, "blocks", 4000.0, "thread blocks that the device holds; more run in waves",
        0, true, false),
    ELEMENT(1, 0.05),
    ELEMENT(2, 0.06),
    ELEMENT(3, 0.08),
    ELEMENT(4, 0.1),
    ELEMENT(8, 0.2),
    ELEMENT(16, 0.4),
    SHARED(insert_us, "us", 0.03,
           "an insertion of a warp, for each of k_b; of a CPU, for each pair of k_b", 0, true,
           false, 4e-5),
    ROW(memory_ratio, "", 2.0, "an element's time from memory over that from cache", 0, true,
        false),
    ROW(cache_bytes, "bytes", 2e6, "bytes of all rows at which half come from memory", 0, true,
        false),
    EVERY(roof_bytes_per_s, "bytes/s", 1.7e12, "the memory roof", 0, true, true, 2e10, 2e12),
    ROW(lines_per_us, "lines/us", 1.3e5, "lines of 128 bytes that all warps can ask for", 0, true,
        false),
    ROW(merge_us, "us", 0.5, "merging the queues of a block, for each of k_b + 3", 0, false, false),
    SHARED(select_launch_us, "us", 6.0, "stage 2, one block or core a row: its start and end", 0,
           false, true, 1.0),
    ROW(select_element_us, "us", 4e-3, "stage 2, one block a row: each candidate of a row", 0,
        false, true),
    ROW(select_batch_us, "us", 1e-3,
        "stage 2, one block a row: each candidate, more as rows share the device", 0, false, true),
    ROW(split_launch_us, "us", 35.0, "stage 2, several blocks a row: its start and end", 0, false,
        false),
    ROW(split_block_us, "us", 0.1, "stage 2, several blocks a row: each block of a row", 0, false,
        false),
    ROW(split_element_us, "us", 1e-5, "stage 2, several blocks a row: each candidate of all rows",
        0, false, false),
    ROW(operations_per_s, "1/s", 1e13, "vector operations of stage 1, 5 k_b - 2 an element", 0,
        false, true),
    CPU(l3_bytes_per_s, "bytes/s", 5e10, "a CPU: the rate of the last cache"),
    CPU(keep_us, "us", 7e-4, "a CPU, stage 1: each candidate"),
    CPU(scan_us, "us", 6e-5, "a CPU: each element, of which the best of a lane is kept"),
    CPU(offer_us, "us", 8e-5, "a CPU, stage 1 by blocks: the best of a block, for each of k_b"),
    CPU(sort_us, "us", 1e-4, "a CPU, stage 1 by columns: an exchange, for each element"),
    CPU(single_ratio, "", 1.5, "a CPU, stage 1: time of a vector that goes by alone"),
    CPU(resolve_us, "us", 1.5e-3, "a CPU, stage 1 by blocks: each element looked at again"),
    CPU(split_ratio, "", 1.1,
        "a CPU, stage 1: time if b elements are not whole lines of the cache"),
    CPU(narrow_ratio, "", 1.8, "a CPU, stage 1: memory's time if b elements are a few lines"),
    CPU(wanted_us, "us", 1.5e-2, "a CPU, exact top-k: each of the k wanted"),
    CPU(dense_us, "us", 3e-4, "a CPU, exact top-k of a row too short for groups: each element"),
    CPU(collect_us, "us", 7e-3, "a CPU, the same: each of the k wanted"),
    CPU(thread_us, "us", 3.0, "the start of a thread"),
    ROW(contiguous_ratio, "", 1.3, "stage 1 but its start: contiguous over interleaved buckets", 0,
        false, false),
    CPU(contiguous_us, "us", 1e-5, "a CPU, contiguous buckets: an element, more than interleaved"),
    CPU(contiguous_bucket_us, "us", 5e-3, "a CPU, contiguous buckets: a bucket"),
    EXACT(row_us, "us", 2.0, "exact top-k alone: a row, whatever its length"),
    EXACT(row_element_us, "us", 1e-3, "exact top-k alone: each element of a row"),
    EXACT(rows_at_once, "rows", 200.0, "rows that the device holds; more wait in waves"),
    EXACT(long_n, "elements", 16384.0, "a row of so many elements goes the long way"),
    EXACT(long_us, "us", 10.0, "the long way: a row, whatever its length"),
    EXACT(long_element_us, "us", 3e-5, "the long way: each element of a row"),
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
