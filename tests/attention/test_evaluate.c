/* test_evaluate.c - what sparse attention loses and reads, against sums over single keys in long
 * double.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "made_up_heads.h"

/* The mean share of the keys that visits_some() visits. */
static long double some_visited(uint32_t knob, uint32_t layer, uint32_t query_head)
{
    long double visited = 0, queries = 0;
    for (size_t head = 0; head < HEADS; head++)
        for (uint32_t i = 0; i < GROUP * N_Q; i++) {
            const uint32_t position = shapes[head].n - N_Q + i % N_Q;
            if (layer != LAYER_UNKNOWN &&
                (shapes[head].layer != layer || shapes[head].query_head + i / N_Q != query_head))
                continue;
            queries++;
            for (uint32_t j = 2; j < position + 1 - 9; j++)
                visited += visits_some(knob, i / N_Q, position, j) ? 1.0L / shapes[head].n : 0;
        }
    return visited / queries;
}

/* The largest knob that visits no more than the budgets of the documents allow. */
static uint32_t best_knob(double budget, uint32_t layer, uint32_t query_head)
{
    long double allowed = 0;
    uint32_t knob = 64;
    for (int i = 0; i < DOCUMENTS; i++)
        allowed += floor(budget * lengths[i] + 0.5) / lengths[i] / DOCUMENTS;
    while (knob > 0 && some_visited(knob, layer, query_head) > allowed + 1e-12L)
        knob--;
    return knob;
}

START_TEST(rows_by_single_keys)
{
    make_heads();
    const struct evaluation_spec spec = spec_of(both, 2);
    struct evaluation e = run(&spec);
    ck_assert_uint_eq(e.length, 2 * BUDGETS);
    for (uint32_t b = 0; b < BUDGETS; b++) {
        const struct evaluation_row *row = &e.rows[b];
        ck_assert_uint_eq(row->knob, best_knob(budgets[b], LAYER_UNKNOWN, 0));
        ck_assert_uint_eq(row->layer, LAYER_UNKNOWN);
        check_row(row, visits_some, row->knob, 1);
        /* The mean of both documents; at knob 0 nothing is read. */
        ck_assert(row->imbalance == (9.0 + 12.0) / 2);
        near(row->index_bytes, row->knob ? 1000.0L + row->knob : 0, "index bytes");
        ck_assert_uint_eq(e.rows[BUDGETS + b].knob, KNOB_NONE);
        ck_assert(isnan(e.rows[BUDGETS + b].largest_bucket) && isnan(e.rows[BUDGETS + b].time_us));
        check_row(&e.rows[BUDGETS + b], visits_half, 0, 2);
    }
    ck_assert_uint_eq(e.rows[0].knob, 0);
    ck_assert_uint_gt(e.rows[1].knob, 0);
    ck_assert_uint_eq(e.rows[BUDGETS - 1].knob, 64); /* everything is visited */
    near(e.rows[BUDGETS - 1].mass.mean, 1, "mass of all keys");
    ck_assert(e.rows[BUDGETS - 1].error.mean < 1e-20);
    evaluation_free(&e);
}
END_TEST

START_TEST(rows_per_head)
{
    make_heads();
    struct evaluation_spec spec = spec_of(both, 2);
    spec.per_head = true;
    struct evaluation e = run(&spec);
    ck_assert_uint_eq(e.length, 2 * BUDGETS * LAYERS * KEY_HEADS * GROUP);
    bool differ = false;
    for (size_t i = 0; i < e.length; i++) {
        const struct evaluation_row *row = &e.rows[i];
        const size_t cell = i % (LAYERS * KEY_HEADS * GROUP);
        ck_assert_uint_eq(row->layer, 7 + cell / (KEY_HEADS * GROUP));
        ck_assert_uint_eq(row->head, cell % (KEY_HEADS * GROUP));
        if (row->method == 0)
            ck_assert_uint_eq(row->knob, best_knob(budgets[row->budget], row->layer, row->head));
        differ = differ || row->knob != e.rows[i - cell].knob;
        check_row(row, row->method ? visits_half : visits_some, row->knob, row->method ? 2 : 1);
    }
    ck_assert(differ); /* each head has a knob of its own */
    evaluation_free(&e);
}
END_TEST

static void visit_nines(const struct method *self, const struct method_options *options,
                        const struct key_head *head, const void *index,
                        const struct attention_query *query, uint32_t count, uint32_t knob,
                        struct visit *visit)
{
    (void)self, (void)options, (void)index, (void)count;
    visit_reserve(visit, head->n, false);
    visit->length = 0;
    for (uint32_t j = query->range.first; j < query->range.last && visit->length < 9 * knob; j++)
        visit->keys[visit->length++] = j;
    visit->index_bytes = visit->largest_bucket = 0;
}

/* A knob that visits just what the budget allows is taken. */
START_TEST(budgets_are_used_up)
{
    const struct method nines = {
        .name = "nines", .knob = "nines", .knob_max = some_max, .visit = visit_nines};
    const struct method *const list[] = {&nines};
    const double tenths[] = {0.05, 0.1, 0.11, 0.2, 0.3}; /* 5, 9, 10, 18 and 27 of 90 keys */
    const uint32_t knobs[] = {0, 1, 1, 2, 3};
    make_heads();
    struct evaluation_spec spec = spec_of(list, 1);
    spec.length = LAYERS * KEY_HEADS; /* the first document */
    spec.budgets = tenths;
    spec.budgets_length = 5;
    struct evaluation e = run(&spec);
    for (int b = 0; b < 5; b++)
        ck_assert_uint_eq(e.rows[b].knob, knobs[b]);
    evaluation_free(&e);
    /* 0.35 of 90 keys are 31.5, and the product of the binary numbers is less. */
    const struct method *const topk = method_by_name("topk");
    const double decimal = 0.35;
    spec.methods = &topk;
    spec.budgets = &decimal;
    spec.budgets_length = 1;
    e = run(&spec);
    ck_assert_uint_eq(e.rows[0].knob, 32);
    evaluation_free(&e);
}
END_TEST

/* bytes_read by hand: 2 bytes each for d = 6 and d_v = 3 of the keys read. */
START_TEST(bytes)
{
    make_heads();
    const struct method *const list[] = {method_by_name("full"), method_by_name("topk")};
    struct evaluation_spec spec = spec_of(list, 2);
    struct evaluation e = run(&spec);
    const double seen = (90 + N_MAX) / 2.0 - (N_Q - 1) / 2.0;
    near(e.full_bytes, seen * 9 * 2, "full");
    near(e.keys_bytes, seen * 6 * 2, "keys");
    near(e.rows[0].bytes_read, seen * 9 * 2, "row of full");
    /* topk reads all open keys, and then the values of those that it visits: 9 and 12. */
    const double open = seen - 11, visited = (9 + 12) / 2.0;
    near(e.rows[BUDGETS + 1].bytes_read, (11 * 9 + open * 6 + visited * 3) * 2, "row of topk");
    ck_assert_uint_eq(e.rows[BUDGETS + 1].knob, KNOB_NONE); /* 9 and 12 */
    spec.options.element_bytes = 4;
    evaluation_free(&e);
    e = run(&spec);
    near(e.rows[0].bytes_read, seen * 9 * 4, "row of full, 4 bytes");
    evaluation_free(&e);
}
END_TEST

/* By hand: with groups of one size the squared standard error is the variance of the groups' means
 * over their number. */
START_TEST(standard_errors)
{
    make_heads();
    const struct method *const list[] = {&half};
    struct evaluation_spec spec = spec_of(list, 1);
    struct evaluation e = run(&spec);
    double mean = 0, squares = 0, ratio = 0;
    struct counted of[HEADS * GROUP] = {0}, all = {0};
    for (size_t g = 0; g < HEADS * GROUP; g++) {
        for (uint32_t i = 0; i < N_Q; i++)
            count_query(g / GROUP, g % GROUP, i, visits_half, 0, 2, &of[g]);
        mean += (double)(of[g].mass / N_Q) / (HEADS * GROUP);
        all.difference2 += of[g].difference2;
        all.norm2 += of[g].norm2;
    }
    for (size_t g = 0; g < HEADS * GROUP; g++) {
        squares += pow((double)(of[g].mass / N_Q) - mean, 2);
        ratio += pow((double)(of[g].difference2 - all.difference2 / all.norm2 * of[g].norm2), 2);
    }
    const double groups = HEADS * GROUP;
    ck_assert_uint_eq(e.rows[0].groups, HEADS * GROUP);
    near(e.rows[0].mass.se, sqrt(squares / (groups - 1) / groups), "mass_se");
    near(e.rows[0].error.se, sqrt(groups / (groups - 1) * ratio) / (double)all.norm2, "error_se");
    evaluation_free(&e);
    spec.length = 1; /* one document, one layer, two query heads */
    spec.per_head = true;
    e = run(&spec);
    ck_assert(isnan(e.rows[0].mass.se) && !isnan(e.rows[0].mass.mean));
    evaluation_free(&e);
}
END_TEST

TEST_MAIN("evaluate", rows_by_single_keys, rows_per_head, budgets_are_used_up, bytes,
          standard_errors)
