/* work_time.c - the model of a kernel of which it is known what it starts for a shape, and then
 * waits for (docs/models.md 14): see time_terms.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/shape/shape.h>

#include "time_terms.h"

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
static double select_us(const struct rcm_profile *q, double m, double c)
{
    const bool split = q->kernel->splits(m, c);
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

/* The whole model: what the kernel starts for p, and what it waits for. */
static struct rcm_prediction predict(const struct rcm_profile *q, struct rcm_topk p)
{
    struct rcm_prediction r = time_unknown;
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
    r.stage2_us = candidates > k ? q->launch_us + select_us(q, m, candidates) + gather_us : 0.0;
    r.time_us = r.stage1_us + r.stage2_us;
    return r;
}

static double exact_us(const struct rcm_profile *q, struct rcm_topk p)
{
    const double m = shape_rows(p), bytes = rcm_dtype_bytes(q->dtype);
    return select_us(q, m, (double)p.n) +
           m * (double)p.k * (bytes + 8.0) / (q->roof_bytes_per_s * 1e-6);
}

static const char *lacks(const struct rcm_profile *q)
{
    const struct rcm_time_parameter *parameter;
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++)
        if (parameter->k_b > 0 && rcm_time_value(q, parameter) > 0.0)
            return NULL;
    return "has none of element_us_1, .. element_us_16; give at least one";
}

const struct time_model time_by_work = {
    .lacks = lacks,
    .needs = true,
    .predict = predict,
    .exact_us = exact_us,
    .exact_way = time_way_of_splits,
    .select_us = select_us,
};
