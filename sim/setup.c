/* setup.c - making and freeing a simulation, and what it would take: see simulate.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include <base/arena.h>
#include <base/threads.h>

#include "simulation_state.h"

/* ---- shapes in groups */

struct indexed_shape {
    struct sim_shape shape;
    size_t index;
};

static int by_shape(const void *a, const void *b)
{
    const struct sim_shape *x = &((const struct indexed_shape *)a)->shape,
                           *y = &((const struct indexed_shape *)b)->shape;
    if (x->assignment != y->assignment)
        return x->assignment < y->assignment ? -1 : 1;
    if (x->b != y->b)
        return x->b < y->b ? -1 : 1;
    return (x->k_b > y->k_b) - (x->k_b < y->k_b);
}

/* Puts the shapes of one assignment and b into one group. In a group k_b rises. */
static bool group_shapes(struct simulation *s)
{
    const struct sim_spec *spec = &s->spec;
    struct indexed_shape *sorted = malloc(spec->shapes * sizeof *sorted);
    s->shape = calloc(spec->shapes, sizeof *s->shape);
    s->group = calloc(spec->shapes, sizeof *s->group);
    s->has_k = calloc(spec->shapes, sizeof *s->has_k);
    for (size_t i = 0; i < spec->shapes && sorted; i++)
        sorted[i] = (struct indexed_shape){spec->shape[i], i};
    if (sorted)
        qsort(sorted, spec->shapes, sizeof *sorted, by_shape);
    for (size_t i = 0; i < spec->shapes && sorted && s->shape && s->group && s->has_k; i++) {
        const struct sim_shape *shape = &sorted[i].shape;
        struct shape_group *group = s->groups ? &s->group[s->groups - 1] : NULL;
        if (!group || group->buckets.assignment != shape->assignment ||
            group->buckets.b != shape->b) {
            group = &s->group[s->groups++];
            *group =
                (struct shape_group){.buckets = buckets_of(shape->assignment, spec->n, shape->b),
                                     .salt = shape->b << 2 | (uint64_t)shape->assignment,
                                     .shape = &s->shape[i]};
            if (shape->assignment == SIM_INTERLEAVED)
                group->buckets.deal = spec->deal;
        }
        s->shape[i] = sorted[i].index;
        s->has_k[sorted[i].index] =
            buckets_candidates(&group->buckets, spec->valid, shape->k_b) >= spec->k;
        group->members++;
        group->cap = (uint32_t)(shape->k_b < spec->k ? shape->k_b : spec->k);
        s->largest_k_b = group->cap > s->largest_k_b ? group->cap : s->largest_k_b;
    }
    free(sorted);
    return sorted && s->shape && s->group && s->has_k;
}

/* ---- memory */

static bool uses(const struct sim_spec *spec, enum sim_shuffle shuffle)
{
    for (size_t i = 0; i < spec->shuffles; i++)
        if (spec->shuffle[i] == shuffle)
            return true;
    return false;
}

static size_t results_of(const struct sim_spec *spec)
{
    return spec->rhos * spec->shuffles * spec->shapes;
}

static struct tally_lengths lengths_of(const struct sim_spec *spec)
{
    return (struct tally_lengths){spec->ranks, spec->groups ? spec->groups->groups : 0};
}

/* What one thread needs. */
static void worker_lay_out(struct worker *w, const struct simulation *s, struct arena *arena)
{
    const struct sim_spec *spec = &s->spec;
    bool rows = spec->input != SIM_PLACEMENT, per_row = uses(spec, SIM_SHUFFLE_ROW);
    size_t n = rows ? (size_t)spec->n : 0, k = (size_t)spec->k, stride = s->largest_k_b + (size_t)1;
    uint64_t b = 1;
    for (size_t i = 0; i < s->groups; i++)
        b = s->group[i].buckets.b > b ? s->group[i].buckets.b : b;
    tallies_lay_out(&w->tallies, spec->rhos, s->results, lengths_of(spec), arena);
    w->before = arena_array(arena, rows ? n : k, 1, sizeof *w->before);
    w->counts.count = arena_array(arena, (size_t)b, 1, sizeof *w->counts.count);
    w->kept = arena_array(arena, 3, stride, sizeof *w->kept);
    w->missing = arena_array(arena, spec->shapes, 1, sizeof *w->missing);
    if (rows) {
        w->words = arena_array(arena, n + 1, 1, sizeof *w->words);
        w->x = arena_array(arena, n, 1, sizeof *w->x);
        w->keys = arena_array(arena, n, 1, sizeof *w->keys);
        w->at = arena_array(arena, n, 1, sizeof *w->at);
    }
    if (per_row || uses(spec, SIM_SHUFFLE_ONCE))
        w->shuffled = arena_array(arena, n, 1, sizeof *w->shuffled);
    if (per_row)
        w->permutation = arena_array(arena, n, 1, sizeof *w->permutation);
    if (rows && spec->reaching)
        w->subset = arena_array(arena, n, 1, sizeof *w->subset);
    if (rows && (spec->weights || spec->ranks)) {
        w->sorting = arena_array(arena, 2, k, sizeof *w->sorting);
        w->sorting_room = k;
    }
    if (spec->weights) {
        w->weight = arena_array(arena, 2, k, sizeof *w->weight);
        w->lost_weight = arena_array(arena, stride, 1, sizeof *w->lost_weight);
    }
}

static void worker_free(struct worker *w)
{
    tallies_free(&w->tallies);
    free(w->grown);
    free(w->memory);
}

/* The permutations that all rows of one rho share. */
static bool make_permutations(struct simulation *s)
{
    const struct sim_spec *spec = &s->spec;
    bool once = uses(spec, SIM_SHUFFLE_ONCE);
    s->permutation = calloc(spec->rhos, sizeof *s->permutation);
    for (size_t i = 0; i < spec->rhos && s->permutation && once; i++) {
        s->permutation[i] = malloc((size_t)spec->valid * sizeof **s->permutation);
        if (!s->permutation[i])
            return false;
        row_permutation(spec->input, spec->rho[i], spec->seed, UINT64_MAX, s->permutation[i],
                        (size_t)spec->valid);
    }
    return s->permutation;
}

const char *simulation_limit(const struct sim_spec *spec)
{
    if (spec->input != SIM_PLACEMENT && spec->n > UINT32_MAX)
        return "rows of 2^32 elements or more cannot be simulated; give a smaller " MEMBER
               "n, or " MEMBER "input "
               "placement";
    if (spec->k > UINT32_MAX)
        return "k of 2^32 or more cannot be simulated; give a smaller " MEMBER "k";
    if (spec->shapes > SIM_RESULTS_MAX / spec->rhos / spec->shuffles)
        return "more than 100000 results are asked for; give shorter lists";
    if (spec->length && (spec->ranks || spec->deal > 1 || spec->shuffles > 1 ||
                         uses(spec, SIM_SHUFFLE_ROW) || uses(spec, SIM_SHUFFLE_ONCE)))
        return "rows of different lengths are neither shuffled nor dealt, and ranks are not "
               "counted; leave out " MEMBER "lengths, or " MEMBER "shuffle, " MEMBER
               "deal and " MEMBER "ranks";
    for (size_t i = 0; i < spec->shapes; i++)
        if (spec->shape[i].b > SIM_B_MAX)
            return "more than 2^28 buckets cannot be simulated; give a smaller " MEMBER
                   "b or a larger " MEMBER "k_b";
    for (size_t i = 0; i < spec->shapes && spec->deal > 1; i++)
        if (spec->shape[i].assignment == SIM_INTERLEAVED &&
            (spec->valid < spec->n || spec->deal > spec->n / spec->shape[i].b ||
             spec->n % (spec->deal * spec->shape[i].b)))
            return MEMBER "deal needs whole rows that " MEMBER "deal times " MEMBER
                          "b divides; give another " MEMBER "deal or " MEMBER
                          "b, or recallmodel parts --file";
    return NULL;
}

static size_t threads_of(const struct sim_spec *spec)
{
    const size_t threads = (size_t)threads_to_be_had(spec->threads);
    return threads > spec->repetitions ? (size_t)spec->repetitions : threads;
}

double simulation_bytes(const struct sim_spec *spec)
{
    struct simulation s = {.spec = *spec, .results = results_of(spec)};
    struct worker worker;
    struct arena of_worker = {0}, of_total = {0};
    if (group_shapes(&s))
        worker_lay_out(&worker, &s, &of_worker);
    tallies_lay_out(&s.total, spec->rhos, s.results, lengths_of(spec), &of_total);
    free(s.shape);
    free(s.group);
    free(s.has_k);
    double permutations = (double)spec->rhos * (double)spec->valid * sizeof **s.permutation;
    return (double)threads_of(spec) * of_worker.bytes + of_total.bytes +
           (uses(spec, SIM_SHUFFLE_ONCE) ? permutations : 0.0);
}

/* Allocates it; the worker is all 0. Returns false if memory runs out. */
static bool worker_make(struct worker *worker, const struct simulation *s)
{
    struct arena arena = {0};
    worker_lay_out(worker, s, &arena);
    worker->memory = arena_open(&arena);
    if (worker->memory)
        worker_lay_out(worker, s, &arena);
    return worker->memory;
}

struct simulation *simulation_new(const struct sim_spec *spec, struct message error)
{
    const char *limit = simulation_limit(spec);
    struct simulation *s = limit ? NULL : calloc(1, sizeof *s);
    bool good = s;
    if (s) {
        s->spec = *spec;
        s->results = results_of(spec);
        s->threads = threads_of(spec);
        s->worker = calloc(s->threads, sizeof *s->worker);
        good = s->worker && group_shapes(s) && make_permutations(s) &&
               tallies_make(&s->total, spec->rhos, s->results, lengths_of(spec));
        for (size_t t = 0; t < s->threads && good; t++)
            good = worker_make(&s->worker[t], s);
    }
    if (good)
        return s;
    message_set(error, "%s",
                limit ? limit
                      : "out of memory; give fewer shapes, a smaller n or fewer " MEMBER "threads");
    simulation_free(s);
    return NULL;
}

void simulation_free(struct simulation *s)
{
    if (!s)
        return;
    for (size_t t = 0; t < s->threads && s->worker; t++)
        worker_free(&s->worker[t]);
    for (size_t i = 0; i < s->spec.rhos && s->permutation; i++)
        free(s->permutation[i]);
    tallies_free(&s->total);
    free(s->worker);
    free(s->permutation);
    free(s->shape);
    free(s->has_k);
    free(s->group);
    free(s);
}
