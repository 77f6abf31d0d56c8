/* made_up_heads.h - two documents of different length, two layers, two query heads on each of two
 * key heads, and methods that are made up, so that what they visit is a formula; and what sparse
 * attention loses by sums over single keys in long double.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MADE_UP_HEADS_H
#define MADE_UP_HEADS_H

#include <attention/evaluation/evaluate.h>
#include <tests/test.h>

#define DOCUMENTS 2
#define LAYERS 2
#define KEY_HEADS 2
#define GROUP 2
#define HEADS (DOCUMENTS * LAYERS * KEY_HEADS)
#define N_Q 5
#define D 6
#define D_V 3
#define N_MAX 120
#define K_LENGTH 3

static const uint32_t lengths[DOCUMENTS] = {90, N_MAX};
static const uint32_t ks[K_LENGTH] = {1, 8, 200};
static const double budgets[] = {0.004, 0.1, 0.25, 1};
#define BUDGETS 4

static struct head_shape shapes[HEADS];
static float keys[HEADS][N_MAX * D], values[HEADS][N_MAX * D_V], queries[HEADS][GROUP * N_Q * D];
static int reads; /* calls of the reader */

static inline int read_head(void *from, size_t index, const struct head_floats *to,
                            struct message error)
{
    const struct head_shape *shape = &shapes[index];
    if (from && *(const size_t *)from == index)
        return message_set(error, "head %zu is broken", index);
    reads++;
    memcpy(to->queries, queries[index], GROUP * N_Q * D * sizeof(float));
    memcpy(to->keys, keys[index], shape->n * D * sizeof(float));
    ck_assert_ptr_null(to->keys_unroped);
    if (shape->d_v)
        memcpy(to->values, values[index], shape->n * D_V * sizeof(float));
    return 0;
}

static inline void fill(float *x, size_t length, uint64_t *seed, float scale)
{
    for (size_t i = 0; i < length; i++)
        x[i] = scale * ((float)(next_random(seed) >> 40) * 0x1p-23f - 1.0f);
}

static inline void make_heads(void)
{
    uint64_t seed = 3;
    for (uint32_t i = 0; i < HEADS; i++) {
        const uint32_t document = i / (LAYERS * KEY_HEADS), key_head = i % KEY_HEADS;
        shapes[i] = (struct head_shape){.document = document,
                                        .layer = 7 + i / KEY_HEADS % LAYERS,
                                        .key_head = key_head,
                                        .query_head = key_head * GROUP,
                                        .query_heads = GROUP,
                                        .n = lengths[document],
                                        .n_q = N_Q,
                                        .d = D,
                                        .d_v = D_V};
        fill(keys[i], N_MAX * D, &seed, 2);
        fill(values[i], N_MAX * D_V, &seed, 1);
        fill(queries[i], GROUP * N_Q * D, &seed, 4);
    }
}

/* ---- methods of which it is known what they visit */

/* Some keys for each knob, more for one of the query heads. */
static inline bool visits_some(uint32_t knob, uint32_t head, uint32_t position, uint32_t j)
{
    return (j * 29 + position * 7) % 64 < knob * (head + 1);
}

static inline uint32_t some_max(const struct method_options *options, const struct key_head *head)
{
    (void)options;
    ck_assert(head->n == lengths[0] || head->n == lengths[1]);
    return 64;
}

static inline void visit_some(const struct method *self, const struct method_options *options,
                              const struct key_head *head, const void *index,
                              const struct attention_query *query, uint32_t count, uint32_t knob,
                              struct visit *visit)
{
    (void)self, (void)options, (void)head;
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_gt(knob, 0);
    ck_assert_ptr_eq(index, head);
    visit_reserve(visit, head->n, false);
    visit->length = 0;
    for (uint32_t j = query->range.first; j < query->range.last; j++)
        if (visits_some(knob, query->head, query->position, j))
            visit->keys[visit->length++] = j;
    visit->index_bytes = 1000 + knob;
    visit->largest_bucket = (uint32_t)visit->length / 2 + 1;
}

static inline void *build_some(const struct method *self, const struct method_options *options,
                               const struct key_head *head)
{
    (void)self, (void)options;
    return (void *)(uintptr_t)head;
}

static inline double imbalance_some(const struct key_head *head, const void *index)
{
    ck_assert_ptr_eq(index, head);
    return head->n / 10.0;
}

static const struct method some = {.name = "some",
                                   .knob = "parts",
                                   .knob_max = some_max,
                                   .build = build_some,
                                   .visit = visit_some,
                                   .imbalance = imbalance_some};

/* Every second key, as if sampled with probability 1/2. */
static inline void visit_half(const struct method *self, const struct method_options *options,
                              const struct key_head *head, const void *index,
                              const struct attention_query *query, uint32_t count, uint32_t knob,
                              struct visit *visit)
{
    (void)self, (void)options, (void)index, (void)count, (void)knob;
    visit_reserve(visit, head->n, true);
    visit->length = 0;
    for (uint32_t j = query->range.first; j < query->range.last; j++)
        if (j % 2) {
            visit->weights[visit->length] = 2;
            visit->keys[visit->length++] = j;
        }
    visit->index_bytes = 0;
    visit->largest_bucket = 0;
}

static const struct method half = {.name = "half", .knob = "", .visit = visit_half};

static inline struct evaluation_spec spec_of(const struct method *const *list, size_t length)
{
    struct evaluation_spec spec = {.heads = shapes,
                                   .length = HEADS,
                                   .read = read_head,
                                   .methods = list,
                                   .methods_length = length,
                                   .budgets = budgets,
                                   .budgets_length = BUDGETS,
                                   .k = ks,
                                   .k_length = K_LENGTH,
                                   .options = METHOD_OPTIONS_DEFAULT,
                                   .threads = 2};
    spec.options.dense = (struct dense_part){2, 9};
    return spec;
}

static inline struct evaluation run(const struct evaluation_spec *spec)
{
    char error[300] = "";
    struct evaluation evaluation;
    const int status = evaluation_run(spec, NULL, &evaluation, MESSAGE(error));
    ck_assert_msg(status == 0, "status %d: %s", status, error);
    return evaluation;
}

/* ---- the same by single keys */

/* Is key j visited? `logits` are those of the query. */
typedef bool visits(uint32_t knob, uint32_t head, uint32_t position, uint32_t j);
static inline bool visits_half(uint32_t knob, uint32_t head, uint32_t position, uint32_t j)
{
    (void)knob, (void)head, (void)position;
    return j % 2;
}

struct counted {
    long double visited, selectivity, mass, difference2, norm2, recall[K_LENGTH], queries;
};

static inline void logits_of(size_t head, uint32_t query_head, uint32_t i, double *logits)
{
    const float *q = queries[head] + ((size_t)query_head * N_Q + i) * D;
    for (uint32_t j = 0; j < shapes[head].n; j++) {
        logits[j] = 0;
        for (uint32_t c = 0; c < D; c++)
            logits[j] += (double)q[c] * (double)keys[head][j * D + c];
        logits[j] /= sqrt(D);
    }
}

/* The rank of key j among the open ones, from 0. */
static inline uint32_t rank_of(const double *logits, uint32_t first, uint32_t last, uint32_t j)
{
    uint32_t rank = 0;
    for (uint32_t i = first; i < last; i++)
        rank += logits[i] > logits[j];
    return rank;
}

static inline void count_query(size_t head, uint32_t query_head, uint32_t i, visits *visited,
                               uint32_t knob, double weight, struct counted *sum)
{
    const uint32_t n = shapes[head].n, position = n - N_Q + i, first = 2, last = position + 1 - 9;
    double logits[N_MAX];
    long double all = 0, read = 0, plain = 0, o[D_V] = {0}, full[D_V] = {0}, hits[K_LENGTH] = {0};
    logits_of(head, query_head, i, logits);
    for (uint32_t j = 0; j <= position; j++) {
        const bool open = j >= first && j < last;
        const bool in = !open || visited(knob, query_head, position, j);
        const long double e = expl(logits[j]), w = in ? (open ? weight : 1) * e : 0;
        all += e;
        plain += in ? e : 0;
        read += w;
        for (uint32_t c = 0; c < D_V; c++) {
            full[c] += e * values[head][j * D_V + c];
            o[c] += w * values[head][j * D_V + c];
        }
        sum->visited += open && in ? 1.0L / n : 0;
        sum->selectivity += in ? 1.0L / n : 0;
        for (int k = 0; k < K_LENGTH && open && in; k++)
            hits[k] += rank_of(logits, first, last, j) < ks[k];
    }
    for (uint32_t c = 0; c < D_V; c++) {
        const long double difference = o[c] / read - full[c] / all;
        sum->difference2 += difference * difference;
        sum->norm2 += full[c] / all * full[c] / all;
    }
    for (int k = 0; k < K_LENGTH; k++)
        sum->recall[k] += hits[k] / (ks[k] < last - first ? ks[k] : last - first);
    sum->mass += plain / all;
    sum->queries++;
}

/* Over all heads, or those of one layer and query head. */
static inline struct counted count_all(visits *visited, uint32_t knob, double weight,
                                       uint32_t layer, uint32_t query_head)
{
    struct counted sum = {0};
    for (size_t head = 0; head < HEADS; head++)
        for (uint32_t h = 0; h < GROUP; h++)
            for (uint32_t i = 0; i < N_Q; i++)
                if (layer == LAYER_UNKNOWN ||
                    (shapes[head].layer == layer && shapes[head].query_head + h == query_head))
                    count_query(head, h, i, visited, knob, weight, &sum);
    return sum;
}

static inline void near(double got, long double want, const char *what)
{
    ck_assert_msg(fabsl(got - want) <= 1e-6L * fmaxl(fabsl(want), 1e-3L), "%s: %.12g want %.12Lg",
                  what, got, want);
}

static inline void check_row(const struct evaluation_row *row, visits *visited, uint32_t knob,
                             double weight)
{
    const struct counted c = count_all(
        visited, knob, weight, row->head == HEAD_ALL ? LAYER_UNKNOWN : row->layer, row->head);
    near(row->visited, c.visited / c.queries, "visited");
    near(row->selectivity, c.selectivity / c.queries, "selectivity");
    near(row->mass.mean, c.mass / c.queries, "mass");
    near(row->error.mean, c.difference2 / c.norm2, "error");
    for (int k = 0; k < K_LENGTH; k++)
        near(row->recall[k].mean, c.recall[k] / c.queries, "recall");
    ck_assert_uint_eq(row->queries, (uint64_t)c.queries);
}

static const struct method *const both[] = {&some, &half};

#endif
