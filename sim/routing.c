/* routing.c - see routing.h. Plain: every row is drawn and searched again for each selection.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "routing.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <sim/rows/random.h>

struct work {
    uint64_t *words, *exact_count, *count;
    double *x, *weight, *choice, *group;
    bool *true_top, *taken, *open, *all;
};

/* Sums over rows of the lost weight y and the weight x, for their ratio. */
struct ratio {
    double y, x, yy, xy, xx;
};

static void add_ratio(struct ratio *r, double y, double x)
{
    r->y += y;
    r->x += x;
    r->yy += y * y;
    r->xy += x * y;
    r->xx += x * x;
}

static struct sim_mean ratio_of(const struct ratio *r)
{
    const double q = r->y / r->x, square = r->yy - 2.0 * q * r->xy + q * q * r->xx;
    return (struct sim_mean){q, sqrt(fmax(square, 0.0)) / r->x};
}

/* Marks the `count` largest of those that are allowed. */
static void take_largest(const double *score, const bool *allowed, uint64_t n, uint64_t count,
                         bool *taken)
{
    memset(taken, 0, (size_t)n * sizeof *taken);
    for (; count > 0; count--) {
        uint64_t best = n;
        for (uint64_t i = 0; i < n; i++)
            if (!taken[i] && allowed[i] && (best == n || score[i] > score[best]))
                best = i;
        taken[best] = true;
    }
}

static double rounded(const struct sim_routing *spec, double x)
{
    return spec->rounding ? rounded_to(spec->rounding, x) : x;
}

static double score_of(const struct sim_routing *spec, double logit, double x)
{
    if (spec->scores == SIM_SCORES_UNIFORM)
        return 0.5 * erfc(-x * sqrt(0.5));
    if (spec->logit_sd == 0.0)
        return x;
    return spec->scores == SIM_SCORES_SIGMOID ? 1.0 / (1.0 + exp(-logit)) : exp(logit);
}

/* The order of exact scores is that of x: a sigmoid has no digits left above 37. */
static void draw_row(const struct sim_routing *spec, struct work *w, uint64_t row)
{
    const struct random_key key = random_key(spec->seed, RANDOM_ROUTING, 0);
    random_words(key, row, w->words, 2 * (size_t)spec->n);
    random_normals(key, row, w->words, w->x, 2 * (size_t)spec->n);
    for (uint64_t i = 0; i < spec->n; i++) {
        const double logit = spec->logit_sd * w->x[i];
        const bool equal = spec->logit_sd == 0.0 && spec->scores != SIM_SCORES_UNIFORM;
        w->weight[i] = equal ? 1.0 : score_of(spec, logit, w->x[i]);
        w->choice[i] = rounded(spec, score_of(spec, rounded(spec, logit), w->x[i])) +
                       spec->bias_sd * w->x[spec->n + i];
    }
    take_largest(w->x, w->all, spec->n, spec->k, w->true_top);
}

/* The experts of the best groups, by the sum of their `best` largest. */
static void open_groups(const struct sim_routing *spec, struct work *w, unsigned best)
{
    const uint64_t groups = spec->n / spec->size;
    for (uint64_t g = 0; g < groups; g++) {
        double first = -INFINITY, second = -INFINITY;
        for (uint64_t i = g * spec->size; i < (g + 1) * spec->size; i++)
            if (w->choice[i] > first) {
                second = first;
                first = w->choice[i];
            } else if (w->choice[i] > second)
                second = w->choice[i];
        w->group[g] = best == 1 ? first : first + second;
    }
    take_largest(w->group, w->all, groups, spec->kept, w->taken);
    for (uint64_t i = 0; i < spec->n; i++)
        w->open[i] = w->taken[i / spec->size];
}

static void select_by(const struct sim_routing *spec, struct work *w, unsigned selection)
{
    if (selection != SIM_UNGROUPED)
        open_groups(spec, w, selection == SIM_BY_BEST ? 1 : 2);
    take_largest(w->choice, selection == SIM_UNGROUPED ? w->all : w->open, spec->n, spec->k,
                 w->taken);
}

static struct sim_load load_of(const uint64_t *count, uint64_t n, double mean)
{
    struct sim_load load = {0};
    double square = 0.0;
    for (uint64_t i = 0; i < n; i++) {
        const double rows = (double)count[i];
        load.largest = fmax(load.largest, rows / mean);
        square += (rows - mean) * (rows - mean);
    }
    load.variation = sqrt(square / (double)n) / mean;
    return load;
}

static void run_rows(const struct sim_routing *spec, struct work *w,
                     struct sim_routing_means *means)
{
    struct ratio lost[SIM_SELECTIONS] = {{0}}, weight[SIM_SELECTIONS] = {{0}};
    for (uint64_t row = 0; row < spec->rows; row++) {
        draw_row(spec, w, row);
        for (unsigned s = 0; s < SIM_SELECTIONS; s++) {
            double missed = 0.0, missed_weight = 0.0, whole = 0.0;
            select_by(spec, w, s);
            for (uint64_t i = 0; i < spec->n; i++) {
                const bool misses = w->true_top[i] && !w->taken[i];
                whole += w->true_top[i] ? w->weight[i] : 0.0;
                missed += misses;
                missed_weight += misses ? w->weight[i] : 0.0;
                w->exact_count[i] += s == SIM_UNGROUPED && w->true_top[i];
                w->count[i] += s == SIM_UNGROUPED && w->taken[i];
            }
            add_ratio(&lost[s], missed, (double)spec->k);
            add_ratio(&weight[s], missed_weight, whole);
        }
    }
    for (unsigned s = 0; s < SIM_SELECTIONS; s++) {
        means->lost[s] = ratio_of(&lost[s]);
        means->weight[s] = ratio_of(&weight[s]);
    }
    const double mean = (double)spec->rows * (double)spec->k / (double)spec->n;
    means->exact_load = load_of(w->exact_count, spec->n, mean);
    means->load = load_of(w->count, spec->n, mean);
}

int sim_routing(const struct sim_routing *spec, struct sim_routing_means *means)
{
    const size_t n = (size_t)spec->n;
    uint64_t *const words = calloc(4 * n, sizeof *words);
    double *const numbers = malloc(5 * n * sizeof *numbers);
    bool *const marks = malloc(4 * n * sizeof *marks);
    const int status = words && numbers && marks ? 0 : -1;
    if (status == 0) {
        struct work w = {words,           words + 2 * n,   words + 3 * n,   numbers,
                         numbers + 2 * n, numbers + 3 * n, numbers + 4 * n, marks,
                         marks + n,       marks + 2 * n,   marks + 3 * n};
        memset(w.all, 1, n * sizeof *w.all);
        run_rows(spec, &w, means);
    }
    free(words);
    free(numbers);
    free(marks);
    return status;
}
