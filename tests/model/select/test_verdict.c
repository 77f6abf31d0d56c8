/* test_verdict.c - the rule that decides between contenders: lossless wins.
 *
 * Against: the rule by hand and by a second formula.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

static struct rcm_contender made(enum rcm_contender_kind kind, double us, double low, double high)
{
    return (struct rcm_contender){.kind = kind,
                                  .name = "made",
                                  .callable = true,
                                  .loss = kind == RCM_CONTENDER_BUCKETS ? 0.01 : 0.0,
                                  .time_us = us,
                                  .low_us = low,
                                  .high_us = high};
}

/* The same rule in other words. Where an error is not known: .41 to 2.15 (plots/carried.py). */
static bool surely(const struct rcm_contender *f, const struct rcm_contender *s)
{
    const double up = isnan(f->high_us) ? 2.15 : f->high_us / f->time_us,
                 down = isnan(s->low_us) ? 1.0 / 0.41 : s->time_us / s->low_us;
    return s->time_us > f->time_us * exp(sqrt(log(up) * log(up) + log(down) * log(down)));
}

START_TEST(by_hand)
{
    size_t first = 9;
    const enum rcm_contender_kind exact = RCM_CONTENDER_EXACT, buckets = RCM_CONTENDER_BUCKETS;
    /* equal times, no errors: lossless wins */
    struct rcm_contender of[4] = {made(buckets, 10, 10, 10), made(exact, 10, 10, 10)};
    ck_assert(rcm_verdict(of, 2, &first) == RCM_VERDICT_EXACT && first == 1);
    of[1] = made(exact, 10.001, 10.001, 10.001);
    ck_assert(rcm_verdict(of, 2, &first) == RCM_VERDICT_BUCKETS && first == 0);
    /* 1.25 up and 1/1.6 down: faster by exp(hypot(log 1.25, log 1.6)) = 1.682, and not by less */
    of[0] = made(buckets, 10, 1, 12.5);
    of[1] = made(exact, 16.8, 10.5, 99);
    ck_assert(rcm_verdict(of, 2, &first) == RCM_VERDICT_EXACT && first == 1);
    of[1] = made(exact, 16.9, 10.5625, 17);
    ck_assert(rcm_verdict(of, 2, &first) == RCM_VERDICT_BUCKETS && first == 0);
    /* sure against the fastest lossless, but not against a slower one with a wider error */
    of[2] = made(exact, 30, 9, 31);
    ck_assert(rcm_verdict(of, 3, &first) == RCM_VERDICT_EXACT && first == 1);
    /* nobody can call that one, or the fastest */
    of[2].callable = false;
    ck_assert(rcm_verdict(of, 3, &first) == RCM_VERDICT_BUCKETS && first == 0);
    of[2] = made(exact, 1, 1, 1);
    of[2].callable = false;
    ck_assert(rcm_verdict(of, 3, &first) == RCM_VERDICT_BUCKETS && first == 0);
    of[0].callable = false;
    ck_assert(rcm_verdict(of, 3, &first) == RCM_VERDICT_EXACT && first == 1);
    of[3] = made(RCM_CONTENDER_THRESHOLD, 5, NAN, NAN);
    ck_assert(rcm_verdict(of, 4, &first) == RCM_VERDICT_THRESHOLD && first == 3);
    of[1].callable = of[3].callable = false;
    first = 7;
    ck_assert(rcm_verdict(of, 4, &first) == RCM_VERDICT_NONE && first == 7);
    ck_assert(rcm_verdict(of, 0, &first) == RCM_VERDICT_NONE && first == 7);
    /* a time that is not there is none */
    of[0] = made(buckets, INFINITY, NAN, NAN);
    of[1] = made(exact, NAN, NAN, NAN);
    ck_assert(rcm_verdict(of, 2, &first) == RCM_VERDICT_NONE);
    /* errors that are not known: exp(hypot(log 2.15, log(1/.41))) = 3.235 */
    of[0] = made(buckets, 10, NAN, NAN);
    of[1] = made(exact, 32.2, NAN, NAN);
    ck_assert(rcm_verdict(of, 2, &first) == RCM_VERDICT_EXACT && first == 1);
    of[1].time_us = 32.5;
    ck_assert(rcm_verdict(of, 2, &first) == RCM_VERDICT_BUCKETS && first == 0);
    ck_assert_str_eq(rcm_verdict_name(RCM_VERDICT_NONE), "none");
    ck_assert_str_eq(rcm_contender_kind_name(RCM_CONTENDER_THRESHOLD), "threshold");
    ck_assert(!rcm_verdict_name((enum rcm_verdict)4) &&
              !rcm_contender_kind_name((enum rcm_contender_kind)3));
}
END_TEST

START_TEST(faster_by_the_formula)
{
    uint64_t state = 61, yes = 0;
    for (unsigned i = 0; i < 20000; i++) {
        double at[6];
        for (size_t j = 0; j < 6; j++)
            at[j] = (double)random_between(&state, 1000, 9999) / 1e4;
        struct rcm_contender a = made(RCM_CONTENDER_BUCKETS, at[0], at[0] * at[1], at[0] / at[2]),
                             b = made(RCM_CONTENDER_EXACT, at[3] / at[0], 0.0, 99);
        b.low_us = i % 5 ? b.time_us * at[4] : NAN;
        a.high_us = i % 7 ? a.high_us : NAN;
        ck_assert(rcm_surely_faster(&a, &b) == surely(&a, &b));
        ck_assert(!rcm_surely_faster(&a, &b) || !rcm_surely_faster(&b, &a));
        yes += rcm_surely_faster(&a, &b);
    }
    ck_assert(yes > 2000 && yes < 18000);
}
END_TEST

TEST_MAIN("verdict", by_hand, faster_by_the_formula)
