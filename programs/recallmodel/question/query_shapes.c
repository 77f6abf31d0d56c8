/* query_shapes.c - see query_shapes.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "query_shapes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <base/memory.h>

static int add_shape(struct query *query, struct rcm_topk p, size_t *shapes_left)
{
    if (*shapes_left == 0)
        return usage_error("--n, --k, --b and --kb make more than %d shapes; give shorter lists",
                           SHAPES_MAX);
    --*shapes_left;
    query->shapes =
        array_grow(query->shapes, query->length, &query->capacity, sizeof *query->shapes);
    query->shapes[query->length++] = p;
    return STATUS_OK;
}

#define NEAR_DOWN 8 /* eighths of an octave */
#define NEAR_UP 16
#define SWEEP 20
#define SWEEP_NEAR 0.2 /* a divisor of n within this is taken instead */

/* b for p.k_b: the smallest legal one, the smallest that reaches the target, and between them and
 * n/k_b others even in log b, each moved to a divisor of n that is near. Where --align, --divisors
 * or the kernel restrict b, all of them obey. */
static int sweep(struct query *query, struct rcm_topk p, uint64_t reached,
                 const struct rcm_kernel *kernel, const struct rcm_factors *factors,
                 size_t *shapes_left)
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
    const bool divides = kernel && kernel->divides;
    const struct rcm_restriction rules = {align, divides ? factors : restricted};
    for (size_t i = 0; i < wanted.length && kernel; i++)
        items[i] = p.k_b <= kernel->k_b_max ? kernel->next_b(p, items[i], &rules) : 0;
    sort_counts(&wanted);
    for (size_t i = 0; i < wanted.length; i++) {
        p.b = items[i];
        if (p.b == 0 || p.b > range.high)
            continue;
        int status = add_shape(query, p, shapes_left);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* b for p.k_b: the smallest legal one; and if `reached` is not 0, that one and others around it. */
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
static int given_shapes(struct query *query, struct rcm_topk p, const struct question *question,
                        struct omissions *omissions, size_t *shapes_left)
{
    for (size_t j = 0; j < question->b.length; j++) {
        p.b = question->b.items[j];
        omissions->total++;
        char fault[SHAPE_FAULT];
        const enum rcm_status legal = rcm_check_deployable(p);
        if (legal != RCM_OK)
            OMIT(omissions, "%s", shape_fault(fault, legal, p));
        const int status = legal == RCM_OK ? add_shape(query, p, shapes_left) : STATUS_OK;
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* The shapes of the b that were given, with those of the usual k_b that fit. A b that no k_b fits
 * is left out. */
static int usual_shapes(struct query *query, const struct question *question,
                        struct omissions *omissions, size_t *shapes_left)
{
    for (size_t j = 0; j < question->b.length; j++) {
        size_t before = query->length;
        struct rcm_topk p = query->base;
        p.b = question->b.items[j];
        omissions->total++;
        for (size_t i = 0; i < query->k_b_count; i++) {
            p.k_b = query->smallest[i].k_b;
            int status =
                rcm_check_deployable(p) == RCM_OK ? add_shape(query, p, shapes_left) : STATUS_OK;
            if (status != STATUS_OK)
                return status;
        }
        char fault[SHAPE_FAULT];
        if (query->length == before && p.b > p.n)
            OMIT(omissions, "%s", shape_fault(fault, RCM_BAD_B, p));
        else if (query->length == before)
            OMIT(omissions,
                 "--b %" PRIu64 " keeps fewer than k = %" PRIu64
                 " candidates with --kb up to 8; give --kb %" PRIu64 " or more",
                 p.b, p.k, (p.k - 1) / p.b + 1);
    }
    return STATUS_OK;
}

/* How --align and --divisors restrict b, in words. */
static const char *restriction(const struct question *question)
{
    return question->divisors && question->align > 1 ? "--align and --divisors"
           : question->divisors                      ? "--divisors"
                                                     : "--align";
}

static const uint64_t usual_k_b[] = {1, 2, 3, 4, 6, 8};
#define USUAL_K_B (sizeof usual_k_b / sizeof *usual_k_b)

/* Leaves out a k_b with which no b is legal. */
static void omit_k_b(struct omissions *omissions, struct rcm_topk p)
{
    char fault[SHAPE_FAULT];
    omissions->total++;
    if (p.k_b > p.k)
        OMIT(omissions, "%s", shape_fault(fault, RCM_BAD_K_B, p));
    else
        OMIT(omissions,
             "--kb %" PRIu64 " leaves no legal b for n = %" PRIu64 ", k = %" PRIu64
             "; give a smaller one",
             p.k_b, p.n, p.k);
}

/* Leaves out a k_b that was given, because no b was taken for it. */
static void omit_all_b(struct omissions *omissions, struct rcm_topk p, const struct collector *c)
{
    const struct rcm_range range = rcm_deployable_b(p);
    if (c->shapes == SHAPES_SMALLEST_B)
        OMIT(omissions,
             "no b reaches --recall for n = %" PRIu64 ", k = %" PRIu64 ", k_b = %" PRIu64
             "; give a lower --recall, or --b",
             p.n, p.k, p.k_b);
    else
        OMIT(omissions,
             "%s leaves no b from %" PRIu64 " to %" PRIu64 " for n = %" PRIu64 ", k = %" PRIu64
             ", k_b = %" PRIu64 "; give a smaller --kb or leave it out",
             restriction(c->question), range.low, range.high, p.n, p.k, p.k_b);
}

/* The b that the command chooses for p.k_b; p.b is the smallest that reaches the target, or 0. */
static int chosen_shapes(struct query *query, struct rcm_topk p, const struct collector *c)
{
    switch (c->shapes) {
    case SHAPES_SWEEP:
        return sweep(query, p, p.b, c->question->sweep_for, &c->factors, c->shapes_left);
    case SHAPES_FEWEST:
        return near(query, p, 0, &c->factors, c->shapes_left);
    case SHAPES_NEAR:
        return near(query, p, p.b, &c->factors, c->shapes_left);
    default:
        return p.b ? add_shape(query, p, c->shapes_left) : STATUS_OK;
    }
}

/* Keeps k_b as a possible one, with the smallest b that reaches the target if it is asked for. */
static struct rcm_topk keep_k_b(struct query *query, struct rcm_topk p, const struct collector *c)
{
    const bool given = c->question->b.length > 0;
    if (c->shapes == SHAPES_SWEEP ||
        (!given && (c->shapes == SHAPES_SMALLEST_B || c->shapes == SHAPES_NEAR)))
        p.b = rcm_smallest_b(p, query->target);
    return query->smallest[query->k_b_count++] = p;
}

/* Adds one of the usual k_b, unless it is not possible. */
static int add_usual_k_b(struct query *query, struct rcm_topk p, const struct collector *c)
{
    if (rcm_deployable_b(p).low == 0)
        return STATUS_OK;
    p = keep_k_b(query, p, c);
    return c->shapes == SHAPES_NONE || c->question->b.length > 0 ? STATUS_OK
                                                                 : chosen_shapes(query, p, c);
}

/* Adds a k_b that was given. */
static int add_given_k_b(struct query *query, struct rcm_topk p, const struct collector *c)
{
    const size_t before = query->length;
    if (rcm_deployable_b(p).low == 0) {
        omit_k_b(c->omissions, p);
        return STATUS_OK;
    }
    p = keep_k_b(query, p, c);
    if (c->shapes != SHAPES_NONE && c->question->b.length > 0)
        return given_shapes(query, p, c->question, c->omissions, c->shapes_left);
    c->omissions->total++;
    if (c->shapes == SHAPES_NONE)
        return STATUS_OK;
    const int status = chosen_shapes(query, p, c);
    if (status == STATUS_OK && query->length == before)
        omit_all_b(c->omissions, p, c);
    return status;
}

int collect_shapes(struct query *query, struct collector *c)
{
    const struct question *question = c->question;
    const bool usual = question->k_b.length == 0;
    const size_t count = usual ? USUAL_K_B : question->k_b.length;
    if (c->shapes != SHAPES_NONE && c->shapes != SHAPES_SMALLEST_B && question->b.length == 0)
        c->factors = rcm_factorise(query->base.n);
    query->smallest = require_memory(calloc(count, sizeof *query->smallest));
    for (size_t i = 0; i < count; i++) {
        struct rcm_topk p = query->base;
        p.k_b = usual ? usual_k_b[i] : question->k_b.items[i];
        const int status = usual ? add_usual_k_b(query, p, c) : add_given_k_b(query, p, c);
        if (status != STATUS_OK)
            return status;
    }
    if (!usual)
        return STATUS_OK;
    if (c->shapes != SHAPES_NONE && question->b.length > 0)
        return usual_shapes(query, question, c->omissions, c->shapes_left);
    c->omissions->total++;
    if (c->shapes != SHAPES_NONE && query->length == 0)
        OMIT(c->omissions,
             "no b reaches --recall for n = %" PRIu64 ", k = %" PRIu64
             " with --kb up to 8; give a lower --recall, or --kb or --b",
             query->base.n, query->base.k);
    return STATUS_OK;
}
