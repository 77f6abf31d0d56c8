/* plain.h - exact top-k by quickselect: what one would write first, to compare with.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PLAIN_H
#define PLAIN_H

#include <programs/bench/cells/cell.h>

/* The bytes of workspace for a row of n. */
size_t plain_workspace(uint64_t n);

/* The k best of each of the m rows of the cell, in no order. */
void plain_topk(const struct cell *cell, const void *x, void *values, int32_t *indices,
                void *workspace);

#endif
