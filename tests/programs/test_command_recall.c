/* test_command_recall.c - the main question: its JSON and CSV, read back digit for digit, hold
 * what the library returns.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "command.h"

START_TEST(json_has_all_digits)
{
    json_t *json =
        parse_answer("--n 262144 --k 1024 --kb 4 --m 8 --device H200 --dtype bf16 --json");
    ck_assert_str_eq(json_string_value(json_object_get(json, "version")), RCM_VERSION);
    ck_assert(number(json, "n") == 262144 && number(json, "k") == 1024 && number(json, "m") == 8 &&
              number(json, "recall_target") == 0.95);
    json_t *rows = json_object_get(json, "configurations"),
           *recommended = json_object_get(json, "recommended");
    ck_assert_uint_ge(json_array_size(rows), 18);
    for (size_t i = 0; i <= json_array_size(rows); i++) {
        json_t *row = i < json_array_size(rows) ? json_array_get(rows, i) : recommended;
        struct rcm_topk p = {.n = 262144,
                             .k = 1024,
                             .m = 8,
                             .b = (uint64_t)number(row, "b"),
                             .k_b = (uint64_t)number(row, "k_b")};
        ck_assert_double_eq(number(row, "candidates"), (double)rcm_candidates(p));
        ck_assert_double_eq(number(row, "recall"), rcm_recall_exact(p));
        ck_assert_double_eq(number(row, "loss"), rcm_loss_exact(p));
        ck_assert_double_eq(number(row, "recall_sd"), rcm_recall_sd(p));
        ck_assert_double_eq(number(row, "recall_binomial"), rcm_recall_binomial(p));
        ck_assert_double_eq(number(row, "loss_binomial"), rcm_loss_binomial(p));
        ck_assert_double_eq(number(row, "loss_bound"), rcm_loss_bound(p));
        ck_assert_double_eq(number(row, "recall_worst_case"), rcm_recall_worst_case(p));
        ck_assert_double_eq(number(row, "probability_exact"), rcm_probability_exact(p));
        ck_assert_ptr_null(json_object_get(row, "recall_quantile"));
        for (size_t m = 0; rcm_cost_model(m); m++) {
            struct rcm_cost cost = rcm_cost(rcm_cost_model(m), p);
            json_t *object = json_object_get(json_object_get(row, "cost"), rcm_cost_model(m)->name);
            ck_assert_double_eq(number(object, "exact"), cost.exact);
            ck_assert_double_eq(number(object, "approximate"), cost.approximate);
            ck_assert_double_eq(number(object, "speedup"), cost.speedup);
            ck_assert_pstr_eq(json_string_value(json_object_get(object, "stage1")), cost.stage1);
            ck_assert_pstr_eq(json_string_value(json_object_get(object, "stage2")), cost.stage2);
        }
        struct rcm_roofline roof = rcm_roofline(rcm_device_by_name("H200"), RCM_BF16, p);
        ck_assert_double_eq(number(row, "roofline/bytes"), roof.bytes);
        ck_assert_double_eq(number(row, "roofline/operations"), roof.operations);
        ck_assert_double_eq(number(row, "roofline/time_memory_us"), roof.time_memory_us);
        ck_assert_double_eq(number(row, "roofline/time_vector_us"), roof.time_vector_us);
        ck_assert_double_eq(number(row, "roofline/time_us"), roof.time_us);
        ck_assert_double_eq(number(row, "roofline/k_b_max"), (double)roof.k_b_max);
        ck_assert_str_eq(
            json_string_value(json_object_get(json_object_get(row, "roofline"), "bound")),
            roof.memory_bound ? "memory" : "vector");
    }
    ck_assert(number(recommended, "b") == 460 && number(recommended, "k_b") == 4);
    json_t *smallest = json_array_get(json_object_get(json, "smallest_b"), 0);
    ck_assert(number(smallest, "k_b") == 4 && number(smallest, "b") == 460 &&
              number(smallest, "recall") == number(recommended, "recall"));
    json_decref(json);
}
END_TEST

/* The rules of others, by the published tables. */
static void check_rules(const json_t *rules)
{
    static const struct {
        const char *rule;
        double b, recall;
    } expected[] = {{"xla", 65536.0, 0.9922},
                    {"tallax", 40960.0, 0.9826},
                    {"listing A.10 mended", 1024.0, 0.9639}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        bool seen = false;
        for (size_t j = 0; j < json_array_size(rules); j++) {
            json_t *rule = json_array_get(rules, j);
            if (strcmp(json_string_value(json_object_get(rule, "rule")), expected[i].rule) == 0) {
                seen = true;
                ck_assert_double_eq(number(rule, "b"), expected[i].b);
                ck_assert_double_eq_tol(number(rule, "recall"), expected[i].recall, 5e-5);
            }
        }
        ck_assert_msg(seen, "no rule %s", expected[i].rule);
    }
}

START_TEST(json_of_lists_and_edges)
{
    json_t *json = parse_answer("--n 2^12,2^14 --k 64,128 --kb 1,2 --json");
    json_t *queries = json_object_get(json, "queries");
    ck_assert_uint_eq(json_array_size(queries), 4);
    ck_assert(number(json_array_get(queries, 1), "n") == 4096 &&
              number(json_array_get(queries, 1), "k") == 128);
    json_decref(json);
    /* A list stays a list, also where one pair is left. */
    json = parse_answer("--n 1000 --k 10,2000 --json");
    ck_assert_uint_eq(json_array_size(json_object_get(json, "queries")), 1);
    json_decref(json);
    /* A number that is not finite is null: the parallel model costs 0 at n/b = 1 and k = n. */
    json = parse_answer("--n 16 --k 16 --b 16 --kb 1 --json");
    json_t *row = json_array_get(json_object_get(json, "configurations"), 0);
    ck_assert(isnan(number(row, "cost/parallel/speedup")) &&
              number(row, "cost/parallel/approximate") == 0.0);
    json_decref(json);
    /* Where nothing reaches the target, nothing is recommended. Buckets of n = 16 have 6 or more
     * elements for k_b = 5. */
    json = parse_answer("--n 16 --k 10 --kb 5 --recall 1 --json");
    ck_assert(json_is_null(json_object_get(json, "recommended")) &&
              json_array_size(json_object_get(json, "smallest_b")) == 0);
    json_decref(json);
    /* --align and --divisors restrict every b. */
    json =
        parse_answer("--n 430080 --k 3360 --align 128 --divisors --kb 1..4 --recall 0.99 --json");
    ck_assert(number(json, "recommended/b") == 2688 &&
              number(json, "recommended/k_b") == 4); /* Samaga et al., A.10 with all divisors */
    size_t index;
    json_array_foreach(json_object_get(json, "configurations"), index, row) ck_assert(
        (uint64_t)number(row, "b") % 128 == 0 && 430080 % (uint64_t)number(row, "b") == 0);
    json_decref(json);
    json = parse_answer("--n 1000 --k 10 --valid 500 --assignment contiguous --json");
    ck_assert_str_eq(json_string_value(json_object_get(json, "assignment")), "contiguous");
    ck_assert_double_eq(number(json, "valid"), 500);
    json_decref(json);
    json = parse_answer("devices --json");
    ck_assert_uint_ge(json_array_size(json_object_get(json, "devices")), 6);
    json_decref(json);
    json = parse_answer("ranks --n 262144 --k 1024 --b 512 --kb 4 --ranks 1,256,1024 --json");
    ck_assert_double_eq_tol(number(json_array_get(json_object_get(json, "ranks"), 2), "survival"),
                            0.858709, 1e-6);
    json_decref(json);
    json = parse_answer("cost --n 2^20 --k 256 --json");
    size_t algorithms = 0;
    for (size_t i = 0; i < RCM_COST_MODELS; i++)
        for (size_t j = 0; j < RCM_MAX_ALGORITHMS; j++)
            algorithms += rcm_cost_model(i)->algorithms[j].cost != NULL;
    ck_assert_uint_eq(json_array_size(json_object_get(json, "algorithms")), algorithms);
    json_decref(json);
    json = parse_answer("bounds --n 262144 --k 1024 --recall 0.8:0.05:0.95 --kb 1 --json");
    ck_assert_uint_eq(json_array_size(json_object_get(json, "bounds")),
                      4 * (6 + 3)); /* exact and five rules; xla, tallax, helion */
    ck_assert_double_eq(number(json_array_get(json_object_get(json, "bounds"), 0), "recall_target"),
                        0.8);
    json_decref(json);
}
END_TEST

START_TEST(rules_of_others)
{
    json_t *json = parse_answer("bounds --n 131072 --k 2048 --recall 0.95 --json");
    check_rules(json_object_get(json, "bounds"));
    json_decref(json);
}
END_TEST

START_TEST(parameter_choices_of_listing_a10)
{
    /* Exact sweep over multiples of 128 that divide n, k_b 1 to 4, fewest candidates:
     * [Samaga2025], listing A.10. */
    static const struct {
        unsigned n, k;
        const char *recall;
        unsigned k_b, b, maxima; /* b for k_b = 1, 0: not stated */
    } rows[] = {
        {262144, 1024, "0.95", 4, 512, 16384}, {1 << 20, 1024, "0.99", 4, 1024, 65536},
        {65536, 256, "0.99", 4, 256, 0},       {16384, 128, "0.95", 3, 128, 0},
        {262144, 1024, "0.99", 4, 1024, 0},    {430080, 3360, "0.95", 4, 1536, 30720},
        {15360, 480, "0.95", 4, 256, 3840},    {15360, 480, "0.99", 4, 384, 15360},
        {24576, 512, "0.95", 4, 256, 6144},    {917504, 3360, "0.95", 4, 1792, 32768},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char arguments[200];
        snprintf(arguments, sizeof arguments,
                 "--n %u --k %u --kb 1..4 --align 128 --divisors --recall %s --json", rows[i].n,
                 rows[i].k, rows[i].recall);
        json_t *json = parse_answer(arguments);
        ck_assert_msg(number(json, "recommended/b") == rows[i].b &&
                          number(json, "recommended/k_b") == rows[i].k_b,
                      "%s: %g, %g", arguments, number(json, "recommended/b"),
                      number(json, "recommended/k_b"));
        if (rows[i].maxima)
            ck_assert_msg(number(json_array_get(json_object_get(json, "smallest_b"), 0), "b") ==
                              rows[i].maxima,
                          "%s", arguments);
        json_decref(json);
    }
}
END_TEST

/* The distribution of a row, in integers: recall 0.9 of k = 7 is 7 elements, because 6/7 < 0.9. 6/7
 * itself, typed with 18 digits, is not more than 6. */
START_TEST(quantiles_of_a_row)
{
    run("--n 1000 --k 7 --b 20 --kb 1 --m 3 --quantile 0.05 --at-least 0.9 --json");
    ck_assert_int_eq(result.status, 0);
    json_t *object = json_loads(result.out, 0, NULL),
           *row = json_array_get(json_object_get(object, "configurations"), 0);
    struct rcm_topk p = {.n = 1000, .k = 7, .b = 20, .k_b = 1, .m = 3};
    struct rcm_lost dist;
    ck_assert_int_eq(rcm_lost(p, &dist), 0);
    ck_assert_double_eq(number(row, "recall_quantile"),
                        (7.0 - (double)rcm_lost_quantile(&dist, 0.95)) / 7.0);
    ck_assert_double_eq(number(row, "recall_quantile_all"),
                        (7.0 - (double)rcm_lost_quantile(&dist, cbrt(0.95))) / 7.0);
    ck_assert_double_eq(number(row, "probability"), rcm_lost_at_most(&dist, 0.0));
    ck_assert_double_eq_tol(number(row, "probability"), number(row, "probability_exact"), 1e-12);
    ck_assert_double_eq_tol(number(row, "probability_all"), pow(rcm_lost_at_most(&dist, 0.0), 3.0),
                            1e-15);
    json_decref(object);
    run("--n 1000 --k 7 --b 20 --kb 1 --at-least 0.857142857142857142 --json");
    object = json_loads(result.out, 0, NULL);
    row = json_array_get(json_object_get(object, "configurations"), 0);
    ck_assert_double_eq(number(row, "probability"), rcm_lost_at_most(&dist, 1.0));
    json_decref(object);
    rcm_lost_free(&dist);
}
END_TEST

START_TEST(csv_columns)
{
    static const char *const names[] = {"n",
                                        "k",
                                        "b",
                                        "k_b",
                                        "candidates",
                                        "recall",
                                        "recall_sd",
                                        "loss",
                                        "recall_binomial",
                                        "loss_binomial",
                                        "loss_bound",
                                        "recall_worst_case",
                                        "cost_basic",
                                        "cost_basic_exact",
                                        "speedup_basic",
                                        "cost_serial",
                                        "cost_serial_exact",
                                        "speedup_serial",
                                        "cost_parallel",
                                        "cost_parallel_exact",
                                        "speedup_parallel",
                                        "probability_exact"};
    char *at[64], line[4000];
    int column[32], count = 0;
    run("--n 2^16,2^18 --k 1024 --csv");
    ck_assert_int_eq(result.status, 0);
    FILE *file = fmemopen(result.out, strlen(result.out), "r");
    count = csv_fields(file, line, sizeof line, at, 64);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        column[i] = -1;
        for (int j = 0; j < count; j++)
            if (strcmp(at[j], names[i]) == 0)
                column[i] = j;
        ck_assert_msg(column[i] >= 0, "no column %s", names[i]);
    }
    int rows = 0, fields;
    while ((fields = csv_fields(file, line, sizeof line, at, 64)) > 0) {
        ck_assert_int_eq(fields, count);
        struct rcm_topk p = {.n = to_count(at[column[0]]),
                             .k = to_count(at[column[1]]),
                             .b = to_count(at[column[2]]),
                             .k_b = to_count(at[column[3]])};
        ck_assert_double_eq(strtod(at[column[7]], NULL),
                            rcm_loss_exact(p)); /* all digits survive */
        ck_assert_double_eq(strtod(at[column[15]], NULL),
                            rcm_cost(rcm_cost_model(1), p).approximate);
        ck_assert(p.n == 65536 || p.n == 262144);
        rows++;
    }
    fclose(file);
    ck_assert_int_ge(rows, 200);
}
END_TEST

START_TEST(device_files)
{
    char path[] = "/tmp/rcm-device-XXXXXX", arguments[300];
    int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "w");
    fputs("# a toy\nname = Toy\nbandwidth_bytes_per_s = 1e12\n\nvector_rate_per_s = 2.5e12 # "
          "compares\nsource = made up\n",
          file);
    fclose(file);
    snprintf(arguments, sizeof arguments, "--n 1000 --k 50 --b 50 --kb 2 --device %s --json", path);
    json_t *json = parse_answer(arguments);
    ck_assert_str_eq(json_string_value(json_object_get(json, "device")), "Toy");
    ck_assert_double_eq_tol(number(json_array_get(json_object_get(json, "configurations"), 0),
                                   "roofline/time_memory_us"),
                            4000e-6, 1e-15);
    json_decref(json);
    static const char *const bad[][2] = {
        {"name = x\n", "needs bandwidth"},
        {"bandwidth_bytes_per_s = fast\n", ":1:"},
        {"\nspeed = 3\n", ":2: speed"},
        {"nonsense\n", "key = value"},
        {"bandwidth_bytes_per_s = -1\n", "positive"},
        {"bandwidth_bytes_per_s = inf\n", "positive"},
        {"vector_rate_per_s = 1e12x\n", "positive"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        file = fopen(path, "w");
        fputs(bad[i][0], file);
        fclose(file);
        run(arguments);
        ck_assert_msg(result.status == 2 && strstr(result.err, bad[i][1]) && !*result.out,
                      "%s: %d %s", bad[i][0], result.status, result.err);
    }
    unlink(path);
}
END_TEST

/* Of a list of n and k the first pair has no shape and is left out; the next ones are answered as
 * alone. */
START_TEST(mass_of_lists)
{
#define OF_MASS " --kb 4 --lost-mass 0.01 --score-sd 1.5 --json"
    json_t *list = parse_answer("recall --n 4096,8192 --k 2,64" OF_MASS),
           *queries = json_object_get(list, "queries");
    static const char *const alone[] = {"recall --n 4096 --k 64" OF_MASS,
                                        "recall --n 8192 --k 64" OF_MASS};
    ck_assert_uint_eq(json_array_size(queries), 2);
    for (size_t i = 0; i < 2; i++) {
        json_t *one = parse_answer(alone[i]), *best = json_object_get(one, "recommended");
        ck_assert(json_is_object(best));
        ck_assert(json_equal(best, json_object_get(json_array_get(queries, i), "recommended")));
        json_decref(one);
    }
    json_decref(list);
}
END_TEST

TEST_MAIN("command: recall", json_has_all_digits, json_of_lists_and_edges, rules_of_others,
          parameter_choices_of_listing_a10, quantiles_of_a_row, csv_columns, device_files,
          mass_of_lists)
