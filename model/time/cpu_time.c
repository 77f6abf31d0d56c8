/* cpu_time.c - how long top-k takes on a CPU (topk/): see time_terms.h, and docs/models.md 14.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/shape/shape.h>

#include "time_terms.h"

/* ---- what the library does for a shape: known, not fitted (docs/cpu.md) */

#define LANES 16.0         /* buckets of a vector of 64 bytes */
#define TOGETHER 8.0       /* vectors that go by at once */
#define TILE_VECTORS 512.0 /* of which k_b each are kept in cache */
#define DEALT 128.0        /* few buckets are dealt into so many at most */
#define NEAR_BYTES 0x1p23  /* rows of more come from memory: vectors go by one at a time */
#define AHEAD_BYTES 8192.0 /* b neighbours of fewer are read with gaps */
#define L2_BYTES 0x1p20    /* where the profile does not say */
#define L3_BYTES 0x1p25
#define FEW_ELEMENTS 256.0     /* of which no sample is taken */
#define MANY_GROUPS 512.0      /* beyond these the threshold is looked for in a sample */
#define GROUPED 1.4            /* an element of exact top-k by groups, over one of stage 1 */
#define THREAD_ELEMENTS 32768u /* for which a thread is started */

/* How stage 1 fills the buckets: each element is offered, or the best of each block, or so many
 * rows as a power of two has are sorted. */
enum way { WAY_ELEMENTS, WAY_BLOCKS, WAY_COLUMNS };
static enum way way_of(double rows, double k_b)
{
    if (k_b == 2.0 ? rows >= 256.0 : k_b > 2.0 && rows >= 128.0 && rows >= 5.0 * k_b * k_b)
        return WAY_BLOCKS;
    return k_b > 4.0 || (k_b > 2.0 && rows <= LANES) ? WAY_COLUMNS : WAY_ELEMENTS;
}

/* The elements of a block of a bucket of so many. */
static double block_of(double rows, double k_b, bool near)
{
    const double ratio = floor(rows / (4.0 * k_b)), most = near ? 64.0 : 8.0;
    double block = 2.0;
    while (block < most && 4.0 * block * block * block <= ratio * ratio)
        block *= 2.0;
    return block;
}

/* The buckets that stage 1 fills: those of the shape, or more into which few are dealt. */
static double filled_of(struct rcm_topk p)
{
    const double b = (double)p.b, n = (double)p.n;
    double filled = b;
    while (b < LANES && 2.0 * filled <= DEALT)
        filled *= 2.0;
    while (b < LANES && filled >= 2.0 * LANES && floor(n / filled) < 512.0 * (double)p.k_b)
        filled /= 2.0;
    return filled;
}

/* Of the vectors of a tile, those that go by alone. */
static double alone_in(double vectors, double together, double overlapping)
{
    return vectors - floor((vectors - overlapping) / together) * together;
}

/* The vectors that `filled` buckets are, of which those that go by alone count `ratio` each. The
 * last one of those that are no whole vectors overlaps the one before, and goes alone. */
static double vectors_of(double filled, double k_b, double together, bool near, double ratio)
{
    const double vectors = ceil(filled / LANES), most = floor(TILE_VECTORS / k_b);
    const double tiles = ceil(vectors / most), low = floor(vectors / tiles);
    const double wider = vectors - low * tiles, last = wider > 0.0 ? low + 1.0 : low;
    const double overlapping = fmod(filled, LANES) != 0.0 ? 1.0 : 0.0;
    const double alone = (tiles - wider) * alone_in(low, together, 0.0) +
                         wider * alone_in(low + 1.0, together, 0.0) -
                         alone_in(last, together, 0.0) + alone_in(last, together, overlapping);
    return vectors + (ratio - 1.0) * (near ? alone : vectors);
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

/* A ratio that they do not determine is 1. */
static double ratio_of(double parameter)
{
    return parameter > 0.0 ? parameter : 1.0;
}

/* Exact top-k of the k best of n elements in cache. */
static double exact_us(const struct rcm_profile *q, double n, double k)
{
    const double size = group_size(n, k, rcm_dtype_bytes(q->dtype));
    const bool sampled = size > 0.0 ? floor(n / size) > MANY_GROUPS : n > FEW_ELEMENTS;
    return (sampled ? known(q->select_launch_us) : 0.0) +
           (size > 0.0 ? GROUPED * n * known(q->scan_us) + k * known(q->wanted_us)
                       : n * known(q->dense_us) + k * known(q->collect_us));
}

/* An element of a bucket where the best of each block are offered. `again`: how many of an element
 * are looked at again. */
static double block_element_us(const struct rcm_profile *q, double rows, double k_b, bool near,
                               double *again)
{
    const double block = block_of(rows, k_b, near), blocks = rows / block;
    /* a block is offered if that of one lane is among the best of this lane so far */
    const double most = LANES * k_b,
                 offered = blocks > most ? most * (1.0 + log(blocks / most)) : blocks;
    *again = k_b * k_b * k_b * block * block / (2.0 * rows * rows);
    return known(q->scan_us) + (offered * k_b + 2.0 * blocks) / rows * known(q->offer_us);
}

/* An element where k_b rows, or the next power of two, are sorted and merged with those kept. */
static double column_element_us(const struct rcm_profile *q, double rows, double k_b)
{
    const double steps = ceil(log2(k_b)), sorted = exp2(steps);
    /* minimum and maximum of two vectors, for each of a block: in Batcher's network, merging, and
     * what two more take: packing */
    const double exchanges = steps * (steps + 1.0) / 4.0 + 1.0 + steps / 2.0 + 2.0;
    return ceil(rows / sorted) * sorted / rows * exchanges * known(q->sort_us);
}

/* Stage 1 of a row in cache: what is done for its elements, and for its c candidates. `near`: the
 * rows are not read from memory. */
struct work {
    double elements, candidates;
};
static struct work stage1_work(const struct rcm_profile *q, struct rcm_topk p, double c, bool near)
{
    const double n = (double)p.n, k_b = (double)p.k_b, filled = filled_of(p),
                 rows = floor(n / filled), single = ratio_of(q->single_ratio);
    double each, vectors, again = 0.0;
    switch (way_of(rows, k_b)) {
    case WAY_ELEMENTS:
        vectors = vectors_of(filled, k_b, floor(TOGETHER / k_b), near, single);
        each = known(q->scan_us);
        if (k_b > 1.0)
            each += k_b * (k_b - 1.0) / 2.0 * known(q->insert_us);
        break;
    case WAY_BLOCKS:
        vectors = vectors_of(filled, k_b, TOGETHER, near, single);
        each = block_element_us(q, rows, k_b, near, &again);
        break;
    default:
        vectors = ceil(filled / LANES);
        each = column_element_us(q, rows, k_b);
    }
    return (struct work){
        n * (vectors * LANES / filled * each + (again > 0.0 ? again * known(q->resolve_us) : 0.0)),
        (c + (filled > (double)p.b ? filled * k_b : 0.0)) * known(q->keep_us)};
}

/* How much longer it takes to read a row whose vectors do not begin where lines of the cache do;
 * and from memory, where b neighbours are narrow. */
static double split_ratio(const struct rcm_profile *q, struct rcm_topk p, double filled)
{
    return !time_is_contiguous(q, p) && filled > LANES && fmod(filled, LANES) != 0.0
               ? ratio_of(q->split_ratio)
               : 1.0;
}
static double narrow_ratio(const struct rcm_profile *q, struct rcm_topk p, double filled)
{
    const double pitch = filled * rcm_dtype_bytes(q->dtype);
    const bool narrow = !time_is_contiguous(q, p) && pitch > 128.0 && pitch < AHEAD_BYTES;
    return narrow ? 1.0 + (ratio_of(q->narrow_ratio) - 1.0) * (1.0 - pitch / AHEAD_BYTES) : 1.0;
}

/* The part of `read` bytes that a cache does not hold. What is read again and again evicts itself
 * where it is a little more than the cache: the share falls with the cube. */
static double beyond(double cache_bytes, double usual, double read)
{
    const double share = (cache_bytes > 0.0 ? cache_bytes : usual) / read;
    return 1.0 / (1.0 + share * share * share);
}

static double memory_us(const struct rcm_profile *q, double read)
{
    return 1e6 * read *
           (beyond(q->l2_bytes, L2_BYTES, read) / q->l3_bytes_per_s +
            beyond(q->l3_bytes, L3_BYTES, read) / q->roof_bytes_per_s);
}

/* What contiguous buckets take in cache, more than interleaved ones. */
static double contiguous_us(const struct rcm_profile *q, struct rcm_topk p)
{
    return time_is_contiguous(q, p)
               ? (double)p.n * q->contiguous_us + (double)p.b * q->contiguous_bucket_us
               : 0.0;
}

/* What the threads do together, and their start. */
static double shared_us(const struct rcm_profile *q, double us, double threads)
{
    return us / threads + (threads - 1.0) * q->thread_us;
}

static struct rcm_prediction predict(const struct rcm_profile *q, struct rcm_topk p)
{
    struct rcm_prediction r = time_unknown;
    const double n = (double)p.n, m = shape_rows(p), bytes = rcm_dtype_bytes(q->dtype);
    const double c = (double)rcm_candidates(p), k = (double)p.k, read = m * n * bytes;
    const double threads = threads_of(q, m * n), filled = filled_of(p);
    const struct work row = stage1_work(q, p, c, read <= NEAR_BYTES);
    const double split = split_ratio(q, p, filled), keep = m * row.candidates,
                 elements = m * (row.elements * split + contiguous_us(q, p));
    const double memory = memory_us(q, read) * narrow_ratio(q, p, filled) * split;
    const struct time_term terms[] = {{"launch", q->launch_us},
                                      {"operations", elements},
                                      {"candidates", keep},
                                      {"memory", memory}};
    r.bound = time_largest(terms, sizeof terms / sizeof *terms);
    r.stage1_us = q->launch_us + shared_us(q, hypot(elements, memory) + keep, threads);
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

static const char *exact_way(const struct rcm_profile *q, struct rcm_topk p)
{
    return group_size((double)p.n, (double)p.k, rcm_dtype_bytes(q->dtype)) > 0.0 ? "groups"
                                                                                 : "dense";
}

/* Where groups can be larger, and where one more thread is started. */
static uint64_t next_n(const struct rcm_profile *q, struct rcm_topk p)
{
    const double n = (double)p.n, m = shape_rows(p), k = (double)p.k,
                 threads = threads_of(q, m * n), each = THREAD_ELEMENTS / m;
    double next = INFINITY;
    for (double size = 64.0; size <= 256.0; size *= 4.0) {
        const double from = ceil(4.0 * k * size / rcm_dtype_bytes(q->dtype));
        if (from > n)
            next = fmin(next, from);
    }
    if (q->thread_us > 0.0 && threads < q->threads)
        next = fmin(next, fmax(ceil((threads + 1.0) * each), n + 1.0));
    return next <= (double)RCM_N_MAX ? (uint64_t)next : 0;
}

static double exact_top_k_us(const struct rcm_profile *q, struct rcm_topk p)
{
    const double n = (double)p.n, m = shape_rows(p), read = m * n * rcm_dtype_bytes(q->dtype);
    const double us = m * exact_us(q, n, (double)p.k);
    return q->launch_us + shared_us(q, hypot(us, memory_us(q, read)), threads_of(q, m * n));
}

const struct time_model time_of_cpu = {
    .needs = true,
    .predict = predict,
    .tells_contiguous = true,
    .exact_us = exact_top_k_us,
    .exact_way = exact_way,
    .next_n = next_n,
};
