/* query.c - see query.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "query.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include "mass_distribution.h"
#include "query_shapes.h"

/* Is one (n, k) legal? Otherwise it is left out. */
static bool possible(const struct question *question, struct rcm_topk p,
                     struct omissions *omissions)
{
    char fault[SHAPE_FAULT];
    p.b = p.k_b = 1;
    const enum rcm_status status = rcm_check(p);
    if (status != RCM_OK)
        OMIT(omissions, "%s", shape_fault(fault, status, p));
    else if (question->align > p.n)
        OMIT(omissions, "--align %" PRIu64 " is larger than n = %" PRIu64 "; give at most that",
             question->align, p.n);
    else if (question->divisors && p.n % question->align)
        OMIT(omissions,
             "--align %" PRIu64 " with --divisors needs an n that it divides, not %" PRIu64,
             question->align, p.n);
    else
        return true;
    omissions->total += question->k_b.length ? question->k_b.length : 1;
    omissions->omitted += question->k_b.length ? question->k_b.length - 1 : 0;
    return false;
}

/* Can the question be answered at all? Returns a status. */
static int check_question(const struct question *question)
{
    const size_t pairs = question->n.length * question->k.length;
    if (pairs == 0)
        return usage_error("%s is missing; for example --n 262144 --k 1024",
                           question->n.length == 0 ? "--n" : "--k");
    if (pairs > SHAPES_MAX)
        return usage_error("--n and --k make more than %d pairs; give shorter lists", SHAPES_MAX);
    return STATUS_OK;
}

/* A target of mass is reached by the weights, which the query itself holds. */
static void aim_at_mass(struct query *query)
{
    query->target.weights = &query->weights.weights;
    mass_distribution_for_confidence(&query->weights, query->base);
}

/* Finds what the elements of a query weigh and what rounding costs; with --lost-mass the mass is
 * its target. Returns a status. */
static int set_weights(struct query *query, const struct question *question)
{
    const struct weights_question *asked = &question->weights;
    const struct rcm_topk *p = &query->base;
    const uint64_t n = p->valid ? p->valid : p->n;
    int status = weights_find(asked, n, p->k, &query->weights);
    if (status == STATUS_OK)
        status = rounding_find(&question->rounding, asked, n, p->k, &query->rounding);
    if (status == STATUS_OK && asked->lost_mass.given) {
        query->target.loss = decimal_value(asked->lost_mass.value);
        aim_at_mass(query);
    }
    return status;
}

/* The i-th pair of n and k, without shapes. */
static struct query empty_query(const struct question *question, size_t i)
{
    const struct decimal target = question_recall(question);
    return (struct query){
        .base = {.n = question->n.items[i / question->k.length],
                 .k = question->k.items[i % question->k.length],
                 .m = question->m,
                 .valid = question->valid,
                 .assignment = question->assignments.items[0],
                 .lengths = question->lengths.of_row ? &question->lengths.lengths : NULL},
        .recall_target = target,
        .target = {decimal_complement(target), question->align, question->divisors, NULL}};
}

/* The pairs of n and k that are legal. */
static void list_pairs(struct query_list *queries, const struct question *question,
                       struct omissions *omissions)
{
    const size_t pairs = question->n.length * question->k.length;
    queries->items = require_memory(calloc(pairs, sizeof *queries->items));
    for (size_t i = 0; i < pairs; i++) {
        const struct query query = empty_query(question, i);
        if (possible(question, query.base, omissions))
            queries->items[queries->length++] = query;
    }
}

static void query_free(struct query *query)
{
    free(query->smallest);
    free(query->shapes);
    weights_free(&query->weights);
}

/* Leaves out queries without a shape: there is nothing to report on. */
static void drop_empty(struct query_list *queries, enum shapes shapes)
{
    size_t kept = 0;
    for (size_t i = 0; i < queries->length; i++) {
        struct query *query = &queries->items[i];
        if ((shapes == SHAPES_NONE ? query->k_b_count : query->length) == 0) {
            query_free(query);
            continue;
        }
        struct query *to = &queries->items[kept++];
        *to = *query;
        if (to->target.weights)
            aim_at_mass(to);
    }
    queries->length = kept;
}

int queries_build(struct query_list *queries, const struct question *question, enum shapes shapes)
{
    struct omissions omissions = {0};
    size_t shapes_left = SHAPES_MAX;
    *queries = (struct query_list){NULL, 0};
    int status = check_question(question);
    if (status != STATUS_OK)
        return status;
    list_pairs(queries, question, &omissions);
    for (size_t i = 0; i < queries->length && status == STATUS_OK; i++)
        status = set_weights(&queries->items[i], question);
    for (size_t i = 0; i < queries->length && status == STATUS_OK; i++) {
        struct collector collector = {question, shapes, {0}, &omissions, &shapes_left};
        status = collect_shapes(&queries->items[i], &collector);
    }
    if (status != STATUS_OK)
        return status;
    drop_empty(queries, shapes);
    if (queries->length == 0)
        return usage_error("%s", omissions.first);
    if (omissions.omitted > 0)
        fprintf(stderr, "recallmodel: left out %zu of %zu combinations; the first: %s\n",
                omissions.omitted, omissions.total, omissions.first);
    return STATUS_OK;
}

void queries_free(struct query_list *queries)
{
    for (size_t i = 0; i < queries->length; i++)
        query_free(&queries->items[i]);
    free(queries->items);
}

void query_target(char text[TARGET_TEXT], const struct query *query)
{
    char number[32];
    if (query->target.weights) {
        snprintf(text, TARGET_TEXT, "lost mass at most %.6g", query->target.loss);
        return;
    }
    format_decimal(number, sizeof number, query->recall_target);
    snprintf(text, TARGET_TEXT, "recall %s", number);
}

size_t end_of_k_b(const struct query *query, size_t first)
{
    size_t end = first;
    while (end < query->length && query->shapes[end].k_b == query->shapes[first].k_b)
        end++;
    return end;
}

const char *shape_fault(char text[SHAPE_FAULT], enum rcm_status status, struct rcm_topk p)
{
    char words[RCM_STATUS_TEXT_MOST];
    rcm_status_text(status, p, words, sizeof words);
    size_t length = 0;
    for (const char *at = words; *at;) {
        const size_t letters = strcspn(at, " ");
        const bool k_b = letters == 3 && strncmp(at, "k_b", 3) == 0;
        const bool option = at == words || k_b || (letters == 1 && *at == 'b');
        length += (size_t)snprintf(text + length, SHAPE_FAULT - length, "%s%s%.*s",
                                   at == words ? "" : " ", option ? "--" : "",
                                   k_b ? 2 : (int)letters, k_b ? "kb" : at);
        at += letters;
        at += strspn(at, option ? " =" : " ");
    }
    return text;
}
