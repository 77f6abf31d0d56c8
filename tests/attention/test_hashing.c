/* test_hashing.c - the methods that hash, against what they do, written out; how often hashes
 * collide; and the estimate from sampled keys.
 *
 * Against: each of them written out; the probability of a collision, 16 cases by 20,000 seeds; the
 * unbiased sum over 20,000 seeds (|z| > 5: 6e-7 a case).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <attention/method.h>
#include <sim/rows/random.h>

#include "made_head.h"

#define N_MOST 300
#define D 6

static const double pi = 3.14159265358979323846;

/* The projections of a vector, less a centre, on the directions of table t, from the definition:
 * normal values, row by row, in repetition t. */
static void project(const struct method_options *options, uint32_t group, uint32_t t,
                    uint32_t columns, const float *x, const double *centre, double *projections)
{
    const struct random_key key = random_key(options->seed, RANDOM_HASH, group);
    uint64_t words[64 * D];
    double normals[64 * D];
    random_words(key, t, words, columns * D);
    random_normals(key, t, words, normals, columns * D);
    for (uint32_t c = 0; c < columns; c++) {
        projections[c] = 0;
        for (uint32_t i = 0; i < D; i++)
            projections[c] +=
                (double)(float)normals[c * D + i] * ((double)x[i] - (centre ? centre[i] : 0));
    }
}

static uint32_t signs(const struct method_options *options, uint32_t group, uint32_t t,
                      uint32_t bits, const float *x, const double *centre)
{
    double projections[64];
    uint32_t code = 0;
    project(options, group, t, options->bits, x, centre, projections);
    for (uint32_t i = 0; i < bits; i++)
        if (projections[i] >= 0)
            code += UINT32_C(1) << i;
    return code;
}

/* The nearest axis after the `rank` nearest ones. */
static uint32_t axis(const struct method_options *options, uint32_t group, uint32_t t,
                     uint32_t buckets, uint32_t rank, const float *x)
{
    double projections[64];
    uint32_t best = 0;
    project(options, group, t, buckets / 2, x, NULL, projections);
    for (uint32_t i = 0; i < buckets / 2; i++)
        projections[buckets / 2 + i] = -projections[i];
    for (;; projections[best] = -INFINITY) {
        for (uint32_t i = 0; i < buckets; i++)
            best = projections[i] > projections[best] ? i : best;
        if (rank-- == 0)
            return best;
    }
}

struct scene {
    struct made_head made;
    struct method_options options;
    struct attention_query query;
    struct visit visit;
    bool taken[N_MOST];
};

static void make_scene(struct scene *scene, uint64_t *state)
{
    const struct dense_part dense = {(uint32_t)random_between(state, 0, 2),
                                     (uint32_t)random_between(state, 1, 5)};
    const uint32_t n = (uint32_t)random_between(state, 4, N_MOST);
    const uint32_t built = (uint32_t)random_between(state, dense.sink + 1, n);
    *scene = (struct scene){.options = METHOD_OPTIONS_DEFAULT};
    scene->options.seed = next_random(state);
    scene->options.dense = dense;
    scene->options.tables = (uint32_t)random_between(state, 2, 6);
    scene->options.bits = (uint32_t)random_between(state, 1, 6);
    scene->options.chunk = (uint32_t)random_scale(state, 2, 40);
    scene->made = make_head(state, n, D, built, dense, false);
    scene->query = made_query(&scene->made, (uint32_t)random_between(state, dense.sink, n - 1),
                              (uint32_t)(next_random(state) % 2));
}

static void visit_scene(struct scene *scene, const char *name, uint32_t knob)
{
    visit_once(method_by_name(name), &scene->options, &scene->made.head, &scene->query, knob,
               &scene->visit);
    assert_visited(&scene->visit, scene->taken, scene->query.range, name, knob);
}

static void end_scene(struct scene *scene)
{
    visit_free(&scene->visit);
    free_head(&scene->made);
}

/* The stage of a table, by counting the knob down over the tables, again and again. -1: the knob
 * does not reach it. */
static int stage_of(uint32_t knob, uint32_t tables, uint32_t table)
{
    int stage = -1;
    for (uint32_t i = 0; i < knob; i++)
        stage += i % tables == table;
    return stage;
}

/* The probability that x and y collide in two or more tables: all ways to collide. */
static double expected_share(const float *x, const double *y, const struct method_options *options,
                             uint32_t knob)
{
    double dot = 0, xx = 0, yy = 0, share = 0;
    for (uint32_t i = 0; i < D; i++) {
        dot += (double)x[i] * y[i];
        xx += (double)x[i] * (double)x[i];
        yy += y[i] * y[i];
    }
    /* A key that is the centre has no angle: a right one is taken. */
    const double agree = 1 - acos(yy > 0 ? dot / sqrt(xx * yy) : 0) / pi;
    for (uint32_t ways = 0; ways < 1u << options->tables; ways++) {
        double probability = 1;
        for (uint32_t t = 0; t < options->tables; t++) {
            const int stage = stage_of(knob, options->tables, t);
            const double collide = stage < 0 ? 0 : pow(agree, (int)options->bits - stage);
            probability *= ways >> t & 1 ? collide : 1 - collide;
        }
        share += __builtin_popcount(ways) >= 2 ? probability : 0;
    }
    return share;
}

START_TEST(magicpig)
{
    uint64_t state = 1;
    static struct scene scene;
    for (int round = 0; round < 200; round++) {
        make_scene(&scene, &state);
        const struct key_head *head = &scene.made.head;
        const struct method_options *options = &scene.options;
        const uint32_t most = method_by_name("lsh-magicpig")->knob_max(options, head);
        const uint32_t knob = (uint32_t)random_between(&state, 0, most);
        ck_assert_uint_eq(most, options->tables * options->bits);
        double centre[D] = {0}, entries = 0;
        for (uint32_t j = head->first; j < head->built; j++)
            for (uint32_t i = 0; i < D; i++)
                centre[i] += (double)head->keys[j * D + i] / (head->built - head->first);
        for (uint32_t j = scene.query.range.first; j < scene.query.range.last; j++) {
            uint32_t collisions = 0;
            for (uint32_t t = 0; t < options->tables && t < knob; t++) {
                const uint32_t bits = options->bits - (uint32_t)stage_of(knob, options->tables, t);
                collisions += signs(options, head->group, t, bits, head->keys + j * D, centre) ==
                              signs(options, head->group, t, bits, scene.query.q, NULL);
            }
            scene.taken[j] = collisions >= 2;
            entries += collisions;
        }
        visit_scene(&scene, "lsh-magicpig", knob);
        ck_assert(scene.visit.index_bytes ==
                  4 * (entries + 2 * (knob < options->tables ? knob : options->tables)));
        visit_scene(&scene, "lsh-magicpig-sampled", knob);
        for (size_t i = 0; i < scene.visit.length; i++) {
            double y[D];
            for (uint32_t c = 0; c < D; c++)
                y[c] = (double)head->keys[scene.visit.keys[i] * D + c] - centre[c];
            const double want = 1 / expected_share(scene.query.q, y, options, knob);
            ck_assert_double_eq_tol((double)scene.visit.weights[i] / want, 1, 1e-4);
        }
        end_scene(&scene);
    }
}
END_TEST

/* C sum p_i^2: the chance that two keys, drawn with replacement, share a bucket, times C. */
START_TEST(balance)
{
    uint64_t state = 5;
    static struct scene scene;
    for (int round = 0; round < 20; round++) {
        make_scene(&scene, &state);
        const struct key_head *head = &scene.made.head;
        const struct method *method = method_by_name("lsh-magicpig");
        const uint32_t count = head->n - head->first, tables = scene.options.tables;
        void *index = method->build(method, &scene.options, head);
        double centre[D] = {0}, together = 0;
        for (uint32_t j = head->first; j < head->built; j++)
            for (uint32_t i = 0; i < D; i++)
                centre[i] += (double)head->keys[j * D + i] / (head->built - head->first);
        for (uint32_t t = 0; t < tables; t++) {
            uint32_t hash[N_MOST];
            for (uint32_t j = head->first; j < head->n; j++)
                hash[j] = signs(&scene.options, head->group, t, scene.options.bits,
                                head->keys + j * D, centre);
            for (uint32_t j = head->first; j < head->n; j++)
                for (uint32_t i = head->first; i < head->n; i++)
                    together += hash[i] == hash[j];
        }
        const double want = together / tables / count / count * (1u << scene.options.bits);
        ck_assert_double_eq_tol(method->imbalance(head, index) / want, 1, 1e-12);
        method->free_index(index);
        end_scene(&scene);
    }
}
END_TEST

/* Where each code stands in the Gray code, by counting through it. */
static uint32_t gray_place(uint32_t code)
{
    uint32_t i = 0;
    while ((i ^ i >> 1) != code)
        i++;
    return i;
}

/* Does entry (rank, key) come before another? */
static bool comes_before(const uint32_t *rank, uint32_t a, uint32_t b)
{
    return rank[a] < rank[b] || (rank[a] == rank[b] && a < b);
}

/* The bin of each key: its own place among the built keys, or the bin in which it would be put. */
static uint32_t bin_of(const struct key_head *head, const uint32_t *rank, uint32_t chunk,
                       uint32_t key)
{
    uint32_t before = 0;
    for (uint32_t j = head->first; j < head->built; j++)
        before += comes_before(rank, j, key);
    return key < head->built ? before / chunk : before ? (before - 1) / chunk : 0;
}

START_TEST(gray)
{
    uint64_t state = 2;
    static struct scene scene;
    for (int round = 0; round < 200; round++) {
        make_scene(&scene, &state);
        const struct key_head *head = &scene.made.head;
        const uint32_t chunk = scene.options.chunk, built = head->built - head->first;
        const uint32_t bins = (uint32_t)ceil_divide(built, chunk);
        const uint32_t knob = (uint32_t)random_between(&state, 0, bins);
        uint32_t rank[N_MOST], below = 0, equal = 0;
        const uint32_t own = gray_place(
            signs(&scene.options, head->group, 0, scene.options.bits, scene.query.q, NULL));
        for (uint32_t j = head->first; j < head->n; j++) {
            rank[j] = gray_place(signs(&scene.options, head->group, 0, scene.options.bits,
                                       head->keys + j * D, NULL));
            below += j < head->built && rank[j] < own;
            equal += j < head->built && rank[j] == own;
        }
        /* Bins by the distance of their middle from the place; at a tie the later one first. */
        const double place = below + equal / 2 < built ? below + equal / 2 : built - 1;
        double nearness[N_MOST];
        bool exists[N_MOST] = {false}, open[N_MOST];
        for (uint32_t bin = 0; bin < bins; bin++) {
            const double distance = bin * chunk + 0.5 * chunk - place;
            const bool home = (uint32_t)place / chunk == bin;
            nearness[bin] = home ? 1 : -fabs(distance) + (distance > 0 ? 0.1 : 0);
            exists[bin] = true;
        }
        take_largest(nearness, exists, (struct key_range){0, bins}, knob, open);
        for (uint32_t j = scene.query.range.first; j < scene.query.range.last; j++)
            scene.taken[j] = open[bin_of(head, rank, chunk, j)];
        visit_scene(&scene, "lsh-gray", knob);
        ck_assert(scene.visit.index_bytes == 4.0 * (double)(bins + scene.visit.length));
        end_scene(&scene);
    }
}
END_TEST

/* Sorted places by counting: the query stands behind all keys of the range with its hash. */
static void mark_chunks(const uint32_t *hash, struct key_range range, uint32_t own, uint32_t m,
                        bool *taken)
{
    uint32_t s = 0;
    for (uint32_t j = range.first; j < range.last; j++)
        s += hash[j] <= own;
    for (uint32_t j = range.first; j < range.last; j++) {
        uint32_t place = 0;
        for (uint32_t i = range.first; i < range.last; i++)
            place += hash[i] < hash[j] || (hash[i] == hash[j] && i < j);
        if (hash[j] == own && place / m + 1 >= s / m && place / m <= s / m)
            taken[j] = true;
    }
}

static void check_argmax(struct scene *scene, bool by_query, uint32_t knob)
{
    const struct key_head *head = &scene->made.head;
    const struct key_range range = scene->query.range;
    const uint32_t chunks = (uint32_t)ceil_divide(head->built - head->first, scene->options.chunk);
    const uint32_t most = 1u << scene->options.bits;
    const uint32_t buckets = 2 * chunks < most ? 2 * chunks : most;
    const float *hashed =
        by_query ? head->queries + (size_t)scene->query.head * head->n * D : head->keys;
    memset(scene->taken, 0, sizeof scene->taken);
    for (uint32_t t = 0; t < scene->options.tables && t < knob; t++) {
        uint32_t hash[N_MOST];
        for (uint32_t j = range.first; j < range.last; j++)
            hash[j] = axis(&scene->options, head->group, t, buckets, 0, hashed + (size_t)j * D);
        for (int rank = 0; rank <= stage_of(knob, scene->options.tables, t); rank++)
            mark_chunks(
                hash, range,
                axis(&scene->options, head->group, t, buckets, (uint32_t)rank, scene->query.q),
                scene->options.chunk, scene->taken);
    }
    visit_scene(scene, by_query ? "lsh-argmax-query" : "lsh-argmax", knob);
}

START_TEST(argmax)
{
    uint64_t state = 3;
    static struct scene scene;
    for (int round = 0; round < 120; round++) {
        make_scene(&scene, &state);
        const uint32_t most =
            method_by_name("lsh-argmax")->knob_max(&scene.options, &scene.made.head);
        const uint32_t knob =
            (uint32_t)random_between(&state, 0,
                                     round % 2                         ? most
                                     : 3 * scene.options.tables < most ? 3 * scene.options.tables
                                                                       : most);
        check_argmax(&scene, false, knob);
        check_argmax(&scene, true, knob);
        end_scene(&scene);
    }
}
END_TEST

/* Without the queries of all positions, keys hashed by their queries are not visited. */
START_TEST(argmax_by_query)
{
    uint64_t state = 4;
    struct scene scene;
    make_scene(&scene, &state);
    scene.made.head.queries = NULL;
    scene.options.tables = 5;
    memset(scene.taken, 0, sizeof scene.taken);
    visit_scene(&scene, "lsh-argmax-query", 5);
    end_scene(&scene);
}
END_TEST

/* How often x and y = x turned by an angle collide in both of two tables of two bits, and x and -y:
 * (1 - angle / pi)^4 and (angle / pi)^4. Keys y and -y have the centre 0.
 * |z| > 5 by chance: 6e-7 for each of 16 cases. The seeds are fixed. */
START_TEST(collisions_have_their_probability)
{
    const uint32_t seeds = 20000;
    struct method_options options = METHOD_OPTIONS_DEFAULT;
    options.bits = 2;
    options.tables = 2;
    for (int angle = 1; angle <= 8; angle++) {
        const double turn = pi * angle / 9;
        const float x[2] = {1.5f, 0};
        const float keys[4] = {(float)cos(turn), (float)sin(turn), -keys[0], -keys[1]};
        const struct key_head head = {.keys = keys, .n = 2, .d = 2, .built = 2};
        const struct attention_query query = {.q = x, .position = 1, .range = {0, 2}};
        double hits[2] = {0};
        struct visit visit = {0};
        for (options.seed = 0; options.seed < seeds; options.seed++) {
            visit_once(method_by_name("lsh-magicpig"), &options, &head, &query, 2, &visit);
            for (size_t i = 0; i < visit.length; i++)
                hits[visit.keys[i]]++;
        }
        visit_free(&visit);
        for (int j = 0; j < 2; j++) {
            const double share = pow(j ? turn / pi : 1 - turn / pi, 4);
            const double z = (hits[j] - seeds * share) / sqrt(seeds * share * (1 - share));
            ck_assert_msg(fabs(z) < 5, "angle %d/9 pi, key %d: %g of %u, want %g, z %g", angle, j,
                          hits[j], seeds, share, z);
        }
    }
}
END_TEST

/* The sum of weight e^logit over the visited keys estimates that over all keys, and so does that of
 * weight e^logit v: their means over the seeds. |z| > 5 by chance: 6e-7 for each of 2 sums. */
START_TEST(sampling_is_unbiased)
{
    uint64_t state = 6;
    enum { N = 24, SEEDS = 20000 };
    struct method_options options = METHOD_OPTIONS_DEFAULT;
    options.bits = 2;
    options.tables = 5;
    struct made_head made = make_head(&state, N + 1, 4, N, (struct dense_part){0, 1}, false);
    const struct attention_query query = made_query(&made, N, 0);
    double want[2] = {0}, sum[2] = {0}, square[2] = {0};
    for (uint32_t j = 0; j < N; j++) {
        want[0] += exp((double)made.logits[j]);
        want[1] += exp((double)made.logits[j]) * (double)made.values[j * 5];
    }
    struct visit visit = {0};
    size_t visited = 0;
    for (options.seed = 0; options.seed < SEEDS; options.seed++) {
        double estimate[2] = {0};
        visit_once(method_by_name("lsh-magicpig-sampled"), &options, &made.head, &query, 5, &visit);
        for (size_t i = 0; i < visit.length; i++) {
            const uint32_t j = visit.keys[i];
            const double weight = (double)visit.weights[i] * exp((double)made.logits[j]);
            estimate[0] += weight;
            estimate[1] += weight * (double)made.values[j * 5];
        }
        for (int i = 0; i < 2; i++) {
            sum[i] += estimate[i];
            square[i] += estimate[i] * estimate[i];
        }
        visited += visit.length;
    }
    for (int i = 0; i < 2; i++) {
        const double mean = sum[i] / SEEDS, variance = square[i] / SEEDS - mean * mean;
        const double z = (mean - want[i]) / sqrt(variance / SEEDS);
        ck_assert_msg(fabs(z) < 5, "sum %d: mean %g, want %g, z %g", i, mean, want[i], z);
    }
    /* It is a sample: neither nothing nor everything. */
    ck_assert(visited > SEEDS * N / 20 && visited < SEEDS * N * 19 / 20);
    visit_free(&visit);
    free_head(&made);
}
END_TEST

TEST_MAIN("hashing", magicpig, balance, gray, argmax, argmax_by_query,
          collisions_have_their_probability, sampling_is_unbiased)
