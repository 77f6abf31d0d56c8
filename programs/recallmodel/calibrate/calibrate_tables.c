/* calibrate_tables.c - calibrate: the tables of the report.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include <base/memory.h>
#include <calibrate/regimes.h>

#include "calibrate.h"

#define WORST_SHOWN 6

struct parameter_row {
    struct rcm_time_parameter of;
    double value, error;
};

static const struct column parameter_items[] = {
    {FIELD(struct parameter_row, of.name), EVERYWHERE("parameter")},
    {FIELD(struct parameter_row, value), EVERYWHERE("value")},
    {FIELD(struct parameter_row, of.unit), EVERYWHERE("unit")},
    {FIELD(struct parameter_row, error), HEADED("standard_error", "+-"), .style = STYLE_PERCENT},
    {FIELD(struct parameter_row, of.meaning), EVERYWHERE("meaning")},
};
static const struct columns parameter_columns = COLUMNS(struct parameter_row, parameter_items);

struct table *parameter_table(const struct calibration *c)
{
    struct table *table = table_of(&parameter_columns, 0);
    const struct rcm_time_parameter *parameter;
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++) {
        const struct parameter_row row = {*parameter, rcm_time_value(&c->profile, parameter),
                                          c->fit.error[i]};
        if (row.value > 0.0)
            table_add(table, &row, false);
    }
    return table;
}

static const struct column error_items[] = {
    {FIELD(struct residuals, median), HEADED("median_error", "median\nerror"),
     .style = STYLE_PERCENT},
    {FIELD(struct residuals, p95), HEADED("p95_error", "95 %"), .style = STYLE_PERCENT},
    {FIELD(struct residuals, worst), HEADED("worst_error", "worst"), .style = STYLE_PERCENT},
};
static const struct columns error_columns = COLUMNS(struct residuals, error_items);

static const struct column residual_items[] = {
    {FIELD(struct residuals, runs), EVERYWHERE("runs")},
    {FIELD(struct residuals, unpredicted), IN_DATA("unpredicted")},
    {.part = &error_columns},
};
const struct columns residual_columns = COLUMNS(struct residuals, residual_items);

static const struct column regime_items[] = {
    {FIELD(struct regime, name), HEADED("regime", "mostly")},
    {FIELD(struct regime, errors.runs), EVERYWHERE("runs")},
    {FIELD(struct regime, median_ratio), HEADED("median_ratio", "predicted/\nmeasured"),
     .style = STYLE_Z},
    {PART(struct regime, errors, error_columns)},
};
static const struct columns regime_columns = COLUMNS(struct regime, regime_items);

struct table *regime_table(const struct calibration *c)
{
    struct table *table = table_of(&regime_columns, 0);
    struct regime *regimes;
    size_t count;
    if (regimes_of(&c->profile, c->runs.items, c->predicted, c->runs.length, &regimes, &count) != 0)
        require_memory(NULL);
    for (size_t i = 0; i < count; i++)
        table_add(table, &regimes[i], false);
    free(regimes);
    return table;
}

struct worst_row {
    struct run run;
    double predicted_us;
    char regime[REGIME_NAME];
};

enum { CPU = 1, WITH_EXACT = 2, BY_SIZE = 4 }; /* parts of the tables */

static const struct column worst_items[] = {
    {PART(struct worst_row, run.p, shape_columns)},
    {FIELD(struct worst_row, run.threads), EVERYWHERE("threads"), .when = CPU},
    {FIELD(struct worst_row, run.time_us), HEADED("time_us", "measured\nus")},
    {FIELD(struct worst_row, predicted_us), HEADED("predicted_us", "predicted\nus")},
    {FIELD(struct worst_row, regime), HEADED("regime", "mostly")},
};
static const struct columns worst_columns = COLUMNS(struct worst_row, worst_items);

struct table *worst_table(const struct calibration *c)
{
    struct table *table =
        table_of(&worst_columns, c->profile.kernel->model == RCM_TIME_CPU ? CPU : 0);
    size_t worst[WORST_SHOWN];
    const size_t count =
        worst_runs(c->runs.items, c->predicted, c->runs.length, WORST_SHOWN, worst);
    for (size_t i = 0; i < count; i++) {
        struct worst_row row = {c->runs.items[worst[i]], c->predicted[worst[i]], ""};
        regime_name(&c->profile, &row.run, row.regime);
        table_add(table, &row, false);
    }
    return table;
}

struct validation_row {
    uint64_t n;
    struct residuals errors;
    struct regret regret;
};

static const struct column validation_items[] = {
    {FIELD(struct validation_row, n), HEADED("n", "n left out")},
    {PART(struct validation_row, errors, residual_columns)},
    {FIELD(struct validation_row, regret.cells), EVERYWHERE("cells")},
    {FIELD(struct validation_row, regret.mean), HEADED("regret_mean", "regret\nmean")},
    {FIELD(struct validation_row, regret.p95), HEADED("regret_p95", "regret\n95 %")},
    {FIELD(struct validation_row, regret.max), HEADED("regret_max", "regret\nmost")},
};
static const struct columns validation_columns = COLUMNS(struct validation_row, validation_items);

struct table *validation_table(const struct calibration *c)
{
    const struct validation *v = &c->validation;
    struct table *table = table_of(&validation_columns, 0);
    for (size_t s = 0; v->size_count > 1 && s < v->size_count; s++) {
        const struct validation_row row = {v->sizes[s].n, v->sizes[s].left_out,
                                           v->sizes[s].regret[0]};
        table_add(table, &row, false);
    }
    return table;
}

struct regret_row {
    uint64_t n; /* left out */
    const char *model;
    struct regret of;
};

static const struct column regret_items[] = {
    {FIELD(struct regret_row, n), IN_DATA("n"), .when = BY_SIZE},
    {FIELD(struct regret_row, model), IN_DATA("model"), .when = BY_SIZE},
    {FIELD(struct regret_row, model), .heading = "choice by"},
    {FIELD(struct regret_row, of.mean), EVERYWHERE("mean")},
    {FIELD(struct regret_row, of.median), EVERYWHERE("median")},
    {FIELD(struct regret_row, of.p95), HEADED("p95", "95 %")},
    {FIELD(struct regret_row, of.max), HEADED("max", "most")},
    {FIELD(struct regret_row, of.cells), EVERYWHERE("cells")},
    {FIELD(struct regret_row, of.exact_fastest), HEADED("exact_fastest", "exact\nfastest"),
     .when = WITH_EXACT},
    {FIELD(struct regret_row, of.exact_chosen), HEADED("exact_chosen", "exact\nchosen"),
     .when = WITH_EXACT},
};
static const struct columns regret_columns = COLUMNS(struct regret_row, regret_items);

static void add_regrets(struct table *table, uint64_t n, const struct regret regrets[SCORES])
{
    for (size_t score = 0; score < SCORES; score++) {
        const struct regret_row row = {n, score_name(score), regrets[score]};
        table_add(table, &row, score == 0);
    }
}

struct table *regret_table(const struct regret regrets[SCORES], bool with_exact)
{
    struct table *table = table_of(&regret_columns, with_exact ? WITH_EXACT : 0);
    add_regrets(table, 0, regrets);
    return table;
}

struct table *size_regret_table(const struct calibration *c)
{
    struct table *table = table_of(&regret_columns, BY_SIZE);
    for (size_t s = 0; c->validation.size_count > 1 && s < c->validation.size_count; s++)
        add_regrets(table, c->validation.sizes[s].n, c->validation.sizes[s].regret);
    return table;
}
