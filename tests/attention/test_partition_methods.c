/* test_partition_methods.c - kmeans, kmeans-topk, saap, the oracles and their kind: every visit, by
 * going through all keys.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <attention/method.h>
#include <attention/partition/partition.h>
#include <attention/training/query_model.h>
#include <tests/test.h>

enum { N = 300, D = 6, C = 11, WIDTH = 9, GROUP = 3 };

static uint64_t state = 1;
static float keys[N * D], unroped[N * D], q[GROUP * D], q_unroped[GROUP * D];
static struct query_model *models[GROUP];

static float random_float(void)
{
    return (float)(next_random(&state) % 20001) / 5000.0f - 2.0f;
}

static void make_numbers(void)
{
    for (int i = 0; i < N * D; i++) {
        keys[i] = random_float();
        unroped[i] = random_float() + 1.0f;
    }
    for (int i = 0; i < GROUP * D; i++) {
        q[i] = random_float();
        q_unroped[i] = random_float();
    }
    for (int m = 0; m < GROUP; m++) {
        models[m] = query_model_new(D, WIDTH, C, m == 1);
        for (size_t i = 0; i < models[m]->length; i++)
            models[m]->parameters[i] = random_float();
    }
}

static struct key_head head_of(bool before)
{
    return (struct key_head){.keys = keys,
                             .keys_unroped = before ? unroped : NULL,
                             .n = N,
                             .d = D,
                             .first = 1,
                             .built = 250,
                             .group = 4,
                             .models = (const struct query_model *const *)models};
}

static struct attention_query query_of(uint32_t head, struct key_range range)
{
    return (struct attention_query){.q = q + head * D,
                                    .q_unroped = q_unroped + head * D,
                                    .scale = 0.4f,
                                    .position = N - 1,
                                    .head = head,
                                    .range = range};
}

/* What the method should rank the buckets by, for one query. */
static void scores_by_hand(const struct method *method, const struct partition *p, uint32_t head,
                           double *scores)
{
    const float *vector = (method->unroped ? q_unroped : q) + head * D;
    if (method->trains_queries) {
        float z[C];
        query_model_scores(models[head], vector, z);
        for (int c = 0; c < C; c++)
            scores[c] = (double)z[c];
        return;
    }
    for (int c = 0; c < C; c++) {
        scores[c] = 0.0;
        for (int i = 0; i < D; i++)
            scores[c] += (double)p->centroids[c * D + i] * (double)vector[i];
    }
}

/* The sum of the softmax of several queries; the scores themselves for one. */
static void ranking_by_hand(const struct method *method, const struct partition *p, uint32_t count,
                            double *ranking)
{
    double scores[C];
    for (int c = 0; c < C; c++)
        ranking[c] = 0.0;
    for (uint32_t head = 0; head < count; head++) {
        scores_by_hand(method, p, head, scores);
        double sum = 0.0;
        for (int c = 0; c < C; c++)
            sum += exp((method->trains_queries ? 1.0 : (double)0.4f) * scores[c]);
        for (int c = 0; c < C; c++)
            ranking[c] +=
                count == 1 ? scores[c]
                           : exp((method->trains_queries ? 1.0 : (double)0.4f) * scores[c]) / sum;
    }
}

/* The share of the softmax of each query over the keys of the range that each bucket has. */
static void mass_by_hand(const uint32_t *bucket, struct key_range range, uint32_t count,
                         double *ranking)
{
    for (int c = 0; c < C; c++)
        ranking[c] = 0.0;
    for (uint32_t head = 0; head < count; head++) {
        double weights[N], sum = 0.0;
        for (uint32_t j = range.first; j < range.last; j++) {
            weights[j] = 0.0;
            for (uint32_t i = 0; i < D; i++)
                weights[j] += (double)keys[j * D + i] * (double)q[head * D + i];
            weights[j] = exp((double)0.4f * weights[j]);
            sum += weights[j];
        }
        for (uint32_t j = range.first; j < range.last; j++)
            ranking[bucket[j]] += weights[j] / sum;
    }
}

static bool is_among(const double *ranking, uint32_t bucket, uint32_t wanted)
{
    uint32_t better = 0;
    for (uint32_t c = 0; c < C; c++)
        better += ranking[c] > ranking[bucket] || (ranking[c] == ranking[bucket] && c < bucket);
    return better < wanted;
}

static double index_bytes_by_hand(const struct method *method, uint32_t count, uint32_t knob,
                                  size_t unread)
{
    double elements = 0.0;
    if (method->oracle)
        return knob == 0 ? 0.0 : 2.0 * D * (double)unread;
    for (uint32_t head = 0; method->trains_queries && head < count; head++)
        elements += (double)models[head]->length + 2.0 * WIDTH;
    if (!method->trains_queries)
        elements = C * D;
    return knob == 0 ? 0.0 : 2.0 * elements;
}

static void check_visits(const struct method *method, struct key_head *head, uint32_t count)
{
    struct method_options options = METHOD_OPTIONS_DEFAULT;
    const struct partition_options train = {.clusters = C, .iterations = 25, .seed = 1, .salt = 4};
    options.clusters = C;
    const bool before = method->unroped && head->keys_unroped;
    struct partition *p =
        partition_train((before ? unroped : keys) + D, 249, D, &train, NULL, NULL);
    head->partition = method->trains_queries ? p : NULL;
    void *index = method->build(method, &options, head);
    uint32_t bucket[N];
    struct visit visit = {0};
    double ranking[C], sizes[C] = {0}, squares = 0.0;
    partition_assign(p, before ? unroped : keys, N, bucket);
    for (int j = 1; j < N; j++)
        sizes[bucket[j]]++;
    for (int c = 0; c < C; c++)
        squares += sizes[c] * sizes[c];
    ck_assert(relative_error(method->imbalance(head, index), C * squares / (299.0 * 299.0)) <
              1e-12);
    ranking_by_hand(method, p, count, ranking);
    ck_assert_uint_eq(method_knob_max(method, &options, head), C);
    for (uint32_t knob = 0; knob <= C; knob++) {
        const struct key_range range = {1 + knob, N - 2 * knob};
        const struct attention_query queries[GROUP] = {query_of(0, range), query_of(1, range),
                                                       query_of(2, range)};
        if (method->oracle)
            mass_by_hand(bucket, range, count, ranking);
        method->visit(method, &options, head, index, queries, count, knob, &visit);
        size_t at = 0;
        for (uint32_t j = range.first; j < range.last; j++)
            if (is_among(ranking, bucket[j], knob)) {
                ck_assert_msg(at < visit.length && visit.keys[at] == j,
                              "%s, knob %u, %u queries: key %u is missing", method->name, knob,
                              count, j);
                at++;
            }
        ck_assert_msg(visit.length == at, "%s, knob %u: %zu keys, want %zu", method->name, knob,
                      visit.length, at);
        ck_assert_double_eq(visit.index_bytes, index_bytes_by_hand(method, count, knob,
                                                                   range.last - range.first - at) +
                                                   4.0 * (double)at);
        ck_assert(knob < C || visit.length == range.last - range.first);
    }
    method->free_index(index);
    visit_free(&visit);
    partition_free(p);
}

START_TEST(visits_are_those_by_hand)
{
    static const char *const names[] = {"kmeans",     "kmeans-unroped", "saap",
                                        "saap-roped", "kmeans-oracle",  "kmeans-unroped-oracle"};
    make_numbers();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (uint32_t count = 1; count <= GROUP; count += GROUP - 1) {
            struct key_head head = head_of(true);
            check_visits(method_by_name(names[i]), &head, count);
        }
    struct key_head head = head_of(false); /* not known before RoPE */
    memcpy(q_unroped, q, sizeof q);
    check_visits(method_by_name("kmeans-unroped"), &head, 1);
    for (int m = 0; m < GROUP; m++)
        query_model_free(models[m]);
}
END_TEST

/* Half of what kmeans visits, those with the largest logits; of equal ones the first. */
START_TEST(topk_inside_keeps_the_best)
{
    const struct method *all = method_by_name("kmeans"), *best = method_by_name("kmeans-topk");
    struct method_options options = METHOD_OPTIONS_DEFAULT;
    struct visit visit = {0}, kept = {0};
    struct key_head head = head_of(false);
    float logits[N];
    make_numbers();
    for (int i = 0; i < N * D; i++) /* so few digits that the logits are exact */
        keys[i] = floorf(4.0f * keys[i]) / 4.0f;
    for (int i = 0; i < GROUP * D; i++)
        q[i] = floorf(4.0f * q[i]) / 4.0f;
    options.clusters = C;
    void *index = all->build(all, &options, &head);
    for (uint32_t trial = 0; trial < 3 * (C + 1); trial++) {
        const uint32_t knob = trial / 3;
        struct attention_query query = query_of(trial % 3, (struct key_range){1, N - 3});
        query.scale = 0.5f;
        options.inside = (double[]){0.5, 0.1, 1.0}[trial % 3];
        for (uint32_t j = 0; j < N; j++) {
            logits[j] = 0.0f;
            for (uint32_t i = 0; i < D; i++)
                logits[j] += query.scale * query.q[i] * keys[j * D + i];
        }
        if (trial % 3 == 0) { /* ties */
            for (uint32_t j = 0; j < N; j++)
                logits[j] = floorf(logits[j]);
            query.logits = logits;
        }
        all->visit(all, &options, &head, index, &query, 1, knob, &visit);
        best->visit(best, &options, &head, index, &query, 1, knob, &kept);
        const size_t wanted = (size_t)floor(options.inside * (double)visit.length + 0.5);
        ck_assert_uint_eq(kept.length, wanted);
        ck_assert_double_eq(kept.index_bytes,
                            visit.index_bytes + 2.0 * D * (double)(visit.length - wanted));
        for (size_t i = 0, at = 0; i < visit.length; i++) {
            size_t better = 0;
            for (size_t o = 0; o < visit.length; o++)
                better += logits[visit.keys[o]] > logits[visit.keys[i]] ||
                          (logits[visit.keys[o]] == logits[visit.keys[i]] && o < i);
            if (better < wanted) {
                ck_assert_msg(kept.keys[at] == visit.keys[i], "knob %u: key %u is missing", knob,
                              visit.keys[i]);
                at++;
            }
        }
    }
    all->free_index(index);
    visit_free(&visit);
    visit_free(&kept);
    for (int m = 0; m < GROUP; m++)
        query_model_free(models[m]);
}
END_TEST

TEST_MAIN("partition methods", visits_are_those_by_hand, topk_inside_keeps_the_best)
