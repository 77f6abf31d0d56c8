/* test_methods.c - what holds for every method of sparse attention in the registry.
 *
 * Every method of `attention/`: which keys, how many, at every knob; none open, one open, equal
 * keys; any number of threads; later keys; bad options. Against: what the interface promises.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifdef _OPENMP
#include <omp.h>
#endif

#include <math.h>

#include <attention/method.h>

#include "made_head.h"

/* Small enough that a head of 40 keys has several of each. */
static struct method_options small_options(struct dense_part dense)
{
    struct method_options options = METHOD_OPTIONS_DEFAULT;
    options.dense = dense;
    options.components = 3;
    options.clusters = 5;
    options.page = 6;
    options.bits = 3;
    options.tables = 7;
    options.chunk = 10;
    return options;
}

/* A method whose index cannot be made from keys and queries alone is tested elsewhere. */
static bool is_tested(const struct method *method)
{
    return !method->trains_queries;
}

/* Methods that may leave keys out at their largest knob: those with collisions, which are random,
 * and those that keep a share of what they visit. */
static bool may_leave_out(const char *name)
{
    return strncmp(name, "lsh-magicpig", 12) == 0 || strncmp(name, "lsh-argmax", 10) == 0 ||
           strcmp(name, "kmeans-topk") == 0;
}

static void check_visit(const struct method *method, const struct visit *visit,
                        struct key_range range, uint32_t knob)
{
    const uint32_t open = range.last - range.first;
    for (size_t i = 0; i < visit->length; i++) {
        holds(visit->keys[i] >= range.first && visit->keys[i] < range.last,
              "%s knob %u: key %u outside %u .. %u", method->name, knob, visit->keys[i],
              range.first, range.last);
        holds(i == 0 || visit->keys[i - 1] < visit->keys[i], "%s knob %u: key %u after %u",
              method->name, knob, visit->keys[i], visit->keys[i - (i > 0)]);
        holds(!visit->weighted || visit->weights[i] >= 1.0f, "%s knob %u: weight %g", method->name,
              knob, (double)visit->weights[i]);
    }
    holds(!method->counts_keys || visit->length == (knob < open ? knob : open),
          "%s knob %u: %zu keys of %u", method->name, knob, visit->length, open);
    holds(visit->index_bytes >= 0 && isfinite(visit->index_bytes), "%s knob %u: %g bytes",
          method->name, knob, visit->index_bytes);
    holds(visit->largest_bucket <= open, "%s knob %u: bucket of %u, %u open", method->name, knob,
          visit->largest_bucket, open);
    holds(visit->correction_weight >= 0 && visit->correction_weight <= 1,
          "%s knob %u: correction %g", method->name, knob, visit->correction_weight);
}

/* Every knob from 0 to beyond the largest one. */
static void check_knobs(const struct method *method, const struct method_options *options,
                        const struct key_head *head, const void *index,
                        const struct attention_query *query)
{
    const uint32_t most = method_knob_max(method, options, head);
    const uint32_t open = query->range.last - query->range.first;
    struct visit visit = {0};
    size_t before = 0;
    for (uint32_t knob = 0; knob <= most; knob++) {
        method->visit(method, options, head, index, query, 1, knob, &visit);
        check_visit(method, &visit, query->range, knob);
        holds(visit.length >= before, "%s: %zu keys at knob %u, %zu one below", method->name,
              visit.length, knob, before);
        holds(knob > 0 || most == 0 || visit.length == 0, "%s: %zu keys at knob 0", method->name,
              visit.length);
        before = visit.length;
    }
    holds(most == 0 || may_leave_out(method->name) || before == open,
          "%s: %zu keys of %u at the largest knob, %u", method->name, before, open, most);
    visit_free(&visit);
}

static void check_head(struct made_head *made, const struct method_options *options)
{
    for (const struct method *const *method = methods; *method; method++) {
        if (!is_tested(*method))
            continue;
        void *index = (*method)->build ? (*method)->build(*method, options, &made->head) : NULL;
        const uint32_t n = made->head.n;
        for (uint32_t position = made->dense.sink; position < n; position += 1 + n / 5) {
            const struct attention_query query =
                made_query(made, n - 1 - (position - made->dense.sink), 1);
            check_knobs(*method, options, &made->head, index, &query);
        }
        if ((*method)->free_index)
            (*method)->free_index(index);
    }
}

START_TEST(visits_keep_their_promises)
{
    uint64_t state = 16;
    const uint32_t lengths[] = {2, 3, 7, 8, 9, 40, 130};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int kind = 0; kind < 8; kind++) {
            const struct dense_part dense = {kind & 1, kind & 2 ? 1 : 4};
            const uint32_t n = lengths[i], built = kind & 4 ? n : dense.sink + (n - dense.sink) / 2;
            struct method_options options = small_options(dense);
            options.mean_value = kind & 1;
            options.k_b = kind & 2 ? 1 : 3;
            options.assignment = (enum sim_assignment)(kind % SIM_ASSIGNMENTS);
            struct made_head made =
                make_head(&state, n, 5, built > dense.sink ? built : n, dense, kind & 1);
            check_head(&made, &options);
            free_head(&made);
        }
}
END_TEST

/* All keys equal, all scores tied, and a query of zeros. */
START_TEST(equal_keys)
{
    uint64_t state = 17;
    const struct dense_part dense = {1, 3};
    const struct method_options options = small_options(dense);
    struct made_head made = make_head(&state, 50, 5, 30, dense, true);
    for (size_t i = 0; i < 50 * 5; i++)
        made.keys[i] = (float)(i % 5) - 2;
    check_head(&made, &options);
    for (size_t i = 0; i < 2 * 50 * 5; i++)
        made.queries[i] = 0;
    check_head(&made, &options);
    free_head(&made);
}
END_TEST

START_TEST(nothing_is_open)
{
    uint64_t state = 18;
    const struct dense_part dense = {2, 30};
    struct method_options options = small_options(dense);
    options.mean_value = true;
    struct made_head made = make_head(&state, 40, 5, 20, dense, false);
    for (uint32_t position = 2; position < 32; position += 7) {
        const struct attention_query query = made_query(&made, position, 0);
        ck_assert(query.range.first == query.range.last);
        for (const struct method *const *method = methods; *method; method++)
            if (is_tested(*method)) {
                struct visit visit = {0};
                visit_once(*method, &options, &made.head, &query,
                           method_knob_max(*method, &options, &made.head), &visit);
                ck_assert_msg(visit.length == 0, "%s: %zu keys", (*method)->name, visit.length);
                check_visit(*method, &visit, query.range, 0);
                visit_free(&visit);
            }
    }
    free_head(&made);
}
END_TEST

static bool same_visit(const struct visit *a, const struct visit *b)
{
    if (a->length != b->length || a->weighted != b->weighted ||
        a->correction_weight != b->correction_weight || a->index_bytes != b->index_bytes ||
        a->largest_bucket != b->largest_bucket)
        return false;
    if (a->length == 0)
        return true;
    return memcmp(a->keys, b->keys, a->length * sizeof *a->keys) == 0 &&
           (!a->weighted || memcmp(a->weights, b->weights, a->length * sizeof *a->weights) == 0);
}

#define QUERIES 24

/* Builds with `threads`, and visits with as many at the same time. */
static void visit_all(const struct method *method, const struct method_options *options,
                      const struct key_head *head, const struct attention_query *queries,
                      uint32_t knob, int threads, struct visit visits[QUERIES])
{
#ifdef _OPENMP
    omp_set_num_threads(threads);
#endif
    (void)threads;
    void *index = method->build ? method->build(method, options, head) : NULL;
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < QUERIES; i++)
        method->visit(method, options, head, index, &queries[i], 1, knob, &visits[i]);
    if (method->free_index)
        method->free_index(index);
}

/* The same bits for 1 and 4 threads, and without logits where they are given. */
START_TEST(same_for_any_number_of_threads)
{
    uint64_t state = 19;
    const struct dense_part dense = {1, 16};
    struct method_options options = small_options(dense);
    options.mean_value = true;
    struct made_head made = make_head(&state, 1200, 8, 1100, dense, true);
    struct attention_query queries[QUERIES];
    for (uint32_t i = 0; i < QUERIES; i++) {
        queries[i] = made_query(&made, 1199 - i, i % 2);
        queries[i].logits = NULL;
    }
    for (const struct method *const *method = methods; *method; method++) {
        if (!is_tested(*method))
            continue;
        struct visit one[QUERIES] = {{0}}, four[QUERIES] = {{0}};
        const uint32_t knob = method_knob_max(*method, &options, &made.head) / 2;
        visit_all(*method, &options, &made.head, queries, knob, 1, one);
        visit_all(*method, &options, &made.head, queries, knob, 4, four);
        for (uint32_t i = 0; i < QUERIES; i++) {
            struct visit again = {0};
            const struct attention_query query =
                made_query(&made, queries[i].position, queries[i].head);
            ck_assert_msg(same_visit(&one[i], &four[i]), "%s: query %u", (*method)->name, i);
            if (i % 8 == 0) {
                visit_once(*method, &options, &made.head, &query, knob, &again);
                ck_assert_msg(same_visit(&one[i], &again), "%s: logits given", (*method)->name);
            }
            visit_free(&again);
            visit_free(&one[i]);
            visit_free(&four[i]);
        }
    }
    free_head(&made);
}
END_TEST

/* A key that comes after the range changes nothing, where the index is built from earlier keys. */
START_TEST(later_keys_change_nothing)
{
    uint64_t state = 20;
    const struct dense_part dense = {1, 4};
    struct method_options options = small_options(dense);
    options.mean_value = true;
    struct made_head made = make_head(&state, 100, 5, 40, dense, false);
    float *changed = made_numbers(&state, 500, false);
    memcpy(changed, made.keys, 61 * 5 * sizeof *changed);
    struct key_head other = made.head;
    other.keys = changed;
    struct attention_query query = made_query(&made, 60, 0);
    query.logits = NULL;
    for (const struct method *const *method = methods; *method; method++) {
        if (!is_tested(*method))
            continue;
        const uint32_t most = method_knob_max(*method, &options, &made.head);
        for (uint32_t knob = 0; knob <= most; knob += 1 + most / 9) {
            struct visit a = {0}, b = {0};
            visit_once(*method, &options, &made.head, &query, knob, &a);
            visit_once(*method, &options, &other, &query, knob, &b);
            ck_assert_msg(same_visit(&a, &b), "%s, knob %u", (*method)->name, knob);
            visit_free(&a);
            visit_free(&b);
        }
    }
    free(changed);
    free_head(&made);
}
END_TEST

static void expect_fault(const char *name, const struct method_options *options, uint32_t d,
                         const char *member)
{
    char error[200] = "";
    ck_assert_int_eq(method_options_check(options, method_by_name(name), d, MESSAGE(error)), -1);
    ck_assert_msg(error[0] == *MEMBER && strncmp(error + 1, member, strlen(member)) == 0 &&
                      error[1 + strlen(member)] == ' ' && !strchr(error, '\n'),
                  "%s: '%s' for %s", name, error, member);
}

START_TEST(faults_name_the_member)
{
    struct method_options options = METHOD_OPTIONS_DEFAULT, wrong;
    char error[200];
    for (const struct method *const *method = methods; *method; method++)
        ck_assert_int_eq(method_options_check(&options, *method, 16, MESSAGE(error)), 0);
    /* A step outside of each end of each range. */
    for (const struct method_option *row = method_option_rows; row->name; row++)
        for (int above = 0; above < 2; above++) {
            void *at = (char *)&wrong + row->at;
            wrong = options;
            if (row->kind == METHOD_OPTION_WHOLE)
                *(uint32_t *)at = (uint32_t)(above ? row->most + 1 : row->least - 1);
            else if (row->kind == METHOD_OPTION_REAL)
                *(double *)at = above ? nextafter(row->most, INFINITY) : row->least;
            if (row->kind != METHOD_OPTION_FLAG)
                expect_fault("topk", &wrong, 16, row->name);
        }
#define FAULT(name, member, value) \
    do { \
        wrong = options; \
        wrong.member = value; \
        expect_fault(name, &wrong, 16, #member); \
    } while (0)
    FAULT("sparq-bucketed", components, 17);
    FAULT("sparq", components, 17);
    FAULT("blocks", block_factor, NAN);
    FAULT("blocks", block_factor, INFINITY);
    FAULT("lsh-magicpig", tables, 1);
}
END_TEST

START_TEST(names_are_unique)
{
    for (const struct method *const *method = methods; *method; method++) {
        ck_assert_ptr_eq(method_by_name((*method)->name), *method);
        ck_assert((*method)->summary[0] >= 'a' && (*method)->summary[0] <= 'z');
    }
    ck_assert_ptr_null(method_by_name("none"));
}
END_TEST

TEST_MAIN("methods", visits_keep_their_promises, equal_keys, nothing_is_open,
          same_for_any_number_of_threads, later_keys_change_nothing, faults_name_the_member,
          names_are_unique)
