/* decimal.h - decimal fractions as people type them, exactly.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DECIMAL_H
#define DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/* What a parser of a list shows of the item that has a fault, with the final zero. */
#define ITEM_MAX 48

/* digits / 10^scale, at most 18 digits, of which at most 18 stand behind the point. */
struct decimal {
    int64_t digits;
    unsigned scale;
};

/* Typed as 0.001 or 1e-3; zeros at the end do not count as digits.
 * Returns   NULL, or the fault: a phrase that continues "... is", such as "negative". */
const char *parse_decimal(const char *text, struct decimal *decimal);

/* As typed, without trailing zeros. */
void format_decimal(char *buffer, size_t size, struct decimal decimal);

double decimal_value(struct decimal decimal);
double decimal_complement(struct decimal decimal); /* 1 - value, subtracted exactly */

/* How many of k may be lost, k >= 1, for a recall in (0, 1]: k - ceil(recall k), in integers. A
 * recall within one unit of the last place of c/k is c/k, where k <= 2^50, so that one that an
 * answer printed asks for no element more. */
uint64_t decimal_most_lost(struct decimal recall, uint64_t k);

/* A list of decimals: 0.8,0.9 or 0:0.1:0.9 (first, step, last; exact, so that 0.3 is 0.3) or both.
 * The caller frees `items`.
 * Returns   NULL, or the fault of the item that it leaves in `item`. */
struct decimal_list {
    size_t length;
    struct decimal *items;
};
const char *parse_decimal_list(const char *text, struct decimal_list *list, char item[ITEM_MAX]);

#endif
