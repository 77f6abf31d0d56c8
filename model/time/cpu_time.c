/* cpu_time.c - how long top-k takes on a CPU (topk/): see time_terms.h, and docs/models.md 14.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/shape/shape.h>

#include "time_terms.h"

bool time_cpu_is_whole(const struct rcm_profile *q)
{
    return q->launch_us > 0.0 && q->cache_bytes > 0.0 && q->roof_bytes_per_s > 0.0;
}

/* ---- what the library does for a shape: known, not fitted */

#define LANES 16.0        /* buckets of a vector of 64 bytes */
#define NEAR_BYTES 0x1p23 /* more come from memory: stage 1 takes blocks of eight */
#define PAGE_BYTES 4096.0
#define FEW_ELEMENTS 256.0     /* of which no sample is taken */
#define MANY_GROUPS 512.0      /* beyond these the threshold is looked for in a sample */
#define THREAD_ELEMENTS 32768u /* for which a thread is started */

/* How stage 1 fills the buckets: by vectors of buckets to which each element or the best of each
 * block is offered, or one after the other. */
enum way { WAY_ELEMENTS, WAY_BLOCKS, WAY_PLAIN };
static enum way way_of(struct rcm_topk p)
{
    const uint64_t rows = p.n / p.b;
    const bool vectors = p.k_b <= 4 || p.k_b == 8 || p.k_b == 16;
    if ((double)p.b < LANES || rows < p.k_b || !vectors)
        return WAY_PLAIN;
    return p.k_b > 1 && rows >= 256 && rows >= 64 * p.k_b ? WAY_BLOCKS : WAY_ELEMENTS;
}

/* The elements of a block of a bucket of so many. */
static double block_of(double rows, double k_b)
{
    const double ratio = floor(rows / (4.0 * k_b));
    double block = 8.0;
    while (block < 64.0 && 4.0 * block * block * block <= ratio * ratio)
        block *= 2.0;
    return block;
}

/* Exact top-k: elements of a group, of which there are at least four for each that is wanted; 0: no
 * groups. */
static double group_size(double n, double k, double bytes)
{
    for (double size = 256.0; size >= 64.0; size /= 4.0)
        if (floor(n * bytes / size) >= 4.0 * k)
            return size / bytes;
    return 0.0;
}

static double threads_of(const struct rcm_profile *q, double elements)
{
    const double useful = fmax(1.0, floor(elements / THREAD_ELEMENTS));
    return q->thread_us > 0.0 ? fmin(fmax(q->threads, 1.0), useful) : 1.0;
}

/* ---- times */

/* A parameter that the runs do not determine makes a time unknown. */
static double known(double parameter)
{
    return parameter > 0.0 ? parameter : NAN;
}

/* Exact top-k of the k best of n elements in cache. */
static double exact_us(const struct rcm_profile *q, double n, double k)
{
    const double size = group_size(n, k, rcm_dtype_bytes(q->dtype)), groups = floor(n / size);
    if (!(size > 0.0))
        return (n > FEW_ELEMENTS ? known(q->select_launch_us) : 0.0) + n * known(q->dense_us) +
               k * known(q->collect_us);
    return n * known(q->element_us_1) + groups * known(q->group_us) +
           (groups > MANY_GROUPS ? known(q->sample_us) : 0.0) + k * known(q->wanted_us);
}

/* Stage 1 of a row in cache: reading its elements, and what is done for its c candidates. `near`:
 * the rows are not read from memory. */
struct work {
    double elements, candidates;
};
static struct work stage1_work(const struct rcm_profile *q, struct rcm_topk p, double c, bool near)
{
    const double n = (double)p.n, k_b = (double)p.k_b, rows = floor(n / (double)p.b);
    const double padded = LANES * ceil((double)p.b / LANES) / (double)p.b;
    const double keep = c * known(q->keep_us);
    switch (way_of(p)) {
    case WAY_ELEMENTS:
        return (struct work){n * padded * time_element_us(q, p.k_b), keep};
    case WAY_BLOCKS: {
        const double block = near ? block_of(rows, k_b) : 8.0;
        const double again = n * pow(k_b, 3.0) * block * block / (2.0 * rows * rows);
        return (struct work){n * padded * (known(q->scan_us) + k_b / block * known(q->offer_us)) +
                                 again * known(q->resolve_us),
                             keep};
    }
    default:
        return (struct work){n * known(q->plain_us),
                             keep + c * (1.0 + log(fmax(1.0, n / (double)p.b / k_b))) *
                                        known(q->insert_us)};
    }
}

/* How much longer it takes to read a row whose vectors do not begin where lines of the cache do;
 * and from memory, where b neighbours are narrower than a page. */
static double split_ratio(const struct rcm_profile *q, struct rcm_topk p)
{
    return (double)p.b > LANES && fmod((double)p.b, LANES) != 0.0 && q->split_ratio > 0.0
               ? q->split_ratio
               : 1.0;
}
static double narrow_ratio(const struct rcm_profile *q, struct rcm_topk p)
{
    const double pitch = (double)p.b * rcm_dtype_bytes(q->dtype);
    const bool narrow = pitch > 128.0 && pitch < PAGE_BYTES;
    return narrow && q->narrow_ratio > 0.0 ? q->narrow_ratio : 1.0;
}

/* What the threads do together, and their start. */
static double shared_us(const struct rcm_profile *q, double us, double threads)
{
    return us / threads + (threads - 1.0) * q->thread_us;
}

struct rcm_prediction time_cpu_predict(const struct rcm_profile *q, struct rcm_topk p)
{
    struct rcm_prediction r = {.low_us = NAN, .high_us = NAN};
    const double n = (double)p.n, m = shape_rows(p), bytes = rcm_dtype_bytes(q->dtype);
    const double c = (double)rcm_candidates(p), k = (double)p.k, read = m * n * bytes;
    const double threads = threads_of(q, m * n);
    const struct work row = stage1_work(q, p, c, read <= NEAR_BYTES);
    const double split = split_ratio(q, p), elements = m * row.elements * split,
                 keep = m * row.candidates;
    const double from_memory = 1e6 * read * time_memory_part(q, read) / q->roof_bytes_per_s;
    const double memory = from_memory * narrow_ratio(q, p) * split;
    const struct time_term terms[] = {{"launch", q->launch_us},
                                      {"operations", elements},
                                      {"candidates", keep},
                                      {"memory", memory}};
    r.bound = time_largest(terms, sizeof terms / sizeof *terms);
    r.stage1_us =
        q->launch_us + shared_us(q, time_overlap(elements, memory, 0.0, 0.0) + keep, threads);
    if (c > k) {
        r.stage2 = group_size(c, k, bytes) > 0.0 ? "groups" : "dense";
        r.stage2_us = shared_us(q, m * exact_us(q, c, k), threads);
    } else {
        r.stage2 = "none";
        r.stage2_us = 0.0;
    }
    r.time_us = r.stage1_us + r.stage2_us;
    return r;
}

const char *time_cpu_way(const struct rcm_profile *q, struct rcm_topk p)
{
    return group_size((double)p.n, (double)p.k, rcm_dtype_bytes(q->dtype)) > 0.0 ? "groups"
                                                                                 : "dense";
}

double time_cpu_exact_us(const struct rcm_profile *q, struct rcm_topk p)
{
    const double n = (double)p.n, m = shape_rows(p), read = m * n * rcm_dtype_bytes(q->dtype);
    const double memory = 1e6 * read * time_memory_part(q, read) / q->roof_bytes_per_s;
    const double us = m * exact_us(q, n, (double)p.k);
    return q->launch_us + shared_us(q, time_overlap(us, memory, 0.0, 0.0), threads_of(q, m * n));
}
