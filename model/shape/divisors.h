/* divisors.h - internal to model/: divisors by prime factors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIVISORS_H
#define DIVISORS_H

#include <model/recallmodel/shape.h>

/* Finds `least`, the smallest divisor >= low, and `greatest`, the largest divisor <= high, among
 * those that are multiples of align >= 1; 0 if there is none. */
struct divisor_search {
    uint64_t low, high, align;
    uint64_t least, greatest;
};
void divisor_search(const struct rcm_factors *factors, struct divisor_search *search);

/* The greatest common divisor. */
uint64_t common_divisor(uint64_t a, uint64_t b);

/* The factors of n, which it puts into *factors, if b must divide n; otherwise NULL. */
const struct rcm_factors *factors_if(bool must_divide, uint64_t n, struct rcm_factors *factors);

#endif
