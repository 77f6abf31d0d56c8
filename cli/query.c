/* query.c - see query.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "query.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"

/* Counts what is left out, and remembers why the first one was. */
struct omissions {
    size_t total, omitted;
    char first[200];
};

static void explain(char *text, size_t size, struct rcm_topk p, enum rcm_status status)
{
    uint64_t largest = p.n / p.b + (p.n % p.b != 0), needed = p.k / p.k_b + (p.k % p.k_b != 0);
    switch (status) {
    case RCM_BAD_B:
        snprintf(text, size, "--b %" PRIu64 " is larger than n = %" PRIu64 "; give at most that", p.b, p.n);
        break;
    case RCM_BAD_K_B:
        if (p.k_b > p.k)
            snprintf(text, size, "--kb %" PRIu64 " is larger than k = %" PRIu64 "; give at most that", p.k_b, p.k);
        else
            snprintf(text, size, "--kb %" PRIu64 " is larger than a bucket of n = %" PRIu64 ", b = %" PRIu64 "; give at most %" PRIu64,
                     p.k_b, p.n, p.b, largest);
        break;
    case RCM_TOO_FEW:
        snprintf(text, size,
                 "--b %" PRIu64 " with --kb %" PRIu64 " keeps fewer than k = %" PRIu64 " candidates; give --b %" PRIu64 " or more", p.b,
                 p.k_b, p.k, needed);
        break;
    default:
        snprintf(text, size, "n = %" PRIu64 ", k = %" PRIu64 ", b = %" PRIu64 ", k_b = %" PRIu64 " is not a legal shape", p.n, p.k, p.b,
                 p.k_b);
        break;
    }
}

static void omit(struct omissions *omissions, const char *why)
{
    if (omissions->omitted++ == 0)
        snprintf(omissions->first, sizeof omissions->first, "%s", why);
}

static int add_shape(struct query *query, uint64_t b, uint64_t k_b)
{
    if (query->length == SHAPES_MAX)
        return usage_error("--b and --kb ask for more than %d configurations; give shorter lists", SHAPES_MAX);
    query->shapes = grown(query->shapes, query->length, &query->capacity, sizeof *query->shapes);
    struct rcm_topk p = query->base;
    p.b = b;
    p.k_b = k_b;
    query->shapes[query->length++] = p;
    return STATUS_OK;
}

static int compare_counts(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

#define SWEEP 20
#define SWEEP_NEAR 0.2 /* a divisor of n within this is taken instead */

/* b for a k_b: the smallest legal one, the smallest that reaches the target, and between them and n/k_b others even in log b,
 * each moved to a divisor of n that is near. Where --align or --divisors restrict b, all of them obey. */
static int sweep(struct query *query, const struct options *options, const struct rcm_factors *factors, uint64_t k_b)
{
    struct rcm_topk p = query->base;
    p.k_b = k_b;
    struct rcm_range range = rcm_deployable_b(p);
    const struct rcm_factors *restricted = options->divisors ? factors : NULL;
    uint64_t low = rcm_next_b(p.n, range.low, options->align, restricted);
    uint64_t high = p.n / k_b > range.low ? p.n / k_b : range.low;
    high = rcm_previous_b(p.n, high < range.high ? high : range.high, options->align, restricted);
    if (low == 0 || low > range.high)
        return STATUS_OK;
    if (high < low)
        high = low;
    uint64_t wanted[SWEEP + 1], length = 0;
    wanted[length++] = low;
    uint64_t reached = rcm_smallest_b(p, query->target);
    if (reached)
        wanted[length++] = reached;
    for (unsigned i = 1; i < SWEEP; i++) {
        double ideal = (double)low * pow((double)high / (double)low, i / (SWEEP - 1.0));
        uint64_t b = i == SWEEP - 1 ? high : rcm_previous_b(p.n, (uint64_t)ideal, options->align, restricted);
        uint64_t below = rcm_previous_b(p.n, (uint64_t)ideal, options->align, factors);
        uint64_t above = rcm_next_b(p.n, (uint64_t)ideal + 1, options->align, factors);
        double down = below >= low ? ideal / (double)below - 1.0 : INFINITY;
        double up = above && above <= high ? (double)above / ideal - 1.0 : INFINITY;
        if (fmin(down, up) <= SWEEP_NEAR)
            b = down <= up ? below : above;
        if (b >= low && b <= high)
            wanted[length++] = b;
    }
    qsort(wanted, length, sizeof *wanted, compare_counts);
    for (uint64_t i = 0; i < length; i++)
        if (i == 0 || wanted[i] != wanted[i - 1]) {
            int status = add_shape(query, wanted[i], k_b);
            if (status != STATUS_OK)
                return status;
        }
    return STATUS_OK;
}

/* The shapes of one query. */
static int fill(struct query *query, const struct options *options, enum shapes shapes, struct omissions *omissions)
{
    static const uint64_t usual_k_b[] = {1, 2, 3, 4, 6, 8};
    char why[200];
    bool all = options->k_b.length == 0;
    size_t count = all ? sizeof usual_k_b / sizeof *usual_k_b : options->k_b.length;
    struct rcm_factors factors = {0};
    if (shapes == SHAPES_SWEEP && options->b.length == 0)
        factors = rcm_factorise(query->base.n);
    query->k_b.items = checked(calloc(count, sizeof *query->k_b.items));
    for (size_t i = 0; i < count; i++) {
        struct rcm_topk p = query->base;
        p.k_b = all ? usual_k_b[i] : options->k_b.items[i];
        p.b = 1;
        if (rcm_deployable_b(p).low == 0) {
            if (!all) {
                omissions->total++;
                if (p.k_b > p.k)
                    explain(why, sizeof why, p, RCM_BAD_K_B);
                else
                    snprintf(why, sizeof why, "--kb %" PRIu64 " leaves no legal b for n = %" PRIu64 ", k = %" PRIu64 "; give a smaller one",
                             p.k_b, p.n, p.k);
                omit(omissions, why);
            }
            continue;
        }
        query->k_b.items[query->k_b.length++] = p.k_b;
        int status = STATUS_OK;
        if (options->b.length > 0) {
            for (size_t j = 0; j < options->b.length && status == STATUS_OK; j++) {
                p.b = options->b.items[j];
                omissions->total++;
                enum rcm_status legal = rcm_check_deployable(p);
                if (legal == RCM_OK) {
                    status = add_shape(query, p.b, p.k_b);
                } else {
                    explain(why, sizeof why, p, legal);
                    omit(omissions, why);
                }
            }
        } else if (shapes == SHAPES_SWEEP) {
            omissions->total++;
            status = sweep(query, options, &factors, p.k_b);
        } else if (shapes == SHAPES_SMALLEST_B) {
            uint64_t b = rcm_smallest_b(p, query->target);
            omissions->total++;
            if (b)
                status = add_shape(query, b, p.k_b);
        }
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* Is one (n, k) legal? Says why not. */
static bool possible(const struct options *options, struct rcm_topk p, char *why, size_t size)
{
    if (p.k > p.n)
        snprintf(why, size, "--k %" PRIu64 " is larger than n = %" PRIu64 "; give at most that", p.k, p.n);
    else if (p.valid > p.n)
        snprintf(why, size, "--valid %" PRIu64 " is larger than n = %" PRIu64 "; give at most that", p.valid, p.n);
    else if (p.valid && p.valid < p.k)
        snprintf(why, size, "--valid %" PRIu64 " is less than k = %" PRIu64 "; there is no top-k of fewer elements", p.valid, p.k);
    else if (options->align > p.n)
        snprintf(why, size, "--align %" PRIu64 " is larger than n = %" PRIu64 "; give at most that", options->align, p.n);
    else if (options->divisors && p.n % options->align)
        snprintf(why, size, "--align %" PRIu64 " with --divisors needs an n that it divides, not %" PRIu64, options->align, p.n);
    else
        return true;
    return false;
}

int queries_build(struct query_list *queries, const struct options *options, enum shapes shapes)
{
    *queries = (struct query_list){NULL, 0};
    if (options->n.length == 0 || options->k.length == 0)
        return usage_error("%s is missing; for example --n 262144 --k 1024", options->n.length == 0 ? "--n" : "--k");
    if (shapes != SHAPES_NONE && options->targets.length > 1)
        return usage_error("--recall takes one target here; for a list of targets use recallmodel bounds");
    if (options->n.length * options->k.length > SHAPES_MAX)
        return usage_error("--n and --k ask for more than %d pairs; give shorter lists", SHAPES_MAX);
    struct omissions omissions = {0};
    struct decimal target = options->targets.length ? options->targets.items[0] : (struct decimal){95, 2};
    queries->items = checked(calloc(options->n.length * options->k.length, sizeof *queries->items));
    for (size_t i = 0; i < options->n.length * options->k.length; i++) {
        char why[200];
        struct query *query = &queries->items[queries->length];
        query->base = (struct rcm_topk){.n = options->n.items[i / options->k.length],
                                        .k = options->k.items[i % options->k.length],
                                        .m = options->m,
                                        .valid = options->valid,
                                        .assignment = options->assignment};
        query->recall_target = target;
        query->target = (struct rcm_target){decimal_complement(target), options->align, options->divisors};
        if (!possible(options, query->base, why, sizeof why)) {
            omissions.total++;
            omit(&omissions, why);
            continue;
        }
        queries->length++;
        int status = fill(query, options, shapes, &omissions);
        if (status != STATUS_OK)
            return status;
        if ((shapes == SHAPES_NONE ? query->k_b.length : query->length) > 0)
            continue;
        if (omissions.omitted == 0) {
            snprintf(why, sizeof why, "no legal b for n = %" PRIu64 ", k = %" PRIu64 " %s", query->base.n, query->base.k,
                     shapes == SHAPES_SMALLEST_B ? "reaches --recall" : "is left by --align and --divisors");
            omit(&omissions, why);
        }
        free(query->k_b.items);
        *query = (struct query){0};
        queries->length--;
    }
    if (queries->length == 0)
        return usage_error("%s", omissions.first);
    if (omissions.omitted > 0)
        fprintf(stderr, "recallmodel: left out %zu of %zu combinations as not legal; the first: %s\n", omissions.omitted,
                omissions.total, omissions.first);
    return STATUS_OK;
}

void queries_free(struct query_list *queries)
{
    for (size_t i = 0; i < queries->length; i++) {
        free(queries->items[i].k_b.items);
        free(queries->items[i].shapes);
    }
    free(queries->items);
}
