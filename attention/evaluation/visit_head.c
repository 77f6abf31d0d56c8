/* visit_head.c - one method on the queries of one head: what it visits, and what that loses.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include "evaluation_state.h"
#include <attention/watch_loop.h>

/* What a thread needs of its own. */
struct scratch {
    struct visit visit;
    struct attention_query *queries; /* those that choose together */
    double *output;                  /* [d_v] */
};

/* What one query lost and read. */
struct outcome {
    double visited, selectivity, bytes, index_bytes, mass, difference2, largest_bucket;
    double needles, found;
};

/* A pass over the queries of one head. */
struct pass {
    const struct evaluation_run *run;
    size_t head;
    const struct head_room *room;
    const struct head_shape *shape;
    const uint32_t *knobs;   /* by query head */
    struct outcome *outcome; /* [query_heads][n_q] */
    double *recall;          /* [query_heads][n_q][k]; NaN: no keys to choose from. NULL: only count
                              * what is visited */
};

/* The keys of a range that is read in full. */
static void visit_range(struct visit *visit, struct key_range range)
{
    const uint32_t length = range.last - range.first;
    visit_reserve(visit, length, false);
    for (uint32_t i = 0; i < length; i++)
        visit->keys[i] = range.first + i;
    visit->length = length;
    visit->index_bytes = 0;
    visit->largest_bucket = 0;
}

/* Lets the method visit for `count` queries of one position. */
static void visit_queries(const struct pass *p, struct scratch *s, uint32_t count, uint32_t knob)
{
    const struct evaluation_run *run = p->run;
    const struct key_range range = s->queries->range;
    const uint32_t most = run->knob_max[p->head];
    if (p->shape->dense) {
        visit_range(&s->visit, range);
        return;
    }
    if (range.first == range.last ||
        !method_is_asked(run->method, &run->spec->options, most, knob)) {
        visit_range(&s->visit, (struct key_range){0, 0});
        return;
    }
    run->method->visit(run->method, &run->spec->options, &run->states.head[p->head],
                       run->index[p->head], s->queries, count, knob < most ? knob : most,
                       &s->visit);
}

/* Is a key among the visited ones, which rise? */
static bool is_visited(const struct visit *visit, uint32_t key)
{
    size_t low = 0, high = visit->length;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (visit->keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < visit->length && visit->keys[low] == key;
}

/* The needles of a query, and those that it reads. */
static void put_needles(const struct pass *p, const struct query_state *query,
                        const struct visit *visit, uint32_t head, uint32_t i,
                        struct outcome *outcome)
{
    const struct evaluation_spec *spec = p->run->spec;
    for (size_t j = 0; j < spec->needles_length; j++) {
        const struct head_needle *needle = &spec->needles[j];
        if (needle->head != p->head || needle->query_head != head || needle->query != i)
            continue;
        const bool dense = needle->key < query->range.first || needle->key >= query->range.last;
        outcome->needles++;
        outcome->found +=
            (dense && needle->key <= query->position) || is_visited(visit, needle->key);
    }
}

/* The share of the first `wanted` of the top that is visited. */
static void put_recall(const struct pass *p, const struct query_state *query,
                       const struct visit *visit, double *recall)
{
    const struct evaluation_spec *spec = p->run->spec;
    uint32_t hits = 0, i = 0;
    for (size_t j = 0; j < spec->k_length; j++) {
        const uint32_t wanted = spec->k[j] < query->tops ? spec->k[j] : query->tops;
        for (; i < wanted; i++)
            hits += is_visited(visit, query->top[i]);
        recall[j] = wanted ? (double)hits / wanted : NAN;
    }
}

/* A component of the attention over the dense part and the visited keys. */
static double output_of(const struct partial *part, const struct visit *visit, size_t c)
{
    const double o = part->sum > 0 ? part->values[c] / part->sum : 0,
                 moved = visit->correction_weight;
    return moved > 0 ? (1 - moved) * o + moved * (double)visit->correction[c] : o;
}

/* Merges the dense part with the visited keys, and compares with all keys, or writes the output. */
static void put_losses(const struct pass *p, size_t at, const struct scratch *s,
                       struct outcome *outcome)
{
    const struct query_state *query = &p->room->queries[at];
    const float *logits = p->room->logits + at * p->shape->n;
    const size_t d_v = p->shape->d_v;
    struct partial part = query->dense;
    part.values = d_v ? s->output : NULL;
    if (d_v)
        memcpy(part.values, query->dense.values, d_v * sizeof *part.values);
    partial_add_keys(&part, logits, p->room->floats.values, d_v, s->visit.keys,
                     s->visit.weighted ? s->visit.weights : NULL, s->visit.length);
    outcome->mass = outcome->difference2 = NAN;
    if (p->run->spec->outputs) {
        float *out = p->run->spec->outputs[p->head] + at * d_v;
        for (size_t c = 0; c < d_v; c++)
            out[c] = (float)output_of(&part, &s->visit, c);
        return;
    }
    outcome->mass =
        part.sum > 0 ? part.plain * exp(part.max - query->full.max) / query->full.sum : 0;
    outcome->difference2 = 0;
    for (size_t c = 0; c < d_v; c++) {
        const double difference =
            output_of(&part, &s->visit, c) - query->full.values[c] / query->full.sum;
        outcome->difference2 += difference * difference;
    }
}

/* All that is measured of one query, of `count` that read the same keys. */
static void put_outcome(const struct pass *p, const struct scratch *s, uint32_t head, uint32_t i,
                        uint32_t count)
{
    const struct head_shape *shape = p->shape;
    const size_t at = (size_t)head * shape->n_q + i;
    const struct query_state *query = &p->room->queries[at];
    struct outcome *outcome = &p->outcome[at];
    const double visited = (double)s->visit.length;
    *outcome = (struct outcome){.visited = visited};
    if (!p->recall)
        return;
    const double read = visited + query->position + 1 - (query->range.last - query->range.first);
    const struct method_options *options = &p->run->spec->options;
    const double pair = stored_pair_bytes(options, shape->d, shape->d_v ? shape->d_v : shape->d);
    outcome->selectivity = read;
    outcome->index_bytes = s->visit.index_bytes / count;
    outcome->bytes = outcome->index_bytes + read * pair / count;
    outcome->largest_bucket = s->visit.largest_bucket;
    put_needles(p, query, &s->visit, head, i, outcome);
    put_losses(p, at, s, outcome);
    put_recall(p, query, &s->visit, p->recall + at * p->run->spec->k_length);
}

/* The queries at one position that choose together, or one query. */
static void run_item(const struct pass *p, struct scratch *s, size_t item)
{
    const bool together = chooses_together(p->run);
    const uint32_t i = (uint32_t)(item % p->shape->n_q);
    const uint32_t first = together ? 0 : (uint32_t)(item / p->shape->n_q);
    const uint32_t count = together ? p->shape->query_heads : 1;
    for (uint32_t c = 0; c < count; c++)
        s->queries[c] = query_of(&p->run->states, p->head, p->room, first + c, i);
    visit_queries(p, s, count, p->knobs[first]);
    for (uint32_t c = 0; c < count; c++)
        put_outcome(p, s, first + c, i, count);
}

static void run_pass(const struct pass *p)
{
    bool stopped = false;
    const size_t items =
        chooses_together(p->run) ? p->shape->n_q : (size_t)p->shape->query_heads * p->shape->n_q;
#pragma omp parallel if (items * p->shape->n > WORTH_THREADS)
    {
        struct scratch s = {
            .queries = require_memory(malloc(p->shape->query_heads * sizeof *s.queries)),
            .output = require_memory(malloc((p->shape->d_v + 1) * sizeof *s.output))};
#pragma omp for schedule(dynamic)
        for (size_t item = 0; item < items; item++)
            if (!watch_skips(&p->run->watch, &stopped))
                run_item(p, &s, item);
        visit_free(&s.visit);
        free(s.queries);
        free(s.output);
    }
}

static struct pass pass_new(const struct evaluation_run *run, size_t head,
                            const struct head_room *room, const uint32_t *knobs)
{
    const struct head_shape *shape = &run->spec->heads[head];
    const size_t queries = (size_t)shape->query_heads * shape->n_q;
    return (struct pass){.run = run,
                         .head = head,
                         .room = room,
                         .shape = shape,
                         .knobs = knobs,
                         .outcome = require_memory(calloc(queries + 1, sizeof(struct outcome)))};
}

void count_visited(const struct evaluation_run *run, size_t head, const struct head_room *room,
                   const uint32_t *knobs, double *visited)
{
    struct pass p = pass_new(run, head, room, knobs);
    run_pass(&p);
    for (uint32_t h = 0; h < p.shape->query_heads; h++) {
        visited[h] = 0;
        for (uint32_t i = 0; i < p.shape->n_q; i++)
            visited[h] += p.outcome[(size_t)h * p.shape->n_q + i].visited;
    }
    free(p.outcome);
}

/* Adds the queries of one query head, in their order. */
static void add_group(const struct pass *p, uint32_t head, struct sums *sums,
                      struct recall_sum *recall)
{
    const size_t k_length = p->run->spec->k_length;
    const double n = p->shape->n;
    for (uint32_t i = 0; i < p->shape->n_q; i++) {
        const size_t at = (size_t)head * p->shape->n_q + i;
        const struct outcome *o = &p->outcome[at];
        sums->queries++;
        sums->visited += o->visited / n;
        sums->selectivity += o->selectivity / n;
        sums->bytes += o->bytes;
        sums->index_bytes += o->index_bytes;
        sums->mass += o->mass;
        sums->needles += o->needles;
        sums->found += o->found;
        sums->difference2 += o->difference2;
        sums->norm2 += p->room->queries[at].norm2;
        sums->largest_bucket = fmax(sums->largest_bucket, o->largest_bucket);
        for (size_t j = 0; j < k_length; j++) {
            const double share = p->recall[at * k_length + j];
            if (share >= 0) {
                recall[j].recall += share;
                recall[j].queries++;
            }
        }
    }
}

void measure_visited(const struct evaluation_run *run, size_t head, const struct head_room *room,
                     const uint32_t *knobs, struct sums *sums, struct recall_sum *recall)
{
    struct pass p = pass_new(run, head, room, knobs);
    const size_t queries = (size_t)p.shape->query_heads * p.shape->n_q;
    p.recall = require_memory(malloc((queries * run->spec->k_length + 1) * sizeof *p.recall));
    run_pass(&p);
    for (uint32_t h = 0; h < p.shape->query_heads; h++)
        add_group(&p, h, &sums[h], recall + h * run->spec->k_length);
    free(p.recall);
    free(p.outcome);
}
