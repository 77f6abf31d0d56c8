/* test_generate_fit.c - the sink and the needles of generated tensors by brute force, a stop, and
 * numbers that are refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "generated.h"

/* The share of mass of a key for a query, by brute force. */
static double share_of(const struct generator *g, const struct generated_head *head, size_t query,
                       uint32_t key)
{
    const uint32_t position = g->n - g->n_q + (uint32_t)(query % g->n_q);
    const float *q = head->queries + query * g->d;
    const double own = dot(q, head->keys + (size_t)key * g->d, g->d) / sqrt(g->d);
    double sum = 0;
    for (uint32_t j = 0; j <= position; j++)
        sum += exp(dot(q, head->keys + (size_t)j * g->d, g->d) / sqrt(g->d) - own);
    return 1 / sum;
}

START_TEST(sink_mass)
{
    for (int i = 1; i <= 4; i++) {
        struct generator g = everything();
        g.needles = 0;
        g.n = 25 + 400 * (uint32_t)(i - 1);
        g.sink = 0.2 * i;
        if (i == 1) {
            g.recency = 0; /* so that each of the 25 keys counts */
            g.contrast = 0.1;
        }
        struct generated_head *head = made(&g, 1);
        const size_t queries = group_of(&g) * g.n_q;
        double sum = 0, norm = 0;
        for (size_t q = 0; q < queries; q++)
            sum += share_of(&g, head, q, 0) / (double)queries;
        /* A key is rounded to float, and so is a logit of some tens. */
        NEAR(sum, g.sink, 1e-5);
        for (uint32_t j = 1; j < g.n; j++)
            norm += dot(head->values + j * g.d, head->values + j * g.d, g.d) / (g.n - 1);
        NEAR(sqrt(dot(head->values, head->values, g.d) / norm), g.sink_value,
             g.sink_value); /* one vector: only its scale */
        generated_head_free(head);
    }
}
END_TEST

START_TEST(needles)
{
    struct generator g = everything();
    g.needles = 12;
    g.needle_mass = 0.7;
    g.n = 2000;
    struct generated_head *head = made(&g, 1);
    ck_assert_uint_eq(head->needle_count, 12);
    for (size_t i = 0; i < 12; i++) {
        const struct needle needle = head->needles[i];
        ck_assert_uint_ge(needle.key, 1);
        ck_assert_uint_lt(needle.key, g.n - g.n_q);
        ck_assert_uint_ge(needle.query_head, 2);
        ck_assert_uint_lt(needle.query_head, 4);
        for (size_t j = 0; j < i; j++)
            ck_assert(head->needles[j].key != needle.key &&
                      (head->needles[j].query != needle.query ||
                       head->needles[j].query_head != needle.query_head));
        NEAR(needle.mass, 0.7, 1e-3);
        const double share =
            share_of(&g, head, (size_t)(needle.query_head - 2) * g.n_q + needle.query, needle.key);
        NEAR(share, needle.mass, 1e-5);
    }
    generated_head_free(head);
    g.needles = 1;
    head = made(&g, 0);
    const struct needle needle = head->needles[0];
    NEAR(share_of(&g, head, needle.query_head * g.n_q + needle.query, needle.key), 0.7, 1e-5);
    generated_head_free(head);
}
END_TEST

/* As many needles as there is room for: each key once. */
START_TEST(needles_everywhere)
{
    struct generator g = everything();
    g.n = 40;
    g.n_q = 20;
    g.needles = 19;
    struct generated_head *head = made(&g, 0);
    for (size_t i = 0; i < 19; i++)
        for (size_t j = 0; j < i; j++)
            ck_assert_uint_ne(head->needles[i].key, head->needles[j].key);
    generated_head_free(head);
}
END_TEST

static bool stop_at_second(void *calls, uint64_t done, uint64_t total)
{
    ck_assert_uint_le(done, total);
    return ++*(int *)calls == 2;
}

START_TEST(stops)
{
    const struct generator g = everything();
    struct generated_head *head = generated_head_new(&g);
    int calls = 0;
    ck_assert_int_eq(generate_head(&g, 0, head, &(struct watch){stop_at_second, &calls}), 1);
    ck_assert_int_eq(calls, 2);
    generated_head_free(head);
}
END_TEST

START_TEST(refused)
{
    char error[300];
    const struct generator good = everything();
    struct generator g = good;
#define REFUSED(change, option) \
    do { \
        g = good; \
        g.change; \
        ck_assert_int_eq(generator_check(&g, MESSAGE(error)), -1); \
        ck_assert_msg(strstr(error, option), "%s: %s", #change, error); \
    } while (0)
    ck_assert_int_eq(generator_check(&g, MESSAGE(error)), 0);
    REFUSED(d = 15, MEMBER "d");
    REFUSED(d = 0, MEMBER "d");
    REFUSED(n = 1, MEMBER "n");
    REFUSED(n = (1u << 30) + 1, MEMBER "n");
    REFUSED(n_q = g.n, MEMBER "n_q");
    REFUSED(query_heads = 3, MEMBER "query_heads");
    REFUSED(key_heads = 0, MEMBER "heads");
    REFUSED(theta = 1, MEMBER "rope_theta");
    REFUSED(theta = NAN, MEMBER "rope_theta");
    REFUSED(sink = 1, "--sink-mass");
    REFUSED(sink = NAN, "--sink-mass");
    REFUSED(clusters = 1.5, "--clusters");
    REFUSED(clusters = 0, "--clusters");
    REFUSED(needles = 41, MEMBER "needles");
}
END_TEST

TEST_MAIN("generate_fit", sink_mass, needles, needles_everywhere, stops, refused)
