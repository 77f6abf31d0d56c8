/* test_resonance.c - b that follow a wavelength of RoPE: which they are, what select does about
 * them, and the loss of rows with one wave against sums over the elements of a bucket.
 *
 * Against: the definition in long double, 20000 shapes; exhaustive search, 150 questions; sums over
 * the elements of a bucket.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/model/exhaustive.h>

static const double two_pi = 6.283185307179586;

static bool near(double a, double b, double relative)
{
    return fabs(a - b) <= relative * fabs(b);
}

START_TEST(wavelengths)
{
    const struct rcm_rope small = {1e5, 64, 0};
    ck_assert(near(rcm_rope_wavelength(small, 0), two_pi, 1e-15));
    ck_assert(near(rcm_rope_wavelength(small, 16), two_pi * sqrt(1e5), 1e-13));
    ck_assert(near(rcm_rope_wavelength(small, 1), 9.003883526, 1e-9)); /* by hand */
    ck_assert(isnan(rcm_rope_wavelength(small, 32)));
    const struct rcm_rope bad[] = {{1.0, 64, 0}, {0.0, 64, 0}, {NAN, 64, 0},
                                   {1e4, 63, 0}, {1e4, 0, 0},  {1e4, 1026, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert(isnan(rcm_rope_wavelength(bad[i], 0)));
        ck_assert(isnan(rcm_rope_resonance(100, 10, bad[i]).drift));
        ck_assert(!rcm_rope_resonates(100, 10, bad[i]));
    }
    ck_assert(isnan(rcm_rope_resonance(100, 101, small).drift));
    ck_assert(isnan(rcm_rope_resonance(100, 0, small).drift));
}
END_TEST

/* The definition, written out. */
static double drift_of(uint64_t n, uint64_t b, struct rcm_rope rope, uint64_t pair)
{
    const long double wavelength =
        6.283185307179586477L *
        powl((long double)rope.theta, 2.0L * (long double)pair / (long double)rope.head_dim);
    const long double turns = (long double)b / wavelength, whole = roundl(turns);
    return whole >= 1.0L ? (double)((long double)n / (long double)b * fabsl(turns - whole))
                         : INFINITY;
}

START_TEST(least_drift)
{
    const struct {
        uint64_t n, b, pair, multiple;
        bool resonates;
    } known[] = {{8192, 9, 1, 1, true},  {8192, 44, 0, 7, true},  {8192, 53, 4, 2, true},
                 {8192, 18, 1, 2, true}, {8192, 10, 1, 1, false}, {8192, 8, 1, 1, false}};
    const struct rcm_rope small = {1e5, 64, 0};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct rcm_resonance r = rcm_rope_resonance(known[i].n, known[i].b, small);
        ck_assert_msg(r.pair == known[i].pair && r.multiple == known[i].multiple &&
                          rcm_rope_resonates(known[i].n, known[i].b, small) == known[i].resonates,
                      "b %" PRIu64 ": pair %" PRIu64 ", multiple %" PRIu64 ", drift %g", known[i].b,
                      r.pair, r.multiple, r.drift);
    }
    ck_assert(rcm_rope_resonance(8192, 3, small).drift == INFINITY);

    uint64_t state = 5;
    unsigned resonating = 0;
    for (unsigned i = 0; i < 20000; i++) {
        const struct rcm_rope rope = {exp(1.0 + 13.0 * (double)(next_random(&state) % 1000) / 1e3),
                                      2 * random_scale(&state, 1, 128), 0};
        const uint64_t n = random_scale(&state, 2, 1000000), b = random_scale(&state, 1, n);
        double least = INFINITY;
        for (uint64_t pair = 0; pair < rope.head_dim / 2; pair++)
            least = fmin(least, drift_of(n, b, rope, pair));
        const struct rcm_resonance r = rcm_rope_resonance(n, b, rope);
        ck_assert_msg(r.drift == least || fabs(r.drift - least) < 1e-14 * (double)n,
                      "n %" PRIu64 " b %" PRIu64 " theta %g dim %" PRIu64 ": %.17g, want %.17g", n,
                      b, rope.theta, rope.head_dim, r.drift, least);
        resonating += rcm_rope_resonates(n, b, rope);
    }
    printf("%u of 20000 b resonate\n", resonating);
    ck_assert(resonating > 2000 && resonating < 18000);
}
END_TEST

START_TEST(drift_within_a_stretch)
{
    const struct rcm_rope small = {1e5, 64, 0};
    /* The drift of b = 9 is .4 over the row, and that of 10 and 8 above 1. Within a stretch it is
     * less in proportion, until no bucket has two elements of it. */
    struct rcm_rope within = small;
    const double eight = rcm_rope_resonance(8192, 8, small).drift,
                 ten = rcm_rope_resonance(8192, 10, small).drift;
    for (within.stretch = 16; within.stretch <= 16384; within.stretch *= 2) {
        const double part = fmin(1.0, (double)within.stretch / 8192);
        ck_assert(near(rcm_rope_resonance(8192, 8, within).drift, eight * part, 1e-12));
        ck_assert(near(rcm_rope_resonance(8192, 10, within).drift, ten * part, 1e-12));
        ck_assert(rcm_rope_resonates(8192, 9, within));
        ck_assert(rcm_rope_resonates(8192, 10, within) == (ten * part < 1.0));
    }
    ck_assert(!rcm_rope_resonates(8192, 10, small));
    /* Over a longer row the drift of 9 is above 1, but not over a stretch of it. */
    within.stretch = 0;
    ck_assert(!rcm_rope_resonates(65536, 9, within));
    within.stretch = 8192;
    ck_assert(rcm_rope_resonates(65536, 9, within));
    ck_assert(near(rcm_rope_resonance(65536, 9, within).drift,
                   rcm_rope_resonance(8192, 9, small).drift, 1e-12));
    within.stretch = 9;
    ck_assert(rcm_rope_resonance(8192, 9, within).drift == INFINITY &&
              rcm_rope_resonance(8192, 10, within).drift == INFINITY &&
              rcm_rope_resonates(8192, 8, within));
    within.stretch = 8192; /* all of the row */
    ck_assert(rcm_rope_resonance(8192, 8192, within).drift ==
              rcm_rope_resonance(8192, 8192, small).drift);
}
END_TEST

/* ---- the choice */

START_TEST(select_keeps_away)
{
    static const double targets[] = {0.2, 0.1, 0.05, 0.01};
    static const char *const objectives[] = {"candidates", "serial", "parallel"};
    uint64_t state = 31;
    unsigned moved = 0, none = 0;
    const unsigned questions = few_cases() ? 50 : 150;
    for (unsigned i = 0; i < questions; i++) {
        const uint64_t n = random_scale(&state, 64, 2048);
        struct rcm_selection s = {.p = {.n = n, .k = random_scale(&state, 1, n / 8)},
                                  .target = {.loss = targets[next_random(&state) % 4],
                                             .align = i % 5 == 0 ? 2 : 1,
                                             .divisors = i % 7 == 0},
                                  .k_b_max = random_scale(&state, 1, 20),
                                  .objective = rcm_objective_by_name(objectives[i % 3]),
                                  .kernel = rcm_kernel(0),
                                  .rope = {i % 2 ? 1e4 : 1e5, i % 4 ? 64 : 16, 0}};
        if (i % 3 == 0)
            s.rope.stretch = random_scale(&state, 1, n);
        s.k_b_max = s.k_b_max < s.p.k ? s.k_b_max : s.p.k;
        struct rcm_selection without = s;
        without.rope.theta = 0.0;
        const struct rcm_choice got = rcm_select(&s), plain = rcm_select(&without);
        struct rcm_point want = exhaustive(&s);
        if (!(want.objective < INFINITY)) { /* nothing is free */
            want = (struct rcm_point){plain.p, plain.objective};
            none++;
        }
        ck_assert_msg(
            got.objective == want.objective &&
                (got.objective == INFINITY || (got.p.b == want.p.b && got.p.k_b == want.p.k_b)),
            "n %" PRIu64 " k %" PRIu64 ": got %g at b %" PRIu64 " k_b %" PRIu64
            ", want %g at b %" PRIu64 " k_b %" PRIu64,
            s.p.n, s.p.k, got.objective, got.p.b, got.p.k_b, want.objective, want.p.b, want.p.k_b);
        ck_assert(got.exact_objective == plain.exact_objective); /* exact top-k still competes */
        moved += got.objective < INFINITY && (got.p.b != plain.p.b || got.p.k_b != plain.p.k_b);
        const double budget = got.objective;
        if (budget < INFINITY && !rcm_rope_resonates(n, got.p.b, s.rope)) {
            const struct rcm_choice most = rcm_best_recall(&s, budget, NULL);
            ck_assert(most.objective <= budget || most.deploy == RCM_DEPLOY_EXACT);
            ck_assert(rcm_loss_exact(most.p) <= rcm_loss_exact(got.p));
        }
    }
    printf("of %u choices %u moved, and for %u no b was free\n", questions, moved, none);
    ck_assert_uint_gt(moved, questions / 5);
    ck_assert_uint_gt(none, questions / 15);
}
END_TEST

/* Runs of the row do not resonate; a budget and a confidence keep away, too; and a search among
 * many b that all resonate ends. */
START_TEST(select_at_the_edges)
{
    struct rcm_selection s = {
        .p = {.n = 8192, .k = 128}, .target = {.loss = 0.05}, .k_b_max = 16, .rope = {1e5, 64, 0}};
    ck_assert_uint_eq(rcm_best_buckets(&s).p.b, 10);
    s.p.assignment = RCM_CONTIGUOUS;
    ck_assert_uint_eq(rcm_best_buckets(&s).p.b, 9);
    s.p.assignment = RCM_INTERLEAVED;
    s.rope.stretch = 64; /* b = 10 resonates, too */
    ck_assert_uint_ne(rcm_best_buckets(&s).p.b, 10);
    ck_assert(!rcm_rope_resonates(8192, rcm_best_buckets(&s).p.b, s.rope));
    s.rope.stretch = 0;
    s.rope.theta = 0.0;
    ck_assert_uint_eq(rcm_best_buckets(&s).p.b, 9);
    ck_assert_uint_eq(rcm_best_recall(&s, 145.0, NULL).p.b, 9);
    s.rope.theta = 1e5;
    const struct rcm_choice most = rcm_best_recall(&s, 145.0, NULL);
    ck_assert(most.objective <= 145.0 && !rcm_rope_resonates(8192, most.p.b, s.rope));
    s.confidence = 0.9;
    s.most_lost = 10;
    ck_assert(!rcm_rope_resonates(8192, rcm_best_buckets(&s).p.b, s.rope));

    struct rcm_selection divisors = {.p = {.n = 8190, .k = 128}, /* 9 divides it */
                                     .target = {.loss = 0.05, .divisors = true},
                                     .k_b_max = 16};
    ck_assert_uint_eq(rcm_best_buckets(&divisors).p.b, 9);
    divisors.rope = s.rope;
    const uint64_t other = rcm_best_buckets(&divisors).p.b;
    ck_assert(8190 % other == 0 && !rcm_rope_resonates(8190, other, s.rope));

    struct rcm_selection large = {.p = {.n = UINT64_C(1) << 40, .k = UINT64_C(1) << 38},
                                  .target = {.loss = 0.3},
                                  .k_b_max = 1,
                                  .rope = {1e6, 128, 0}};
    const double before = cpu_seconds();
    ck_assert(rcm_best_buckets(&large).objective < INFINITY);
    /* Every b between half of the stretch and the stretch resonates; what is above it is free. */
    const struct rcm_selection within = {.p = {.n = 1000000, .k = 20000},
                                         .target = {.loss = 0.15},
                                         .k_b_max = 1,
                                         .rope = {1e5, 64, 100000}};
    ck_assert_uint_eq(rcm_best_buckets(&within).p.b, 100000);
    ck_assert_msg(cpu_seconds() - before < 5.0, "%.1f s", cpu_seconds() - before);
}
END_TEST

/* ---- the loss of one wave */

static double log_choose(double n, double k)
{
    return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0);
}

/* The probability that an element at this phase is above the threshold, for cosines of amplitude
 * a, noise s. */
static double above(double t, double a, double s, double phase)
{
    return 0.5 * erfc((t - a * cos(phase)) / s / sqrt(2.0));
}

static double threshold_of(double share, double a, double s)
{
    double low = -20.0, high = 20.0;
    for (int step = 0; step < 60; step++) {
        double middle = 0.5 * (low + high), sum = 0.0;
        for (int i = 0; i < 3000; i++)
            sum += above(middle, a, s, two_pi * i / 3000.0);
        if (sum > share * 3000.0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* docs/real-data.md, element by element. Only for b that divides n. */
static double loss_by_elements(struct rcm_topk p, struct rcm_wave wave)
{
    enum { PHASES = 240 };
    const double a = sqrt(2.0 * wave.share), s = sqrt(1.0 - wave.share), n = (double)p.n,
                 k = (double)p.k, t = threshold_of(k / n, a, s);
    double lost = 0.0, squares = 0.0;
    for (int i = 0; i < 3000; i++)
        squares += pow(above(t, a, s, two_pi * i / 3000.0), 2.0) / 3000.0;
    for (int phase = 0; phase < PHASES; phase++) {
        double mean = 0.0, square = 0.0, all = 0.0, over = 0.0;
        for (uint64_t j = 0; j < p.n; j += p.b) {
            const double at =
                above(t, a, s, two_pi * (phase / (double)PHASES + (double)j / wave.wavelength));
            mean += at;
            square += at * at;
        }
        const double in = square / mean, out = (n * squares - square) / (k - mean),
                     inside = mean / in, outside = (k - mean) / out,
                     log_odds = log(in * (1.0 - out) / (out * (1.0 - in)));
        for (double x = ceil(fmax(0.0, k - outside)); x < fmin(k, inside) + 1.0; x++) {
            const double term = exp(log_choose(inside, x) + log_choose(outside, k - x) -
                                    log_choose(inside + outside, k) + (x - mean) * log_odds);
            all += term;
            over += term * fmax(0.0, x - (double)p.k_b);
        }
        lost += over / all / PHASES;
    }
    return lost * (double)p.b / k;
}

START_TEST(loss_of_a_wave)
{
    const struct {
        struct rcm_topk p;
        struct rcm_wave wave;
    } cases[] = {
        {{.n = 8190, .k = 128, .b = 9, .k_b = 16}, {9.003883526, 0.4}},
        {{.n = 8190, .k = 128, .b = 18, .k_b = 12}, {9.003883526, 0.4}},
        {{.n = 8190, .k = 128, .b = 9, .k_b = 16}, {9.01, 0.6}},
        {{.n = 4096, .k = 256, .b = 64, .k_b = 6}, {6.4, 0.9}},
        {{.n = 4096, .k = 64, .b = 32, .k_b = 4}, {21.4, 0.5}}, /* two phases and a half */
        {{.n = 4096, .k = 1000, .b = 256, .k_b = 4}, {6.283185307, 0.2}},
        {{.n = 1024, .k = 512, .b = 128, .k_b = 5}, {9.0, 0.3}},
    };
    double worst = 0.0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double got = rcm_loss_wave(cases[i].p, cases[i].wave),
                     want = loss_by_elements(cases[i].p, cases[i].wave);
        ck_assert_msg(near(got, want, 1e-6), TOPK_FMT " wavelength %g: %.12g, want %.12g",
                      TOPK_ARG(cases[i].p), cases[i].wave.wavelength, got, want);
        worst = fmax(worst, fabs(got / want - 1.0));
    }
    printf("loss of a wave against sums over elements: largest relative difference %.1e\n", worst);
}
END_TEST

START_TEST(loss_of_a_wave_at_the_edges)
{
    uint64_t state = 17;
    for (unsigned i = 0; i < 200; i++) {
        const struct rcm_topk p = {.n = random_scale(&state, 2, 5000)};
        struct rcm_topk q = p;
        q.k = random_scale(&state, 1, p.n);
        q.b = random_scale(&state, 1, p.n);
        q.k_b = random_scale(&state, 1, 20);
        const double exact = rcm_loss_exact(q);
        ck_assert(rcm_loss_wave(q, (struct rcm_wave){9.0, 0.0}) == exact);
        ck_assert(rcm_loss_wave(q, (struct rcm_wave){1e9, 0.5}) == exact);
        const double none = rcm_loss_wave(q, (struct rcm_wave){9.0, 1e-14}),
                     some = rcm_loss_wave(q, (struct rcm_wave){9.0, 0.7});
        ck_assert_msg(fabs(none - exact) <= 1e-6 * exact + 1e-12, TOPK_FMT " %.12g, want %.12g",
                      TOPK_ARG(q), none, exact);
        ck_assert_msg(some >= 0.0 && some <= 1.0, TOPK_FMT " %.12g", TOPK_ARG(q), some);
    }
    struct rcm_topk p = {.n = 8192, .k = 128, .b = 9, .k_b = 16};
    const struct rcm_wave bad[] = {{1.0, 0.5}, {NAN, 0.5}, {9.0, -0.1}, {9.0, 0.995}, {9.0, NAN}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert(isnan(rcm_loss_wave(p, bad[i])));
    const struct rcm_wave both[] = {{9.0, 0.4}, {40.0, 0.4}};
    ck_assert(rcm_loss_waves(p, both, 2) == rcm_loss_wave(p, both[0]));
    ck_assert(rcm_loss_waves(p, both + 1, 0) == rcm_loss_exact(p));
    p.assignment = RCM_CONTIGUOUS;
    ck_assert(isnan(rcm_loss_wave(p, both[0])) && isnan(rcm_loss_waves(p, both, 2)));
}
END_TEST

TEST_MAIN("resonance", wavelengths, least_drift, drift_within_a_stretch, select_keeps_away,
          select_at_the_edges, loss_of_a_wave, loss_of_a_wave_at_the_edges)
