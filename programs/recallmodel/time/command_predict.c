/* command_predict.c - the time that shapes take, by a calibrated profile: the shapes of a CSV, or
 * about twenty for each kb.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <programs/common/wrap.h>

#include <programs/recallmodel/question/answer.h>
#include <programs/recallmodel/command.h>
#include <programs/recallmodel/question/timings.h>
#include "predict.h"
#include <programs/recallmodel/question/configuration.h>

/* ---- shapes */

struct predict_row {
    struct query_fields query;
    struct rcm_topk p;
    uint64_t candidates;
    double recall, bound_us, exact_us, speedup, speedup_fastest, over_exact;
    struct predicted predicted;
    struct rcm_product product;
    double with_product_us, exact_with_product_us, fused_with_stage2_us;
    struct rcm_cost cost[RCM_COST_MODELS];
};

enum { WITH_BOUND = 1, WITH_PRODUCT = 2 };
#define ROW(field) FIELD(struct predict_row, field)

static const struct column product_items[] = {
    {ROW(product.product_us), HEADED("product_us", "product\nus, >="), .style = STYLE_COST},
    {ROW(with_product_us), IN_DATA("with_product_us")},
    {ROW(exact_with_product_us), IN_DATA("exact_with_product_us")},
    {ROW(product.fused_us), HEADED("fused_us", "fused\nus, >="), .style = STYLE_COST},
    {ROW(product.fused_bound), HEADED("fused_bound", "by")},
    {ROW(fused_with_stage2_us), HEADED("fused_with_stage2_us", "with\nstage 2"),
     .style = STYLE_COST},
    {ROW(product.product_intensity), IN_DATA("product_intensity")},
    {ROW(product.fused_intensity), IN_DATA("fused_intensity")},
};
static const struct columns product_columns = COLUMNS(struct predict_row, product_items);

static const struct column predict_items[] = {
    {PART(struct predict_row, query, query_columns)},
    {ROW(p.k_b), EVERYWHERE("k_b")},
    {ROW(p.b), EVERYWHERE("b")},
    {ROW(candidates), EVERYWHERE("candidates")},
    {ROW(recall), EVERYWHERE("recall"), .style = STYLE_RECALL},
    {ROW(predicted.r.time_us), HEADED("predicted_us", "both\nstages us")},
    {PART(struct predict_row, predicted, band_columns)},
    {ROW(predicted.r.stage1_us), HEADED("stage1_us", "stage 1\nus"), .drop = 1},
    {ROW(predicted.r.stage2_us), HEADED("stage2_us", "stage 2\nus")},
    {ROW(bound_us), .json = "bound_us", .when = WITH_BOUND},
    {ROW(predicted.r.bound), HEADED("bound", "stage 1\nmostly"), .drop = 4},
    {ROW(exact_us), IN_DATA("exact_us")},
    {ROW(speedup), IN_DATA("speedup")},
    {ROW(speedup_fastest), .json = "speedup_fastest"},
    {ROW(over_exact), .heading = "over\nexact", .style = STYLE_SPEEDUP, .drop = 3},
    {.part = &product_columns, .when = WITH_PRODUCT},
    {PART(struct predict_row, predicted, beyond_columns)},
    {COSTS(struct predict_row, cost)},
};
static const struct columns predict_columns = COLUMNS(struct predict_row, predict_items);

static void add_shape(struct table *table, const struct query *query,
                      struct predict_settings *settings, struct rcm_topk p)
{
    const struct rcm_profile_answer *a = &settings->profile;
    const struct rcm_device *device = &settings->question.device.text.device;
    const struct rcm_prediction r = prediction_of(a, p);
    const double exact_us = settings->exact.r.time_us;
    const double fastest_us = settings->fastest.provider ? settings->fastest.time.time_us : NAN;
    struct predict_row row = {.query = fields_of(query),
                              .p = p,
                              .candidates = rcm_candidates(p),
                              .recall = rcm_recall_exact(p),
                              .bound_us = rcm_roofline(device, a->dtype, p).time_us,
                              .exact_us = exact_us,
                              .speedup = exact_us / r.time_us,
                              .speedup_fastest = fastest_us / r.time_us,
                              .over_exact = fmin(exact_us, fastest_us) / r.time_us,
                              .predicted = predicted_of(r)};
    if (settings->d)
        row.product = rcm_product(device, a->profile.dtype, p, settings->d);
    row.with_product_us = row.product.product_us + r.time_us;
    row.exact_with_product_us = row.product.product_us + exact_us;
    row.fused_with_stage2_us = row.product.fused_us + r.stage2_us;
    for (size_t i = 0; i < RCM_COST_MODELS; i++)
        row.cost[i] = rcm_cost(rcm_cost_model(i), p);
    if (table_rows(table) == 0)
        settings->product = row.product;
    table_add(table, &row, false);
}

/* Of all kernels that run on a GPU; the profile may have none, or a slow one. */
static void find_fastest_exact(struct predict_settings *settings, struct rcm_topk p)
{
    struct rcm_exact_contender of[RCM_EXACT_MOST];
    const struct rcm_profile_answer *a = &settings->profile;
    const struct rcm_device *device = &settings->question.device.text.device;
    settings->fastest.provider = NULL;
    if (a->profile.kernel->model != RCM_TIME_CPU && device->name &&
        rcm_exact_contenders(device, &a->dtype, RCM_TIES_ANY, p, of) > 0 && of[0].provider->package)
        settings->fastest = of[0];
}

static struct table *predict_rows(const struct query *query, void *state)
{
    struct predict_settings *settings = state;
    const bool bound = settings->question.device.text.device.bandwidth_bytes_per_s > 0.0;
    struct table *table =
        table_of(&predict_columns, (bound ? WITH_BOUND : 0U) | (settings->d ? WITH_PRODUCT : 0U));
    settings->exact = predicted_of(rcm_predict_exact_padded(&settings->profile.profile, query->base,
                                                            &settings->exact_padded_n));
    find_fastest_exact(settings, query->base);
    for (size_t i = 0; i < query->length; i++)
        add_shape(table, query, settings, query->shapes[i]);
    return table;
}

/* "", or ", padded to 400". */
#define PADDED_TEXT 40
static const char *padded_text(char text[PADDED_TEXT], uint64_t n)
{
    *text = '\0';
    if (n)
        snprintf(text, PADDED_TEXT, ", padded to %" PRIu64, n);
    return text;
}

static void print_exact(const struct predict_settings *settings)
{
    const struct rcm_profile_answer *a = &settings->profile;
    const struct predicted *exact = &settings->exact;
    const struct rcm_exact_contender *fastest = &settings->fastest;
    char us[40], padded[PADDED_TEXT];
    format_us(us, sizeof us, fastest->time.time_us);
    if (isfinite(exact->r.time_us))
        printf("Exact top-k of the whole rows: %.6g us (%s%s)%s.\n", exact->r.time_us,
               isfinite(exact->r.low_us) ? "" : "error ", exact->band,
               padded_text(padded, settings->exact_padded_n));
    else if (!fastest->provider)
        printf("Exact top-k of the whole rows: not known, because %s.\n",
               a->profile.run_count > 0.0 && a->profile.exact_count == 0.0
                   ? "no run of the profile is of exact top-k"
                   : "its runs do not determine it");
    if (fastest->provider)
        print_wrapped("The fastest exact top-k that one can call: %s, %s (%s us); %s%s%s%s.",
                      fastest->provider->name, us, predicted_of(fastest->time).band, fastest->card,
                      fastest->profile.stands_in_for ? ", carried" : "",
                      fastest->at_most  ? ", larger k or n"
                      : fastest->beyond ? ", beyond runs"
                                        : "",
                      padded_text(padded, fastest->padded_n));
    putchar('\n');
}

static void predict_text(const struct query *query, const struct table *table, void *state,
                         bool colour)
{
    const struct predict_settings *settings = state;
    const struct rcm_profile_answer *a = &settings->profile;
    print_profile(a);
    print_other_cpu(&settings->question.device);
    print_exact(settings);
    table_print(table, stdout, colour);
    print_memory(&settings->question, &query->base, a->dtype);
    if (!settings->d)
        return;
    putchar('\n');
    product_print_intensity(&settings->product, &settings->question.device.text.device,
                            settings->d);
    print_wrapped(
        "product: computing the values as products of vectors, by the roofline, a lower bound; "
        "fused: product and stage 1 in one kernel, by the "
        "roofline, a lower bound; with stage 2: that and the predicted stage 2.");
}

static json_t *fastest_json(const struct rcm_exact_contender *fastest)
{
    if (!fastest->provider)
        return json_null();
    json_t *object = json_object();
    set_text(object, "name", fastest->provider->name);
    set_text(object, "card", fastest->card);
    set_real(object, "time_us", fastest->time.time_us);
    set_real(object, "low_us", fastest->time.low_us);
    set_real(object, "high_us", fastest->time.high_us);
    set_truth(object, "carried", fastest->profile.stands_in_for != NULL);
    set_truth(object, "at_most", fastest->at_most);
    set_count(object, "padded_n", fastest->padded_n ? fastest->padded_n : NO_COUNT);
    set_truth(object, "beyond", fastest->beyond);
    return object;
}

static void predict_json(json_t *object, const struct query *query, const struct table *table,
                         void *state)
{
    const struct predict_settings *settings = state;
    const struct rcm_profile_answer *a = &settings->profile;
    const struct rcm_prediction *exact = &settings->exact.r;
    put_profile_json(object, a);
    put_memory(object, &settings->question, &query->base, a->dtype);
    set_real(object, "exact_us", exact->time_us);
    set_real(object, "exact_low_us", exact->low_us);
    set_real(object, "exact_high_us", exact->high_us);
    set_count(object, "exact_padded_n",
              settings->exact_padded_n ? settings->exact_padded_n : NO_COUNT);
    json_object_set_new(object, "fastest_exact", fastest_json(&settings->fastest));
    if (settings->d)
        product_json(object, &settings->product, settings->d);
    json_object_set_new(object, "predictions", table_json(table));
}

/* ---- the command */

#define AT(member) offsetof(struct predict_settings, member)

static const struct argument predict_options[] = {
    OPTIONS_ROW,
    {OPTION_KB},
    {OPTION_B},
    {"--runs", "FILE", &kind_of_runs_path, AT(runs),
     "predict the shapes of a CSV with the columns n, k, b, k_b, m, or of runs that come with "
     "recallmodel, by their name (recallmodel runs)"},
    {"--runs-kernel", "K", BY(read_text), AT(runs_kernel),
     "predict only the rows of --runs with K in the column kernel"},
    {OPTION_COLUMNS},
    {OPTION_TIME_UNIT},
    {"--kernel", "K", &kind_of_kernel, AT(kernel),
     "the kernel of the profile, or another of its family (graphcore-thread, graphcore-block)"},
    {OPTION_M},
    {OPTION_ASSIGNMENT_TIMED},
    {"--d", "D", BY(read_count), AT(d),
     "the values are inner products of vectors of D elements: also print the roofline's lower "
     "bound of the time of these products, alone and fused with stage 1"},
    {"--device", "D", &kind_of_device, IN_QUESTION(device),
     "the device: a name, the path of a profile or of a device file, or the word this for the "
     "profile that recallmodel bench --calibrate stored"},
    {"--carry-to", "D", &kind_of_device, AT(carry_to),
     "carry the profile to the card D, by the rates of both cards"},
    {"--dtype", "T", &kind_of_dtype, IN_QUESTION(dtype),
     "the type of the values, f16, bf16 or f32, which selects among the profiles of the device"},
    OPTIONS_FORM,
};

static const struct argument_rule predict_rules[] = {
    {.options = "--runs", .excludes = "--n --k --b --kb --m --d", .why = "the file has the shapes"},
    {.options = "--columns --time-unit", .needs = "--runs", .why = "they say what the file has"},
    {.options = "--runs-kernel", .needs = "--runs", .why = "it selects rows of the file"},
    {0},
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

/* The answer's profile becomes that of the card to which it is carried, and the device of the
 * question becomes that card. The rates of the other are the library's, or those of its file. */
static int carry(struct predict_settings *settings)
{
    struct rcm_device *device = &settings->question.device.text.device;
    const struct rcm_device *to = &settings->carry_to.text.device;
    struct rcm_profile *q = &settings->profile.profile;
    const struct rcm_device *card = rcm_device_by_name(q->name);
    if (q->stands_in_for)
        return usage_error("--carry-to %s: nothing was measured on %s for this kernel and type; "
                           "give the card of a profile to --device (recallmodel devices)",
                           to->name, q->stands_in_for);
    if (q->kernel->model == RCM_TIME_CPU || !(to->bandwidth_bytes_per_s > 0.0))
        return usage_error("--carry-to %s: a profile is carried by the rates of the memory, which "
                           "%s does not have",
                           to->name, q->kernel->model == RCM_TIME_CPU ? q->name : to->name);
    *q = rcm_carry_buckets(q, card ? card : device, to);
    *device = *to;
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
    if (is_exact_only(&question->device.text))
        return predict_exact_kernel(settings);
    settings->profile = profile_for_question(&question->device.text, settings->kernel,
                                             question->dtype.given ? &question->dtype.type : NULL);
    if (!settings->profile.found)
        return no_profile(settings);
    const enum rcm_assignment assignment = question->assignments.items[0];
    if (assignment != RCM_INTERLEAVED && !rcm_profile_knows(&settings->profile.profile, assignment))
        return usage_error(
            "--assignment %s: the profile of %s knows interleaved buckets alone; recallmodel "
            "calibrate --contiguous adds others, by runs of them",
            assignment_name(assignment), settings->profile.profile.name);
    int status = settings->carry_to.given ? carry(settings) : STATUS_OK;
    if (status == STATUS_OK)
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
    int status =
        arguments_read_ruled(predict_options, predict_rules, NULL, &settings, count, arguments);
    if (status == STATUS_OK)
        status = predict(&settings);
    free(settings.carry_to.here.rows);
    question_free(&settings.question);
    return status;
}

const struct command command_predict = {
    .name = "predict",
    .summary = "the predicted time of shapes, by a calibrated profile",
    .example = "recallmodel predict --device my.profile --n 2^18 --k 1024 --m 64\n"
               "  recallmodel predict --device my.profile --runs runs.csv --csv",
    .columns = &predict_columns,
    .options = predict_options,
    .run = run_predict,
};
