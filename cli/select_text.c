/* select_text.c - select's answer in words: what to deploy, why, the best of each k_b, the call.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "plain.h"
#include "report.h"
#include "selection.h"
#include "table.h"

#define LINES_MOST 24 /* of the whole answer, without --verbose */
#define SHOWN_MOST 4  /* rows of the table of each k_b among them */

/* ---- the reason */

/* What was asked for: "recall 0.95", "recall 0.95 in 99 % of rows". */
static void format_asked(char *text, size_t size, const struct selected *selected)
{
    char target[32];
    format_decimal(target, sizeof target, selected->query->recall_target);
    if (selected->options->has_confidence)
        snprintf(text, size, "recall %s in %.6g %% of rows", target,
                 100.0 * decimal_value(selected->options->confidence));
    else
        snprintf(text, size, "recall %s", target);
}

/* "92 operations", "950384 operations", "19.9 million operations". */
static void format_many(char *text, size_t size, double value, const char *unit)
{
    if (value < 1e6)
        snprintf(text, size, "%.0f %s", value, unit);
    else if (value < 999.5e6)
        snprintf(text, size, value < 99.95e6 ? "%.3g million %s" : "%.0f million %s", value / 1e6,
                 unit);
    else
        snprintf(text, size, value < 1e14 ? "%.3g billion %s" : "%.2e billion %s", value / 1e9,
                 unit);
}

/* A value of the objective: "71.6 us", "1840 candidates", "1.31 million operations". */
static void format_value(char *text, size_t size, const struct selected *selected, double value)
{
    const struct rcm_objective *objective = selected->asked.objective;
    if (selection_timed(selected))
        format_us(text, size, value);
    else if (strcmp(objective->name, "candidates") == 0)
        snprintf(text, size, "%.0f candidates", value);
    else
        format_many(text, size, value, objective->unit);
}

static void format_shape(char *text, size_t size, struct rcm_topk p)
{
    snprintf(text, size, "b = %" PRIu64 ", k_b = %" PRIu64, p.b, p.k_b);
}

/* "2.6 times faster than exact top-k (74 us)", by what the objective is. */
static void format_gain(char *text, size_t size, const struct selected *selected)
{
    char exact[64];
    const double gain = 1.0 / selected->choice.over_exact;
    format_value(exact, sizeof exact, selected, selected->choice.exact_objective);
    snprintf(text, size, "%s%.*f times %s than exact top-k (%s)",
             strcmp(selected->asked.objective->name, "roofline") == 0 ? "at most " : "",
             gain < 2.0     ? 2
             : gain < 100.0 ? 1
                            : 0,
             gain,
             selection_timed(selected)                                    ? "faster"
             : strcmp(selected->asked.objective->name, "candidates") == 0 ? "fewer"
                                                                          : "cheaper",
             exact);
}

/* Does the exact time lie within the error that the profile has at these buckets? */
static bool too_close(const struct selected *selected)
{
    const struct rcm_choice *c = &selected->choice;
    const struct rcm_profile *profile = selected->asked.machine.profile;
    if (!profile || strcmp(selected->asked.objective->name, "time") != 0 ||
        !selection_found(selected))
        return false;
    const struct rcm_prediction r = rcm_predict(profile, c->p);
    return r.low_us <= c->exact_objective && c->exact_objective <= r.high_us;
}

/* Where the exact time is not known. */
static void roofline_reason(char *reason, size_t size, const char *shape, const char *value)
{
    snprintf(reason, size,
             "%s: at least %s (bound, not calibrated); pays if your exact top-k of this shape "
             "takes longer than %s",
             shape, value, value);
}

static void bucketed_reason(char *reason, size_t size, const struct selected *selected)
{
    char shape[64], value[64], gain[120];
    const struct rcm_choice *c = &selected->choice;
    format_shape(shape, sizeof shape, c->p);
    format_value(value, sizeof value, selected, c->objective);
    if (isnan(c->exact_objective)) {
        roofline_reason(reason, size, shape, value);
        return;
    }
    format_gain(gain, sizeof gain, selected);
    snprintf(reason, size, "%s: %s%s, %s%s", shape, value,
             strcmp(selected->asked.objective->name, "roofline") == 0
                 ? " at least (bound, not calibrated)"
                 : "",
             gain, too_close(selected) ? "; too close to call by this profile" : "");
}

static void exact_reason(char *reason, size_t size, const struct selected *selected,
                         const char *asked)
{
    char exact[64], value[64];
    const struct rcm_choice *c = &selected->choice;
    format_value(exact, sizeof exact, selected, c->exact_objective);
    format_value(value, sizeof value, selected, c->objective);
    const char *const verb = selection_timed(selected) ? "take" : "have";
    if (selection_found(selected))
        snprintf(reason, size, "exact top-k: %s; the %s buckets that keep %s %s %s: %s", exact,
                 selection_timed(selected) ? "fastest" : "best", asked, verb, value,
                 too_close(selected)
                     ? "too close to call by this profile, and exact top-k loses nothing"
                     : "do not approximate");
    else if (isnan(c->exact_objective))
        snprintf(reason, size,
                 "no buckets with k_b up to %" PRIu64
                 " that drop any element keep %s: do not approximate",
                 selected->k_b_max, asked);
    else
        snprintf(reason, size,
                 "exact top-k: %s; no buckets with k_b up to %" PRIu64
                 " that drop any element keep %s: do not approximate",
                 exact, selected->k_b_max, asked);
}

static void threshold_reason(char *reason, size_t size, const struct selected *selected,
                             const char *asked)
{
    char shape[64], value[64], exact[64], buckets[64] = "";
    const struct rcm_choice *c = &selected->choice;
    format_shape(shape, sizeof shape, c->threshold.p);
    format_value(value, sizeof value, selected, c->threshold.objective);
    format_value(exact, sizeof exact, selected, c->exact_objective);
    format_value(buckets, sizeof buckets, selected, c->objective);
    const int length =
        snprintf(reason, size,
                 "exact top-k by threshold with %s: %s, nothing is lost, the row is read twice; "
                 "exact top-k: %s",
                 shape, value, exact);
    if (selection_found(selected) && length > 0 && (size_t)length < size)
        snprintf(reason + length, size - (size_t)length, "; the best buckets that keep %s: %s",
                 asked, buckets);
}

static void budget_reason(char *reason, size_t size, const struct selected *selected)
{
    char shape[64], value[64], budget[64], recall[40];
    const struct rcm_choice *c = &selected->choice;
    const bool threshold = c->deploy == RCM_DEPLOY_THRESHOLD;
    format_value(budget, sizeof budget, selected, selected->options->budget);
    if (c->deploy == RCM_DEPLOY_EXACT && c->exact_objective <= selected->options->budget) {
        format_value(value, sizeof value, selected, c->exact_objective);
        snprintf(reason, size, "exact top-k: %s, within %s: do not approximate", value, budget);
        return;
    }
    if (c->deploy == RCM_DEPLOY_EXACT) {
        snprintf(reason, size, "nothing with k_b up to %" PRIu64 " is within %s%s",
                 selected->k_b_max, budget,
                 isnan(c->exact_objective) ? "" : ", nor is exact top-k");
        return;
    }
    format_shape(shape, sizeof shape, threshold ? c->threshold.p : c->p);
    format_value(value, sizeof value, selected, threshold ? c->threshold.objective : c->objective);
    format_recall(recall, sizeof recall, threshold ? 0.0 : rcm_loss_exact(c->p));
    snprintf(reason, size, "%s%s: recall %s %s %s, the most within %s",
             threshold ? "exact top-k by threshold with " : "", shape, recall,
             selection_timed(selected) ? "in" : "with", value, budget);
}

void selection_reason(char *reason, size_t size, const struct selected *selected)
{
    char asked[80];
    format_asked(asked, sizeof asked, selected);
    if (selected->options->budget > 0.0)
        budget_reason(reason, size, selected);
    else if (selected->choice.deploy == RCM_DEPLOY_BUCKETED)
        bucketed_reason(reason, size, selected);
    else if (selected->choice.deploy == RCM_DEPLOY_EXACT)
        exact_reason(reason, size, selected, asked);
    else
        threshold_reason(reason, size, selected, asked);
}

/* ---- the lines below it; each function returns how many it printed */

/* The reason as a sentence, in lines of at most TABLE_WIDTH columns. */
static unsigned print_reason(const struct selected *selected)
{
    char reason[500];
    selection_reason(reason, sizeof reason, selected);
    if (reason[0] != 'b') /* the letter of the shape stays small */
        reason[0] = (char)toupper((unsigned char)reason[0]);
    const char *at = reason;
    unsigned lines = 1;
    for (; strlen(at) + 1 > TABLE_WIDTH; lines++) {
        size_t length = TABLE_WIDTH;
        while (length > 0 && at[length] != ' ')
            length--;
        printf("%.*s\n", (int)length, at);
        at += length + 1;
    }
    printf("%s.\n", at);
    return lines;
}

/* Of the best buckets; where the answer is another one, the line says so. */
static unsigned print_recall(const struct selected *selected)
{
    char shape[64];
    const struct rcm_topk p = selected->choice.p;
    char mean[40], row[40];
    const double quantile = selection_row_recall(p, selected->options),
                 share = 100.0 * selection_quantile(selected->options);
    format_recall(mean, sizeof mean, rcm_loss_exact(p));
    format_recall(row, sizeof row, 1.0 - quantile);
    format_shape(shape, sizeof shape, p);
    if (selected->choice.deploy == RCM_DEPLOY_BUCKETED)
        printf("  recall      ");
    else
        printf("  buckets     %s: recall ", shape);
    printf("%s in the mean, sd %.2g; ", mean, rcm_recall_sd(p));
    if (isnan(quantile))
        puts("what single rows reach is not known");
    else if (share == 95.0)
        printf("19 of 20 rows reach %s\n", row);
    else
        printf("%.6g %% of rows reach %s\n", share, row);
    return 1;
}

static unsigned print_time(const struct selected *selected)
{
    const struct rcm_profile *profile = selected->asked.machine.profile;
    if (!profile)
        return 0;
    char us[40], low[40], high[40];
    const char *const dtype = rcm_dtype_name(selected->asked.machine.dtype);
    const struct rcm_prediction r = rcm_predict(profile, selected->choice.p);
    format_us(us, sizeof us, r.time_us);
    format_us(low, sizeof low, r.low_us);
    format_us(high, sizeof high, r.high_us);
    if (isnan(r.low_us))
        printf("  time        %s predicted (%s, %s); its error is not known\n", us, profile->name,
               dtype);
    else
        printf("  time        %s predicted (%s, %s); %s to %s by 9 in 10 held-out errors\n", us,
               profile->name, dtype, low, high);
    char beyond[RCM_BEYOND_TEXT];
    rcm_beyond_text(r.beyond, beyond);
    if (!r.within_runs)
        printf("  beyond      the runs of the profile in %s; the error may be larger\n", beyond);
    return r.within_runs ? 1 : 2;
}

/* What the profile was not fitted to. */
static unsigned print_stand_in(const struct selected *selected)
{
    const struct profile_answer a = selection_profile(selected->options);
    if (!a.profile || !(a.other_dtype || a.other_kernel))
        return 0;
    printf("  profile     of %s, %s; taken for %s, %s\n", a.profile->kernel->name,
           rcm_dtype_name(a.profile->dtype), a.kernel->name, rcm_dtype_name(a.dtype));
    return 1;
}

/* What a roofline says and does not say. */
static unsigned print_bound(const struct selected *selected)
{
    if (!selection_found(selected) || strcmp(selected->asked.objective->name, "roofline") != 0)
        return 0;
    puts("  bound       what the rates of the device allow; kernels take longer, so measure these "
         "buckets too");
    return 1;
}

/* The exact top-k, where the answer's sentence does not say all of it. */
static unsigned print_exact(const struct selected *selected)
{
    char value[64];
    const struct rcm_choice *c = &selected->choice;
    const bool measured = selected->options->exact_us > 0.0, timed = selection_timed(selected);
    if (isnan(c->exact_objective) || (!(selected->options->budget > 0.0) && (measured || !timed)))
        return 0;
    format_value(value, sizeof value, selected, c->exact_objective);
    printf("  exact       %s%s\n", value,
           !timed     ? ""
           : measured ? ", as you measured"
                      : ", predicted; is yours faster? --exact-us T");
    return 1;
}

static unsigned print_threshold(const struct selected *selected)
{
    char value[64], shape[64];
    const struct rcm_choice *c = &selected->choice;
    if (!(c->threshold.objective < INFINITY))
        return 0;
    format_value(value, sizeof value, selected, c->threshold.objective);
    format_shape(shape, sizeof shape, c->threshold.p);
    if (c->deploy == RCM_DEPLOY_THRESHOLD)
        printf("  threshold   a second read collects %.0f elements; how, and which buffer: "
               "recallmodel exact\n",
               c->reaching);
    else
        printf("  threshold   %s: exact, %s; a second read collects %.0f elements\n", value, shape,
               c->reaching);
    return 1;
}

/* Why k_b stops where it does, without a device that could say. */
static unsigned print_k_b_note(const struct selected *selected)
{
    if (selected->options->k_b_max || selected->options->has_device || !selection_found(selected))
        return 0;
    printf("  k_b         up to %d: with more, stage 1 is compute-bound on most devices; --kb-max "
           "for more\n",
           RCM_K_B_MAX_DEFAULT);
    return 1;
}

/* Why: recall, time, and the other contenders. */
static unsigned print_why(const struct selected *selected)
{
    unsigned lines = 0;
    if (selection_found(selected)) {
        lines += print_recall(selected);
        lines += print_time(selected);
        lines += print_stand_in(selected);
    }
    lines += print_bound(selected);
    lines += print_exact(selected);
    lines += print_threshold(selected);
    lines += print_memory(selected->options, &selected->query->base, selected->asked.machine.dtype);
    return lines + print_k_b_note(selected);
}

static unsigned lines_of(const char *text)
{
    unsigned lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* How many of the others are better: of less objective, or of the same and less k_b. */
static uint64_t rank_of_each(const struct selected *selected, uint64_t i)
{
    uint64_t place = 0;
    for (uint64_t j = 0; j < selected->k_b_max; j++)
        place += selected->each[j].objective < selected->each[i].objective ||
                 (j < i && selected->each[j].objective == selected->each[i].objective);
    return place;
}

/* The best of each k_b: all with --verbose, otherwise the choice and the few that come next to it,
 * `most` in all. */
static void print_each(const struct selected *selected, uint64_t most, bool colour)
{
    struct table *table = table_new();
    const uint64_t chosen = selection_found(selected) ? selected->choice.p.k_b - 1 : UINT64_MAX;
    const bool choice_is_among = chosen == UINT64_MAX || rank_of_each(selected, chosen) < most;
    for (uint64_t i = 0; i < selected->k_b_max; i++) {
        if (!(selected->each[i].objective < INFINITY))
            continue;
        if (!selected->options->verbose && i != chosen &&
            rank_of_each(selected, i) >= most - !choice_is_among)
            continue;
        table_row(table, i == chosen);
        selection_put(table, selected, &selected->each[i]);
    }
    if (table_rows(table)) {
        puts("\nThe best of each k_b");
        table_print(table, stdout, colour);
    }
    table_free(table);
}

/* How many rows that table may have: what is above and below it leaves so many of LINES_MOST. */
static uint64_t rows_left(unsigned above, unsigned below)
{
    const unsigned around = 4; /* a blank line, the title, two lines of heads */
    const unsigned left =
        above + below + around < LINES_MOST ? LINES_MOST - above - below - around : 0;
    return left < SHOWN_MOST ? left : SHOWN_MOST;
}

/* The predicted time of a call that is not the choice, where the profile is of its kernel. */
static void print_nearest_time(const struct call *call, const struct selected *selected)
{
    char us[40];
    const struct rcm_profile *profile = selected->asked.machine.profile;
    if (!profile || !call->kernel || strcmp(profile->kernel->family, call->kernel) != 0)
        return;
    format_us(us, sizeof us, rcm_predict(profile, call->is.p).time_us);
    printf(", %s predicted", us);
}

static void print_call(const struct call *call, const struct selected *selected)
{
    char recall[40];
    const struct rcm_choice *choice = &selected->choice;
    printf("%s", call->title);
    if (!*call->text) {
        puts(": cannot express it");
        return;
    }
    const bool same = call->is.p.b == choice->p.b && call->is.p.k_b == choice->p.k_b;
    if (call->is.objective < INFINITY && !same) {
        format_recall(recall, sizeof recall, rcm_loss_exact(call->is.p));
        printf(", the nearest: b = %" PRIu64 ", k_b = %" PRIu64 ", %" PRIu64
               " candidates, recall %s",
               call->is.p.b, call->is.p.k_b, rcm_candidates(call->is.p), recall);
        print_nearest_time(call, selected);
    }
    putchar('\n');
    for (const char *at = call->text; *at;) {
        const size_t length = strcspn(at, "\n");
        printf("  %.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
}

static void print_more(const struct selected *selected, const struct call calls[CALLS],
                       const struct call *shown, bool colour)
{
    struct table *points = selection_frontier(selected);
    printf("\nFrontier: no shape beats one of these in recall and %s, whatever the target\n",
           selection_timed(selected) ? "time" : selected->asked.objective->unit);
    table_print(points, stdout, colour);
    table_free(points);
    if (!(selected->options->budget > 0.0)) {
        struct table *others = selection_rules(selected);
        printf("\nWhat others take for this recall%s (-: they sort the whole row)\n",
               selected->options->has_confidence ? ", in the mean" : "");
        table_print(others, stdout, colour);
        table_free(others);
    }
    for (size_t i = 0; i < CALLS; i++)
        if (&calls[i] != shown &&
            (i != CALL_EXACT || selected->choice.deploy != RCM_DEPLOY_BUCKETED)) {
            putchar('\n');
            print_call(&calls[i], selected);
        }
}

void selection_print(const struct selected *selected, bool colour)
{
    struct call calls[CALLS];
    const bool threshold = selected->choice.deploy == RCM_DEPLOY_THRESHOLD;
    calls_make(calls, &selected->asked, &selected->choice, selected->options->budget);
    const struct call *shown = calls_shown(calls, &selected->asked, &selected->choice);
    unsigned above = 1; /* the question */
    above += print_reason(selected);
    above += print_why(selected);
    const uint64_t rows = rows_left(above, 2 + threshold + lines_of(shown->text));
    if (rows >= 2 || selected->options->verbose)
        print_each(selected, rows, colour);
    else
        puts("\nThe best of each k_b: --verbose");
    if (threshold)
        puts("\nNo library known to us does that. The next best:");
    else
        putchar('\n');
    print_call(shown, selected);
    if (selected->options->verbose)
        print_more(selected, calls, shown, colour);
}
