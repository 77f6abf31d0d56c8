/* selection.c - see selection.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "selection.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "plain.h"
#include "progress.h"
#include "table.h"

/* ---- the question */

struct profile_answer selection_profile(const struct options *o)
{
    if (!o->has_device)
        return (struct profile_answer){0};
    return profile_for_question(&o->device, o->kernel, o->has_dtype ? &o->dtype : NULL);
}

/* The profile as one of the kernel that was asked for; of another kernel of its family no run tells
 * the error. */
static struct rcm_profile *profile_copy(const struct profile_answer *answer)
{
    struct rcm_profile *copy = checked(malloc(sizeof *copy));
    *copy = *answer->profile;
    if (answer->other_kernel) {
        copy->kernel = answer->kernel;
        copy->held_out_p05_ratio = copy->held_out_p95_ratio = 0.0;
    }
    return copy;
}

const struct rcm_objective *selection_objective(const struct options *o)
{
    if (o->objective)
        return o->objective;
    return rcm_objective_by_name(selection_profile(o).profile ? "time"
                                 : o->has_device              ? "roofline"
                                                              : "candidates");
}

static struct rcm_selection question_of(const struct query *query, const struct options *o)
{
    const struct rcm_objective *objective = selection_objective(o);
    struct rcm_selection s = {
        .p = query->base,
        .target = query->target,
        .kernel = o->kernel ? o->kernel : rcm_kernel(0),
        .k_b_max = o->k_b_max,
        .objective = objective,
        .machine = {.device = o->has_device ? &o->device.device : NULL, .dtype = o->dtype},
        .exact_us = o->exact_us,
    };
    const struct profile_answer answer = selection_profile(o);
    if (answer.profile) {
        s.machine.profile = profile_copy(&answer);
        s.machine.dtype = answer.dtype;
    }
    if (objective->need == RCM_NEEDS_PROFILE)
        s.kernel = s.machine.profile->kernel;
    if (o->has_confidence) {
        s.confidence = decimal_value(o->confidence);
        s.most_lost = goal_of(query->recall_target, query->base.k).most_lost;
    }
    return s;
}

/* ---- the answer */

static bool tick(void *context, uint64_t done, uint64_t total)
{
    struct selected *selected = ((void **)context)[0];
    selected->interrupted = progress_tick(((void **)context)[1], done, total);
    return selected->interrupted;
}

struct selected selection_find(const struct query *query, const struct options *o)
{
    struct selected found = {
        .query = query, .options = o, .asked = question_of(query, o), .least = INFINITY};
    found.k_b_max = o->k_b_max ? o->k_b_max : RCM_K_B_MAX_DEFAULT;
    if (found.k_b_max > query->base.k)
        found.k_b_max = query->base.k;
    found.each = checked(malloc(found.k_b_max * sizeof *found.each));
    struct progress progress;
    void *context[] = {&found, &progress};
    found.asked.tick = tick;
    found.asked.tick_context = context;
    progress_start(&progress, "kb");
    found.choice = o->budget > 0.0 ? rcm_best_recall(&found.asked, o->budget, found.each)
                                   : rcm_select_each(&found.asked, found.each);
    progress_end(&progress);
    found.asked.tick = NULL;
    found.asked.tick_context = NULL;
    for (uint64_t i = 0; i < found.k_b_max; i++)
        found.least = fmin(found.least, found.each[i].objective);
    return found;
}

void selection_free(struct selected *selected)
{
    free(selected->each);
    free((void *)selected->asked.machine.profile);
    selected->each = NULL;
}

bool selection_found(const struct selected *selected)
{
    return selected->choice.objective < INFINITY;
}

bool selection_timed(const struct selected *selected)
{
    return strcmp(selected->asked.objective->unit, "us") == 0;
}

double selection_quantile(const struct options *o)
{
    return o->has_quantile     ? decimal_complement(o->quantile)
           : o->has_confidence ? decimal_value(o->confidence)
                               : 0.95;
}

double selection_quantile_rest(const struct options *o)
{
    return o->has_quantile     ? decimal_value(o->quantile)
           : o->has_confidence ? decimal_complement(o->confidence)
                               : 0.05;
}

double selection_row_recall(struct rcm_topk p, const struct options *o)
{
    struct rcm_lost law;
    rcm_lost(p, &law);
    const double recall = rcm_lost_recall_quantile(&law, p.k, selection_quantile(o), 1);
    rcm_lost_free(&law);
    return recall;
}

/* ---- tables */

/* The name of the objective as a heading: time, candidates (shown already), cost. */
static struct column objective_column(const struct selected *selected)
{
    const bool candidates = strcmp(selected->asked.objective->name, "candidates") == 0;
    return (struct column){"objective", "objective",
                           candidates                  ? NULL
                           : selection_timed(selected) ? "time"
                                                       : "cost",
                           selection_timed(selected) ? STYLE_US : STYLE_COST, 0};
}

static void put_recall(struct table *table, const char *name, const char *heading, double recall,
                       double loss)
{
    char text[40];
    format_recall(text, sizeof text, loss);
    table_real(table, (struct column){name, name, NULL, STYLE_RECALL, 0}, recall);
    table_text(table, (struct column){NULL, NULL, heading, STYLE_PLAIN, 0},
               isnan(loss) ? "-" : text);
}

void selection_put(struct table *table, const struct selected *selected,
                   const struct rcm_point *point)
{
    char heading[40];
    const struct rcm_topk p = point->p;
    const struct rcm_profile *profile = selected->asked.machine.profile;
    const double row = selection_row_recall(p, selected->options),
                 exact = selected->choice.exact_objective;
    table_count(table, column("k_b", STYLE_PLAIN), p.k_b);
    table_count(table, column("b", STYLE_PLAIN), p.b);
    table_count(table, column("candidates", STYLE_PLAIN), rcm_candidates(p));
    put_recall(table, "recall", "recall", rcm_recall_exact(p), rcm_loss_exact(p));
    table_real(table, (struct column){"recall_sd", "recall_sd", "sd", STYLE_LOSS, 0},
               rcm_recall_sd(p));
    snprintf(heading, sizeof heading, "%.6g %% of\nrows reach",
             100.0 * selection_quantile(selected->options));
    put_recall(table, "recall_quantile", heading, row, 1.0 - row);
    table_real(table, objective_column(selected), point->objective);
    table_real(table, (struct column){"over_least", "over_least", "over\nleast", STYLE_SPEEDUP, 0},
               point->objective / selected->least);
    table_real(table, (struct column){"exact_objective", "exact_objective", NULL, STYLE_PLAIN, 0},
               exact);
    const bool compared =
        isfinite(exact) && strcmp(selected->asked.objective->name, "candidates") != 0;
    table_real(table,
               (struct column){"over_exact", "over_exact", compared ? "of\nexact" : NULL,
                               STYLE_PERCENT, 0},
               point->objective / exact);
    if (!profile)
        return;
    const struct rcm_prediction r = rcm_predict(profile, p);
    const bool shown = strcmp(selected->asked.objective->name, "time") != 0;
    table_real(table,
               (struct column){"predicted_us", "predicted_us", shown ? "time" : NULL, STYLE_US, 0},
               r.time_us);
    table_real(table, (struct column){"low_us", "low_us", NULL, STYLE_PLAIN, 0}, r.low_us);
    table_real(table, (struct column){"high_us", "high_us", NULL, STYLE_PLAIN, 0}, r.high_us);
    char beyond[RCM_BEYOND_TEXT];
    rcm_beyond_text(r.beyond, beyond);
    table_bool(table, (struct column){"within_runs", "within_runs", NULL, STYLE_PLAIN, 0},
               r.within_runs);
    table_text(table, (struct column){"beyond", "beyond", NULL, STYLE_PLAIN, 0}, beyond);
}

struct table *selection_frontier(const struct selected *selected)
{
    enum { MOST = 20 };
    struct rcm_point points[MOST];
    struct table *table = table_new();
    const size_t count = rcm_frontier(&selected->asked, points, MOST);
    for (size_t i = 0; i < count; i++) {
        struct column objective = objective_column(selected);
        objective.heading = objective.heading ? objective.heading : "objective";
        table_row(table, false);
        table_count(table, column("k_b", STYLE_PLAIN), points[i].p.k_b);
        table_count(table, column("b", STYLE_PLAIN), points[i].p.b);
        table_count(table, column("candidates", STYLE_PLAIN), rcm_candidates(points[i].p));
        put_recall(table, "recall", "recall", rcm_recall_exact(points[i].p),
                   rcm_loss_exact(points[i].p));
        table_real(table, column("loss", STYLE_LOSS), rcm_loss_exact(points[i].p));
        table_real(table, objective, points[i].objective);
    }
    return table;
}

static void put_rule(struct table *table, const struct selected *selected, const char *name,
                     const char *what, struct rcm_topk p)
{
    const struct rcm_profile *profile = selected->asked.machine.profile;
    const bool reaches = !p.b || rcm_reaches(p, selected->query->target);
    table_row(table, false);
    table_text(table, column("rule", STYLE_PLAIN), name);
    if (p.b) {
        table_count(table, column("b", STYLE_PLAIN), p.b);
        table_count(table, column("k_b", STYLE_PLAIN), p.k_b);
    } else {
        table_null(table, column("b", STYLE_PLAIN));
        table_null(table, column("k_b", STYLE_PLAIN));
    }
    table_count(table, column("candidates", STYLE_PLAIN), p.b ? rcm_candidates(p) : p.n);
    put_recall(table, "recall", "recall", p.b ? rcm_recall_exact(p) : 1.0,
               p.b ? rcm_loss_exact(p) : 0.0);
    if (profile)
        table_real(table, (struct column){"predicted_us", "predicted_us", "time", STYLE_US, 0},
                   p.b ? rcm_predict(profile, p).time_us : rcm_predict_exact(profile, p));
    table_bool(table, (struct column){.json = "reaches"}, reaches);
    table_text(table, (struct column){.heading = ""}, reaches ? "" : "misses it");
    table_text(table, (struct column){.json = "what", .heading = "takes"}, what);
}

/* What others take for this target; b = null: all of the row. */
struct table *selection_rules(const struct selected *selected)
{
    const struct query *query = selected->query;
    struct table *table = table_new();
    const struct rcm_practice *practice;
    const struct rcm_rule *rule;
    for (size_t i = 0; (practice = rcm_practice(i)); i++)
        put_rule(table, selected, practice->name, practice->rule,
                 practice->choose(query->base, query->target.loss));
    for (size_t i = 0; (rule = rcm_rule(i)); i++) {
        struct rcm_topk p = query->base;
        p.k_b = 1;
        if (!rule->applies(p))
            continue;
        p.b = rcm_rule_b(rule, p, query->target.loss);
        put_rule(table, selected, rule->name, rule->formula, p);
    }
    return table;
}

/* What one of the three contenders takes, in the unit of the objective. */
static void put_contender(struct table *table, const struct selected *selected, const char *name,
                          double value)
{
    char heading[40];
    struct column objective = objective_column(selected);
    snprintf(heading, sizeof heading, "%s\n%s", name,
             objective.heading ? objective.heading : "candidates");
    objective.heading = heading;
    if (strcmp(selected->asked.objective->name, "candidates") == 0 && isfinite(value))
        table_count(table, objective, (uint64_t)llround(value));
    else
        table_real(table, objective, value);
}

static void put_shape(struct table *table, const struct selected *selected)
{
    char recall[40] = "-";
    const struct rcm_topk p = selected->choice.p;
    const uint64_t values[] = {p.b, p.k_b};
    static const char *const names[] = {"buckets\nb", "\nk_b"};
    for (size_t i = 0; i < 2; i++)
        if (selection_found(selected))
            table_count(table, (struct column){.heading = names[i]}, values[i]);
        else
            table_null(table, (struct column){.heading = names[i]});
    if (selection_found(selected))
        format_recall(recall, sizeof recall, rcm_loss_exact(p));
    table_text(table, (struct column){.heading = "\nrecall"}, recall);
}

struct table *selection_table(const struct selected *selected, size_t count)
{
    struct table *table = table_new();
    for (size_t i = 0; i < count; i++) {
        const struct rcm_choice *c = &selected[i].choice;
        table_row(table, false);
        table_count(table, (struct column){.heading = "n"}, selected[i].query->base.n);
        table_count(table, (struct column){.heading = "k"}, selected[i].query->base.k);
        table_text(table, (struct column){.heading = "deploy"}, rcm_deploy_name(c->deploy));
        put_shape(table, &selected[i]);
        put_contender(table, &selected[i], "buckets", c->objective);
        put_contender(table, &selected[i], "exact", c->exact_objective);
        put_contender(table, &selected[i], "threshold", c->threshold.objective);
    }
    return table;
}
