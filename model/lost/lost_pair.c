/* lost_pair.c - see lost_pair.h.
 *
 * X in one bucket is hypergeometric, k - X in the other. With far = max(k_b, k - k_b) at least
 * max(0, k - 2 k_b) are lost, and lost = max(0, k - 2 k_b) + (X - far)+ + (k - X - far)+, of which
 * only one part can be positive. So P(lost = least + y) = P(X = far + y) + P(k - X = far + y) for y
 * > 0.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lost_pair.h"

#include <math.h>
#include <stdlib.h>

#include <model/distribution/distribution.h>

static const double negligible = 1e-20;
/* steps after which a term is computed anew: a walk by ratios drifts by 2e-17 a step */
enum { ANCHOR = 4096 };

/* One bucket beyond `far`: the terms in [first, last] that are not negligible; none where last <
 * first. */
struct part {
    struct distribution dist;
    int64_t start; /* where the terms fall on both sides */
    int64_t first, last;
};

/* Walks from `start` in steps of +1 or -1 to the last term that is not negligible, at most `most`
 * steps. Adds the terms to p[x - at] if p is not NULL. Returns the last x. */
static int64_t walk(const struct part *part, int64_t step, int64_t end, size_t most, double *p,
                    int64_t at)
{
    const struct distribution dist = part->dist;
    int64_t x = part->start;
    double term = distribution_probability(dist, x);
    for (size_t i = 1; x != end && term > negligible && i <= most; i++) {
        if (i % ANCHOR == 0)
            term = distribution_probability(dist, x + step);
        else
            term = step > 0 ? term * distribution_ratio(dist, x)
                            : term / distribution_ratio(dist, x - 1);
        x += step;
        if (p)
            p[x - at] += term;
    }
    return x;
}

static struct part part_of(uint64_t n, uint64_t k, uint64_t size, int64_t far, size_t most)
{
    struct part part = {
        .dist = {(int64_t)n, (int64_t)k, (int64_t)size, false}, .first = far + 1, .last = far};
    const int64_t high = distribution_high(part.dist), low = distribution_low(part.dist),
                  mode = distribution_mode(part.dist);
    if (high <= far)
        return part;
    part.start = mode > far ? mode : far + 1;
    part.last = walk(&part, 1, high, most, NULL, 0);
    part.first = walk(&part, -1, low > far ? low : far + 1, most, NULL, 0);
    return part;
}

static void add_part(const struct part *part, double *p, int64_t at)
{
    if (part->last < part->first)
        return;
    p[part->start - at] += distribution_probability(part->dist, part->start);
    walk(part, 1, part->last, SIZE_MAX, p, at);
    walk(part, -1, part->first, SIZE_MAX, p, at);
}

int lost_of_pair(uint64_t size, uint64_t other_size, uint64_t k, uint64_t k_b, size_t most,
                 struct rcm_lost *dist)
{
    const int64_t far = (int64_t)(k_b > k - k_b ? k_b : k - k_b);
    const struct part parts[2] = {part_of(size + other_size, k, size, far, most),
                                  part_of(size + other_size, k, other_size, far, most)};
    double least_probability = 1.0; /* P(least is lost) */
    int64_t first = INT64_MAX, last = far;
    for (int i = 0; i < 2; i++) {
        least_probability -= distribution_sf(parts[i].dist, far);
        if (parts[i].last < parts[i].first)
            continue;
        first = parts[i].first < first ? parts[i].first : first;
        last = parts[i].last > last ? parts[i].last : last;
    }
    if (first == INT64_MAX || first == far + 1) /* the terms reach down to far */
        first = far;
    if ((uint64_t)(last - first) >= most)
        return -1;
    const size_t length = (size_t)(last - first + 1);
    double *p = calloc(length, sizeof *p);
    if (!p)
        return -1;
    if (first == far)
        p[0] = fmax(0.0, least_probability);
    for (int i = 0; i < 2; i++)
        add_part(&parts[i], p, first);
    dist->first = (k / 2 >= k_b ? k - 2 * k_b : 0) + (uint64_t)(first - far);
    dist->length = length;
    dist->probability = p;
    return 0;
}
