/* json_value.h - a JSON value as a tree, and its text.
 *
 * A value belongs to the object or array that it is put into, and is freed with it. Members of an
 * object keep the order in which they were put. Memory that runs out is handled as in
 * base/memory.h, so no function here returns NULL for that.
 *
 * Source    RFC 8259; the text is that of jansson's json_dumpf(.., JSON_INDENT(2)), byte by byte.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef JSON_VALUE_H
#define JSON_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json;

struct json *json_new_object(void);
struct json *json_new_array(void);
struct json *json_new_null(void);
struct json *json_new_truth(bool value);
struct json *json_new_count(uint64_t value);
struct json *json_new_real(double value);      /* null if it is not finite */
struct json *json_new_text(const char *value); /* a copy; NULL: null */
void json_free(struct json *value);            /* NULL: nothing */

/* Puts a value into an object, in the place of an earlier one of this key, or behind the others. */
void json_put(struct json *object, const char *key, struct json *value);

/* Moves the members of `from` into an object, as json_put() does, and frees `from`. */
void json_merge(struct json *object, struct json *from);

void json_add(struct json *array, struct json *value);

/* The value of a key, NULL if there is none; is there one, and is it null? */
struct json *json_member(const struct json *object, const char *key);
bool json_null_at(const struct json *object, const char *key);

/* The length of an array, and its i-th value. */
size_t json_length(const struct json *array);
struct json *json_item(const struct json *array, size_t i);

/* Takes the i-th value out of an array. The caller frees it. */
struct json *json_take(struct json *array, size_t i);

/* Are all texts and keys UTF-8, so that the value has a text in JSON? */
bool json_has_text(const struct json *value);

/* Writes the text, indented by two, without a last newline. Reals have the 17 digits that are read
 * back as the same number. An error is that of the file: ferror(). Domain: json_has_text(). */
void json_write(const struct json *value, FILE *file);

#endif
