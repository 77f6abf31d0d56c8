/* calibrate_tables.c - calibrate: the tables of the report.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include <base/memory.h>
#include <calibrate/regimes.h>

#include "calibrate.h"
#include <programs/recallmodel/question/columns.h>

#define WORST_SHOWN 6

struct table *parameter_table(const struct calibration *c)
{
    struct table *table = table_new();
    const struct rcm_time_parameter *parameter;
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++) {
        const double value = rcm_time_value(&c->profile, parameter);
        if (!(value > 0.0))
            continue;
        table_row(table, false);
        table_text(table, column("parameter", STYLE_PLAIN), parameter->name);
        table_real(table, column("value", STYLE_PLAIN), value);
        table_text(table, column("unit", STYLE_PLAIN), parameter->unit);
        table_real(table, headed("standard_error", "+-", STYLE_PERCENT),
                   isfinite(c->fit.error[i]) ? c->fit.error[i] : NAN);
        table_text(table, column("meaning", STYLE_PLAIN), parameter->meaning);
    }
    return table;
}

/* The columns of |predicted/measured - 1|. */
static void put_errors(struct table *table, double median, double p95, double worst)
{
    table_real(table, headed("median_error", "median\nerror", STYLE_PERCENT), median);
    table_real(table, headed("p95_error", "95 %", STYLE_PERCENT), p95);
    table_real(table, headed("worst_error", "worst", STYLE_PERCENT), worst);
}

struct table *regime_table(const struct calibration *c)
{
    struct table *table = table_new();
    struct regime *regimes;
    size_t count;
    if (regimes_of(&c->profile, c->runs.items, c->predicted, c->runs.length, &regimes, &count) != 0)
        require_memory(NULL);
    for (size_t i = 0; i < count; i++) {
        table_row(table, false);
        table_text(table, headed("regime", "mostly", STYLE_PLAIN), regimes[i].name);
        table_count(table, column("runs", STYLE_PLAIN), regimes[i].errors.runs);
        table_real(table, headed("median_ratio", "predicted/\nmeasured", STYLE_Z),
                   regimes[i].median_ratio);
        put_errors(table, regimes[i].errors.median, regimes[i].errors.p95, regimes[i].errors.worst);
    }
    free(regimes);
    return table;
}

struct table *worst_table(const struct calibration *c)
{
    struct table *table = table_new();
    size_t worst[WORST_SHOWN];
    const size_t count =
        worst_runs(c->runs.items, c->predicted, c->runs.length, WORST_SHOWN, worst);
    for (size_t i = 0; i < count; i++) {
        const struct run *run = &c->runs.items[worst[i]];
        char regime[REGIME_NAME];
        regime_name(&c->profile, run, regime);
        table_row(table, false);
        put_shape_of_run(table, run->p);
        if (c->profile.kernel->cpu)
            table_count(table, column("threads", STYLE_PLAIN), run->threads);
        table_real(table, headed("time_us", "measured\nus", STYLE_PLAIN), run->time_us);
        table_real(table, headed("predicted_us", "predicted\nus", STYLE_PLAIN),
                   c->predicted[worst[i]]);
        table_text(table, headed("regime", "mostly", STYLE_PLAIN), regime);
    }
    return table;
}

struct table *validation_table(const struct calibration *c)
{
    const struct validation *v = &c->validation;
    struct table *table = table_new();
    for (size_t s = 0; v->size_count > 1 && s < v->size_count; s++) {
        const struct residuals *left_out = &v->left_out[s];
        const struct regret *regret = &v->left_out_regret[s][0];
        table_row(table, false);
        table_count(table, headed("n", "n left out", STYLE_PLAIN), v->sizes[s]);
        table_count(table, column("runs", STYLE_PLAIN), left_out->runs);
        table_count(table, in_data("unpredicted"), left_out->unpredicted);
        put_errors(table, left_out->median, left_out->p95, left_out->worst);
        table_count(table, column("cells", STYLE_PLAIN), regret->cells);
        table_real(table, headed("regret_mean", "regret\nmean", STYLE_PLAIN), regret->mean);
        table_real(table, headed("regret_p95", "regret\n95 %", STYLE_PLAIN), regret->p95);
        table_real(table, headed("regret_max", "regret\nmost", STYLE_PLAIN), regret->max);
    }
    return table;
}

void put_regret(struct table *table, const struct regret *r)
{
    table_real(table, column("mean", STYLE_PLAIN), r->mean);
    table_real(table, column("median", STYLE_PLAIN), r->median);
    table_real(table, headed("p95", "95 %", STYLE_PLAIN), r->p95);
    table_real(table, headed("max", "most", STYLE_PLAIN), r->max);
    table_count(table, column("cells", STYLE_PLAIN), r->cells);
}

void put_exact_regret(struct table *table, const struct regret *r)
{
    put_regret(table, r);
    table_count(table, headed("exact_fastest", "exact\nfastest", STYLE_PLAIN), r->exact_fastest);
    table_count(table, headed("exact_chosen", "exact\nchosen", STYLE_PLAIN), r->exact_chosen);
}

static struct table *regrets_table(const struct regret regrets[SCORES],
                                   void (*put)(struct table *table, const struct regret *r))
{
    struct table *table = table_new();
    for (size_t score = 0; score < SCORES; score++) {
        table_row(table, score == 0);
        table_text(table, (struct column){.csv = "model", .heading = "choice by"},
                   score_name(score));
        put(table, &regrets[score]);
    }
    return table;
}

struct table *regret_table(const struct regret regrets[SCORES])
{
    return regrets_table(regrets, put_regret);
}

struct table *exact_regret_table(const struct regret regrets[SCORES])
{
    return regrets_table(regrets, put_exact_regret);
}

struct table *size_regret_table(const struct calibration *c)
{
    struct table *table = table_new();
    for (size_t s = 0; c->validation.size_count > 1 && s < c->validation.size_count; s++)
        for (size_t score = 0; score < SCORES; score++) {
            table_row(table, false);
            table_count(table, column("n", STYLE_PLAIN), c->validation.sizes[s]);
            table_text(table, column("model", STYLE_PLAIN), score_name(score));
            put_regret(table, &c->validation.left_out_regret[s][score]);
        }
    return table;
}
