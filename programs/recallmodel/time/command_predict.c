/* command_predict.c - the time that shapes take, by a calibrated profile: the shapes of a CSV, or
 * about twenty for each kb.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>
#include <programs/common/wrap.h>

#include <programs/recallmodel/question/answer.h>
#include <programs/recallmodel/question/columns.h>
#include <programs/recallmodel/command.h>
#include "predict.h"
#include <programs/recallmodel/question/configuration.h>

/* ---- shapes */

struct product_question predict_product(const struct predict_settings *settings,
                                        enum rcm_dtype dtype)
{
    return (struct product_question){&settings->question.device.text.device, dtype, settings->d};
}

/* What the rates of the device allow stage 1, where they are known. */
static void put_bound(struct table *table, const struct predict_settings *settings,
                      enum rcm_dtype dtype, struct rcm_topk p)
{
    const struct rcm_device *device = &settings->question.device.text.device;
    if (device->bandwidth_bytes_per_s > 0.0)
        table_real(table, in_json("bound_us"), rcm_roofline(device, dtype, p).time_us);
}

static struct table *predict_rows(const struct query *query, void *state)
{
    const struct predict_settings *settings = state;
    const struct rcm_profile_answer a = settings->profile;
    const struct rcm_profile *q = &a.profile;
    struct table *table = table_new();
    for (size_t i = 0; i < query->length; i++) {
        const struct rcm_topk p = query->shapes[i];
        const struct rcm_prediction r = prediction_of(&a, p);
        const double exact = rcm_predict_exact(q, p);
        table_row(table, false);
        put_query(table, query);
        put_buckets_and_recall(table, p);
        table_real(table, headed("predicted_us", "both\nstages us", STYLE_PLAIN), r.time_us);
        put_band(table, &r);
        table_real(table, dropped(1, "stage1_us", "stage 1\nus", STYLE_PLAIN), r.stage1_us);
        table_real(table, headed("stage2_us", "stage 2\nus", STYLE_PLAIN), r.stage2_us);
        put_bound(table, settings, a.dtype, p);
        table_text(table, dropped(4, "bound", "stage 1\nmostly", STYLE_PLAIN), r.bound);
        table_real(table, in_data("exact_us"), exact);
        table_real(table, dropped(3, "speedup", "over\nexact", STYLE_SPEEDUP), exact / r.time_us);
        if (settings->d)
            put_product(table, predict_product(settings, q->dtype), p, &r, exact);
        put_beyond(table, &r);
        const struct rcm_cost_model *model;
        for (size_t j = 0; (model = rcm_cost_model(j)); j++) {
            const struct rcm_cost cost = rcm_cost(model, p);
            put_cost(table, model, &cost, 0);
        }
    }
    return table;
}

static void predict_text(const struct query *query, const struct table *table, void *state,
                         bool colour)
{
    const struct predict_settings *settings = state;
    const struct rcm_profile_answer a = settings->profile;
    const struct rcm_prediction exact = rcm_predict_exact_band(&a.profile, query->base);
    char band[BAND];
    print_profile(&a);
    print_family(&settings->question.device);
    format_band(band, &exact);
    if (isfinite(exact.time_us))
        printf("Exact top-k of the whole rows: %.6g us (%s%s).\n\n", exact.time_us,
               isfinite(exact.low_us) ? "" : "error ", band);
    else
        printf("Exact top-k of the whole rows: not known, because %s.\n\n",
               a.profile.run_count > 0.0 && a.profile.exact_count == 0.0
                   ? "no run of the profile is of exact top-k"
                   : "its runs do not determine it");
    table_print(table, stdout, colour);
    print_memory(&settings->question, &query->base, a.dtype);
    if (!settings->d)
        return;
    putchar('\n');
    product_print_intensity(predict_product(settings, a.profile.dtype), query->shapes[0]);
    print_wrapped(
        "product: computing the values as products of vectors, by the roofline, a lower bound; "
        "fused: product and stage 1 in one kernel, by the "
        "roofline, a lower bound; with stage 2: that and the predicted stage 2.");
}

static void predict_json(json_t *object, const struct query *query, const struct table *table,
                         void *state)
{
    const struct predict_settings *settings = state;
    const struct rcm_profile_answer a = settings->profile;
    const struct rcm_prediction exact = rcm_predict_exact_band(&a.profile, query->base);
    put_profile_json(object, &a);
    put_memory(object, &settings->question, &query->base, a.dtype);
    set_real(object, "exact_us", exact.time_us);
    set_real(object, "exact_low_us", exact.low_us);
    set_real(object, "exact_high_us", exact.high_us);
    if (settings->d)
        product_json(object, predict_product(settings, a.profile.dtype), query->shapes[0]);
    json_object_set_new(object, "predictions", table_json(table));
}

/* ---- the command */

#define AT(member) offsetof(struct predict_settings, member)

static const struct argument predict_options[] = {
    {OPTION_N},
    {OPTION_K},
    {OPTION_KB},
    {OPTION_B},
    {"--runs", "FILE", read_runs_path, AT(runs),
     "predict the shapes of a CSV with the columns n, k, b, k_b, m, or of runs that come with "
     "recallmodel, by their name (recallmodel runs)"},
    {"--runs-kernel", "K", read_text, AT(runs_kernel),
     "predict only the rows of --runs with K in the column kernel"},
    {"--kernel", "K", read_kernel, AT(kernel),
     "the kernel of the profile, or another of its family (graphcore-thread, graphcore-block)"},
    {OPTION_M},
    {"--d", "D", read_count, AT(d),
     "the values are inner products of vectors of D elements: also print the roofline's lower "
     "bound of the time of these products, alone and fused with stage 1"},
    {"--device", "D", read_device, IN_QUESTION(device),
     "the device: a name, the path of a profile or of a device file, or the word this for the "
     "profile that recallmodel bench --calibrate stored"},
    {"--carry-to", "D", read_device, AT(carry_to),
     "carry the profile of an exact kernel to the card D, by the rates of both cards"},
    {"--dtype", "T", read_dtype, IN_QUESTION(dtype),
     "the type of the values, f16, bf16 or f32, which selects among the profiles of the device"},
    {OPTION_JSON},
    {OPTION_CSV},
    {OPTIONS_END},
};

/* The device has no profile that answers, and none stands in. */
static int no_profile(struct predict_settings *settings)
{
    char names[200];
    const char *device = settings->question.device.text.device.name;
    kernels_known(&settings->question.device.text, names, sizeof names);
    if (*names &&
        !profile_for_question(&settings->question.device.text, settings->kernel, NULL).found)
        return usage_error("--kernel %s: %s has no profile of this kernel; give one of %s",
                           settings->kernel->name, device, names);
    if (*names)
        return usage_error("--dtype %s: %s has no profile for this --dtype, and none whose values "
                           "have this width; recallmodel devices lists the profiles",
                           rcm_dtype_name(settings->question.dtype.type), device);
    return usage_error(
        "--device %s has no profile%s%s; recallmodel devices lists the profiles, and "
        "recallmodel calibrate makes one (docs/calibrating.md)",
        device, settings->kernel ? " of the kernel " : "",
        settings->kernel ? settings->kernel->name : "");
}

/* What must hold between the options that say which shapes. */
static int check_shapes(const struct predict_settings *settings)
{
    if (settings->runs_kernel && !settings->runs)
        return usage_error("--runs-kernel selects rows of --runs; give --runs FILE too");
    if (settings->runs && (settings->question.n.length || settings->question.k.length))
        return usage_error("--runs and --n, --k exclude each other, because the file has the "
                           "shapes; leave one out");
    if (settings->runs && settings->d)
        return usage_error("--runs and --d exclude each other; give --n and --k");
    if (settings->runs &&
        (settings->question.b.length || settings->question.k_b.length || settings->question.m > 1))
        return usage_error(
            "--runs and %s exclude each other, because the file has the shapes; leave one out",
            settings->question.b.length     ? "--b"
            : settings->question.k_b.length ? "--kb"
                                            : "--m");
    return STATUS_OK;
}

static const struct answer predict_answer = {
    .shapes = SHAPES_SWEEP, .rows = predict_rows, .text = predict_text, .json = predict_json};

static int predict(struct predict_settings *settings)
{
    const struct question *question = &settings->question;
    if (!question->device.given)
        return usage_error(
            "predict needs a calibrated profile: --device FILE, as recallmodel calibrate writes "
            "it, or a device that comes with one (recallmodel devices)");
    int status = check_shapes(settings);
    if (status != STATUS_OK)
        return status;
    if (is_exact_only(&question->device.text))
        return predict_exact_kernel(settings);
    if (settings->carry_to.given)
        return usage_error("--carry-to carries the profile of an exact kernel, which --device does "
                           "not name; for buckets on another card, give that card to --device");
    settings->profile = profile_for_question(&question->device.text, settings->kernel,
                                             question->dtype.given ? &question->dtype.type : NULL);
    if (!settings->profile.found)
        return no_profile(settings);
    status = product_check(&question->device.text.device, settings->d, false);
    if (status != STATUS_OK)
        return status;
    settings->question.sweep_for = settings->d ? NULL : settings->profile.kernel;
    return settings->runs ? predict_runs(settings)
                          : answer_queries(question, &predict_answer, settings);
}

static int run_predict(int count, char **arguments)
{
    struct predict_settings settings = {.question = QUESTION_DEFAULT};
    int status = arguments_read(predict_options, &settings, count, arguments);
    if (status == STATUS_OK)
        status = predict(&settings);
    question_free(&settings.question);
    return status;
}

const struct command command_predict = {
    .name = "predict",
    .summary = "the predicted time of shapes, by a calibrated profile",
    .example = "recallmodel predict --device my.profile --n 2^18 --k 1024 --m 64\n"
               "  recallmodel predict --device my.profile --runs runs.csv --csv",
    .options = predict_options,
    .run = run_predict,
};
