/* number.h - counts and amounts as people type them. Decimals are in decimal.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef NUMBER_H
#define NUMBER_H

#include <stddef.h>
#include <stdint.h>

#include "decimal.h"

/* The largest count: every integer up to here is a double. */
#define NUMBER_MAX ((UINT64_C(1) << 53) - 1)

/* A positive integer up to NUMBER_MAX: 262144, 128_256, 2^18, 256Ki (Mi, Gi, Ti, Pi: of 1024), 1e6,
 * 1.5e6, 128k, 1.5M (k, M, G, T, P: of 1000).
 * Returns   NULL, or the fault: a phrase that continues "... is", such as "not a number". */
const char *parse_count(const char *text, uint64_t *count);

/* The same, or 0. */
const char *parse_count_or_zero(const char *text, uint64_t *count);

/* A list of them: 1,2,4 or 1..8 or both; at most LIST_MAX items. The caller frees `items`.
 * Returns   NULL, or the fault of the item that it leaves in `item`. */
#define LIST_MAX 65536
struct count_list {
    size_t length;
    uint64_t *items;
};
const char *parse_count_list(const char *text, struct count_list *list, char item[ITEM_MAX]);

/* Sorts a list and drops repeated items. */
void sort_counts(struct count_list *list);

/* A positive real number: what parse_count takes, or a decimal of at most 18 digits, such as 59.5.
 * Returns   NULL, or the fault. */
const char *parse_amount(const char *text, double *amount);

#endif
