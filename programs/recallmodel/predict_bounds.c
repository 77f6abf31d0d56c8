/* predict_bounds.c - predict for a device without a profile: what its roofline allows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <programs/common/wrap.h>

#include "answer.h"
#include "columns.h"
#include "predict.h"
#include "configuration.h"

static struct table *predict_bounds_rows(const struct query *query, void *state)
{
    const struct predict_settings *settings = state;
    struct table *table = table_new();
    for (size_t i = 0; i < query->length; i++) {
        const struct rcm_topk p = query->shapes[i];
        const struct rcm_roofline roof =
            rcm_roofline(&settings->question.device.text.device, settings->question.dtype.type, p);
        table_row(table, false);
        put_query(table, query);
        put_buckets_and_recall(table, p);
        table_real(table, headed("bound_us", "stage 1\nus, >=", STYLE_PLAIN), roof.time_us);
        if (settings->d)
            put_product(table, predict_product(settings, settings->question.dtype.type), p, NULL,
                        NAN);
    }
    return table;
}

static void predict_bounds_text(const struct query *query, const struct table *table, void *state,
                                bool colour)
{
    const struct predict_settings *settings = state;
    const char *device = settings->question.device.text.device.name;
    print_wrapped(
        "%s has no profile. The time of stage 1 is by its roofline: a bound, not calibrated. "
        "Buckets pay only if your exact top-k of this shape takes longer. docs/calibrating.md "
        "says how to make a profile.",
        device);
    putchar('\n');
    table_print(table, stdout, colour);
    print_memory(&settings->question, &query->base, settings->question.dtype.type);
    if (!settings->d)
        return;
    putchar('\n');
    product_print_intensity(predict_product(settings, settings->question.dtype.type),
                            query->shapes[0]);
    print_wrapped("product: computing the values as products of vectors; fused: product and stage "
                  "1 in one kernel. Each is by the roofline, a lower bound.");
}

static void predict_bounds_json(struct json *object, const struct query *query,
                                const struct table *table, void *state)
{
    const struct predict_settings *settings = state;
    set_text(object, "device", settings->question.device.text.device.name);
    set_null(object, "profile");
    set_text(object, "dtype", rcm_dtype_name(settings->question.dtype.type));
    set_truth(object, "calibrated", false);
    put_memory(object, &settings->question, &query->base, settings->question.dtype.type);
    set_null(object, "exact_us");
    if (settings->d)
        product_json(object, predict_product(settings, settings->question.dtype.type),
                     query->shapes[0]);
    json_put(object, "predictions", table_json(table));
}

static const struct answer predict_bounds_answer = {.shapes = SHAPES_SWEEP,
                                                    .rows = predict_bounds_rows,
                                                    .text = predict_bounds_text,
                                                    .json = predict_bounds_json};

int predict_bounds(struct predict_settings *settings)
{
    return answer_queries(&settings->question, &predict_bounds_answer, settings);
}
