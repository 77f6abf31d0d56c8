/* shards.c - a row that lies in runs on several devices: what each of them does and sends, and
 * the merge. Source: docs/models.md 13.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/recallmodel/select.h>
#include <model/shape/shape.h>

/* The time of exact top-k of m rows of n elements with `bytes` each: as predicted, or the time to
 * read them at the bandwidth of the device. */
static double topk_us(const struct rcm_machine *machine, uint64_t n, uint64_t k, uint64_t m,
                      double bytes)
{
    if (machine->profile)
        return rcm_predict_exact(machine->profile, (struct rcm_topk){.n = n, .k = k, .m = m});
    return machine->device
               ? 1e6 * (double)m * (double)n * bytes / machine->device->bandwidth_bytes_per_s
               : NAN;
}

struct rcm_shards rcm_shards(const struct rcm_machine *machine, struct rcm_topk p)
{
    if (rcm_check(p) != RCM_OK)
        return (struct rcm_shards){NAN, NAN, NAN, NAN};
    const uint64_t m = p.m ? p.m : 1, longest = shape_ceil_divide(p.n, p.b),
                   kept = p.k_b < longest ? p.k_b : longest;
    const double value = rcm_dtype_bytes(machine->dtype),
                 index = p.n > UINT64_C(0x80000000) ? 8.0 : 4.0;
    const uint64_t all = rcm_candidates(p);
    return (struct rcm_shards){
        .shard_us = topk_us(machine, longest, kept, m, value),
        .send_bytes = (double)m * (double)kept * (value + index),
        .merge_us = all > p.k ? topk_us(machine, all, p.k, m, value + index) : 0.0,
        .whole_us = topk_us(machine, p.n, p.k, m, value),
    };
}
