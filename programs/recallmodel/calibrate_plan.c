/* calibrate_plan.c - calibrate --plan: which shapes to time, and what each is for.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <base/memory.h>
#include <calibrate/plan.h>

#include "calibrate.h"
#include "columns.h"
#include "json.h"

/* What is known before the runs: the parameters of a profile of the device, if it has one; none
 * otherwise. */
static struct rcm_profile prior_profile(const struct calibrate_settings *settings)
{
    const struct question *question = &settings->question;
    const struct rcm_kernel *kernel =
        settings->kernel ? settings->kernel : rcm_kernel_by_name("generic");
    struct rcm_profile prior = {0};
    if (question->device.given) {
        const struct profile_answer known =
            profile_for_question(&question->device.text, kernel, NULL);
        if (known.found && !known.profile.kernel->times_only)
            prior = known.profile;
    }
    prior.kernel = kernel;
    prior.dtype = question->dtype.type;
    return prior;
}

/* How many bytes all rows of a shape may have: at most a quarter of the memory of the device. */
static double bytes_allowed(const struct question *question)
{
    const double memory = question->device.given ? question->device.text.device.memory_bytes : 0.0;
    return memory > 0.0 ? fmin((double)PLAN_BYTES, memory / 4.0) : (double)PLAN_BYTES;
}

static struct table *plan_table(const struct calibrate_settings *settings)
{
    struct table *table = table_new();
    struct plan_shape plan[PLAN_SHAPES];
    const struct rcm_profile prior = prior_profile(settings);
    const size_t count = plan_shapes(&prior, bytes_allowed(&settings->question), PLAN_SHAPES, plan);
    if (count == 0)
        require_memory(NULL);
    for (size_t i = 0; i < count; i++) {
        table_row(table, false);
        put_shape_of_run(table, plan[i].p);
        table_text(table, column("what", STYLE_PLAIN), plan[i].parameter->meaning);
    }
    return table;
}

int calibrate_plan(const struct calibrate_settings *settings)
{
    int status = check_kernel_has_times(settings->kernel);
    if (status != STATUS_OK)
        return status;
    if (settings->runs || settings->exact_runs || settings->profile_file ||
        settings->cross_validate || settings->no_held_out)
        return usage_error("--plan prints shapes to time, and reads or writes nothing else; give "
                           "--kernel, --device or --dtype at most");
    if (settings->kernel && settings->kernel->exact_only)
        return usage_error("--plan plans runs of both stages, and --kernel %s only finds the exact "
                           "top-k; time each n at a few m and k, from 8 runs on",
                           settings->kernel->name);
    struct table *table = plan_table(settings);
    if (settings->question.output == OUTPUT_JSON) {
        struct json *object = object_with_version();
        json_put(object, "shapes", rows_as_json(table));
        return print_json(object);
    }
    table_print_csv(table, stdout, true);
    table_free(table);
    return STATUS_OK;
}
