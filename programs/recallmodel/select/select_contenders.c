/* select_contenders.c - select: the contenders as a table.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <programs/common/format.h>

#include "selection.h"

#define CONTENDERS_SHOWN 8

/* "exact, recallmodel", "exact, fused", "buckets b 3250, k_b 1". */
static void format_name(char *text, size_t size, const struct rcm_contender *c)
{
    if (c->kind == RCM_CONTENDER_EXACT)
        snprintf(text, size,
                 c->name    ? "exact, %s"
                 : c->fused ? "exact, fused"
                            : "exact top-k",
                 c->name);
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

void selection_format_contender(const struct selection_answer *answer,
                                const struct rcm_contender *c, struct contender_text *text)
{
    format_name(text->name, sizeof text->name, c);
    snprintf(text->value, sizeof text->value, "-");
    if (!isnan(c->objective))
        selection_format_number(text->value, sizeof text->value, answer, c->objective);
    format_band(text->band, sizeof text->band, c);
    snprintf(text->loses, sizeof text->loses, c->loss > 0.0 ? "%.2g %%" : "0", 100.0 * c->loss);
    rcm_basis(c, text->basis);
}

struct contender_text selection_contender_headings(const struct selection_answer *answer)
{
    struct contender_text text = {"contender", "", "9 in 10", "loses", "known from"};
    snprintf(text.value, sizeof text.value, "%s",
             selection_is_bound(answer)  ? "at least"
             : selection_is_time(answer) ? "time"
                                         : answer->asked.objective->unit);
    return text;
}

/* One of the table, or its headings. */
static void print_line(const struct selection_answer *answer, char mark, int width,
                       const struct contender_text *t)
{
    if (answer->decided.by_profile)
        printf("%c %-*s %-8s %-16s %-7s %s\n", mark, width, t->name, t->value, t->band, t->loses,
               t->basis);
    else
        printf("%c %-*s %-14s %-7s %s\n", mark, width, t->name, t->value, t->loses, t->basis);
}

void selection_print_contenders(const struct selection_answer *answer)
{
    struct contender_text text = selection_contender_headings(answer);
    const struct rcm_answer *all = &answer->decided;
    int width = 24;
    for (size_t i = 0; i < all->count && i < CONTENDERS_SHOWN; i++) {
        struct contender_text shown;
        selection_format_contender(answer, &all->of[i], &shown);
        width = (int)strlen(shown.name) > width ? (int)strlen(shown.name) : width;
    }
    putchar('\n');
    print_line(answer, ' ', width, &text);
    for (size_t i = 0; i < all->count && i < CONTENDERS_SHOWN; i++) {
        selection_format_contender(answer, &all->of[i], &text);
        print_line(answer, i == 0 && all->verdict != RCM_VERDICT_NONE ? '*' : ' ', width, &text);
    }
    putchar('\n');
}
