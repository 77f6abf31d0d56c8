/* test_lost_bounds.c - the bounds on P(lost <= e) that need no distribution, against the
 * distribution: they always hold, and how sharp they are.
 *
 * Against: 4000 distributions, k up to 3000; no bound may be violated.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <model/lost/lost_bounds.h>
#include <tests/test.h>

/* Shapes with distributions that take little time. Some have room for all top elements, k_b < k/b,
 * padded rows, or one candidate too few. */
static struct rcm_topk draw(uint64_t *state)
{
    struct rcm_topk p = {
        .n = random_scale(state, 2, (uint64_t)1 << (next_random(state) % 2 ? 12 : 40)), .m = 1};
    p.k = random_scale(state, 1, p.n < 3000 ? p.n : 3000);
    p.b = random_scale(state, 2, p.n < 2000 ? p.n : 2000);
    const uint64_t even = p.k / p.b + 1;
    p.k_b = next_random(state) % 3 ? random_between(state, even > 3 ? even - 3 : 1, even + 3)
                                   : random_scale(state, 1, 2 * even);
    if (next_random(state) % 4 == 0) {
        p.valid = random_between(state, p.k, p.n);
        p.assignment = (enum rcm_assignment)(next_random(state) % 3);
    }
    return p;
}

START_TEST(never_lie)
{
    uint64_t state = 21, shapes = 0, asked = 0, said[2] = {0, 0}, could[2] = {0, 0};
    while (shapes < 4000) {
        const struct rcm_topk p = draw(&state);
        const struct rcm_buckets buckets = rcm_buckets_of(p);
        struct rcm_lost dist;
        if (rcm_check(p) != RCM_OK || rcm_lost(p, &dist) != 0)
            continue;
        shapes++;
        const double mean = (double)p.k * rcm_loss_exact(p), sd = (double)p.k * rcm_recall_sd(p);
        for (int i = 0; i < 12; i++) {
            const double at =
                i < 2 ? (double)random_between(&state, 0, p.k) : floor(mean + (i - 5.0) * sd);
            if (!(at >= 0.0 && at <= (double)p.k))
                continue;
            const uint64_t e = (uint64_t)at;
            const double true_one = rcm_lost_at_most(&dist, at);
            const struct lost_bounds bounds = lost_bounds(&buckets, p.k, p.k_b, e);
            ck_assert_msg(bounds.low <= true_one + RCM_LOST_MAX_ERROR &&
                              bounds.high >= true_one - RCM_LOST_MAX_ERROR,
                          TOPK_FMT " P(lost <= %" PRIu64 ") = %.17g, bounds %.17g and %.17g",
                          TOPK_ARG(p), e, true_one, bounds.low, bounds.high);
            const bool reaches = lost_certainly_reaches(&buckets, p.k, p.k_b, e, 0.99);
            const bool misses = lost_certainly_misses(&buckets, p.k, p.k_b, e, 0.99);
            ck_assert(!(reaches && misses) && (!reaches || true_one >= 0.99 - RCM_LOST_MAX_ERROR) &&
                      (!misses || true_one < 0.99 - RCM_LOST_MAX_ERROR));
            asked++;
            could[true_one < 0.99]++;
            said[0] += reaches;
            said[1] += misses;
        }
        rcm_lost_free(&dist);
    }
    printf("%" PRIu64 " bounds of %" PRIu64 " shapes hold; at .99 they decide %" PRIu64
           " of %" PRIu64 " that reach it, %" PRIu64 " of %" PRIu64 " that do not\n",
           asked, shapes, said[0], could[0], said[1], could[1]);
    ck_assert_uint_gt(said[0], could[0] / 2);
    ck_assert_uint_gt(said[1], could[1] / 2);
}
END_TEST

/* The statements of the header about a nearly normal distribution and about small means. */
START_TEST(sharpness)
{
    const struct rcm_topk p = {.n = 1 << 20, .k = 20000, .b = 5000, .k_b = 4, .m = 1};
    const struct rcm_buckets buckets = rcm_buckets_of(p);
    const double mean = (double)p.k * rcm_loss_exact(p), sd = (double)p.k * rcm_recall_sd(p);
    double misses_from = INFINITY, reaches_from = INFINITY;
    for (double z = 10.0; z > -1.0; z -= 0.01) {
        const uint64_t e = (uint64_t)nearbyint(mean + z * sd);
        if (lost_certainly_reaches(&buckets, p.k, p.k_b, e, 0.99))
            reaches_from = z;
        if (isinf(misses_from) && lost_certainly_misses(&buckets, p.k, p.k_b, e, 0.99))
            misses_from = z;
    }
    printf("at .99, nearly normal: misses are certain up to z = %.2f, reached from z = %.2f\n",
           misses_from, reaches_from);
    ck_assert_double_gt(misses_from, -0.15);
    ck_assert_double_lt(reaches_from, 6.0);

    const struct rcm_topk rare = {.n = 1 << 20, .k = 64, .b = 65536, .k_b = 2, .m = 1};
    const struct rcm_buckets many = rcm_buckets_of(rare);
    const double nothing = rcm_probability_exact(rare);
    const struct lost_bounds bounds = lost_bounds(&many, rare.k, rare.k_b, 0);
    ck_assert_double_le(nothing - bounds.low, 1e-2 * (1.0 - nothing));
    ck_assert_double_le(bounds.high - nothing, 1e-2 * (1.0 - nothing));
}
END_TEST

START_TEST(ends)
{
    const struct rcm_buckets buckets =
        rcm_buckets_of((struct rcm_topk){.n = 1000, .k = 100, .b = 50, .k_b = 1});
    ck_assert(lost_certainly_misses(&buckets, 100, 1, 49, 1e-9)); /* 50 are always lost */
    ck_assert(lost_certainly_reaches(&buckets, 100, 1, 95, 1.0)); /* 5 full buckets of 20 */
    ck_assert(!lost_certainly_reaches(&buckets, 100, 1, 94, 1.0));
    ck_assert(lost_certainly_reaches(&buckets, 100, 100, 0, 1.0));
    ck_assert(!lost_certainly_reaches(&buckets, 1001, 1, 94, 0.5) &&
              !lost_certainly_misses(&buckets, 1001, 1, 94, 0.5));
}
END_TEST

TEST_MAIN("lost bounds", never_lie, sharpness, ends)
