/* generated.h - what the tests of generated tensors share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GENERATED_H
#define GENERATED_H

#include <attention/tensors/generate.h>
#include <attention/rope.h>

#include <tests/test.h>

#define PI 3.14159265358979323846
#define NEAR(got, want, error) \
    ck_assert_msg(fabs((got) - (want)) <= (error), #got " is %.9g, not %.9g +- %.2g", \
                  (double)(got), (double)(want), (double)(error))

/* Without offsets, recency, clusters, heavy tails, sink and needles: normal keys and queries. */
static inline struct generator plain(uint32_t n, uint32_t n_q, uint32_t d)
{
    struct generator g = GENERATOR_DEFAULT;
    g.n = n;
    g.n_q = n_q;
    g.d = d;
    g.key_offset = g.query_offset = g.recency = g.heavy = g.slow = 0;
    g.cluster_share = g.query_share = g.sink = g.needles = 0;
    g.cluster_skew = 0;
    return g;
}

static inline struct generated_head *made(const struct generator *g, uint32_t head)
{
    char error[300];
    ck_assert_msg(generator_check(g, MESSAGE(error)) == 0, "%s", error);
    struct generated_head *to = generated_head_new(g);
    ck_assert_int_eq(generate_head(g, head, to, NULL), 0);
    return to;
}

static inline double dot(const float *a, const float *b, uint32_t d)
{
    double sum = 0;
    for (uint32_t c = 0; c < d; c++)
        sum += (double)a[c] * (double)b[c];
    return sum;
}

static inline size_t group_of(const struct generator *g)
{
    return g->query_heads / g->key_heads;
}

static inline struct generator everything(void)
{
    struct generator g = GENERATOR_DEFAULT;
    g.n = 10000;
    g.n_q = 20;
    g.d = 16;
    g.key_heads = 2;
    g.query_heads = 4;
    g.needles = 5;
    return g;
}

#endif
