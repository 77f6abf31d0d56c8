/* predict_bounds.c - predict for a device without a profile: what its roofline allows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"
#include "commands.h"
#include "report.h"

static struct table *rows(const struct query *query, const struct options *o)
{
    struct table *table = table_new();
    for (size_t i = 0; i < query->length; i++) {
        const struct rcm_topk p = query->shapes[i];
        const struct rcm_roofline roof = rcm_roofline(&o->device.device, o->dtype, p);
        table_row(table, false);
        put_query(table, query);
        table_count(table, column("k_b", STYLE_PLAIN), p.k_b);
        table_count(table, column("b", STYLE_PLAIN), p.b);
        table_count(table, column("candidates", STYLE_PLAIN), rcm_candidates(p));
        table_real(table, column("recall", STYLE_RECALL), rcm_recall_exact(p));
        table_real(table,
                   (struct column){"bound_us", "bound_us", "stage 1\nus, >=", STYLE_PLAIN, 0},
                   roof.time_us);
    }
    return table;
}

static void text(const struct query *query, const struct table *table, const struct options *o,
                 bool colour)
{
    const char *device = o->device.device.name;
    printf(
        "%s has no profile: stage 1 by its roofline, a bound, not calibrated. Buckets pay only\n"
        "if your exact top-k of this shape takes longer. docs/calibrating.md makes a profile.\n\n",
        device);
    table_print(table, stdout, colour);
    print_memory(o, &query->base, o->dtype);
}

static void json(json_t *object, const struct query *query, const struct table *table,
                 const struct options *o)
{
    json_object_set_new(object, "device", json_string(o->device.device.name));
    json_object_set_new(object, "profile", json_null());
    json_object_set_new(object, "dtype", json_string(rcm_dtype_name(o->dtype)));
    json_object_set_new(object, "calibrated", json_false());
    put_memory(object, o, &query->base, o->dtype);
    json_object_set_new(object, "exact_us", json_null());
    json_object_set_new(object, "predictions", table_json(table));
}

int predict_bounds(const struct options *o)
{
    return answer_queries(o, &(struct answer){SHAPES_SWEEP, rows, text, json, NULL, NULL});
}
