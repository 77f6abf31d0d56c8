/* select_tables.c - select: the tables of its answer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <programs/common/format.h>
#include <programs/common/table.h>

#include <programs/recallmodel/question/columns.h>
#include "selection.h"

/* The name of the objective as a heading: time, candidates (shown already), cost. */
static struct column objective_column(const struct selection_answer *answer)
{
    const bool candidates = strcmp(answer->asked.objective->name, "candidates") == 0;
    const bool time = selection_is_time(answer);
    return headed("objective",
                  candidates                                                  ? NULL
                  : time && answer->asked.objective->need == RCM_NEEDS_DEVICE ? "time\n>="
                  : time                                                      ? "time"
                                                                              : "cost",
                  time ? STYLE_US : STYLE_COST);
}

/* A value of the data beside what the aligned table shows in its place: with a launch where the
 * objective is a bound, as the sentence of the answer has it. */
static void put_shown(struct table *table, struct column column, double value, double shown)
{
    table_real(table, in_data(column.csv), value);
    if (column.heading)
        table_real(table, in_table(column.heading, column.style), shown);
}

/* All digits in CSV and JSON, as many nines as are true in the aligned table. */
static void put_recall(struct table *table, const char *name, const char *heading, double recall,
                       double loss)
{
    char text[40];
    format_recall(text, sizeof text, loss);
    table_real(table, in_data(name), recall);
    table_text(table, in_table(heading, STYLE_PLAIN), isnan(loss) ? "-" : text);
}

/* With --d: the product with stage 1, what binds it, and stage 2. */
static void put_fused(struct table *table, const struct selection_answer *answer, struct rcm_topk p)
{
    const struct rcm_profile *profile = answer->asked.machine.profile;
    const struct product_question q = selection_product(answer);
    const struct rcm_product product = rcm_product(q.device, q.dtype, p, q.d);
    table_real(table, headed("fused_us", "fused\n>=", STYLE_US), product.fused_us);
    table_text(table, headed("fused_bound", "by", STYLE_PLAIN), product.fused_bound);
    table_real(table, in_data("stage2_us"), profile ? rcm_predict(profile, p).stage2_us : NAN);
    table_real(table, in_data("product_intensity"), product.product_intensity);
    table_real(table, in_data("fused_intensity"), product.fused_intensity);
}

/* The predicted time; in the aligned table where it is not the objective. */
static void put_prediction(struct table *table, const struct selection_answer *answer,
                           struct rcm_topk p)
{
    const struct rcm_profile *profile = answer->asked.machine.profile;
    if (answer->settings->d) {
        put_fused(table, answer, p);
        return;
    }
    const bool other = answer->settings->lists.count > 1; /* devices, which may have a profile */
    if (!profile && !other)
        return;
    char beyond[RCM_BEYOND_TEXT];
    const struct rcm_prediction r =
        profile ? selection_prediction(answer, p)
                : (struct rcm_prediction){.time_us = NAN, .low_us = NAN, .high_us = NAN};
    const bool shown = strcmp(answer->asked.objective->name, "time") != 0;
    rcm_beyond_text(r.beyond, beyond);
    table_real(table, headed("predicted_us", shown ? "time" : NULL, STYLE_US), r.time_us);
    table_real(table, in_data("low_us"), r.low_us);
    table_real(table, in_data("high_us"), r.high_us);
    table_bool(table, in_data("within_runs"), r.within_runs);
    table_text(table, in_data("beyond"), beyond);
}

void selection_put_shape(struct table *table, const struct selection_answer *answer,
                         const struct rcm_point *point)
{
    char heading[60], rows[40];
    const struct rcm_topk p = point->p;
    const double row = selection_row_recall(p, answer->settings),
                 exact = answer->choice.exact_objective;
    const bool compared =
        isfinite(exact) && strcmp(answer->asked.objective->name, "candidates") != 0;
    if (answer->settings->lists.count > 1) {
        table_text(table, in_data("device"), answer->asked.machine.device->name);
        table_text(table, in_data("minimised"), answer->asked.objective->name);
    }
    put_buckets(table, p);
    put_recall(table, "recall", "recall", rcm_recall_exact(p), rcm_loss_exact(p));
    table_real(table, headed("recall_sd", "sd", STYLE_LOSS), rcm_recall_sd(p));
    format_rows(rows, sizeof rows, selection_quantile_rest(answer->settings));
    snprintf(heading, sizeof heading, "%.*s\nrows reach", (int)strlen(rows) - 5, rows);
    put_recall(table, "recall_quantile", heading, row, 1.0 - row);
    const double shown = selection_least(answer, point->objective);
    put_shown(table, objective_column(answer), point->objective, shown);
    put_shown(table, headed("over_least", "over\nleast", STYLE_SPEEDUP),
              point->objective / answer->least, shown / selection_least(answer, answer->least));
    table_real(table, in_data("exact_objective"), exact);
    if (answer->exact_kernel || answer->settings->lists.count > 1)
        table_text(table, in_data("exact_kernel"),
                   answer->exact_kernel ? answer->exact_kernel->name : "");
    put_shown(table, headed("over_exact", compared ? "of\nexact" : NULL, STYLE_PERCENT),
              point->objective / exact, shown / exact);
    put_prediction(table, answer, p);
    selection_put_rope(table, answer, p);
}

struct table *selection_frontier(const struct selection_answer *answer)
{
    enum { MOST = 20 };
    struct rcm_point points[MOST];
    struct table *table = table_new();
    const size_t count = rcm_frontier(&answer->asked, points, MOST);
    for (size_t i = 0; i < count; i++) {
        struct column objective = objective_column(answer);
        objective.heading = objective.heading ? objective.heading : "objective";
        table_row(table, false);
        put_buckets(table, points[i].p);
        put_recall(table, "recall", "recall", rcm_recall_exact(points[i].p),
                   rcm_loss_exact(points[i].p));
        table_real(table, column("loss", STYLE_LOSS), rcm_loss_exact(points[i].p));
        put_shown(table, objective, points[i].objective,
                  selection_least(answer, points[i].objective));
    }
    return table;
}

static uint64_t query_rows(const struct selection_answer *answer)
{
    return answer->query->base.m ? answer->query->base.m : 1;
}

static void put_rule(struct table *table, const struct selection_answer *answer, const char *name,
                     const char *what, struct rcm_topk p)
{
    const struct rcm_profile *profile = answer->asked.machine.profile;
    const bool reaches = !p.b || rcm_reaches(p, answer->query->target);
    table_row(table, false);
    table_text(table, column("rule", STYLE_PLAIN), name);
    put_count_if(p.b, table, column("b", STYLE_PLAIN), p.b);
    put_count_if(p.b, table, column("k_b", STYLE_PLAIN), p.k_b);
    table_count(table, column("candidates", STYLE_PLAIN), p.b ? rcm_candidates(p) : p.n);
    put_recall(table, "recall", "recall", p.b ? rcm_recall_exact(p) : 1.0,
               p.b ? rcm_loss_exact(p) : 0.0);
    if (profile && !answer->settings->d)
        table_real(table, headed("predicted_us", "time", STYLE_US),
                   p.b ? rcm_predict(profile, p).time_us : rcm_predict_exact(profile, p));
    put_count_if(p.b, table, headed("buckets_in_all_rows", "buckets\nin all rows", STYLE_PLAIN),
                 p.b * (query_rows(answer)));
    table_bool(table, in_json("reaches"), reaches);
    table_text(table, in_table("", STYLE_PLAIN), reaches ? "" : "misses it");
    table_text(table, in_json("what"), what);
}

/* What others take for this target; b = null: all of the row. */
struct table *selection_rules(const struct selection_answer *answer)
{
    const struct query *query = answer->query;
    struct table *table = table_new();
    const struct rcm_practice *practice;
    const struct rcm_rule *rule;
    for (size_t i = 0; (practice = rcm_practice(i)); i++)
        put_rule(table, answer, practice->name, practice->rule,
                 practice->choose(query->base, query->target.loss));
    for (size_t i = 0; (rule = rcm_rule(i)); i++) {
        struct rcm_topk p = query->base;
        p.k_b = 1;
        if (!rule->applies(p))
            continue;
        p.b = rcm_rule_b(rule, p, query->target.loss);
        put_rule(table, answer, rule->name, rule->formula, p);
    }
    return table;
}

/* The objective of one of the three contenders, in its unit; where it is a bound, with a launch. */
static void put_contender(struct table *table, const struct selection_answer *answer,
                          const char *name, double value)
{
    char heading[40];
    const bool bound = answer->asked.objective->need == RCM_NEEDS_DEVICE &&
                       value != answer->choice.exact_objective;
    struct column objective = objective_column(answer);
    snprintf(heading, sizeof heading, "%s\n%s", name,
             selection_is_time(answer) ? "time"
             : objective.heading       ? objective.heading
                                       : "candidates");
    if (bound)
        value = selection_least(answer, value);
    objective.heading = heading;
    if (strcmp(answer->asked.objective->name, "candidates") == 0 && isfinite(value))
        table_count(table, objective, (uint64_t)llround(value));
    else
        table_real(table, objective, value);
}

static void put_choice(struct table *table, const struct selection_answer *answer)
{
    char recall[40] = "-";
    const bool buckets = selection_has_buckets(answer);
    const struct rcm_topk p = answer->choice.p;
    if (buckets)
        format_recall(recall, sizeof recall, rcm_loss_exact(p));
    put_count_if(buckets, table, in_table("buckets\nb", STYLE_PLAIN), p.b);
    put_count_if(buckets, table, in_table("\nk_b", STYLE_PLAIN), p.k_b);
    table_text(table, in_table("\nrecall", STYLE_PLAIN), recall);
}

bool selections_have_threshold(const struct selection_answer *answers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (answers[i].choice.threshold.objective < INFINITY)
            return true;
    return false;
}

struct table *selection_table(const struct selection_answer *answer, size_t count)
{
    const bool threshold = selections_have_threshold(answer, count);
    struct table *table = table_new();
    for (size_t i = 0; i < count; i++) {
        const struct rcm_choice *c = &answer[i].choice;
        char verdict[90];
        const struct select_lists *lists = &answer[i].settings->lists;
        selection_verdict(verdict, sizeof verdict, &answer[i]);
        table_row(table, false);
        if (lists->count > 1)
            table_text(table, in_table("device", STYLE_PLAIN),
                       answer[i].asked.machine.device->name);
        table_count(table, in_table("n", STYLE_PLAIN), answer[i].query->base.n);
        table_count(table, in_table("k", STYLE_PLAIN), answer[i].query->base.k);
        if (lists->m.length > 1)
            table_count(table, in_table("m", STYLE_PLAIN), answer[i].query->base.m);
        table_text(table, in_table("deploy", STYLE_PLAIN), verdict);
        put_choice(table, &answer[i]);
        put_contender(table, &answer[i], "buckets", c->objective);
        put_contender(table, &answer[i], "exact", c->exact_objective);
        if (threshold)
            put_contender(table, &answer[i], "threshold", c->threshold.objective);
    }
    return table;
}
