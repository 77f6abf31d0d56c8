/* select_contenders.c - select: the decision in words, and the contenders as a table.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <programs/common/format.h>
#include <programs/common/wrap.h>

#include "selection.h"

#define CONTENDERS_SHOWN 8

/* "exact, recallmodel", "buckets b 3250, k_b 1". */
static void format_contender(char *text, size_t size, const struct rcm_contender *c)
{
    if (c->kind == RCM_CONTENDER_EXACT)
        snprintf(text, size, "exact, %s", c->name);
    else
        snprintf(text, size, "%s b %" PRIu64 ", k_b %" PRIu64, rcm_contender_kind_name(c->kind),
                 c->p.b, c->p.k_b);
}

/* Where its time comes from, and whether anybody can call it. */
static void format_known(char *text, size_t size, const struct rcm_contender *c)
{
    const char *card = c->card && *c->card ? c->card : c->profile;
    if (!c->callable)
        snprintf(text, size, "%s, not callable", card);
    else
        snprintf(text, size, "%s%s%s%s%s", card ? card : "as you measured",
                 c->carried ? ", carried" : "", c->at_most ? ", larger k or n" : "",
                 c->beyond ? ", beyond its runs" : "", c->other_type ? ", another type" : "");
}

static void print_contender(const struct rcm_contender *c, bool first)
{
    char name[80], us[40], low[40], high[40], band[90] = "-", loses[40] = "-", known[120];
    format_contender(name, sizeof name, c);
    format_us(us, sizeof us, c->time_us);
    format_us(low, sizeof low, c->low_us);
    format_us(high, sizeof high, c->high_us);
    if (c->low_us < c->high_us)
        snprintf(band, sizeof band, "%s to %s", low, high);
    if (c->loss > 0.0)
        snprintf(loses, sizeof loses, "%.2g %%", 100.0 * c->loss);
    format_known(known, sizeof known, c);
    printf("%c %-24s %-8s %-18s %-6s %s\n", first ? '*' : ' ', name, us, band, loses, known);
}

/* What the headline says of the buckets where exact top-k is the verdict. */
static const char *beside_exact(const struct selection_answer *answer)
{
    const struct rcm_choice *c = &answer->choice;
    bool close = false; /* also where the threshold is the verdict, unlike too_close */
    for (size_t i = 0; i < answer->decided.count; i++) {
        const struct rcm_contender *buckets = &answer->decided.of[i];
        if (buckets->kind != RCM_CONTENDER_BUCKETS)
            continue;
        if (!buckets->callable)
            return "No known kernel of buckets runs on this card";
        close = !rcm_surely_faster(&answer->decided.of[0], buckets);
    }
    return !close                                         ? "Buckets take longer"
           : c->objective < answer->decided.of[0].time_us ? "Buckets may take less: time both"
                                                          : "Buckets may take as long";
}

void selection_headline(char *text, size_t size, const struct selection_answer *answer)
{
    char us[40], name[80], reason[500];
    const struct rcm_choice *c = &answer->choice;
    const struct rcm_contender *first = &answer->decided.of[0];
    if (answer->decided.count == 0 || answer->decided.verdict == RCM_VERDICT_NONE ||
        answer->settings->budget > 0.0 || c->reason == RCM_REASON_NO_EXACT ||
        (first->kind == RCM_CONTENDER_EXACT && !selection_has_buckets(answer))) {
        selection_reason(reason, sizeof reason, answer);
        if (reason[0] != 'b') /* the letter of the shape stays small */
            reason[0] = (char)toupper((unsigned char)reason[0]);
        snprintf(text, size, "%s.", reason);
        return;
    }
    format_us(us, sizeof us, first->time_us);
    format_contender(name, sizeof name, first);
    if (first->kind == RCM_CONTENDER_BUCKETS)
        snprintf(text, size,
                 "Use buckets, b = %" PRIu64 ", k_b = %" PRIu64
                 ": about %s, %.2g %% lost. Exact top-k takes longer.",
                 first->p.b, first->p.k_b, us, 100.0 * first->loss);
    else
        snprintf(text, size, "Use exact top-k, %s: about %s, nothing lost. %s.", first->name, us,
                 beside_exact(answer));
}

unsigned selection_print_contenders(const struct selection_answer *answer)
{
    char headline[600];
    unsigned lines = 2;
    selection_headline(headline, sizeof headline, answer);
    lines += print_wrapped("%s", headline);
    puts("\n  contender                time     9 in 10            loses  known from");
    for (size_t i = 0; i < answer->decided.count && i < CONTENDERS_SHOWN; i++, lines++)
        print_contender(&answer->decided.of[i],
                        i == 0 && answer->decided.verdict != RCM_VERDICT_NONE);
    putchar('\n');
    return lines + 1;
}
