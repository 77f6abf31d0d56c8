/* test_int8_keys.c - keys of 8 bits: rounded by hand, and what a method loses that reads them, by
 * sums over single keys in long double.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "made_up_heads.h"

#include <attention/evaluation/outputs.h>
#include <attention/int8_keys.h>

START_TEST(by_hand)
{
    /* The scale is 1: a half goes to the even number. */
    float ones[] = {127, -63.5f, 0.49f, 1.5f, -127, 2.5f};
    const float rounded[] = {127, -64, 0, 2, -127, 2};
    int8_keys_round(ones, 1, 6);
    for (int i = 0; i < 6; i++)
        ck_assert_msg(ones[i] == rounded[i], "%d: %g, want %g", i, (double)ones[i],
                      (double)rounded[i]);
    /* Each key has a scale of its own: 1/4, 0, and that of a key without positive numbers. */
    float own[] = {31.75f, 1, 0.12f, 0, 0, 0, -254, -3, -0.9f};
    const float of_own[] = {31.75f, 1, 0, 0, 0, 0, -254, -4, 0};
    int8_keys_round(own, 3, 3);
    for (int i = 0; i < 9; i++)
        ck_assert_msg(own[i] == of_own[i], "%d: %g, want %g", i, (double)own[i], (double)of_own[i]);
}
END_TEST

START_TEST(bound)
{
    uint64_t seed = 5;
    float before[64 * 48], after[64 * 48];
    fill(before, 64 * 48, &seed, 3);
    memcpy(after, before, sizeof after);
    int8_keys_round(after, 64, 48);
    double moved = 0;
    for (int j = 0; j < 64; j++) {
        double largest = 0;
        for (int i = 0; i < 48; i++)
            largest = fmax(largest, fabs((double)before[j * 48 + i]));
        for (int i = 0; i < 48; i++) {
            const double error = fabs((double)after[j * 48 + i] - (double)before[j * 48 + i]);
            ck_assert_msg(error <= largest / 254 + 1e-7 * largest, "key %d, %d: %g", j, i, error);
            moved = fmax(moved, error / largest * 254);
        }
    }
    ck_assert(moved > 0.9); /* as far as the bound says, not as 9 bits would */
}
END_TEST

/* Adds what a query loses that reads each second open key of 8 bits (visit_half, weight 2), or
 * all. */
static void add_query(size_t head, uint32_t query_head, uint32_t i, bool all_keys,
                      struct counted *sum)
{
    const uint32_t position = shapes[head].n - N_Q + i;
    double exact[N_MAX], logits[N_MAX];
    float given[N_MAX * D];
    logits_of(head, query_head, i, exact);
    memcpy(given, keys[head], sizeof given);
    int8_keys_round(keys[head], shapes[head].n, D);
    logits_of(head, query_head, i, logits);
    memcpy(keys[head], given, sizeof given);
    long double all = 0, new_all = 0, plain = 0, read = 0, o[D_V] = {0}, full[D_V] = {0};
    for (uint32_t j = 0; j <= position; j++) {
        const bool open = j >= 2 && j < position + 1 - 9, in = all_keys || !open || j % 2;
        const long double e = expl(logits[j]), w = in ? (open && !all_keys ? 2 : 1) * e : 0;
        all += expl(exact[j]);
        new_all += e;
        plain += in ? e : 0;
        read += w;
        for (uint32_t c = 0; c < D_V; c++) {
            full[c] += expl(exact[j]) * values[head][j * D_V + c];
            o[c] += w * values[head][j * D_V + c];
        }
    }
    for (uint32_t c = 0; c < D_V; c++) {
        const long double difference = o[c] / read - full[c] / all;
        sum->difference2 += difference * difference;
        sum->norm2 += full[c] / all * (full[c] / all);
    }
    sum->mass += plain / new_all;
    sum->queries++;
}

START_TEST(losses)
{
    make_heads();
    const struct method *const list[] = {method_by_name("full"), &half, method_by_name("topk")};
    struct evaluation_spec spec = spec_of(list, 3);
    const uint32_t nine = 9;
    spec.options.int8_keys = true;
    spec.k = &nine;
    spec.k_length = 1;
    struct evaluation e = run(&spec);
    for (int all = 0; all < 2; all++) {
        const struct evaluation_row *row = &e.rows[all ? 0 : BUDGETS];
        struct counted sum = {0};
        for (size_t g = 0; g < HEADS * GROUP * N_Q; g++)
            add_query(g / N_Q / GROUP, (uint32_t)(g / N_Q % GROUP), (uint32_t)(g % N_Q), all, &sum);
        /* The logits are float32, and the error of full is that of small differences of them. */
        const double want = (double)(sum.difference2 / sum.norm2);
        ck_assert_msg(fabs(row->error.mean - want) <= 1e-4 * want, "error: %.9g want %.9g",
                      row->error.mean, want);
        near(row->mass.mean, sum.mass / sum.queries, all ? "mass, full" : "mass, half");
    }
    ck_assert(e.rows[0].error.mean > 1e-7); /* it is not 0: the output is that of the keys given */
    /* Bytes: of a key 6 and a scale of 4, of a value 3 x 2. topk visits 9 and 12 open keys, and
     * reads the keys of all. */
    const double seen = (90 + N_MAX) / 2.0 - (N_Q - 1) / 2.0, open = seen - 11;
    near(e.rows[0].bytes_read, seen * (10 + 6), "bytes, full");
    near(e.rows[2 * BUDGETS + 1].bytes_read, 11 * 16 + open * 10 + (9 + 12) / 2.0 * 6,
         "bytes, topk");
    near(e.keys_bytes, seen * 10, "bytes of all keys");
    near(e.full_bytes, seen * 9 * 2, "bytes of full attention, which has the keys given");
    /* The top is that of the keys given; topk chooses by those that it reads. */
    ck_assert(e.rows[2 * BUDGETS + 1].recall[0].mean < 1);
    evaluation_free(&e);
}
END_TEST

/* The output is that of keys rounded before, also of the method that has a path of its own. */
START_TEST(outputs)
{
    const char *const names[] = {"full", "topk"};
    make_heads();
    for (int m = 0; m < 2; m++) {
        struct outputs_spec spec = {
            .context = {GROUP, 1, N_MAX, N_Q, D, D_V, 0, queries[0], keys[0], values[0]},
            .method = method_by_name(names[m]),
            .budget = 0.1,
            .options = METHOD_OPTIONS_DEFAULT};
        struct outputs_report report;
        float of_given[GROUP * N_Q * D_V], of_int8[GROUP * N_Q * D_V],
            of_rounded[GROUP * N_Q * D_V];
        char error[300] = "";
        ck_assert_int_eq(sparse_outputs(&spec, of_given, &report, MESSAGE(error)), 0);
        spec.options.int8_keys = true;
        ck_assert_int_eq(sparse_outputs(&spec, of_int8, &report, MESSAGE(error)), 0);
        spec.options.int8_keys = false;
        int8_keys_round(keys[0], N_MAX, D);
        ck_assert_int_eq(sparse_outputs(&spec, of_rounded, &report, MESSAGE(error)), 0);
        make_heads();
        double moved = 0;
        for (int i = 0; i < GROUP * N_Q * D_V; i++) {
            ck_assert_msg(fabsf(of_int8[i] - of_rounded[i]) <= 1e-5f, "%s %d: %g want %g", names[m],
                          i, (double)of_int8[i], (double)of_rounded[i]);
            moved = fmax(moved, fabs((double)of_int8[i] - (double)of_given[i]));
        }
        ck_assert(moved > 1e-3);
    }
}
END_TEST

TEST_MAIN("int8_keys", by_hand, bound, losses, outputs)
