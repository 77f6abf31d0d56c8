/* predict_runs.c - predict for the rows of a CSV: the same rows, with the predicted times.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/csv.h>
#include <base/memory.h>
#include <calibrate/runs/residuals.h>
#include <programs/common/wrap.h>

#include <programs/recallmodel/question/answer.h>
#include <programs/recallmodel/question/timings.h>
#include "predict.h"

/* What is added to the rows; columns of these names are replaced. */
enum { NEW_TIME, NEW_LOW, NEW_HIGH, NEW_WITHIN, NEW_BEYOND, NEW_COLUMNS };
static const char *const new_columns[NEW_COLUMNS] = {"predicted_us", "low_us", "high_us",
                                                     "within_runs", "beyond"};

static bool replaced(const struct csv *csv, size_t column)
{
    size_t i = 0;
    while (i < NEW_COLUMNS && strcmp(csv->fields[column], new_columns[i]) != 0)
        i++;
    return i < NEW_COLUMNS;
}

/* As predicted_us says it, with its band: of the rows as they were run, not padded. */
static struct rcm_prediction predict_run(const struct rcm_profile_answer *a, const struct run *run)
{
    if (run->kind == RUN_EXACT)
        return rcm_predict_exact_unpadded(&a->profile, run->p);
    struct rcm_prediction r = rcm_predict_as(&a->profile, a->kernel, run->p);
    if (!rcm_kernel_runs(a->kernel, run->p)) { /* another kernel ran it */
        r.beyond |= RCM_BEYOND_KERNEL;
        r.within_runs = false;
    }
    if (run->kind == RUN_STAGE1) {
        r.low_us *= r.stage1_us / r.time_us;
        r.high_us *= r.stage1_us / r.time_us;
        r.time_us = r.stage1_us;
    }
    return r;
}

static void print_prediction(const struct rcm_prediction *r)
{
    const double values[] = {r->time_us, r->low_us, r->high_us};
    char text[40], beyond[RCM_BEYOND_TEXT];
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        *text = '\0';
        if (isfinite(values[i]))
            format_real(text, sizeof text, values[i]);
        printf("%s,", text);
    }
    rcm_beyond_text(r->beyond, beyond);
    printf("%s,", r->within_runs ? "true" : "false");
    csv_write(stdout, beyond);
}

static void print_rows(const struct csv *csv, const struct run_list *runs,
                       const struct rcm_prediction *predicted)
{
    for (size_t i = 0; i < csv->columns; i++)
        if (!replaced(csv, i)) {
            csv_write(stdout, csv->fields[i]);
            putchar(',');
        }
    for (size_t i = 0; i < NEW_COLUMNS; i++)
        printf("%s%c", new_columns[i], i + 1 < NEW_COLUMNS ? ',' : '\n');
    for (size_t row = 0, next = 0; row < csv->rows; row++) {
        for (size_t i = 0; i < csv->columns; i++)
            if (!replaced(csv, i)) {
                csv_write(stdout, csv_field(csv, row, i));
                putchar(',');
            }
        if (next < runs->length && runs->items[next].row == row)
            print_prediction(&predicted[next++]);
        else /* of other measurements */
            fputs(",,,,", stdout);
        putchar('\n');
    }
}

struct run_row {
    struct run run;
    struct predicted predicted;
    double ratio;
};

static const struct column run_items[] = {
    {PART(struct run_row, run.p, shape_columns)},
    {FIELD(struct run_row, run.time_us), HEADED("time_us", "measured\nus")},
    {FIELD(struct run_row, predicted.r.time_us), HEADED("predicted_us", "predicted\nus")},
    {PART(struct run_row, predicted, band_columns)},
    {FIELD(struct run_row, ratio), .heading = "ratio", .style = STYLE_Z},
    {PART(struct run_row, predicted, beyond_columns)},
};
static const struct columns run_columns = COLUMNS(struct run_row, run_items);

static struct table *run_table(const struct run_list *runs, const struct rcm_prediction *predicted)
{
    struct table *table = table_of(&run_columns, 0);
    for (size_t i = 0; i < runs->length; i++) {
        const struct run_row row = {runs->items[i], predicted_of(predicted[i]),
                                    predicted[i].time_us / runs->items[i].time_us};
        table_add(table, &row, false);
    }
    return table;
}

static void summarise(const struct run_list *runs, const struct rcm_prediction *predicted,
                      struct residuals *residuals, size_t *beyond)
{
    double *times = require_memory(malloc((runs->length + 1) * sizeof *times));
    bool *in = require_memory(malloc((runs->length + 1) * sizeof *in));
    *beyond = 0;
    for (size_t i = 0; i < runs->length; i++) {
        times[i] = predicted[i].time_us;
        in[i] = isfinite(runs->items[i].time_us) && isfinite(times[i]);
        *beyond += isfinite(times[i]) && !predicted[i].within_runs;
    }
    if (residuals_of(runs->items, times, in, runs->length, residuals) != 0)
        require_memory(NULL);
    free(times);
    free(in);
}

static int print_runs_json(const struct table *table, const struct residuals *residuals,
                           const struct rcm_profile_answer *a)
{
    json_t *object = object_with_version();
    put_profile_json(object, a);
    set_real(object, "median_error", residuals->median);
    set_real(object, "p95_error", residuals->p95);
    set_real(object, "worst_error", residuals->worst);
    json_object_set_new(object, "runs", table_json(table));
    return print_json(object);
}

static int print_runs(const struct csv *csv, const struct run_list *runs,
                      const struct rcm_profile_answer *a, enum output output)
{
    struct rcm_prediction *predicted = require_memory(calloc(runs->length + 1, sizeof *predicted));
    struct residuals residuals;
    size_t beyond;
    int status = STATUS_OK;
    for (size_t i = 0; i < runs->length; i++)
        predicted[i] = predict_run(a, &runs->items[i]);
    struct table *table = run_table(runs, predicted);
    summarise(runs, predicted, &residuals, &beyond);
    if (output == OUTPUT_CSV) {
        print_rows(csv, runs, predicted);
    } else if (output == OUTPUT_JSON) {
        status = print_runs_json(table, &residuals, a);
    } else {
        print_profile(a);
        putchar('\n');
        table_print(table, stdout, colour_wanted());
        if (residuals.runs)
            print_wrapped(
                "\n%zu runs have a time; |predicted/measured - 1|: median %.1f %%, 95 %% below "
                "%.1f %%, worst %.1f %%.",
                residuals.runs, 100.0 * residuals.median, 100.0 * residuals.p95,
                100.0 * residuals.worst);
    }
    if (runs->left_out && output != OUTPUT_JSON)
        fprintf(stderr,
                "recallmodel: left out %zu of %zu rows, of other measurements (kernel, dtype, "
                "assignment, input, cache or timing differ)\n",
                runs->left_out, csv->rows);
    if (beyond && output != OUTPUT_JSON)
        fprintf(
            stderr,
            "recallmodel: %zu of %zu shapes lie beyond the runs that the profile was fitted to\n",
            beyond, runs->length);
    table_free(table);
    free(predicted);
    return status;
}

int predict_runs(const struct predict_settings *settings)
{
    const struct rcm_profile_answer *a = &settings->profile;
    char error[CSV_ERROR], notes[TIMINGS_NOTES];
    struct csv csv;
    struct run_list runs;
    const struct run_filter filter = {
        .has_dtype = true,
        .dtype = a->dtype,
        .kernel = settings->runs_kernel,
        .device = settings->carry_to.given ? settings->carry_to.text.device.name
                  : a->profile.card && rcm_device_by_name(a->profile.card) ? a->profile.card
                  : a->profile.stands_in_for                               ? NULL
                                                                           : a->profile.name,
        .elsewhere = settings->carry_to.given,
        .any_time = a->kernel->model == RCM_TIME_CPU,
        .contiguous = settings->question.assignments.items[0] != RCM_INTERLEAVED,
        .selecting = a->kernel->model == RCM_TIME_EXACT};
    if (read_timings(settings->runs, &settings->question, &csv, notes) != STATUS_OK)
        return STATUS_USAGE;
    int status = runs_from_csv(&csv, filter, &runs, MESSAGE(error)) == 0 ? STATUS_OK
                                                                         : usage_error("%s", error);
    if (status == STATUS_OK)
        print_notes(settings->runs, notes);
    if (status == STATUS_OK)
        status = print_runs(&csv, &runs, a, settings->question.output);
    runs_free(&runs);
    csv_free(&csv);
    return status;
}
