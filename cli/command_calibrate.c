/* command_calibrate.c - a profile of a kernel on a device from measured runs, and how far it can be
 * trusted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "answer.h"
#include "calibrate/plan.h"
#include "calibrate/regimes.h"
#include "calibrate/validate.h"
#include "commands.h"
#include "memory.h"
#include "progress.h"
#include "sim/team.h"

#define WORST_SHOWN 6
#define SIZES_SHOWN 40

/* Everything that is found out, before any of it is printed. */
struct calibration {
    struct run_list runs;
    char runs_text[200], date[40];
    struct rcm_profile profile;
    struct fit fit;
    double *predicted; /* by the fit to all */
    struct validation validation;
};

/* ---- reading */

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Reads one file into the list. Returns a status. */
static int read_runs(const char *path, bool exact, const struct options *options,
                     struct run_list *runs)
{
    char error[CSV_ERROR];
    struct csv csv;
    struct run_list more;
    const struct run_filter filter = {
        .has_dtype = options->has_dtype, .dtype = options->dtype, .times = true};
    if (csv_read(path, &csv, error) != 0)
        return usage_error("%s", error);
    int status =
        runs_from_csv(&csv, filter, &more, error) == 0 ? STATUS_OK : usage_error("%s", error);
    for (size_t i = 0; status == STATUS_OK && exact && i < more.length; i++)
        if (more.items[i].kind != RUN_EXACT)
            status = usage_error("--exact %s: line %zu is no exact top-k; such runs have n, k, m "
                                 "and a time, but no b",
                                 path, csv.lines[more.items[i].row + 1]);
    if (status == STATUS_OK && runs->length > 0 && more.has_dtype && runs->has_dtype &&
        more.dtype != runs->dtype)
        status = usage_error("--exact %s has %s values, the runs have %s; give --dtype", path,
                             rcm_dtype_name(more.dtype), rcm_dtype_name(runs->dtype));
    if (status == STATUS_OK) {
        if (more.has_dtype) {
            runs->has_dtype = true;
            runs->dtype = more.dtype;
        }
        if (runs_append(runs, &more) != 0)
            checked(NULL);
    }
    runs_free(&more);
    csv_free(&csv);
    return status;
}

/* What says which runs they were: file names, with ? for what cannot stand in a profile. */
static void describe_runs(struct calibration *c, const struct options *options, size_t bucketed)
{
    char *text = c->runs_text;
    if (options->exact_runs)
        snprintf(text, sizeof c->runs_text, "%zu rows of %.60s, %zu of %.60s", bucketed,
                 file_name(options->runs), c->runs.length - bucketed,
                 file_name(options->exact_runs));
    else
        snprintf(text, sizeof c->runs_text, "%zu rows of %.60s", bucketed,
                 file_name(options->runs));
    for (; *text; text++)
        if (*text < ' ' || *text > '~' || *text == '#')
            *text = '?';
}

static int check_text(const char *option, const char *text, size_t size)
{
    return strlen(text) >= size || strchr(text, '#') || !rcm_text_is_plain(text)
               ? usage_error("%s is too long, has a # or control characters, or is not UTF-8; give "
                             "at most %zu characters",
                             option, size - 1)
               : STATUS_OK;
}

static int read_all(struct calibration *c, const struct options *options)
{
    if (!options->runs)
        return usage_error("calibrate needs measured runs: recallmodel calibrate RUNS.csv, a CSV "
                           "with the columns n, k, b, k_b, m and time_us_median");
    if (options->kernel && !options->kernel->work)
        return usage_error("--kernel %s has no times; give generic, graphcore, ours or xla",
                           options->kernel->name);
    int status = read_runs(options->runs, false, options, &c->runs);
    const size_t bucketed = c->runs.length;
    if (status == STATUS_OK && options->exact_runs)
        status = read_runs(options->exact_runs, true, options, &c->runs);
    if (status != STATUS_OK)
        return status;
    const struct rcm_kernel *kernel = options->kernel;
    for (size_t i = 0; !kernel; i++)
        if (strcmp(rcm_kernel(i)->name, "graphcore") == 0)
            kernel = rcm_kernel(i);
    const time_t now = time(NULL);
    struct tm day;
    strftime(c->date, sizeof c->date, "%Y-%m-%d", gmtime_r(&now, &day));
    describe_runs(c, options, bucketed);
    c->profile = (struct rcm_profile){
        .name = options->name         ? options->name
                : options->has_device ? options->device.device.name
                                      : "device",
        .kernel = kernel,
        .dtype = c->runs.has_dtype    ? c->runs.dtype
                 : options->has_dtype ? options->dtype
                                      : RCM_F16,
        .date = c->date,
        .source = options->source ? options->source : "",
        .runs = c->runs_text,
    };
    status = check_text("--name", c->profile.name, sizeof options->device.name);
    return status == STATUS_OK
               ? check_text("--source", c->profile.source, sizeof options->device.source)
               : status;
}

/* ---- working */

static bool listed(const struct count_list *list, uint64_t n)
{
    for (size_t i = 0; i < list->length; i++)
        if (list->items[i] == n)
            return true;
    return false;
}

/* Every second size, or those that were asked for; s: the index of n among the sizes. */
static bool held_out_together(const struct calibration *c, const struct options *options, size_t s)
{
    return options->leave_out.length ? listed(&options->leave_out, c->validation.sizes[s])
                                     : s % 2 == 1;
}

static size_t size_index(const struct calibration *c, uint64_t n)
{
    size_t low = 0, high = c->validation.size_count - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (c->validation.sizes[middle] < n)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The bar, and how far it is. */
struct ticker {
    struct progress progress;
    uint64_t done, fits;
};

static bool tick(void *context)
{
    struct ticker *ticker = context;
    return progress_tick(&ticker->progress, ++ticker->done, ticker->fits);
}

/* The fit to all, then the validation. Returns a status; STATUS_USAGE with what to say in `error`.
 */
static int fit_and_validate(struct calibration *c, const struct options *options,
                            struct ticker *ticker, char error[CSV_ERROR])
{
    const struct run *runs = c->runs.items;
    const size_t length = c->runs.length;
    if (fit_profile(runs, length, &c->profile, &c->fit, error) != 0)
        return STATUS_USAGE;
    for (size_t i = 0; i < length; i++)
        c->predicted[i] = predicted_us(&c->profile, &runs[i]);
    if (tick(ticker))
        return STATUS_INTERRUPTED;
    bool *together = options->cross_validate ? checked(malloc(length + 1)) : NULL;
    for (size_t i = 0; together && i < length; i++)
        together[i] = held_out_together(c, options, size_index(c, runs[i].p.n));
    const int status =
        validate(&c->validation, runs, length, &c->profile, together, tick, ticker, error);
    free(together);
    if (c->validation.each.runs) {
        c->profile.held_out_median_error = c->validation.each.median;
        c->profile.held_out_p95_error = c->validation.each.p95;
        c->profile.held_out_p05_ratio = c->validation.p05_ratio;
        c->profile.held_out_p95_ratio = c->validation.p95_ratio;
        c->profile.held_out_exact_p05_ratio = c->validation.exact_p05_ratio;
        c->profile.held_out_exact_p95_ratio = c->validation.exact_p95_ratio;
    }
    return status == 0 ? STATUS_OK : status > 0 ? STATUS_INTERRUPTED : STATUS_USAGE;
}

static int work(struct calibration *c, const struct options *options)
{
    char error[CSV_ERROR];
    const size_t length = c->runs.length;
    c->predicted = checked(malloc((length + 1) * sizeof *c->predicted));
    if (validation_begin(&c->validation, c->runs.items, length) != 0)
        checked(NULL);
    if (length == 0)
        return usage_error("%s: there are no runs", options->runs);
    if (options->cross_validate && c->validation.size_count < 2)
        return usage_error("--cross-validate leaves out whole sizes n, and these runs have %zu; "
                           "give runs of several n",
                           c->validation.size_count);
    for (size_t i = 0; i < options->leave_out.length; i++) {
        size_t s = 0;
        while (s < c->validation.size_count &&
               c->validation.sizes[s] != options->leave_out.items[i])
            s++;
        if (s == c->validation.size_count || !options->cross_validate)
            return usage_error("--leave-out %" PRIu64 "%s", options->leave_out.items[i],
                               options->cross_validate ? ": no run has this n"
                                                       : " belongs to --cross-validate; give both");
    }
    if (options->leave_out.length == c->validation.size_count)
        return usage_error("--leave-out takes all sizes; nothing would be left to fit to");
    struct ticker ticker = {.fits = 1 + c->validation.folds};
    progress_start(&ticker.progress, "fits");
    const int status = fit_and_validate(c, options, &ticker, error);
    progress_end(&ticker.progress);
    if (status == STATUS_USAGE)
        return usage_error("%s", error);
    if (status == STATUS_INTERRUPTED)
        fputs("recallmodel: stopped; nothing was written\n", stderr);
    return status;
}

/* ---- tables */

static struct table *parameter_table(const struct calibration *c)
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
        table_real(table,
                   (struct column){"standard_error", "standard_error", "+-", STYLE_PERCENT, 0},
                   c->fit.error[i]);
        table_text(table, column("meaning", STYLE_PLAIN), parameter->meaning);
    }
    return table;
}

static void put_error(struct table *table, const char *name, const char *heading, double error)
{
    table_real(table, (struct column){name, name, heading, STYLE_PERCENT, 0}, error);
}

static struct table *regime_table(const struct calibration *c)
{
    struct table *table = table_new();
    struct regime *regimes;
    size_t count;
    if (regimes_of(&c->profile, c->runs.items, c->predicted, c->runs.length, &regimes, &count) != 0)
        checked(NULL);
    for (size_t i = 0; i < count; i++) {
        table_row(table, false);
        table_text(table, (struct column){"regime", "regime", "mostly", STYLE_PLAIN, 0},
                   regimes[i].name);
        table_count(table, column("runs", STYLE_PLAIN), regimes[i].runs);
        table_real(
            table,
            (struct column){"median_ratio", "median_ratio", "predicted/\nmeasured", STYLE_Z, 0},
            regimes[i].median_ratio);
        put_error(table, "median_error", "median\nerror", regimes[i].median_error);
        put_error(table, "p95_error", "95 %", regimes[i].p95_error);
        put_error(table, "worst_error", "worst", regimes[i].worst_error);
    }
    free(regimes);
    return table;
}

static void put_shape(struct table *table, const struct run *run)
{
    table_count(table, column("n", STYLE_PLAIN), run->p.n);
    table_count(table, column("k", STYLE_PLAIN), run->p.k);
    table_count(table, column("b", STYLE_PLAIN), run->p.b);
    table_count(table, column("k_b", STYLE_PLAIN), run->p.k_b);
    table_count(table, column("m", STYLE_PLAIN), run->p.m);
}

static struct table *worst_table(const struct calibration *c)
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
        put_shape(table, run);
        table_real(table, (struct column){"time_us", "time_us", "measured\nus", STYLE_PLAIN, 0},
                   run->time_us);
        table_real(table,
                   (struct column){"predicted_us", "predicted_us", "predicted\nus", STYLE_PLAIN, 0},
                   c->predicted[worst[i]]);
        table_text(table, (struct column){"regime", "regime", "mostly", STYLE_PLAIN, 0}, regime);
    }
    return table;
}

static struct table *validation_table(const struct calibration *c)
{
    struct table *table = table_new();
    for (size_t s = 0; c->validation.size_count > 1 && s < c->validation.size_count; s++) {
        table_row(table, false);
        table_count(table, (struct column){"n", "n", "n left out", STYLE_PLAIN, 0},
                    c->validation.sizes[s]);
        table_count(table, column("runs", STYLE_PLAIN), c->validation.left_out[s].runs);
        table_count(table, (struct column){.csv = "unpredicted", .json = "unpredicted"},
                    c->validation.left_out[s].unpredicted);
        put_error(table, "median_error", "median\nerror", c->validation.left_out[s].median);
        put_error(table, "p95_error", "95 %", c->validation.left_out[s].p95);
        put_error(table, "worst_error", "worst", c->validation.left_out[s].worst);
        table_count(table, column("cells", STYLE_PLAIN), c->validation.left_out_regret[s][0].cells);
        table_real(table,
                   (struct column){"regret_mean", "regret_mean", "regret\nmean", STYLE_PLAIN, 0},
                   c->validation.left_out_regret[s][0].mean);
        table_real(table,
                   (struct column){"regret_p95", "regret_p95", "regret\n95 %", STYLE_PLAIN, 0},
                   c->validation.left_out_regret[s][0].p95);
        table_real(table,
                   (struct column){"regret_max", "regret_max", "regret\nmost", STYLE_PLAIN, 0},
                   c->validation.left_out_regret[s][0].max);
    }
    return table;
}

static void put_regret(struct table *table, const struct regret *r)
{
    table_real(table, column("mean", STYLE_PLAIN), r->mean);
    table_real(table, column("median", STYLE_PLAIN), r->median);
    table_real(table, (struct column){"p95", "p95", "95 %", STYLE_PLAIN, 0}, r->p95);
    table_real(table, (struct column){"max", "max", "most", STYLE_PLAIN, 0}, r->max);
    table_count(table, column("cells", STYLE_PLAIN), r->cells);
}

static struct table *regret_table(const struct regret regrets[SCORES])
{
    struct table *table = table_new();
    for (size_t score = 0; score < SCORES; score++) {
        table_row(table, score == 0);
        table_text(table, (struct column){"model", NULL, "choice by", STYLE_PLAIN, 0},
                   score_name(score));
        put_regret(table, &regrets[score]);
    }
    return table;
}

/* Regret of each size that was left out, by what was chosen. */
static struct table *size_regret_table(const struct calibration *c)
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

/* ---- printing */

static void print_sizes(const struct calibration *c, const struct options *options)
{
    const char *comma = "";
    if (c->validation.size_count > SIZES_SHOWN) {
        fputs("some", stdout);
        return;
    }
    for (size_t s = 0; s < c->validation.size_count; s++)
        if (held_out_together(c, options, s)) {
            printf("%s%" PRIu64, comma, c->validation.sizes[s]);
            comma = ", ";
        }
}

static void print_residuals(const struct residuals *r)
{
    if (r->runs)
        printf(": median error %.1f %%, 95 %% below %.1f %%", 100.0 * r->median, 100.0 * r->p95);
    if (r->unpredicted)
        printf("%s %zu runs could not be predicted, for the others say nothing about them",
               r->runs ? ";" : ":", r->unpredicted);
}

/* What the short model has and these runs do not determine. */
static void print_left_out(const struct calibration *c)
{
    const struct rcm_time_parameter *parameter;
    const char *comma = "Left out, for these runs do not determine it: ";
    for (size_t i = 0; c->profile.kernel->times_only && (parameter = rcm_time_parameter(i)); i++)
        if (parameter->times_only && !(rcm_time_value(&c->profile, parameter) > 0.0)) {
            printf("%s%s", comma, parameter->name);
            comma = ", ";
        }
    if (*comma == ',')
        puts(".");
}

static void print_text(const struct calibration *c, const struct options *options)
{
    const bool colour = colour_wanted();
    struct table *table = parameter_table(c);
    printf("%s, kernel %s, %s: %s\n", c->profile.name, c->profile.kernel->name,
           rcm_dtype_name(c->profile.dtype), c->profile.runs);
    if (c->runs.left_out)
        printf("(%zu rows of other measurements were left out)\n", c->runs.left_out);
    printf("\n%u parameters, fitted in %u steps", c->fit.parameters, c->fit.steps);
    if (c->fit.runs < c->runs.length)
        printf(" to %zu of the runs (a fixed choice among all k_b; ranges and errors below are of "
               "all)",
               c->fit.runs);
    puts(":");
    table_print(table, stdout, colour);
    table_free(table);
    print_left_out(c);
    for (size_t i = 0; rcm_time_parameter(i); i++)
        if (c->fit.error[i] > 0.5) {
            puts("What has +- 50 % or more is hardly determined by these runs: shapes that depend "
                 "on it are guesses.");
            break;
        }
    printf("\n|predicted/measured - 1|: median %.1f %%, 95 %% of the runs below %.1f %%, worst "
           "%.1f %%. By what takes most of the time:\n",
           100.0 * c->profile.median_error, 100.0 * c->profile.p95_error,
           100.0 * c->profile.worst_error);
    table = regime_table(c);
    table_print(table, stdout, colour);
    table_free(table);
    puts("\nThe worst:");
    table = worst_table(c);
    table_print(table, stdout, colour);
    table_free(table);
    if (c->validation.size_count > 1) {
        fputs(c->validation.folds < c->validation.size_count
                  ? "\nEach size predicted by a fit that left it out, with others"
                  : "\nEach size predicted by a fit to the others",
              stdout);
        print_residuals(&c->validation.each);
        puts(".");
        if (c->validation.p05_ratio > 0.0)
            printf("measured/predicted there: 5 %% of the runs below %.3f, 5 %% above %.3f; "
                   "predict shows that beside each time.\n",
                   c->validation.p05_ratio, c->validation.p95_ratio);
        if (c->validation.size_count <= SIZES_SHOWN) {
            table = validation_table(c);
            table_print(table, stdout, colour);
            table_free(table);
        } else {
            printf("(--json has each of the %zu sizes.)\n", c->validation.size_count);
        }
        puts("regret: measured time of the configuration that the model picks over the fastest "
             "that reaches recall 0.8,\n0.9, 0.95 or 0.99; 1 is the best choice each time.");
    }
    if (options->cross_validate) {
        fputs("\nLeft out together, n = ", stdout);
        print_sizes(c, options);
        print_residuals(&c->validation.together);
        puts(". Regret of choosing there:");
        table = regret_table(c->validation.together_regret);
        table_print(table, stdout, colour);
        table_free(table);
        puts("\nOver all sizes, each left out in turn:");
        table = regret_table(c->validation.each_regret);
        table_print(table, stdout, colour);
        table_free(table);
    }
    if (options->profile_file)
        printf("\nWritten to %s; use it with --device %s%s\n", options->profile_file,
               strpbrk(options->profile_file, "./") ? "" : "./", options->profile_file);
}

static json_t *taken(json_t *(*make)(const struct table *), struct table *table)
{
    json_t *json = make(table);
    table_free(table);
    return json;
}

static json_t *residuals_json(const struct residuals *r)
{
    struct table *table = table_new();
    table_row(table, false);
    table_count(table, column("runs", STYLE_PLAIN), r->runs);
    table_count(table, column("unpredicted", STYLE_PLAIN), r->unpredicted);
    table_real(table, column("median_error", STYLE_PLAIN), r->median);
    table_real(table, column("p95_error", STYLE_PLAIN), r->p95);
    table_real(table, column("worst_error", STYLE_PLAIN), r->worst);
    json_t *object = table_row_json(table, 0);
    table_free(table);
    return object;
}

static json_t *regrets_json(const struct regret regrets[SCORES])
{
    json_t *object = json_object();
    for (size_t score = 0; score < SCORES; score++) {
        struct table *table = table_new();
        table_row(table, false);
        put_regret(table, &regrets[score]);
        json_object_set_new(object, score_name(score), table_row_json(table, 0));
        table_free(table);
    }
    return object;
}

/* measured/predicted of held-out runs, [5 %, 95 %], or null. */
static json_t *band_json(double p05_ratio, double p95_ratio)
{
    return p05_ratio > 0.0 ? json_pack("[f, f]", p05_ratio, p95_ratio) : json_null();
}

static int print_report_json(const struct calibration *c, const struct options *options)
{
    json_t *object = checked(json_object()), *sizes = json_array();
    json_object_set_new(object, "version", json_string(rcm_version()));
    json_object_set_new(object, "name", json_string(c->profile.name));
    json_object_set_new(object, "kernel", json_string(c->profile.kernel->name));
    json_object_set_new(object, "dtype", json_string(rcm_dtype_name(c->profile.dtype)));
    json_object_set_new(object, "runs", json_integer((json_int_t)c->profile.run_count));
    json_object_set_new(object, "exact_runs", json_integer((json_int_t)c->profile.exact_count));
    json_object_set_new(object, "left_out_rows", json_integer((json_int_t)c->runs.left_out));
    json_object_set_new(object, "fitted_runs", json_integer((json_int_t)c->fit.runs));
    json_object_set_new(object, "parameter_count", json_integer((json_int_t)c->fit.parameters));
    json_object_set_new(object, "parameters", taken(table_json, parameter_table(c)));
    json_object_set_new(object, "median_error", json_real(c->profile.median_error));
    json_object_set_new(object, "p95_error", json_real(c->profile.p95_error));
    json_object_set_new(object, "worst_error", json_real(c->profile.worst_error));
    json_object_set_new(object, "regimes", taken(table_json, regime_table(c)));
    json_object_set_new(object, "worst", taken(table_json, worst_table(c)));
    if (c->validation.size_count > 1) {
        json_object_set_new(object, "each_size_left_out", taken(table_json, validation_table(c)));
        json_object_set_new(object, "each_left_out", residuals_json(&c->validation.each));
        json_object_set_new(
            object, "held_out_ratios",
            band_json(c->profile.held_out_p05_ratio, c->profile.held_out_p95_ratio));
        json_object_set_new(
            object, "held_out_exact_ratios",
            band_json(c->profile.held_out_exact_p05_ratio, c->profile.held_out_exact_p95_ratio));
        json_object_set_new(object, "regret_by_size", taken(table_json, size_regret_table(c)));
        json_object_set_new(object, "regret_each_left_out",
                            regrets_json(c->validation.each_regret));
    }
    if (options->cross_validate) {
        for (size_t s = 0; s < c->validation.size_count; s++)
            if (held_out_together(c, options, s))
                json_array_append_new(sizes, json_integer((json_int_t)c->validation.sizes[s]));
        json_object_set(object, "left_out", sizes);
        json_object_set_new(object, "held_out", residuals_json(&c->validation.together));
        json_object_set_new(object, "regret", regrets_json(c->validation.together_regret));
    }
    json_decref(sizes);
    return print_json(object);
}

/* Where -o is written: the path, or what it is a link to; the caller frees it. Only a regular file,
 * or a new one. NULL after a line on stderr. */
static char *profile_target(const char *path)
{
    struct stat status;
    if (lstat(path, &status) != 0 && errno == ENOENT)
        return copied(path);
    char *target = realpath(path, NULL);
    if (!target && errno == ENOENT)
        usage_error("-o %s is a link to nothing; give a file, or a new name", path);
    else if (!target || stat(target, &status) != 0)
        usage_error("-o %s: %s", path, strerror(errno));
    else if (!S_ISREG(status.st_mode))
        usage_error(
            "-o %s is not a regular file, which would be replaced; give a file, or a new name",
            path);
    else
        return target;
    free(target);
    return NULL;
}

/* Whole or not at all: under another name first. */
static int write_profile(const struct calibration *c, const struct options *options,
                         const char *path)
{
    char *temporary = checked(malloc(strlen(path) + 8));
    sprintf(temporary, "%s.XXXXXX", path);
    const int descriptor = mkstemp(temporary);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    bool written = file != NULL;
    if (file) {
        const struct rcm_device *device = options->has_device ? &options->device.device : NULL;
        const bool whole = device_file_write(file, &c->profile, device, c->fit.error);
        const mode_t mask = umask(0);
        umask(mask);
        written = whole && fchmod(descriptor, 0666 & ~mask) == 0 && !ferror(file) &&
                  fflush(file) == 0 && fsync(descriptor) == 0;
        written = fclose(file) == 0 && written;
    }
    written = written && rename(temporary, path) == 0;
    if (!written) {
        const int reason = errno;
        if (descriptor >= 0)
            unlink(temporary);
        fprintf(stderr, "recallmodel: -o %s could not be written: %s\n", options->profile_file,
                strerror(reason));
    }
    free(temporary);
    return written ? STATUS_OK : STATUS_FAILED;
}

/* ---- which shapes to time */

static struct table *plan_table(const struct options *options)
{
    struct table *table = table_new();
    struct planned plan[PLAN_SHAPES];
    const struct rcm_kernel *kernel =
        options->kernel ? options->kernel : rcm_kernel_by_name("generic");
    struct rcm_profile like = {.kernel = kernel, .dtype = options->dtype};
    const struct rcm_profile *known =
        options->has_device ? profile_for_question(&options->device, kernel, NULL).profile : NULL;
    if (known && !known->kernel->times_only) {
        like = *known;
        like.kernel = kernel;
        like.dtype = options->dtype;
    }
    const double memory = options->has_device ? options->device.device.memory_bytes : 0.0;
    const double bytes = memory > 0.0 ? fmin((double)PLAN_BYTES, memory / 4.0) : (double)PLAN_BYTES;
    const size_t count = plan_shapes(&like, bytes, PLAN_SHAPES, plan);
    if (count == 0)
        checked(NULL);
    for (size_t i = 0; i < count; i++) {
        table_row(table, false);
        put_shape(table, &(struct run){.p = plan[i].p});
        table_text(table, column("what", STYLE_PLAIN), plan[i].what->meaning);
    }
    return table;
}

static int print_plan(const struct options *options)
{
    if (options->kernel && !options->kernel->work)
        return usage_error("--kernel %s has no times; give generic, graphcore, ours or xla",
                           options->kernel->name);
    if (options->runs || options->exact_runs || options->profile_file || options->cross_validate)
        return usage_error("--plan prints shapes to time, and reads or writes nothing else; give "
                           "--kernel, --device or --dtype at most");
    struct table *table = plan_table(options);
    int status = STATUS_OK;
    if (options->output == OUTPUT_JSON)
        status = print_json(
            json_pack("{s:s, s:o}", "version", rcm_version(), "shapes", table_json(table)));
    else
        table_print_csv(table, stdout, true);
    table_free(table);
    return status;
}

int command_calibrate(const struct options *options)
{
    if (options->plan)
        return print_plan(options);
    struct calibration c = {0};
    char *target = options->profile_file ? profile_target(options->profile_file) : NULL;
    int status = options->profile_file && !target ? STATUS_USAGE : read_all(&c, options);
    if (status == STATUS_OK)
        status = work(&c, options);
    if (status == STATUS_OK && target && team_rank() == 0)
        status = write_profile(&c, options, target);
    if (status == STATUS_OK) {
        struct table *rows;
        switch (options->output) {
        case OUTPUT_TABLE:
            print_text(&c, options);
            break;
        case OUTPUT_CSV:
            rows = options->cross_validate ? size_regret_table(&c) : parameter_table(&c);
            table_print_csv(rows, stdout, true);
            table_free(rows);
            break;
        case OUTPUT_JSON:
            status = print_report_json(&c, options);
            break;
        }
    }
    free(target);
    runs_free(&c.runs);
    free(c.predicted);
    validation_free(&c.validation);
    return status;
}
