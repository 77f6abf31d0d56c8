/* distribution_ranges.c - see distribution_ranges.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "distribution_ranges.h"

#include <math.h>
#include <stdlib.h>

#include <base/memory.h>

/* Sums the distribution once, from its first element on. */
struct walk {
    const struct rcm_lost *dist;
    size_t next;
    double sum, rounding; /* P(lost < first + next); a million roundings would add up to 1e-12 */
};

/* Adds what comes before dist->first + `end`. Returns its probability. */
static double walk_to(struct walk *w, size_t end)
{
    double part = 0.0;
    for (; w->next < end; w->next++) {
        const double p = w->dist->probability[w->next], sum = w->sum + p, added = sum - w->sum;
        w->rounding += (w->sum - (sum - added)) + (p - added);
        w->sum = sum;
        part += p;
    }
    return part;
}

/* Puts a range that ends before dist->first + `end`. */
static void put_range(struct lost_ranges *ranges, struct walk *w, size_t end)
{
    const uint64_t from = w->dist->first + w->next;
    const double probability = walk_to(w, end);
    const bool last = end == w->dist->length;
    ranges->items =
        array_grow(ranges->items, ranges->length, &ranges->capacity, sizeof *ranges->items);
    ranges->items[ranges->length++] =
        (struct lost_range){.from = from,
                            .to = w->dist->first + end - 1,
                            .probability = fmax(probability, 0.0),
                            .at_most = last ? 1.0 : fmin(w->sum + w->rounding, 1.0)};
}

/* The elements dist->first + [*low, *high) with a probability of at most `tail` on either side, at
 * least one. The distribution is not empty. */
static void cut_tails(const struct rcm_lost *dist, double tail, size_t *low, size_t *high)
{
    double below = 0.0, above = 0.0;
    *low = 0;
    *high = dist->length;
    while (*low + 1 < *high && (below += dist->probability[*low]) <= tail)
        ++*low;
    while (*high - 1 > *low && (above += dist->probability[*high - 1]) <= tail)
        --*high;
}

struct lost_ranges distribution_bulk(const struct rcm_lost *dist, double tail, size_t most)
{
    struct lost_ranges ranges = {.step = 1};
    struct walk walk = {.dist = dist};
    size_t low, high;
    if (dist->length == 0)
        return ranges;
    cut_tails(dist, tail, &low, &high);
    const size_t step = (high - low + most - 1) / most;
    ranges.step = step;
    walk_to(&walk, low);
    while (walk.next < high)
        put_range(&ranges, &walk, high - walk.next < step ? high : walk.next + step);
    return ranges;
}

struct lost_ranges distribution_all(const struct rcm_lost *dist, size_t most)
{
    return distribution_bulk(dist, RCM_LOST_MAX_ERROR, most);
}

/* The first of 1, 2, 5, 10, .. with which the elements from `low` to `high` lie in at most `most`
 * ranges that begin at its multiples. */
static uint64_t round_step(uint64_t low, uint64_t high, size_t most)
{
    uint64_t step = 1, ten = 1;
    while (high / step - low / step >= most) {
        const uint64_t digit = step / ten;
        ten *= digit == 5 ? 10 : 1;
        step = digit == 5 ? ten : digit == 2 ? 5 * ten : 2 * ten;
    }
    return step;
}

struct lost_ranges distribution_to_read(const struct rcm_lost *dist, size_t most)
{
    struct lost_ranges ranges = {.step = 1};
    struct walk walk = {.dist = dist};
    size_t low, high, first, end;
    if (dist->length == 0)
        return ranges;
    cut_tails(dist, 1e-9, &first, &end);
    cut_tails(dist, 1e-3, &low, &high);
    if (end - first <= most) { /* every element */
        low = first;
        high = end;
    }
    const uint64_t step = round_step(dist->first + low, dist->first + high - 1, most);
    const uint64_t begin = (dist->first + low) / step * step;
    ranges.step = step;
    walk_to(&walk, first);
    if (begin > dist->first + first)
        put_range(&ranges, &walk, (size_t)(begin - dist->first));
    while (walk.next < high) {
        const uint64_t behind = (dist->first + walk.next) / step * step + step;
        put_range(&ranges, &walk,
                  behind - dist->first > end ? end : (size_t)(behind - dist->first));
    }
    if (walk.next < end)
        put_range(&ranges, &walk, end);
    return ranges;
}

void lost_ranges_free(struct lost_ranges *ranges)
{
    free(ranges->items);
    *ranges = (struct lost_ranges){0};
}
