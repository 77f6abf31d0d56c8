/* json.c - see json.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>
#include <base/text.h>
#include <model/recallmodel.h>

#include "error.h"

json_t *json_count(uint64_t value)
{
    return value == NO_COUNT ? json_null() : json_integer((json_int_t)value);
}

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_text(const char *value)
{
    return value ? json_stringn_nocheck(value, strlen(value)) : json_null();
}

static void *allocate(size_t size)
{
    return require_memory(malloc(size));
}

void json_start(void)
{
    json_set_alloc_funcs(allocate, free);
}

json_t *object_with_version(void)
{
    json_t *object = json_object();
    set_text(object, "version", rcm_version());
    return object;
}

void set_count(json_t *object, const char *key, uint64_t value)
{
    json_object_set_new(object, key, json_count(value));
}

void set_real(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, json_number(value));
}

void set_text(json_t *object, const char *key, const char *value)
{
    json_object_set_new(object, key, json_text(value));
}

void set_truth(json_t *object, const char *key, bool value)
{
    json_object_set_new(object, key, json_boolean(value));
}

void set_name(json_t *object, const char *key, const char *value)
{
    char *name = value ? text_copy(value) : NULL;
    for (char *at = name && !text_is_utf8(name) ? name : ""; *at; at++)
        if ((unsigned char)*at >= 128)
            *at = '?';
    set_text(object, key, name);
    free(name);
}

int print_json(json_t *value)
{
    char *text = json_dumps(value, JSON_INDENT(2) | JSON_ENCODE_ANY);
    json_decref(value);
    if (text)
        puts(text);
    else
        fputs("recallmodel: JSON could not be made: a text in it is not UTF-8\n", stderr);
    const bool printed = text && !ferror(stdout);
    free(text);
    return printed ? STATUS_OK : STATUS_FAILED;
}
