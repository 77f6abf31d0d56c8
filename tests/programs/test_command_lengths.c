/* test_command_lengths.c - --lengths and --offsets: lists, distributions and files, and what the
 * commands say of them.
 *
 * Against: the library by the same lengths, digit for digit; the same lengths given otherwise.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "command.h"

static struct rcm_lengths lengths_of(const uint64_t *rows, size_t count)
{
    struct rcm_lengths lengths;
    ck_assert_int_eq(rcm_lengths_of(rows, count, &lengths), 0);
    return lengths;
}

static char path[40];

static void write_text(const char *text)
{
    strcpy(path, "/tmp/rcm-test-XXXXXX");
    const int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
    close(descriptor);
}

/* Answers "... --lengths VALUE --json". */
static json_t *answer(const char *arguments, const char *value)
{
    char all[500];
    snprintf(all, sizeof all, "%s --lengths %s --json", arguments, value);
    return parse_answer(all);
}

START_TEST(recall)
{
    const uint64_t rows[] = {0, 32, 100, 100, 333, 700};
    struct rcm_lengths lengths = lengths_of(rows, 6);
    write_text("700\n0\n100\n333\n100\n32\n");
    const char *values[] = {"0,32,100,100,333,700", path};
    const char *assignments[] = {"interleaved", "contiguous", "contiguous-floor"};
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 2; i++) {
            char all[300];
            snprintf(all, sizeof all,
                     "recall --n 700 --k 32 --b 20,64 --kb 2 --m 3 --quantile 0.05 --at-least 0.9 "
                     "--assignment %s",
                     assignments[a]);
            json_t *json = answer(all, values[i]);
            ck_assert(number(json, "lengths/rows") == 6 && number(json, "lengths/least") == 0 &&
                      number(json, "lengths/most") == 700 &&
                      number(json, "lengths/mean") == 1265.0 / 6.0);
            json_t *row = json_array_get(json_object_get(json, "configurations"), 1);
            const struct rcm_topk p = {.n = 700,
                                       .k = 32,
                                       .b = 64,
                                       .k_b = 2,
                                       .m = 3,
                                       .assignment = (enum rcm_assignment)a,
                                       .lengths = &lengths};
            ck_assert_double_eq(number(row, "recall"), rcm_recall_exact(p));
            ck_assert_double_eq(number(row, "recall_sd"), rcm_recall_sd(p));
            ck_assert_double_eq(number(row, "loss_bound"), rcm_loss_bound(p));
            ck_assert_double_eq(number(row, "recall_worst_case"), rcm_recall_worst_case(p));
            ck_assert_double_eq(number(row, "probability_exact"), rcm_probability_exact(p));
            ck_assert_double_eq(number(row, "recall_quantile_all"),
                                rcm_recall_quantile(p, 0.95, 3));
            json_decref(json);
        }
    unlink(path);
    rcm_lengths_free(&lengths);
}
END_TEST

/* uniform:LOW:HIGH and a range of the same numbers. */
START_TEST(uniform)
{
    const char *question = "distribution --n 4096 --k 64 --b 100 --kb 2";
    json_t *a = answer(question, "uniform:1000:1200"), *b = answer(question, "1000..1200");
    ck_assert(json_equal(a, b));
    ck_assert_double_eq(number(a, "lengths/rows"), 201);
    json_decref(a);
    json_decref(b);
    a = answer(question, "uniform:0:4096");
    ck_assert(number(a, "lengths/rows") == 4097 && number(a, "lengths/least") == 0 &&
              number(a, "lengths/most") == 4096);
    json_decref(a);
    a = answer("recall --n 2^30 --k 64 --b 100 --kb 2", "uniform:0:2^30");
    ck_assert(number(a, "lengths/rows") == 65536 && number(a, "lengths/most") == 0x1p30);
    json_decref(a);
}
END_TEST

/* The choice reaches its target on average, and the next b does not. */
START_TEST(select)
{
    const uint64_t rows[] = {500, 1000, 4096, 65536};
    struct rcm_lengths lengths = lengths_of(rows, 4);
    json_t *json =
        answer("select --n 65536 --k 512 --kb-max 2 --recall 0.97", "500,1000,4096,65536");
    struct rcm_topk p = {.n = 65536,
                         .k = 512,
                         .b = (uint64_t)number(json, "choice/b"),
                         .k_b = (uint64_t)number(json, "choice/k_b"),
                         .lengths = &lengths};
    ck_assert_double_eq(number(json, "choice/recall"), rcm_recall_exact(p));
    ck_assert_double_ge(rcm_recall_exact(p), 0.97);
    p.b--;
    ck_assert_double_lt(rcm_recall_exact(p), 0.97);
    json_decref(json);
    /* with a confidence, of a row that is drawn */
    json = answer("select --n 65536 --k 512 --kb-max 2 --recall 0.97 --confidence 0.9",
                  "500,1000,4096,65536");
    p.b = (uint64_t)number(json, "choice/b");
    p.k_b = (uint64_t)number(json, "choice/k_b");
    for (int less = 0; less < 2; less++, p.b--) {
        struct rcm_lost dist;
        ck_assert_int_eq(rcm_lost(p, &dist), 0);
        ck_assert_int_eq(rcm_lost_at_most(&dist, 15.0) >= 0.9, !less);
        rcm_lost_free(&dist);
    }
    json_decref(json);
    rcm_lengths_free(&lengths);
}
END_TEST

START_TEST(simulate)
{
    json_t *json =
        answer("simulate --n 2000 --k 64 --b 64 --kb 2 --repetitions 4000", "50,100,2000");
    const uint64_t rows[] = {50, 100, 2000};
    struct rcm_lengths lengths = lengths_of(rows, 3);
    const struct rcm_topk p = {.n = 2000, .k = 64, .b = 64, .k_b = 2, .lengths = &lengths};
    json_t *result = json_array_get(json_object_get(json, "results"), 0);
    ck_assert_double_eq(number(result, "model_recall"), rcm_recall_exact(p));
    ck_assert_double_lt(fabs(number(result, "z")), 5.0);
    ck_assert_double_eq(number(json, "lengths/most"), 2000);
    json_decref(json);
    rcm_lengths_free(&lengths);
}
END_TEST

START_TEST(refused)
{
    static const struct {
        const char *arguments, *names, *mend;
    } wrong[] = {
        {"recall --n 99 --k 9 --lengths 100", "--lengths 100", "at most that"},
        {"recall --n 99 --k 9 --lengths 9 --valid 50", "--valid", "leave one of them out"},
        {"recall --n 99 --k 9 --lengths 9,x", "--lengths '9,x'", "give lengths such as"},
        {"recall --n 99 --k 9 --lengths uniform:9", "--lengths 'uniform:9'", "give lengths"},
        {"recall --n 99 --k 9 --lengths uniform:9:8", "before it begins", "give lengths"},
        {"recall --n 99 --k 9 --lengths /no/file", "/no/file", "cannot be opened"},
        {"recall --n 99 --k 9 --lengths 9 --score-sd 1", "--score-sd", "leave one of them out"},
        {"distribution --n 99 --k 9 --lengths 9 --weights x.npy", "--weights", "leave one"},
        {"select --n 99 --k 9 --lengths 9 --rope-theta 10000", "--rope-theta", "leave one"},
        {"select --k 9 --b 9 --kb 2 --lengths 9", "--lengths", "leave one of them out"},
        {"simulate --n 99 --k 9 --lengths 9 --ranks 2", "--ranks", "leave one of them out"},
        {"simulate --n 99 --k 9 --offsets x", "--offsets", "give both"},
        {"simulate --k 9 --file tests/golden/groups.npy --lengths 9", "--lengths", "for each row"},
        {"simulate --k 9 --file tests/golden/groups.npy --offsets tests/golden/groups.npy",
         "--offsets", "give integers, such as int64"},
        {"simulate --k 9 --file tests/golden/groups.npy --offsets tests/golden/groups.labels",
         "--offsets", "on line 1"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        run(wrong[i].arguments);
        ck_assert_msg(result.status == 2 && strstr(result.err, wrong[i].names) &&
                          strstr(result.err, wrong[i].mend) &&
                          strchr(result.err, '\n') == result.err + strlen(result.err) - 1,
                      "%s: %d %s", wrong[i].arguments, result.status, result.err);
    }
}
END_TEST

TEST_MAIN("command_lengths", recall, uniform, select, simulate, refused)
