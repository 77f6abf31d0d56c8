/* time.c - the time of both stages from a calibrated profile. Derivation: docs/models.md 14.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "kernels.h"

/* name, unit, where a fit begins, meaning, k_b, always, times_only */
#define ROW(name, unit, start, meaning, k_b, always, times_only) \
    { \
#name, unit, meaning, start, offsetof(struct rcm_profile, name), k_b, always, times_only \
    }
#define ELEMENT(k_b, start) \
    ROW(element_us_##k_b, "us", start, "one element of one thread, in cache, k_b = " #k_b, k_b, \
        false, false)

static const struct rcm_time_parameter parameters[] = {
    ROW(launch_us, "us", 2.0, "a kernel's start and end", 0, true, true),
    ROW(block_us, "us", 5e-4, "from one thread block's start to the next", 0, true, false),
    ROW(blocks_at_once, "blocks", 4000.0, "thread blocks that the device holds; more go in waves",
        0, true, false),
    ELEMENT(1, 0.05),
    ELEMENT(2, 0.06),
    ELEMENT(3, 0.08),
    ELEMENT(4, 0.1),
    ELEMENT(8, 0.2),
    ELEMENT(16, 0.4),
    ROW(insert_us, "us", 0.03, "a warp's insertion, for each of k_b", 0, true, false),
    ROW(memory_ratio, "", 2.0, "an element's time from memory over that from cache", 0, true,
        false),
    ROW(cache_bytes, "bytes", 2e6, "bytes of all rows at which half come from memory", 0, true,
        false),
    ROW(roof_bytes_per_s, "bytes/s", 1.7e12, "the memory roof", 0, true, true),
    ROW(lines_per_us, "lines/us", 1.3e5, "lines of 128 bytes that all warps can ask for", 0, true,
        false),
    ROW(merge_us, "us", 0.5, "merging the queues of a block, for each of k_b + 3", 0, false, false),
    ROW(select_launch_us, "us", 6.0, "stage 2, one block a row: its start and end", 0, false, true),
    ROW(select_element_us, "us", 4e-3, "stage 2, one block a row: each candidate of a row", 0,
        false, true),
    ROW(select_batch_us, "us", 1e-4, "stage 2, one block a row: each candidate of all rows", 0,
        false, true),
    ROW(split_launch_us, "us", 35.0, "stage 2, several blocks a row: its start and end", 0, false,
        false),
    ROW(split_block_us, "us", 0.1, "stage 2, several blocks a row: each block of a row", 0, false,
        false),
    ROW(split_element_us, "us", 1e-5, "stage 2, several blocks a row: each candidate of all rows",
        0, false, false),
    ROW(operations_per_s, "1/s", 1e13, "vector operations of stage 1, 5 k_b - 2 an element", 0,
        false, true),
};

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

/* ---- parts */

/* The maximum of times that overlap, smooth: two that are equal give 2^(1/3) of one. */
static double overlap(double a, double b, double c, double d)
{
    const double most = fmax(fmax(a, b), fmax(c, d));
    if (!(most > 0.0))
        return most;
    a /= most, b /= most, c /= most, d /= most;
    return most * cbrt(a * a * a + b * b * b + c * c * c + d * d * d);
}

/* Between the two k_b that were measured next to it, in logarithms. */
static double element_us(const struct rcm_profile *q, uint64_t k_b)
{
    const struct {
        double k_b, us;
    } knots[] = {{1, q->element_us_1}, {2, q->element_us_2}, {3, q->element_us_3},
                 {4, q->element_us_4}, {8, q->element_us_8}, {16, q->element_us_16}};
    const double at = (double)k_b;
    double low = 0.0, low_us = 0.0;
    for (size_t i = 0; i < sizeof knots / sizeof *knots; i++) {
        if (!(knots[i].us > 0.0))
            continue;
        if (knots[i].k_b == at)
            return knots[i].us;
        if (knots[i].k_b > at)
            return low > 0.0
                       ? low_us * pow(knots[i].us / low_us, log(at / low) / log(knots[i].k_b / low))
                       : NAN;
        low = knots[i].k_b;
        low_us = knots[i].us;
    }
    return NAN;
}

#define BLOCK_CANDIDATES 1024.0 /* of a row that is split: for a block at least */
#define SELECT_SHARE \
    0.1875 /* blocks of a split row over blocks_at_once: 6 a multiprocessor where 32 small ones \
              fit */
#define MERGE_SHARE 0.25 /* blocks that merge at full speed, likewise: 8 */

/* Exact top-k of c values in each of m rows, without what it writes. */
static double select_us(const struct rcm_profile *q, double m, double c, bool split)
{
    if (!(split ? q->split_launch_us > 0.0 : q->select_launch_us > 0.0))
        return NAN; /* no run went this way */
    return split ? q->split_launch_us +
                       q->split_block_us *
                           fmin(c / BLOCK_CANDIDATES, SELECT_SHARE * q->blocks_at_once / m) +
                       q->split_element_us * m * c
                 : q->select_launch_us + (q->select_element_us + q->select_batch_us * m) * c;
}

/* ---- how far the runs go */

static unsigned outside(double low, double value, double high, enum rcm_beyond which)
{
    return low <= value && value <= high ? 0 : (unsigned)which;
}

static unsigned beyond_runs(const struct rcm_profile *q, struct rcm_topk p)
{
    const double m = p.m ? (double)p.m : 1.0;
    return outside(q->n_low, (double)p.n, q->n_high, RCM_BEYOND_N) |
           outside(q->k_low, (double)p.k, q->k_high, RCM_BEYOND_K) |
           outside(q->b_low, (double)p.b, q->b_high, RCM_BEYOND_B) |
           outside(q->k_b_low, (double)p.k_b, q->k_b_high, RCM_BEYOND_K_B) |
           outside(q->m_low, m, q->m_high, RCM_BEYOND_M);
}

void rcm_beyond_text(unsigned beyond, char text[RCM_BEYOND_TEXT])
{
    static const char *const names[] = {"n", "k", "b", "k_b", "m", "kernel"};
    *text = '\0';
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (beyond >> i & 1) {
            strcat(text, *text ? ", " : "");
            strcat(text, names[i]);
        }
}

static void set_beyond(struct rcm_prediction *r, unsigned beyond)
{
    r->beyond = beyond;
    r->within_runs = beyond == 0;
}

static void set_band(struct rcm_prediction *r, double p05_ratio, double p95_ratio)
{
    const bool known = p05_ratio > 0.0 && p95_ratio > 0.0;
    r->low_us = known ? r->time_us * p05_ratio : NAN;
    r->high_us = known ? r->time_us * p95_ratio : NAN;
}

static const struct rcm_prediction unknown = {
    .time_us = NAN, .stage1_us = NAN, .stage2_us = NAN, .low_us = NAN, .high_us = NAN};

/* ---- both stages */

/* Is all known that stage 1 needs, whatever the shape? */
static bool usable(const struct rcm_profile *q)
{
    if (!q->kernel || !q->kernel->work)
        return false;
    if (q->kernel->times_only) /* fitted to exact top-k alone, it knows nothing of stage 1 */
        return !(q->run_count == 0.0 && q->exact_count > 0.0);
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        if (parameters[i].always && !(rcm_time_value(q, &parameters[i]) > 0.0))
            return false;
    return true;
}

const char *rcm_profile_lacks(const struct rcm_profile *q)
{
    bool any = false;
    if (!q->kernel || !q->kernel->work)
        return "lacks a kernel whose times can be predicted";
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        any = any || (rcm_time_value(q, &parameters[i]) > 0.0 &&
                      (q->kernel->times_only ? parameters[i].times_only : parameters[i].k_b > 0));
    if (q->kernel->times_only)
        return any ? NULL
                   : "lacks launch_us, roof_bytes_per_s, operations_per_s and select_launch_us, .. "
                     ": one must be there";
    return !usable(q) ? "lacks one of launch_us, block_us, blocks_at_once, insert_us, "
                        "memory_ratio, cache_bytes, roof_bytes_per_s, "
                        "lines_per_us; recallmodel calibrate writes whole ones"
           : !any     ? "is without an element_us_1, .. element_us_16"
                      : NULL;
}

struct part {
    const char *name;
    double us;
};

static const char *largest(const struct part *parts, size_t count)
{
    size_t most = 0;
    for (size_t i = 1; i < count; i++)
        if (parts[i].us > parts[most].us)
            most = i;
    return parts[most].name;
}

/* The short model: a roofline whose rates were fitted, a start, and stage 2. What is 0 is left out.
 */
static struct rcm_prediction predict_short(const struct rcm_profile *q, struct rcm_topk p)
{
    const double n = (double)p.n, m = p.m ? (double)p.m : 1.0, bytes = rcm_dtype_bytes(q->dtype);
    const double candidates = (double)rcm_candidates(p),
                 moved = m * (n * bytes + candidates * (bytes + 8.0));
    const double memory = q->roof_bytes_per_s > 0.0 ? 1e6 * moved / q->roof_bytes_per_s : 0.0;
    const double vector = 1e6 * m * n * (5.0 * (double)p.k_b - 2.0);
    const double operations = q->operations_per_s > 0.0 ? vector / q->operations_per_s : 0.0;
    const struct part parts[] = {
        {"launch", q->launch_us}, {"memory", memory}, {"operations", operations}};
    struct rcm_prediction r = unknown;
    const bool second = rcm_candidates(p) > p.k;
    r.bound = largest(parts, sizeof parts / sizeof *parts);
    r.stage2 = second ? "one block" : "none";
    r.stage1_us = q->launch_us + overlap(memory, operations, 0.0, 0.0);
    r.stage2_us =
        second ? q->select_launch_us + (q->select_element_us + q->select_batch_us * m) * candidates
               : 0.0;
    r.time_us = r.stage1_us + r.stage2_us > 0.0 ? r.stage1_us + r.stage2_us : NAN;
    return r;
}

/* The whole model: what the kernel starts for p, and what it waits for. */
static struct rcm_prediction predict_work(const struct rcm_profile *q, struct rcm_topk p)
{
    struct rcm_prediction r = unknown;
    const double n = (double)p.n, k = (double)p.k, k_b = (double)p.k_b, m = p.m ? (double)p.m : 1.0;
    const double bytes = rcm_dtype_bytes(q->dtype), candidates = (double)rcm_candidates(p),
                 roof = q->roof_bytes_per_s * 1e-6;
    const struct rcm_work work = q->kernel->work(p, bytes);

    const double read = n * m * bytes, share = q->cache_bytes / read,
                 from_memory = 1.0 / (1.0 + share * share);
    const double queue = 32.0 * k_b; /* while a warp has read less than its queues hold, each step
                                        inserts; later ever fewer */
    const double thread =
        work.elements * element_us(q, p.k_b) * (1.0 + (q->memory_ratio - 1.0) * from_memory) +
        q->insert_us * k_b * queue * log1p(work.elements / queue);
    const double waves = fmax(1.0, ceil(work.blocks / q->blocks_at_once));
    const double merge = work.merges && !(q->merge_us > 0.0) ? NAN
                         : work.merges                       ? q->merge_us * (k_b + 3.0) *
                                             (1.0 + work.blocks / (MERGE_SHARE * q->blocks_at_once))
                                       : 0.0;
    const double memory = (read * from_memory + m * candidates * (bytes + 8.0)) / roof;
    const double lines = work.lines / q->lines_per_us, starts = q->block_us * work.blocks;
    r.stage1_us = q->launch_us + merge + overlap(thread * waves, memory, lines, starts);
    const struct part parts[] = {{"launch", q->launch_us},
                                 {"merge", merge},
                                 {waves > 1.0 ? "waves" : "threads", thread * waves},
                                 {"memory", memory},
                                 {"lines", lines},
                                 {"blocks", starts}};
    r.bound = largest(parts, sizeof parts / sizeof *parts);

    const bool split = q->kernel->splits(m, candidates);
    const double gathered = m * k * (32.0 + bytes + 8.0) /
                            roof; /* a sector of indices for each, values and indices out */
    r.stage2 = candidates > k ? split ? "split" : "one block" : "none";
    r.stage2_us =
        candidates > k ? q->launch_us + select_us(q, m, candidates, split) + gathered : 0.0;
    r.time_us = r.stage1_us + r.stage2_us;
    return r;
}

struct rcm_prediction rcm_predict(const struct rcm_profile *q, struct rcm_topk p)
{
    if (rcm_check(p) != RCM_OK || !usable(q))
        return unknown;
    struct rcm_prediction r = q->kernel->times_only ? predict_short(q, p) : predict_work(q, p);
    set_band(&r, q->held_out_p05_ratio, q->held_out_p95_ratio);
    set_beyond(&r, beyond_runs(q, p));
    return r;
}

struct rcm_prediction rcm_predict_as(const struct rcm_profile *q, const struct rcm_kernel *kernel,
                                     struct rcm_topk p)
{
    if (!q->kernel || !kernel->work || strcmp(kernel->family, q->kernel->family) != 0 ||
        rcm_check(p) != RCM_OK)
        return unknown;
    struct rcm_profile as = *q;
    as.kernel = kernel;
    struct rcm_prediction r = rcm_predict(&as, p);
    const double bytes = rcm_dtype_bytes(q->dtype);
    const struct rcm_work is = kernel->work(p, bytes), was = q->kernel->work(p, bytes);
    if (is.blocks != was.blocks || is.elements != was.elements || is.lines != was.lines ||
        is.merges != was.merges) {
        set_band(&r, 0.0, 0.0);
        set_beyond(&r, r.beyond | RCM_BEYOND_KERNEL);
    }
    return r;
}

/* ---- exact top-k */

/* The short model: the start of stage 2 is not told from that of stage 1 where every run had both.
 * Runs with buckets alone that do not tell what a candidate takes say nothing about all n. */
static double exact_short(const struct rcm_profile *q, double m, double n)
{
    const double start = q->select_launch_us > 0.0 ? q->select_launch_us : q->launch_us;
    const double each = q->select_element_us + q->select_batch_us * m;
    return each == 0.0 && q->run_count > 0.0 && q->exact_count == 0.0 ? NAN
           : start + each * n > 0.0                                   ? start + each * n
                                                                      : NAN;
}

double rcm_predict_exact(const struct rcm_profile *q, struct rcm_topk p)
{
    const double n = (double)p.n, m = p.m ? (double)p.m : 1.0, bytes = rcm_dtype_bytes(q->dtype);
    p.b = p.k_b = 1;
    if (rcm_check(p) != RCM_OK || !q->kernel || !q->kernel->splits)
        return NAN;
    if (q->kernel->times_only)
        return exact_short(q, m, n);
    return select_us(q, m, n, q->kernel->splits(m, n)) +
           m * (double)p.k * (bytes + 8.0) / (q->roof_bytes_per_s * 1e-6);
}

struct rcm_prediction rcm_predict_exact_band(const struct rcm_profile *q, struct rcm_topk p)
{
    struct rcm_prediction r = unknown;
    r.time_us = r.stage2_us = rcm_predict_exact(q, p);
    if (isnan(r.time_us))
        return r;
    r.stage1_us = 0.0;
    r.bound = "none";
    r.stage2 = q->kernel->splits(p.m ? (double)p.m : 1.0, (double)p.n) ? "split" : "one block";
    set_band(&r, q->held_out_exact_p05_ratio, q->held_out_exact_p95_ratio);
    const unsigned buckets = RCM_BEYOND_B | RCM_BEYOND_K_B;
    set_beyond(&r, (beyond_runs(q, p) & ~buckets) | (q->exact_count > 0.0 ? 0 : RCM_BEYOND_N));
    return r;
}

double rcm_predict_threshold(const struct rcm_profile *q, struct rcm_topk p, double reaching)
{
    const double both_stages = rcm_predict(q, p).time_us, k = (double)p.k,
                 m = p.m ? (double)p.m : 1.0;
    if (isnan(both_stages) || !(reaching >= k) || !(q->roof_bytes_per_s > 0.0))
        return NAN;
    const double bytes = rcm_dtype_bytes(q->dtype), roof = q->roof_bytes_per_s * 1e-6,
                 read = (double)p.n * m * bytes;
    const double share = q->cache_bytes / read, from_memory = 1.0 / (1.0 + share * share);
    const double memory = (read * from_memory + m * reaching * (bytes + 8.0)) / roof;
    const double lines = q->lines_per_us > 0.0 ? read / 128.0 / q->lines_per_us : 0.0;
    double last = 0.0;
    if (reaching > k)
        last = q->launch_us + m * k * (bytes + 8.0) / roof +
               (q->kernel->times_only ? exact_short(q, m, reaching)
                                      : select_us(q, m, reaching, q->kernel->splits(m, reaching)));
    return both_stages + q->launch_us + overlap(memory, lines, 0.0, 0.0) + last;
}
