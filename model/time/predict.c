/* predict.c - predicted times from a calibrated profile. Derivation: docs/models.md 14.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include <model/recallmodel/time.h>
#include <model/shape/shape.h>

#include "time_terms.h"

/* ---- parts */

/* the fewest candidates that a block gets when a row is split */
#define BLOCK_CANDIDATES 1024.0
/* blocks of a split row over blocks_at_once: 6 a multiprocessor, which holds 32 small ones */
#define SELECT_SHARE 0.1875
/* blocks that merge at full speed over blocks_at_once: 8 of 32 */
#define MERGE_SHARE 0.25
/* blocks_at_once over multiprocessors */
#define SMALL_BLOCKS 32.0
/* threads of a block that selects from one row: a candidate each, as far as they go */
#define SELECT_THREADS 1024.0
/* what each further row of a multiprocessor waits, over what the first waits */
#define SELECT_SHARED 3.0

/* Exact top-k of c values in each of m rows, without the time to write them. */
static double select_us(const struct rcm_profile *q, double m, double c, bool split)
{
    if (!(split ? q->split_launch_us > 0.0 : q->select_launch_us > 0.0))
        return NAN; /* no run went this way */
    if (split)
        return q->split_launch_us +
               q->split_block_us *
                   fmin(c / BLOCK_CANDIDATES, SELECT_SHARE * q->blocks_at_once / m) +
               q->split_element_us * m * c;
    /* of the multiprocessor that has most; none shares one as long as each has its own */
    const double rows = fmax(1.0, ceil(SMALL_BLOCKS * m / q->blocks_at_once));
    return q->select_launch_us + rows * q->select_element_us * c +
           (1.0 + SELECT_SHARED * (rows - 1.0)) * q->select_batch_us * fmin(c, SELECT_THREADS);
}

/* ---- the ranges of the runs, and the band */

static unsigned beyond_if(double low, double value, double high, double slack,
                          enum rcm_beyond which)
{
    const bool within = low <= slack * value && value <= slack * high;
    return within || high == 0.0 ? 0 : (unsigned)which; /* a profile by hand states no runs */
}

/* But for b and the candidates. */
static unsigned beyond_but_b(const struct rcm_profile *q, struct rcm_topk p)
{
    const double m = shape_rows(p),
                 slack = q->kernel->exact_only ? RCM_BEYOND_SLACK : RCM_BEYOND_MARGIN;
    return beyond_if(q->n_low, (double)p.n, q->n_high, slack, RCM_BEYOND_N) |
           beyond_if(q->k_low, (double)p.k, q->k_high, slack, RCM_BEYOND_K) |
           beyond_if(q->k_b_low, (double)p.k_b, q->k_b_high, 1.0, RCM_BEYOND_K_B) |
           beyond_if(q->m_low, m, q->m_high, slack, RCM_BEYOND_M);
}

static unsigned beyond_runs(const struct rcm_profile *q, struct rcm_topk p)
{
    const double candidates = (double)rcm_candidates(p);
    return beyond_but_b(q, p) |
           beyond_if(q->b_low, (double)p.b, q->b_high, RCM_BEYOND_MARGIN, RCM_BEYOND_B) |
           beyond_if(q->candidates_low, candidates, q->candidates_high, RCM_BEYOND_MARGIN,
                     RCM_BEYOND_CANDIDATES);
}

struct rcm_range rcm_b_within_runs(const struct rcm_profile *q, struct rcm_topk p)
{
    const double k_b = (double)p.k_b, n = (double)p.n;
    double low = q->b_low / RCM_BEYOND_MARGIN,
           high = q->b_high > 0.0 ? q->b_high * RCM_BEYOND_MARGIN : n;
    if (q->candidates_high > 0.0) {
        low = fmax(low, q->candidates_low / RCM_BEYOND_MARGIN / k_b);
        /* of at least n candidates there are n */
        if (q->candidates_high * RCM_BEYOND_MARGIN < n)
            high = fmin(high, q->candidates_high * RCM_BEYOND_MARGIN / k_b);
    }
    if (beyond_but_b(q, p) || !(low <= n))
        return (struct rcm_range){0, 0};
    return (struct rcm_range){(uint64_t)ceil(low), (uint64_t)fmin(high, n)};
}

void rcm_beyond_text(unsigned beyond, char text[RCM_BEYOND_TEXT])
{
    static const char *const names[] = {"n", "k", "b", "k_b", "m", "kernel", "b k_b"};
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

static const struct rcm_prediction no_prediction = {
    .time_us = NAN, .stage1_us = NAN, .stage2_us = NAN, .low_us = NAN, .high_us = NAN};

/* ---- both stages */

/* Does the profile have what stage 1 needs, whatever the shape? */
static bool predicts_stage1(const struct rcm_profile *q)
{
    if (!q->kernel || !q->kernel->work)
        return false;
    if (q->kernel->exact_only)
        return false;
    if (q->kernel->cpu)
        return time_cpu_is_whole(q);
    if (q->kernel->times_only) /* a fit to exact top-k alone tells nothing about stage 1 */
        return !(q->run_count == 0.0 && q->exact_count > 0.0);
    const struct rcm_time_parameter *parameter;
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++)
        if (parameter->always && !(rcm_time_value(q, parameter) > 0.0))
            return false;
    return true;
}

const char *rcm_profile_lacks(const struct rcm_profile *q)
{
    bool any = false;
    if (!q->kernel || !q->kernel->work)
        return "lacks a kernel whose times can be predicted";
    if (q->kernel->exact_only)
        return time_exact_is_whole(q) ? NULL
                                      : "has none of launch_us, row_us, long_us; give at least one";
    if (q->kernel->cpu)
        return time_cpu_is_whole(q) ? NULL
                                    : "lacks one of launch_us, l3_bytes_per_s, roof_bytes_per_s; "
                                      "recallmodel calibrate writes all of them";
    const struct rcm_time_parameter *parameter;
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++)
        any = any || (rcm_time_value(q, parameter) > 0.0 &&
                      (q->kernel->times_only ? parameter->times_only : parameter->k_b > 0));
    if (q->kernel->times_only)
        return any ? NULL
                   : "has none of launch_us, roof_bytes_per_s, operations_per_s, select_launch_us, "
                     "..; give at least one";
    return !predicts_stage1(q) ? "lacks one of launch_us, block_us, blocks_at_once, insert_us, "
                                 "memory_ratio, cache_bytes, roof_bytes_per_s, "
                                 "lines_per_us; recallmodel calibrate writes all of them"
           : !any              ? "has none of element_us_1, .. element_us_16; give at least one"
                               : NULL;
}

/* The short model: a roofline with fitted rates, a start, and stage 2. A parameter that is 0 drops
 * its term. */
static struct rcm_prediction predict_by_short_model(const struct rcm_profile *q, struct rcm_topk p)
{
    const double n = (double)p.n, m = shape_rows(p), bytes = rcm_dtype_bytes(q->dtype);
    const double candidates = (double)rcm_candidates(p),
                 moved = m * (n * bytes + candidates * (bytes + 8.0));
    const double memory = q->roof_bytes_per_s > 0.0 ? 1e6 * moved / q->roof_bytes_per_s : 0.0;
    const double vector = 1e6 * m * n * (5.0 * (double)p.k_b - 2.0);
    const double operations = q->operations_per_s > 0.0 ? vector / q->operations_per_s : 0.0;
    const struct time_term parts[] = {
        {"launch", q->launch_us}, {"memory", memory}, {"operations", operations}};
    struct rcm_prediction r = no_prediction;
    const bool second = rcm_candidates(p) > p.k;
    r.bound = time_largest(parts, sizeof parts / sizeof *parts);
    r.stage2 = second ? "one block" : "none";
    r.stage1_us = q->launch_us + time_overlap(memory, operations, 0.0, 0.0);
    r.stage2_us =
        second ? q->select_launch_us + (q->select_element_us + q->select_batch_us * m) * candidates
               : 0.0;
    r.time_us = r.stage1_us + r.stage2_us > 0.0 ? r.stage1_us + r.stage2_us : NAN;
    return r;
}

/* The whole model: what the kernel starts for p, and what it waits for. */
static struct rcm_prediction predict_by_work(const struct rcm_profile *q, struct rcm_topk p)
{
    struct rcm_prediction r = no_prediction;
    const double n = (double)p.n, k = (double)p.k, k_b = (double)p.k_b, m = shape_rows(p);
    const double bytes = rcm_dtype_bytes(q->dtype), candidates = (double)rcm_candidates(p),
                 roof = q->roof_bytes_per_s * 1e-6;
    const struct rcm_work work = q->kernel->work(p, bytes);

    const double read = n * m * bytes, from_memory = time_memory_part(q, read);
    /* While a warp has read less than its queues hold, each step inserts; later steps insert ever
     * less often. */
    const double queue = 32.0 * k_b;
    const double thread =
        work.elements * time_element_us(q, p.k_b) * (1.0 + (q->memory_ratio - 1.0) * from_memory) +
        (work.inserts ? q->insert_us * k_b * queue * log1p(work.elements / queue) : 0.0);
    const double waves = fmax(1.0, ceil(work.blocks / q->blocks_at_once));
    const double merge = work.merges && !(q->merge_us > 0.0) ? NAN
                         : work.merges                       ? q->merge_us * (k_b + 3.0) *
                                             (1.0 + work.blocks / (MERGE_SHARE * q->blocks_at_once))
                                       : 0.0;
    const double memory = (read * from_memory + m * candidates * (bytes + 8.0)) / roof;
    const double lines = work.lines / q->lines_per_us, starts = q->block_us * work.blocks;
    r.stage1_us = q->launch_us + merge + time_overlap(thread * waves, memory, lines, starts);
    const struct time_term parts[] = {{"launch", q->launch_us},
                                      {"merge", merge},
                                      {waves > 1.0 ? "waves" : "threads", thread * waves},
                                      {"memory", memory},
                                      {"lines", lines},
                                      {"blocks", starts}};
    r.bound = time_largest(parts, sizeof parts / sizeof *parts);

    const bool split = q->kernel->splits(m, candidates);
    /* for each result: read a sector of indices, write the value and the index */
    const double gather_us = m * k * (32.0 + bytes + 8.0) / roof;
    r.stage2 = candidates > k ? split ? "split" : "one block" : "none";
    r.stage2_us =
        candidates > k ? q->launch_us + select_us(q, m, candidates, split) + gather_us : 0.0;
    r.time_us = r.stage1_us + r.stage2_us;
    return r;
}

static double low_of(double ratio)
{
    return ratio > 0.0 ? ratio : 1.0;
}

struct rcm_prediction rcm_predict(const struct rcm_profile *q, struct rcm_topk p)
{
    double low = q->held_out_p05_ratio, high = q->held_out_p95_ratio;
    if (rcm_check(p) != RCM_OK || !predicts_stage1(q))
        return no_prediction;
    struct rcm_prediction r = q->kernel->cpu          ? time_cpu_predict(q, p)
                              : q->kernel->times_only ? predict_by_short_model(q, p)
                                                      : predict_by_work(q, p);
    set_beyond(&r, beyond_runs(q, p));
    /* the band of a stand-in is of runs that lie beyond */
    if (!r.within_runs && (!q->stands_in_for || q->own_band)) {
        low = fmin(low_of(low), RCM_BEYOND_LOW_RATIO);
        high = fmax(high, RCM_BEYOND_HIGH_RATIO);
    }
    if (time_is_contiguous(q, p)) {
        const double more = /* of a CPU it is there already */
            q->kernel->cpu ? 0.0 : (q->contiguous_ratio - 1.0) * (r.stage1_us - q->launch_us);
        r.stage1_us += more;
        r.time_us += more;
        low = fmin(low, low_of(q->contiguous_p05_ratio));
        high = fmax(high, q->contiguous_p95_ratio);
    }
    set_band(&r, low, high);
    return r;
}

struct rcm_prediction rcm_predict_as(const struct rcm_profile *q, const struct rcm_kernel *kernel,
                                     struct rcm_topk p)
{
    if (!q->kernel || !kernel->work || strcmp(kernel->family, q->kernel->family) != 0 ||
        rcm_check(p) != RCM_OK)
        return no_prediction;
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

/* The short model. It cannot tell the start of stage 2 from that of stage 1 if every run had both.
 * Runs of buckets alone that do not determine the time of a candidate tell nothing about all n. */
static double exact_by_short_model(const struct rcm_profile *q, double m, double n)
{
    const double start = q->select_launch_us > 0.0 ? q->select_launch_us : q->launch_us;
    const double each = q->select_element_us + q->select_batch_us * m;
    return each == 0.0 && q->run_count > 0.0 && q->exact_count == 0.0 ? NAN
           : start + each * n > 0.0                                   ? start + each * n
                                                                      : NAN;
}

/* Were there runs, but none of exact top-k? Stage 2 of a few candidates tells nothing about a whole
 * row. A profile written by hand, without counts, is taken at its word. */
static bool knows_no_exact(const struct rcm_profile *q)
{
    return q->run_count > 0.0 && q->exact_count == 0.0;
}

double rcm_predict_exact(const struct rcm_profile *q, struct rcm_topk p)
{
    const double n = (double)p.n, m = shape_rows(p), bytes = rcm_dtype_bytes(q->dtype);
    p.b = p.k_b = 1;
    if (knows_no_exact(q))
        return NAN;
    if (rcm_check(p) != RCM_OK || !q->kernel || !(q->kernel->splits || q->kernel->exact_only))
        return NAN;
    if (q->kernel->exact_only)
        return time_exact_us(q, p);
    if (q->kernel->cpu)
        return time_cpu_exact_us(q, p);
    if (q->kernel->times_only)
        return exact_by_short_model(q, m, n);
    return select_us(q, m, n, q->kernel->splits(m, n)) +
           m * (double)p.k * (bytes + 8.0) / (q->roof_bytes_per_s * 1e-6);
}

struct rcm_prediction rcm_predict_exact_band(const struct rcm_profile *q, struct rcm_topk p)
{
    struct rcm_prediction r = no_prediction;
    r.time_us = r.stage2_us = rcm_predict_exact(q, p);
    if (isnan(r.time_us))
        return r;
    r.stage1_us = 0.0;
    r.bound = "none";
    r.stage2 = q->kernel->exact_only                           ? time_exact_way(q, p)
               : q->kernel->cpu                                ? time_cpu_way(q, p)
               : q->kernel->splits(shape_rows(p), (double)p.n) ? "split"
                                                               : "one block";
    set_band(&r, q->held_out_exact_p05_ratio, q->held_out_exact_p95_ratio);
    const double elements = shape_rows(p) * (double)p.n;
    set_beyond(&r, (beyond_but_b(q, p) & ~(unsigned)RCM_BEYOND_K_B) |
                       (q->exact_count > 0.0 ? 0 : RCM_BEYOND_N) |
                       (q->elements_high > 0.0 && elements > RCM_BEYOND_SLACK * q->elements_high
                            ? RCM_BEYOND_M
                            : 0));
    return r;
}

double rcm_predict_threshold(const struct rcm_profile *q, struct rcm_topk p, double reaching)
{
    const double both_stages = rcm_predict(q, p).time_us, k = (double)p.k, m = shape_rows(p);
    if (isnan(both_stages) || !(reaching >= k) || !(q->roof_bytes_per_s > 0.0))
        return NAN;
    if (q->kernel->cpu) /* its exact top-k is by threshold, with groups of its own */
        return rcm_predict_exact(q, p);
    const double bytes = rcm_dtype_bytes(q->dtype), roof = q->roof_bytes_per_s * 1e-6,
                 read = (double)p.n * m * bytes, from_memory = time_memory_part(q, read);
    const double memory = (read * from_memory + m * reaching * (bytes + 8.0)) / roof;
    const double lines = q->lines_per_us > 0.0 ? read / 128.0 / q->lines_per_us : 0.0;
    double last = 0.0;
    if (reaching > k)
        last = q->launch_us + m * k * (bytes + 8.0) / roof +
               (q->kernel->times_only ? exact_by_short_model(q, m, reaching)
                                      : select_us(q, m, reaching, q->kernel->splits(m, reaching)));
    return both_stages + q->launch_us + time_overlap(memory, lines, 0.0, 0.0) + last;
}
