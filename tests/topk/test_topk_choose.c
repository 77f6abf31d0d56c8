/* test_topk_choose.c - rcm_top_k_choose: what it chooses can be run and has the recall that was
 * asked for, by the model and on rows; and rcm_top_k_max.
 *
 * Against: the exact loss and the distribution of a row; 5 standard errors in six shapes (false
 * alarm 3e-6).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <locale.h>

#include "run.h"

/* Whether `call` has, by the model, the recall with this confidence (0: on average); of several
 * rows, which are chosen by a bound, by the normal distribution of their sum. */
static bool reaches(const struct rcm_top_k_call *call, double recall, double confidence)
{
    const struct rcm_topk p = {.n = call->rows.n,
                               .k = call->k,
                               .b = call->b,
                               .k_b = call->k_b,
                               .assignment = call->assignment};
    if (confidence == 0.0)
        return rcm_loss_exact(p) <= (1.0 - recall) * (1.0 + 1e-9);
    struct rcm_lost dist;
    ck_assert_int_eq(rcm_lost(p, &dist), 0);
    const double m = (double)call->rows.m,
                 most = floor((1.0 - recall) * (double)call->k * m + 1e-9),
                 mean = rcm_loss_exact(p) * (double)call->k * m,
                 sd = rcm_recall_sd(p) * (double)call->k * sqrt(m);
    double probability = rcm_lost_at_most(&dist, most);
    if (m > 1.0)
        probability = sd > 0.0 ? 0.5 * erfc((mean - most - 0.5) / sd * sqrt(0.5)) : 1.0;
    rcm_lost_free(&dist);
    return probability >= confidence - 1e-9;
}

/* A profile of a CPU, by which buckets are chosen on any other CPU, too. */
static const struct rcm_profile *measured(void)
{
    size_t i = 0;
    while (rcm_profile(i)->kernel->model != RCM_TIME_CPU)
        i++;
    return rcm_profile(i);
}

START_TEST(choices)
{
    static const double recalls[] = {0.1, 0.3, 0.6, 0.95, 1.0};
    static float x;
    uint64_t state = 15, bucketed = 0, exact = 0;
    for (unsigned i = 0; i < (few_cases() ? 25 : 150); i++) {
        const double recall = recalls[i % 5], confidence = i % 3 == 2 ? 0.9 : 0.0;
        struct rcm_top_k_call call = {.rows = {&x, 1, random_scale(&state, 1, 1 << 22), 0, 0,
                                               (enum rcm_top_k_type)(i % 6), false},
                                      .method = (enum rcm_top_k_method)77,
                                      .assignment = (enum rcm_assignment)77,
                                      .wide = i % 2};
        call.rows.m = random_scale(&state, 1, 100);
        call.k = random_scale(&state, 1, call.rows.n < 5000 ? call.rows.n : 5000);
        struct rcm_choice choice;
        const enum rcm_top_k_status status = rcm_top_k_choose(
            &call, recall, confidence, i % 2 ? measured() : NULL, i % 4 ? &choice : NULL);
        REQUIRE(status == RCM_TOP_K_OK, "n %" PRIu64 " k %" PRIu64 " recall %g: %s", call.rows.n,
                call.k, recall, rcm_top_k_message(status));
        REQUIRE(oracle_faults(&call, false, true) == 0, "a choice that is refused: faults %x",
                oracle_faults(&call, false, true));
        if (call.method == RCM_TOP_K_EXACT) {
            exact++;
            continue;
        }
        bucketed++;
        ck_assert(recall < 1.0);
        REQUIRE(reaches(&call, recall, confidence),
                "n %" PRIu64 " k %" PRIu64 " b %" PRIu64 " k_b %" PRIu64
                " misses %g, confidence %g",
                call.rows.n, call.k, call.b, call.k_b, recall, confidence);
        if (i % 4) {
            ck_assert_uint_eq(choice.p.b, call.b);
            ck_assert_uint_eq(choice.p.k_b, call.k_b);
        }
    }
    printf("choices: %" PRIu64 " bucketed, %" PRIu64 " exact\n", bucketed, exact);
    ck_assert(bucketed > 0 && exact > 0);
    /* of one row, for which the mean alone takes fewer buckets */
    struct rcm_top_k_call one = {
        .rows = {&x, 1, 1 << 17, 0, 0, RCM_TOP_K_F32, false}, .k = 500, .threads = 1};
    ck_assert_int_eq(rcm_top_k_choose(&one, 0.6, 0.999, measured(), NULL), RCM_TOP_K_OK);
    ck_assert_int_eq(one.method, RCM_TOP_K_BUCKETED);
    ck_assert(reaches(&one, 0.6, 0.999));
}
END_TEST

START_TEST(no_choice)
{
    static float x;
    static const double wrong[] = {0.0, -1.0, 1.0000001, INFINITY, -INFINITY, NAN};
    const struct rcm_top_k_call good = {.rows = {&x, 1, 100000, 0, 0, RCM_TOP_K_F32, false},
                                        .k = 100};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct rcm_top_k_call call = good;
        REQUIRE(rcm_top_k_choose(&call, wrong[i], 0.0, NULL, NULL) != RCM_TOP_K_OK, "recall %g",
                wrong[i]);
    }
    struct rcm_top_k_call call = good;
    ck_assert_int_ne(rcm_top_k_choose(&call, 0.9, NAN, NULL, NULL), RCM_TOP_K_OK);
    call.rows.n = 0;
    ck_assert_int_eq(rcm_top_k_choose(&call, 0.9, 0.0, NULL, NULL), RCM_TOP_K_BAD_SHAPE);
    call = good;
    call.k = 0;
    ck_assert_int_eq(rcm_top_k_choose(&call, 0.9, 0.0, NULL, NULL), RCM_TOP_K_BAD_SHAPE);
    call.k = 100001;
    ck_assert_int_eq(rcm_top_k_choose(&call, 0.9, 0.0, NULL, NULL), RCM_TOP_K_BAD_SHAPE);
    call = good;
    call.rows.m = 0;
    ck_assert_int_eq(rcm_top_k_choose(&call, 0.9, 0.0, NULL, NULL), RCM_TOP_K_BAD_SHAPE);
    call = good;
    struct rcm_profile nothing = {0};
    const enum rcm_top_k_status status = rcm_top_k_choose(&call, 0.9, 0.0, &nothing, NULL);
    REQUIRE(status == RCM_TOP_K_OK || status == RCM_TOP_K_NO_CHOICE, "%s",
            rcm_top_k_message(status));
}
END_TEST

/* A call that is refused stays as it is. The recall has 15 decimal digits, in any locale. */
START_TEST(recalls)
{
    static const struct {
        double recall;
        enum rcm_top_k_status status;
    } cases[] = {{1e-19, RCM_TOP_K_BAD_SHAPE},
                 {1e-300, RCM_TOP_K_BAD_SHAPE},
                 {1e-18, RCM_TOP_K_OK},
                 {1e-5, RCM_TOP_K_OK},
                 {0.99, RCM_TOP_K_OK},
                 {0.123456789012345, RCM_TOP_K_OK},
                 {1.0 - 0x1p-53, RCM_TOP_K_OK},
                 {1.0, RCM_TOP_K_OK},
                 {1.0000001, RCM_TOP_K_BAD_SHAPE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct rcm_top_k_call before = {
            .rows = {.m = 1, .n = 50000}, .k = 1000, .method = (enum rcm_top_k_method)77, .b = 7};
        struct rcm_top_k_call call = before;
        REQUIRE(rcm_top_k_choose(&call, cases[i].recall, 0.0, NULL, NULL) == cases[i].status,
                "recall %g", cases[i].recall);
        if (cases[i].status != RCM_TOP_K_OK)
            ck_assert(call.method == before.method && call.b == 7);
        else if (call.method == RCM_TOP_K_BUCKETED)
            ck_assert(reaches(&call, cases[i].recall, 0.0));
    }
}
END_TEST

START_TEST(decimal_comma)
{
    char folder[] = "/tmp/rcm-locale-XXXXXX", command[200];
    static float x;
    struct rcm_top_k_call with_point = {.rows = {&x, 1, 1 << 20, 0, 0, RCM_TOP_K_F32, false},
                                        .k = 1000};
    struct rcm_top_k_call with_comma = with_point;
    ck_assert_int_eq(rcm_top_k_choose(&with_point, 0.987, 0.9, measured(), NULL), RCM_TOP_K_OK);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    setenv("LOCPATH", folder, 1);
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1",
             folder, folder);
    if (system(command) == 0 && setlocale(LC_ALL, "de_DE.UTF-8")) {
        const enum rcm_top_k_status status =
            rcm_top_k_choose(&with_comma, 0.987, 0.9, measured(), NULL);
        setlocale(LC_ALL, "C");
        REQUIRE(status == RCM_TOP_K_OK, "%s", rcm_top_k_message(status));
        ck_assert_int_eq(with_comma.method, with_point.method);
        ck_assert(with_comma.b == with_point.b && with_comma.k_b == with_point.k_b);
    } else {
        printf("SKIPPED: the locale de_DE cannot be made (Debian: locales)\n");
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

/* The best of each row, beside the oracle's. */
START_TEST(largest)
{
    uint64_t state = 16;
    for (unsigned i = 0; i < (few_cases() ? 4000 : 40000); i++) {
        struct topk_case c = draw_case(&state, i % 50 ? 1000 : 150000);
        const struct rcm_top_k_rows *rows = &c.call.rows;
        const size_t bytes = rcm_top_k_type_bytes(rows->type);
        if (i % 50 == 0) { /* parts of a row, the best mostly at its end */
            c.call.threads = i / 50 % 6;
            c.call.rows.n = random_between(&state, 70000, 100000);
            c.call.rows.row_stride = 0;
            if (i % 200)
                c.kind = rows->smallest ? FALLING : RISING;
        }
        place_rows(&c, (enum place)(i % PLACES), &state);
        rcm_top_k_use_isa(rcm_top_k_isa(i / 2 % 3)); /* NULL: the best */
        unsigned char values[8 * 8 + 8];
        memset(values, 0xee, sizeof values);
        ck_assert_int_eq(rcm_top_k_max(rows, c.call.threads, values), RCM_TOP_K_OK);
        for (uint64_t r = 0; r < rows->m; r++) {
            double best = NAN;
            for (uint64_t e = 0; e < rows->n; e++) {
                const double merit =
                    oracle_merit(rows->type, oracle_element(rows, r, e), rows->smallest);
                if (oracle_by_merit(&merit, &best) < 0)
                    best = merit;
            }
            const double got = oracle_merit(rows->type, values + r * bytes, rows->smallest);
            REQUIRE(oracle_by_merit(&got, &best) == 0, CASE_FMT ": row %" PRIu64 ": %g, not %g",
                    CASE_ARG(&c), r, got, best);
        }
        for (size_t at = rows->m * bytes; at < sizeof values; at++)
            ck_assert_uint_eq(values[at], 0xee);
    }
    struct rcm_top_k_rows rows = {&state, 1, 2, 0, 0, RCM_TOP_K_F32, false};
    float value;
    rows.n = 0;
    ck_assert_int_eq(rcm_top_k_max(&rows, 1, &value), RCM_TOP_K_BAD_SHAPE);
    rows = (struct rcm_top_k_rows){&state, 0, 2, 0, 0, RCM_TOP_K_F32, false};
    ck_assert_int_eq(rcm_top_k_max(&rows, 1, &value), RCM_TOP_K_BAD_SHAPE);
    rows = (struct rcm_top_k_rows){NULL, 1, 2, 0, 0, RCM_TOP_K_F32, false};
    ck_assert_int_eq(rcm_top_k_max(&rows, 1, &value), RCM_TOP_K_BAD_POINTER);
    rows.x = &state;
    ck_assert_int_eq(rcm_top_k_max(&rows, 1, NULL), RCM_TOP_K_BAD_POINTER);
    rows.type = RCM_TOP_K_TYPES;
    ck_assert_int_eq(rcm_top_k_max(&rows, 1, &value), RCM_TOP_K_BAD_TYPE);
}
END_TEST

/* The share of the top-k that bucketed top-k finds in rows of distinct elements, against the exact
 * mean of the model: 5 standard errors in six shapes (false alarm 3e-6). */
START_TEST(recall_is_that_of_the_model)
{
    static const struct {
        uint64_t n, k, b, k_b;
    } shapes[] = {{4096, 64, 64, 1}, {4096, 64, 48, 2},   {1000, 100, 70, 2},
                  {1001, 30, 17, 2}, {5000, 500, 900, 1}, {777, 50, 33, 3}};
    const unsigned rows = few_cases() ? 300 : 3000;
    uint64_t state = 17;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct topk_case c = {.want_values = true, .want_indices = true};
        const uint64_t n = shapes[i].n, k = shapes[i].k;
        int32_t *row = malloc(n * sizeof *row);
        c.call = (struct rcm_top_k_call){.rows = {row, 1, n, 0, 0, RCM_TOP_K_I32, false},
                                         .k = k,
                                         .method = RCM_TOP_K_BUCKETED,
                                         .b = shapes[i].b,
                                         .k_b = shapes[i].k_b,
                                         .assignment = (enum rcm_assignment)(i % 2)};
        const struct rcm_topk p = {
            .n = n, .k = k, .b = c.call.b, .k_b = c.call.k_b, .assignment = c.call.assignment};
        double found = 0.0;
        for (unsigned r = 0; r < rows; r++) {
            for (uint64_t e = 0; e < n; e++) { /* a random permutation of 0 .. n - 1 */
                const uint64_t at = next_random(&state) % (e + 1);
                row[e] = row[at];
                row[at] = (int32_t)e;
            }
            struct outcome o = run_case(&c, PAGE_END, 0xee, r % 64 == 0);
            REQUIRE(o.right, CASE_FMT ": %s", CASE_ARG(&c), o.why);
            for (uint64_t j = 0; j < k; j++)
                found += ((int32_t *)(void *)o.values)[j] >= (int32_t)(n - k);
            free_outcome(&o);
        }
        const double mean = found / (double)k / rows, want = rcm_recall_exact(p),
                     z = (mean - want) / (rcm_recall_sd(p) / sqrt(rows));
        REQUIRE(fabs(z) < 5.0, CASE_FMT ": recall %g, the model %g, z %g", CASE_ARG(&c), mean, want,
                z);
        free(row);
    }
}
END_TEST

TEST_MAIN("topk choose", choices, no_choice, recalls, decimal_comma, largest,
          recall_is_that_of_the_model)
