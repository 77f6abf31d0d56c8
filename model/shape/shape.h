/* shape.h - internal to model/: functions of a shape.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SHAPE_H
#define SHAPE_H

#include <model/recallmodel/shape.h>

uint64_t shape_ceil_divide(uint64_t a, uint64_t b); /* b >= 1 */

/* The number of elements that exist: p.valid, or n where that is 0. */
uint64_t shape_valid(struct rcm_topk p);

/* The number of rows: p.m, or 1 where that is 0. */
double shape_rows(struct rcm_topk p);

#endif
