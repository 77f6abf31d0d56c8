/* test_evaluate_runs.c - attention without values, of layers that are read in full, of queries that
 * choose together; threads, memory, stops and faults.
 *
 * Against: the same, and one run against another.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "made_up_heads.h"

/* Without values the rest is the same and the error unknown. A layer that is read in full is left
 * out of the row of all heads, and has rows of its own. */
START_TEST(parts_that_are_missing)
{
    make_heads();
    const struct method *const list[] = {method_by_name("topk")};
    struct evaluation_spec spec = spec_of(list, 1);
    struct evaluation with = run(&spec);
    for (int i = 0; i < HEADS; i++)
        shapes[i].d_v = 0;
    struct evaluation without = run(&spec);
    ck_assert(isnan(without.rows[1].error.mean) && isnan(without.rows[1].error.se));
    ck_assert(without.rows[1].mass.mean == with.rows[1].mass.mean);
    ck_assert(without.rows[1].mass.se == with.rows[1].mass.se);
    evaluation_free(&without);
    evaluation_free(&with);
    make_heads();
    for (int i = 0; i < HEADS; i++)
        shapes[i].dense = shapes[i].layer == 7;
    struct evaluation e = run(&spec);
    ck_assert_uint_eq(e.rows[1].queries, HEADS / 2 * GROUP * N_Q);
    ck_assert_uint_eq(e.rows[1].layer, 8);
    ck_assert_uint_eq(e.dense_heads, HEADS / 2);
    evaluation_free(&e);
    spec.per_head = true;
    e = run(&spec);
    ck_assert(e.rows[0].layer == 7 && e.rows[0].selectivity > 0.95 && e.rows[0].error.mean < 1e-20);
    ck_assert(e.rows[4].layer == 8 && e.rows[4].selectivity < 0.95);
    evaluation_free(&e);
}
END_TEST

/* topk of two queries that share keys: the keys with the largest sums of their softmaxes. */
START_TEST(sharing)
{
    make_heads();
    const struct method *const list[] = {method_by_name("topk"), &some};
    struct evaluation_spec spec = spec_of(list, 2);
    spec.length = 1;
    spec.share = true;
    struct evaluation e = run(&spec);
    long double mass = 0;
    for (uint32_t i = 0; i < N_Q; i++) {
        const uint32_t last = 90 - N_Q + i + 1 - 9;
        double logits[GROUP][N_MAX], sums[N_MAX] = {0}, open[GROUP] = {0};
        for (uint32_t h = 0; h < GROUP; h++) {
            logits_of(0, h, i, logits[h]);
            for (uint32_t j = 2; j < last; j++)
                open[h] += exp(logits[h][j]);
            for (uint32_t j = 2; j < last; j++)
                sums[j] += exp(logits[h][j]) / open[h];
        }
        for (uint32_t h = 0; h < GROUP; h++) {
            long double read = 0, all = 0;
            for (uint32_t j = 0; j < last + 9; j++) {
                const bool in = j < 2 || j >= last || rank_of(sums, 2, last, j) < 9;
                read += in ? expl(logits[h][j]) : 0;
                all += expl(logits[h][j]);
            }
            mass += read / all / (N_Q * GROUP);
        }
    }
    near(e.rows[1].mass.mean, mass, "mass of shared keys");
    ck_assert(e.rows[1].recall[1].mean < 1); /* each alone would have all of its top 8 */
    /* What is read once is read for two queries. */
    near(e.rows[1].bytes_read, ((11 + 9) * 9 + (88 - 11 - 9) * 6) * 2 / 2.0, "bytes");
    evaluation_free(&e);
}
END_TEST

/* Of six needles: an odd key is visited, an even one is not, those of sink and window are read, one
 * behind the query is not; and one of the other document is visited. */
START_TEST(needles)
{
    make_heads();
    const struct head_needle list[] = {{0, 0, 3, 41}, {0, 1, 2, 40}, {1, 0, 0, 1},
                                       {1, 1, 0, 80}, {2, 0, 0, 89}, {HEADS - 1, 1, 4, 77}};
    const struct method *const methods_of[] = {&half};
    struct evaluation_spec spec = spec_of(methods_of, 1);
    spec.needles = list;
    spec.needles_length = 6;
    struct evaluation e = run(&spec);
    near(e.rows[0].needle_found, 4.0L / 6, "needles");
    evaluation_free(&e);
    spec.per_head = true;
    e = run(&spec);
    /* By query head of layer 7: head 0 has a found one, head 1 a lost one, 2 and 3 found ones. */
    ck_assert(e.rows[0].needle_found == 1 && e.rows[1].needle_found == 0);
    ck_assert(e.rows[2].needle_found == 1 && e.rows[3].needle_found == 1);
    ck_assert(e.rows[4].needle_found == 0 && isnan(e.rows[5].needle_found));
    ck_assert(e.rows[7].needle_found == 1);
    evaluation_free(&e);
}
END_TEST

static bool stop_at(void *context, uint64_t done, uint64_t total)
{
    ck_assert(done <= total);
    return done >= *(uint64_t *)context;
}

/* Heads that do not stay in memory change no bit (test_sparse_numpy.sh has the threads). A stop
 * keeps the methods that were finished. A reader that fails ends it with its line. */
START_TEST(threads_memory_and_stops)
{
    make_heads();
    struct evaluation_spec spec = spec_of(both, 2);
    struct evaluation one, e;
    spec.threads = 1;
    reads = 0;
    one = run(&spec);
    const int reads_of_one = reads;
    for (unsigned threads = 1; threads <= 3; threads++) {
        spec.threads = threads;
        spec.memory_bytes = threads == 1 ? 1 : 0;
        reads = 0;
        e = run(&spec);
        if (threads == 1)
            ck_assert_int_gt(reads, 3 * reads_of_one);
        ck_assert_uint_eq(e.length, one.length);
        for (size_t i = 0; i < e.length; i++) {
            struct evaluation_row a = e.rows[i], b = one.rows[i];
            ck_assert_mem_eq(a.recall, b.recall, K_LENGTH * sizeof *a.recall);
            a.recall = b.recall = NULL;
            ck_assert_mem_eq(&a.visited, &b.visited,
                             sizeof a - offsetof(struct evaluation_row, visited));
            ck_assert_uint_eq(a.knob, b.knob);
        }
        evaluation_free(&e);
    }
    evaluation_free(&one);
    char error[300] = "";
    uint64_t stop = EVALUATION_STEPS * (2 * HEADS + 3);
    const struct watch watch = {stop_at, &stop};
    ck_assert_int_eq(evaluation_run(&spec, &watch, &e, MESSAGE(error)), 1);
    ck_assert_uint_eq(e.length, BUDGETS);
    evaluation_free(&e);
    stop = 1;
    ck_assert_int_eq(evaluation_run(&spec, &watch, &e, MESSAGE(error)), 1);
    ck_assert_uint_eq(e.length, 0);
    evaluation_free(&e);
    size_t broken = 5;
    spec.from = &broken;
    ck_assert_int_eq(evaluation_run(&spec, NULL, &e, MESSAGE(error)), -1);
    ck_assert_str_eq(error, "head 5 is broken");
    evaluation_free(&e);
    const struct head_shape huge = {.query_heads = 1, .n = UINT32_MAX, .n_q = UINT32_MAX, .d = D};
    spec.heads = &huge;
    spec.length = 1;
    spec.memory_bytes = INFINITY;
    ck_assert_int_eq(evaluation_run(&spec, NULL, &e, MESSAGE(error)), -1);
    ck_assert_str_eq(error, "out of memory; give fewer queries with " MEMBER "last");
    evaluation_free(&e);
}
END_TEST

/* A logit beyond float is refused, not summed. */
START_TEST(overflow)
{
    make_heads();
    for (uint32_t c = 0; c < D; c++)
        keys[1][7 * D + c] = queries[1][c] = 3e38f;
    char error[300] = "";
    struct evaluation e;
    const struct evaluation_spec spec = spec_of(both, 1);
    ck_assert_int_eq(evaluation_run(&spec, NULL, &e, MESSAGE(error)), -1);
    ck_assert_msg(strstr(error, "overflow in query head 2") != NULL, "%s", error);
    evaluation_free(&e);
}
END_TEST

TEST_MAIN("evaluate_runs", parts_that_are_missing, sharing, needles, threads_memory_and_stops,
          overflow)
