/* json_value.c - see json_value.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "json_value.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>
#include <base/text.h>

struct member {
    char *key; /* NULL in an array */
    struct json *value;
};

struct json {
    enum { JSON_NULL, JSON_TRUTH, JSON_COUNT, JSON_REAL, JSON_TEXT, JSON_ARRAY, JSON_OBJECT } kind;
    union {
        bool truth;
        uint64_t count;
        double real;
        char *text;
        struct {
            struct member *members; /* of an array or object */
            size_t length, capacity;
        };
    };
};

/* ---- making */

static struct json *new_value(int kind)
{
    struct json *value = require_memory(calloc(1, sizeof *value));
    value->kind = kind;
    return value;
}

struct json *json_new_object(void)
{
    return new_value(JSON_OBJECT);
}

struct json *json_new_array(void)
{
    return new_value(JSON_ARRAY);
}

struct json *json_new_null(void)
{
    return new_value(JSON_NULL);
}

struct json *json_new_truth(bool truth)
{
    struct json *value = new_value(JSON_TRUTH);
    value->truth = truth;
    return value;
}

struct json *json_new_count(uint64_t count)
{
    struct json *value = new_value(JSON_COUNT);
    value->count = count;
    return value;
}

struct json *json_new_real(double real)
{
    if (!isfinite(real))
        return json_new_null();
    struct json *value = new_value(JSON_REAL);
    value->real = real;
    return value;
}

struct json *json_new_text(const char *text)
{
    if (!text)
        return json_new_null();
    struct json *value = new_value(JSON_TEXT);
    value->text = text_copy(text);
    return value;
}

static bool has_members(const struct json *value)
{
    return value->kind == JSON_ARRAY || value->kind == JSON_OBJECT;
}

void json_free(struct json *value)
{
    if (!value)
        return;
    for (size_t i = 0; has_members(value) && i < value->length; i++) {
        free(value->members[i].key);
        json_free(value->members[i].value);
    }
    if (has_members(value))
        free(value->members);
    else if (value->kind == JSON_TEXT)
        free(value->text);
    free(value);
}

/* ---- members */

static struct member *find(const struct json *object, const char *key)
{
    for (size_t i = 0; i < object->length; i++)
        if (strcmp(object->members[i].key, key) == 0)
            return &object->members[i];
    return NULL;
}

static void append(struct json *list, char *key, struct json *value)
{
    list->members = array_grow(list->members, list->length, &list->capacity, sizeof *list->members);
    list->members[list->length++] = (struct member){key, value};
}

void json_put(struct json *object, const char *key, struct json *value)
{
    struct member *member = find(object, key);
    if (!member) {
        append(object, text_copy(key), value);
        return;
    }
    json_free(member->value);
    member->value = value;
}

void json_merge(struct json *object, struct json *from)
{
    for (size_t i = 0; i < from->length; i++) {
        json_put(object, from->members[i].key, from->members[i].value);
        from->members[i].value = NULL;
    }
    json_free(from);
}

void json_add(struct json *array, struct json *value)
{
    append(array, NULL, value);
}

struct json *json_member(const struct json *object, const char *key)
{
    const struct member *member = find(object, key);
    return member ? member->value : NULL;
}

bool json_null_at(const struct json *object, const char *key)
{
    const struct json *value = json_member(object, key);
    return value && value->kind == JSON_NULL;
}

size_t json_length(const struct json *array)
{
    return array->length;
}

struct json *json_item(const struct json *array, size_t i)
{
    return array->members[i].value;
}

struct json *json_take(struct json *array, size_t i)
{
    struct json *value = array->members[i].value;
    array->length--;
    memmove(array->members + i, array->members + i + 1,
            (array->length - i) * sizeof *array->members);
    return value;
}

/* ---- text */

bool json_has_text(const struct json *value)
{
    if (value->kind == JSON_TEXT)
        return text_is_utf8(value->text);
    bool all = true;
    for (size_t i = 0; has_members(value) && i < value->length && all; i++) {
        const struct member *member = &value->members[i];
        all = (!member->key || text_is_utf8(member->key)) && json_has_text(member->value);
    }
    return all;
}

static void write_text(const char *text, FILE *file)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    putc('"', file);
    for (; *text; text++) {
        const char *found = strchr(escaped, *text);
        if (found)
            fprintf(file, "\\%c", letters[found - escaped]);
        else if ((unsigned char)*text < 0x20)
            fprintf(file, "\\u%04X", (unsigned)*text);
        else
            putc(*text, file);
    }
    putc('"', file);
}

/* With a point or an exponent, by which it is read as a real; no + and no 0 begins the exponent. */
static void write_real(double real, FILE *file)
{
    char digits[48];
    text_of_digits(digits, 17, real);
    const char *exponent = strchr(digits, 'e');
    if (!exponent) {
        fprintf(file, strchr(digits, '.') ? "%s" : "%s.0", digits);
        return;
    }
    fprintf(file, "%.*s%d", (int)(exponent + 1 - digits), digits, atoi(exponent + 1));
}

static void write_indented(const struct json *value, int depth, FILE *file);

static void write_members(const struct json *list, int depth, FILE *file)
{
    const char *ends = list->kind == JSON_OBJECT ? "{}" : "[]";
    putc(ends[0], file);
    for (size_t i = 0; i < list->length; i++) {
        fprintf(file, "%s\n%*s", i ? "," : "", 2 * depth + 2, "");
        if (list->members[i].key) {
            write_text(list->members[i].key, file);
            fputs(": ", file);
        }
        write_indented(list->members[i].value, depth + 1, file);
    }
    if (list->length)
        fprintf(file, "\n%*s", 2 * depth, "");
    putc(ends[1], file);
}

static void write_indented(const struct json *value, int depth, FILE *file)
{
    switch (value->kind) {
    case JSON_NULL:
        fputs("null", file);
        break;
    case JSON_TRUTH:
        fputs(value->truth ? "true" : "false", file);
        break;
    case JSON_COUNT:
        fprintf(file, "%" PRIu64, value->count);
        break;
    case JSON_REAL:
        write_real(value->real, file);
        break;
    case JSON_TEXT:
        write_text(value->text, file);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        write_members(value, depth, file);
        break;
    }
}

void json_write(const struct json *value, FILE *file)
{
    write_indented(value, 0, file);
}
