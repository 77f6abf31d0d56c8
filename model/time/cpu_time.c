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
#define PAGE_BYTES 4096.0 /* after which the sets of the first cache repeat */
#define BLOCK_LENGTH 32.0 /* stage 1 offers blocks if a bucket has so many elements for a k_b */
#define THREAD_ELEMENTS 32768u /* for which a thread is started */

/* How stage 1 fills the buckets: by vectors of buckets to which elements or blocks of eight rows
 * are offered, or one after the other. */
enum way { WAY_ELEMENTS, WAY_BLOCKS, WAY_PLAIN };
static enum way way_of(struct rcm_topk p)
{
    const double rows = floor((double)p.n / (double)p.b), k_b = (double)p.k_b;
    if ((double)p.b < LANES || rows < k_b)
        return WAY_PLAIN;
    if (p.k_b > 2 && rows >= BLOCK_LENGTH * k_b)
        return p.k_b <= 4 || p.k_b == 8 || p.k_b == 16 ? WAY_BLOCKS : WAY_PLAIN;
    return p.k_b <= 4 ? WAY_ELEMENTS : WAY_PLAIN;
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

/* Exact top-k of the k best of n elements in cache. Radix selection begins with empty counts. */
static double exact_us(const struct rcm_profile *q, double n, double k)
{
    const double size = group_size(n, k, rcm_dtype_bytes(q->dtype));
    const double read = size > 0.0 ? n * known(q->element_us_1) + n / size * known(q->group_us)
                                   : known(q->select_launch_us) + n * known(q->radix_us);
    return read + k * known(q->wanted_us);
}

/* Stage 1 of a row in cache: reading its elements, and what is done for its c candidates. */
struct work {
    double elements, candidates;
};
static struct work stage1_work(const struct rcm_profile *q, struct rcm_topk p, double c)
{
    const double n = (double)p.n, k_b = (double)p.k_b, length = n / (double)p.b;
    const double vectors = ceil((double)p.b / LANES), padded = LANES * vectors / (double)p.b;
    const double stride = (double)p.b * rcm_dtype_bytes(q->dtype);
    const double conflict = fmod(stride, PAGE_BYTES) == 0.0 ? 2.0 : 1.0;
    switch (way_of(p)) {
    case WAY_ELEMENTS: {
        const double element =
            p.k_b <= 2 ? time_element_us(q, p.k_b) : k_b / 2.0 * known(q->element_us_2);
        /* buckets with an element more than others are looked at again */
        const double longer = (double)(p.n % p.b),
                     again = longer > 0.0 ? longer * known(q->resolve_us) : 0.0;
        return (struct work){n * element * padded * (1.0 + 1.0 / vectors),
                             c * known(q->keep_us) + again};
    }
    case WAY_BLOCKS:
        return (struct work){n * time_element_us(q, p.k_b) * padded,
                             c * conflict * known(q->resolve_us)};
    default:
        return (struct work){
            n * known(q->plain_us),
            c * (known(q->keep_us) + (1.0 + log(fmax(1.0, length / k_b))) * known(q->insert_us))};
    }
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
    const struct work row = stage1_work(q, p, c);
    const double elements = m * row.elements, keep = m * row.candidates;
    const double memory = 1e6 * read * time_memory_part(q, read) / q->roof_bytes_per_s;
    const struct time_term terms[] = {{"launch", q->launch_us},
                                      {"operations", elements},
                                      {"candidates", keep},
                                      {"memory", memory}};
    r.bound = time_largest(terms, sizeof terms / sizeof *terms);
    r.stage1_us =
        q->launch_us + shared_us(q, time_overlap(elements, memory, 0.0, 0.0) + keep, threads);
    if (c > k) {
        r.stage2 = group_size(c, k, bytes) > 0.0 ? "groups" : "radix";
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
                                                                                 : "radix";
}

double time_cpu_exact_us(const struct rcm_profile *q, struct rcm_topk p)
{
    const double n = (double)p.n, m = shape_rows(p), read = m * n * rcm_dtype_bytes(q->dtype);
    const double memory = 1e6 * read * time_memory_part(q, read) / q->roof_bytes_per_s;
    const double us = m * exact_us(q, n, (double)p.k);
    return q->launch_us + shared_us(q, time_overlap(us, memory, 0.0, 0.0), threads_of(q, m * n));
}
