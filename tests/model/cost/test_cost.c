/* test_cost.c - cost models, roofline, devices: numbers worked out by hand or printed in the
 * papers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

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
        {1, 131072, 2097152, 42, "insertion_queue", NULL},
        {1, 262144, 22020096, 4, "insertion_queue", "radix_select"},
        {1, 524288, 44040192, 2, "insertion_queue", "radix_select"},
        {2, 65536, 5242880, 16.8, "insertion_queue", NULL},
        {4, 32768, 11534336, 7.63636, "insertion_queue", NULL},
        {8, 16384, 24117248, 3.65217, "insertion_queue", NULL},
        {8, 65536, 62914560, 1.4, "radix_select", "radix_select"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rcm_topk p = {.n = 1 << 20, .k = 131072, .b = rows[i].b, .k_b = rows[i].k_b};
        struct rcm_cost cost = rcm_cost(model_named("serial"), p);
        ck_assert_double_eq(cost.exact, 88080384.0);
        ck_assert_msg(cost.approximate == rows[i].cost, TOPK_FMT " got %.17g want %.17g",
                      TOPK_ARG(p), cost.approximate, rows[i].cost);
        ck_assert_double_eq_tol(cost.speedup, rows[i].speedup, 1e-5 * rows[i].speedup);
        check_names(cost, rows[i].stage1, rows[i].stage2);
    }
}
END_TEST

START_TEST(table_one)
{
    const double n = 1 << 20, k = 256, m = 8;
    const struct rcm_cost_model *basic = model_named("basic"), *serial = model_named("serial"),
                                *parallel = model_named("parallel");
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
    /* n/b is real: n = 10, b = 4, k_b = 2: basic stage 1 is m b (n/b) (log2 2 + 1) = 20; 8
     * candidates for k = 5. */
    struct rcm_topk p = {.n = 10, .k = 5, .b = 4, .k_b = 2};
    struct rcm_cost cost = rcm_cost(model_named("basic"), p);
    ck_assert_double_eq_tol(cost.approximate, 20.0 + 8.0 * (log2(5.0) + 1.0), 1e-13);
    check_names(cost, NULL, NULL);
    p.k = 8; /* as many candidates as k: no stage 2 */
    cost = rcm_cost(model_named("serial"), p);
    ck_assert_double_eq(cost.approximate, 10.0 * 5.0);
    check_names(cost, "insertion_queue", NULL);
    /* Buckets of one: the parallel stage 1 costs 0; with k = n nothing else, and the speed-up is
     * infinite. */
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
    } rows[] = {{"A100 PCIe", 16, 40, 8},
                {"h100_sxm", 8.67, 80, 16},
                {"TPUv4", 4, 14.33, 3},
                {"tpu v5e", 8, 30, 6}};
    for (size_t i = 0; i < 4; i++) {
        const struct rcm_device *d = rcm_device_by_name(rows[i].name);
        ck_assert_ptr_nonnull(d);
        double memory = rcm_ridge_memory(d->fma_rate_per_s, d->bandwidth_bytes_per_s);
        ck_assert_double_eq_tol(rcm_ridge_matrix(d->fma_rate_per_s, d->matrix_rate_printed_per_s),
                                rows[i].matrix, 0.03);
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
    ck_assert(isnan(rcm_ridge_matrix(1.0, 0.0)) && rcm_ridge_k_b(NAN) == 0 &&
              rcm_ridge_k_b(2.9) == 0 && rcm_ridge_k_b(3.0) == 1);
}
END_TEST

START_TEST(roofline)
{
    const struct rcm_device device = {.name = "toy",
                                      .bandwidth_bytes_per_s = 1e9,
                                      .vector_rate_per_s = 1e10,
                                      .on_chip_bytes = 400.0};
    struct rcm_topk p = {.n = 1000, .k = 50, .b = 50, .k_b = 2, .m = 3};
    struct rcm_roofline r = rcm_roofline(&device, RCM_F32, p);
    ck_assert_double_eq(r.bytes, 3 * (1000 * 4 + 100 * 8) - 400);
    ck_assert_double_eq(r.operations, 3 * 1000 * 8);
    ck_assert_double_eq_tol(r.time_memory_us, 14.0, 1e-12);
    ck_assert_double_eq_tol(r.through_memory_us, 14.4, 1e-12);
    ck_assert_double_eq_tol(r.time_vector_us, 2.4, 1e-12);
    ck_assert(r.memory_bound && r.time_us == r.time_memory_us);
    ck_assert_double_eq(rcm_roofline(&device, RCM_BF16, p).bytes, 3 * (1000 * 2 + 100 * 6) - 400);
    /* Not known how much stays on the chip: then all may. */
    const struct rcm_device unknown = {.name = "toy", .bandwidth_bytes_per_s = 1e9};
    ck_assert_double_eq(rcm_roofline(&unknown, RCM_F32, p).bytes, 3 * 1000 * 4);
    ck_assert_double_eq(rcm_bytes_to_memory(&device, 300.0), 0.0);
    ck_assert_double_eq(rcm_bytes_to_memory(&device, 700.0), 300.0);
    /* k_b_max is where the bound changes, for every shape and type. */
    uint64_t state = 1;
    struct rcm_device chip = device;
    /* Memory-bound up to k_b = 8, not at 9, where candidates begin to leave the chip, and again at
     * 10: what counts is the first that is not. */
    chip.on_chip_bytes = 27800.0;
    const bool bound[] = {true, false, true};
    for (uint64_t k_b = 8; k_b <= 10; k_b++) {
        r = rcm_roofline(&chip, RCM_F32,
                         (struct rcm_topk){.n = 5000, .k = 50, .b = 400, .k_b = k_b, .m = 1});
        ck_assert(r.memory_bound == bound[k_b - 8] && r.k_b_max == 8);
    }
    for (int i = 0; i < 3000; i++) {
        p = random_shape(&state, 5000);
        chip.on_chip_bytes = i % 3 == 0 ? 0.0 : 100.0 * (double)(1 << i % 17);
        for (int dtype = RCM_F32; dtype <= RCM_BF16; dtype++) {
            uint64_t most = 0, largest = ceil_divide(p.n, p.b);
            for (uint64_t k_b = 1; k_b <= largest; k_b++) {
                struct rcm_topk q = p;
                q.k_b = k_b;
                if (rcm_roofline(&chip, (enum rcm_dtype)dtype, q).memory_bound)
                    most = k_b;
                else
                    break;
            }
            ck_assert_msg(rcm_roofline(&chip, (enum rcm_dtype)dtype, p).k_b_max == most,
                          TOPK_FMT " want %" PRIu64, TOPK_ARG(p), most);
        }
    }
}
END_TEST

START_TEST(product)
{
    const struct rcm_device device = {.name = "toy",
                                      .bandwidth_bytes_per_s = 1e9,
                                      .vector_rate_per_s = 1e10,
                                      .matrix_rate_per_s = 1e11,
                                      .on_chip_bytes = 1e-15};
    struct rcm_topk p = {.n = 1000, .k = 50, .b = 50, .k_b = 2, .m = 3};
    struct rcm_product r = rcm_product(&device, RCM_F32, p, 10);
    ck_assert_double_eq_tol(r.product_us, (4 * (3 * 10 + 1000 * 10 + 3 * 1000)) / 1e3,
                            1e-12); /* 52.12: bytes; 0.6: operations */
    ck_assert_str_eq(r.product_bound, "memory");
    ck_assert_double_eq_tol(r.fused_us, (4 * (3 * 10 + 1000 * 10) + 3 * 100 * 8) / 1e3, 1e-12);
    ck_assert_double_eq_tol(r.product_intensity, 2.0 * 3 * 1000 * 10 / (4 * (30 + 10000 + 3000)),
                            1e-15);
    ck_assert_double_eq_tol(r.fused_intensity,
                            2.0 * 3 * 1000 * 10 / (4 * (30 + 10000) + 3 * 100 * 8), 1e-15);
    ck_assert_double_eq_tol(r.ridge, 100.0, 1e-12);
    ck_assert_double_eq(r.fused_through_memory_us, r.fused_us);
    /* Stage 2 reads the candidates; without it the roofline of a product has less. */
    const struct rcm_machine machine = {.device = &device, .dtype = RCM_F32, .d = 10};
    const struct rcm_objective *roofline = rcm_objective_by_name("roofline");
    ck_assert_double_eq_tol(rcm_stage2_us(&device, RCM_F32, p), 3 * 100 * 8 / 1e3, 1e-12);
    ck_assert_double_eq(roofline->bucketed(roofline, &machine, p),
                        r.fused_through_memory_us + rcm_stage2_us(&device, RCM_F32, p));
    p.k_b = 1; /* as many candidates as are wanted */
    ck_assert_double_eq(rcm_stage2_us(&device, RCM_F32, p), 0.0);
    p.k_b = 2;
    /* What fits on the chip is not written to memory. */
    struct rcm_device chip = device;
    chip.on_chip_bytes = 5000.0;
    r = rcm_product(&chip, RCM_F32, p, 10);
    ck_assert_double_eq_tol(r.product_us, (4 * (30 + 10000 + 3000) - 5000) / 1e3, 1e-12);
    ck_assert_double_eq_tol(r.fused_us, 4 * (30 + 10000) / 1e3, 1e-12);
    ck_assert_double_eq_tol(r.fused_through_memory_us, (4 * (30 + 10000) + 2400) / 1e3, 1e-12);
    p.n = 1 << 20, p.m = 1024, p.k_b = 16; /* 2^31 d matrix operations, 78 2^30 vector operations */
    r = rcm_product(&device, RCM_BF16, p, 128);
    ck_assert_str_eq(r.product_bound, "matrix");
    ck_assert_double_eq_tol(r.product_us / (2.0 * 1073741824.0 * 128 / 1e5), 1.0, 1e-15);
    ck_assert_str_eq(r.fused_bound, "vector");
    ck_assert_double_eq_tol(r.fused_us / (78.0 * 1073741824.0 / 1e4), 1.0, 1e-15);
    p.k_b = 0;
    ck_assert(isnan(rcm_product(&device, RCM_F32, p, 10).product_us));
    p.k_b = 2;
    ck_assert(isnan(rcm_product(&device, RCM_F32, p, 0).fused_us));
}
END_TEST

/* Above a threshold: one vector operation an element, and the products of the sample twice. */
START_TEST(product_above)
{
    struct rcm_device device = {.name = "toy",
                                .bandwidth_bytes_per_s = 1e9,
                                .vector_rate_per_s = 1e10,
                                .matrix_rate_per_s = 1e11,
                                .on_chip_bytes = 1e-15};
    struct rcm_topk p = {.n = 1 << 20, .k = 50, .m = 1024};
    struct rcm_product r = rcm_product_above(&device, RCM_BF16, p, 128, 1 << 14, 2240.0);
    ck_assert_double_eq_tol(r.fused_us / r.least_us, 65.0 / 64.0, 1e-15);
    ck_assert_double_eq(r.least_us, r.product_us);
    r = rcm_product_above(&device, RCM_BF16, p, 4, 0.0, 2240.0);
    ck_assert_str_eq(r.fused_bound, "vector");
    ck_assert_double_eq_tol(r.fused_us / (1073741824.0 / 1e4), 1.0, 1e-15);
    p.n = 1000, p.m = 3;
    r = rcm_product_above(&device, RCM_F32, p, 10, 20.0, 70.0);
    ck_assert_double_eq_tol(r.fused_us, (4 * (30 + 10000) + 3 * 70 * 8) / 1e3, 1e-12);
    ck_assert_double_eq_tol(r.least_us, 4 * (30 + 10000) / 1e3, 1e-12);
    ck_assert_double_eq_tol(r.fused_intensity, 2.0 * 3 * 1020 * 10 / (4 * 10030 + 3 * 70 * 8),
                            1e-15);
    device.on_chip_bytes = 5000.0;
    r = rcm_product_above(&device, RCM_F32, p, 10, 20.0, 70.0);
    ck_assert_double_eq_tol(r.fused_through_memory_us - r.fused_us, 3 * 70 * 8 / 1e3, 1e-9);
    ck_assert(isnan(rcm_product_above(&device, RCM_F32, p, 10, 1001.0, 70.0).least_us) &&
              isnan(rcm_product_above(&device, RCM_F32, p, 10, 20.0, NAN).fused_us));
}
END_TEST

/* Figure 5 of Key et al., its dashed line: by their code (k = n/16, 2 for n = 16) and by their text
 * (n/8). */
START_TEST(attention_of_figure_five)
{
    const struct {
        uint64_t n;
        double code, text;
    } points[] = {{16, 1.0005, 1.0005},    {4096, 1.1373, 1.1263},  {8192, 1.2694, 1.2455},
                  {16384, 1.5189, 1.4646}, {24576, 1.7506, 1.6615}, {32768, 1.9662, 1.8393},
                  {40960, 2.1675, 2.0007}};
    const struct rcm_decoder *llama = rcm_decoder(0);
    const struct rcm_device *h100 = rcm_device_by_name("H100-PCIe");
    for (size_t i = 0; i < 7; i++) {
        ck_assert_double_eq_tol(
            rcm_attention(llama, h100, points[i].n, points[i].n == 16 ? 2 : points[i].n / 16, 16)
                .speedup,
            points[i].code, 0.00006);
        ck_assert_double_eq_tol(
            rcm_attention(llama, h100, points[i].n, points[i].n / 8, 16).speedup, points[i].text,
            0.00006);
    }
    /* Where sparse attention moves more than dense attention, it costs time. With all components
     * and all keys the transfers are 3n d + 4d over 2n d + 2d. */
    const struct rcm_attention all = rcm_attention(llama, h100, 1000, 1000, 128);
    ck_assert_double_eq_tol(all.transfers, 2002.0 / 3004.0, 1e-15);
    ck_assert(all.speedup < 1.0 && all.attention_us < all.step_us);
    /* 32 layers of 10 us more in a step of 2000 us that takes 1000: 2000/1320. */
    const struct rcm_attention gain = {.step_us = 2000.0, .speedup = 2.0};
    ck_assert_double_eq_tol(rcm_attention_selected(llama, gain, 10.0), 2000.0 / 1320.0, 1e-15);
    ck_assert_double_eq(rcm_attention_selected(llama, gain, 0.0), 2.0);
    ck_assert(isnan(rcm_attention_selected(llama, gain, -1.0)) &&
              isnan(rcm_attention_selected(llama, gain, INFINITY)) &&
              isnan(rcm_attention_selected(llama, rcm_attention(llama, h100, 10, 11, 16), 1.0)));
    ck_assert(isnan(rcm_attention(llama, h100, 10, 11, 16).speedup) &&
              isnan(rcm_attention(llama, h100, 10, 2, 129).speedup) &&
              isnan(rcm_attention(llama, h100, 10, 2, 0).speedup));
}
END_TEST

/* By hand, on a device of 1 MB/s: microseconds are bytes. */
START_TEST(sparse_step)
{
    const struct rcm_device slow = {.bandwidth_bytes_per_s = 1e6}, none = {.name = "none"};
    struct rcm_sparse_step s = {.bytes = 1000, .launches = 3, .launch_us = 2};
    ck_assert_double_eq_tol(rcm_sparse_step_us(&slow, s), 1006, 1e-12);
    s.largest_bucket = 100; /* without multiprocessors it does not count */
    ck_assert_double_eq_tol(rcm_sparse_step_us(&slow, s), 1006, 1e-12);
    s.multiprocessors = 8; /* 800 < 1000: the bytes decide */
    ck_assert_double_eq_tol(rcm_sparse_step_us(&slow, s), 1006, 1e-12);
    s.multiprocessors = 20; /* 2000: the bucket decides */
    ck_assert_double_eq_tol(rcm_sparse_step_us(&slow, s), 2006, 1e-12);
    ck_assert(rcm_sparse_step_us(&slow, (struct rcm_sparse_step){0}) == 0);

    const struct rcm_sparse_step bad[] = {
        {.bytes = -1},
        {.bytes = NAN},
        {.bytes = 1, .largest_bucket = 2},
        {.bytes = 1, .largest_bucket = -1},
        {.bytes = 1, .multiprocessors = 0.5},
        {.bytes = 1, .launches = -1},
        {.bytes = 1, .launch_us = NAN},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(isnan(rcm_sparse_step_us(&slow, bad[i])), "%zu", i);
    ck_assert(isnan(rcm_sparse_step_us(&none, s)));
}
END_TEST

/* The pair of section 5.3 of SAAP (arXiv 2502.08246), printed as 18 and 50 us, in the model: 171000
 * keys, d = 128, 2 bytes, an H100 SXM of 132 multiprocessors (docs/models.md 15). */
START_TEST(sparse_step_of_the_pair)
{
    const struct rcm_device *sxm = rcm_device_by_name("H100-SXM");
    const double key = 2.0 * 128 * 2, keys = 171000, read = key * (2048 + keys * 32 / 1024 * 1.04);
    ck_assert_double_eq_tol(read / key / keys, 0.0445, 0.00005);
    const double full = rcm_sparse_step_us(
        sxm, (struct rcm_sparse_step){.bytes = key * keys, .launches = 2, .launch_us = 2.2});
    const double sparse =
        rcm_sparse_step_us(sxm, (struct rcm_sparse_step){read, key * keys / 1024, 132, 3, 2.2});
    ck_assert_double_eq_tol(full, 30.5, 0.05);
    ck_assert_double_eq_tol(sparse, 10.0, 0.05);
    ck_assert_double_eq_tol(full / sparse, 3.1, 0.05);
}
END_TEST

/* Functions of an array give what the functions of one shape give for each. */
START_TEST(many_shapes)
{
    struct rcm_topk p[100];
    double out[100];
    uint64_t state = 2;
    for (int i = 0; i < 100; i++)
        p[i] = random_shape(&state, 5000);
    rcm_each(rcm_recall_exact, p, 99, (out[99] = 7.0, out));
    for (int i = 0; i < 99; i++)
        ck_assert(out[i] == rcm_recall_exact(p[i]));
    ck_assert(out[99] == 7.0);
    rcm_each_objective(rcm_objective_by_name("serial"), NULL, p, 100, out);
    for (int i = 0; i < 100; i++)
        ck_assert(out[i] == rcm_cost(rcm_cost_model(1), p[i]).approximate);
}
END_TEST

/* Types by the names that libraries print. "float" has 4 bytes in C and 8 in Python. */
START_TEST(names_of_types)
{
    static const struct {
        const char *name;
        int dtype; /* -1: not known */
    } cases[] = {{"f32", RCM_F32},
                 {"F32", RCM_F32},
                 {"torch.float32", RCM_F32},
                 {"torch.float", RCM_F32},
                 {"fp16", RCM_F16},
                 {"torch.half", RCM_F16},
                 {"__half", RCM_F16},
                 {"np.float16", RCM_F16},
                 {"jnp.bfloat16", RCM_BF16},
                 {"BF16", RCM_BF16},
                 {"__nv_bfloat16", RCM_BF16},
                 {"float", -1},
                 {"float64", -1},
                 {"torch.", -1},
                 {"", -1},
                 {"f", -1},
                 {"uint32", -1},
                 {"float320", -1},
                 {"torch.float8_e4m3fn", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum rcm_dtype dtype = RCM_F32;
        const bool found = rcm_dtype_by_name(cases[i].name, &dtype);
        ck_assert_msg(found ? (int)dtype == cases[i].dtype : cases[i].dtype == -1, "%s",
                      cases[i].name);
    }
}
END_TEST

START_TEST(floor_of_a_time)
{
    struct rcm_device device = {.name = "toy", .bandwidth_bytes_per_s = 1e12};
    /* the shortest kernel, known or not */
    ck_assert_double_eq(rcm_least_us(&device, RCM_F32, 1000, 1), 0.0);
    device.architecture = "Toy";
    ck_assert_double_eq(rcm_least_us(&device, RCM_F32, 1000, 1), 0.75);
    device.shortest_kernel_us = 2.0;
    ck_assert_double_eq(rcm_least_us(&device, RCM_F32, 1000, 1), 2.0);
    /* 4e9 bytes less a cache of 1e6, or of one that is not known, at 1e6 a microsecond */
    ck_assert_double_eq_tol(rcm_least_us(&device, RCM_F32, 1000000, 1000), 4e3 - 268.435456, 1e-9);
    device.on_chip_bytes = 1e6;
    ck_assert_double_eq_tol(rcm_least_us(&device, RCM_F32, 1000000, 1000), 4e3 - 1.0, 1e-9);
    ck_assert_double_eq_tol(rcm_least_us(&device, RCM_BF16, 1000000, 1000), 2e3 - 1.0, 1e-9);
    ck_assert_double_eq(rcm_least_us(&device, RCM_F32, 100, 0), 2.0);
    device.bandwidth_bytes_per_s = 0.0;
    ck_assert_double_eq(rcm_least_us(&device, RCM_F32, 1000000, 1000), 0.0);
}
END_TEST

TEST_MAIN("cost", floor_of_a_time, serial_of_figure_three, table_one, stages,
          ridge_points_of_table_one, roofline, product, product_above, attention_of_figure_five,
          sparse_step, sparse_step_of_the_pair, many_shapes, names_of_types)
