/* select_text.c - select: the answer in words, with the best of each k_b and the call.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
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

#define LINES_MOST 24 /* of the whole answer, without --verbose */
#define SHOWN_MOST 4  /* rows of the table of each k_b among them */

/* ---- the lines above the table; each function returns how many it printed */

/* The reason as a sentence. */
static unsigned print_reason(const struct selection_answer *answer)
{
    char reason[500];
    selection_reason(reason, sizeof reason, answer);
    if (reason[0] != 'b') /* the letter of the shape stays small */
        reason[0] = (char)toupper((unsigned char)reason[0]);
    return print_wrapped("%s.", reason);
}

/* The recall of the best buckets. If the answer is another one, the line names the buckets. */
static unsigned print_recall(const struct selection_answer *answer)
{
    char name[64], share[40], rows[100];
    const struct selection_shape *shape = selection_chosen(answer);
    const double rest = selection_quantile_rest(answer->settings);
    format_rows(share, sizeof share, rest);
    selection_format_shape(name, sizeof name, shape->p);
    if (isnan(shape->row_recall))
        snprintf(rows, sizeof rows, "the recall of single rows is not known");
    else
        snprintf(rows, sizeof rows, "%s reach %s", rest == 0.05 ? "19 of 20 rows" : share,
                 shape->row_text);
    if (answer->choice.deploy == RCM_DEPLOY_BUCKETED)
        return print_wrapped("  recall      %s in the mean, sd %.2g; %s", shape->recall_text,
                             shape->sd, rows);
    return print_wrapped("  buckets     %s: recall %s in the mean, sd %.2g; %s", name,
                         shape->recall_text, shape->sd, rows);
}

/* What the lost elements weigh. */
static unsigned print_lost_mass(const struct selection_answer *answer)
{
    char rows[60], row[140] = "";
    const double rest = selection_quantile_rest(answer->settings);
    if (answer->query->weights.weights.k == 0)
        return 0;
    struct mass_law law = selection_lost_mass(answer);
    const double quantile = mass_law_quantile(&law, rest);
    format_rows(rows, sizeof rows, rest);
    if (!isnan(quantile))
        snprintf(row, sizeof row, ", sd %.2g; %s lose at most %.2g", law.sd,
                 rest == 0.05 ? "19 of 20 rows" : rows, quantile);
    mass_law_free(&law);
    return print_wrapped("  lost mass   %.3g on average%s", law.mean, row) +
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

/* What a time is of: "cpu-epyc-zen4, f32, 2 threads, warm rows". */
static void format_profile(char *text, size_t size, const struct selection_answer *answer)
{
    const struct rcm_profile *profile = answer->asked.machine.profile;
    char threads[40] = "";
    if (profile->threads > 1.0)
        snprintf(threads, sizeof threads, ", %.0f threads", profile->threads);
    /* a CPU's runs are repeated on the same rows; cold ones take longer: bench --cache cold */
    snprintf(text, size, "%s, %s%s%s", profile->name, rcm_dtype_name(answer->asked.machine.dtype),
             threads, selection_is_cpu(answer) ? ", warm rows" : "");
}

static unsigned print_time(const struct selection_answer *answer)
{
    const struct rcm_profile *profile = answer->asked.machine.profile;
    if (!profile || answer->settings->d)
        return 0;
    char us[40], low[40], high[40], of[120];
    format_profile(of, sizeof of, answer);
    const struct selection_shape *shape = selection_chosen(answer);
    const struct rcm_prediction r = shape->prediction;
    const bool contiguous = shape->p.assignment != RCM_INTERLEAVED;
    if (isnan(r.time_us))
        return print_wrapped("  time        not predicted: no run of the profile (%s) has such k_b",
                             of);
    format_us(us, sizeof us, r.time_us);
    format_us(low, sizeof low, r.low_us);
    format_us(high, sizeof high, r.high_us);
    unsigned lines =
        answer->decided.count ? 0
        : isnan(r.low_us)
            ? print_wrapped("  time        %s predicted (%s); its error is not known", us, of)
        : profile->stands_in_for
            ? print_wrapped("  time        %s predicted (%s); %s to %s by 9 in 10 times where "
                            "profiles were carried to other cards",
                            us, of, low, high)
            : print_wrapped(
                  "  time        %s predicted (%s); %s to %s by 9 in 10 %s", us, of, low, high,
                  !r.within_runs                                  ? "errors beyond the runs"
                  : contiguous && profile->contiguous_count > 0.0 ? "runs of contiguous buckets"
                                                                  : "held-out errors");
    if (!r.within_runs && profile->stands_in_for)
        lines += print_wrapped(
            "  beyond      the runs of the profile in %s; the error may be larger", shape->beyond);
    else if (!r.within_runs && answer->decided.count)
        lines += print_wrapped("  beyond      the runs of the profile in %s: the time of the "
                               "buckets is the upper end of their band",
                               shape->beyond);
    if (contiguous && !rcm_profile_knows(profile, shape->p.assignment))
        lines +=
            print_wrapped("  contiguous  the time is that of interleaved buckets; contiguous ones "
                          "of 256 elements take 1.1 to 3.3 times it (docs/gpu.md, docs/cpu.md)");
    return lines;
}

/* Says so if the profile is of another kernel or type. */
static unsigned print_other_profile(const struct selection_answer *answer)
{
    const struct rcm_profile_answer a = selection_profile(answer->settings);
    if (!a.found || !(a.other_dtype || a.other_kernel))
        return 0;
    print_wrapped("  profile     of %s, %s; used for %s, %s", a.profile.kernel->name,
                  rcm_dtype_name(a.profile.dtype), a.kernel->name, rcm_dtype_name(a.dtype));
    return 1;
}

/* The product with stage 1, what binds it, and stage 2. */
static unsigned print_product(const struct selection_answer *answer)
{
    char fused[40], stage2[40];
    const uint64_t d = answer->settings->d;
    if (!d || !selection_has_buckets(answer))
        return 0;
    const struct rcm_profile *profile = answer->asked.machine.profile;
    const struct selection_shape *shape = selection_chosen(answer);
    const struct rcm_product product = shape->product;
    format_us(fused, sizeof fused, product.fused_us);
    format_us(stage2, sizeof stage2,
              profile ? shape->stage2_us
                      : rcm_stage2_us(answer->asked.machine.device, answer->asked.machine.dtype,
                                      shape->p));
    return print_wrapped(
               "  fused       product and stage 1 at least %s without a launch, bound by %s%s; "
               "stage 2 %s%s%s",
               fused, strcmp(product.fused_bound, "memory") == 0 ? "" : "its ",
               strcmp(product.fused_bound, "memory") == 0   ? "memory"
               : strcmp(product.fused_bound, "vector") == 0 ? "vector operations"
                                                            : "matrix operations",
               profile ? "" : "at least ", stage2, profile ? ", predicted" : "") +
           product_print_intensity(&shape->product, answer->asked.machine.device, d);
}

/* What a roofline means. */
static unsigned print_bound(const struct selection_answer *answer)
{
    char launch[40], and[100] = ", without a launch", warm[WARM_TEXT];
    const double us = selection_least(answer, 0.0);
    if (!selection_has_buckets(answer) || !selection_is_bound(answer) || answer->settings->d)
        return 0;
    format_us(launch, sizeof launch, us);
    if (us > 0.0)
        snprintf(and, sizeof and, ", and %s, the shortest kernel measured on it", launch);
    selection_format_warm(warm, sizeof warm, answer);
    return print_wrapped("  bound       the least time that the rates of the device allow%s; "
                         "kernels take longer, so measure these buckets too%s",
                         and, warm);
}

/* Why k_b is limited, if there is no device that limits it. Of a CPU more is missing than that. */
static unsigned print_k_b_note(const struct selection_answer *answer)
{
    if (selection_is_cpu(answer) && !answer->settings->question.device.given)
        return print_wrapped("  device      none, so this counts candidates, and a CPU spends its "
                             "time elsewhere: recallmodel bench --calibrate, then --device this");
    if (answer->settings->k_b_max || answer->settings->question.device.given ||
        !selection_has_buckets(answer))
        return 0;
    return print_wrapped(
        "  k_b         at most %d: with more, stage 1 is compute-bound on most devices; "
        "--kb-max allows more",
        RCM_K_B_MAX_DEFAULT);
}

/* Where Graphcore's kernel stops to give each bucket one thread: fewer do not fill a large GPU. */
#define FEW_IN_FLIGHT 3840

/* Without a device: what the choice needs of a machine. */
static unsigned print_parallel(const struct selection_answer *answer)
{
    const struct rcm_topk p = answer->choice.p;
    const uint64_t m = p.m ? p.m : 1;
    if (answer->settings->question.device.given || !selection_has_buckets(answer) ||
        selection_is_cpu(answer))
        return 0;
    const double in_flight = (double)p.b * (double)m;
    return in_flight >= FEW_IN_FLIGHT
               ? print_wrapped("  parallel    %.6g buckets in all rows, each for a thread",
                               in_flight)
               : print_wrapped("  parallel    %.6g buckets in all rows: too few to fill a GPU; "
                               "--device chooses by time",
                               in_flight);
}

/* What runs show of the card and no rate of it tells. */
static unsigned print_quirk(const struct selection_answer *answer)
{
    const struct rcm_quirk *q = selection_quirk(answer);
    if (!q)
        return 0;
    return print_wrapped("  quirk       on %s, %s take %.2g times as long, up to %.2g, where %s "
                         "(runs of %s): %s",
                         q->card, q->kernels, q->median_ratio, q->high_ratio, q->when, q->runs,
                         q->mend);
}

/* Why: recall, time, and the other contenders. */
static unsigned print_why(const struct selection_answer *answer)
{
    unsigned lines = 0;
    const struct question *question = &answer->settings->question;
    if (selection_has_buckets(answer)) {
        lines += print_recall(answer);
        lines += print_lost_mass(answer);
        lines += rounding_print(&question->rounding, &question->weights, &answer->query->rounding,
                                rcm_loss_exact(answer->choice.p));
        lines += print_time(answer);
        lines += print_other_profile(answer);
        lines += answer->decided.count ? 0 : selection_print_floor(answer);
    }
    lines += print_parallel(answer);
    lines += print_other_cpu(&answer->settings->question.device);
    lines += print_product(answer);
    lines += print_bound(answer);
    lines += selection_print_exact(answer);
    lines += print_ties(answer);
    lines += print_quirk(answer);
    lines += selection_print_beyond(answer);
    lines += selection_print_settle(answer);
    lines += print_memory(&answer->settings->question, &answer->query->base,
                          answer->asked.machine.dtype);
    lines += selection_print_rope(answer);
    return lines + print_k_b_note(answer);
}

static unsigned lines_of(const char *text)
{
    unsigned lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* How many of the others are better: of less objective, or of the same and less k_b. */
static uint64_t rank_of_each(const struct selection_answer *answer, uint64_t i)
{
    uint64_t place = 0;
    for (uint64_t j = 0; j < answer->k_b_max; j++)
        place += answer->each[j].objective < answer->each[i].objective ||
                 (j < i && answer->each[j].objective == answer->each[i].objective);
    return place;
}

/* Prints the best shape of each k_b: all of them with --verbose; otherwise the `most` best, the
 * choice among them. */
static void print_each(const struct selection_answer *answer, uint64_t most, bool colour)
{
    struct table *table = selection_shape_table(answer);
    const uint64_t chosen = selection_has_buckets(answer) ? answer->choice.p.k_b - 1 : UINT64_MAX;
    const bool choice_is_among = chosen == UINT64_MAX || rank_of_each(answer, chosen) < most;
    for (uint64_t i = 0; i < answer->k_b_max; i++) {
        if (!(answer->each[i].objective < INFINITY))
            continue;
        if (!answer->settings->verbose && i != chosen &&
            rank_of_each(answer, i) >= most - !choice_is_among)
            continue;
        table_add(table, selection_shape(answer, &answer->each[i]), i == chosen);
    }
    if (table_rows(table)) {
        puts("\nThe best of each k_b");
        table_print(table, stdout, colour);
    }
    table_free(table);
}

/* The most rows that this table may have, so that the answer with the lines above and below it fits
 * into LINES_MOST. At most SHOWN_MOST. */
static uint64_t rows_left(unsigned above, unsigned below)
{
    const unsigned around = 4; /* a blank line, the title, two lines of heads */
    const unsigned left =
        above + below + around < LINES_MOST ? LINES_MOST - above - below - around : 0;
    return left < SHOWN_MOST ? left : SHOWN_MOST;
}

/* What the assumption of the model was worth on the rows of a real model, where the answer has room
 * for it. tests/programs/select/test_real_rows.sh counts these choices. */
static unsigned print_assumption(const struct selection_answer *answer, unsigned above,
                                 unsigned below)
{
    if (!selection_has_buckets(answer) ||
        (!answer->settings->verbose && rows_left(above + 1, below) < SHOWN_MOST))
        return 0;
    puts("  real rows   348 of 360 choices kept their recall; contiguous 0, logits 9 of 22: "
         "docs/real-rows.md");
    return 1;
}

static void print_call(const struct call *call)
{
    printf("%s%s\n", call->title, *call->text ? "" : ": cannot express this choice");
    for (const char *at = call->text; *at;) {
        const size_t length = strcspn(at, "\n");
        printf("  %.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
}

/* A kernel that no library here calls: its parameters, before the call that is shown instead. */
static void print_own_kernel(const struct selection_answer *answer, const struct call *shown)
{
    const struct rcm_topk p = answer->choice.p;
    const char *kernel = answer->asked.kernel->name;
    const struct rcm_contender *exact = selection_exact(answer);
    if (strcmp(shown->key, "exact") == 0 && exact && exact->profile && !exact->call)
        print_wrapped("%s has no call here. PyTorch's exact top-k, at another time:", exact->name);
    if (strcmp(shown->key, "pytorch") != 0 || strcmp(kernel, "any") == 0)
        return;
    print_wrapped("The kernel %s has no call here for b = %" PRIu64 ", k_b = %" PRIu64
                  ": %s buckets%s. The same buckets by other operations, at another time:",
                  kernel, p.b, p.k_b,
                  p.assignment == RCM_INTERLEAVED ? "interleaved" : "contiguous",
                  rcm_candidates(p) > p.k ? ", then the exact top-k of what they keep" : "");
}

/* What each of the others takes, as lines: the formulas do not fit into their table. */
static void print_what_others_take(const struct selection_answer *answer)
{
    const struct rcm_baseline *baseline;
    const struct rcm_rule *rule;
    struct rcm_topk p = answer->query->base;
    p.k_b = 1;
    putchar('\n');
    for (size_t i = 0; (baseline = rcm_baseline(i)); i++)
        print_wrapped("  %-20s  %s", baseline->name, baseline->rule);
    for (size_t i = 0; (rule = rcm_rule(i)); i++)
        if (rule->applies(p))
            print_wrapped("  %-20s  %s", rule->name, rule->formula);
}

static void print_more(const struct selection_answer *answer, const struct call calls[CALLS],
                       const struct call *shown, bool colour)
{
    struct table *points = selection_frontier(answer);
    print_wrapped("\nFrontier: no shape beats one of these in both recall and %s",
                  selection_is_time(answer) ? "time" : answer->asked.objective->unit);
    table_print(points, stdout, colour);
    table_free(points);
    if (!(answer->settings->budget > 0.0)) {
        struct table *others = selection_rules(answer);
        print_wrapped("\nWhat others take for this recall%s (-: they sort the whole row)",
                      answer->settings->confidence.given ? ", in the mean" : "");
        table_print(others, stdout, colour);
        table_free(others);
        print_what_others_take(answer);
    }
    for (size_t i = 0; i < CALLS; i++)
        if (&calls[i] != shown && calls[i].offered &&
            ((i != CALL_EXACT && i != CALL_C_EXACT) ||
             answer->choice.deploy != RCM_DEPLOY_BUCKETED)) {
            putchar('\n');
            print_call(&calls[i]);
        }
}

void selection_print(const struct selection_answer *answer, bool colour)
{
    struct call calls[CALLS];
    const bool threshold = answer->choice.deploy == RCM_DEPLOY_THRESHOLD;
    calls_make(calls, &answer->asked, &answer->choice, answer->settings->budget,
               selection_exact(answer));
    const struct call *shown = calls_shown(calls, &answer->asked, &answer->choice);
    unsigned above = 1; /* the question */
    above += answer->decided.count ? selection_print_contenders(answer) : print_reason(answer);
    above += print_why(answer);
    const unsigned below = 2 + threshold + (answer->settings->d ? 1U : 0U) + lines_of(shown->text);
    above += print_assumption(answer, above, below);
    /* With --d the table says what binds each k_b, and may make the answer longer. */
    const uint64_t rows = answer->settings->d ? SHOWN_MOST : rows_left(above, below);
    if (rows >= 2 || answer->settings->verbose)
        print_each(answer, rows, colour);
    else
        puts("\nThe best of each k_b: --verbose");
    if (threshold && !selection_is_cpu(answer))
        puts("\nNo library known to us has exact top-k by threshold. The next best:");
    else
        putchar('\n');
    if (answer->settings->d)
        puts("This call does not fuse the product and stage 1.");
    print_own_kernel(answer, shown);
    print_call(shown);
    if (answer->settings->verbose)
        print_more(answer, calls, shown, colour);
}
