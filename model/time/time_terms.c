/* time_terms.c - see time_terms.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "time_terms.h"

#include <math.h>

#include <model/shape/shape.h>

double time_overlap(double a, double b, double c, double d)
{
    const double most = fmax(fmax(a, b), fmax(c, d));
    if (!(most > 0.0))
        return most;
    a /= most, b /= most, c /= most, d /= most;
    return most * cbrt(a * a * a + b * b * b + c * c * c + d * d * d);
}

const struct rcm_prediction time_unknown = {
    .time_us = NAN, .stage1_us = NAN, .stage2_us = NAN, .low_us = NAN, .high_us = NAN};

double time_element_us(const struct rcm_profile *q, uint64_t k_b)
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
    /* beyond the last of them, comparisons grow with k_b */
    return low == 16.0 ? low_us * at / low : NAN;
}

double time_memory_part(const struct rcm_profile *q, double read)
{
    const double share = q->cache_bytes / read;
    return 1.0 / (1.0 + share * share);
}

bool rcm_profile_knows(const struct rcm_profile *q, enum rcm_assignment assignment)
{
    return assignment == RCM_INTERLEAVED ? !q->kernel->contiguous
                                         : q->kernel->contiguous || q->contiguous_ratio > 0.0 ||
                                               q->contiguous_bucket_us > 0.0;
}

bool time_is_contiguous(const struct rcm_profile *q, struct rcm_topk p)
{
    return p.assignment != RCM_INTERLEAVED && !q->kernel->contiguous &&
           rcm_profile_knows(q, p.assignment);
}

const char *time_way_of_splits(const struct rcm_profile *q, struct rcm_topk p)
{
    return q->kernel->splits(shape_rows(p), (double)p.n) ? "split" : "one block";
}

const char *time_largest(const struct time_term *terms, size_t count)
{
    size_t most = 0;
    for (size_t i = 1; i < count; i++)
        if (terms[i].us > terms[most].us)
            most = i;
    return terms[most].name;
}
