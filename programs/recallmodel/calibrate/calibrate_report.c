/* calibrate_report.c - calibrate: the report, as text, JSON or CSV.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <programs/common/wrap.h>

#include "calibrate.h"
#include <programs/common/json.h>

#define SIZES_SHOWN 40

static void print_sizes(const struct calibration *c, const struct calibrate_settings *settings)
{
    const char *comma = "";
    if (c->validation.size_count > SIZES_SHOWN) {
        fputs("some", stdout);
        return;
    }
    for (size_t s = 0; s < c->validation.size_count; s++)
        if (held_out_together(c, settings, s)) {
            printf("%s%" PRIu64, comma, c->validation.sizes[s].n);
            comma = ", ";
        }
}

static void print_residuals(const struct residuals *r)
{
    if (r->runs)
        printf(": median error %.1f %%, 95 %% below %.1f %%", 100.0 * r->median, 100.0 * r->p95);
    if (r->unpredicted)
        printf("%s %zu runs could not be predicted, because the other runs say nothing about them",
               r->runs ? ";" : ":", r->unpredicted);
}

/* The parameters of the prior that these runs do not determine. */
static void print_prior(const struct calibration *c)
{
    char names[400] = "";
    for (size_t i = 0; rcm_time_parameter(i); i++)
        if (isinf(c->fit.error[i]) && strlen(names) + 40 < sizeof names) {
            strcat(names, *names ? ", " : "");
            strcat(names, rcm_time_parameter(i)->name);
        }
    if (c->prior.source)
        print_wrapped(
            "The fit began from the profile of %s, carried to this card%s%s%s.", c->prior.source,
            *names
                ? ". These parameters are still its own, because the runs do not determine them: "
                : "",
            names, *names ? "; runs that depend on them say more (--plan)" : "");
}

/* The parameters of the short model, or of that of exact top-k alone, that these runs do not
 * determine. */
static void print_left_out(const struct calibration *c)
{
    const struct rcm_time_parameter *parameter;
    const struct rcm_kernel *kernel = c->profile.kernel;
    const char *comma = "Left out, because these runs do not determine them: ";
    if (kernel->model != RCM_TIME_SHORT && kernel->model != RCM_TIME_EXACT)
        return;
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++)
        if (parameter->start[kernel->model] > 0.0 && !parameter->contiguous &&
            !(kernel->splits && parameter->offset == offsetof(struct rcm_profile, long_n)) &&
            !(rcm_time_value(&c->profile, parameter) > 0.0)) {
            printf("%s%s", comma, parameter->name);
            comma = ", ";
        }
    if (*comma == ',')
        puts(".");
}

static void print_and_free(struct table *table)
{
    table_print(table, stdout, colour_wanted());
    table_free(table);
}

static void print_parameters(const struct calibration *c)
{
    printf("\n%u parameters, fitted in %u steps", c->fit.parameters, c->fit.steps);
    if (c->fit.runs < c->runs.length)
        printf(
            " to %zu of the runs (a fixed selection from all k_b;\nthe ranges and errors below are "
            "those of all runs)",
            c->fit.runs);
    puts(":");
    print_and_free(parameter_table(c));
    print_left_out(c);
    print_prior(c);
    for (size_t i = 0; rcm_time_parameter(i); i++)
        if (c->fit.error[i] > 0.5 && isfinite(c->fit.error[i])) {
            print_wrapped(
                "These runs hardly determine the parameters with +- 50 %% or more: the times of "
                "shapes that depend on them are guesses.");
            break;
        }
}

/* How far the fit is from the runs that it was fitted to. */
static void print_fit_errors(const struct calibration *c)
{
    print_wrapped(
        "\n|predicted/measured - 1|: median %.1f %%, 95 %% of the runs below %.1f %%, worst "
        "%.1f %%. By regime, that is by what takes most of the time:",
        100.0 * c->profile.median_error, 100.0 * c->profile.p95_error,
        100.0 * c->profile.worst_error);
    print_and_free(regime_table(c));
    puts("\nThe worst runs:");
    print_and_free(worst_table(c));
}

static void print_contiguous(const struct calibration *c)
{
    const struct rcm_profile *q = &c->profile;
    if (q->contiguous_p05_ratio > 0.0)
        print_wrapped("Contiguous buckets, measured/predicted: 5 %% of %zu runs are below %.3f, "
                      "5 %% above %.3f.",
                      (size_t)q->contiguous_count, q->contiguous_p05_ratio,
                      q->contiguous_p95_ratio);
}

/* How far fits to the other k are from each k. */
static void print_by_k(const struct calibration *c)
{
    if (!c->by_k.runs) {
        puts("All runs have the same k, so that none was left out.");
        return;
    }
    fputs("Each k predicted by a fit to the others", stdout);
    print_residuals(&c->by_k);
    puts(".");
}

/* How far fits to the other sizes are from each size. */
static void print_validation(const struct calibration *c)
{
    const struct validation *v = &c->validation;
    const bool exact = c->profile.kernel->model == RCM_TIME_EXACT;
    const double low = exact ? v->exact_p05_ratio : v->p05_ratio,
                 high = exact ? v->exact_p95_ratio : v->p95_ratio;
    fputs(v->folds < v->size_count ? "\nEach size predicted by a fit that left it out, with others"
                                   : "\nEach size predicted by a fit to the others",
          stdout);
    print_residuals(&v->each);
    puts(".");
    if (low > 0.0)
        print_wrapped(
            "measured/predicted there: 5 %% of the runs are below %.3f, 5 %% above %.3f; predict "
            "shows this band beside each time.",
            low, high);
    if (v->size_count <= SIZES_SHOWN)
        print_and_free(validation_table(c));
    else
        printf("(--json prints each of the %zu sizes.)\n", v->size_count);
    if (exact) {
        print_by_k(c);
        return;
    }
    print_wrapped(
        "regret: the measured time of the configuration that the model picks, over that of the "
        "fastest one that reaches recall 0.8, 0.9, 0.95 or 0.99; 1 if every choice is the best.");
}

/* What changes where exact top-k is among the configurations, if it was measured for any of them.
 */
static void print_with_exact(const struct regret regrets[SCORES])
{
    const struct regret *r = &regrets[0];
    if (r->cells == 0)
        return;
    print_wrapped("With exact top-k among the configurations, in the %zu cells of which it was "
                  "measured: it is the fastest in %zu.",
                  r->cells, r->exact_fastest);
    print_and_free(regret_table(regrets, true));
}

static void print_cross_validation(const struct calibration *c,
                                   const struct calibrate_settings *settings)
{
    fputs("\nLeft out together, n = ", stdout);
    print_sizes(c, settings);
    print_residuals(&c->validation.together);
    if (c->profile.kernel->model == RCM_TIME_EXACT) {
        puts(".");
        return;
    }
    puts(". Regret of choosing there:");
    print_and_free(regret_table(c->validation.together_regret, false));
    print_with_exact(c->validation.together_with_exact);
    puts("\nOver all sizes, each left out in turn:");
    print_and_free(regret_table(c->validation.each_regret, false));
    print_with_exact(c->validation.each_with_exact);
}

static bool dtype_is_assumed(const struct calibration *c, const struct calibrate_settings *settings)
{
    return !c->runs.has_dtype && !settings->question.dtype.given;
}

static void print_text(const struct calibration *c, const struct calibrate_settings *settings)
{
    printf("%s, kernel %s, %s: %s\n", c->profile.name, c->profile.kernel->name,
           rcm_dtype_name(c->profile.dtype), c->profile.runs);
    if (dtype_is_assumed(c, settings))
        print_wrapped("Neither the runs (a column dtype) nor --dtype say which type the values "
                      "had: %s is assumed. If that is wrong, so is every bandwidth below.",
                      rcm_dtype_name(c->profile.dtype));
    if (c->runs.left_out)
        printf("(%zu rows of other measurements were left out)\n", c->runs.left_out);
    print_parameters(c);
    print_fit_errors(c);
    if (c->validation.folds > 0)
        print_validation(c);
    print_contiguous(c);
    if (settings->cross_validate)
        print_cross_validation(c, settings);
    const struct rcm_device_text *device = &settings->question.device.text;
    if (settings->question.device.given && !device->has_profile &&
        !(device->device.bandwidth_bytes_per_s > 0.0))
        print_wrapped("\n%s is not a device that recallmodel knows. Its profile predicts times. "
                      "For bounds (--objective roofline, --d) add lines with the rates that you "
                      "know: bandwidth_bytes_per_s, vector_rate_per_s, matrix_rate_per_s.",
                      device->device.name);
    if (settings->profile_file)
        printf("\nThe profile is in %s; use it with %s %s%s\n", settings->profile_file,
               calibration_kernel(settings, "generic")->model == RCM_TIME_EXACT ? "--exact-kernel"
                                                                                : "--device",
               strpbrk(settings->profile_file, "./") ? "" : "./", settings->profile_file);
}

/* ---- JSON */

static json_t *residuals_json(const struct residuals *r)
{
    struct table *table = table_of(&residual_columns, 0);
    table_add(table, r, false);
    return row_as_json(table);
}

static json_t *regrets_json(const struct regret regrets[SCORES], bool with_exact)
{
    struct table *table = regret_table(regrets, with_exact);
    json_t *object = json_object();
    for (size_t score = 0; score < SCORES; score++)
        json_object_set_new(object, score_name(score), table_row_json(table, score));
    table_free(table);
    return object;
}

/* measured/predicted of runs that a fit did not see, [5 %, 95 %], or null. */
static json_t *band_json(double p05_ratio, double p95_ratio)
{
    if (!(p05_ratio > 0.0))
        return json_null();
    json_t *band = json_array();
    json_array_append_new(band, json_number(p05_ratio));
    json_array_append_new(band, json_number(p95_ratio));
    return band;
}

static void put_fit(json_t *object, const struct calibration *c)
{
    set_text(object, "name", c->profile.name);
    set_text(object, "kernel", c->profile.kernel->name);
    set_text(object, "dtype", rcm_dtype_name(c->profile.dtype));
    set_count(object, "runs", (uint64_t)c->profile.run_count);
    set_count(object, "exact_runs", (uint64_t)c->profile.exact_count);
    set_count(object, "left_out_rows", c->runs.left_out);
    set_count(object, "fitted_runs", c->fit.runs);
    set_count(object, "parameter_count", c->fit.parameters);
    json_object_set_new(object, "parameters", rows_as_json(parameter_table(c)));
    set_real(object, "median_error", c->profile.median_error);
    set_real(object, "p95_error", c->profile.p95_error);
    set_real(object, "worst_error", c->profile.worst_error);
    set_count(object, "contiguous_runs", (uint64_t)c->profile.contiguous_count);
    json_object_set_new(
        object, "contiguous_ratios",
        band_json(c->profile.contiguous_p05_ratio, c->profile.contiguous_p95_ratio));
    json_object_set_new(object, "regimes", rows_as_json(regime_table(c)));
    json_object_set_new(object, "worst", rows_as_json(worst_table(c)));
}

static void put_validation(json_t *object, const struct calibration *c)
{
    const struct rcm_profile *q = &c->profile;
    json_object_set_new(object, "each_size_left_out", rows_as_json(validation_table(c)));
    json_object_set_new(object, "each_left_out", residuals_json(&c->validation.each));
    if (c->by_k.runs)
        json_object_set_new(object, "each_k_left_out", residuals_json(&c->by_k));
    json_object_set_new(object, "held_out_ratios",
                        band_json(q->held_out_p05_ratio, q->held_out_p95_ratio));
    json_object_set_new(object, "held_out_exact_ratios",
                        band_json(q->held_out_exact_p05_ratio, q->held_out_exact_p95_ratio));
    json_object_set_new(object, "regret_by_size", rows_as_json(size_regret_table(c)));
    json_object_set_new(object, "regret_each_left_out",
                        regrets_json(c->validation.each_regret, false));
    json_object_set_new(object, "regret_each_left_out_with_exact",
                        regrets_json(c->validation.each_with_exact, true));
}

static void put_cross_validation(json_t *object, const struct calibration *c,
                                 const struct calibrate_settings *settings)
{
    json_t *sizes = json_array();
    for (size_t s = 0; s < c->validation.size_count; s++)
        if (held_out_together(c, settings, s))
            json_array_append_new(sizes, json_integer((json_int_t)c->validation.sizes[s].n));
    json_object_set_new(object, "left_out", sizes);
    json_object_set_new(object, "held_out", residuals_json(&c->validation.together));
    json_object_set_new(object, "regret", regrets_json(c->validation.together_regret, false));
    json_object_set_new(object, "regret_with_exact",
                        regrets_json(c->validation.together_with_exact, true));
}

static int print_as_json(const struct calibration *c, const struct calibrate_settings *settings)
{
    json_t *object = object_with_version();
    put_fit(object, c);
    json_object_set_new(object, "dtype_assumed", json_boolean(dtype_is_assumed(c, settings)));
    if (c->validation.size_count > 1)
        put_validation(object, c);
    if (settings->cross_validate)
        put_cross_validation(object, c, settings);
    return print_json(object);
}

int calibration_report(const struct calibration *c, const struct calibrate_settings *settings)
{
    switch (settings->question.output) {
    case OUTPUT_TABLE:
        print_text(c, settings);
        return STATUS_OK;
    case OUTPUT_CSV: {
        struct table *rows = settings->cross_validate ? size_regret_table(c) : parameter_table(c);
        table_print_csv(rows, stdout, true);
        table_free(rows);
        return STATUS_OK;
    }
    default:
        return print_as_json(c, settings);
    }
}
