/* json.c - see json.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <math.h>

#include <base/memory.h>
#include <model/recallmodel.h>
#include <programs/common/error.h>

json_t *object_with_version(void)
{
    json_t *object = require_memory(json_object());
    set_text(object, "version", rcm_version());
    return object;
}

void set_count(json_t *object, const char *key, uint64_t value)
{
    json_object_set_new(object, key, json_integer((json_int_t)value));
}

void set_real(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, real_or_null(value));
}

void set_text(json_t *object, const char *key, const char *value)
{
    json_object_set_new(object, key, value ? json_string(value) : json_null());
}

json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *rows_as_json(struct table *table)
{
    json_t *rows = table_json(table);
    table_free(table);
    return rows;
}

json_t *row_as_json(struct table *table)
{
    json_t *row = table_row_json(table, 0);
    table_free(table);
    return row;
}

int print_json(json_t *value)
{
    int failed = json_dumpf(value, stdout, JSON_INDENT(2));
    json_decref(value);
    putchar('\n');
    if (failed && !ferror(stdout))
        fputs("recallmodel: JSON could not be made; ask for fewer values at once\n", stderr);
    return failed ? STATUS_FAILED : STATUS_OK;
}
