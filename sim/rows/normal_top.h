/* normal_top.h - the k largest of n independent standard normal values, without the others.
 *
 * As simulate.h, it uses nothing of model/.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef NORMAL_TOP_H
#define NORMAL_TOP_H

#include <stddef.h>
#include <stdint.h>

struct normal_top {
    uint64_t n, seed;
    size_t k, room;
    double above;     /* values that are larger are drawn */
    double log_below; /* log P(a value is not) */
    double *values;
};

/* 1 <= k <= n < 2^53. Returns 0, or -1 if memory runs out; free(top->values). */
int normal_top_begin(struct normal_top *top, uint64_t n, uint64_t k, uint64_t seed);

/* Sets x[0] > x[1] > .. > x[k-1], of the row of this number. Some 100 ns for each. */
void normal_top_draw(const struct normal_top *top, uint64_t row, double *x);

#endif
