/* predict_exact.c - predict by the profile of a kernel that only finds the exact top-k.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include <programs/common/format.h>
#include <programs/common/wrap.h>

#include <programs/recallmodel/question/answer.h>
#include <programs/recallmodel/question/configuration.h>
#include "predict.h"

struct exact_row {
    struct query_fields query;
    struct predicted predicted;
    const char *way;
    uint64_t padded_n;
};

static const struct column exact_items[] = {
    {PART(struct exact_row, query, query_columns)},
    {FIELD(struct exact_row, predicted.r.time_us), HEADED("exact_us", "exact\ntop-k us")},
    {PART(struct exact_row, predicted, band_columns)},
    {FIELD(struct exact_row, way), EVERYWHERE("way")},
    {PART(struct exact_row, predicted, beyond_columns)},
    {FIELD(struct exact_row, padded_n), IN_DATA("padded_n")},
};
static const struct columns exact_columns = COLUMNS(struct exact_row, exact_items);

static struct table *exact_rows(const struct query *query, void *state)
{
    struct predict_settings *settings = state;
    const struct rcm_prediction r = rcm_predict_exact_padded(
        &settings->profile.profile, query->base, &settings->exact_padded_n);
    const struct exact_row row = {fields_of(query), predicted_of(r),
                                  isnan(r.time_us) ? "" : r.stage2,
                                  settings->exact_padded_n ? settings->exact_padded_n : NO_COUNT};
    struct table *table = table_of(&exact_columns, 0);
    table_add(table, &row, false);
    return table;
}

static void exact_text(const struct query *query, const struct table *table, void *state,
                       bool colour)
{
    const struct predict_settings *settings = state;
    (void)query;
    print_profile(&settings->profile);
    putchar('\n');
    table_print(table, stdout, colour);
    if (settings->exact_padded_n)
        print_wrapped("\nRows padded to %" PRIu64 " elements take less: it is their time.",
                      settings->exact_padded_n);
}

static void exact_json(json_t *object, const struct query *query, const struct table *table,
                       void *state)
{
    const struct predict_settings *settings = state;
    (void)query;
    put_profile_json(object, &settings->profile);
    json_object_set_new(object, "predictions", table_json(table));
}

static const struct answer exact_answer = {
    .shapes = SHAPES_NONE, .rows = exact_rows, .text = exact_text, .json = exact_json};

/* What such a profile knows nothing about. */
static int check_unread(const struct predict_settings *settings)
{
    const struct question *question = &settings->question;
    const char *unread = question->b.length     ? "--b"
                         : question->k_b.length ? "--kb"
                         : settings->kernel     ? "--kernel"
                         : settings->d          ? "--d"
                                                : NULL;
    const enum rcm_dtype dtype = question->device.text.profile.dtype;
    if (unread)
        return usage_error("%s: --device %s is the profile of an exact kernel, which has no stage "
                           "1; give only --n, --k and --m, or --runs",
                           unread, question->device.text.profile.name);
    return question->dtype.given && question->dtype.type != dtype
               ? usage_error("--dtype %s: the profile %s is for %s; leave --dtype out",
                             rcm_dtype_name(question->dtype.type),
                             question->device.text.profile.name, rcm_dtype_name(dtype))
               : STATUS_OK;
}

/* The rates of the card of the profile: those of the library, or of the profile's own file. */
static struct rcm_profile carried(const struct predict_settings *settings)
{
    const struct rcm_device_text *text = &settings->question.device.text;
    const struct rcm_device *card = rcm_device_by_name(text->profile.card);
    return rcm_carry_exact(&text->profile, card ? card : &text->device,
                           &settings->carry_to.text.device);
}

int predict_exact_kernel(struct predict_settings *settings)
{
    const struct rcm_profile *q = &settings->question.device.text.profile;
    const int status = check_unread(settings);
    settings->profile =
        (struct rcm_profile_answer){.found = true,
                                    .profile = settings->carry_to.given ? carried(settings) : *q,
                                    .kernel = q->kernel,
                                    .dtype = q->dtype};
    return status != STATUS_OK ? status
           : settings->runs    ? predict_runs(settings)
                               : answer_queries(&settings->question, &exact_answer, settings);
}
