/* select_tables.c - select: the tables of its answer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <programs/common/format.h>
#include <programs/common/table.h>

#include "selection.h"

enum {
    BY_TIME = 1,
    BY_COST = 2,
    BY_CANDIDATES = 4,
    BOUND = 8,
    THRESHOLD = 16,
    DEVICES = 32,
    ROWS = 64
};

static unsigned unit_of(const struct selection_answer *answer)
{
    const unsigned measure = answer->asked.objective->measure;
    return measure & RCM_IN_US               ? BY_TIME
           : measure & RCM_COUNTS_CANDIDATES ? BY_CANDIDATES
                                             : BY_COST;
}

/* ---- the frontier */

struct frontier_row {
    struct rcm_point point;
    uint64_t candidates;
    double recall, loss, shown;
    char recall_text[40];
};

static const struct column frontier_items[] = {
    {FIELD(struct frontier_row, point.p.k_b), EVERYWHERE("k_b")},
    {FIELD(struct frontier_row, point.p.b), EVERYWHERE("b")},
    {FIELD(struct frontier_row, candidates), EVERYWHERE("candidates")},
    {FIELD(struct frontier_row, recall), IN_DATA("recall")},
    {FIELD(struct frontier_row, recall_text), .heading = "recall"},
    {FIELD(struct frontier_row, loss), EVERYWHERE("loss"), .style = STYLE_LOSS},
    {FIELD(struct frontier_row, point.objective), IN_DATA("objective")},
    {FIELD(struct frontier_row, shown), .heading = "time", .style = STYLE_US, .when = BY_TIME},
    {FIELD(struct frontier_row, shown), .heading = "time\n>=", .style = STYLE_US, .when = BOUND},
    {FIELD(struct frontier_row, shown), .heading = "cost", .style = STYLE_COST, .when = BY_COST},
    {FIELD(struct frontier_row, shown), .heading = "objective", .style = STYLE_COST,
     .when = BY_CANDIDATES},
};
static const struct columns frontier_columns = COLUMNS(struct frontier_row, frontier_items);

struct table *selection_frontier(const struct selection_answer *answer)
{
    enum { MOST = 20 };
    struct rcm_point points[MOST];
    const bool bound = answer->asked.objective->need == RCM_NEEDS_DEVICE;
    struct table *table = table_of(&frontier_columns, bound ? BOUND : unit_of(answer));
    const size_t count = rcm_frontier(&answer->asked, points, MOST);
    for (size_t i = 0; i < count; i++) {
        struct frontier_row row = {.point = points[i],
                                   .candidates = rcm_candidates(points[i].p),
                                   .recall = rcm_recall_exact(points[i].p),
                                   .loss = rcm_loss_exact(points[i].p),
                                   .shown = selection_least(answer, points[i].objective)};
        format_recall(row.recall_text, sizeof row.recall_text, row.loss);
        table_add(table, &row, false);
    }
    return table;
}

/* ---- the answers to a list of questions */

/* The objective of one of the three contenders, in its unit; where it is a bound, with a launch. */
struct contender {
    double value;
    uint64_t candidates;
};

static const struct column contender_items[] = {
    {FIELD(struct contender, value), .heading = "%s\ntime", .style = STYLE_US, .when = BY_TIME},
    {FIELD(struct contender, value), .heading = "%s\ncost", .style = STYLE_COST, .when = BY_COST},
    {FIELD(struct contender, candidates), .heading = "%s\ncandidates", .when = BY_CANDIDATES},
};
static const struct columns contender_columns = COLUMNS(struct contender, contender_items);

static const char *contender_name(size_t i)
{
    return i == 0 ? "buckets" : "exact";
}

static const char *threshold_name(size_t i)
{
    (void)i;
    return "threshold";
}

struct answer_row {
    const char *device;
    uint64_t n, k, m, b, k_b;
    char verdict[90], recall[40];
    struct contender contenders[2], threshold;
};

static const struct column answer_items[] = {
    {FIELD(struct answer_row, device), .heading = "device", .when = DEVICES},
    {FIELD(struct answer_row, n), .heading = "n"},
    {FIELD(struct answer_row, k), .heading = "k"},
    {FIELD(struct answer_row, m), .heading = "m", .when = ROWS},
    {FIELD(struct answer_row, verdict), .heading = "deploy"},
    {FIELD(struct answer_row, b), .heading = "buckets\nb"},
    {FIELD(struct answer_row, k_b), .heading = "\nk_b"},
    {FIELD(struct answer_row, recall), .heading = "\nrecall"},
    {PART(struct answer_row, contenders, contender_columns), .times = 2, .name = contender_name},
    {PART(struct answer_row, threshold, contender_columns), .times = 1, .name = threshold_name,
     .when = THRESHOLD},
};
static const struct columns answer_columns = COLUMNS(struct answer_row, answer_items);

static struct contender contender_of(const struct selection_answer *answer, double value)
{
    const bool bound = answer->asked.objective->need == RCM_NEEDS_DEVICE &&
                       value != answer->choice.exact_objective;
    const double shown = bound ? selection_least(answer, value) : value;
    return (struct contender){shown, isfinite(value) ? (uint64_t)llround(shown) : NO_COUNT};
}

static bool have_threshold(const struct selection_answer *answers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (answers[i].choice.threshold.objective < INFINITY)
            return true;
    return false;
}

struct table *selection_table(const struct selection_answer *answers, size_t count)
{
    const struct select_lists *lists = &answers[0].settings->lists;
    struct table *table =
        table_of(&answer_columns, unit_of(answers) | (lists->count > 1 ? DEVICES : 0U) |
                                      (lists->m.length > 1 ? ROWS : 0U) |
                                      (have_threshold(answers, count) ? THRESHOLD : 0U));
    for (size_t i = 0; i < count; i++) {
        const struct selection_answer *a = &answers[i];
        const struct rcm_choice *c = &a->choice;
        const bool buckets = selection_has_buckets(a);
        struct answer_row row = {
            .device = a->asked.machine.device ? a->asked.machine.device->name : NULL,
            .n = a->query->base.n,
            .k = a->query->base.k,
            .m = a->query->base.m,
            .b = buckets ? c->p.b : NO_COUNT,
            .k_b = buckets ? c->p.k_b : NO_COUNT,
            .recall = "-",
            .contenders = {contender_of(a, c->objective), contender_of(a, c->exact_objective)},
            .threshold = contender_of(a, c->threshold.objective)};
        if (buckets)
            format_recall(row.recall, sizeof row.recall, rcm_loss_exact(c->p));
        selection_verdict(row.verdict, sizeof row.verdict, a);
        table_add(table, &row, false);
    }
    return table;
}
