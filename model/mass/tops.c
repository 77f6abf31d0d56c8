/* tops.c - see tops.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tops.h"

#include <math.h>
#include <stdlib.h>

#include <model/distribution/distribution.h>
#include <model/shape/classes.h>

#define NEVER 1e-18 /* of the largest probability */

static int one_bucket(struct tops *t, struct distribution dist, uint64_t k_b)
{
    const double sd = sqrt(distribution_variance(dist)), mean = distribution_mean(dist);
    const int64_t low = (int64_t)fmax(mean - 12.0 * sd - 20.0, 0.0);
    const int64_t above = (int64_t)k_b + 1;
    t->first = (uint64_t)(low > above ? low : above);
    t->probability = malloc(TOPS_MOST * sizeof *t->probability);
    if (!t->probability)
        return -1;
    double most = 0.0;
    for (int64_t x = (int64_t)t->first; x <= distribution_high(dist); x++) {
        const double probability = distribution_point(dist, x);
        if ((double)x > mean && probability <= NEVER * most)
            break;
        if (t->length == TOPS_MOST)
            return -1;
        most = fmax(most, probability);
        t->probability[t->length++] = probability;
    }
    return 0;
}

/* Given the one, the other has the distribution of a row without that bucket and its top
 * elements. */
static int two_buckets(struct row_tops *tops, uint64_t n, unsigned c, unsigned d)
{
    const struct tops *one = &tops->of[c], *other = &tops->of[d];
    double *joint = malloc((one->length * other->length + 1) * sizeof *joint);
    tops->joint[c][d] = joint;
    if (!joint)
        return -1;
    for (size_t x = 0; x < one->length; x++) {
        const uint64_t taken = one->first + x;
        const struct distribution rest = {(int64_t)(n - one->size), (int64_t)(tops->k - taken),
                                          (int64_t)other->size, false};
        for (size_t y = 0; y < other->length; y++)
            *joint++ =
                rest.k > 0 && rest.n > 0 && rest.k <= rest.n && rest.s <= rest.n
                    ? one->probability[x] * distribution_point(rest, (int64_t)(other->first + y))
                    : 0.0;
    }
    return 0;
}

int row_tops(struct rcm_topk p, struct row_tops *tops)
{
    const struct rcm_buckets buckets = rcm_buckets_of(p);
    *tops = (struct row_tops){.k = p.k, .k_b = p.k_b};
    if (buckets.classes == 0)
        return -1;
    const uint64_t n = classes_elements(&buckets);
    for (unsigned c = 0; c < buckets.classes; c++) {
        struct tops *t = &tops->of[tops->classes];
        if (buckets.of[c].size <= p.k_b || p.k <= p.k_b)
            continue;
        *t = (struct tops){.size = buckets.of[c].size, .count = buckets.of[c].count};
        tops->classes++;
        if (one_bucket(t, distribution_of_class(&buckets, c, p.k), p.k_b) != 0)
            return -1;
    }
    for (unsigned c = 0; c < tops->classes; c++)
        for (unsigned d = c; d < tops->classes; d++)
            if ((c != d || tops->of[c].count > 1) && two_buckets(tops, n, c, d) != 0)
                return -1;
    return 0;
}

void row_tops_free(struct row_tops *tops)
{
    for (unsigned c = 0; c < tops->classes; c++) {
        free(tops->of[c].probability);
        for (unsigned d = c; d < tops->classes; d++)
            free(tops->joint[c][d]);
    }
    tops->classes = 0;
}
