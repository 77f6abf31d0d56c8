/* query.c - see query.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "query.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"

/* What is left out, in combinations of n, k, k_b and, where they are given, b; and why the first
 * one was. */
struct omissions {
    size_t total, omitted;
    char first[200];
};

#define OMIT(omissions, ...) \
    do { \
        if ((omissions)->omitted++ == 0) \
            snprintf((omissions)->first, sizeof(omissions)->first, __VA_ARGS__); \
    } while (0)

static int add_shape(struct query *query, struct rcm_topk p, size_t *shapes_left)
{
    if (*shapes_left == 0)
        return usage_error(
            "more than %d shapes are asked for; give shorter lists of --n, --k, --b or --kb",
            SHAPES_MAX);
    --*shapes_left;
    query->shapes = grown(query->shapes, query->length, &query->capacity, sizeof *query->shapes);
    query->shapes[query->length++] = p;
    return STATUS_OK;
}

#define NEAR_DOWN 8 /* eighths of an octave */
#define NEAR_UP 16
#define SWEEP 20
#define SWEEP_NEAR 0.2 /* a divisor of n within this is taken instead */

/* b for p.k_b: the smallest legal one, the smallest that reaches the target, and between them and
 * n/k_b others even in log b, each moved to a divisor of n that is near. Where --align or
 * --divisors restrict b, all of them obey. */
static int sweep(struct query *query, struct rcm_topk p, uint64_t reached,
                 const struct rcm_factors *factors, size_t *shapes_left)
{
    struct rcm_range range = rcm_deployable_b(p);
    const struct rcm_factors *restricted = query->target.divisors ? factors : NULL;
    uint64_t align = query->target.align, low = rcm_next_b(p.n, range.low, align, restricted);
    uint64_t high = p.n / p.k_b > range.low ? p.n / p.k_b : range.low;
    high = rcm_previous_b(p.n, high < range.high ? high : range.high, align, restricted);
    if (low == 0 || low > range.high)
        return STATUS_OK;
    if (high < low)
        high = low;
    uint64_t items[SWEEP + 1];
    struct count_list wanted = {0, items};
    items[wanted.length++] = low;
    if (reached)
        items[wanted.length++] = reached;
    for (unsigned i = 1; i < SWEEP; i++) {
        double ideal = (double)low * pow((double)high / (double)low, i / (SWEEP - 1.0));
        uint64_t b =
            i == SWEEP - 1 ? high : rcm_previous_b(p.n, (uint64_t)ideal, align, restricted);
        uint64_t below = rcm_previous_b(p.n, (uint64_t)ideal, align, factors);
        uint64_t above = rcm_next_b(p.n, (uint64_t)ideal + 1, align, factors);
        double down = below >= low ? ideal / (double)below - 1.0 : INFINITY;
        double up = above && above <= high ? (double)above / ideal - 1.0 : INFINITY;
        if (fmin(down, up) <= SWEEP_NEAR)
            b = down <= up ? below : above;
        if (b >= low && b <= high)
            items[wanted.length++] = b;
    }
    sort_counts(&wanted);
    for (size_t i = 0; i < wanted.length; i++) {
        p.b = items[i];
        int status = add_shape(query, p, shapes_left);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* b for p.k_b: the smallest legal one, and where `reached` is given that one and others around it.
 */
static int near(struct query *query, struct rcm_topk p, uint64_t reached,
                const struct rcm_factors *factors, size_t *shapes_left)
{
    struct rcm_range range = rcm_deployable_b(p);
    const struct rcm_factors *restricted = query->target.divisors ? factors : NULL;
    uint64_t items[NEAR_DOWN + NEAR_UP + 2];
    struct count_list wanted = {0, items};
    items[wanted.length++] = rcm_next_b(p.n, range.low, query->target.align, restricted);
    for (int i = -NEAR_DOWN; i <= NEAR_UP && reached; i++)
        items[wanted.length++] = i ? rcm_next_b(p.n, (uint64_t)((double)reached * exp2(i / 8.0)),
                                                query->target.align, restricted)
                                   : reached;
    sort_counts(&wanted);
    for (size_t i = 0; i < wanted.length; i++) {
        p.b = items[i];
        int status =
            p.b >= range.low && p.b <= range.high ? add_shape(query, p, shapes_left) : STATUS_OK;
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* The shapes of the b and k_b that were given. */
static int given_shapes(struct query *query, struct rcm_topk p, const struct options *options,
                        struct omissions *omissions, size_t *shapes_left)
{
    for (size_t j = 0; j < options->b.length; j++) {
        p.b = options->b.items[j];
        omissions->total++;
        int status = STATUS_OK;
        switch (rcm_check_deployable(p)) {
        case RCM_OK:
            status = add_shape(query, p, shapes_left);
            break;
        case RCM_BAD_B:
            OMIT(omissions, "--b %" PRIu64 " is larger than n = %" PRIu64 "; give at most that",
                 p.b, p.n);
            break;
        case RCM_TOO_FEW:
            OMIT(omissions,
                 "--b %" PRIu64 " with --kb %" PRIu64 " keeps fewer than k = %" PRIu64
                 " candidates; give --b %" PRIu64 " or more",
                 p.b, p.k_b, p.k, rcm_deployable_b(p).low);
            break;
        default:
            OMIT(omissions,
                 "--kb %" PRIu64 " is larger than a bucket of n = %" PRIu64 ", b = %" PRIu64
                 "; give --b %" PRIu64 " or less",
                 p.k_b, p.n, p.b, rcm_deployable_b(p).high);
        }
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* The shapes of the b that were given with those of the usual k_b that fit; a b that none fits is
 * left out. */
static int usual_shapes(struct query *query, const struct options *options,
                        struct omissions *omissions, size_t *shapes_left)
{
    for (size_t j = 0; j < options->b.length; j++) {
        size_t before = query->length;
        struct rcm_topk p = query->base;
        p.b = options->b.items[j];
        omissions->total++;
        for (size_t i = 0; i < query->k_b_count; i++) {
            p.k_b = query->smallest[i].k_b;
            int status =
                rcm_check_deployable(p) == RCM_OK ? add_shape(query, p, shapes_left) : STATUS_OK;
            if (status != STATUS_OK)
                return status;
        }
        if (query->length == before && p.b > p.n)
            OMIT(omissions, "--b %" PRIu64 " is larger than n = %" PRIu64 "; give at most that",
                 p.b, p.n);
        else if (query->length == before)
            OMIT(omissions,
                 "--b %" PRIu64 " keeps fewer than k = %" PRIu64
                 " candidates with --kb up to 8; give --kb %" PRIu64 " or more",
                 p.b, p.k, (p.k - 1) / p.b + 1);
    }
    return STATUS_OK;
}

/* How --align and --divisors restrict b, in words. */
static const char *restriction(const struct options *options)
{
    return options->divisors && options->align > 1 ? "--align and --divisors"
           : options->divisors                     ? "--divisors"
                                                   : "--align";
}

/* The shapes of one query. */
static int fill(struct query *query, const struct options *options, enum shapes shapes,
                struct omissions *omissions, size_t *shapes_left)
{
    static const uint64_t usual_k_b[] = {1, 2, 3, 4, 6, 8};
    bool usual = options->k_b.length == 0;
    size_t count = usual ? sizeof usual_k_b / sizeof *usual_k_b : options->k_b.length;
    struct rcm_factors factors = {0};
    if (shapes != SHAPES_SMALLEST_B && options->b.length == 0)
        factors = rcm_factorise(query->base.n);
    query->smallest = checked(calloc(count, sizeof *query->smallest));
    for (size_t i = 0; i < count; i++) {
        struct rcm_topk p = query->base;
        p.k_b = usual ? usual_k_b[i] : options->k_b.items[i];
        struct rcm_range range = rcm_deployable_b(p);
        if (range.low == 0) {
            if (usual)
                continue;
            omissions->total++;
            if (p.k_b > p.k)
                OMIT(omissions,
                     "--kb %" PRIu64 " is larger than k = %" PRIu64 "; give at most that", p.k_b,
                     p.k);
            else
                OMIT(omissions,
                     "--kb %" PRIu64 " leaves no legal b for n = %" PRIu64 ", k = %" PRIu64
                     "; give a smaller one",
                     p.k_b, p.n, p.k);
            continue;
        }
        p.b = rcm_smallest_b(p, query->target);
        query->smallest[query->k_b_count++] = p;
        if (shapes == SHAPES_NONE || (usual && options->b.length > 0)) {
            omissions->total += !usual;
            continue;
        }
        int status = STATUS_OK;
        size_t before = query->length;
        if (options->b.length > 0)
            status = given_shapes(query, p, options, omissions, shapes_left);
        else if (shapes == SHAPES_SWEEP)
            status = sweep(query, p, p.b, &factors, shapes_left);
        else if (shapes == SHAPES_FEWEST || shapes == SHAPES_NEAR)
            status = near(query, p, shapes == SHAPES_NEAR ? p.b : 0, &factors, shapes_left);
        else if (p.b)
            status = add_shape(query, p, shapes_left);
        if (status != STATUS_OK)
            return status;
        if (options->b.length > 0 || usual)
            continue;
        omissions->total++;
        if (query->length > before)
            continue;
        if (shapes == SHAPES_SMALLEST_B)
            OMIT(omissions,
                 "no b reaches --recall for n = %" PRIu64 ", k = %" PRIu64 ", k_b = %" PRIu64
                 "; give --b",
                 p.n, p.k, p.k_b);
        else
            OMIT(omissions,
                 "%s leaves no b from %" PRIu64 " to %" PRIu64 " for n = %" PRIu64 ", k = %" PRIu64
                 ", k_b = %" PRIu64 "; give a smaller --kb or leave it out",
                 restriction(options), range.low, range.high, p.n, p.k, p.k_b);
    }
    if (!usual)
        return STATUS_OK;
    if (shapes != SHAPES_NONE && options->b.length > 0)
        return usual_shapes(query, options, omissions, shapes_left);
    omissions->total++;
    if (shapes != SHAPES_NONE && query->length == 0)
        OMIT(omissions,
             "no b reaches --recall for n = %" PRIu64 ", k = %" PRIu64
             " with --kb up to 8; give --kb or --b",
             query->base.n, query->base.k);
    return STATUS_OK;
}

/* Is one (n, k) legal? Otherwise it is left out. */
static bool possible(const struct options *options, struct rcm_topk p, struct omissions *omissions)
{
    if (p.k > p.n)
        OMIT(omissions, "--k %" PRIu64 " is larger than n = %" PRIu64 "; give at most that", p.k,
             p.n);
    else if (p.valid > p.n)
        OMIT(omissions, "--valid %" PRIu64 " is larger than n = %" PRIu64 "; give at most that",
             p.valid, p.n);
    else if (p.valid && p.valid < p.k)
        OMIT(omissions, "--valid %" PRIu64 " is less than k = %" PRIu64 "; give at least that",
             p.valid, p.k);
    else if (options->align > p.n)
        OMIT(omissions, "--align %" PRIu64 " is larger than n = %" PRIu64 "; give at most that",
             options->align, p.n);
    else if (options->divisors && p.n % options->align)
        OMIT(omissions,
             "--align %" PRIu64 " with --divisors needs an n that it divides, not %" PRIu64,
             options->align, p.n);
    else
        return true;
    omissions->total += options->k_b.length ? options->k_b.length : 1;
    omissions->omitted += options->k_b.length ? options->k_b.length - 1 : 0;
    return false;
}

int queries_build(struct query_list *queries, const struct options *options, enum shapes shapes)
{
    *queries = (struct query_list){NULL, 0};
    size_t pairs = options->n.length * options->k.length, shapes_left = SHAPES_MAX;
    if (pairs == 0)
        return usage_error("%s is missing; for example --n 262144 --k 1024",
                           options->n.length == 0 ? "--n" : "--k");
    if (shapes != SHAPES_NONE && options->targets.length > 1)
        return usage_error(
            "--recall takes one target here; for a list of targets use recallmodel bounds");
    if (pairs > SHAPES_MAX)
        return usage_error("more than %d pairs of --n and --k are asked for; give shorter lists",
                           SHAPES_MAX);
    struct omissions omissions = {0};
    struct decimal target =
        options->targets.length ? options->targets.items[0] : (struct decimal){95, 2};
    queries->items = checked(calloc(pairs, sizeof *queries->items));
    for (size_t i = 0; i < pairs; i++) {
        struct query *query = &queries->items[queries->length];
        *query =
            (struct query){.base = {.n = options->n.items[i / options->k.length],
                                    .k = options->k.items[i % options->k.length],
                                    .m = options->m,
                                    .valid = options->valid,
                                    .assignment = options->assignments[0]},
                           .recall_target = target,
                           .target = {goal_of(target, 1).loss, options->align, options->divisors}};
        if (!possible(options, query->base, &omissions))
            continue;
        queries->length++;
        int status = fill(query, options, shapes, &omissions, &shapes_left);
        if (status != STATUS_OK)
            return status;
        if ((shapes == SHAPES_NONE ? query->k_b_count : query->length) > 0)
            continue;
        free(query->smallest); /* nothing to report on */
        queries->length--;
    }
    if (queries->length == 0)
        return usage_error("%s", omissions.first);
    if (omissions.omitted > 0)
        fprintf(stderr, "recallmodel: left out %zu of %zu combinations; the first: %s\n",
                omissions.omitted, omissions.total, omissions.first);
    return STATUS_OK;
}

void queries_free(struct query_list *queries)
{
    for (size_t i = 0; i < queries->length; i++) {
        free(queries->items[i].smallest);
        free(queries->items[i].shapes);
    }
    free(queries->items);
}

struct rcm_goal goal_of(struct decimal recall, uint64_t k)
{
    char text[48];
    struct rcm_goal goal = {NAN, NAN, 0};
    format_decimal(text, sizeof text, recall);
    rcm_goal(text, k, &goal);
    return goal;
}
