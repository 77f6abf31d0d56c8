/* test_rank_loss.c - what drawn rows lose: how many lose more than a share, and their deviation.
 *
 * Against: all places of small rows; the exact distribution of rows of equal weights, down to 1e-9;
 * the known distribution of normal scores.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

#include <sim/sampler/rank_weights.h>

enum { N = 9, K = 5, ROWS = 2, SHARES = 4 };

static const double shares[SHARES] = {0.0, 0.05, 0.12, 0.3};

/* All ways to place K ranks in N places, and what each row then loses. */
struct census {
    const double *kept;
    struct rank_placement to;
    int place[K];
    double count, square, sum, above[SHARES];
};

static void count_places(struct census *all, int rank)
{
    if (rank == K) {
        for (int row = 0; row < ROWS; row++) {
            unsigned in[N] = {0};
            double lost = 0.0;
            for (int j = 0; j < K; j++)
                if (++in[(unsigned)all->place[j] % all->to.b] > all->to.k_b)
                    lost += all->kept[row * K + j];
            all->count++;
            all->sum += lost;
            all->square += lost * lost;
            for (int s = 0; s < SHARES; s++)
                all->above[s] += lost > shares[s];
        }
        return;
    }
    for (int place = 0; place < N; place++) {
        bool is_free = true;
        for (int j = 0; j < rank; j++)
            is_free = is_free && all->place[j] != place;
        all->place[rank] = place;
        if (is_free)
            count_places(all, rank + 1);
    }
}

/* |z| > 5 by chance: 6e-7 a number, of 90. The seeds are fixed. */
START_TEST(against_all_places)
{
    double kept[ROWS * K] = {0.5, 0.3, 0.1, 0.06, 0.04, 0.7, 0.2, 0.1, 0.0, 0.0}, most = 0.0;
    const struct rank_weights weights = {.n = N, .k = K, .kept = kept, .kept_rows = ROWS};
    for (uint64_t b = 1; b <= N; b++)
        for (uint64_t k_b = 1; k_b <= 2; k_b++) {
            struct census all = {.kept = kept, .to = {b, k_b, 10 * b + k_b}};
            struct rank_loss loss;
            count_places(&all, 0);
            for (int s = 0; s < SHARES; s++) {
                const double want = all.above[s] / all.count;
                const struct rank_share more = rank_loses_more(&weights, all.to, shares[s], 1.0);
                /* both rows are drawn as often, so that W is not random */
                const double noise = sqrt(want / RANK_DRAWS) + 1e-12,
                             z = (more.above - want) / noise;
                most = fmax(most, fabs(z));
                ck_assert_msg(fabs(z) < 5.0, "b %d k_b %d share %g: %g for %g", (int)b, (int)k_b,
                              shares[s], more.above, want);
                ck_assert(s == 0 || (more.error < 0.1 * want + 2e-3 && more.error >= 0.0));
            }
            ck_assert_int_eq(rank_loss(&weights, all.to, &loss), 0);
            const double mean = all.sum / all.count,
                         sd = sqrt(all.square / all.count - mean * mean);
            ck_assert_msg(fabs(loss.sd - sd) <= 0.04 * sd, "b %d k_b %d sd %g for %g", (int)b,
                          (int)k_b, loss.sd, sd);
            free(loss.each);
        }
    printf("measured: all places |z| up to %.1f\n", most);
}
END_TEST

/* Of equal weights the share is one of elements. |z| > 5 as above, of 20. */
START_TEST(rare_losses_of_equal_weights)
{
    enum { LONG = 8192, TOP = 64 };
    double kept[TOP], most = 0.0, least = 1.0;
    for (int j = 0; j < TOP; j++)
        kept[j] = 1.0 / TOP;
    const struct rank_weights weights = {.n = LONG, .k = TOP, .kept = kept, .kept_rows = 1};
    for (uint64_t b = 50; b <= 4000; b *= 3)
        for (uint64_t k_b = 1; k_b <= 4; k_b++) {
            const struct rank_placement to = {b, k_b, b + k_b};
            const struct rcm_topk p = {.n = LONG, .k = TOP, .b = b, .k_b = k_b, .m = 1};
            struct rcm_lost dist;
            struct rank_loss loss;
            ck_assert_int_eq(rcm_lost(p, &dist), 0);
            for (int lost = 0; lost < 3; lost++) {
                const double want = 1.0 - rcm_lost_at_most(&dist, lost);
                const struct rank_share more =
                    rank_loses_more(&weights, to, (lost + 0.5) / TOP, 1.0);
                if (want < 1e-9)
                    continue; /* rcm_lost knows it to 1e-12 */
                const double z = (more.above - want) / (more.error + 1e-12);
                most = fmax(most, fabs(z));
                least = fmin(least, want);
                ck_assert_msg(fabs(z) < 5.0 &&
                                  more.error < 0.05 * want + 1e-7 + 1e-4 * want / least,
                              "b %d k_b %d lost %d: %g (%g) for %g", (int)b, (int)k_b, lost,
                              more.above, more.error, want);
                /* it ends early where that is enough */
                if (want > 1e-2)
                    ck_assert_double_gt(
                        rank_loses_more(&weights, to, (lost + 0.5) / TOP, want / 10.0).above,
                        want / 10.0);
            }
            ck_assert_int_eq(rank_loss(&weights, to, &loss), 0);
            ck_assert_double_eq_tol(loss.sd / rcm_recall_sd(p), 1.0, 0.05);
            free(loss.each);
            rcm_lost_free(&dist);
        }
    ck_assert_double_lt(least, 1e-7);
    printf("measured: equal weights |z| up to %.1f, down to %.1e\n", most, least);
}
END_TEST

/* |z| > 5 as above, of 6; the rows of normal scores are reused, which doubles the error at most. */
START_TEST(tails_of_normal_scores)
{
    const struct {
        struct rcm_topk p;
        double sd, mass;
    } cases[] = {{{.n = 8192, .k = 64, .b = 20, .k_b = 4}, 3.9, 0.1},
                 {{.n = 8192, .k = 64, .b = 24, .k_b = 4}, 3.9, 0.1},
                 {{.n = 8192, .k = 64, .b = 412, .k_b = 4}, 2.0, 0.01},
                 {{.n = 65536, .k = 400, .b = 164, .k_b = 4}, 2.5, 0.05},
                 {{.n = 295, .k = 70, .b = 56, .k_b = 3}, 3.55, 0.0205},
                 {{.n = 1000, .k = 16, .b = 300, .k_b = 1}, 1.5, 0.3}};
    double most = 0.0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct rcm_topk p = cases[i].p;
        const struct rank_scores scores = {.n = p.n, .score_sd = cases[i].sd};
        struct rank_weights weights;
        char error[300];
        ck_assert_int_eq(rank_weights(&weights, &scores, p.k, MESSAGE(error)), 0);
        const struct rank_share more =
            rank_loses_more(&weights, (struct rank_placement){p.b, p.k_b, i}, cases[i].mass, 1.0);
        const double known = rcm_lost_mass_above(p, cases[i].sd, cases[i].mass),
                     off = RCM_LOST_MASS_TAIL_MAX_ERROR * (1.0 - rcm_probability_exact(p)),
                     z = fmax(fabs(more.above - known) - off, 0.0) / (2.0 * more.error);
        most = fmax(most, z);
        ck_assert_msg(z < 5.0 && known < 2e-3 && more.error < more.above + 1e-5,
                      TOPK_FMT ": %g (%g) for %g", TOPK_ARG(p), more.above, more.error, known);
        rank_weights_free(&weights);
    }
    printf("measured: tails of normal scores z up to %.1f\n", most);
}
END_TEST

TEST_MAIN("rank loss", against_all_places, rare_losses_of_equal_weights, tails_of_normal_scores)
