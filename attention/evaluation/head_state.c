/* head_state.c - see head_state.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "head_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <base/arena.h>
#include <base/memory.h>
#include <sim/selection/key.h>
#include <sim/selection/quickselect.h>

#include <attention/int8_keys.h>
#include <attention/products.h>
#include <attention/watch_loop.h>

#define QUERIES_AT_ONCE 16 /* in a product; fixed, so that the bits do not depend on threads */

/* ---- memory */

static uint32_t largest_k(const struct evaluation_spec *spec)
{
    return spec->k_length ? spec->k[spec->k_length - 1] : 0;
}

static bool reads_layers(const struct evaluation_spec *spec)
{
    for (size_t i = 0; i < spec->methods_length; i++)
        if (spec->methods[i]->reads_layers)
            return true;
    return false;
}

size_t evaluation_head_before(const struct evaluation_spec *spec, size_t index)
{
    const struct head_shape *const at = &spec->heads[index];
    size_t before = SIZE_MAX;
    for (size_t i = 0; i < spec->length && at->layer != LAYER_UNKNOWN; i++) {
        const struct head_shape *const other = &spec->heads[i];
        if (other->document == at->document && other->key_head == at->key_head &&
            other->layer < at->layer && other->d == at->d && other->n == at->n &&
            other->n_q == at->n_q && other->query_heads == at->query_heads &&
            (before == SIZE_MAX || other->layer > spec->heads[before].layer))
            before = i;
    }
    return before;
}

/* The arrays of one head. */
static void room_lay_out(struct head_room *room, const struct evaluation_spec *spec, size_t index,
                         struct arena *arena)
{
    const struct head_shape *const shape = &spec->heads[index];
    const uint32_t k = largest_k(spec);
    const size_t queries = (size_t)shape->query_heads * shape->n_q, n = shape->n;
    room->floats = head_floats_in(arena, shape);
    room->logits = arena_array(arena, queries, n, sizeof *room->logits);
    room->queries = arena_array(arena, queries, 1, sizeof *room->queries);
    room->sums = arena_array(arena, queries, 2 * (size_t)shape->d_v, sizeof *room->sums);
    room->tops = arena_array(arena, queries, k < n ? k : n, sizeof *room->tops);
    room->before = (struct head_floats){0};
    if (reads_layers(spec) && evaluation_head_before(spec, index) != SIZE_MAX)
        room->before = head_floats_in(arena, shape);
}

static double room_bytes(const struct evaluation_spec *spec, size_t index)
{
    struct head_room room;
    struct arena arena = {0};
    room_lay_out(&room, spec, index, &arena);
    return arena.bytes;
}

struct key_head head_without_numbers(const struct evaluation_spec *spec, size_t index)
{
    const struct head_shape *shape = &spec->heads[index];
    const uint32_t sink = spec->options.dense.sink, first = sink < shape->n ? sink : shape->n - 1,
                   before = shape->n - shape->n_q;
    const uint64_t enough = (uint64_t)first + 4 * (uint64_t)spec->options.clusters;
    return (struct key_head){.n = shape->n,
                             .d = shape->d,
                             .d_v = shape->d_v,
                             .first = first,
                             .built = before > first && before >= enough ? before : shape->n,
                             .group = (uint32_t)index};
}

int head_states_new(struct head_states *states, const struct evaluation_spec *spec,
                    struct message error)
{
    double all = 0, most = 0;
    *states = (struct head_states){.spec = spec};
    for (size_t i = 0; i < spec->length; i++) {
        const double bytes = room_bytes(spec, i);
        most = fmax(most, bytes);
        all += bytes;
    }
    const bool all_fit =
        all <= (spec->memory_bytes > 0 ? spec->memory_bytes : memory_limit_bytes() / 2);
    const char *mend = "give fewer queries with " MEMBER "last";
    if (!all_fit && !memory_fits(most, "one head of " MEMBER "keys", mend, error))
        return -1;
    states->rooms = all_fit ? spec->length : 1;
    states->room = require_memory(calloc(states->rooms + 1, sizeof *states->room));
    states->head = require_memory(calloc(spec->length + 1, sizeof *states->head));
    for (size_t i = 0; i < states->rooms; i++) {
        struct arena arena = {.bytes = all_fit ? room_bytes(spec, i) : most};
        states->room[i] = (struct head_room){.memory = arena_open(&arena), .holds = SIZE_MAX};
        if (!states->room[i].memory)
            return message_set(error, "out of memory; %s", mend);
    }
    for (size_t i = 0; i < spec->length; i++)
        states->head[i] = head_without_numbers(spec, i);
    return 0;
}

void head_states_free(struct head_states *states)
{
    for (size_t i = 0; i < states->rooms && states->room; i++)
        free(states->room[i].memory);
    free(states->room);
    free(states->head);
    *states = (struct head_states){0};
}

/* ---- what no method changes */

struct attention_query query_of(const struct head_states *states, size_t index,
                                const struct head_room *room, uint32_t head, uint32_t query)
{
    const struct head_shape *shape = &states->spec->heads[index];
    const size_t at = (size_t)head * shape->n_q + query;
    const uint32_t lag = states->spec->options.lag;
    return (struct attention_query){
        .q = room->floats.queries + at * shape->d,
        .q_unroped = shape->unroped ? room->floats.queries_unroped + at * shape->d : NULL,
        .previous = query >= lag ? room->floats.queries + (at - lag) * shape->d : NULL,
        .layer_q = room->before.keys ? room->before.queries + at * shape->d : NULL,
        .layer_keys = room->before.keys,
        .logits = room->logits + at * shape->n,
        .scale = 1.0f / sqrtf((float)shape->d),
        .position = room->queries[at].position,
        .head = head,
        .range = room->queries[at].range};
}

static void compute_logits(const struct head_shape *shape, const struct head_room *room,
                           const struct watch *watch)
{
    bool stopped = false;
    const size_t queries = (size_t)shape->query_heads * shape->n_q;
    const float scale = 1.0f / sqrtf((float)shape->d);
#pragma omp parallel for schedule(dynamic) if (queries * shape->n > WORTH_THREADS)
    for (size_t first = 0; first < queries; first += QUERIES_AT_ONCE) {
        if (watch_skips(watch, &stopped))
            continue;
        const size_t rest = queries - first;
        products_transposed(room->logits + first * shape->n,
                            room->floats.queries + first * shape->d,
                            rest < QUERIES_AT_ONCE ? rest : QUERIES_AT_ONCE, room->floats.keys,
                            shape->n, shape->d, scale, 0);
    }
}

/* The largest logits of the range, by rank; equal ones by index. */
static void find_top(struct query_state *query, const float *logits, uint32_t k, uint64_t *keys,
                     uint32_t *at)
{
    const size_t n = query->range.last - query->range.first;
    const size_t wanted = k < n ? k : n;
    query->tops = (uint32_t)wanted;
    if (wanted == 0)
        return;
    for (size_t i = 0; i < n; i++)
        keys[i] = key_of((double)logits[query->range.first + i]);
    select_largest(keys, n, wanted, keys + n, at);
    sort_by_rank(keys, at, wanted, keys + n);
    for (size_t i = 0; i < wanted; i++)
        query->top[i] = query->range.first + at[i];
}

/* The softmax over the dense part of one query. */
static void sum_dense(struct query_state *query, const float *logits, const float *values,
                      size_t d_v, double *sums)
{
    const struct key_range range = query->range;
    partial_clear(&query->dense, sums, d_v);
    partial_add_range(&query->dense, logits, values, d_v, 0, range.first);
    partial_add_range(&query->dense, logits, values, d_v, range.last, query->position + 1);
}

/* The softmax over the dense part and, if wanted, over all keys of one query. */
static void sum_query(struct query_state *query, const float *logits, const float *values,
                      size_t d_v, double *sums, bool all_keys)
{
    const struct key_range range = query->range;
    sum_dense(query, logits, values, d_v, sums);
    partial_clear(&query->full, sums + d_v, d_v);
    query->norm2 = NAN;
    if (!all_keys)
        return;
    partial_add_range(&query->full, logits, values, d_v, range.first, range.last);
    partial_merge(&query->full, &query->dense, d_v);
    query->norm2 = 0;
    for (size_t c = 0; c < d_v; c++) {
        const double o = query->full.values[c] / query->full.sum;
        query->norm2 += o * o;
    }
}

static void prepare_queries(const struct evaluation_spec *spec, const struct head_shape *shape,
                            const struct head_room *room, const struct watch *watch)
{
    bool stopped = false;
    const size_t queries = (size_t)shape->query_heads * shape->n_q, n = shape->n;
    const uint32_t k = largest_k(spec) < n ? largest_k(spec) : shape->n;
#pragma omp parallel if (queries * n > WORTH_THREADS)
    {
        uint64_t *keys = require_memory(malloc((3 * n + 1) * sizeof *keys));
        uint32_t *at = require_memory(malloc((n + 1) * sizeof *at));
#pragma omp for schedule(dynamic)
        for (size_t i = 0; i < queries; i++) {
            if (watch_skips(watch, &stopped))
                continue;
            struct query_state *query = &room->queries[i];
            query->position = shape->n - shape->n_q + (uint32_t)(i % shape->n_q);
            query->range = open_keys(spec->options.dense, query->position);
            query->top = room->tops + i * k;
            find_top(query, room->logits + i * n, k, keys, at);
            sum_query(query, room->logits + i * n, room->floats.values, shape->d_v,
                      room->sums + 2 * i * shape->d_v, !spec->outputs);
        }
        free(keys);
        free(at);
    }
}

/* From here on the methods read keys of 8 bits. The output and the top of all keys stay those of
 * the keys as they were given; the sum of the softmax, of which a method keeps a share, becomes
 * that of the new logits. */
static void round_keys(const struct evaluation_spec *spec, const struct head_shape *shape,
                       const struct head_room *room, const struct watch *watch)
{
    const size_t queries = (size_t)shape->query_heads * shape->n_q;
    int8_keys_round(room->floats.keys, shape->n, shape->d);
    compute_logits(shape, room, watch);
    for (size_t i = 0; i < queries && !watch_stops(watch); i++) {
        struct query_state *query = &room->queries[i];
        const float *logits = room->logits + i * shape->n;
        double *sums = room->sums + 2 * i * shape->d_v;
        const struct partial before = query->full;
        sum_dense(query, logits, room->floats.values, shape->d_v, sums);
        if (spec->outputs)
            continue;
        partial_clear(&query->full, NULL, 0);
        partial_add_range(&query->full, logits, NULL, 0, 0, query->position + 1);
        query->full.values = before.values;
        for (size_t c = 0; c < shape->d_v; c++)
            query->full.values[c] *= query->full.sum / before.sum;
    }
}

static bool all_finite(const float *logits, size_t length)
{
    bool finite = true;
    for (size_t i = 0; i < length; i++)
        finite &= isfinite(logits[i]) != 0;
    return finite;
}

/* Is each softmax a number? It is none where a logit overflows. */
static int check_sums(const struct evaluation_spec *spec, const struct head_shape *shape,
                      const struct head_room *room, struct message error)
{
    const size_t queries = (size_t)shape->query_heads * shape->n_q;
    for (size_t i = 0; i < queries; i++)
        if (spec->outputs
                ? !all_finite(room->logits + i * shape->n, shape->n)
                : !(isfinite(room->queries[i].full.sum) && isfinite(room->queries[i].norm2)))
            return message_set(error,
                               "the products of " MEMBER "queries and " MEMBER
                               "keys overflow in query head %u; scale the "
                               "tensors down",
                               shape->query_head + (unsigned)(i / shape->n_q));
    return 0;
}

const struct head_room *head_states_load(struct head_states *states, size_t index,
                                         struct message error)
{
    const struct evaluation_spec *spec = states->spec;
    const struct head_shape *shape = &spec->heads[index];
    struct head_room *room = &states->room[states->rooms == 1 ? 0 : index];
    if (room->holds == index)
        return room;
    struct arena arena = {.memory = room->memory};
    room_lay_out(room, spec, index, &arena);
    room->holds = SIZE_MAX;
    const struct head_floats to = room->floats;
    if (spec->read(spec->from, index, &to, error) != 0 ||
        (room->before.keys &&
         spec->read(spec->from, evaluation_head_before(spec, index), &room->before, error) != 0)) {
        watch_stops(states->watch); /* if that is why, it is to be known */
        return NULL;
    }
    compute_logits(shape, room, states->watch);
    prepare_queries(spec, shape, room, states->watch);
    if (spec->options.int8_keys)
        round_keys(spec, shape, room, states->watch);
    if (watch_stops(states->watch) || check_sums(spec, shape, room, error) != 0)
        return NULL;
    room->holds = index;
    states->head[index].keys = to.keys;
    states->head[index].keys_unroped = to.keys_unroped;
    states->head[index].values = to.values;
    states->head[index].queries = shape->n_q == shape->n ? to.queries : NULL;
    states->head[index].query_heads = shape->query_heads;
    return room;
}
