/* json.h - parts of JSON answers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef JSON_H
#define JSON_H

#include <stdint.h>

#include <programs/common/table.h>

/* A new object. All of them begin with the version. */
struct json *object_with_version(void);

/* Put a member into an object. A real that is not finite, and a text that is NULL, become null. */
void set_count(struct json *object, const char *key, uint64_t value);
void set_real(struct json *object, const char *key, double value);
void set_text(struct json *object, const char *key, const char *value);
void set_truth(struct json *object, const char *key, bool value);
void set_null(struct json *object, const char *key);

/* As set_text(), for the name of a file: where it is not UTF-8, which JSON needs, each byte above
 * 127 becomes '?'. */
void set_name(struct json *object, const char *key, const char *value);

/* The rows of a table as an array, or its only row as an object; frees the table. */
struct json *rows_as_json(struct table *table);
struct json *row_as_json(struct table *table);

/* Prints a value, indented, and frees it. Returns a status. A text that is not UTF-8 is an error,
 * and nothing is printed. */
int print_json(struct json *value);

#endif
