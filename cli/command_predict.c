/* command_predict.c - what shapes take by a calibrated profile: those of a CSV, or about twenty for
 * each kb.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "calibrate/fit.h"
#include "commands.h"
#include "memory.h"
#include "report.h"

static struct profile_answer answer_for(const struct options *options)
{
    return profile_for_question(&options->device, options->kernel,
                                options->has_dtype ? &options->dtype : NULL);
}

static void print_profile(const struct profile_answer *a)
{
    const struct rcm_profile *q = a->profile;
    printf("%s, kernel %s, %s; calibrated %s on %s: median error %.1f %%, 95 %% below %.1f %%",
           q->name, q->kernel->name, rcm_dtype_name(q->dtype), q->date && *q->date ? q->date : "",
           q->runs && *q->runs ? q->runs : "some runs", 100.0 * q->median_error,
           100.0 * q->p95_error);
    if (q->held_out_median_error > 0.0)
        printf("; of sizes not seen %.1f and %.1f %%", 100.0 * q->held_out_median_error,
               100.0 * q->held_out_p95_error);
    puts(".");
    if (a->other_kernel)
        printf("Predicted for the kernel %s with the parameters of %s; where the two differ, no "
               "run tells the error.\n",
               a->kernel->name, q->kernel->name);
    if (a->other_dtype)
        printf("Predicted for %s by a profile of %s, whose values have the same width.\n",
               rcm_dtype_name(a->dtype), rcm_dtype_name(q->dtype));
}

#define BAND 48

/* "79.1 to 92.4", or "unknown". */
static void format_band(char text[BAND], const struct rcm_prediction *r)
{
    if (r->high_us < 999.5 || r->high_us >= 1e9)
        snprintf(text, BAND, "%.3g to %.3g", r->low_us, r->high_us);
    else if (isfinite(r->high_us))
        snprintf(text, BAND, "%.0f to %.0f", r->low_us, r->high_us);
    else
        snprintf(text, BAND, "%s", isnan(r->time_us) ? "" : "unknown");
}

/* The band, and what of the shape lies beyond the runs. The time itself stands before. */
static void put_band(struct table *table, const struct rcm_prediction *r)
{
    char band[BAND];
    format_band(band, r);
    table_text(table, (struct column){.heading = "held out,\n5 to 95 %"}, band);
    table_real(table, (struct column){.csv = "low_us", .json = "low_us"}, r->low_us);
    table_real(table, (struct column){.csv = "high_us", .json = "high_us"}, r->high_us);
}

static void put_beyond(struct table *table, const struct rcm_prediction *r)
{
    char beyond[RCM_BEYOND_TEXT];
    rcm_beyond_text(r->beyond, beyond);
    table_text(table, (struct column){.heading = "not within\nthe runs"},
               isnan(r->time_us) ? "" : beyond);
    table_bool(table, (struct column){.csv = "within_runs", .json = "within_runs"}, r->within_runs);
    table_text(table, (struct column){.csv = "beyond", .json = "beyond"}, beyond);
}

/* ---- shapes */

/* The products whose values these are, by the roofline, and all of it together. */
static void put_product(struct table *table, const struct options *options,
                        const struct rcm_profile *q, struct rcm_topk p, double time_us,
                        double exact_us)
{
    const struct rcm_product product =
        rcm_product(&options->device.device, q->dtype, p, options->d);
    table_real(table, (struct column){"product_us", "product_us", "product\nus", STYLE_COST, 0},
               product.product_us);
    table_real(
        table,
        (struct column){"with_product_us", "with_product_us", "with\nproduct", STYLE_COST, 0},
        product.product_us + time_us);
    table_real(
        table,
        (struct column){"exact_with_product_us", "exact_with_product_us", NULL, STYLE_COST, 0},
        product.product_us + exact_us);
    table_real(table, (struct column){"fused_us", "fused_us", "fused:\nstage 1", STYLE_COST, 0},
               product.fused_us);
    table_text(table, (struct column){"fused_bound", "fused_bound", "by", STYLE_PLAIN, 0},
               product.fused_bound);
}

static struct table *rows(const struct query *query, const struct options *options)
{
    const struct profile_answer a = answer_for(options);
    const struct rcm_profile *q = a.profile;
    struct table *table = table_new();
    for (size_t i = 0; i < query->length; i++) {
        const struct rcm_topk p = query->shapes[i];
        const struct rcm_prediction r = rcm_predict_as(q, a.kernel, p);
        const double exact = rcm_predict_exact(q, p);
        table_row(table, false);
        put_query(table, query);
        table_count(table, column("k_b", STYLE_PLAIN), p.k_b);
        table_count(table, column("b", STYLE_PLAIN), p.b);
        table_count(table, column("candidates", STYLE_PLAIN), rcm_candidates(p));
        table_real(table, column("recall", STYLE_RECALL), rcm_recall_exact(p));
        table_real(
            table,
            (struct column){"predicted_us", "predicted_us", "both\nstages us", STYLE_PLAIN, 0},
            r.time_us);
        put_band(table, &r);
        table_real(table, (struct column){"stage1_us", "stage1_us", "stage 1\nus", STYLE_PLAIN, 0},
                   r.stage1_us);
        table_real(table, (struct column){"stage2_us", "stage2_us", "stage 2\nus", STYLE_PLAIN, 0},
                   r.stage2_us);
        table_text(table, (struct column){"bound", "bound", "stage 1\nmostly", STYLE_PLAIN, 0},
                   r.bound);
        table_real(table, (struct column){"exact_us", "exact_us", NULL, STYLE_COST, 0}, exact);
        table_real(table, (struct column){"speedup", "speedup", "over\nexact", STYLE_SPEEDUP, 0},
                   exact / r.time_us);
        if (options->d)
            put_product(table, options, q, p, r.time_us, exact);
        put_beyond(table, &r);
        const struct rcm_cost_model *model;
        for (size_t j = 0; (model = rcm_cost_model(j)); j++) {
            const struct rcm_cost cost = rcm_cost(model, p);
            put_cost(table, model, &cost, 0);
        }
    }
    return table;
}

static void text(const struct query *query, const struct table *table,
                 const struct options *options, bool colour)
{
    const struct profile_answer a = answer_for(options);
    const struct rcm_prediction exact = rcm_predict_exact_band(a.profile, query->base);
    char band[BAND];
    print_profile(&a);
    format_band(band, &exact);
    if (isfinite(exact.time_us))
        printf("Exact top-k of the whole rows: %.6g us (%s%s).\n\n", exact.time_us,
               isfinite(exact.low_us) ? "" : "error ", band);
    else
        puts("Exact top-k of the whole rows: not known from its runs.\n");
    table_print(table, stdout, colour);
    print_memory(options, &query->base, a.dtype);
    if (options->d)
        puts("\nproduct: the values as products of vectors, by the roofline, a bound from below; "
             "with product: that and\n"
             "both stages; fused: product and stage 1 in one kernel, a bound from below.");
}

static void put_profile(json_t *object, const struct profile_answer *a)
{
    json_object_set_new(object, "device", json_string(a->profile->name));
    json_object_set_new(object, "kernel", json_string(a->kernel->name));
    json_object_set_new(object, "kernel_of_profile", json_string(a->profile->kernel->name));
    json_object_set_new(object, "dtype", json_string(rcm_dtype_name(a->dtype)));
    json_object_set_new(object, "dtype_of_profile", json_string(rcm_dtype_name(a->profile->dtype)));
}

static json_t *known(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static void put_json(json_t *object, const struct query *query, const struct table *table,
                     const struct options *options)
{
    const struct profile_answer a = answer_for(options);
    const struct rcm_prediction exact = rcm_predict_exact_band(a.profile, query->base);
    put_profile(object, &a);
    put_memory(object, options, &query->base, a.dtype);
    json_object_set_new(object, "exact_us", known(exact.time_us));
    json_object_set_new(object, "exact_low_us", known(exact.low_us));
    json_object_set_new(object, "exact_high_us", known(exact.high_us));
    json_object_set_new(object, "predictions", table_json(table));
}

/* ---- the rows of a CSV */

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

/* As predicted_us says it, with its band. */
static struct rcm_prediction predict_run(const struct profile_answer *a, const struct run *run)
{
    if (run->kind == RUN_EXACT)
        return rcm_predict_exact_band(a->profile, run->p);
    struct rcm_prediction r = rcm_predict_as(a->profile, a->kernel, run->p);
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
                       const struct profile_answer *a)
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
        if (next < runs->length &&
            runs->items[next].row == row) { /* others are of other measurements */
            const struct rcm_prediction r = predict_run(a, &runs->items[next++]);
            print_prediction(&r);
        } else {
            fputs(",,,,", stdout);
        }
        putchar('\n');
    }
}

static struct table *run_table(const struct run_list *runs, const struct profile_answer *a)
{
    struct table *table = table_new();
    for (size_t i = 0; i < runs->length; i++) {
        const struct run *run = &runs->items[i];
        const struct rcm_prediction r = predict_run(a, run);
        table_row(table, false);
        table_count(table, column("n", STYLE_PLAIN), run->p.n);
        table_count(table, column("k", STYLE_PLAIN), run->p.k);
        table_count(table, column("b", STYLE_PLAIN), run->p.b);
        table_count(table, column("k_b", STYLE_PLAIN), run->p.k_b);
        table_count(table, column("m", STYLE_PLAIN), run->p.m);
        table_real(table, (struct column){"time_us", "time_us", "measured\nus", STYLE_PLAIN, 0},
                   run->time_us);
        table_real(table,
                   (struct column){"predicted_us", "predicted_us", "predicted\nus", STYLE_PLAIN, 0},
                   r.time_us);
        put_band(table, &r);
        table_real(table, (struct column){NULL, NULL, "ratio", STYLE_Z, 0},
                   r.time_us / run->time_us);
        put_beyond(table, &r);
    }
    return table;
}

static void summarise(const struct run_list *runs, const struct profile_answer *a,
                      struct residuals *residuals, size_t *beyond)
{
    double *predicted = checked(malloc((runs->length + 1) * sizeof *predicted));
    bool *in = checked(malloc((runs->length + 1) * sizeof *in));
    *beyond = 0;
    for (size_t i = 0; i < runs->length; i++) {
        const struct rcm_prediction r = predict_run(a, &runs->items[i]);
        predicted[i] = r.time_us;
        in[i] = isfinite(runs->items[i].time_us) && isfinite(predicted[i]);
        *beyond += isfinite(predicted[i]) && !r.within_runs;
    }
    if (residuals_of(runs->items, predicted, in, runs->length, residuals) != 0)
        checked(NULL);
    free(predicted);
    free(in);
}

static int print_runs_json(const struct table *table, const struct residuals *residuals,
                           const struct profile_answer *a)
{
    json_t *object = checked(json_object());
    json_object_set_new(object, "version", json_string(rcm_version()));
    put_profile(object, a);
    json_object_set_new(object, "median_error", known(residuals->median));
    json_object_set_new(object, "p95_error", known(residuals->p95));
    json_object_set_new(object, "worst_error", known(residuals->worst));
    json_object_set_new(object, "runs", table_json(table));
    return print_json(object);
}

static int print_runs(const struct csv *csv, const struct run_list *runs,
                      const struct profile_answer *a, enum output output)
{
    struct table *table = output == OUTPUT_CSV ? NULL : run_table(runs, a);
    struct residuals residuals;
    size_t beyond;
    int status = STATUS_OK;
    summarise(runs, a, &residuals, &beyond);
    if (output == OUTPUT_CSV) {
        print_rows(csv, runs, a);
    } else if (output == OUTPUT_JSON) {
        status = print_runs_json(table, &residuals, a);
    } else {
        print_profile(a);
        putchar('\n');
        table_print(table, stdout, colour_wanted());
        if (residuals.runs)
            printf("\n%zu runs with a time; |predicted/measured - 1|: median %.1f %%, 95 %% below "
                   "%.1f %%, worst %.1f %%.\n",
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
    if (table)
        table_free(table);
    return status;
}

static int predict_runs(const struct options *options, const struct profile_answer *a)
{
    char error[CSV_ERROR];
    struct csv csv;
    struct run_list runs;
    const struct run_filter filter = {.has_dtype = true, .dtype = a->dtype, .times = false};
    if (csv_read(options->runs, &csv, error) != 0)
        return usage_error("%s", error);
    int status =
        runs_from_csv(&csv, filter, &runs, error) == 0 ? STATUS_OK : usage_error("%s", error);
    if (status == STATUS_OK)
        status = print_runs(&csv, &runs, a, options->output);
    runs_free(&runs);
    csv_free(&csv);
    return status;
}

/* ---- */

/* Says what is there instead. */
/* Without a profile the roofline answers, where it can. */
static int no_profile(const struct options *options)
{
    char names[200];
    const char *device = options->device.device.name;
    kernels_known(&options->device, names, sizeof names);
    if (*names && !profile_for_question(&options->device, options->kernel, NULL).profile)
        return usage_error("--kernel %s: the profile of %s knows %s", options->kernel->name, device,
                           names);
    if (*names)
        return usage_error("--dtype %s: %s has no profile for this --dtype, and none whose values "
                           "have this width; recallmodel devices lists those there are",
                           rcm_dtype_name(options->dtype), device);
    const char *lacking = options->runs     ? "--runs"
                          : options->d      ? "--d"
                          : options->kernel ? "--kernel"
                                            : NULL;
    return lacking ? usage_error("--device %s has no profile, which %s needs; recallmodel devices "
                                 "lists those there are, recallmodel calibrate makes one "
                                 "(docs/calibrating.md)",
                                 device, lacking)
                   : predict_bounds(options);
}

int command_predict(const struct options *options)
{
    if (!options->has_device)
        return usage_error(
            "predict needs a calibrated profile: --device FILE, as recallmodel calibrate writes "
            "it, or a device that comes with one (recallmodel devices)");
    const struct profile_answer a = answer_for(options);
    if (!a.profile)
        return no_profile(options);
    if (options->runs && (options->n.length || options->k.length))
        return usage_error("--runs and --n, --k exclude each other; the file has the shapes");
    if (options->runs && options->d)
        return usage_error("--runs and --d exclude each other; give --n and --k");
    const struct rcm_device *device = &options->device.device;
    if (options->d && !(device->bandwidth_bytes_per_s > 0.0 && device->matrix_rate_per_s > 0.0))
        return usage_error("--d needs the rates of the device, and %s lacks bandwidth_bytes_per_s"
                           " or matrix_rate_per_s; add the lines to its file",
                           device->name);
    if (options->runs && (options->b.length || options->k_b.length || options->m > 1))
        return usage_error("--runs and %s exclude each other; the file has the shapes",
                           options->b.length     ? "--b"
                           : options->k_b.length ? "--kb"
                                                 : "--m");
    return options->runs ? predict_runs(options, &a)
                         : answer_queries(options, &(struct answer){SHAPES_SWEEP, rows, text,
                                                                    put_json, NULL, NULL});
}
