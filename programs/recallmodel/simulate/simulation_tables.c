/* simulation_tables.c - simulate: its results as rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <base/memory.h>
#include <base/text.h>

#include "simulation_report.h"

/* What a table has, or shows. */
enum {
    WITH_RHO = 1,
    WITH_SHUFFLE = 2,
    WITH_VALUE = 4,
    WITH_WEIGHTS = 8,
    WITH_ROPE = 16,
    WITH_GROUPS = 32,
    FOR_PEOPLE = 64,
    WITH_DEAL = 128
};

static unsigned parts_of(const struct simulation_answer *s)
{
    return (shows_rho(s) ? WITH_RHO : 0U) | (shows_shuffle(s) ? WITH_SHUFFLE : 0U) |
           (s->shows_value ? WITH_VALUE : 0U) | (s->spec->weights ? WITH_WEIGHTS : 0U) |
           (s->spec->input == SIM_ROPE ? WITH_ROPE : 0U) | (s->spec->groups ? WITH_GROUPS : 0U) |
           (s->spec->deal > 1 ? WITH_DEAL : 0U) |
           (s->settings->question.output == OUTPUT_TABLE ? FOR_PEOPLE : 0U);
}

/* Which scenario and shape. */
struct conditions {
    double rho;
    const char *shuffle, *assignment;
    struct shape_model model;
};

static const struct column condition_items[] = {
    {FIELD(struct conditions, rho), EVERYWHERE("rho"), .style = STYLE_GIVEN, .shown = WITH_RHO},
    {FIELD(struct conditions, shuffle), EVERYWHERE("shuffle"), .shown = WITH_SHUFFLE},
    {FIELD(struct conditions, assignment), EVERYWHERE("assignment")},
    {FIELD(struct conditions, model.p.b), EVERYWHERE("b")},
    {FIELD(struct conditions, model.p.k_b), EVERYWHERE("k_b")},
};
static const struct columns condition_columns = COLUMNS(struct conditions, condition_items);

/* ---- results */

struct result_row {
    const char *version, *input;
    struct sim_spec spec;
    struct sim_rope rope;
    uint64_t repetitions;
    bool partial;
    struct conditions of;
    struct sim_result r;
    double wave_recall, z, topk_mass_mean;
    struct over_groups over;
    const char *shown_label;
};

#define ROW(field) FIELD(struct result_row, field)
#define RECALL(field) ROW(field), .style = STYLE_RECALL

static const struct column result_items[] = {
    {ROW(version), .csv = "version"},
    {ROW(spec.n), .csv = "n"},
    {ROW(spec.k), .csv = "k"},
    {ROW(spec.valid), .csv = "valid"},
    {ROW(input), .csv = "input"},
    {ROW(rope.theta), .csv = "rope_theta", .when = WITH_ROPE},
    {ROW(rope.head_dim), .csv = "head_dim", .when = WITH_ROPE},
    {ROW(rope.share), .csv = "rope_share", .when = WITH_ROPE},
    {ROW(spec.seed), .csv = "seed"},
    {ROW(repetitions), .csv = "repetitions"},
    {ROW(partial), .csv = "partial"},
    {PART(struct result_row, of, condition_columns)},
    {ROW(spec.deal), HEADED("deal", "dealt\nby"), .when = WITH_DEAL},
    {ROW(of.model.candidates), HEADED("candidates", "candi-\ndates"), .drop = 2},
    {RECALL(r.recall_mean), HEADED("recall_mean", "recall")},
    {ROW(r.recall_sd), HEADED("recall_sd", "sd of\na row"), .style = STYLE_LOSS, .drop = 7},
    {ROW(r.recall_stderr), HEADED("recall_stderr", "stderr"), .style = STYLE_LOSS, .drop = 3},
    {ROW(r.recall_p50), IN_DATA("recall_p50")},
    {RECALL(r.recall_p05), HEADED("recall_p05", "5 % of\nrows <="), .drop = 6},
    {ROW(r.recall_p01), IN_DATA("recall_p01")},
    {RECALL(r.recall_worst), HEADED("recall_worst", "worst\nrow")},
    {RECALL(r.recall_value_mean), HEADED("recall_value_mean", "by\nvalue"), .shown = WITH_VALUE},
    {ROW(r.exact_rows), HEADED("exact_rows", "exact\nrows"), .drop = 4},
    {ROW(r.certified_rows), IN_DATA("certified_rows")},
    {RECALL(r.mass_mean), HEADED("mass_mean", "mass\nkept"), .shown = WITH_WEIGHTS},
    {RECALL(r.mass_worst), HEADED("mass_worst", "worst\nmass"), .drop = 1, .shown = WITH_WEIGHTS},
    {ROW(r.value_mean), IN_DATA("value_mean")},
    {ROW(r.value_worst), IN_DATA("value_worst")},
    {ROW(r.value_rows), IN_DATA("value_rows")},
    {ROW(r.reaching_mean), HEADED("reaching_mean", "rank R\nreached"), .style = STYLE_COST,
     .drop = 8},
    {ROW(r.reaching_sd), IN_DATA("reaching_sd")},
    {ROW(r.reaching_worst), IN_DATA("reaching_worst")},
    {RECALL(of.model.recall), HEADED("model_recall", "model\nrecall")},
    {RECALL(wave_recall), HEADED("wave_recall", "wave\nrecall"), .when = WITH_ROPE},
    {ROW(of.model.sd), IN_DATA("model_sd")},
    {ROW(of.model.exact_rows), IN_DATA("model_exact_rows")},
    {ROW(of.model.worst_case), IN_DATA("model_worst_case")},
    {ROW(z), EVERYWHERE("z"), .style = STYLE_Z},
    {ROW(topk_mass_mean), .csv = "topk_mass_mean", .when = WITH_WEIGHTS},
    {ROW(over.of.groups), .csv = "groups", .when = WITH_GROUPS},
    {ROW(over.of.recall_se), IN_DATA("recall_se_groups"), .when = WITH_GROUPS},
    {ROW(over.of.recall_low), IN_DATA("recall_low_groups"), .when = WITH_GROUPS},
    {ROW(over.of.recall_high), IN_DATA("recall_high_groups"), .when = WITH_GROUPS},
    {ROW(over.worst_label), IN_DATA("worst_group"), .when = WITH_GROUPS},
    {ROW(over.worst_group.recall_mean), IN_DATA("recall_worst_group"), .when = WITH_GROUPS},
    {ROW(over.worst_group.mass_mean), IN_DATA("mass_worst_group"), .when = WITH_GROUPS},
};
const struct columns simulation_columns = COLUMNS(struct result_row, result_items);

/* The same over groups, for people. */
static const struct column group_items[] = {
    {PART(struct result_row, of, condition_columns)},
    {RECALL(r.recall_mean), .heading = "recall"},
    {ROW(over.of.recall_se), .heading = "stderr", .style = STYLE_LOSS},
    {RECALL(over.of.recall_low), .heading = "95 %\nfrom"},
    {RECALL(over.of.recall_high), .heading = "\nto"},
    {RECALL(over.worst_group.recall_mean), .heading = "worst\ngroup"},
    {RECALL(over.worst_group.mass_mean), .heading = "its\nmass", .drop = 2},
    {ROW(over.worst_group.lost.rows), .heading = "its\nrows", .drop = 1},
    {ROW(shown_label), .heading = "its\nlabel"},
};
static const struct columns group_columns = COLUMNS(struct result_row, group_items);

static struct result_row row_of(const struct simulation_answer *s, struct scenario at, size_t shape)
{
    const size_t index = result_index(s, at, shape);
    const struct sim_spec *spec = s->spec;
    const struct shape_model *model = &s->models[shape];
    struct result_row row = {
        .version = rcm_version(),
        .input = sim_input_name(spec->input),
        .spec = *spec,
        .repetitions = simulation_done(s->simulation),
        .partial = s->partial,
        .of = {shows_rho(s) ? spec->rho[at.rho] : NAN, sim_shuffle_name(spec->shuffle[at.shuffle]),
               assignment_name(model->p.assignment), *model},
        .r = s->results[index],
        .z = z_of(&s->results[index], model),
        .topk_mass_mean = simulation_rows(s->simulation, at.rho).topk_mass_mean,
        .over = s->over[index],
    };
    if (spec->rope)
        row.rope = *spec->rope;
    if (!spec->weights)
        row.r.value_rows = NO_COUNT;
    /* A shuffle breaks the waves up, and the usual model holds. */
    row.wave_recall =
        spec->shuffle[at.shuffle] == SIM_SHUFFLE_NONE ? 1.0 - model->wave_loss : model->recall;
    return row;
}

/* ---- the ranks asked for: columns of CSV, and rows for people and JSON */

struct survival {
    uint64_t rank;
    double measured, model, z;
};

static const struct column survival_items[] = {
    {FIELD(struct survival, measured), .csv = "survival_%s"},
    {FIELD(struct survival, model), .csv = "model_survival_%s"},
};
static const struct columns survival_columns = COLUMNS(struct survival, survival_items);

struct rank_row {
    struct conditions of;
    struct survival survival;
};

static const struct column rank_items[] = {
    {PART(struct rank_row, of, condition_columns), .when = FOR_PEOPLE},
    {FIELD(struct rank_row, survival.rank), EVERYWHERE("rank")},
    {FIELD(struct rank_row, survival.measured), EVERYWHERE("survival"), .style = STYLE_RECALL},
    {FIELD(struct rank_row, survival.model), HEADED("model_survival", "model\nsurvival"),
     .style = STYLE_RECALL},
    {FIELD(struct rank_row, survival.z), .heading = "z", .style = STYLE_Z},
};
static const struct columns rank_columns = COLUMNS(struct rank_row, rank_items);

static struct survival survival_of(const struct simulation_answer *s, const struct result_row *row,
                                   size_t i)
{
    const double rows = (double)row->r.rows, measured = (double)row->r.survived[i] / rows,
                 model = rcm_survival(row->of.model.p, s->spec->rank[i]),
                 sd = sqrt(model * (1.0 - model) / rows);
    return (struct survival){s->spec->rank[i], measured, model,
                             sd > 0.0 ? (measured - model) / sd : NAN};
}

/* ---- the tables */

/* A row of the results, behind which the ranks lie. */
static void add_result(const struct simulation_tables *tables, const struct simulation_answer *s,
                       struct scenario at, size_t shape, bool chosen)
{
    char shown[TEXT_SHOWN];
    const size_t size = sizeof(struct result_row) + s->spec->ranks * sizeof(struct survival);
    struct result_row *row = require_memory(malloc(size));
    struct survival *survival = (struct survival *)(row + 1);
    *row = row_of(s, at, shape);
    row->shown_label = row->over.worst_label ? text_shown(shown, row->over.worst_label) : NULL;
    for (size_t i = 0; i < s->spec->ranks; i++) {
        survival[i] = survival_of(s, row, i);
        const struct rank_row rank = {row->of, survival[i]};
        table_add(tables->ranks, &rank, false);
    }
    table_add_row(tables->results, row, size, chosen);
    table_add(tables->groups, row, chosen);
    free(row);
}

/* The rows of one scenario. For an assignment and k_b, b rises from shape to shape. */
static void add_scenario(const struct simulation_tables *tables, const struct simulation_answer *s,
                         struct scenario at, enum which_results which)
{
    struct simulation_choice choice = {0};
    uint64_t k_b = 0; /* of the shape that was shown last */
    if (s->settings->question.targets.length)
        choice = choose_shape(s, at);
    for (size_t i = 0; i < s->spec->shapes; i++) {
        if (i % s->query->length == 0)
            k_b = 0;
        if (which == FIRST_REACHING && (s->models[i].p.k_b == k_b || !reaches_target(s, at, i)))
            continue;
        k_b = s->models[i].p.k_b;
        add_result(tables, s, at, i,
                   choice.any ? choice.shape == i
                              : choice.student_any && choice.student_shape == i);
    }
}

struct simulation_tables simulation_tables(const struct simulation_answer *s,
                                           enum which_results which)
{
    const unsigned parts = parts_of(s);
    const struct simulation_tables tables = {table_of(&simulation_columns, parts),
                                             table_of(&group_columns, parts),
                                             table_of(&rank_columns, parts)};
    for (size_t i = 0; i < s->spec->ranks; i++) {
        char rank[24];
        snprintf(rank, sizeof rank, "%" PRIu64, s->spec->rank[i]);
        table_part(tables.results, &survival_columns,
                   sizeof(struct result_row) + i * sizeof(struct survival), rank);
    }
    for (size_t i = 0; i < scenario_count(s); i++)
        add_scenario(&tables, s, scenario_at(s, i), which);
    return tables;
}

void simulation_tables_free(const struct simulation_tables *tables)
{
    table_free(tables->results);
    table_free(tables->groups);
    table_free(tables->ranks);
}
