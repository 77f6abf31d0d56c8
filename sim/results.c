/* results.c - the results of a simulation, from what it counted: see simulate.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "simulation_state.h"

/* The window without its empty ends, which depend on the order in which it grew. */
static struct sim_lost lost_of(const struct histogram *h, uint64_t most)
{
    size_t first = 0, end = h->length;
    while (end > 0 && h->count[end - 1] == 0)
        end--;
    while (first < end && h->count[first] == 0)
        first++;
    return (struct sim_lost){h->first + first, end - first, h->count ? h->count + first : NULL,
                             most};
}

static const struct tally *tally_of(const struct simulation *s, size_t rho, size_t shuffle,
                                    size_t shape)
{
    return &s->total.of_results[sim_result_index(&s->spec, rho, shuffle, shape)];
}

struct sim_result simulation_result(const struct simulation *s, size_t rho, size_t shuffle,
                                    size_t shape)
{
    const struct tally *tally = tally_of(s, rho, shuffle, shape);
    const struct histogram *lost = &tally->lost;
    const struct sim_shape *wanted = &s->spec.shape[shape];
    struct buckets buckets = buckets_of(wanted->assignment, s->spec.n, wanted->b);
    struct spread spread = histogram_spread(lost);
    double k = (double)s->spec.k, rows = (double)spread.rows;
    uint64_t exact = lost->length && lost->first == 0 ? lost->count[0] : 0;
    struct sim_result r = {
        .rows = spread.rows,
        .recall_mean = (k - spread.mean) / k,
        .recall_sd = spread.sd / k,
        .recall_stderr = spread.sd / k / sqrt(rows),
        .recall_worst = (k - (double)spread.largest) / k,
        .recall_p01 = (k - (double)histogram_upper(lost, 1)) / k,
        .recall_p05 = (k - (double)histogram_upper(lost, 5)) / k,
        .recall_p50 = (k - (double)histogram_upper(lost, 50)) / k,
        .recall_value_mean = (k - (double)tally->lost_by_value / rows) / k,
        .exact_rows = (double)exact / rows,
        .certified_rows = (double)tally->certified / rows,
        .mass_mean = 1.0 - shares_mean(&tally->mass),
        .mass_worst = 1.0 - shares_worst(&tally->mass),
        .value_mean = 1.0 - shares_mean(&tally->value),
        .value_worst = 1.0 - shares_worst(&tally->value),
        .value_rows = tally->value.rows,
        .reaching_mean = k + reaching_mean(&tally->reaching),
        .reaching_sd = reaching_sd(&tally->reaching),
        .reaching_worst = k + reaching_largest(&tally->reaching),
        .survived = tally->survived,
        .lost = lost_of(lost, buckets_most_lost(&buckets, s->spec.valid, s->spec.k, wanted->k_b)),
    };
    return r;
}

struct sim_rows simulation_rows(const struct simulation *s, size_t rho)
{
    const struct row_tally *rows = &s->total.rows[rho];
    return (struct sim_rows){rows->rows, rows->with_nan, rows->short_rows,
                             1.0 - shares_mean(&rows->outside)};
}

size_t simulation_groups(const struct simulation *s)
{
    return s->total.lengths.groups;
}

struct sim_group simulation_group(const struct simulation *s, size_t rho, size_t shuffle,
                                  size_t shape, size_t group)
{
    const struct group_tally *tally = &tally_of(s, rho, shuffle, shape)->by_group[group];
    const double elements = (double)tally->rows * (double)s->spec.k;
    return (struct sim_group){{tally->rows, tally->lost},
                              (elements - (double)tally->lost) / elements,
                              1.0 - shares_mean(&tally->mass)};
}
