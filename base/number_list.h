/* number_list.h - internal to base/: what the parsers of counts and of decimals share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef NUMBER_LIST_H
#define NUMBER_LIST_H

#include <stdbool.h>

#include "number.h"

/* The fault of a text that is empty, negative or hexadecimal; otherwise NULL. */
const char *number_refuse(const char *text);

/* Is this an underscore between two digits, as in 128_256? `at` is not the beginning of a text. */
bool number_separates(const char *at);

/* Calls parse() for each part between commas, each a string of its own, and stops at the first
 * fault. Copies the last part that it parsed into `item`.
 * Returns   NULL, or the fault. */
const char *list_each_part(const char *text, const char *(*parse)(char *part, void *list),
                           void *list, char item[ITEM_MAX]);

/* Room for one more item of the size in a list that has no capacity of its own: it doubles at
 * powers of two. Returns NULL, or the fault of a list that is too long. */
const char *list_make_room(void **items, size_t length, size_t size);

/* Faults that both parsers find. */
extern const char list_too_long[], list_backwards[];

#endif
