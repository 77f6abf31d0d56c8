/* test_selection.c - bucketed, sparq, quest, blocks, hisa, previous-query and -layer against what
 * they do, written out. Keys and queries are small whole numbers: the products are exact and many
 * scores are equal.
 *
 * Against: each of them written out, and `tests/sim/bucketed.h`, on small whole numbers with
 * many ties.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <attention/method.h>
#include <sim/selection/key.h>

#include <tests/sim/bucketed.h>

#include "made_head.h"

#define N_MOST 600

static bool all_open[N_MOST], taken[N_MOST];

/* A head, one of its queries, and room to visit. */
struct scene {
    struct made_head made;
    struct method_options options;
    struct attention_query query;
    uint32_t open;
    struct visit visit;
};

static struct scene make_scene(uint64_t *state, uint32_t n_most, bool whole)
{
    struct scene scene = {.options = METHOD_OPTIONS_DEFAULT};
    const struct dense_part dense = {(uint32_t)random_between(state, 0, 3),
                                     (uint32_t)random_between(state, 1, 5)};
    const uint32_t n = (uint32_t)random_scale(state, 4, n_most);
    const uint32_t position = (uint32_t)random_between(state, dense.sink, n - 1);
    scene.options.dense = dense;
    scene.made = make_head(state, n, 6, n, dense, whole);
    scene.query = made_query(&scene.made, position, 0);
    scene.open = scene.query.range.last - scene.query.range.first;
    for (uint32_t j = 0; j < N_MOST; j++)
        all_open[j] = true;
    return scene;
}

static void end_scene(struct scene *scene)
{
    visit_free(&scene->visit);
    free_head(&scene->made);
}

static void visit_scene(struct scene *scene, const char *name, uint32_t knob)
{
    visit_once(method_by_name(name), &scene->options, &scene->made.head, &scene->query, knob,
               &scene->visit);
}

/* Two-stage top-k of the scores by tests/sim/bucketed.h. */
static void take_bucketed(const struct scene *scene, const double *scores, uint32_t wanted)
{
    const struct key_range range = scene->query.range;
    const uint64_t k_b = scene->options.k_b, ratio = scene->options.ratio;
    uint64_t keys[N_MOST];
    struct bucketed result;
    for (uint32_t j = range.first; j < range.last; j++) {
        keys[j - range.first] = key_of(scores[j]);
        taken[j] = false;
    }
    const uint32_t k = wanted < scene->open ? wanted : scene->open;
    if (k == 0)
        return;
    const uint64_t b = ceil_divide(ratio * k, k_b);
    ck_assert(bucketed_topk(keys, scene->open, scene->open, k, b < scene->open ? b : scene->open,
                            k_b, scene->options.assignment, &result));
    for (size_t i = 0; i < result.length; i++)
        taken[range.first + result.result[i]] = true;
    bucketed_free(&result);
}

START_TEST(bucketed)
{
    uint64_t state = 1;
    const uint64_t kept[] = {1, 2, 3, 5, 16, 17, 40};
    for (int round = 0; round < 600; round++) {
        struct scene scene = make_scene(&state, round % 8 ? 60 : N_MOST, round % 3 > 0);
        double scores[N_MOST];
        for (uint32_t j = 0; j < scene.made.head.n; j++)
            scores[j] = (double)scene.made.logits[j];
        scene.options.k_b = (uint32_t)kept[next_random(&state) % 7];
        scene.options.ratio = 1 + (uint32_t)(next_random(&state) % 4);
        scene.options.assignment = (enum sim_assignment)(next_random(&state) % SIM_ASSIGNMENTS);
        const uint32_t wanted = (uint32_t)random_between(&state, 0, scene.open + 1);
        take_bucketed(&scene, scores, wanted);
        visit_scene(&scene, "bucketed", wanted);
        assert_visited(&scene.visit, taken, scene.query.range, "bucketed", wanted);
        ck_assert(scene.visit.index_bytes == 12.0 * (double)(scene.open - scene.visit.length));
        end_scene(&scene);
    }
}
END_TEST

/* Scores from the r components of the query with the largest size, found one after the other.
 * Returns their share of the sizes. */
static double sparq_scores(const struct scene *scene, uint32_t r, double *scores)
{
    const struct key_head *head = &scene->made.head;
    const float *q = scene->query.q;
    bool used[16] = {false};
    double sum = 0, all = 0;
    for (uint32_t j = 0; j < head->n; j++)
        scores[j] = 0;
    for (uint32_t i = 0; i < head->d; i++)
        all += fabs((double)q[i]);
    for (; r > 0; r--) {
        uint32_t best = head->d;
        for (uint32_t i = 0; i < head->d; i++)
            if (!used[i] && (best == head->d || fabsf(q[i]) > fabsf(q[best])))
                best = i;
        used[best] = true;
        sum += fabs((double)q[best]);
        for (uint32_t j = 0; j < head->n; j++)
            scores[j] += (double)q[best] * (double)head->keys[j * head->d + best];
    }
    return all > 0 ? sum / all : 1;
}

START_TEST(sparq)
{
    uint64_t state = 2;
    for (int round = 0; round < 400; round++) {
        struct scene scene = make_scene(&state, 80, true);
        double scores[N_MOST];
        scene.options.k_b = 1 + (uint32_t)(next_random(&state) % 3);
        scene.options.ratio = 1 + (uint32_t)(next_random(&state) % 3);
        scene.options.components = (uint32_t)random_between(&state, 1, 6);
        const uint32_t wanted = (uint32_t)random_between(&state, 0, scene.open + 1);
        sparq_scores(&scene, scene.options.components, scores);
        take_largest(scores, all_open, scene.query.range, wanted, taken);
        visit_scene(&scene, "sparq", wanted);
        assert_visited(&scene.visit, taken, scene.query.range, "sparq", wanted);
        ck_assert(scene.visit.correction_weight == 0);
        ck_assert(scene.visit.index_bytes == 2.0 * scene.options.components * scene.open);
        take_bucketed(&scene, scores, wanted);
        visit_scene(&scene, "sparq-bucketed", wanted);
        assert_visited(&scene.visit, taken, scene.query.range, "sparq-bucketed", wanted);
        end_scene(&scene);
    }
}
END_TEST

static bool same_visit(const struct visit *a, const struct visit *b)
{
    return a->length == b->length &&
           (a->length == 0 || memcmp(a->keys, b->keys, a->length * sizeof *a->keys) == 0);
}

/* Where b k_b is at least the number of open keys no bucket loses a key: exact, for either row of
 * scores. With the ratio 1 many rounds lose a key. */
START_TEST(all_candidates)
{
    uint64_t state = 6;
    uint32_t lost = 0;
    for (int round = 0; round < 400; round++) {
        struct scene scene = make_scene(&state, 200, round % 2);
        const char *const exact = round % 4 < 2 ? "topk" : "sparq";
        const char *const bucketed = round % 4 < 2 ? "bucketed" : "sparq-bucketed";
        const uint32_t wanted = (uint32_t)random_between(&state, 1, scene.open + 1);
        struct visit want = {0};
        scene.options.components = 3;
        visit_once(method_by_name(exact), &scene.options, &scene.made.head, &scene.query, wanted,
                   &want);
        scene.options.k_b = 1 + next_random(&state) % 8;
        scene.options.assignment = (enum sim_assignment)(next_random(&state) % SIM_ASSIGNMENTS);
        scene.options.ratio = (scene.open + wanted - 1) / wanted;
        visit_scene(&scene, bucketed, wanted);
        ck_assert_msg(same_visit(&scene.visit, &want), "%s: n %u, wanted %u, k_b %u, ratio %u",
                      bucketed, scene.open, wanted, (uint32_t)scene.options.k_b,
                      scene.options.ratio);
        scene.options.ratio = 1;
        visit_scene(&scene, bucketed, wanted);
        lost += !same_visit(&scene.visit, &want);
        visit_free(&want);
        end_scene(&scene);
    }
    ck_assert_msg(lost >= 100, "only %u rounds lose a key", lost);
}
END_TEST

/* alpha is the share of softmax(scores / tau) on what is attended, with tau = sqrt(share) / scale;
 * the rest of the weight goes to the mean of the values. */
START_TEST(sparq_mean_value)
{
    uint64_t state = 3;
    for (int round = 0; round < 200; round++) {
        struct scene scene = make_scene(&state, N_MOST, round % 2);
        const struct key_range range = scene.query.range;
        const uint32_t seen = scene.query.position + 1;
        double scores[N_MOST], all = 0, attended = 0;
        scene.options.components = (uint32_t)random_between(&state, 1, 6);
        scene.options.mean_value = true;
        const double share = sparq_scores(&scene, scene.options.components, scores);
        visit_scene(&scene, round % 4 ? "sparq" : "sparq-bucketed", scene.open / 3);
        bool visited[N_MOST] = {false};
        for (size_t i = 0; i < scene.visit.length; i++)
            visited[scene.visit.keys[i]] = true;
        for (uint32_t j = 0; j < seen; j++) {
            const double weight = exp(0.25 * scores[j] / sqrt(share));
            all += weight;
            attended += j < range.first || j >= range.last || visited[j] ? weight : 0;
        }
        ck_assert_double_eq_tol(scene.visit.correction_weight, 1 - attended / all, 1e-5);
        for (uint32_t e = 0; e < 7; e++) {
            double sum = 0;
            for (uint32_t j = 0; j < seen; j++)
                sum += (double)scene.made.values[j * 7 + e];
            ck_assert_double_eq_tol((double)scene.visit.correction[e], sum / seen, 1e-6);
        }
        visit_scene(&scene, "topk", 1); /* a method that does not correct clears it */
        ck_assert(scene.visit.correction_weight == 0);
        end_scene(&scene);
    }
}
END_TEST

START_TEST(quest)
{
    uint64_t state = 4;
    for (int round = 0; round < 600; round++) {
        struct scene scene = make_scene(&state, 80, true);
        const struct key_range range = scene.query.range;
        const uint32_t page = scene.options.page = (uint32_t)random_scale(&state, 1, 20);
        double bounds[N_MOST];
        bool has_keys[N_MOST] = {false}, chosen[N_MOST];
        uint32_t pages = 0;
        for (uint32_t p = 0; p * page < scene.made.head.n; p++) {
            bounds[p] = 0;
            for (uint32_t i = 0; i < 6; i++) {
                double most = -INFINITY;
                for (uint32_t j = range.first; j < range.last; j++)
                    if (j / page == p)
                        most = fmax(most,
                                    (double)scene.query.q[i] * (double)scene.made.keys[j * 6 + i]);
                bounds[p] += most;
            }
            has_keys[p] = bounds[p] > -INFINITY;
            pages += has_keys[p];
        }
        const uint32_t knob = (uint32_t)random_between(&state, 0, pages + 1);
        take_largest(bounds, has_keys, (struct key_range){0, N_MOST}, knob, chosen);
        for (uint32_t j = range.first; j < range.last; j++)
            taken[j] = chosen[j / page];
        visit_scene(&scene, "quest", knob);
        assert_visited(&scene.visit, taken, range, "quest", knob);
        ck_assert(scene.visit.index_bytes == 2.0 * 6 * 2 * pages);
        end_scene(&scene);
    }
}
END_TEST

/* The score of the block of each open key: that of its best key, or the mean of its keys. */
static void score_blocks(const struct scene *scene, bool mean, double *scores)
{
    const struct key_range range = scene->query.range;
    const uint32_t block = scene->options.block;
    for (uint32_t j = range.first; j < range.last; j++) {
        double most = -INFINITY, sum = 0, keys = 0;
        for (uint32_t i = range.first; i < range.last; i++)
            if (i / block == j / block) {
                const double logit = (double)scene->made.logits[i];
                most = fmax(most, logit);
                sum += logit;
                keys++;
            }
        scores[j] = mean ? sum / keys : most;
    }
}

/* Opens the best blocks one by one: as many as are asked for, and more until they hold enough.
 * Returns how many keys they hold. */
static uint32_t take_in_blocks(const struct scene *scene, bool mean, uint32_t wanted)
{
    const struct key_range range = scene->query.range;
    const uint32_t block = scene->options.block;
    const uint32_t enough = wanted < scene->open ? wanted : scene->open;
    const double blocks = ceil(scene->options.block_factor * enough);
    bool in_block[N_MOST] = {false};
    double scores[N_MOST], of_block[N_MOST];
    uint32_t held = 0;
    score_blocks(scene, mean, of_block);
    for (uint32_t opened = 0; held < scene->open && (opened < blocks || held < enough); opened++) {
        uint32_t best = range.last;
        for (uint32_t j = range.first; j < range.last; j++)
            if (!in_block[j] && (best == range.last || of_block[j] > of_block[best]))
                best = j;
        for (uint32_t j = range.first; j < range.last; j++)
            if (j / block == best / block) {
                in_block[j] = true;
                held++;
            }
    }
    for (uint32_t j = range.first; j < range.last; j++)
        scores[j] = (double)scene->made.logits[j];
    take_largest(scores, in_block, range, wanted, taken);
    return held;
}

/* Whole numbers have equal scores; means of them would round, so theirs are not whole. */
START_TEST(blocks)
{
    uint64_t state = 5;
    const double factors[] = {0.05, 0.25, 0.6, 1, 1.5, 3};
    for (int round = 0; round < 1600; round++) {
        const bool mean = round % 2;
        const char *name = mean ? "hisa" : "blocks";
        struct scene scene = make_scene(&state, 100, !mean && round % 3 > 0);
        const uint32_t block = scene.options.block = (uint32_t)random_scale(&state, 1, 20);
        scene.options.block_factor = factors[next_random(&state) % 6];
        const uint32_t wanted = (uint32_t)random_between(&state, 0, scene.open + 1);
        const uint32_t held = take_in_blocks(&scene, mean, wanted);
        if (round % 4 > 1)
            scene.query.logits = NULL; /* the method computes what it needs */
        visit_scene(&scene, name, wanted);
        assert_visited(&scene.visit, taken, scene.query.range, name, wanted);
        const uint32_t visited = (uint32_t)scene.visit.length;
        double bytes = 12.0 * (scene.open - visited);
        if (mean && (wanted == 0 || wanted >= scene.open))
            bytes = 0;
        else if (mean)
            bytes = 12.0 * (held - visited) + 12.0 * ((scene.query.range.last - 1) / block -
                                                      scene.query.range.first / block + 1);
        ck_assert(scene.visit.index_bytes == bytes);
        end_scene(&scene);
    }
}
END_TEST

/* The keys that are best for the query one position before, of those that this one may read. */
START_TEST(previous_query)
{
    uint64_t state = 6;
    for (int round = 0; round < 600; round++) {
        struct scene scene = make_scene(&state, 100, round % 3 > 0);
        const struct key_range range = scene.query.range;
        const bool known = round % 5 > 0 && scene.query.position > 0;
        const float *q = known ? scene.query.q - 6 : scene.query.q;
        double scores[N_MOST];
        for (uint32_t j = range.first; j < range.last; j++) {
            scores[j] = 0;
            for (uint32_t i = 0; i < 6; i++)
                scores[j] += (double)q[i] * (double)scene.made.keys[j * 6 + i];
        }
        scene.query.previous = known ? q : NULL;
        const uint32_t wanted = (uint32_t)random_between(&state, 0, scene.open + 1);
        take_largest(scores, all_open, range, wanted, taken);
        visit_scene(&scene, "previous-query", wanted);
        assert_visited(&scene.visit, taken, range, "previous-query", wanted);
        ck_assert(scene.visit.index_bytes == 12.0 * (double)(scene.open - scene.visit.length));
        end_scene(&scene);
    }
}
END_TEST

/* The keys that are best in another layer; nothing where it is not known. */
START_TEST(previous_layer)
{
    uint64_t state = 7;
    for (int round = 0; round < 300; round++) {
        struct scene scene = make_scene(&state, 100, round % 3 > 0);
        const struct key_range range = scene.query.range;
        const uint32_t n = scene.made.head.n;
        float *const keys = malloc(n * 6 * sizeof *keys), q[6];
        double scores[N_MOST];
        for (uint32_t i = 0; i < 6 * n; i++)
            keys[i] = (float)random_between(&state, 0, 8) - 4.0f;
        for (uint32_t i = 0; i < 6; i++)
            q[i] = (float)random_between(&state, 0, 8) - 4.0f;
        for (uint32_t j = 0; j < n; j++) {
            scores[j] = 0;
            for (uint32_t i = 0; i < 6; i++)
                scores[j] += (double)q[i] * (double)keys[j * 6 + i];
        }
        const bool known = round % 5 > 0;
        scene.query.layer_q = known ? q : NULL;
        scene.query.layer_keys = known ? keys : NULL;
        const uint32_t wanted = (uint32_t)random_between(&state, 0, scene.open + 1);
        take_largest(scores, all_open, range, known ? wanted : 0, taken);
        visit_scene(&scene, "previous-layer", wanted);
        assert_visited(&scene.visit, taken, range, "previous-layer", wanted);
        ck_assert(scene.visit.index_bytes == 0.0);
        free(keys);
        end_scene(&scene);
    }
}
END_TEST

TEST_MAIN("selection", bucketed, sparq, all_candidates, sparq_mean_value, quest, blocks,
          previous_query, previous_layer)
