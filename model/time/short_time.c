/* short_time.c - the model of a kernel of which only times are known (docs/models.md 14): see
 * time_terms.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/shape/shape.h>

#include "time_terms.h"

/* The short model: a roofline with fitted rates, a start, and stage 2. A parameter that is 0 drops
 * its term. */
static struct rcm_prediction predict(const struct rcm_profile *q, struct rcm_topk p)
{
    const double n = (double)p.n, m = shape_rows(p), bytes = rcm_dtype_bytes(q->dtype);
    const double candidates = (double)rcm_candidates(p),
                 moved = m * (n * bytes + candidates * (bytes + 8.0));
    const double memory = q->roof_bytes_per_s > 0.0 ? 1e6 * moved / q->roof_bytes_per_s : 0.0;
    const double vector = 1e6 * m * n * (5.0 * (double)p.k_b - 2.0);
    const double operations = q->operations_per_s > 0.0 ? vector / q->operations_per_s : 0.0;
    const struct time_term parts[] = {
        {"launch", q->launch_us}, {"memory", memory}, {"operations", operations}};
    struct rcm_prediction r = time_unknown;
    if (q->run_count == 0.0 && q->exact_count > 0.0) /* that tells nothing about stage 1 */
        return r;
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

/* The short model. It cannot tell the start of stage 2 from that of stage 1 if every run had both.
 * Runs of buckets alone that do not determine the time of a candidate tell nothing about all n. */
static double select_us(const struct rcm_profile *q, double m, double n)
{
    const double start = q->select_launch_us > 0.0 ? q->select_launch_us : q->launch_us;
    const double each = q->select_element_us + q->select_batch_us * m;
    return each == 0.0 && q->run_count > 0.0 && q->exact_count == 0.0 ? NAN
           : start + each * n > 0.0                                   ? start + each * n
                                                                      : NAN;
}

static double exact_us(const struct rcm_profile *q, struct rcm_topk p)
{
    return select_us(q, shape_rows(p), (double)p.n);
}

static const char *lacks(const struct rcm_profile *q)
{
    const struct rcm_time_parameter *parameter;
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++)
        if (parameter->start[RCM_TIME_SHORT] > 0.0 && !parameter->contiguous &&
            rcm_time_value(q, parameter) > 0.0)
            return NULL;
    return "has none of launch_us, roof_bytes_per_s, operations_per_s, select_launch_us, ..; give "
           "at least one";
}

const struct time_model time_short = {
    .lacks = lacks,
    .predict = predict,
    .exact_us = exact_us,
    .exact_way = time_way_of_splits,
    .select_us = select_us,
};
