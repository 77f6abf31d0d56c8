/* simulation_tables.c - simulate: the columns of its results.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <base/text.h>

#include <programs/recallmodel/question/columns.h>
#include "simulation_report.h"

/* A column that the aligned table shows only if `shown`. */
static struct column shown_if(bool shown, const char *name, const char *heading, enum style style,
                              int drop)
{
    return (struct column){
        .csv = name, .json = name, .heading = shown ? heading : NULL, .style = style, .drop = drop};
}

static void put_scenario(struct table *table, const struct simulation_answer *s, struct scenario at)
{
    const struct column rho = shown_if(shows_rho(s), "rho", "rho", STYLE_GIVEN, 0);
    if (shows_rho(s))
        table_real(table, rho, s->spec->rho[at.rho]);
    else
        table_null(table, rho);
    table_text(table, shown_if(shows_shuffle(s), "shuffle", "shuffle", STYLE_PLAIN, 0),
               sim_shuffle_name(s->spec->shuffle[at.shuffle]));
}

static void put_shape(struct table *table, const struct shape_model *model)
{
    table_text(table, column("assignment", STYLE_PLAIN), assignment_name(model->p.assignment));
    table_count(table, column("b", STYLE_PLAIN), model->p.b);
    table_count(table, column("k_b", STYLE_PLAIN), model->p.k_b);
}

static void put_measured_recall(struct table *table, const struct simulation_answer *s,
                                const struct sim_result *r)
{
    table_real(table, headed("recall_mean", "recall", STYLE_RECALL), r->recall_mean);
    table_real(table, dropped(7, "recall_sd", "sd of\na row", STYLE_LOSS), r->recall_sd);
    table_real(table, dropped(3, "recall_stderr", "stderr", STYLE_LOSS), r->recall_stderr);
    table_real(table, in_data("recall_p50"), r->recall_p50);
    table_real(table, dropped(6, "recall_p05", "5 % of\nrows <=", STYLE_RECALL), r->recall_p05);
    table_real(table, in_data("recall_p01"), r->recall_p01);
    table_real(table, headed("recall_worst", "worst\nrow", STYLE_RECALL), r->recall_worst);
    table_real(table, shown_if(s->shows_value, "recall_value_mean", "by\nvalue", STYLE_RECALL, 0),
               r->recall_value_mean);
    table_real(table, dropped(4, "exact_rows", "exact\nrows", STYLE_PLAIN), r->exact_rows);
    table_real(table, in_data("certified_rows"), r->certified_rows);
}

/* The softmax mass that is kept. */
static void put_mass(struct table *table, bool weights, const struct sim_result *r)
{
    table_real(table, shown_if(weights, "mass_mean", "mass\nkept", STYLE_RECALL, 0), r->mass_mean);
    table_real(table, shown_if(weights, "mass_worst", "worst\nmass", STYLE_RECALL, 1),
               r->mass_worst);
    table_real(table, in_data("value_mean"), r->value_mean);
    table_real(table, in_data("value_worst"), r->value_worst);
    put_count_if(weights, table, in_data("value_rows"), r->value_rows);
}

/* The model of rows with waves. A shuffle breaks them up, and the usual model holds. */
static void put_wave(struct table *table, const struct simulation_answer *s, struct scenario at,
                     const struct shape_model *model)
{
    const bool shuffled = s->spec->shuffle[at.shuffle] != SIM_SHUFFLE_NONE;
    if (s->spec->input == SIM_ROPE)
        table_real(table, headed("wave_recall", "wave\nrecall", STYLE_RECALL),
                   1.0 - (shuffled ? model->loss : model->wave_loss));
}

static void put_result(struct table *table, const struct simulation_answer *s, struct scenario at,
                       const struct sim_result *r, const struct shape_model *model)
{
    table_count(table, dropped(2, "candidates", "candi-\ndates", STYLE_PLAIN),
                rcm_candidates(model->p));
    put_measured_recall(table, s, r);
    put_mass(table, s->spec->weights, r);
    table_real(table, dropped(8, "reaching_mean", "rank R\nreached", STYLE_COST), r->reaching_mean);
    table_real(table, in_data("reaching_sd"), r->reaching_sd);
    table_real(table, in_data("reaching_worst"), r->reaching_worst);
    table_real(table, headed("model_recall", "model\nrecall", STYLE_RECALL), 1.0 - model->loss);
    put_wave(table, s, at, model);
    table_real(table, in_data("model_sd"), model->sd);
    table_real(table, in_data("model_exact_rows"), rcm_probability_exact(model->p));
    table_real(table, in_data("model_worst_case"), rcm_recall_worst_case(model->p));
    table_real(table, column("z", STYLE_Z), z_of(r, model));
}

/* What is known only if masses are measured, or rows are in groups. */
static void put_more(struct table *table, const struct simulation_answer *s, size_t index)
{
    const size_t rho = scenario_at(s, index / s->spec->shapes).rho;
    if (s->spec->weights)
        table_real(table, in_csv("topk_mass_mean"),
                   simulation_rows(s->simulation, rho).topk_mass_mean);
    if (s->spec->groups)
        put_groups(table, s, index);
}

/* Survival of the ranks asked for: columns of the CSV. */
static void put_survival(struct table *table, const struct simulation_answer *s,
                         const struct sim_result *r, const struct shape_model *model)
{
    char measured[64], model_name[64];
    for (size_t i = 0; i < s->spec->ranks; i++) {
        snprintf(measured, sizeof measured, "survival_%" PRIu64, s->spec->rank[i]);
        snprintf(model_name, sizeof model_name, "model_survival_%" PRIu64, s->spec->rank[i]);
        table_real(table, in_csv(measured), (double)r->survived[i] / (double)r->rows);
        table_real(table, in_csv(model_name), rcm_survival(model->p, s->spec->rank[i]));
    }
}

static void put_run(struct table *table, const struct simulation_answer *s)
{
    table_text(table, in_csv("version"), rcm_version());
    table_count(table, in_csv("n"), s->spec->n);
    table_count(table, in_csv("k"), s->spec->k);
    table_count(table, in_csv("valid"), s->spec->valid);
    table_text(table, in_csv("input"), sim_input_name(s->spec->input));
    if (s->spec->input == SIM_ROPE) {
        table_real(table, in_csv("rope_theta"), s->spec->rope->theta);
        table_count(table, in_csv("head_dim"), s->spec->rope->head_dim);
        table_real(table, in_csv("rope_share"), s->spec->rope->share);
    }
    table_count(table, in_csv("seed"), s->spec->seed);
    table_count(table, in_csv("repetitions"), simulation_done(s->simulation));
    table_bool(table, in_csv("partial"), s->partial);
}

static void put_row(struct table *table, const struct simulation_answer *s, struct scenario at,
                    const struct sim_result *r, const struct shape_model *model, bool chosen)
{
    table_row(table, chosen);
    put_run(table, s);
    put_scenario(table, s, at);
    put_shape(table, model);
    put_result(table, s, at, r, model);
    put_more(table, s, result_index(s, at, (size_t)(model - s->models)));
    put_survival(table, s, r, model);
}

/* One row for each rank that is followed. */
static void put_ranks(struct table *table, const struct simulation_answer *s, struct scenario at,
                      const struct sim_result *r, const struct shape_model *model, bool chosen)
{
    (void)chosen;
    for (size_t i = 0; i < s->spec->ranks; i++) {
        double survival = rcm_survival(model->p, s->spec->rank[i]),
               measured = (double)r->survived[i] / (double)r->rows;
        double sd = sqrt(survival * (1.0 - survival) / (double)r->rows);
        table_row(table, false);
        put_scenario(table, s, at);
        put_shape(table, model);
        table_count(table, column("rank", STYLE_PLAIN), s->spec->rank[i]);
        table_real(table, column("survival", STYLE_RECALL), measured);
        table_real(table, headed("model_survival", "model\nsurvival", STYLE_RECALL), survival);
        table_real(table, column("z", STYLE_Z), sd > 0.0 ? (measured - survival) / sd : NAN);
    }
}

/* One row over groups. */
static void put_over_groups(struct table *table, const struct simulation_answer *s,
                            struct scenario at, const struct sim_result *r,
                            const struct shape_model *model, bool chosen)
{
    const size_t index = result_index(s, at, (size_t)(model - s->models));
    const struct over_groups over = over_groups(s, index);
    char shown[TEXT_SHOWN], *label = worst_label(s, &over);
    table_row(table, chosen);
    put_scenario(table, s, at);
    put_shape(table, model);
    table_real(table, headed("recall_mean", "recall", STYLE_RECALL), r->recall_mean);
    table_real(table, column("stderr", STYLE_LOSS), over.of.recall_se);
    table_real(table, headed("low", "95 %\nfrom", STYLE_RECALL), over.of.recall_low);
    table_real(table, headed("high", "\nto", STYLE_RECALL), over.of.recall_high);
    table_real(table, headed("worst", "worst\ngroup", STYLE_RECALL), over.worst_group.recall_mean);
    table_real(table, dropped(2, "mass", "its\nmass", STYLE_RECALL), over.worst_group.mass_mean);
    table_count(table, dropped(1, "rows", "its\nrows", STYLE_PLAIN), over.worst_group.lost.rows);
    table_text(table, headed("label", "its\nlabel", STYLE_PLAIN),
               label ? text_shown(shown, label) : NULL);
    free(label);
}

/* Puts the rows of one result; `chosen` if it is the choice for the target. */
typedef void row_putter(struct table *table, const struct simulation_answer *s, struct scenario at,
                        const struct sim_result *r, const struct shape_model *model, bool chosen);

/* The rows of one scenario. For an assignment and k_b, b rises from shape to shape. */
static void put_rows_of(struct table *table, const struct simulation_answer *s, struct scenario at,
                        row_putter *put, enum which_results which)
{
    struct simulation_choice choice = {0};
    uint64_t k_b = 0; /* of the shape that was shown last */
    if (s->settings->question.targets.length)
        choice = choose_shape(s, at);
    for (size_t i = 0; i < s->spec->shapes; i++) {
        const struct sim_result r = s->results[result_index(s, at, i)];
        if (i % s->query->length == 0)
            k_b = 0;
        if (which == FIRST_REACHING && (s->models[i].p.k_b == k_b || !reaches_target(s, at, i)))
            continue;
        k_b = s->models[i].p.k_b;
        put(table, s, at, &r, &s->models[i],
            choice.any ? choice.shape == i : choice.student_any && choice.student_shape == i);
    }
}

struct table *result_table(const struct simulation_answer *s, enum which_results which)
{
    struct table *table = table_new();
    for (size_t i = 0; i < scenario_count(s); i++)
        put_rows_of(table, s, scenario_at(s, i), put_row, which);
    return table;
}

struct table *rank_table(const struct simulation_answer *s, enum which_results which)
{
    struct table *table = table_new();
    for (size_t i = 0; i < scenario_count(s); i++)
        put_rows_of(table, s, scenario_at(s, i), put_ranks, which);
    return table;
}

struct table *group_table(const struct simulation_answer *s, enum which_results which)
{
    struct table *table = table_new();
    for (size_t i = 0; i < scenario_count(s); i++)
        put_rows_of(table, s, scenario_at(s, i), put_over_groups, which);
    return table;
}
