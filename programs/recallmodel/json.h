/* json.h - parts of JSON answers, in fewer words than jansson needs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef JSON_H
#define JSON_H

#include <stdint.h>

#include <programs/common/table.h>

/* A new object. All of them begin with the version. */
json_t *object_with_version(void);

/* Set a member of an object. A real that is not finite, and a text that is NULL, become null. */
void set_count(json_t *object, const char *key, uint64_t value);
void set_real(json_t *object, const char *key, double value);
void set_text(json_t *object, const char *key, const char *value);

/* A real, or null if it is not finite. */
json_t *real_or_null(double value);

/* The rows of a table as an array, or its only row as an object; frees the table. */
json_t *rows_as_json(struct table *table);
json_t *row_as_json(struct table *table);

/* Prints a value, indented, and frees it. Returns a status. */
int print_json(json_t *value);

#endif
