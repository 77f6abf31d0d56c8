/* calibrate_plan.c - calibrate --plan: which shapes to time, and what each is for.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <base/memory.h>
#include <calibrate/plan.h>
#include <programs/common/wrap.h>

#include "calibrate.h"
#include <programs/common/json.h>

/* What is known before: the prior; or, if there are runs already, the fit to them. Returns a
 * status. */
static int known_profile(const struct calibrate_settings *settings, struct run_list *runs,
                         struct rcm_profile *known)
{
    char error[CSV_ERROR];
    struct fit fit;
    const struct question *question = &settings->question;
    const int status = settings->runs ? calibration_read_runs(settings, runs) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    *known = fit_prior(question->device.given ? &question->device.text.device : NULL,
                       calibration_kernel(settings, "generic"),
                       runs->has_dtype ? runs->dtype : question->dtype.type);
    return runs->length > 0 &&
                   fit_profile(runs->items, runs->length, known, &fit, MESSAGE(error)) != 0
               ? usage_error("%s: %s", settings->runs, error)
               : STATUS_OK;
}

/* How many bytes all rows of a shape may have: at most a quarter of the memory of the device. */
static double bytes_allowed(const struct question *question)
{
    const double memory = question->device.given ? question->device.text.device.memory_bytes : 0.0;
    return memory > 0.0 ? fmin((double)PLAN_BYTES, memory / 4.0) : (double)PLAN_BYTES;
}

static const struct column plan_items[] = {
    {PART(struct plan_shape, p, shape_columns)},
    {FIELD(struct plan_shape, parameter.meaning), EVERYWHERE("what")},
};
static const struct columns plan_columns = COLUMNS(struct plan_shape, plan_items);

static struct table *plan_table(const struct calibrate_settings *settings,
                                const struct rcm_profile *known, const struct run_list *runs)
{
    struct table *table = table_of(&plan_columns, 0);
    struct plan_shape plan[PLAN_SHAPES];
    const size_t count = plan_shapes(known, runs->items, runs->length,
                                     bytes_allowed(&settings->question), PLAN_SHAPES, plan);
    if (count == 0 && runs->length == 0)
        require_memory(NULL);
    for (size_t i = 0; i < count; i++)
        table_add(table, &plan[i], false);
    return table;
}

int calibrate_plan(const struct calibrate_settings *settings)
{
    int status = check_kernel_has_times(settings->kernel);
    if (status != STATUS_OK)
        return status;
    if (settings->kernel && settings->kernel->model == RCM_TIME_EXACT)
        return usage_error("--plan plans runs of both stages, but --kernel %s only finds the exact "
                           "top-k; time each n at a few m and k, at least 8 runs in all",
                           settings->kernel->name);
    struct run_list runs = {0};
    struct rcm_profile known;
    status = known_profile(settings, &runs, &known);
    if (status != STATUS_OK) {
        runs_free(&runs);
        return status;
    }
    struct table *table = plan_table(settings, &known, &runs);
    runs_free(&runs);
    if (settings->question.output == OUTPUT_JSON) {
        json_t *object = object_with_version();
        json_object_set_new(object, "shapes", rows_as_json(table));
        return print_json(object);
    }
    if (table_rows(table))
        table_print_csv(table, stdout, true);
    else
        print_wrapped("Nothing is missing: these runs determine the time of every shape of the "
                      "plan to %.0f %%.",
                      100.0 * PLAN_DETERMINED);
    table_free(table);
    return STATUS_OK;
}
