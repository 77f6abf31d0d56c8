/* made_head.h - key heads with made-up keys, for the tests of the methods.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MADE_HEAD_H
#define MADE_HEAD_H

#include <attention/method.h>

#include <tests/test.h>

/* As ck_assert_msg, but this writes to the pipe of Check only if it fails. */
#define holds(condition, ...) \
    do { \
        if (!(condition)) \
            ck_abort_msg(__VA_ARGS__); \
    } while (0)

struct made_head {
    struct key_head head;
    struct dense_part dense;
    float *keys, *values, *queries; /* the last one [query_heads][n][d] */
    float *logits;                  /* [n] */
};

/* Numbers between -1 and 1, by a linear congruence. */
static inline void made_floats(float *x, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        x[i] = (float)((double)(seed >> 40) / 0x1p23 - 1);
    }
}

/* A whole number from -3 to 3, so that products are exact and many are equal; or about normal. */
static inline float made_number(uint64_t *state, bool whole)
{
    if (whole)
        return (float)(next_random(state) % 7) - 3;
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)(next_random(state) >> 11) * 0x1p-53;
    return (float)sum;
}

static inline float *made_numbers(uint64_t *state, size_t count, bool whole)
{
    float *numbers = malloc((count + 1) * sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = made_number(state, whole);
    return numbers;
}

/* Two query heads; dense.sink < n; an index from the first `built` keys. */
static inline struct made_head make_head(uint64_t *state, uint32_t n, uint32_t d, uint32_t built,
                                         struct dense_part dense, bool whole)
{
    struct made_head made = {.dense = dense};
    made.keys = made_numbers(state, (size_t)n * d, whole);
    made.values = made_numbers(state, (size_t)n * (d + 1), whole);
    made.queries = made_numbers(state, (size_t)2 * n * d, whole);
    made.logits = calloc(n, sizeof *made.logits);
    made.head = (struct key_head){.keys = made.keys,
                                  .values = made.values,
                                  .n = n,
                                  .d = d,
                                  .d_v = d + 1,
                                  .first = dense.sink,
                                  .built = built,
                                  .group = 3,
                                  .queries = made.queries,
                                  .query_heads = 2};
    return made;
}

static inline void free_head(struct made_head *made)
{
    free(made->keys);
    free(made->values);
    free(made->queries);
    free(made->logits);
}

/* The query at a position. Its logits are those in made->logits until the next call. */
static inline struct attention_query made_query(struct made_head *made, uint32_t position,
                                                uint32_t head)
{
    const struct key_head *h = &made->head;
    const float *const q = made->queries + ((size_t)head * h->n + position) * h->d;
    const struct attention_query query = {.q = q,
                                          .layer_q = q, /* as if the layer before were alike */
                                          .layer_keys = made->keys,
                                          .logits = made->logits,
                                          .scale = 0.25f,
                                          .position = position,
                                          .head = head,
                                          .range = open_keys(made->dense, position)};
    for (size_t j = 0; j < h->n; j++) {
        double sum = 0;
        for (size_t i = 0; i < h->d; i++)
            sum += (double)query.q[i] * (double)made->keys[j * h->d + i];
        made->logits[j] = (float)(0.25 * sum);
    }
    return query;
}

/* Visits from an index that is built for this one visit. */
static inline void visit_once(const struct method *method, const struct method_options *options,
                              const struct key_head *head, const struct attention_query *query,
                              uint32_t knob, struct visit *visit)
{
    void *index = method->build ? method->build(method, options, head) : NULL;
    method->visit(method, options, head, index, query, 1, knob, visit);
    if (method->free_index)
        method->free_index(index);
}

/* Written out: the `wanted` largest scores among the keys j of the range with open[j], the smaller
 * key first of equal ones. taken[j] becomes 1 for those. */
static inline void take_largest(const double *scores, const bool *open, struct key_range range,
                                size_t wanted, bool *taken)
{
    for (uint32_t j = range.first; j < range.last; j++)
        taken[j] = false;
    for (; wanted > 0; wanted--) {
        uint32_t best = range.last;
        for (uint32_t j = range.first; j < range.last; j++)
            if (open[j] && !taken[j] && (best == range.last || scores[j] > scores[best]))
                best = j;
        if (best == range.last)
            return;
        taken[best] = true;
    }
}

/* Fails unless just the keys with taken[j] are visited, in rising order. */
static inline void assert_visited(const struct visit *visit, const bool *taken,
                                  struct key_range range, const char *what, uint32_t knob)
{
    size_t at = 0;
    for (uint32_t j = range.first; j < range.last; j++)
        if (taken[j]) {
            holds(at < visit->length && visit->keys[at] == j,
                  "%s, knob %u: key %u of %u .. %u is not visited, or another before it", what,
                  knob, j, range.first, range.last);
            at++;
        }
    holds(visit->length == at, "%s, knob %u: %zu keys visited, want %zu", what, knob, visit->length,
          at);
}

#endif
