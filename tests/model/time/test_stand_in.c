/* test_stand_in.c - stand-ins: what scales with which rate, by hand; who stands in for whom; what a
 * stand-in chooses, by the profile of its card; ties between bounds.
 *
 * Against: each factor by hand; the best choices of the card that was measured; random shapes
 * within the ties of a bound.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

#define SAME(a, b) (relative_error(a, b) <= 1e-15)

static const struct rcm_profile *profile_of(const char *device)
{
    const struct rcm_profile *q;
    for (size_t i = 0; (q = rcm_profile(i)) && strcmp(q->name, device) != 0; i++)
        ;
    return q;
}

START_TEST(what_scales)
{
    const struct rcm_profile *h100 = profile_of("H100-PCIe");
    const struct rcm_device *from = rcm_device_by_name("H100-PCIe"),
                            *b200 = rcm_device_by_name("B200");
    const struct rcm_kernel *graphcore = h100->kernel;
    struct rcm_profile q;
    ck_assert(rcm_stand_in_for(b200, NULL, graphcore, NULL, &q));
    ck_assert(q.dtype == h100->dtype && q.carried_from == h100->dtype);
    ck_assert_str_eq(q.stands_in_for, "B200");
    ck_assert(SAME(q.roof_bytes_per_s, h100->roof_bytes_per_s * 7.7 / 2.04));
    ck_assert(SAME(q.blocks_at_once, h100->blocks_at_once * 148 / 114));
    ck_assert(SAME(q.launch_us, h100->launch_us * 1.5 / 2.168));
    ck_assert(SAME(q.lines_per_us,
                   h100->lines_per_us * b200->vector_rate_per_s / from->vector_rate_per_s));
    ck_assert(SAME(q.split_element_us, h100->split_element_us * 114 / 148));
    /* latency stays */
    ck_assert(q.element_us_1 == h100->element_us_1 && q.insert_us == h100->insert_us &&
              q.merge_us == h100->merge_us && q.select_launch_us == h100->select_launch_us &&
              q.select_element_us == h100->select_element_us &&
              q.select_batch_us == h100->select_batch_us && q.cache_bytes == h100->cache_bytes &&
              q.block_us == h100->block_us);
    /* a wider type: its candidates take more passes, and its bytes follow from the type */
    const enum rcm_dtype f32 = RCM_F32;
    ck_assert(rcm_stand_in_for(b200, NULL, graphcore, &f32, &q));
    ck_assert(SAME(q.select_element_us, 2.0 * h100->select_element_us));
    ck_assert(SAME(q.select_batch_us, 2.0 * h100->select_batch_us));
    /* what is not known of both stays: an H200 has no measured launch */
    ck_assert(rcm_stand_in_for(rcm_device_by_name("H200"), NULL, graphcore, NULL, &q));
    ck_assert(q.launch_us == h100->launch_us);
    /* to the card itself nothing changes but the errors */
    ck_assert(rcm_stand_in_for(from, h100, NULL, NULL, &q));
    const struct rcm_topk p = {.n = 131072, .k = 2048, .b = 6144, .k_b = 2, .m = 32};
    ck_assert(rcm_predict(&q, p).time_us == rcm_predict(h100, p).time_us);
    ck_assert(rcm_predict(&q, p).high_us > rcm_predict(h100, p).high_us);
    /* rates of one's own */
    const struct rcm_device twice = {.name = "twice", .bandwidth_bytes_per_s = 2 * 2.04e12};
    ck_assert(rcm_stand_in_for(&twice, NULL, NULL, NULL, &q));
    ck_assert(SAME(q.roof_bytes_per_s, 2.0 * h100->roof_bytes_per_s) &&
              q.blocks_at_once == h100->blocks_at_once);
}
END_TEST

START_TEST(who_stands_in)
{
    struct rcm_profile q;
    const struct rcm_device *d;
    for (size_t i = 0; (d = rcm_device(i)); i++) {
        const struct rcm_kernel *ours = rcm_kernel_by_name("ours");
        const bool cuda = rcm_runs_cuda(d), tpu = strncmp(d->name, "TPU", 3) == 0;
        ck_assert(rcm_stand_in_for(d, NULL, NULL, NULL, &q));
        ck_assert_str_eq(q.name, cuda ? "H200" : tpu ? "TPUv5e" : "H100-PCIe");
        ck_assert(q.kernel != ours || q.own_band);
        ck_assert(rcm_stand_in_for(d, NULL, rcm_kernel(0), NULL, &q));
        ck_assert(rcm_stand_in_for(d, NULL, rcm_kernel_by_name("graphcore-block"), NULL, &q));
        ck_assert_str_eq(q.kernel->name, "graphcore-block");
        ck_assert(rcm_stand_in_for(d, NULL, rcm_kernel_by_name("drtopk"), NULL, &q));
        ck_assert_str_eq(q.name, "V100S");
        ck_assert(rcm_stand_in_for(d, NULL, ours, NULL, &q) == cuda);
        /* of the width of the type */
        static const enum rcm_dtype types[] = {RCM_F32, RCM_F16, RCM_BF16};
        for (size_t j = 0; cuda && j < 3; j++) {
            ck_assert(rcm_stand_in_for(d, NULL, ours, &types[j], &q));
            ck_assert(q.kernel == ours && q.dtype == types[j]);
            ck_assert(rcm_dtype_bytes(q.carried_from) == rcm_dtype_bytes(types[j]));
        }
    }
    const struct rcm_device nothing = {.name = "nothing"};
    ck_assert(!rcm_stand_in_for(&nothing, NULL, NULL, NULL, &q));
    const struct rcm_stand_in *row;
    size_t rows = 0;
    for (; (row = rcm_stand_in(rows)); rows++) {
        ck_assert(profile_of(row->profile) && rcm_device_by_name(row->profile));
        ck_assert(row->low_ratio > 0.0 && row->low_ratio < 1.0 && row->high_ratio > 1.0);
        ck_assert(*row->why && *row->measured);
    }
    ck_assert_uint_eq(rows, 3);
}
END_TEST

/* The questions of the tables: n, k, m, target. */
static const struct {
    uint64_t n, k, m;
    double loss;
} questions[] = {{128256, 50, 256, 0.01}, {131072, 2048, 32, 0.05}, {1000000, 100, 16, 0.01},
                 {32768, 512, 64, 0.05},  {8192, 256, 256, 0.05},   {262144, 1024, 8, 0.05},
                 {1048576, 64, 1, 0.01},  {65536, 1024, 128, 0.05}, {128256, 256, 1, 0.05},
                 {202048, 64, 128, 0.01}, {4194304, 1024, 1, 0.01}, {16384, 128, 16, 0.1}};
#define QUESTIONS (sizeof questions / sizeof *questions)

static struct rcm_selection question_to(size_t i, const struct rcm_profile *q)
{
    return (struct rcm_selection){
        .p = {.n = questions[i].n, .k = questions[i].k, .m = questions[i].m},
        .target = {.loss = questions[i].loss, .align = 1},
        .k_b_max = 4,
        .kernel = q->kernel,
        .objective = rcm_objective_by_name("time"),
        .machine = {.profile = q}};
}

/* A stand-in's choice, timed by the profile that it was carried from: no choice for a card with
 * half to four times the memory rate takes more than 1.5 times the best of that card, where the
 * least bound took up to 16 times. Of slower cards it is meant to be another one. */
START_TEST(choices_do_no_harm)
{
    const struct rcm_profile *h100 = profile_of("H100-PCIe");
    double worst = 1.0, sum = 0.0;
    unsigned count = 0;
    const struct rcm_device *d;
    for (size_t i = 0; (d = rcm_device(i)); i++) {
        struct rcm_profile q;
        if (strncmp(d->name, "TPU", 3) == 0)
            continue;
        ck_assert(rcm_stand_in_for(d, NULL, h100->kernel, NULL, &q));
        const double rate = d->bandwidth_bytes_per_s / 2.04e12;
        if (rate < 0.5 || rate > 4.0)
            continue;
        for (size_t j = 0; j < QUESTIONS; j++) {
            const struct rcm_selection s = question_to(j, &q), own = question_to(j, h100);
            const struct rcm_point chosen = rcm_best_buckets(&s), best = rcm_best_buckets(&own);
            ck_assert(chosen.objective < INFINITY);
            const double regret = rcm_predict(h100, chosen.p).time_us / best.objective;
            ck_assert_msg(regret <= 1.5, "%s, n %" PRIu64 ": %g times the best", d->name,
                          questions[j].n, regret);
            worst = fmax(worst, regret);
            sum += regret;
            count++;
        }
    }
    printf("%u choices of stand-ins, by the profile of the H100 PCIe: %.3f times the best in the "
           "mean, %.3f at most\n",
           count, sum / count, worst);
    ck_assert_uint_ge(count, 16 * QUESTIONS);
}
END_TEST

/* By the roofline: the bound is within 5 % of the least, and no other such shape is
 * faster by the stand-in. Random shapes are tried. */
START_TEST(ties_between_bounds)
{
    uint64_t state = 26;
    for (size_t i = 0; rcm_device(i); i += 4) {
        const struct rcm_device *d = rcm_device(i);
        const struct rcm_objective *roofline = rcm_objective_by_name("roofline");
        struct rcm_profile q;
        const enum rcm_dtype dtype = RCM_F32;
        ck_assert(rcm_stand_in_for(d, NULL, NULL, &dtype, &q));
        for (size_t j = 0; j < QUESTIONS; j++) {
            struct rcm_selection s = question_to(j, &q);
            s.kernel = NULL;
            s.objective = roofline;
            s.machine = (struct rcm_machine){.device = d, .dtype = dtype};
            struct rcm_point each[4];
            const struct rcm_choice c = rcm_select_each(&s, each);
            double least = INFINITY;
            for (struct rcm_topk p = (s.p.k_b = 1, s.p); p.k_b <= 4; p.k_b++) {
                p.b = rcm_smallest_b(p, s.target);
                if (p.b)
                    least = fmin(least, roofline->bucketed(roofline, &s.machine, p));
            }
            ck_assert(c.objective >= least && c.objective <= 1.05 * least);
            ck_assert(SAME(c.objective, roofline->bucketed(roofline, &s.machine, c.p)));
            const double fastest = rcm_predict(&q, c.p).time_us;
            for (unsigned tries = 0; tries < 200; tries++) {
                struct rcm_topk p = s.p;
                p.k_b = random_between(&state, 1, 4);
                p.b = random_scale(&state, 2, p.n / p.k_b);
                if (rcm_check_deployable(p) != RCM_OK || !rcm_reaches(p, s.target) ||
                    rcm_buckets_of(p).of[0].size <= p.k_b ||
                    roofline->bucketed(roofline, &s.machine, p) > 1.05 * least)
                    continue;
                ck_assert_double_ge(rcm_predict(&q, p).time_us,
                                    (1.0 - RCM_TIME_SEARCH_ERROR) * fastest);
            }
        }
    }
}
END_TEST

/* What rcm_fastest_exact finds; an empty profile where there is none. */
static struct rcm_profile fastest(const char *card, enum rcm_dtype dtype, struct rcm_topk p)
{
    struct rcm_profile q = {0};
    ck_assert_int_eq(rcm_fastest_exact(rcm_device_by_name(card), &dtype, RCM_TIES_ANY, p, &q),
                     q.name != NULL);
    return q;
}

/* The contender by a provider; NULL: there is none. */
static const struct rcm_exact_contender *by(const char *provider, const char *card,
                                            enum rcm_dtype dtype, struct rcm_topk p)
{
    static struct rcm_exact_contender of[RCM_EXACT_MOST];
    const size_t count =
        rcm_exact_contenders(rcm_device_by_name(card), &dtype, RCM_TIES_ANY, p, of);
    for (size_t i = 0; i < count; i++)
        if (strcmp(of[i].provider->name, provider) == 0)
            return &of[i];
    return NULL;
}

/* The fastest exact kernel on a card that can be called: of those measured there and carried. */
START_TEST(exact_kernels_of_a_card)
{
    const struct rcm_topk p = {.n = 131072, .k = 1024, .m = 1}, small = {.n = 131072, .k = 8},
                          tokens = {.n = 131072, .k = 16, .m = 64};
    const struct rcm_profile of_b200 = fastest("B200", RCM_F32, p), *q;
    unsigned callable = 0, faster = 0;
    ck_assert_str_eq(of_b200.name, "sglang_v2_decode_b200");
    ck_assert_str_eq(of_b200.card, "B200");
    ck_assert_ptr_null(of_b200.stands_in_for);
    for (size_t i = 0; (q = rcm_profile(i)); i++) {
        const struct rcm_prediction r = rcm_predict_exact_unpadded(q, p);
        ck_assert(q->kernel->model != RCM_TIME_EXACT || rcm_device_by_name(q->card));
        if (q->kernel->model != RCM_TIME_EXACT || strcmp(q->card, "B200") != 0 || !r.within_runs)
            continue;
        if (rcm_provider_of(q->name)->package)
            ck_assert_double_ge(r.time_us, rcm_predict_exact(&of_b200, p));
        else
            faster += r.time_us < rcm_predict_exact(&of_b200, p);
        callable += rcm_provider_of(q->name)->package != NULL;
    }
    ck_assert(callable >= 5 && faster >= 1); /* gvr is faster, and nobody can call it */
    ck_assert(by("gvr_2", "B200", RCM_F32, p)->time.time_us < rcm_predict_exact(&of_b200, p));
    /* k = 8 takes at most what k = 512 does, with which the runs begin */
    ck_assert_str_eq(fastest("B200", RCM_F32, small).name, "sglang_v2_decode_b200");
    const struct rcm_exact_contender *less = by("SGLang topk_v2", "B200", RCM_F32, small);
    const struct rcm_prediction begins = rcm_predict_exact_unpadded(
        &of_b200, (struct rcm_topk){.n = 131072, .k = (uint64_t)of_b200.k_low, .m = 1});
    ck_assert(less->at_most && less->time.time_us == begins.time_us);
    ck_assert(SAME(less->time.low_us, RCM_BEYOND_LOW_RATIO * begins.low_us) &&
              less->time.high_us == begins.high_us);
    ck_assert(!by("SGLang topk_v2", "B200", RCM_F32, p)->at_most);
    /* ours on every card with CUDA of 7.5 and later; without CUDA or on Volta nothing */
    const struct rcm_profile l4 = fastest("L4", RCM_F32, p);
    ck_assert_str_eq(l4.name, "recallmodel_h200_f32");
    ck_assert_str_eq(l4.stands_in_for, "L4");
    ck_assert(l4.held_out_exact_p05_ratio == 0.41 && l4.held_out_exact_p95_ratio == 2.15);
    ck_assert_ptr_null(by("SGLang topk_v2", "L4", RCM_F32, p));
    ck_assert_ptr_null(fastest("V100S", RCM_F32, p).name);
    ck_assert_ptr_null(fastest("MI300X", RCM_F32, p).name);
    /* of types as wide as that of the question alone */
    ck_assert_int_eq(fastest("RTX-4080-SUPER", RCM_F32, tokens).dtype, RCM_F32);
    ck_assert_int_eq(fastest("RTX-4080-SUPER", RCM_BF16, tokens).dtype, RCM_F16);
    ck_assert_str_eq(fastest("B200", RCM_F16, p).name, "recallmodel_h200_f16");
    ck_assert_ptr_null(by("flashinfer.top_k", "B200", RCM_F16, p));
}
END_TEST

/* Between cards of one architecture: what scales, by hand; the band; and which cards get one. */
START_TEST(exact_kernels_carried)
{
    const struct rcm_device *from = rcm_device_by_name("H200"),
                            *to = rcm_device_by_name("H100-PCIe");
    const struct rcm_profile made = {.kernel = rcm_kernel_by_name("exact"),
                                     .name = "made",
                                     .card = "H200",
                                     .launch_us = 2.0,
                                     .roof_bytes_per_s = 3e12,
                                     .rows_at_once = 132.0,
                                     .row_us = 1.0,
                                     .row_element_us = 1e-4};
    const struct rcm_profile q = rcm_carry_exact(&made, from, to);
    ck_assert(SAME(q.roof_bytes_per_s, 3e12 * 2.04 / 4.8) && SAME(q.rows_at_once, 114.0));
    ck_assert(q.launch_us == 2.0 && q.row_us == 1.0 && q.row_element_us == 1e-4);
    ck_assert_str_eq(q.stands_in_for, "H100-PCIe");
    ck_assert(q.held_out_exact_p05_ratio == rcm_exact_carried(0)->low_ratio &&
              q.held_out_exact_p95_ratio == rcm_exact_carried(0)->high_ratio);
    /* another architecture with CUDA: the widest band; another maker's: none */
    const struct rcm_profile far = rcm_carry_exact(&made, from, rcm_device_by_name("B200")),
                             amd = rcm_carry_exact(&made, from, rcm_device_by_name("MI300X"));
    ck_assert(far.held_out_exact_p05_ratio == 0.41 && far.held_out_exact_p95_ratio == 2.15 &&
              SAME(far.rows_at_once, 148.0));
    ck_assert(amd.held_out_exact_p05_ratio == 0.0);

    const struct rcm_topk p = {.n = 131072, .k = 2048, .m = 64};
    struct rcm_selection compared = {.p = p, .machine = {.device = to}};
    const struct rcm_profile used = rcm_compare_exact(&compared, &made);
    ck_assert_str_eq(used.stands_in_for, "H100-PCIe");
    ck_assert(compared.exact_us == rcm_predict_exact(&q, p));
    static const char *const cards[] = {"H100-NVL", "GH200", "GB300"};
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        const struct rcm_profile found = fastest(cards[i], RCM_F32, p);
        ck_assert_str_eq(found.stands_in_for, cards[i]);
        ck_assert_str_eq(found.name, "recallmodel_h200_f32");
        /* ours crosses architectures, with the widest band; others stay within */
        const bool hopper = strcmp(cards[i], "GB300") != 0;
        ck_assert(found.held_out_exact_p05_ratio == (hopper ? 0.772 : 0.41) &&
                  found.held_out_exact_p95_ratio == (hopper ? 1.33 : 2.15));
        const struct rcm_exact_contender *sglang = by("SGLang fast_topk", cards[i], RCM_F32, p);
        ck_assert_str_eq(sglang->card, hopper ? "H100-SXM" : "B300");
        ck_assert_str_eq(sglang->profile.stands_in_for, cards[i]);
        ck_assert(sglang->profile.held_out_exact_p05_ratio == (hopper ? 0.772 : 0.823));
    }
    /* torch.topk was measured on this card, a faster one on another */
    struct rcm_profile all = {0};
    ck_assert_str_eq(fastest("H100-PCIe", RCM_F16, p).stands_in_for, "H100-PCIe");
    const struct rcm_exact_contender *torch = by("torch.topk", "H100-PCIe", RCM_F16, p);
    ck_assert_ptr_null(torch->profile.stands_in_for);
    ck_assert_str_eq(torch->profile.name, "torch_topk_h100_pcie");
    ck_assert(rcm_fastest_exact(to, NULL, RCM_TIES_ANY, p, &all));
    ck_assert_str_eq(all.stands_in_for, "H100-PCIe");
    ck_assert_double_lt(rcm_predict_exact(&all, p), torch->time.time_us);
}
END_TEST

/* The profile of buckets on a card, with a stage 1. */
static const struct rcm_profile *buckets_of(const char *card, enum rcm_dtype dtype)
{
    const struct rcm_profile *q;
    for (size_t i = 0; (q = rcm_profile(i)) && (strcmp(q->name, card) != 0 || q->dtype != dtype);
         i++)
        ;
    return q;
}

/* Our buckets, from the card on which they were measured to another: what scales, by hand; the
 * wider of both bands, and wider yet beyond the runs; between architectures the widest that any
 * kernel showed; without CUDA none. */
START_TEST(buckets_carried)
{
    const struct rcm_device *from = rcm_device_by_name("H200"),
                            *to = rcm_device_by_name("H100-SXM"),
                            *smaller = rcm_device_by_name("H100-PCIe");
    const struct rcm_exact_carried *hopper = rcm_exact_carried(0);
    const struct rcm_profile *h200 = buckets_of("H200", RCM_F32);
    const struct rcm_profile q = rcm_carry_buckets(h200, from, to);
    ck_assert_str_eq(q.stands_in_for, "H100-SXM");
    ck_assert(q.kernel == h200->kernel && q.dtype == h200->dtype && q.carried_from == h200->dtype);
    /* 3.7e12 bytes/s of lines are less than the memory has: they wait for it */
    ck_assert(128e6 * h200->lines_per_us < 4.8e12);
    ck_assert(SAME(q.lines_per_us, h200->lines_per_us * 3.35 / 4.8) &&
              SAME(q.roof_bytes_per_s, h200->roof_bytes_per_s * 3.35 / 4.8));
    struct rcm_profile fast = *h200;
    fast.lines_per_us = 4.9e12 / 128e6;
    fast = rcm_carry_buckets(&fast, from, smaller);
    ck_assert(SAME(fast.lines_per_us,
                   4.9e12 / 128e6 * smaller->vector_rate_per_s / from->vector_rate_per_s) &&
              SAME(fast.blocks_at_once, h200->blocks_at_once * 114 / 132));
    ck_assert(q.launch_us == h200->launch_us && q.merge_us == h200->merge_us &&
              q.element_us_4 == h200->element_us_4 && q.blocks_at_once == h200->blocks_at_once &&
              q.select_launch_us == h200->select_launch_us &&
              q.contiguous_ratio == h200->contiguous_ratio);

    const struct rcm_topk p = {.n = 262144, .k = 2048, .b = 4096, .k_b = 1, .m = 256},
                          small = {.n = 4096, .k = 64, .b = 256, .k_b = 2, .m = 1},
                          beyond = {.n = 262144, .k = 32768, .b = 32768, .k_b = 1, .m = 128};
    const struct rcm_prediction r = rcm_predict(&q, p), own = rcm_predict(h200, p);
    ck_assert(r.time_us > 1.2 * own.time_us && r.time_us < 4.8 / 3.35 * own.time_us);
    ck_assert(r.within_runs && SAME(r.low_us, r.time_us * h200->held_out_p05_ratio) &&
              SAME(r.high_us, r.time_us * h200->held_out_p95_ratio));
    ck_assert(rcm_predict(&q, small).time_us < 1.01 * rcm_predict(h200, small).time_us);
    const struct rcm_prediction far = rcm_predict(&q, beyond);
    const double least = rcm_least_us(to, RCM_F32, beyond.n, beyond.m);
    ck_assert(!far.within_runs && least > far.time_us * RCM_BEYOND_LOW_RATIO &&
              far.low_us == least && SAME(far.high_us, far.time_us * RCM_BEYOND_HIGH_RATIO));
    const struct rcm_prediction few =
        rcm_predict(&q, (struct rcm_topk){.n = 262144, .k = 32768, .b = 32768, .k_b = 1, .m = 1});
    ck_assert(!few.within_runs && SAME(few.low_us, few.time_us * RCM_BEYOND_LOW_RATIO));

    struct rcm_profile close = *h200;
    close.held_out_p05_ratio = 0.9;
    close.held_out_p95_ratio = 1.1;
    close = rcm_carry_buckets(&close, from, to);
    ck_assert(close.held_out_p05_ratio == hopper->low_ratio &&
              close.held_out_p95_ratio == hopper->high_ratio);
    /* not known: the errors of the fit, or how far it carries */
    close.held_out_p95_ratio = 0.0;
    ck_assert(isnan(rcm_predict(&close, p).low_us));
    close = rcm_carry_buckets(&close, from, to);
    ck_assert(isnan(rcm_predict(&close, p).low_us) && isnan(rcm_predict(&close, p).high_us));
    const struct rcm_profile b200 = rcm_carry_buckets(h200, from, rcm_device_by_name("B200"));
    const struct rcm_profile amd = rcm_carry_buckets(h200, from, rcm_device_by_name("MI300X"));
    const struct rcm_prediction there = rcm_predict(&b200, p);
    ck_assert(there.time_us < own.time_us && isnan(rcm_predict(&amd, p).high_us));
    ck_assert(SAME(there.low_us, there.time_us * fmin(0.41, h200->held_out_p05_ratio)) &&
              SAME(there.high_us, there.time_us * fmax(2.15, h200->held_out_p95_ratio)));
}
END_TEST

/* The quirk of the A10G, and each shape that just does not meet it. */
START_TEST(quirks)
{
    const struct rcm_device *a10g = rcm_device_by_name("A10G");
    const struct rcm_topk meets = {.n = 65536, .k = 1024, .b = 1024, .k_b = 1, .m = 32};
    ck_assert_ptr_eq(rcm_quirk_of(a10g, meets), rcm_quirk(0));
    ck_assert_ptr_null(rcm_quirk_of(rcm_device_by_name("RTX-3090"), meets));
    static const struct rcm_topk others[] = {
        {.n = 65537, .k = 1024, .b = 1024, .k_b = 1}, {.n = 65536, .k = 1024, .b = 1032, .k_b = 1},
        {.n = 65536, .k = 1024, .b = 1024, .k_b = 2}, {.n = 65536, .k = 1024, .b = 9376, .k_b = 1},
        {.n = 4080, .k = 100, .b = 160, .k_b = 1},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_msg(!rcm_quirk_of(a10g, others[i]), TOPK_FMT, TOPK_ARG(others[i]));
}
END_TEST

TEST_MAIN("stand-ins", what_scales, who_stands_in, choices_do_no_harm, ties_between_bounds,
          exact_kernels_of_a_card, exact_kernels_carried, buckets_carried, quirks)
