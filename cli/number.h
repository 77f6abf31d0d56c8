/* number.h - numbers and lists as people type them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef NUMBER_H
#define NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* Each parser returns NULL, or a phrase that says what is wrong and continues "... is": "not a
 * number", "negative", .. The list parsers put the item that is wrong into `item`. */
#define ITEM_MAX 48

/* A positive integer up to 2^53 - 1: 262144, 128_256, 2^18, 256Ki (Mi, Gi, Ti, Pi: of 1024),
 * 1e6, 1.5e6, 128k, 1.5M (k, M, G, T, P: of 1000). */
const char *parse_count(const char *text, uint64_t *count);

/* A list of them: 1,2,4 or 1..8 or both. The caller frees `items`. At most LIST_MAX. */
#define LIST_MAX 65536
struct count_list {
    size_t length;
    uint64_t *items;
};
const char *parse_count_list(const char *text, struct count_list *list, char item[ITEM_MAX]);

/* Sorts a list and drops what stands there twice. */
void sort_counts(struct count_list *list);

/* A decimal fraction, exactly: digits / 10^scale, at most 18 digits; typed as 0.001 or 1e-3. */
struct decimal {
    int64_t digits;
    unsigned scale;
};
const char *parse_decimal(const char *text, struct decimal *decimal);
void format_decimal(char *buffer, size_t size,
                    struct decimal decimal); /* as typed, without trailing zeros */
double decimal_value(struct decimal decimal);
double decimal_complement(struct decimal decimal); /* 1 - value, subtracted exactly */

/* A positive real number: what parse_count takes, or a decimal of at most 18 digits, such as 59.5.
 */
const char *parse_amount(const char *text, double *amount);

/* A list of decimals: 0.8,0.9 or 0:0.1:0.9 (first, step, last; exact, so that 0.3 is 0.3) or both.
 */
struct decimal_list {
    size_t length;
    struct decimal *items;
};
const char *parse_decimal_list(const char *text, struct decimal_list *list, char item[ITEM_MAX]);

#endif
