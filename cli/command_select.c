/* command_select.c - which b and k_b to deploy, or exact top-k, and why.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "calls.h"
#include "commands.h"
#include "memory.h"
#include "report.h"
#include "selection.h"

#define FRONTIER_PLOTTED 100

/* ---- CSV and JSON */

static struct table *alternatives(const struct selected *selected)
{
    struct table *table = table_new();
    for (uint64_t i = 0; i < selected->k_b_max; i++)
        if (selected->each[i].objective < INFINITY) {
            table_row(table, i + 1 == selected->choice.p.k_b);
            put_query(table, selected->query);
            selection_put(table, selected, &selected->each[i]);
        }
    return table;
}

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text_or_null(const char *text)
{
    return *text ? json_string(text) : json_null();
}

static json_t *choice_json(const struct selected *selected)
{
    if (!selection_found(selected))
        return json_null();
    struct table *table = table_new();
    table_row(table, true);
    selection_put(table, selected,
                  &(struct rcm_point){selected->choice.p, selected->choice.objective});
    json_t *choice = table_row_json(table, 0);
    table_free(table);
    return choice;
}

static json_t *threshold_json(const struct rcm_choice *c)
{
    if (!(c->threshold.objective < INFINITY))
        return json_null();
    return json_pack("{s:I, s:I, s:f, s:f}", "b", (json_int_t)c->threshold.p.b, "k_b",
                     (json_int_t)c->threshold.p.k_b, "reaching_mean", c->reaching, "objective",
                     c->threshold.objective);
}

static json_t *usage_json(const struct selected *selected)
{
    struct call calls[CALLS];
    json_t *usage = json_object();
    calls_make(calls, &selected->asked, &selected->choice, selected->options->budget);
    for (size_t i = 0; i < CALLS; i++)
        json_object_set_new(usage, calls[i].key, text_or_null(calls[i].text));
    return usage;
}

static json_t *table_json_of(struct table *table)
{
    json_t *rows = table_json(table);
    table_free(table);
    return rows;
}

static json_t *json_of(const struct selected *selected)
{
    const struct options *o = selected->options;
    const struct rcm_choice *c = &selected->choice;
    const bool budget = o->budget > 0.0;
    char reason[500];
    selection_reason(reason, sizeof reason, selected);
    json_t *object = query_json(selected->query);
    json_object_set_new(object, "recall_target",
                        budget ? json_null()
                               : json_real(decimal_value(selected->query->recall_target)));
    json_object_set_new(object, "confidence",
                        o->has_confidence ? json_real(decimal_value(o->confidence)) : json_null());
    json_object_set_new(object, "budget", budget ? json_real(o->budget) : json_null());
    json_object_set_new(object, "quantile", json_real(selection_quantile_rest(o)));
    json_object_set_new(object, "kernel", json_string(selected->asked.kernel->name));
    json_object_set_new(object, "device",
                        o->has_device ? json_string(o->device.device.name) : json_null());
    if (o->has_device)
        put_memory(object, o, &selected->query->base, selected->asked.machine.dtype);
    json_object_set_new(object, "k_b_max", json_integer((json_int_t)selected->k_b_max));
    json_object_set_new(object, "deploy", json_string(rcm_deploy_name(c->deploy)));
    json_object_set_new(object, "choice", choice_json(selected));
    json_object_set_new(object, "exact_objective", real_or_null(c->exact_objective));
    json_object_set_new(object, "over_exact", real_or_null(c->over_exact));
    json_object_set_new(
        object, "break_even_us",
        real_or_null(selection_timed(selected) && selection_found(selected) ? c->objective : NAN));
    json_object_set_new(object, "threshold", threshold_json(c));
    json_object_set_new(object, "objective", json_string(selected->asked.objective->name));
    json_object_set_new(object, "objective_unit", json_string(selected->asked.objective->unit));
    json_object_set_new(object, "reason", json_string(reason));
    json_object_set_new(object, "alternatives", table_json_of(alternatives(selected)));
    json_object_set_new(object, "frontier", table_json_of(selection_frontier(selected)));
    json_object_set_new(object, "rules",
                        budget ? json_array() : table_json_of(selection_rules(selected)));
    json_object_set_new(object, "usage", usage_json(selected));
    return object;
}

/* ---- the picture: the frontier, the best of each kb, the choice */

static void plot_choice(struct plot *plot, const struct selected *selected)
{
    char title[200];
    const struct rcm_choice *c = &selected->choice;
    plot_series(plot, "best of each kb", false, true, 2);
    for (uint64_t i = 0; i < selected->k_b_max; i++)
        if (isfinite(selected->each[i].objective))
            plot_point(plot, selected->each[i].objective, rcm_loss_exact(selected->each[i].p), 0.0);
    if (!selection_found(selected))
        return;
    snprintf(title, sizeof title, "choice: b = %" PRIu64 ", kb = %" PRIu64, c->p.b, c->p.k_b);
    plot_series(plot, title, false, true, 1);
    plot_point(plot, c->objective, rcm_loss_exact(c->p), 0.0);
}

static int draw(const struct selected *selected)
{
    char title[200], label[100];
    const struct rcm_topk p = selected->query->base;
    struct rcm_point points[FRONTIER_PLOTTED];
    const size_t count = rcm_frontier(&selected->asked, points, FRONTIER_PLOTTED);
    snprintf(title, sizeof title, "n = %" PRIu64 ", k = %" PRIu64 ", m = %" PRIu64 ", kernel %s",
             p.n, p.k, p.m, selected->asked.kernel->name);
    snprintf(label, sizeof label, "%s",
             strcmp(selected->asked.objective->name, "time") == 0
                 ? "predicted time, us"
                 : selected->asked.objective->unit);
    struct plot *plot = plot_new(title, label, true);
    plot_series(plot, "frontier, all kb", true, false, 0);
    for (size_t i = 0; i < count; i++)
        plot_point(plot, points[i].objective, rcm_loss_exact(points[i].p), 0.0);
    plot_choice(plot, selected);
    const int status = plot_draw(plot, selected->options);
    plot_free(plot);
    return status;
}

/* ---- the command */

/* What cannot go together. */
static int check_options(const struct options *o)
{
    const struct rcm_objective *objective = o->objective;
    if (o->targets.length > 1)
        return usage_error(
            "--recall takes one target here; for a list of targets use recallmodel bounds");
    if (objective && objective->need == RCM_NEEDS_DEVICE && !o->has_device)
        return usage_error(
            "--objective %s needs --device: a name (recallmodel devices) or a device file",
            objective->name);
    if (objective && objective->need == RCM_NEEDS_PROFILE && !selection_profile(o).profile)
        return o->has_device ? usage_error("--device %s has no profile%s%s%s; leave --objective "
                                           "out for its roofline, or make a profile: "
                                           "recallmodel calibrate",
                                           o->device.device.name,
                                           o->kernel && o->kernel->work ? " of the kernel " : "",
                                           o->kernel && o->kernel->work ? o->kernel->name : "",
                                           o->has_dtype ? " for this --dtype" : "")
                             : usage_error("--objective %s needs a calibrated profile: --device "
                                           "FILE, as recallmodel calibrate writes it, or a "
                                           "device that comes with one (recallmodel devices)",
                                           objective->name);
    if (o->budget > 0.0 && (o->has_confidence || o->targets.length))
        return usage_error("--budget asks for the most recall; leave %s out",
                           o->has_confidence ? "--confidence" : "--recall");
    if (o->has_dtype && !o->has_device)
        return usage_error("--dtype is the type of the values in a time; give --device too");
    if (o->exact_us > 0.0 && !o->has_device)
        return usage_error("--exact-us is compared with a time; give --device too");
    if (o->exact_us > 0.0 && strcmp(selection_objective(o)->unit, "us") != 0)
        return usage_error("--exact-us is compared with a time; leave --objective out");
    return STATUS_OK;
}

static int print_all(const struct selected *selected, size_t count, const struct options *o)
{
    json_t *answers = o->output == OUTPUT_JSON ? checked(json_array()) : NULL;
    for (size_t i = 0; i < count; i++)
        if (o->output == OUTPUT_JSON) {
            json_array_append_new(answers, json_of(&selected[i]));
        } else if (o->output == OUTPUT_CSV) {
            struct table *table = alternatives(&selected[i]);
            table_print_csv(table, stdout, i == 0);
            table_free(table);
        } else if (count == 1) {
            print_query(selected[i].query);
            selection_print(&selected[i], colour_wanted());
        }
    if (o->output == OUTPUT_TABLE && count > 1) {
        struct table *table = selection_table(selected, count);
        table_print(table, stdout, colour_wanted());
        table_free(table);
        puts("deploy: what has the least of the three; for the reason and the call ask one "
             "question");
    }
    return answers ? print_json_answers(answers, o) : STATUS_OK;
}

static int answer_forward(const struct options *o)
{
    struct query_list queries;
    int status = queries_build(&queries, o, SHAPES_NONE);
    struct selected *selected = checked(calloc(queries.length + 1, sizeof *selected));
    size_t count = 0;
    for (; count < queries.length && status == STATUS_OK; count++) {
        selected[count] = selection_find(&queries.items[count], o);
        if (selected[count].interrupted) {
            fputs("recallmodel: stopped before all k_b were tried; give a smaller --kb-max\n",
                  stderr);
            status = STATUS_INTERRUPTED;
        }
    }
    if (status == STATUS_OK)
        status = print_all(selected, count, o);
    if (status == STATUS_OK && o->plot)
        status = draw(&selected[0]);
    for (size_t i = 0; i < count; i++)
        selection_free(&selected[i]);
    free(selected);
    queries_free(&queries);
    return status;
}

int command_select(const struct options *options)
{
    const int status = check_options(options);
    if (status != STATUS_OK)
        return status;
    if (options->b.length || options->k_b.length || options->shards)
        return answer_reverse(options);
    return answer_forward(options);
}
