/* select_contenders.c - select: the contenders as data, whatever the objective is, and as a table.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <programs/common/format.h>

#include "selection.h"

#define CONTENDERS_SHOWN 8

/* Puts one into its place behind the first, which is deployed. */
static void add(struct rcm_answer *all, struct rcm_contender c)
{
    size_t i = all->count++;
    c.callable = true;
    c.low_us = c.high_us = NAN;
    for (; i > 1 && c.time_us < all->of[i - 1].time_us; i--)
        all->of[i] = all->of[i - 1];
    all->of[i] = c;
}

struct rcm_answer selection_contenders(const struct selection_answer *answer)
{
    struct rcm_answer all = answer->decided;
    const struct rcm_choice *c = &answer->choice;
    const bool yours = answer->settings->exact_us > 0.0;
    const struct rcm_contender of[] = {
        [RCM_DEPLOY_BUCKETED] = {.kind = RCM_CONTENDER_BUCKETS,
                                 .p = c->p,
                                 .loss = selection_has_buckets(answer) ? rcm_loss_exact(c->p) : 1.0,
                                 .time_us = selection_least(answer, c->objective)},
        [RCM_DEPLOY_EXACT] = {.kind = RCM_CONTENDER_EXACT,
                              .name = yours ? "yours" : NULL,
                              .time_us = c->exact_objective},
        [RCM_DEPLOY_THRESHOLD] = {.kind = RCM_CONTENDER_THRESHOLD,
                                  .p = c->threshold.p,
                                  .time_us = selection_least(answer, c->threshold.objective)}};
    if (all.count)
        return all;
    add(&all, of[c->deploy]);
    for (unsigned i = 0; i < sizeof of / sizeof *of; i++)
        if (i != (unsigned)c->deploy && isfinite(of[i].time_us))
            add(&all, of[i]);
    return all;
}

/* "exact, recallmodel", "buckets b 3250, k_b 1". */
static void format_contender(char *text, size_t size, const struct rcm_contender *c)
{
    if (c->kind == RCM_CONTENDER_EXACT)
        snprintf(text, size, c->name ? "exact, %s" : "exact top-k", c->name);
    else
        snprintf(text, size, "%s b %" PRIu64 ", k_b %" PRIu64, rcm_contender_kind_name(c->kind),
                 c->p.b, c->p.k_b);
}

/* "12.4 to 25.3 us", "838 us to 1.2 ms", "-". */
static void format_band(char *text, size_t size, const struct rcm_contender *c)
{
    char low[40], high[40];
    format_us(low, sizeof low, c->low_us);
    format_us(high, sizeof high, c->high_us);
    char *unit = strchr(low, ' ');
    if (unit && strcmp(unit, high + strcspn(high, " ")) == 0)
        *unit = '\0';
    if (c->low_us < c->high_us)
        snprintf(text, size, "%s to %s", low, high);
    else
        snprintf(text, size, "-");
}

/* Where its value comes from, and whether anybody can call it. */
static void format_known(char *text, size_t size, const struct selection_answer *answer,
                         const struct rcm_contender *c)
{
    const char *from = c->card && *c->card                         ? c->card
                       : c->profile                                ? c->profile
                       : isnan(c->time_us)                         ? "not known"
                       : c->kind == RCM_CONTENDER_EXACT && c->name ? "as you measured"
                       : !selection_is_time(answer)                ? "counted"
                       : c->kind == RCM_CONTENDER_EXACT ? "bound of the product, and the profile"
                                                        : "bound, not calibrated";
    snprintf(text, size, "%s%s%s%s%s", from,
             c->callable   ? ""
             : c->left_out ? ", not in --have"
                           : ", not callable",
             c->callable && c->carried ? ", carried" : "",
             c->at_most  ? ", larger k or n"
             : c->beyond ? ", beyond runs"
                         : "",
             c->other_type ? ", another type" : "");
}

static void print_contender(const struct selection_answer *answer, const struct rcm_contender *c,
                            bool first)
{
    char name[80], value[64] = "-", band[90], loses[40] = "0", known[120];
    const bool timed = answer->decided.count > 0;
    format_contender(name, sizeof name, c);
    if (!isnan(c->time_us))
        selection_format_number(value, sizeof value, answer, c->time_us);
    format_band(band, sizeof band, c);
    if (c->loss > 0.0)
        snprintf(loses, sizeof loses, "%.2g %%", 100.0 * c->loss);
    format_known(known, sizeof known, answer, c);
    printf(timed ? "%c %-24s %-8s %-16s %-7s %s\n" : "%c %-24s %-14s%s %-7s %s\n",
           first ? '*' : ' ', name, value, timed ? band : "", loses, known);
}

void selection_print_contenders(const struct selection_answer *answer)
{
    const struct rcm_answer *all = &answer->contenders;
    const bool timed = answer->decided.count > 0;
    printf(timed ? "\n  %-24s %-8s %-16s %-7s known from\n" : "\n  %-24s %-14s%s %-7s known from\n",
           "contender",
           timed                        ? "time"
           : selection_is_bound(answer) ? "at least"
                                        : answer->asked.objective->unit,
           timed ? "9 in 10" : "", "loses");
    for (size_t i = 0; i < all->count && i < CONTENDERS_SHOWN; i++)
        print_contender(answer, &all->of[i], i == 0 && all->verdict != RCM_VERDICT_NONE);
    putchar('\n');
}
