/* test_padded.c - a shorter row takes no longer than a longer one: exact top-k by every profile,
 * and every exact contender of every card; no time of these, and no low end of any band, below the
 * floor of the card.
 *
 * Against: the least of the times of all longer rows of a fine grid, by every profile.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <model/recallmodel/provider.h>

#include <tests/test.h>

static const struct {
    uint64_t k, m;
} shapes[] = {{8, 4096}, {8, 1}, {1, 16}, {64, 64}, {32, 512}, {256, 256}, {1024, 1}, {2048, 16}};
#define SHAPES (sizeof shapes / sizeof *shapes)

/* From 64 elements, those of the experts of a mixture, each 5 % longer than the one before. */
#define GRID 2000
static size_t grid_of(uint64_t n[GRID], double most)
{
    size_t count = 0;
    for (double x = 2.0; x <= most && count < GRID; x = fmax(x + 1.0, 1.05 * x))
        n[count++] = (uint64_t)x;
    return count;
}

START_TEST(exact_of_every_profile)
{
    const struct rcm_profile *q;
    size_t count = 0, padded = 0;
    for (size_t i = 0; (q = rcm_profile(i)); i++)
        for (size_t j = 0; j < SHAPES; j++) {
            static uint64_t n[GRID];
            struct rcm_topk p = {.k = shapes[j].k, .m = shapes[j].m, .b = 1, .k_b = 1};
            const double rows = (double)p.m, most = q->elements_high > 0.0
                                                        ? fmin(q->n_high, q->elements_high / rows)
                                                        : q->n_high;
            double least = INFINITY, next = INFINITY;
            for (size_t at = grid_of(n, most); at-- > 0 && n[at] > p.k;) {
                uint64_t to, again;
                p.n = n[at];
                const double own = rcm_predict_exact_unpadded(q, p).time_us;
                const struct rcm_prediction got = rcm_predict_exact_padded(q, p, &to);
                least = fmin(least, isnan(own) ? INFINITY : own);
                if (isnan(got.time_us)) {
                    ck_assert(isnan(own) && isnan(rcm_predict_exact(q, p)));
                    continue;
                }
                ck_assert(rcm_predict_exact(q, p) == got.time_us);
                ck_assert_msg(got.time_us <= least && got.time_us <= next,
                              "%s, " TOPK_FMT ": %g, of longer rows %g, %g", q->name, TOPK_ARG(p),
                              got.time_us, least, next);
                next = got.time_us;
                count++;
                padded += to > 0;
                if (to) {
                    ck_assert(to > p.n && to <= (uint64_t)fmax(q->n_high, 1.0));
                    p.n = to;
                }
                ck_assert(rcm_predict_exact_unpadded(q, p).time_us == got.time_us);
                ck_assert(rcm_predict_exact_padded(q, p, &again).time_us == got.time_us && !again);
            }
        }
    printf("%zu times, %zu of them of padded rows\n", count, padded);
    ck_assert(count > 50000 && padded > 1000);
}
END_TEST

/* A row of a profile that falls once, by hand: 100 + 2 n short, 50 + n from 1000 elements on. */
START_TEST(by_hand)
{
    const struct rcm_profile q = {.kernel = rcm_kernel_by_name("exact"),
                                  .launch_us = 1.0,
                                  .row_us = 99.0,
                                  .row_element_us = 2.0,
                                  .long_n = 1000.0,
                                  .long_us = 49.0,
                                  .long_element_us = 1.0,
                                  .n_high = 5000.0};
    const struct {
        uint64_t n, to;
        double us;
    } cases[] = {{10, 0, 120},    {475, 0, 1050},  {476, 1000, 1050}, {999, 1000, 1050},
                 {1000, 0, 1050}, {2000, 0, 2050}, {5001, 0, 5051}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t to;
        const struct rcm_topk p = {.n = cases[i].n, .k = 4, .m = 1};
        const struct rcm_prediction r = rcm_predict_exact_padded(&q, p, &to);
        ck_assert_double_eq_tol(r.time_us, cases[i].us, 1e-9);
        ck_assert_uint_eq(to, cases[i].to);
    }
    struct rcm_profile few = q; /* rows are not padded beyond the runs */
    uint64_t to;
    few.elements_high = 7000.0;
    const struct rcm_topk p = {.n = 800, .k = 4, .m = 8};
    ck_assert_double_eq_tol(rcm_predict_exact_padded(&few, p, &to).time_us, 1700.0, 1e-9);
    ck_assert_uint_eq(to, 0);
    const struct rcm_topk wrong = {.n = 4, .k = 5, .m = 1};
    ck_assert(isnan(rcm_predict_exact_padded(&q, wrong, &to).time_us) && to == 0);
}
END_TEST

/* The low end of a band is no less than the floor, unless the time itself is. Returns whether it
 * was raised: whether it is the floor. */
static bool ck_assert_low_end(const char *name, const struct rcm_device *device,
                              enum rcm_dtype dtype, struct rcm_topk p,
                              const struct rcm_prediction *r)
{
    const double floor = fmin(r->time_us, rcm_least_us(device, dtype, p.n, p.m));
    ck_assert_msg(isnan(r->low_us) || (r->low_us >= floor && r->low_us <= r->high_us),
                  "%s on %s, " TOPK_FMT ": from %g to %g us, floor %g", name, device->name,
                  TOPK_ARG(p), r->low_us, r->high_us, floor);
    return r->low_us == floor;
}

/* Of all exact kernels on their own cards and carried to a B200, and of the buckets of every card,
 * its own and carried. */
START_TEST(low_ends_of_bands)
{
    const struct rcm_device *device, *b200 = rcm_device_by_name("B200");
    const struct rcm_profile *q;
    size_t raised = 0, cards = 0, kernels = 0;
    const uint64_t n[] = {64, 1024, 16384, 1 << 18};
    for (size_t i = 0; (q = rcm_profile(i)); i++) {
        device = q->card ? rcm_device_by_name(q->card) : NULL;
        if (q->kernel->model != RCM_TIME_EXACT || !device)
            continue;
        const struct rcm_profile carried = rcm_carry_exact(q, device, b200);
        kernels++;
        for (size_t j = 0; j < 4 * SHAPES; j++) {
            const struct rcm_topk p = {
                .n = n[j % 4], .k = shapes[j / 4].k, .m = shapes[j / 4].m, .b = 1, .k_b = 1};
            const struct rcm_prediction own = rcm_predict_exact_unpadded(q, p),
                                        there = rcm_predict_exact_unpadded(&carried, p);
            raised += ck_assert_low_end(q->name, device, q->dtype, p, &own);
            raised += ck_assert_low_end(q->name, b200, q->dtype, p, &there);
        }
    }
    for (size_t i = 0; (device = rcm_device(i)); i++) {
        const struct rcm_profile_answer a = rcm_profile_for(device, NULL, NULL, NULL);
        cards += a.found;
        for (size_t j = 0; j < 4 * SHAPES && a.found; j++) {
            const struct rcm_topk p = {.n = n[j % 4],
                                       .k = shapes[j / 4].k,
                                       .m = shapes[j / 4].m,
                                       .b = shapes[j / 4].k,
                                       .k_b = 1};
            uint64_t padded_n;
            const struct rcm_prediction both = rcm_predict(&a.profile, p),
                                        exact = rcm_predict_exact_padded(&a.profile, p, &padded_n);
            raised += ck_assert_low_end(a.profile.name, device, a.dtype, p, &both);
            raised += ck_assert_low_end(a.profile.name, device, a.dtype, p, &exact);
        }
    }
    printf("%zu kernels, %zu cards, %zu low ends are the floor\n", kernels, cards, raised);
    ck_assert(kernels > 20 && cards > 30 && raised > 100);
}
END_TEST

START_TEST(contenders_of_every_card)
{
    const struct rcm_device *device;
    size_t count = 0, padded = 0;
    for (size_t i = 0; (device = rcm_device(i)); i++)
        for (size_t j = 0; j < 2 * SHAPES; j++) {
            static double next[64];
            const enum rcm_dtype dtype = j % 2 ? RCM_F16 : RCM_F32;
            struct rcm_topk p = {.k = shapes[j / 2].k, .m = shapes[j / 2].m};
            for (size_t l = 0; l < 64; l++)
                next[l] = INFINITY;
            for (double n = 6e5; n >= 16.0; n /= few_cases() ? 1.3 : 1.05) {
                struct rcm_exact_contender of[RCM_EXACT_MOST];
                p.n = (uint64_t)n;
                const size_t found =
                    p.n > p.k ? rcm_exact_contenders(device, &dtype, RCM_TIES_ANY, p, of) : 0;
                for (size_t l = 0; l < found; l++) {
                    size_t row = 0;
                    while (rcm_provider(row) != of[l].provider)
                        row++;
                    ck_assert_uint_lt(row, 64);
                    ck_assert_msg(of[l].time.time_us <= next[row],
                                  "%s on %s, " TOPK_FMT ": %g us, and of a longer row %g",
                                  of[l].provider->name, device->name, TOPK_ARG(p),
                                  of[l].time.time_us, next[row]);
                    next[row] = of[l].time.time_us;
                    count++;
                    padded += of[l].padded_n > 0;
                    ck_assert(of[l].padded_n == 0 || of[l].padded_n > p.n);
                    ck_assert_msg(of[l].time.time_us >= rcm_least_us(device, dtype, p.n, p.m),
                                  "%s on %s, " TOPK_FMT ": %g us, below the floor",
                                  of[l].provider->name, device->name, TOPK_ARG(p),
                                  of[l].time.time_us);
                    ck_assert_low_end(of[l].provider->name, device, dtype, p, &of[l].time);
                }
            }
        }
    printf("%zu contenders, %zu of them of padded rows\n", count, padded);
    ck_assert(count > 10000 && padded > 200);
}
END_TEST

/* torch.topk was measured on a B200 up to 2^19 elements, and took 91 us; carried from an H200,
 * longer rows would take 82 us, but no row is padded to those. */
START_TEST(runs_of_the_card_bound_those_of_others)
{
    const enum rcm_dtype dtype = RCM_F32;
    const struct rcm_topk p = {.n = 16524, .k = 1024, .m = 1};
    struct rcm_exact_contender of[RCM_EXACT_MOST];
    const size_t count =
        rcm_exact_contenders(rcm_device_by_name("B200"), &dtype, RCM_TIES_ANY, p, of);
    size_t torch = 0;
    while (torch < count && strcmp(of[torch].provider->name, "torch.topk") != 0)
        torch++;
    ck_assert_uint_lt(torch, count);
    ck_assert_str_eq(of[torch].card, "B200");
    ck_assert_uint_le(of[torch].padded_n, 20000);
}
END_TEST

TEST_MAIN("padded", exact_of_every_profile, by_hand, low_ends_of_bands, contenders_of_every_card,
          runs_of_the_card_bound_those_of_others)
