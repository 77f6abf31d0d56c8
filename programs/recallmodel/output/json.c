/* json.c - see json.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <stdlib.h>

#include <base/memory.h>
#include <base/text.h>
#include <model/recallmodel.h>
#include <programs/common/error.h>

struct json *object_with_version(void)
{
    struct json *object = json_new_object();
    set_text(object, "version", rcm_version());
    return object;
}

void set_count(struct json *object, const char *key, uint64_t value)
{
    json_put(object, key, json_new_count(value));
}

void set_real(struct json *object, const char *key, double value)
{
    json_put(object, key, json_new_real(value));
}

void set_text(struct json *object, const char *key, const char *value)
{
    json_put(object, key, json_new_text(value));
}

void set_truth(struct json *object, const char *key, bool value)
{
    json_put(object, key, json_new_truth(value));
}

void set_null(struct json *object, const char *key)
{
    json_put(object, key, json_new_null());
}

void set_name(struct json *object, const char *key, const char *value)
{
    char *name = value ? text_copy(value) : NULL;
    for (char *at = name && !text_is_utf8(name) ? name : ""; *at; at++)
        if ((unsigned char)*at >= 128)
            *at = '?';
    set_text(object, key, name);
    free(name);
}

struct json *rows_as_json(struct table *table)
{
    struct json *rows = table_json(table);
    table_free(table);
    return rows;
}

struct json *row_as_json(struct table *table)
{
    struct json *row = table_row_json(table, 0);
    table_free(table);
    return row;
}

int print_json(struct json *value)
{
    const bool possible = json_has_text(value);
    if (possible) {
        json_write(value, stdout);
        putchar('\n');
    } else {
        fputs("recallmodel: JSON could not be made: a text in it is not UTF-8\n", stderr);
    }
    json_free(value);
    return possible && !ferror(stdout) ? STATUS_OK : STATUS_FAILED;
}
