/* test_reverse.c - the largest k and n and the fewest k_b that reach a target, against a scan.
 *
 * Against: a scan, 600 shapes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/model/exhaustive.h>

/* Each answer is that of a scan: it reaches the target, and one more k or n, or one less k_b, does
 * not. */
START_TEST(asked_in_reverse)
{
    static const double targets[] = {0.3, 0.1, 0.05, 0.01};
    uint64_t state = 26;
    for (unsigned i = 0; i < (few_cases() ? 100 : 600); i++) {
        struct rcm_topk p = random_shape(&state, i % 2 ? 200 : 4000);
        const struct rcm_target target = {.loss = targets[i % 4]};
        struct rcm_selection s = {.p = p, .target = target};
        const uint64_t k = rcm_largest_k(p, target), n = rcm_largest_n(p, target),
                       k_b = rcm_fewest_k_b(&s);
        struct rcm_topk q = p;
        uint64_t want = 0;
        for (q.k = 1; q.k <= p.n && q.k <= rcm_candidates(p); q.k++)
            want = rcm_reaches(q, target) ? q.k : want;
        ck_assert_msg(k == want, TOPK_FMT " loss %g: largest k %" PRIu64 ", want %" PRIu64,
                      TOPK_ARG(p), target.loss, k, want);
        q = p;
        for (q.k_b = 1; !rcm_reaches(q, target); q.k_b++)
            ;
        ck_assert_msg(k_b == q.k_b, TOPK_FMT " loss %g: fewest k_b %" PRIu64 ", want %" PRIu64,
                      TOPK_ARG(p), target.loss, k_b, q.k_b);
        q = p;
        want = 0;
        for (q.n = p.k > p.b ? p.k : p.b; q.n <= 5000; q.n++)
            want = rcm_reaches(q, target) ? q.n : want;
        ck_assert_msg(n == want || (n > 5000 && want == 5000),
                      TOPK_FMT " loss %g: largest n %" PRIu64 ", want %" PRIu64, TOPK_ARG(p),
                      target.loss, n, want);
    }
    ck_assert_uint_eq(rcm_largest_n((struct rcm_topk){.k = 4, .b = 4, .k_b = 4},
                                    (struct rcm_target){.loss = 0.1}),
                      RCM_N_MAX);
    ck_assert_uint_eq(rcm_largest_k((struct rcm_topk){.n = 4, .b = 5, .k_b = 4},
                                    (struct rcm_target){.loss = 0.1}),
                      0);
    /* With a confidence: one less is not enough. */
    struct rcm_selection s = {.p = {.n = 1 << 20, .k = 1024, .b = 8, .assignment = RCM_CONTIGUOUS},
                              .confidence = 0.999,
                              .most_lost = 10};
    s.p.k_b = rcm_fewest_k_b(&s);
    ck_assert(has_confidence(&s, s.p));
    s.p.k_b--;
    ck_assert(!has_confidence(&s, s.p));
    if (few_cases())
        return;
    /* Where the distribution is too wide to compute there is no answer; the function does not
     * return the first k_b that has a distribution. */
    s.p = (struct rcm_topk){
        .n = UINT64_C(1) << 40, .k = 1 << 24, .b = 4, .assignment = RCM_CONTIGUOUS};
    s.most_lost = 3000; /* Near the mean number of lost elements, so that no bound decides */
    ck_assert_uint_eq(rcm_fewest_k_b(&s), 0);
    s.confidence = 0.0;
    s.target.loss = NAN;
    ck_assert_uint_eq(rcm_fewest_k_b(&s), 0);
}
END_TEST

/* With a confidence, also where fewer than k are sent in all. */
START_TEST(fewest_with_a_confidence)
{
    uint64_t state = 27, fewer = 0;
    for (unsigned i = 0; i < 200; i++) {
        struct rcm_topk p = random_shape(&state, 300);
        struct rcm_selection s = {.p = p,
                                  .confidence = 0.01 * (double)random_between(&state, 1, 99)};
        s.most_lost = random_between(&state, 0, p.k - 1);
        for (p.k_b = 1; !has_confidence(&s, p); p.k_b++)
            ;
        fewer += p.k_b * p.b < p.k;
        ck_assert_uint_eq(rcm_fewest_k_b(&s), p.k_b);
    }
    ck_assert_uint_ge(fewer, 20);
}
END_TEST

TEST_MAIN("reverse", asked_in_reverse, fewest_with_a_confidence)
