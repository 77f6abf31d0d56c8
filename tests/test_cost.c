/* Cost models, roofline, devices: numbers worked out by hand or printed in the papers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

static const struct rcm_cost_model *model_named(const char *name)
{
    for (size_t i = 0; rcm_cost_model(i); i++)
        if (strcmp(rcm_cost_model(i)->name, name) == 0)
            return rcm_cost_model(i);
    ck_abort_msg("no model %s", name);
    return NULL;
}

/* Each text is the name or NULL. */
static void check_names(struct rcm_cost cost, const char *stage1, const char *stage2)
{
    ck_assert_pstr_eq(cost.stage1, stage1);
    ck_assert_pstr_eq(cost.stage2, stage2);
}

START_TEST(serial_of_figure_three)
{
    /* Key et al., Figure 3: n = 2^20, k = n/8, cost and speed-up; exact 88080384. */
    const struct {
        uint64_t k_b, b;
        double cost, speedup;
        const char *stage1, *stage2;
    } rows[] = {
        {1, 131072, 2097152, 42, "insertion_queue", NULL},   {1, 262144, 22020096, 4, "insertion_queue", "radix_select"},
        {1, 524288, 44040192, 2, "insertion_queue", "radix_select"}, {2, 65536, 5242880, 16.8, "insertion_queue", NULL},
        {4, 32768, 11534336, 7.63636, "insertion_queue", NULL},      {8, 16384, 24117248, 3.65217, "insertion_queue", NULL},
        {8, 65536, 62914560, 1.4, "radix_select", "radix_select"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rcm_topk p = {.n = 1 << 20, .k = 131072, .b = rows[i].b, .k_b = rows[i].k_b};
        struct rcm_cost cost = rcm_cost(model_named("serial"), p);
        ck_assert_double_eq(cost.exact, 88080384.0);
        ck_assert_msg(cost.approximate == rows[i].cost, TOPK_FMT " got %.17g want %.17g", TOPK_ARG(p), cost.approximate, rows[i].cost);
        ck_assert_double_eq_tol(cost.speedup, rows[i].speedup, 1e-5 * rows[i].speedup);
        check_names(cost, rows[i].stage1, rows[i].stage2);
    }
}
END_TEST

START_TEST(table_one)
{
    const double n = 1 << 20, k = 256, m = 8;
    const struct rcm_cost_model *basic = model_named("basic"), *serial = model_named("serial"), *parallel = model_named("parallel");
    ck_assert_double_eq(basic->algorithms[0].cost(n, k, m), m * n * 9);
    ck_assert_double_eq(serial->algorithms[0].cost(n, k, m), m * n * 767);
    ck_assert_double_eq(serial->algorithms[1].cost(n, k, m), m * n * 84);
    ck_assert_double_eq(parallel->algorithms[0].cost(n, k, m), 256 * 43);
    ck_assert_double_eq(parallel->algorithms[1].cost(n, k, m), 20 * 56);
    /* Independent of m, and m scales the serial ones. */
    struct rcm_topk p = {.n = 1 << 20, .k = 256, .b = 128, .k_b = 4, .m = 1}, q = p;
    q.m = 8;
    ck_assert_double_eq(rcm_cost(parallel, p).approximate, rcm_cost(parallel, q).approximate);
    ck_assert_double_eq(8 * rcm_cost(serial, p).approximate, rcm_cost(serial, q).approximate);
    q.m = 0; /* means 1 */
    ck_assert_double_eq(rcm_cost(serial, p).approximate, rcm_cost(serial, q).approximate);
}
END_TEST

START_TEST(stages)
{
    /* n/b is real: n = 10, b = 4, k_b = 2: basic stage 1 is m b (n/b) (log2 2 + 1) = 20; 8 candidates for k = 5. */
    struct rcm_topk p = {.n = 10, .k = 5, .b = 4, .k_b = 2};
    struct rcm_cost cost = rcm_cost(model_named("basic"), p);
    ck_assert_double_eq_tol(cost.approximate, 20.0 + 8.0 * (log2(5.0) + 1.0), 1e-13);
    check_names(cost, NULL, NULL);
    p.k = 8; /* as many candidates as wanted: no stage 2 */
    cost = rcm_cost(model_named("serial"), p);
    ck_assert_double_eq(cost.approximate, 10.0 * 5.0);
    check_names(cost, "insertion_queue", NULL);
    /* Buckets of one: the parallel stage 1 costs 0; with k = n nothing else, and the speed-up is infinite. */
    p = (struct rcm_topk){.n = 16, .k = 16, .b = 16, .k_b = 1};
    cost = rcm_cost(model_named("parallel"), p);
    ck_assert(cost.approximate == 0.0 && isinf(cost.speedup));
    check_names(cost, "parallel_radix_select", NULL);
    ck_assert_ptr_null(rcm_cost_model(99));
}
END_TEST

START_TEST(ridge_points_of_table_one)
{
    const struct {
        const char *name;
        double matrix, memory; /* as printed: rounded */
        uint64_t k_b;
    } rows[] = {{"A100 PCIe", 16, 40, 8}, {"h100_sxm", 8.67, 80, 16}, {"TPUv4", 4, 14.33, 3}, {"tpu v5e", 8, 30, 6}};
    for (size_t i = 0; i < 4; i++) {
        const struct rcm_device *d = rcm_device_by_name(rows[i].name);
        ck_assert_ptr_nonnull(d);
        double memory = rcm_ridge_memory(d->fma_rate_per_s, d->bandwidth_bytes_per_s);
        ck_assert_double_eq_tol(rcm_ridge_matrix(d->fma_rate_per_s, d->matrix_rate_printed_per_s), rows[i].matrix, 0.03);
        ck_assert_double_eq_tol(memory, rows[i].memory, 0.4);
        ck_assert_uint_eq(rcm_ridge_k_b(memory), rows[i].k_b);
    }
    for (size_t i = 0; rcm_device(i); i++) {
        ck_assert(rcm_device(i)->vector_rate_per_s <= rcm_device(i)->fma_rate_per_s);
        ck_assert_ptr_eq(rcm_device_by_name(rcm_device(i)->name), rcm_device(i));
        ck_assert(strlen(rcm_device(i)->source) > 10);
    }
    ck_assert_ptr_null(rcm_device_by_name("H10"));
    ck_assert_ptr_null(rcm_device_by_name(""));
    ck_assert(isnan(rcm_ridge_matrix(1.0, 0.0)) && rcm_ridge_k_b(NAN) == 0 && rcm_ridge_k_b(2.9) == 0 && rcm_ridge_k_b(3.0) == 1);
}
END_TEST

START_TEST(roofline)
{
    const struct rcm_device device = {"toy", 1e9, 0.0, 1e10, 0.0, 0.0, "made up"};
    struct rcm_topk p = {.n = 1000, .k = 50, .b = 50, .k_b = 2, .m = 3};
    struct rcm_roofline r = rcm_roofline(&device, RCM_F32, p);
    ck_assert_double_eq(r.bytes, 3 * (1000 * 4 + 100 * 8));
    ck_assert_double_eq(r.operations, 3 * 1000 * 8);
    ck_assert_double_eq_tol(r.time_memory_us, 14.4, 1e-12);
    ck_assert_double_eq_tol(r.time_vector_us, 2.4, 1e-12);
    ck_assert(r.memory_bound && r.time_us == r.time_memory_us);
    ck_assert_double_eq(rcm_roofline(&device, RCM_BF16, p).bytes, 3 * (1000 * 2 + 100 * 6));
    /* k_b_max is where the bound changes, for every shape and type. */
    uint64_t state = 1;
    for (int i = 0; i < 3000; i++) {
        p = random_shape(&state, 5000);
        for (int dtype = RCM_F32; dtype <= RCM_BF16; dtype++) {
            uint64_t most = 0, largest = ceil_divide(p.n, p.b);
            for (uint64_t k_b = 1; k_b <= largest; k_b++) {
                struct rcm_topk q = p;
                q.k_b = k_b;
                if (rcm_roofline(&device, (enum rcm_dtype)dtype, q).memory_bound)
                    most = k_b;
                else
                    break;
            }
            ck_assert_msg(rcm_roofline(&device, (enum rcm_dtype)dtype, p).k_b_max == most, TOPK_FMT " want %" PRIu64, TOPK_ARG(p), most);
        }
    }
}
END_TEST

TEST_MAIN("cost", serial_of_figure_three, table_one, stages, ridge_points_of_table_one, roofline)
