/* test_answer.c - the decision: which contenders there are, and which of them is the verdict.
 *
 * Against: the rule by a second formula (test_verdict.c has it by hand); the registries; answers
 * that were measured.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

/* The same rule in other words. Where an error is not known: .41 to 2.15 (plots/carried.py). */
static bool surely(const struct rcm_contender *f, const struct rcm_contender *s)
{
    const double up = isnan(f->high_us) ? 2.15 : f->high_us / f->time_us,
                 down = isnan(s->low_us) ? 1.0 / 0.41 : s->time_us / s->low_us;
    return s->time_us > f->time_us * exp(sqrt(log(up) * log(up) + log(down) * log(down)));
}

struct asked {
    struct rcm_profile_answer by;
    struct rcm_selection s;
    struct rcm_choice choice;
    struct rcm_answer answer;
};

static bool ask(struct asked *q, const struct rcm_device *device, enum rcm_dtype dtype,
                enum rcm_keeps_ties ties, struct rcm_topk p, double loss)
{
    q->by = rcm_profile_for(device, NULL, NULL, &dtype);
    q->s = (struct rcm_selection){
        .p = p,
        .target = {.loss = loss},
        .kernel = q->by.kernel,
        .objective = rcm_objective_by_name("time"),
        .ties = ties,
        .machine = {.profile = &q->by.profile, .device = device, .dtype = dtype}};
    if (!q->by.found)
        return false;
    q->choice = rcm_select(&q->s);
    rcm_answer(&q->s, &q->choice, &q->answer);
    return true;
}

/* One provider once; what can be called comes first, in order; the time is what the profile says of
 * the row, padded if it is; a lifted time is no less, and so is one of farther runs than the
 * runs of shorter rows. */
static uint64_t check_exact(const struct rcm_device *device, const enum rcm_dtype *dtype,
                            struct rcm_topk p)
{
    struct rcm_exact_contender of[RCM_EXACT_MOST];
    const size_t count = rcm_exact_contenders(device, dtype, RCM_TIES_ANY, p, of);
    uint64_t lifted = 0;
    ck_assert_uint_le(count, RCM_EXACT_MOST);
    for (size_t i = 0; i < count; i++) {
        const bool here = strcmp(of[i].card, device->name) == 0;
        ck_assert_ptr_eq(of[i].provider, rcm_provider_of(of[i].profile.name));
        ck_assert(here == !of[i].profile.stands_in_for && of[i].time.time_us > 0.0);
        ck_assert(!dtype || rcm_dtype_bytes(of[i].profile.dtype) == rcm_dtype_bytes(*dtype));
        for (size_t j = 0; j < i; j++)
            ck_assert(of[i].provider != of[j].provider);
        if (i > 0 && !of[i].provider->package == !of[i - 1].provider->package)
            ck_assert_double_ge(of[i].time.time_us, of[i - 1].time.time_us);
        else
            ck_assert(i == 0 || of[i - 1].provider->package);
        struct rcm_topk row = p;
        row.n = of[i].padded_n                      ? of[i].padded_n
                : (double)p.n < of[i].profile.n_low ? (uint64_t)ceil(of[i].profile.n_low)
                                                    : p.n;
        const double own = rcm_predict_exact(&of[i].profile, row);
        ck_assert_msg(!(own > of[i].time.time_us), "%s: %g above %g", of[i].profile.name, own,
                      of[i].time.time_us);
        ck_assert(own == of[i].time.time_us || of[i].at_most || of[i].beyond || !here);
        lifted += of[i].at_most;
    }
    return lifted;
}

static void check_answer(const struct asked *q)
{
    const struct rcm_answer *a = &q->answer;
    const struct rcm_contender *exact = NULL, *lossless = NULL, *buckets = NULL, *c;
    bool sure = true;
    if (!a->by_profile) { /* no kernel of the profile runs it, and no other is known */
        ck_assert(a->count == 1 && a->of[0].kind == RCM_CONTENDER_EXACT && a->of[0].callable);
        ck_assert(isnan(a->of[0].time_us) && a->verdict == RCM_VERDICT_EXACT);
        return;
    }
    for (size_t i = 0; i < a->count; i++)
        if (a->of[i].kind == RCM_CONTENDER_BUCKETS)
            buckets = &a->of[i];
    for (size_t i = 0; i < a->count; i++) {
        c = &a->of[i];
        ck_assert(c->time_us > 0.0 && c->time_us < INFINITY && c->name);
        ck_assert(c->objective == c->time_us);
        ck_assert(c->loss == 0.0 || c->kind == RCM_CONTENDER_BUCKETS);
        const bool takes_part = c->callable && c->loss == 0.0;
        if (takes_part && (!lossless || c->time_us < lossless->time_us))
            lossless = c;
        if (takes_part && c->kind == RCM_CONTENDER_EXACT && (!exact || c->time_us < exact->time_us))
            exact = c;
        sure = sure && !(takes_part && buckets && !surely(buckets, c));
        if (i > 1) /* in order behind the first */
            ck_assert(c->callable != c[-1].callable ? c[-1].callable : c[-1].time_us <= c->time_us);
    }
    /* buckets that lose nothing (k = 1) compete by their time alone */
    const bool pays = buckets && buckets->callable &&
                      (buckets->loss > 0.0 ? sure : buckets->time_us == lossless->time_us);
    const char *want = pays ? "buckets" : !lossless ? "none" : "exact";
    want = !pays && lossless && lossless->kind == RCM_CONTENDER_THRESHOLD ? "threshold" : want;
    ck_assert_msg(strcmp(rcm_verdict_name(a->verdict), want) == 0,
                  "%s, n %" PRIu64 " k %" PRIu64 " m %" PRIu64 ": verdict %s, want %s, deploy %s",
                  q->s.machine.device->name, q->s.p.n, q->s.p.k, q->s.p.m,
                  rcm_verdict_name(a->verdict), want, rcm_deployed(&q->choice));
    ck_assert_str_eq(rcm_deployed(&q->choice), pays                   ? "bucketed"
                                               : strcmp(want, "none") ? want
                                                                      : "exact");
    const struct rcm_contender *first = pays ? buckets : lossless;
    ck_assert(!first || (a->of[0].time_us == first->time_us && a->of[0].callable));
    ck_assert(exact ? q->choice.exact_objective == exact->time_us
                    : isnan(q->choice.exact_objective));
    ck_assert(q->choice.too_close == (exact && buckets && buckets->callable &&
                                      strcmp(want, "exact") == 0 && !surely(exact, buckets)));
}

START_TEST(all_devices)
{
    const struct rcm_device *device;
    uint64_t verdicts[4] = {0}, lifted = 0, close = 0, state = 62;
    struct asked q;
    for (size_t i = 0; (device = rcm_device(i)); i++)
        for (unsigned j = 0; j < (few_cases() ? 8 : 40); j++) {
            const enum rcm_dtype dtype = j % 2 ? RCM_F32 : RCM_F16;
            struct rcm_topk p = {.n = random_scale(&state, j ? 1 << 10 : 64, 1 << 22),
                                 .m = random_scale(&state, 1, 1024)};
            p.k = random_scale(&state, j ? 8 : 1, p.n / 2 < 4096 ? p.n / 2 : 4096);
            lifted += check_exact(device, j % 3 ? &dtype : NULL, p);
            if (!ask(&q, device, dtype, j % 5 ? RCM_TIES_ANY : (j / 5) % 3, p, j % 4 ? 0.05 : 0.01))
                continue;
            check_answer(&q);
            verdicts[q.answer.verdict]++;
            close += q.choice.too_close;
            if (strcmp(device->name, "MI300X") == 0 && q.answer.verdict == RCM_VERDICT_EXACT)
                ck_assert_str_eq(q.answer.of[0].name, "torch.topk");
            for (size_t c = 0; c < q.answer.count && strcmp(device->name, "MI300X") == 0; c++)
                ck_assert(strcmp(q.answer.of[c].name, "recallmodel") != 0 &&
                          !strstr(q.answer.of[c].name, "flashinfer"));
        }
    printf("all devices: %" PRIu64 " exact, %" PRIu64 " threshold, %" PRIu64 " buckets, %" PRIu64
           " none; %" PRIu64 " too close, %" PRIu64 " lifted\n",
           verdicts[0], verdicts[1], verdicts[2], verdicts[3], close, lifted);
    ck_assert(verdicts[0] >= 40 && verdicts[2] >= 10 && close >= 10 && lifted >= 20);
}
END_TEST

/* ---- answers that must not change unnoticed */

static struct asked answer_of(const char *card, enum rcm_dtype dtype, uint64_t n, uint64_t k,
                              uint64_t m, double loss)
{
    struct asked q;
    const struct rcm_topk p = {.n = n, .k = k, .m = m};
    ck_assert(ask(&q, rcm_device_by_name(card), dtype, RCM_TIES_ANY, p, loss) &&
              q.answer.count > 0);
    return q;
}

START_TEST(of_the_table)
{
    struct asked q = answer_of("B200", RCM_F32, 152064, 200, 64, 0.05), other;
    bool measured = false;
    for (size_t i = 0; i < q.answer.count; i++)
        measured |=
            (strstr(q.answer.of[i].name, "flashinfer") || strstr(q.answer.of[i].name, "SGLang")) &&
            q.answer.of[i].callable && q.answer.of[i].time_us < 60.0;
    ck_assert(q.answer.verdict == RCM_VERDICT_EXACT && measured);
    q = answer_of("H100-PCIe", RCM_F16, 8192, 2048, 64, 0.01);
    ck_assert(q.answer.verdict == RCM_VERDICT_EXACT && q.answer.of[0].time_us < 20.0);
    ck_assert(q.choice.objective > q.choice.exact_objective);
    q = answer_of("MI300X", RCM_F16, 131072, 2048, 64, 0.05);
    ck_assert_int_eq(q.answer.verdict, RCM_VERDICT_EXACT);
    ck_assert_str_eq(q.answer.of[0].name, "torch.topk");
    static const enum rcm_dtype dtypes[] = {RCM_F32, RCM_F16};
    for (size_t i = 0; i < 2; i++) {
        const enum rcm_dtype dtype = dtypes[i];
        q = answer_of("A100-SXM", dtype, 131072, 2048, 128, 0.05);
        other = answer_of("A100-PCIe-40GB", dtype, 131072, 2048, 128, 0.05);
        ck_assert_int_eq(q.answer.verdict, other.answer.verdict);
        q = answer_of("H100-SXM", dtype, 250000, 512, 16, 0.05);
        other = answer_of("H100-SXM", dtype, 255000, 512, 16, 0.05);
        ck_assert_str_eq(q.answer.of[0].name, other.answer.of[0].name);
        ck_assert_double_le(relative_error(q.answer.of[0].time_us, other.answer.of[0].time_us),
                            0.05);
    }
}
END_TEST

/* Every exact kernel that was measured has a row, and every row a kernel and a name of its own. */
START_TEST(providers)
{
    const struct rcm_provider *row;
    const struct rcm_profile *q;
    for (size_t i = 0; (q = rcm_profile(i)); i++)
        ck_assert_msg(q->kernel->model != RCM_TIME_EXACT || rcm_provider_of(q->name),
                      "providers[] in model/time/providers.c lacks %s", q->name);
    for (size_t i = 0; (row = rcm_provider(i)); i++) {
        ck_assert_ptr_eq(rcm_provider_of(row->kernel), row);
        ck_assert(!row->package == !row->call);
        for (size_t j = 0; j < i; j++)
            ck_assert_str_ne(rcm_provider(j)->name, row->name);
    }
    ck_assert(!rcm_provider_of("nothing") && !rcm_provider_of(NULL));
    ck_assert(rcm_runs_cuda(rcm_device_by_name("L4")) && rcm_runs_cuda(rcm_device_by_name("B300")));
    ck_assert(!rcm_runs_cuda(rcm_device_by_name("V100S")) && /* of compute capability 7.0 */
              !rcm_runs_cuda(rcm_device_by_name("MI300X")) &&
              !rcm_runs_cuda(rcm_device_by_name("TPUv5e")));
}
END_TEST

TEST_MAIN("answer", all_devices, of_the_table, providers)
