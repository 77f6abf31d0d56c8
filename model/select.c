/* select.c - which b and k_b to deploy. Why bisection finds the smallest b: docs/models.md 8; the rest: 13.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "kernels.h"
#include "shape.h"

/* ---- what is least */

double rcm_objective_candidates(struct rcm_topk p, const void *context)
{
    (void)context;
    return (double)rcm_candidates(p);
}

double rcm_objective_cost(struct rcm_topk p, const void *model)
{
    return rcm_cost(model, p).approximate;
}

/* ---- what is reached */

/* false also where the law cannot be had; then *unknown is set. */
static bool decide(const struct rcm_selection *s, struct rcm_topk p, bool *unknown)
{
    if (!(s->confidence > 0.0))
        return rcm_reaches(p, s->target);
    struct rcm_lost law;
    if (rcm_lost(p, &law) != 0) {
        *unknown = true;
        return false;
    }
    /* 1e-12 is what the law promises, so a confidence that is met to that is met. */
    bool enough = rcm_lost_at_most(&law, (double)s->most_lost) >= s->confidence - RCM_LOST_MAX_ERROR;
    rcm_lost_free(&law);
    return enough;
}

static bool reaches(const struct rcm_selection *s, struct rcm_topk p)
{
    bool unknown;
    return decide(s, p, &unknown);
}

/* The same as if lost elements were normal, half an element farther off: for where to begin. */
static bool seems_to_reach(const struct rcm_selection *s, struct rcm_topk p)
{
    if (!(s->confidence > 0.0))
        return rcm_reaches(p, s->target);
    const double k = (double)p.k, mean = k * rcm_loss_exact(p), sd = k * rcm_recall_sd(p), room = (double)s->most_lost + 0.5 - mean;
    return sd > 0.0 ? 0.5 * erfc(-room / sd / sqrt(2.0)) >= s->confidence : room >= 0.0;
}

typedef bool predicate(const struct rcm_selection *s, struct rcm_topk p);

/* The smallest b in [low, high] for which it holds, if it holds from some b on, and at high. */
static uint64_t first_b(const struct rcm_selection *s, struct rcm_topk p, predicate *holds, uint64_t low, uint64_t high)
{
    while (low < high) {
        p.b = low + (high - low) / 2;
        if (holds(s, p))
            high = p.b;
        else
            low = p.b + 1;
    }
    return low;
}

/* The smallest b that reaches the target, before restrictions; 0 if none does. The exact law is asked near where the normal one points. */
static uint64_t smallest_b(const struct rcm_selection *s, struct rcm_topk p)
{
    struct rcm_range range = rcm_deployable_b(p);
    if (range.low == 0)
        return 0;
    if (!(s->confidence > 0.0))
        return rcm_smallest_b(p, (struct rcm_target){.loss = s->target.loss});
    uint64_t low = range.low, high = range.high, step;
    p.b = range.high;
    uint64_t guess = seems_to_reach(s, p) ? first_b(s, p, seems_to_reach, low, high) : high;
    p.b = guess;
    bool unknown = false;
    const bool enough = decide(s, p, &unknown);
    if (unknown)
        return 0;
    if (enough) {
        high = guess;
        for (step = guess / 128 + 1; high > low; step *= 2) {
            p.b = high - low > step ? high - step : low;
            if (!reaches(s, p)) {
                low = p.b + 1;
                break;
            }
            high = p.b;
        }
    } else {
        bool reached = false;
        low = guess + 1;
        for (step = guess / 128 + 1; low <= high && !reached; step *= 2) {
            p.b = high - low > step ? low + step : high;
            reached = reaches(s, p);
            if (reached)
                high = p.b;
            else
                low = p.b + 1;
        }
        if (!reached)
            return 0;
    }
    return first_b(s, p, reaches, low, high);
}

/* ---- the search */

struct search {
    const struct rcm_selection *s;
    const struct rcm_kernel *kernel;
    struct rcm_restriction restriction;
    struct rcm_topk p;
    uint64_t high;
    struct rcm_choice best;
};

/* The next b that can be run; 0 if there is none. */
static uint64_t next(const struct search *f, uint64_t low)
{
    const uint64_t b = f->kernel->next_b(f->p, low, &f->restriction);
    return b <= f->high ? b : 0;
}

static double try(struct search *f, uint64_t b)
{
    f->p.b = b;
    const double objective = f->s->objective(f->p, f->s->context);
    if (objective < f->best.objective || (objective == f->best.objective && b < f->best.p.b)) {
        f->best.p = f->p;
        f->best.objective = objective;
    }
    return objective;
}

/* Between two legal b: by thirds, down to a few dozen, and those one by one. The objective is smooth but for the ends of the grid's steps. */
static void refine(struct search *f, uint64_t low, uint64_t high)
{
    while (high - low > 64) {
        const uint64_t left = next(f, low + (high - low) / 3), right = next(f, high - (high - low) / 3);
        if (left == 0 || right == 0 || left >= right || right >= high)
            break;
        if (try(f, left) <= try(f, right))
            high = right;
        else
            low = left;
    }
    unsigned tries = 0;
    for (uint64_t b = low; b != 0 && b <= high && tries < 256; b = next(f, b + 1), tries++)
        try(f, b);
}

/* All legal b from `low` in steps of 2 %, and between the neighbours of each that is no more than both. */
static void least_objective(struct search *f, uint64_t low)
{
    uint64_t before = 0, at = next(f, low), after;
    double value_before = INFINITY, value = at ? try(f, at) : INFINITY, value_after;
    for (; at; before = at, value_before = value, at = after, value = value_after) {
        after = next(f, at + 1 + at / 50);
        value_after = after ? try(f, after) : INFINITY;
        if (value <= value_before && value <= value_after)
            refine(f, before ? before : at, after ? after : f->high);
    }
}

/* The next place where the objective may fall: where ceil(n/b) does, but not within 0.2 % of the last. */
static uint64_t next_step(const struct search *f, uint64_t b)
{
    const uint64_t length = shape_ceil_divide(f->p.n, b), shorter = length > 1 ? shape_ceil_divide(f->p.n, length - 1) : 0, farther = b + 1 + b / 500;
    if (shorter == 0)
        return 0;
    const uint64_t after = next(f, shorter > farther ? shorter : farther);
    return after ? after : next(f, shorter); /* the last is not passed over */
}

static void least_of_steps(struct search *f, uint64_t low)
{
    uint64_t edges[RCM_EDGES_MOST];
    const size_t count = f->kernel->edges ? f->kernel->edges(f->p, edges) : 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t b = next(f, edges[i] > low ? edges[i] : low);
        if (b)
            try(f, b);
    }
    for (uint64_t b = next(f, low); b; b = next_step(f, b))
        try(f, b);
}

static struct search search_of(const struct rcm_selection *s, uint64_t k_b, const struct rcm_factors *divisors_of)
{
    struct search f = {.s = s, .kernel = s->kernel ? s->kernel : rcm_kernel(0), .p = s->p, .restriction = {s->target.align, divisors_of}, .best = {.objective = INFINITY}};
    f.p.k_b = k_b;
    f.high = k_b >= 1 && k_b <= f.kernel->k_b_max && k_b <= s->p.k ? rcm_deployable_b(f.p).high : 0;
    return f;
}

/* All divisors of n that are legal, where they are few: then the search is among them. */
#define DIVISORS_LISTED 128
struct divisor_list {
    struct rcm_factors factors;
    size_t count; /* 0: not listed */
    uint64_t b[DIVISORS_LISTED];
};

static void list_divisors(const struct rcm_selection *s, struct divisor_list *list)
{
    list->factors = rcm_factorise(s->p.n);
    list->count = 0;
    for (uint64_t b = 2; (b = rcm_next_b(s->p.n, b, s->target.align, &list->factors)) != 0; b++) {
        if (list->count == DIVISORS_LISTED) {
            list->count = 0;
            return;
        }
        list->b[list->count++] = b;
    }
}

/* Recall grows with b, so the first listed one that reaches the target is the least where the objective grows; 0: none does. */
static uint64_t first_listed(const struct rcm_selection *s, struct rcm_topk p, const struct divisor_list *list)
{
    const struct rcm_range range = rcm_deployable_b(p);
    size_t low = 0, high = list->count;
    while (low < high && list->b[low] < range.low)
        low++;
    while (high > low && list->b[high - 1] > range.high)
        high--;
    const size_t end = high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        p.b = list->b[middle];
        if (rcm_reaches(p, s->target))
            high = middle;
        else
            low = middle + 1;
    }
    return low < end ? list->b[low] : 0;
}

static struct rcm_choice best_of_k_b(const struct rcm_selection *s, uint64_t k_b, const struct divisor_list *divisors)
{
    const struct rcm_factors *divisors_of = divisors ? &divisors->factors : NULL;
    struct search f = search_of(s, k_b, divisors_of);
    if (f.high == 0)
        return f.best;
    if (divisors && divisors->count && s->grows && !(s->confidence > 0.0) && (!s->kernel || s->kernel == &kernel_any || s->kernel == &kernel_ours)) {
        const uint64_t b = first_listed(s, f.p, divisors);
        if (b)
            try(&f, b);
        return f.best;
    }
    uint64_t low = smallest_b(s, f.p);
    if (low == 0)
        return f.best;
    if (low < 2) /* b = 1 is the exact top-k of the row */
        low = 2;
    if (s->grows) {
        const uint64_t b = next(&f, low);
        if (b)
            try(&f, b);
    } else if (s->steps) {
        least_of_steps(&f, low);
    } else {
        least_objective(&f, low);
    }
    return f.best;
}

/* With a confidence, laws are dear: are there half as many candidates again for what the normal law asks as for what there is? Other objectives jump
 * where stage 2 ends. */
static bool hopeless(const struct rcm_selection *s, uint64_t k_b, double least)
{
    struct rcm_topk p = s->p;
    p.k_b = k_b;
    const struct rcm_range range = rcm_deployable_b(p);
    p.b = range.high;
    if (!(s->confidence > 0.0 && s->objective == rcm_objective_candidates) || range.low == 0 || !seems_to_reach(s, p))
        return false;
    p.b = first_b(s, p, seems_to_reach, range.low, range.high);
    return s->objective(p, s->context) > 1.5 * least;
}

struct rcm_choice rcm_select_k_b(const struct rcm_selection *s, uint64_t k_b)
{
    struct divisor_list divisors;
    if (s->target.divisors)
        list_divisors(s, &divisors);
    return best_of_k_b(s, k_b, s->target.divisors ? &divisors : NULL);
}

struct rcm_choice rcm_select(const struct rcm_selection *s)
{
    struct rcm_choice best = {.objective = INFINITY};
    struct divisor_list divisors; /* listed once: that takes longer than all the rest */
    if (s->target.divisors)
        list_divisors(s, &divisors);
    const uint64_t most = s->k_b_max ? s->k_b_max : 16;
    for (uint64_t i = most < s->p.k ? most : s->p.k; i >= 1; i--) { /* large k_b have few candidates, so that others are soon out of question */
        if (hopeless(s, i, best.objective))
            continue;
        struct rcm_choice choice = best_of_k_b(s, i, s->target.divisors ? &divisors : NULL);
        if (choice.objective <= best.objective && choice.objective < INFINITY)
            best = choice;
    }
    return best;
}

/* ---- the reverse */

/* The largest b of [low, high) within the budget, where the objective grows, and low is within; then that b. */
static uint64_t last_within(struct search *f, uint64_t low, uint64_t high, double budget)
{
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2, b = next(f, middle);
        if (b == 0 || b >= high) {
            high = middle;
            continue;
        }
        f->p.b = b;
        if (f->s->objective(f->p, f->s->context) <= budget)
            low = b;
        else
            high = middle;
    }
    return low;
}

/* The largest b of this k_b within the budget; 0: none. Steps are passed in order, the last that begins within is searched. */
static uint64_t largest_within(struct search *f, double budget)
{
    const uint64_t fewest = rcm_deployable_b(f->p).low, from = next(f, fewest < 2 ? 2 : fewest); /* b = 1 is the exact top-k of the row */
    uint64_t found = 0, end = 0;
    for (uint64_t b = from; b; b = end) {
        end = f->restriction.divisors_of ? next(f, b + 1) : f->s->grows ? 0 : f->s->steps ? next_step(f, b) : next(f, b + 1 + b / 50);
        f->p.b = b;
        if (f->s->objective(f->p, f->s->context) <= budget)
            found = f->restriction.divisors_of ? b : last_within(f, b, end ? end : f->high + 1, budget);
    }
    uint64_t edges[RCM_EDGES_MOST];
    const size_t count = f->kernel->edges && !f->s->grows && !f->restriction.divisors_of ? f->kernel->edges(f->p, edges) : 0;
    for (size_t i = 0; i < count && from; i++) {
        const uint64_t b = next(f, edges[i] > from ? edges[i] : from), stop = b ? next_step(f, b) : 0;
        f->p.b = b;
        if (b > found && f->s->objective(f->p, f->s->context) <= budget)
            found = last_within(f, b, stop ? stop : f->high + 1, budget);
    }
    return found;
}

static struct rcm_choice best_recall_of_k_b(const struct rcm_selection *s, uint64_t k_b, double budget, const struct rcm_factors *divisors_of)
{
    struct search f = search_of(s, k_b, divisors_of);
    f.p.b = f.high ? largest_within(&f, budget) : 0;
    if (f.p.b == 0)
        return (struct rcm_choice){.objective = INFINITY};
    if (!rcm_reaches(f.p, (struct rcm_target){.loss = 0.0}))
        return (struct rcm_choice){f.p, s->objective(f.p, s->context)};
    /* Nothing is lost, nor with fewer buckets: then what costs least. */
    struct rcm_selection exact = *s;
    exact.target.loss = 0.0;
    exact.confidence = 0.0;
    return rcm_select_k_b(&exact, k_b);
}

struct rcm_choice rcm_best_recall_k_b(const struct rcm_selection *s, uint64_t k_b, double budget)
{
    struct rcm_factors factors;
    if (s->target.divisors)
        factors = rcm_factorise(s->p.n);
    return best_recall_of_k_b(s, k_b, budget, s->target.divisors ? &factors : NULL);
}

struct rcm_choice rcm_best_recall(const struct rcm_selection *s, double budget)
{
    struct rcm_choice best = {.objective = INFINITY};
    struct rcm_factors factors;
    double least = INFINITY;
    if (s->target.divisors)
        factors = rcm_factorise(s->p.n);
    const uint64_t most = s->k_b_max ? s->k_b_max : 16;
    for (uint64_t k_b = 1; k_b <= most && k_b <= s->p.k; k_b++) {
        const struct rcm_choice choice = best_recall_of_k_b(s, k_b, budget, s->target.divisors ? &factors : NULL);
        const double loss = choice.objective < INFINITY ? rcm_loss_exact(choice.p) : INFINITY;
        if (loss < least || (loss == least && choice.objective < best.objective)) {
            least = loss;
            best = choice;
        }
    }
    return best;
}

/* The largest value of *field, of p, from low to high that reaches the target, if all up to some value do; low - 1 if none does. */
static uint64_t largest_reaching(const struct rcm_topk *p, uint64_t *field, uint64_t low, uint64_t high, struct rcm_target target)
{
    low--;
    while (low < high) {
        *field = low + (high - low + 1) / 2;
        if (rcm_reaches(*p, target))
            low = *field;
        else
            high = *field - 1;
    }
    return low;
}

uint64_t rcm_largest_k(struct rcm_topk p, struct rcm_target target)
{
    p.k = 1;
    if (rcm_check(p) != RCM_OK)
        return 0;
    return largest_reaching(&p, &p.k, 1, shape_valid(p) < rcm_candidates(p) ? shape_valid(p) : rcm_candidates(p), target);
}

uint64_t rcm_largest_n(struct rcm_topk p, struct rcm_target target)
{
    const uint64_t least = p.k > p.b ? p.k : p.b;
    p.valid = 0;
    p.n = least;
    if (rcm_check(p) != RCM_OK)
        return 0;
    const uint64_t largest = largest_reaching(&p, &p.n, least, RCM_N_MAX, target);
    return largest < least ? 0 : largest;
}

typedef bool verdict(const struct rcm_selection *s, struct rcm_topk p, bool *unknown);

static bool on_the_mean(const struct rcm_selection *s, struct rcm_topk p, bool *unknown)
{
    (void)unknown;
    return rcm_reaches(p, s->target);
}

static bool seems(const struct rcm_selection *s, struct rcm_topk p, bool *unknown)
{
    (void)unknown;
    return seems_to_reach(s, p);
}

/* The smallest k_b in [low, high] for which it holds, if it holds from some k_b on, and at high. */
static uint64_t first_k_b(const struct rcm_selection *s, struct rcm_topk p, verdict *holds, uint64_t low, uint64_t high, bool *unknown)
{
    while (low < high && !*unknown) {
        p.k_b = low + (high - low) / 2;
        if (holds(s, p, unknown))
            high = p.k_b;
        else
            low = p.k_b + 1;
    }
    return low;
}

uint64_t rcm_fewest_k_b(const struct rcm_selection *s)
{
    struct rcm_topk p = s->p;
    p.k_b = 1;
    if (rcm_check(p) != RCM_OK || !(s->confidence > 0.0 || (s->target.loss >= 0.0 && s->target.loss < 1.0)))
        return 0;
    const uint64_t longest = rcm_buckets_of(p).of[0].size;
    uint64_t low = shape_ceil_divide(p.k, p.b), high = p.k < longest ? p.k : longest; /* at high nothing is lost */
    bool unknown = false;
    if (!(s->confidence > 0.0))
        return first_k_b(s, p, on_the_mean, low, high, &unknown);
    /* The normal law says where, the exact one decides: outwards from there in steps that double, then by bisection. Far from there, laws may be too wide to
     * be had. */
    const uint64_t guess = first_k_b(s, p, seems, low, high, &unknown);
    p.k_b = guess;
    const bool enough = guess == high || decide(s, p, &unknown);
    for (uint64_t step = 1; !unknown; step *= 2) {
        p.k_b = enough ? (guess - low > step ? guess - step : low) : (high - guess > step ? guess + step : high);
        const bool reached = p.k_b == high || decide(s, p, &unknown);
        if (enough && (!reached || p.k_b == low)) {
            low = reached ? low : p.k_b + 1;
            high = reached ? low : guess;
            break;
        }
        if (!enough && reached) {
            low = guess + 1;
            high = p.k_b;
            break;
        }
    }
    const uint64_t found = unknown ? 0 : first_k_b(s, p, decide, low, high, &unknown);
    return unknown ? 0 : found;
}

/* ---- the frontier */

struct point {
    struct rcm_choice choice;
    double loss;
};

static int by_objective(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    const double p = x->choice.objective, q = y->choice.objective;
    return p != q ? (p > q) - (p < q) : (x->loss > y->loss) - (x->loss < y->loss);
}

/* Points of all k_b, in steps of 5 % of b, in the order of their objectives: those that lose less than all before, down to a loss of 1e-6. */
size_t rcm_frontier(const struct rcm_selection *s, struct rcm_choice *points, size_t most)
{
    struct search f = {.s = s, .kernel = s->kernel ? s->kernel : rcm_kernel(0), .p = s->p, .restriction = {.align = s->target.align}, .best = {.objective = INFINITY}};
    struct rcm_factors factors;
    struct point *all = NULL;
    size_t length = 0, capacity = 0, kept = 0;
    if (s->target.divisors) {
        factors = rcm_factorise(s->p.n);
        f.restriction.divisors_of = &factors;
    }
    const uint64_t k_b_most = s->k_b_max ? s->k_b_max : 16;
    for (f.p.k_b = 1; f.p.k_b <= k_b_most && f.p.k_b <= f.kernel->k_b_max && f.p.k_b <= s->p.k; f.p.k_b++) {
        const struct rcm_range range = rcm_deployable_b(f.p);
        f.high = range.high;
        for (uint64_t b = range.low ? next(&f, range.low < 2 ? 2 : range.low) : 0; b != 0; b = next(&f, b + 1 + b / 20)) {
            if (length == capacity) {
                capacity = capacity ? 2 * capacity : 256;
                struct point *larger = realloc(all, capacity * sizeof *all);
                if (!larger) {
                    free(all);
                    return 0;
                }
                all = larger;
            }
            f.p.b = b;
            const double objective = s->objective(f.p, s->context);
            if (isfinite(objective))
                all[length++] = (struct point){{f.p, objective}, rcm_loss_exact(f.p)};
        }
    }
    if (length > 0)
        qsort(all, length, sizeof *all, by_objective);
    double least = 2.0;
    for (size_t i = 0; i < length && least > 1e-6; i++) {
        if (all[i].loss < least) {
            all[kept++] = all[i];
            least = all[i].loss;
        }
    }
    /* Where there are too many: evenly spread, first and last among them. */
    const size_t count = kept < most ? kept : most;
    for (size_t i = 0; i < count; i++)
        points[i] = all[count > 1 ? i * (kept - 1) / (count - 1) : 0].choice;
    free(all);
    return count;
}

/* ---- what others choose */

/* M = min(max(trunc((1 - k)/ln R), T), n), g = floor(log2(n/M)), integer division; see xla_b. It counts a collision as losing both. */
uint64_t rcm_xla_b(struct rcm_topk p, double loss)
{
    const uint64_t tile = p.m > 1 ? 128 : 1024, tiles = shape_ceil_divide(p.n, tile);
    if (rcm_check((struct rcm_topk){.n = p.n, .k = p.k, .b = 1, .k_b = 1}) != RCM_OK || p.n <= tile || loss <= 0.0)
        return 0;
    if (p.k == 1)
        return tile;
    const double wanted = trunc((1.0 - (double)p.k) / log1p(-loss));
    const uint64_t elements = wanted < (double)tile ? tile : wanted < (double)p.n ? (uint64_t)wanted : p.n;
    unsigned g = 0, most = 0;
    while (p.n / elements >> (g + 1) > 0)
        g++;
    while ((uint64_t)1 << most < tiles)
        most++;
    g = g < most ? g : most;
    return g == 0 ? 0 : shape_ceil_divide(tiles, (uint64_t)1 << g) * tile;
}

/* log of the loss at which XLA begins to take no more than b buckets; more loss, fewer buckets. */
static double xla_edge(struct rcm_topk p, uint64_t b)
{
    double low = log(1e-15), high = log(0.999999);
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        const uint64_t got = rcm_xla_b(p, exp(middle));
        if (got == 0 || got > b)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double rcm_xla_target(struct rcm_topk p, uint64_t b)
{
    if (b == 0)
        return NAN;
    double target = p.k > 1 ? 1.0 - exp(0.5 * (xla_edge(p, b) + xla_edge(p, b - 1))) : 0.95; /* any, for k = 1 */
    target = nearbyint(target * 1e9) / 1e9;
    return rcm_xla_b(p, 1.0 - target) == b && rcm_xla_b(p, 1.0 - (double)(float)target) == b ? target : NAN;
}

static struct rcm_topk of_one(struct rcm_topk p, uint64_t b)
{
    p.b = b < p.n ? b : 0; /* n buckets are the whole row again */
    p.k_b = 1;
    return p;
}

static struct rcm_topk xla_practice(struct rcm_topk p, double loss)
{
    return of_one(p, rcm_xla_b(p, loss));
}

static struct rcm_topk tallax_practice(struct rcm_topk p, double loss)
{
    const double b = loss > 0.0 ? ceil((double)(p.k - 1) / loss / 128.0) * 128.0 : INFINITY;
    return of_one(p, b < (double)p.n ? (uint64_t)fmax(b, 128.0) : p.n);
}

static struct rcm_topk listing(struct rcm_topk p, double loss, uint64_t missed)
{
    struct rcm_factors factors = rcm_factorise(p.n);
    struct rcm_choice best = {.objective = INFINITY};
    for (p.k_b = 1; p.k_b <= 4; p.k_b++) {
        uint64_t b = rcm_smallest_b(p, (struct rcm_target){.loss = loss, .align = 128, .divisors = true});
        if (b && b == missed)
            b = rcm_next_b(p.n, b + 1, 128, &factors);
        p.b = b;
        if (b && rcm_check_deployable(p) == RCM_OK && (double)rcm_candidates(p) < best.objective)
            best = (struct rcm_choice){p, (double)rcm_candidates(p)};
    }
    if (!(best.objective < INFINITY))
        best.p = of_one(p, 0);
    return best.p;
}

static struct rcm_topk listing_mended(struct rcm_topk p, double loss)
{
    return listing(p, loss, 0);
}

/* Its factors stop short of the root of a square. */
static struct rcm_topk listing_as_printed(struct rcm_topk p, double loss)
{
    const uint64_t root = (uint64_t)(sqrt((double)p.n) + 0.5);
    return listing(p, loss, root * root == p.n ? root : 0);
}

static const struct rcm_practice practices[] = {
    {"xla", "jax.lax.approx_max_k: k_b = 1, collisions counted twice, rounded up to a power of two of tiles", xla_practice},
    {"tallax", "b = ceil((k - 1)/(1 - R)), a multiple of 128, k_b = 1", tallax_practice},
    {"listing A.10", "Samaga et al., exact recall in place of its Monte Carlo: divisors of n, multiples of 128, k_b <= 4", listing_as_printed},
    {"listing A.10 mended", "with the root of n among the divisors", listing_mended},
};

const struct rcm_practice *rcm_practice(size_t index)
{
    return index < sizeof practices / sizeof *practices ? &practices[index] : NULL;
}
