/* test_command_select.c - JSON and CSV of `select`. The choice is that of the library, and the
 * calls that it prints give what it says.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/programs/command.h>

/* The frontier falls in loss and rises in the objective. */
static void check_frontier(const json_t *frontier)
{
    ck_assert_uint_ge(json_array_size(frontier), 10);
    for (size_t i = 1; i < json_array_size(frontier); i++) {
        ck_assert_double_lt(number(json_array_get(frontier, i), "loss"),
                            number(json_array_get(frontier, i - 1), "loss"));
        ck_assert_double_ge(number(json_array_get(frontier, i), "objective"),
                            number(json_array_get(frontier, i - 1), "objective"));
    }
}

/* The choice is that of the library, and the target of the printed call gives the b that it
 * should. */
START_TEST(select_json)
{
    run("select --n 131072 --k 2048 --recall 0.95 --m 64 --json");
    ck_assert_int_eq(result.status, 0);
    json_t *object = json_loads(result.out, 0, NULL), *choice = json_object_get(object, "choice");
    struct rcm_selection s = {.p = {.n = 131072, .k = 2048, .m = 64}, .target = {.loss = 0.05}};
    struct rcm_choice c = rcm_select(&s);
    ck_assert_double_eq(number(choice, "b"), (double)c.p.b);
    ck_assert_double_eq(number(choice, "k_b"), (double)c.p.k_b);
    ck_assert_double_eq(number(choice, "candidates"), c.objective);
    ck_assert_double_eq(number(choice, "objective"), c.objective);
    ck_assert_double_eq(number(choice, "recall"), rcm_recall_exact(c.p));
    ck_assert_double_eq(number(choice, "recall_sd"), rcm_recall_sd(c.p));
    struct rcm_lost dist;
    ck_assert_int_eq(rcm_lost(c.p, &dist), 0);
    ck_assert_double_eq(number(choice, "recall_quantile"),
                        1.0 - (double)rcm_lost_quantile(&dist, 0.95) / 2048.0);
    rcm_lost_free(&dist);
    ck_assert_str_eq(json_string_value(json_object_get(object, "objective_unit")), "candidates");
    ck_assert_str_eq(json_string_value(json_object_get(object, "headline")),
                     "Use buckets, b = 912, k_b = 4: 3648 candidates, 5 % lost. Exact has 131072.");
    ck_assert_str_eq(json_string_value(json_object_get(object, "reason")),
                     "what is deployed has the least objective");
    ck_assert_uint_eq(json_array_size(json_object_get(object, "alternatives")), 4);
    check_frontier(json_object_get(object, "frontier"));
    const char *jax = json_string_value(json_object_get(json_object_get(object, "usage"), "jax"));
    double target = 0.0;
    jax = strstr(jax, "jax.lax");
    ck_assert_ptr_nonnull(jax);
    ck_assert_int_eq(sscanf(jax, "jax.lax.approx_max_k(x, 2048, recall_target=%lf)", &target), 1);
    /* The fewest of XLA's buckets that reach .95. */
    ck_assert_uint_eq(rcm_xla_b(s.p, 1.0 - target), 32768);
    json_decref(object);
}
END_TEST

START_TEST(select_without_a_choice)
{
    /* No bucket may overflow, so all elements would be kept. */
    run("select --n 100 --k 50 --recall 1 --kb-max 3 --json");
    json_t *object = json_loads(result.out, 0, NULL);
    ck_assert(json_is_null(json_object_get(object, "choice")));
    ck_assert_str_ne(json_string_value(json_object_get(object, "deploy")), "bucketed");
    json_decref(object);
    run("select --n 1000 --k 500 --kernel xla --recall 0.9999 --json");
    object = json_loads(result.out, 0, NULL);
    ck_assert(json_is_null(json_object_get(object, "choice")));
    json_decref(object);
}
END_TEST

START_TEST(reverse_json)
{
    run("select --n 262144 --b 512 --kb 4 --recall 0.95 --json");
    json_t *object = json_loads(result.out, 0, NULL);
    ck_assert_str_eq(json_string_value(json_object_get(object, "question")), "largest_k");
    ck_assert_double_eq(number(object, "k"),
                        (double)rcm_largest_k((struct rcm_topk){.n = 262144, .b = 512, .k_b = 4},
                                              (struct rcm_target){.loss = 0.05}));
    json_decref(object);
    run("select --k 1024 --b 512 --kb 4 --json");
    object = json_loads(result.out, 0, NULL);
    ck_assert(json_is_true(json_object_get(object, "any_n")) &&
              json_is_null(json_object_get(object, "n")));
    json_decref(object);
    run("select --n 131072 --k 2048 --budget 3000 --json");
    object = json_loads(result.out, 0, NULL);
    ck_assert_double_le(number(json_object_get(object, "choice"), "objective"), 3000.0);
    struct rcm_selection s = {.p = {.n = 131072, .k = 2048}};
    ck_assert_double_eq(number(json_object_get(object, "choice"), "recall"),
                        rcm_recall_exact(rcm_best_recall(&s, 3000.0, NULL).p));
    json_decref(object);
    run("devices --json");
    object = json_loads(result.out, 0, NULL);
    json_t *profile = json_array_get(json_object_get(object, "profiles"), 0);
    static const char *const keys[] = {"device",       "kernel",    "dtype",
                                       "date",         "runs",      "source",
                                       "median_error", "p95_error", "held_out_median_error"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        ck_assert_msg(json_object_get(profile, keys[i]) != NULL, "no %s", keys[i]);
    json_decref(object);
}
END_TEST

TEST_MAIN("command: select", select_json, select_without_a_choice, reverse_json)
