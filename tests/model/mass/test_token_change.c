/* test_token_change.c - how the distribution of a token changes, from three masses.
 *
 * Against: the definitions, token by token, of every two sets of six tokens; and what speculative
 * decoding accepts of a draft.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

enum { TOKENS = 6, SETS = 1 << TOKENS };

static const double weight[TOKENS] = {1.0, 0.625, 0.5, 0.125, 0.0625, 0x1p-40};

/* Their sum, exact in double; and the distribution over the tokens. */
static double distribution(unsigned set, double *p)
{
    double sum = 0.0;
    for (int i = 0; i < TOKENS; i++)
        sum += set >> i & 1 ? weight[i] : 0.0;
    for (int i = 0; i < TOKENS; i++)
        p[i] = set >> i & 1 ? weight[i] / sum : 0.0;
    return sum;
}

/* Exponential noise E for each token: the least E/p is token i for p and q with probability 1/(the
 * sum over j of the larger of p[j]/p[i] and q[j]/q[i]). */
static double differs(const double *p, const double *q)
{
    double same = 0.0;
    for (int i = 0; i < TOKENS; i++) {
        double sum = 0.0;
        for (int j = 0; j < TOKENS; j++)
            sum += fmax(p[j] / p[i], q[j] / q[i]);
        same += p[i] > 0.0 && q[i] > 0.0 ? 1.0 / sum : 0.0;
    }
    return 1.0 - same;
}

START_TEST(by_definition)
{
    for (unsigned exact = 1; exact < SETS; exact++)
        for (unsigned approximate = 1; approximate < SETS; approximate++) {
            double p[TOKENS], q[TOKENS], unused[TOKENS], variation = 0.0, kl = 0.0;
            const double a = distribution(exact, p), b = distribution(approximate, q),
                         both =
                             exact & approximate ? distribution(exact & approximate, unused) : 0.0;
            const struct rcm_token_change t = rcm_token_change(a, b, both);
            for (int i = 0; i < TOKENS; i++) {
                variation += 0.5 * fabs(p[i] - q[i]);
                kl += q[i] > 0.0 ? q[i] * log(q[i] / p[i]) : 0.0; /* INFINITY where p lacks it */
            }
            ck_assert_double_eq_tol(t.total_variation, variation, 1e-15);
            ck_assert_double_eq_tol(t.differs, differs(p, q), 1e-15);
            ck_assert_msg(isinf(kl) ? isinf(t.kl) : fabs(t.kl - kl) <= 1e-15 * (1.0 + kl),
                          "%u %u: %g for %g", exact, approximate, t.kl, kl);
            if (approximate == (exact & approximate)) /* nothing comes: it is the lost share */
                ck_assert_double_le(fabs(t.total_variation - (a - b) / a),
                                    RCM_TOKEN_CHANGE_MAX_RELERR * t.total_variation);
        }
}
END_TEST

/* A draft r is accepted with probability sum of min(r, p): for q it is less by at most the total
 * variation, and for some r by just that. */
START_TEST(speculative_decoding)
{
    for (unsigned exact = 1; exact < SETS; exact++)
        for (unsigned approximate = 1; approximate < SETS; approximate++) {
            double p[TOKENS], q[TOKENS], r[TOKENS], unused[TOKENS], most = 0.0;
            const double a = distribution(exact, p), b = distribution(approximate, q),
                         both =
                             exact & approximate ? distribution(exact & approximate, unused) : 0.0,
                         variation = rcm_token_change(a, b, both).total_variation;
            for (unsigned draft = 1; draft < SETS; draft++) {
                double accepted[2] = {0.0, 0.0};
                distribution(draft, r);
                for (int i = 0; i < TOKENS; i++) {
                    accepted[0] += fmin(r[i], p[i]);
                    accepted[1] += fmin(r[i], q[i]);
                }
                most = fmax(most, accepted[0] - accepted[1]);
            }
            ck_assert_double_le(most, variation + 1e-15);
            ck_assert_double_ge(most, variation - 1e-15); /* of r = p */
        }
}
END_TEST

START_TEST(domain)
{
    const double wrong[][3] = {{0.0, 1.0, 0.0},     {1.0, 0.0, 0.0}, {1.0, 1.0, 1.5},
                               {1.0, 1.0, -0.5},    {2.0, 1.0, 1.5}, {1.0, NAN, 1.0},
                               {INFINITY, 1.0, 1.0}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct rcm_token_change t = rcm_token_change(wrong[i][0], wrong[i][1], wrong[i][2]);
        ck_assert(isnan(t.total_variation) && isnan(t.differs) && isnan(t.kl));
    }
    const struct rcm_token_change same = rcm_token_change(0.25, 0.25, 0.25);
    ck_assert(same.total_variation == 0.0 && same.differs == 0.0 && same.kl == 0.0);
}
END_TEST

TEST_MAIN("token change", by_definition, speculative_decoding, domain)
