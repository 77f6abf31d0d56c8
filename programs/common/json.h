/* json.h - parts of JSON answers, whose values and text are jansson's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

/* Tells jansson to handle memory that runs out as base/memory.h does, so that none of its functions
 * returns NULL for that. Each main() calls it. */
void json_start(void);

json_t *json_count(uint64_t value);   /* NO_COUNT: null */
json_t *json_number(double value);    /* null if it is not finite */
json_t *json_text(const char *value); /* a copy; NULL: null */

/* A new object. All of them begin with the version. */
json_t *object_with_version(void);

#define NO_COUNT UINT64_MAX

/* Put a member into an object. NO_COUNT, a real that is not finite, and a text that is NULL become
 * null. */
void set_count(json_t *object, const char *key, uint64_t value);
void set_real(json_t *object, const char *key, double value);
void set_text(json_t *object, const char *key, const char *value);
void set_truth(json_t *object, const char *key, bool value);

/* As set_text(), for the name of a file: where it is not UTF-8, which JSON needs, each byte above
 * 127 becomes '?'. */
void set_name(json_t *object, const char *key, const char *value);

/* Prints a value, indented, and frees it. Returns a status. A text that is not UTF-8 is an error,
 * and nothing is printed. */
int print_json(json_t *value);

#endif
