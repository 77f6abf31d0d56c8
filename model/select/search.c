/* search.c - see search.h. docs/models.md 13 says why each method finds the least.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "search.h"

#include <string.h>

#include <math.h>

#include <model/shape/shape.h>

const struct rcm_objective *search_objective(const struct rcm_selection *s)
{
    return s->objective ? s->objective : rcm_objective(0);
}

double search_bucketed(const struct rcm_selection *s, struct rcm_topk p)
{
    const struct rcm_objective *objective = search_objective(s);
    return objective->bucketed(objective, &s->machine, p);
}

/* The largest b whose largest bucket has more than k_b elements, so that the bucket drops some.
 * 0: there is none. */
static uint64_t dropping_b(struct rcm_topk p)
{
    if (p.k_b >= shape_valid(p)) /* one full bucket may have all valid elements */
        return 0;
    const uint64_t spread = p.assignment == RCM_INTERLEAVED ? shape_valid(p) : p.n;
    return (spread - 1) / p.k_b;
}

bool search_within_runs(const struct rcm_selection *s)
{
    return search_bounded(&s->machine) && !s->machine.d &&
           search_objective(s)->need == RCM_NEEDS_PROFILE;
}

bool search_divides(const struct rcm_selection *s)
{
    return s->target.divisors || (s->kernel && s->kernel->divides);
}

struct search search_begin(const struct rcm_selection *s, uint64_t k_b,
                           const struct rcm_factors *divisors_of)
{
    struct search f = {.selection = s,
                       .kernel = s->kernel ? s->kernel : rcm_kernel(0),
                       .p = s->p,
                       .restriction = {s->target.align, divisors_of},
                       .value = search_bucketed,
                       .known = INFINITY,
                       .motion = search_objective(s)->motion,
                       .all_up_to = SEARCH_ALL_UP_TO,
                       .best = {.objective = INFINITY}};
    f.p.k_b = k_b;
    if (k_b < 1 || k_b > f.kernel->k_b_max || k_b > s->p.k || rcm_kernel_ties(f.kernel) < s->ties)
        return f;
    const struct rcm_range range = rcm_deployable_b(f.p);
    if (range.low == 0)
        return f;
    f.low = range.low < 2 ? 2 : range.low; /* b = 1 is the exact top-k of the row */
    f.high = dropping_b(f.p) < range.high ? dropping_b(f.p) : range.high;
    if (search_within_runs(s)) {
        const struct rcm_range runs = rcm_b_within_runs(s->machine.profile, f.p);
        f.low = runs.low > f.low ? runs.low : f.low;
        f.high = runs.high < f.high ? runs.high : f.high;
    }
    if (f.low > f.high)
        f.high = 0;
    if (s->rope.theta > 0.0 && s->p.assignment == RCM_INTERLEAVED)
        rope_turns_set(&f.turns, s->rope);
    return f;
}

/* Does the bucket follow a wavelength? */
static bool search_resonates(const struct search *f, uint64_t b)
{
    return f->turns.pairs && rope_least_drift(&f->turns, shape_valid(f->p), b).drift < 1.0;
}

uint64_t search_next(const struct search *f, uint64_t low)
{
    if (f->high == 0)
        return 0;
    low = low > f->low ? low : f->low;
    for (unsigned tries = 0; tries < SEARCH_RESONATING; tries++) {
        const uint64_t b = f->kernel->next_b(f->p, low, &f->restriction);
        if (b == 0 || b > f->high)
            return 0;
        if (!search_resonates(f, b))
            return b;
        /* A bucket with fewer than two elements of the stretch drifts by less than a turn. */
        low = 2 * b > f->turns.stretch && b < f->turns.stretch ? f->turns.stretch : b + 1;
    }
    return 0;
}

/* What is farther above the least than that is not near it. Within a step of 2 % a value falls by
 * so much only where the kernel goes another way; from there it grows slowly, so that the next step
 * is near the least. */
#define NEAR_LEAST 1.1
static double most_near(const struct search *f)
{
    return NEAR_LEAST * fmin(f->best.objective, f->known);
}

static double value_at(struct search *f, uint64_t b)
{
    f->p.b = b;
    const double bound = f->bound ? f->bound(f->selection, f->p) : 0.0;
    return bound > most_near(f) ? bound : f->value(f->selection, f->p);
}

double search_look_at(struct search *f, uint64_t b)
{
    const double value = value_at(f, b);
    if (value < f->best.objective || (value == f->best.objective && b < f->best.p.b))
        f->best = (struct rcm_point){f->p, value};
    return value;
}

/* ---- where it bends */

/* Between two b that can be run: by thirds down to a few dozen, then one by one. */
static void refine(struct search *f, uint64_t low, uint64_t high)
{
    while (high - low > 64) {
        const uint64_t left = search_next(f, low + (high - low) / 3),
                       right = search_next(f, high - (high - low) / 3);
        if (left == 0 || right == 0 || left >= right || right >= high)
            break;
        if (search_look_at(f, left) <= search_look_at(f, right))
            high = right;
        else
            low = left;
    }
    unsigned tries = 0;
    for (uint64_t b = low; b != 0 && b <= high && tries < 256; b = search_next(f, b + 1), tries++)
        search_look_at(f, b);
}

/* In steps of 2 %, refined between the neighbours of each step whose value is no more than theirs,
 * and near the least of all. */
#define STEPS_MOST 1900 /* log(2^53) / log(1.02), and a few */
static void least_of_bends(struct search *f, uint64_t low)
{
    struct {
        uint64_t b;
        double value;
    } step[STEPS_MOST];
    size_t count = 0;
    for (uint64_t b = search_next(f, low); b && count < STEPS_MOST;
         b = search_next(f, b + 1 + b / 50), count++) {
        step[count].b = b;
        step[count].value = search_look_at(f, b);
    }
    const double most = most_near(f);
    for (size_t i = 0; i < count; i++) {
        const bool first = i == 0, last = i + 1 == count;
        if (step[i].value <= most && (first || step[i].value <= step[i - 1].value) &&
            (last || step[i].value <= step[i + 1].value))
            refine(f, step[first ? i : i - 1].b, last ? f->high : step[i + 1].b);
    }
}

/* ---- where it steps */

/* The next b at which the value may fall, which is where ceil(n/b) does, except within 0.2 % of
 * the last. */
static uint64_t next_step(const struct search *f, uint64_t b)
{
    const uint64_t length = shape_ceil_divide(f->p.n, b), farther = b + 1 + b / 500;
    const uint64_t shorter = length > 1 ? shape_ceil_divide(f->p.n, length - 1) : 0;
    if (shorter == 0)
        return 0;
    const uint64_t after = search_next(f, shorter > farther ? shorter : farther);
    return after ? after : search_next(f, shorter); /* do not skip the last one */
}

/* The b from which the value may change in another way: those of the kernel, and the ends of the
 * runs where shapes beyond them take part. */
#define EDGES_MOST (RCM_EDGES_MOST + 2)
static size_t edges_of(const struct search *f, uint64_t edges[EDGES_MOST])
{
    const struct rcm_machine *machine = &f->selection->machine;
    size_t count = f->kernel->edges ? f->kernel->edges(f->p, edges) : 0;
    if (machine->profile && machine->beyond_runs) {
        const struct rcm_range runs = rcm_b_within_runs(machine->profile, f->p);
        edges[count++] = runs.low;
        edges[count++] = runs.high + 1;
    }
    return count;
}

/* Looks at every b that fills the vector in which `b` lies, and at the whole vectors after it:
 * between them each bucket more costs little and saves padding. */
#define VECTORS_AFTER 4
static void look_around(struct search *f, uint64_t b)
{
    const uint64_t lanes = f->kernel->lanes, whole = (b + lanes - 1) / lanes * lanes;
    for (; b != 0 && b <= whole; b = search_next(f, b + 1))
        search_look_at(f, b);
    for (uint64_t i = 1; i <= VECTORS_AFTER && b != 0; i++) {
        b = search_next(f, whole + i * lanes);
        if (b)
            search_look_at(f, b);
    }
}

static void least_of_steps(struct search *f, uint64_t low)
{
    uint64_t edges[EDGES_MOST + 1];
    const size_t count = edges_of(f, edges);
    const uint64_t lanes = f->kernel->lanes;
    edges[count] = low;
    for (size_t i = 0; i <= count; i++) {
        const uint64_t b = search_next(f, edges[i] > low ? edges[i] : low);
        if (b && lanes)
            look_around(f, b);
        else if (b)
            search_look_at(f, b);
    }
    for (uint64_t b = search_next(f, low); b; b = next_step(f, b)) {
        search_look_at(f, b);
        const uint64_t whole = lanes ? search_next(f, (b + lanes - 1) / lanes * lanes) : 0;
        if (whole)
            search_look_at(f, whole);
    }
}

/* ---- all of them */

void search_least(struct search *f, uint64_t low)
{
    if (f->high == 0)
        return;
    if (f->motion == RCM_GROWS_WITH_B) {
        const uint64_t b = search_next(f, low);
        if (b)
            search_look_at(f, b);
    } else if (f->motion == RCM_STEPS_WITH_B) {
        least_of_steps(f, low);
    } else if (f->high - f->low < f->all_up_to) {
        for (uint64_t b = search_next(f, low); b; b = search_next(f, b + 1))
            search_look_at(f, b);
    } else {
        least_of_bends(f, low);
    }
}

/* ---- within a budget */

/* The largest b of [low, high) within the budget, where the value grows and low is within. bisect()
 * would ask for the same b again where the kernel skips many: here low moves to the b itself. */
static uint64_t last_of_stretch(struct search *f, uint64_t low, uint64_t high, double budget)
{
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2, b = search_next(f, middle);
        if (b == 0 || b >= high) {
            high = middle;
            continue;
        }
        if (value_at(f, b) <= budget)
            low = b;
        else
            high = middle;
    }
    return low;
}

/* The end of the stretch that begins at b, in which the value grows or is assumed to grow; 0: it
 * ends at the last b. */
static uint64_t end_of_stretch(const struct search *f, uint64_t b)
{
    if (f->motion == RCM_GROWS_WITH_B)
        return 0;
    if (f->restriction.divisors_of ||
        (f->motion == RCM_BENDS_WITH_B && f->high - f->low < f->all_up_to))
        return search_next(f, b + 1);
    return f->motion == RCM_STEPS_WITH_B ? next_step(f, b) : search_next(f, b + 1 + b / 50);
}

uint64_t search_last_within(struct search *f, double budget)
{
    uint64_t found = 0, end = 0;
    for (uint64_t b = search_next(f, 0); b; b = end) {
        end = end_of_stretch(f, b);
        if (value_at(f, b) <= budget)
            found = last_of_stretch(f, b, end ? end : f->high + 1, budget);
    }
    uint64_t edges[EDGES_MOST];
    const size_t count = f->motion == RCM_STEPS_WITH_B ? edges_of(f, edges) : 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t b = search_next(f, edges[i]), stop = b ? end_of_stretch(f, b) : 0;
        if (b > found && value_at(f, b) <= budget)
            found = last_of_stretch(f, b, stop ? stop : f->high + 1, budget);
    }
    return found;
}

uint64_t select_k_b_max(const struct rcm_selection *s)
{
    const uint64_t most = s->k_b_max ? s->k_b_max : RCM_K_B_MAX_DEFAULT;
    return most < s->p.k ? most : s->p.k;
}
