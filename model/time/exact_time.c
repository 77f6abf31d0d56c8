/* exact_time.c - how long a kernel takes that only finds the exact top-k: see time_terms.h, and
 * docs/models.md 19.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/shape/shape.h>

#include "time_terms.h"

static const char *lacks(const struct rcm_profile *q)
{
    return q->launch_us > 0.0 || q->row_us > 0.0 || q->long_us > 0.0
               ? NULL
               : "has none of launch_us, row_us, long_us; give at least one";
}

static bool is_long(const struct rcm_profile *q, double m, double n)
{
    return q->kernel->splits ? q->kernel->splits(m, n) : q->long_n > 0.0 && n >= q->long_n;
}

/* How often rows follow each other where the device holds `at_once` of them: 1 for few rows,
 * m/at_once for many, and smooth between the two. */
static double waves_of(double m, double at_once)
{
    return at_once > 0.0 ? time_overlap(1.0, m / at_once, 0.0, 0.0) : 1.0;
}

static double exact_us(const struct rcm_profile *q, struct rcm_topk p)
{
    const double n = (double)p.n, m = shape_rows(p), waves = waves_of(m, q->rows_at_once);
    const double read = m * n * rcm_dtype_bytes(q->dtype),
                 memory = q->roof_bytes_per_s > 0.0 ? 1e6 * read / q->roof_bytes_per_s : 0.0;
    if (p.k >= p.n || lacks(q))
        return NAN;
    if (!is_long(q, m, n))
        return q->launch_us +
               time_overlap(waves * (q->row_us + q->row_element_us * n), memory, 0.0, 0.0);
    if (q->kernel->once)
        return q->launch_us + q->long_us + time_overlap(q->long_element_us * n, memory, 0.0, 0.0);
    return q->launch_us +
           time_overlap(waves * (q->long_us + q->long_element_us * n), memory, 0.0, 0.0);
}

static const char *exact_way(const struct rcm_profile *q, struct rcm_topk p)
{
    return is_long(q, shape_rows(p), (double)p.n) ? "long" : "short";
}

const struct time_model time_of_exact = {
    .lacks = lacks,
    .exact_us = exact_us,
    .exact_way = exact_way,
};
