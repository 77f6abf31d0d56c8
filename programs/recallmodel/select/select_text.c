/* select_text.c - select: the answer in words. The question with all that is assumed, the decision,
 * the contenders, what an option asked for, the call, what to do next; with --verbose the rest.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <programs/common/format.h>
#include <programs/common/table.h>
#include <programs/common/wrap.h>

#include "calls.h"
#include <programs/recallmodel/question/configuration.h>
#include "selection.h"

static void print_question(const struct selection_answer *answer)
{
    char target[TARGET_TEXT], rows[60] = "", m[40] = "", d[40] = "", cpu[60] = "";
    char valid[LENGTHS_TEXT] = "";
    const struct select_settings *settings = answer->settings;
    const struct device_option *device = &settings->question.device;
    const struct rcm_topk *p = &answer->query->base;
    const struct rcm_profile *profile = answer->asked.machine.profile;
    const bool is_assumed = settings->question.targets.length == 0 &&
                            !answer->query->target.weights && !(settings->budget > 0.0);
    query_target(target, answer->query);
    if (settings->budget > 0.0)
        selection_format_value(target, sizeof target, answer, settings->budget);
    format_rows(rows, sizeof rows, decimal_complement(settings->confidence.value));
    if (p->m > 1)
        snprintf(m, sizeof m, ", m = %" PRIu64, p->m);
    lengths_text(valid, p->lengths);
    if (p->valid)
        snprintf(valid, sizeof valid, ", valid = %" PRIu64, p->valid);
    if (settings->d)
        snprintf(d, sizeof d, ", d = %" PRIu64, settings->d);
    if (profile && selection_is_cpu(answer)) /* its runs are repeated on the same rows */
        snprintf(cpu, sizeof cpu, ", %.0f thread%s, warm", fmax(profile->threads, 1.0),
                 profile->threads > 1.0 ? "s" : "");
    print_wrapped("n = %" PRIu64 ", k = %" PRIu64 "%s%s%s%s, %s%s, %s%s%s%s%s, %s%s", p->n, p->k, m,
                  valid, d, p->assignment == RCM_INTERLEAVED ? "" : ", contiguous",
                  rcm_dtype_name(answer->asked.machine.dtype),
                  settings->question.dtype.given ? "" : " (assumed)",
                  settings->budget > 0.0 ? "at most " : "", target, is_assumed ? " (assumed)" : "",
                  settings->confidence.given ? " in " : "", settings->confidence.given ? rows : "",
                  !device->given                                  ? "no device"
                  : device->here.rows && selection_is_cpu(answer) ? "this CPU"
                                                                  : device->text.device.name,
                  cpu);
}

/* ---- what an option asked for; each returns how many lines it printed */

static unsigned print_lost_mass(const struct selection_answer *answer)
{
    char rows[60], row[140] = "";
    const double rest = selection_quantile_rest(answer->settings);
    if (answer->query->weights.weights.k == 0 || !selection_has_buckets(answer))
        return 0;
    struct mass_distribution dist = selection_lost_mass(answer);
    const double quantile = mass_distribution_quantile(&dist, rest);
    format_rows(rows, sizeof rows, rest);
    if (!isnan(quantile))
        snprintf(row, sizeof row, ", sd %.2g; %s lose at most %.2g", dist.sd, rows, quantile);
    mass_distribution_free(&dist);
    const struct token_change change = selection_token_change(answer);
    return print_wrapped("  lost mass   %.3g on average%s; table: of elements", dist.mean, row) +
           token_change_print(&change) +
           weights_print(&answer->settings->question.weights, &answer->query->weights);
}

/* A faster exact kernel that takes equal elements otherwise, and what would change that. */
static unsigned print_ties(const struct selection_answer *answer)
{
    char us[40];
    struct rcm_profile found;
    const struct rcm_device *device = answer->asked.machine.device;
    if (!answer->settings->ties || !device ||
        !rcm_fastest_exact(device, &answer->asked.machine.dtype, RCM_TIES_ANY, answer->query->base,
                           &found))
        return 0;
    const struct rcm_tie_rule *rule = rcm_tie_rule_of(found.name);
    const double time = rcm_predict_exact(&found, answer->query->base);
    if (!rule || rule->ties >= answer->settings->ties || time >= answer->choice.exact_objective)
        return 0;
    format_us(us, sizeof us, time);
    return print_wrapped("  ties        %s (%s) takes %s of equal elements%s%s", found.name, us,
                         rule->ties == RCM_TIES_ANY ? "any" : "others", rule->option ? "; " : "",
                         rule->option ? rule->option : "");
}

static bool stage2_is_predicted(const struct selection_answer *answer)
{
    return answer->asked.objective->need == RCM_NEEDS_PROFILE;
}

/* A kernel that is fused with the product, what binds it, and stage 2 of what it hands on. */
static unsigned print_fused(const struct selection_answer *answer, const char *what,
                            const struct rcm_product *product, uint64_t elements, double stage2_us)
{
    char fused[40], stage2[40];
    const char *bound = product->fused_bound;
    format_us(fused, sizeof fused, product->fused_us);
    format_us(stage2, sizeof stage2, stage2_us);
    return print_wrapped("  fused       %s at least %s, bound by %s%s; stage 2 of %" PRIu64
                         " elements %s%s",
                         what, fused, bound, strcmp(bound, "memory") == 0 ? "" : " operations",
                         elements, stage2_is_predicted(answer) ? "" : "at least ", stage2);
}

/* What the product leaves to win, and the kernels that are fused with it. */
static unsigned print_product(const struct selection_answer *answer)
{
    char least[40], share[100] = ": no top-k takes less";
    const struct rcm_machine *machine = &answer->asked.machine;
    if (!machine->d)
        return 0;
    const double product_share = answer->decided.product_share;
    const struct rcm_fused_exact exact = rcm_fused_exact(&answer->asked);
    format_us(least, sizeof least, exact.product.least_us);
    if (!isnan(product_share))
        snprintf(share, sizeof share,
                 ", %.2g %% of exact top-k after it: no top-k gains more than %.3g times",
                 100.0 * product_share, 1.0 / product_share);
    unsigned lines = print_wrapped("  product     at least %s%s", least, share) +
                     print_fused(answer, "exact", &exact.product, exact.survivors, exact.stage2_us);
    if (!selection_has_buckets(answer))
        return lines;
    const struct selection_shape *shape = selection_chosen(answer);
    lines += print_fused(answer, "buckets", &shape->product, rcm_candidates(shape->p),
                         stage2_is_predicted(answer)
                             ? shape->stage2_us
                             : rcm_stage2_us(machine->device, machine->dtype, shape->p));
    return lines + product_print_intensity(&shape->product, machine->device, machine->d);
}

static unsigned print_contiguous(const struct selection_answer *answer)
{
    const struct rcm_profile *profile = answer->asked.machine.profile;
    if (answer->query->base.assignment == RCM_INTERLEAVED || !profile || answer->settings->d ||
        !selection_has_buckets(answer) ||
        rcm_profile_knows(profile, answer->query->base.assignment))
        return 0;
    return print_wrapped(
        "  contiguous  the time is that of interleaved buckets; contiguous ones of "
        "256 elements take 1.1 to 3.3 times it (docs/gpu.md, docs/cpu.md)");
}

static void print_asked(const struct selection_answer *answer)
{
    const struct question *question = &answer->settings->question;
    unsigned lines = print_lost_mass(answer);
    lines += rounding_print(&question->rounding, &question->weights, &answer->query->rounding,
                            selection_has_buckets(answer) ? &answer->choice.p : NULL);
    lines += print_product(answer);
    lines += print_contiguous(answer);
    lines += print_ties(answer);
    lines += print_other_cpu(&question->device);
    lines += selection_print_rope(answer);
    lines += print_memory(question, &answer->query->base, answer->asked.machine.dtype);
    if (lines)
        putchar('\n');
}

/* ---- the call */

static void print_lines(const char *text)
{
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, "\n");
        printf("  %.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
}

static void print_call(const struct call *call)
{
    printf("%s%s\n", call->title, *call->text ? "" : ": cannot express this choice");
    print_lines(call->text);
}

/* Where the call is not that of what is deployed: of what it is. */
static void print_instead(const struct selection_answer *answer, const struct call *shown)
{
    const struct rcm_topk p = answer->choice.p;
    const char *kernel = answer->asked.kernel->name;
    const struct rcm_contender *exact = selection_exact(answer);
    if (strcmp(shown->key, "exact") == 0 && exact && exact->profile && !exact->call)
        print_wrapped("%s has no call here. PyTorch's exact top-k, at another time:", exact->name);
    if (strcmp(shown->key, "pytorch") == 0 && strcmp(kernel, "any") != 0)
        print_wrapped("The kernel %s has no call here for b = %" PRIu64 ", k_b = %" PRIu64
                      ": %s buckets%s. The same buckets by other operations, at another time:",
                      kernel, p.b, p.k_b,
                      p.assignment == RCM_INTERLEAVED ? "interleaved" : "contiguous",
                      rcm_candidates(p) > p.k ? ", then the exact top-k of what they keep" : "");
}

static void print_shown(const struct selection_answer *answer, const struct call *call)
{
    print_instead(answer, call);
    print_call(call);
}

/* What is to be timed beside it. Of two functions of C, which have the same head, the body. */
static void print_rival(const struct selection_answer *answer, const struct call *shown,
                        const struct call *rival)
{
    const char *body = strstr(rival->text, "    const struct");
    if (strcmp(shown->key, "c_exact") == 0 && strcmp(rival->key, "c") == 0 && body) {
        puts("Buckets, in its place:");
        print_lines(body);
    } else {
        putchar('\n');
        print_shown(answer, rival);
    }
}

/* ---- --verbose */

/* What the memory of the device allows. */
static void print_floor(const struct selection_answer *answer)
{
    char floor[40], cache[80] = "";
    const struct rcm_device *device = answer->asked.machine.device;
    const struct rcm_topk p = answer->query->base;
    /* with --d no values are read */
    const double us = answer->settings->d ? 0.0 : selection_floor(answer);
    format_us(floor, sizeof floor, us);
    if (us > 0.0 &&
        (double)(p.n * p.m) * rcm_dtype_bytes(answer->asked.machine.dtype) <= device->on_chip_bytes)
        snprintf(cache, sizeof cache,
                 ", if the rows come from memory, not from its cache of %.3g MB",
                 device->on_chip_bytes / 1e6);
    if (us > 0.0)
        print_wrapped("  floor       %s: the memory of %s allows no less%s%s", floor, device->name,
                      device->shortest_kernel_us > 0.0 ? ", with a launch" : "", cache);
}

/* Of the best buckets: their recall, and what may make their time another. */
static void print_buckets(const struct selection_answer *answer)
{
    char shape[64], share[40];
    const struct selection_shape *best = selection_chosen(answer);
    const struct rcm_quirk *q = selection_quirk(answer);
    format_rows(share, sizeof share, selection_quantile_rest(answer->settings));
    selection_format_shape(shape, sizeof shape, best->p);
    print_wrapped("  buckets     %s: recall %s in the mean, sd %.2g; %s reach %s", shape,
                  best->recall_text, best->sd, share,
                  isnan(best->row_recall) ? "what is not known" : best->row_text);
    if (*best->beyond && !answer->settings->d)
        print_wrapped("  beyond      the runs of the profile in %s; the error may be larger",
                      best->beyond);
    print_floor(answer);
    if (q)
        print_wrapped("  quirk       on %s, %s take %.2g times as long, up to %.2g, where %s "
                      "(runs of %s): %s",
                      q->card, q->kernels, q->median_ratio, q->high_ratio, q->when, q->runs,
                      q->mend);
    if (!answer->settings->question.device.given && !selection_is_cpu(answer))
        print_wrapped(
            "  parallel    %.6g buckets in all rows, each for a thread; fewer than 3840 do "
            "not fill a GPU",
            (double)best->p.b * (double)best->p.m);
}

static void print_notes(const struct selection_answer *answer)
{
    char shape[64], low[40], high[40], beyond[RCM_BEYOND_TEXT];
    const struct rcm_point *other = &answer->choice.beyond;
    const struct rcm_profile *kernel = answer->asked.exact_profile;
    const struct rcm_profile_answer profile = selection_profile(answer->settings);
    putchar('\n');
    if (selection_has_buckets(answer))
        print_buckets(answer);
    if (answer->choice.threshold.objective < INFINITY)
        print_wrapped(
            "  threshold   a second read collects %.0f elements; recallmodel exact says how",
            answer->choice.reaching);
    if (other->objective < INFINITY) {
        const struct rcm_prediction r = selection_prediction(answer, other->p);
        selection_format_shape(shape, sizeof shape, other->p);
        selection_format_beyond(beyond, answer, other->p);
        format_us(low, sizeof low, r.low_us);
        format_us(high, sizeof high, r.high_us);
        print_wrapped("  beyond      %s may take %s to %s; no run of the profile has such %s",
                      shape, low, high, beyond);
    }
    if (kernel && answer->asked.exact_us > 0.0) {
        uint64_t padded_n;
        const struct rcm_prediction r =
            rcm_predict_exact_padded(kernel, answer->query->base, &padded_n);
        rcm_beyond_text(r.beyond, beyond);
        if (!r.within_runs)
            print_wrapped("  exact       %s: beyond its runs in %s, so the error may be larger",
                          kernel->name, beyond);
    }
    if (profile.found && (profile.other_dtype || profile.other_kernel) &&
        answer->asked.machine.profile->kernel == profile.profile.kernel)
        print_wrapped("  profile     of %s, %s; used for %s, %s", profile.profile.kernel->name,
                      rcm_dtype_name(profile.profile.dtype), profile.kernel->name,
                      rcm_dtype_name(profile.dtype));
}

static void print_titled(const char *title, struct table *table, bool colour)
{
    if (table_rows(table)) {
        print_wrapped("\n%s", title);
        table_print(table, stdout, colour);
    }
    table_free(table);
}

static void print_more(const struct selection_answer *answer, const struct call calls[CALLS],
                       const struct call *shown, const struct call *rival, bool colour)
{
    print_notes(answer);
    print_titled("The best of each k_b", selection_alternatives(answer), colour);
    print_titled("Frontier: no shape beats one of these in both recall and objective",
                 selection_frontier(answer), colour);
    for (size_t i = 0; i < CALLS; i++)
        if (&calls[i] != shown && &calls[i] != rival && calls[i].offered &&
            ((i != CALL_EXACT && i != CALL_C_EXACT) ||
             answer->choice.deploy != RCM_DEPLOY_BUCKETED)) {
            putchar('\n');
            print_call(&calls[i]);
        }
}

void selection_print(const struct selection_answer *answer, bool colour)
{
    char text[600];
    struct call calls[CALLS];
    const struct call *rival, *shown = selection_call(answer, calls, &rival);
    print_question(answer);
    selection_headline(text, sizeof text, answer);
    print_wrapped("%s", text);
    selection_print_contenders(answer);
    print_asked(answer);
    if (shown && answer->settings->d)
        puts("This call does not fuse the product and top-k.");
    if (shown)
        print_shown(answer, shown);
    if (rival)
        print_rival(answer, shown, rival);
    if (shown)
        putchar('\n');
    selection_next(text, sizeof text, answer);
    print_wrapped("Next: %s", text);
    if (answer->settings->verbose)
        print_more(answer, calls, shown, rival, colour);
}
