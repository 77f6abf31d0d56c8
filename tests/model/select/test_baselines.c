/* test_baselines.c - the number of buckets that XLA and Helion take, and what the kernels can run.
 *
 * Against: the rules worked out by hand; each other.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

/* The numbers of buckets that XLA takes, by its own rule. */
START_TEST(kernels_keep_to_what_they_can_run)
{
    struct rcm_restriction free_b = {0, NULL};
    struct rcm_topk p = {.n = 131072, .k = 512, .k_b = 1, .m = 64};
    const struct rcm_kernel *xla = rcm_kernel(3), *graphcore = rcm_kernel(2);
    ck_assert_str_eq(xla->name, "xla");
    ck_assert_uint_eq(xla->next_b(p, 9973, &free_b), 16384); /* 131072/2^3 */
    ck_assert_uint_eq(xla->next_b(p, 65537, &free_b), 0);
    p.n = 100000;                                        /* 782 tiles of 128: 391, 196, 98, .. */
    ck_assert_uint_eq(xla->next_b(p, 1, &free_b), 256);  /* 100000/128 = 781, so g is at most 9 */
    for (double loss = 1e-4; loss < 0.99; loss *= 1.3) { /* XLA's choice is one that it can run */
        uint64_t b = rcm_xla_b(p, loss);
        ck_assert(b == 0 || xla->next_b(p, b, &free_b) == b);
    }
    ck_assert_uint_eq(xla->next_b(p, 25000, &free_b), 25088);
    ck_assert_uint_eq(xla->next_b(p, 25089, &free_b), 50048);
    p.m = 1; /* 98 tiles of 1024 */
    ck_assert_uint_eq(xla->next_b(p, 25089, &free_b), 25600);
    ck_assert_str_eq(graphcore->name, "graphcore");
    p = (struct rcm_topk){.n = 1659, .k = 96, .k_b = 4, .m = 1};
    ck_assert_uint_eq(graphcore->next_b(p, 1, &free_b), 24);
    ck_assert_uint_eq(graphcore->next_b(p, 25, &free_b), 48);
    ck_assert_uint_eq(graphcore->next_b(p, 400, &free_b), 408); /* 17 96 / 4 */
    ck_assert_uint_eq(graphcore->next_b(p, 409, &free_b), 0);   /* 18 96 > 1659 */
    size_t count = 0;
    for (; rcm_kernel(count); count++)
        ck_assert_ptr_eq(rcm_kernel_by_name(rcm_kernel(count)->name), rcm_kernel(count));
    ck_assert_uint_eq(count, 14); /* three of them of exact top-k alone */
}
END_TEST

/* Helion's rule as its source has it: the b of its ten published runs, and Python's 1 - 0.9, which
 * is below 0.1: 64/0.1 = 640, but 64/(1 - 0.9) rounds up to 641. Its buckets are lanes of 128. */
START_TEST(helion)
{
    static const struct {
        uint64_t n, k, b;
        double recall;
    } rows[] = {{32768, 5, 128, 0.95},     {32768, 5, 512, 0.99}, {202048, 64, 1280, 0.95},
                {202048, 64, 6400, 0.99},  {32768, 65, 768, 0.9}, {32768, 1, 128, 0.99},
                {202048, 4096, 0, 0.9999}, {32768, 65, 0, 1.0}}; /* 0: the whole row */
    const struct rcm_baseline *rule = NULL;
    for (size_t i = 0; (rule = rcm_baseline(i)) && strcmp(rule->name, "helion") != 0; i++)
        ;
    ck_assert_ptr_nonnull(rule);
    struct rcm_restriction free_b = {0, NULL};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct rcm_topk p = {.n = rows[i].n, .k = rows[i].k, .m = 1},
                              got = rule->choose(p, 1.0 - rows[i].recall);
        ck_assert_msg(got.b == rows[i].b && got.k_b == 1,
                      "k = %" PRIu64 ", recall %g: b = %" PRIu64 ", want %" PRIu64, p.k,
                      rows[i].recall, got.b, rows[i].b);
        if (got.b)
            ck_assert_uint_eq(rcm_kernel_by_name("helion")->next_b(got, got.b, &free_b), got.b);
    }
    struct rcm_restriction by_192 = {192, NULL};
    struct rcm_topk p = {.n = 202048, .k = 64, .k_b = 1, .m = 1};
    ck_assert_uint_eq(rcm_kernel_by_name("helion")->next_b(p, 385, &by_192), 768);
}
END_TEST

/* Dr. Top-k's buckets have 2^a elements and divide the row. */
START_TEST(drtopk)
{
    const struct rcm_kernel *kernel = rcm_kernel_by_name("drtopk");
    struct rcm_restriction free_b = {0, NULL}, by_three = {3, NULL};
    struct rcm_topk p = {.n = 96, .k = 5, .k_b = 1, .m = 1};
    ck_assert_uint_eq(kernel->next_b(p, 1, &free_b), 3);
    ck_assert_uint_eq(kernel->next_b(p, 7, &free_b), 12);
    ck_assert_uint_eq(kernel->next_b(p, 97, &free_b), 0);
    p.n = 1 << 20;
    ck_assert_uint_eq(kernel->next_b(p, 1000, &free_b), 1024);
    ck_assert_uint_eq(kernel->next_b(p, 1000, &by_three), 0);
    p.b = 1 << 15; /* 32 elements: a warp reads them in one step */
    const struct rcm_work work = kernel->work(p, 4.0);
    ck_assert(work.blocks == 1 << 15 && work.elements == 1.0 && work.lines == 1 << 15);
    p.b = 1 << 17; /* 8 elements: as many lines as buckets */
    ck_assert(kernel->work(p, 4.0).lines == 1 << 17 && kernel->work(p, 4.0).elements == 1.0);
}
END_TEST

/* The recall target for a b does give this b, in double and in single precision. Nearly every b
 * that XLA can take has such a target. */
START_TEST(targets_for_xla)
{
    uint64_t state = 23, found = 0, asked = 0;
    struct rcm_restriction free_b = {0, NULL};
    for (unsigned i = 0; i < 300; i++) {
        const uint64_t n = random_scale(&state, 2000, 1 << 24);
        struct rcm_topk p = {.n = n,
                             .k = random_scale(&state, 1, n / 4),
                             .k_b = 1,
                             .m = next_random(&state) % 2 ? 1 : 64};
        for (uint64_t b = rcm_kernel(3)->next_b(p, p.k, &free_b); b != 0;
             b = rcm_kernel(3)->next_b(p, b + 1, &free_b)) {
            const double target = rcm_xla_target(p, b);
            asked++;
            if (isnan(target))
                continue;
            found++;
            ck_assert_uint_eq(rcm_xla_b(p, 1.0 - target), b);
            ck_assert_uint_eq(rcm_xla_b(p, 1.0 - (double)(float)target), b);
        }
    }
    printf("XLA: a target for %" PRIu64 " of %" PRIu64 " numbers of buckets\n", found, asked);
    ck_assert_uint_gt(10 * found, 9 * asked);
}
END_TEST

TEST_MAIN("baselines", kernels_keep_to_what_they_can_run, helion, drtopk, targets_for_xla)
