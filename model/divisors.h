/* divisors.h - internal to model/: divisors by their prime factors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIVISORS_H
#define DIVISORS_H

#include "recallmodel.h"

/* The smallest divisor >= low and the greatest <= high among those that are multiples of align >=
 * 1; 0 if there is none. */
struct divisor_search {
    uint64_t low, high, align;
    uint64_t least, greatest;
};
void divisor_search(const struct rcm_factors *factors, struct divisor_search *search);

/* The greatest that divides both. */
uint64_t common_divisor(uint64_t a, uint64_t b);

#endif
