/* repetition.c - see repetition.h. A row is drawn or read, its exact top-k is found, and what stage
 * 1 keeps of it is counted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "repetition.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include <sim/selection/key.h>
#include "reaching.h"
#include "softmax.h"

/* Adds the share that is lost of weights that sum to `total`, for each member of the group:
 * weights[j] is lost if before[j] >= k_b. `offset` says which shares of a tally. */
static void add_weights(const struct shape_group *group, struct worker *worker,
                        const struct sim_spec *spec, const double *weights, size_t k, double total,
                        size_t first_result, size_t offset)
{
    double *lost = worker->lost_weight;
    if (!(total > 0.0))
        return;
    memset(lost, 0, (group->cap + (size_t)1) * sizeof *lost);
    for (size_t j = 0; j < k; j++)
        lost[worker->before[j]] += weights[j];
    for (size_t c = group->cap; c-- > 0;)
        lost[c] += lost[c + 1];
    for (size_t m = 0; m < group->members; m++) {
        struct tally *tally = &worker->tallies.of_results[first_result + group->shape[m]];
        struct shares *shares = (struct shares *)(void *)((char *)tally + offset);
        uint64_t k_b = spec->shape[group->shape[m]].k_b;
        double share = lost[k_b < group->cap ? k_b : group->cap] / total;
        shares_add(shares, share);
        if (spec->groups && shares == &tally->mass)
            shares_add(&tally->by_group[worker->row_group].mass, share);
    }
}

/* How many elements had so many better ones in their bucket: of those larger than the k-th value,
 * of those equal to it that belong to the top-k by rank, and of the other equal ones. */
struct better {
    uint64_t *larger, *equal, *other;
};

static struct better count_better(const struct shape_group *group, struct worker *worker,
                                  const struct top *top, size_t k)
{
    const uint32_t *before = worker->before;
    const size_t stride = group->cap + (size_t)1, wanted = top->selection.wanted;
    struct better counts = {worker->kept, worker->kept + stride, worker->kept + 2 * stride};
    memset(worker->kept, 0,
           (wanted < k || top->length > k ? 3 : 1) * stride * sizeof *worker->kept);
    for (size_t j = 0; j < wanted; j++)
        counts.larger[before[j]]++;
    for (size_t j = wanted; j < k; j++)
        counts.equal[before[j]]++;
    for (size_t j = k; j < top->length; j++)
        counts.other[before[j]]++;
    return counts;
}

/* Adds a row to a tally, with what it lost. */
static void count_lost(const struct sim_spec *spec, struct worker *worker, const struct top *top,
                       struct tally *tally, uint64_t k_b, uint64_t lost, uint64_t lost_by_value)
{
    if (!histogram_add(&tally->lost, lost, 1))
        worker->failed = ENOMEM;
    if (spec->groups) {
        tally->by_group[worker->row_group].rows++;
        tally->by_group[worker->row_group].lost += lost;
    }
    tally->lost_by_value += lost_by_value;
    tally->certified += lost_by_value == 0;
    for (size_t r = 0; r < spec->ranks; r++)
        tally->survived[r] +=
            worker->before[spec->rank[r] - 1] < k_b ||
            (top->short_row && spec->rank[r] > top->selection.wanted); /* a mask is not missed */
}

/* Counts what the walk in worker->before shows. */
static void count_walk(const struct simulation *simulation, const struct shape_group *group,
                       struct worker *worker, const struct top *top, size_t first_result)
{
    const struct sim_spec *spec = &simulation->spec;
    const size_t k = (size_t)spec->k, wanted = top->selection.wanted, needed = k - wanted;
    const struct better better = count_better(group, worker, top, k);
    uint64_t kept_larger = 0, kept_equal = 0, kept_other = 0;
    uint32_t c = 0;
    for (size_t m = 0; m < group->members; m++) { /* k_b rises */
        const uint64_t k_b = spec->shape[group->shape[m]].k_b;
        for (; c < k_b && c < group->cap; c++) {
            kept_larger += better.larger[c];
            if (needed) {
                kept_equal += better.equal[c];
                kept_other += better.other[c];
            }
        }
        uint64_t lost = wanted - kept_larger, lost_by_value = lost;
        worker->missing[m] = k - kept_larger - kept_equal;
        if (needed && !top->short_row) {
            lost += needed - kept_equal;
            lost_by_value +=
                kept_equal + kept_other < needed ? needed - kept_equal - kept_other : 0;
        }
        count_lost(spec, worker, top, &worker->tallies.of_results[first_result + group->shape[m]],
                   k_b, lost, lost_by_value);
    }
    if (!spec->weights)
        return;
    add_weights(group, worker, spec, worker->weight, k, top->mass, first_result,
                offsetof(struct tally, mass));
    add_weights(group, worker, spec, worker->weight + k, k, top->value, first_result,
                offsetof(struct tally, value));
}

/* Sets the weights of the top-k, in their order, and their sums. */
static void set_weights(const struct sim_spec *spec, struct worker *worker, const double *x,
                        struct top *top)
{
    const size_t k = (size_t)spec->k,
                 there = spec->length && worker->length < spec->k ? (size_t)worker->length : k;
    double largest = x[worker->at[0]], *mass = worker->weight, *value = mass + k;
    bool shares = largest > 0.0 && largest < INFINITY;
    top->mass = top->value = 0.0;
    for (size_t j = 0; j < k; j++) {
        double v = x[worker->at[j]];
        value[j] = j < there ? v / largest : 0.0; /* so that no sum overflows */
        mass[j] = softmax_weight(v, largest, spec->temperature, spec->probabilities);
        shares &= v >= 0.0 || j >= there;
        top->mass += mass[j];
        top->value += value[j];
    }
    if (!shares)
        top->value = NAN;
    if (!softmax_weighs(largest, spec->probabilities)) /* the row is all masks */
        top->mass = NAN;
}

/* Counts the share of the row's softmax mass that is outside of its exact top-k. */
static void count_outside(const struct sim_spec *spec, struct worker *worker, const double *x,
                          const struct top *top, struct shares *outside)
{
    double all = 0.0, largest = x[worker->at[0]];
    if (!(top->mass > 0.0))
        return;
    for (size_t i = 0; i < spec->valid; i++)
        all += softmax_weight(x[i], largest, spec->temperature, spec->probabilities);
    shares_add(outside, 1.0 - top->mass / all);
}

/* Does the row come back whole? Then none of its elements has a better one before it. */
static bool is_whole(const struct sim_spec *spec, struct worker *worker, size_t length)
{
    if (!spec->length || worker->length > spec->k)
        return false;
    memset(worker->before, 0, length * sizeof *worker->before);
    return true;
}

/* Counts a row, which is that of one rho and shuffle. */
static void count_row(const struct simulation *simulation, struct worker *worker, const double *x,
                      size_t rho, size_t shuffle)
{
    const struct sim_spec *spec = &simulation->spec;
    struct row_tally *rows = &worker->tallies.rows[rho];
    size_t valid = (size_t)spec->valid, k = (size_t)spec->k;
    bool nan = false;
    for (size_t i = 0; i < valid; i++) {
        worker->keys[i] = recall_key_of(x[i]);
        nan |= x[i] != x[i];
    }
    struct top top = select_top(spec, worker);
    if (spec->weights || spec->ranks) {
        if (!make_room_to_sort(worker, k))
            return;
        sort_by_rank(worker->keys, worker->at, k, worker->sorting);
    }
    if (spec->weights)
        set_weights(spec, worker, x, &top);
    if (shuffle == 0) { /* the same for every shuffle */
        rows->rows++;
        rows->with_nan += nan;
        rows->short_rows += top.short_row;
        if (spec->weights)
            count_outside(spec, worker, x, &top, &rows->outside);
    }
    for (size_t g = 0; g < simulation->groups; g++) {
        const struct shape_group *group = &simulation->group[g];
        size_t first_result = sim_result_index(spec, rho, shuffle, 0);
        const bool whole = is_whole(spec, worker, top.length);
        if (!whole)
            walk_positions(&group->buckets, &worker->counts, worker->at, top.length, group->cap,
                           worker->before);
        count_walk(simulation, group, worker, &top, first_result);
        if (whole)
            continue;
        uint64_t walked = spec->reaching
                              ? count_reaching(simulation, group, worker, &top, NULL, first_result)
                              : 0;
        walk_end(&worker->counts, top.length + walked);
    }
}

/* Draws or reads a row into worker->x. Returns false, and sets worker->failed, on failure. */
static bool get_row(const struct simulation *simulation, struct worker *worker, uint64_t repetition,
                    size_t rho)
{
    const struct sim_spec *spec = &simulation->spec;
    size_t n = (size_t)spec->n;
    if (spec->input == SIM_FILE &&
        row_file_read(spec->file, repetition, worker->x, worker->words) != 0) {
        worker->failed = errno ? errno : -1;
        return false;
    }
    if (spec->input == SIM_ROPE && spec->rope)
        rope_generate(spec->rope, spec->seed, repetition, worker->x, n, worker->words);
    else if (spec->input != SIM_FILE)
        row_generate(spec->input, spec->rho[rho], spec->seed, repetition, worker->x, n,
                     worker->words);
    for (size_t i = spec->length ? (size_t)worker->length : n; i < n; i++)
        worker->x[i] = -INFINITY; /* never missed */
    return true;
}

/* The row, with its valid elements permuted as the shuffle says. */
static const double *row_in_order(const struct simulation *simulation, struct worker *worker,
                                  uint64_t repetition, size_t rho, enum sim_shuffle shuffle)
{
    const struct sim_spec *spec = &simulation->spec;
    size_t valid = (size_t)spec->valid;
    const uint32_t *permutation = simulation->permutation[rho];
    if (shuffle == SIM_SHUFFLE_NONE)
        return worker->x;
    if (shuffle == SIM_SHUFFLE_ROW) {
        row_permutation(spec->input, spec->rho[rho], spec->seed, repetition, worker->permutation,
                        valid);
        permutation = worker->permutation;
    }
    for (size_t i = 0; i < valid; i++)
        worker->shuffled[i] = worker->x[permutation[i]];
    return worker->shuffled;
}

/* One repetition of SIM_PLACEMENT. */
static void place_and_count(const struct simulation *simulation, struct worker *worker,
                            uint64_t repetition)
{
    const struct sim_spec *spec = &simulation->spec;
    size_t k = (size_t)spec->k;
    struct top top = {.selection = {.wanted = k}, .length = k};
    for (size_t g = 0; g < simulation->groups; g++) {
        const struct shape_group *group = &simulation->group[g];
        struct random_stream stream =
            random_stream(random_key(spec->seed, RANDOM_PLACEMENT, group->salt), repetition);
        const bool whole = is_whole(spec, worker, k);
        if (!whole)
            walk_placement(&group->buckets, spec->length ? worker->length : spec->valid,
                           &worker->counts, &stream, k, group->cap, worker->before);
        count_walk(simulation, group, worker, &top, 0);
        if (whole)
            continue;
        uint64_t walked =
            spec->reaching ? count_reaching(simulation, group, worker, &top, &stream, 0) : 0;
        walk_end(&worker->counts, k + walked);
    }
    worker->tallies.rows[0].rows++;
}

static uint64_t length_of(const struct sim_spec *spec, uint64_t repetition)
{
    if (spec->input == SIM_FILE)
        return spec->length[repetition];
    struct random_stream stream =
        random_stream(random_key(spec->seed, RANDOM_LENGTH, 0), repetition);
    return spec->length[random_below(&stream, spec->lengths)];
}

void count_repetition(const struct simulation *simulation, struct worker *worker,
                      uint64_t repetition)
{
    const struct sim_spec *spec = &simulation->spec;
    if (spec->length)
        worker->length = length_of(spec, repetition);
    if (spec->input == SIM_PLACEMENT) {
        place_and_count(simulation, worker, repetition);
        return;
    }
    if (spec->groups)
        worker->row_group = row_group(spec->groups, repetition);
    for (size_t rho = 0; rho < spec->rhos; rho++) {
        if (!get_row(simulation, worker, repetition, rho))
            return;
        for (size_t s = 0; s < spec->shuffles; s++)
            count_row(simulation, worker,
                      row_in_order(simulation, worker, repetition, rho, spec->shuffle[s]), rho, s);
    }
}
