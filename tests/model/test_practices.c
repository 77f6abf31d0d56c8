/* test_practices.c - the number of buckets that XLA takes, and what the kernels can run.
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
    ck_assert_ptr_null(rcm_kernel(8));
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

TEST_MAIN("practices", kernels_keep_to_what_they_can_run, targets_for_xla)
