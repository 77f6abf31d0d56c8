/* columns.h - columns that several commands print.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <model/recallmodel.h>
#include <programs/common/table.h>

/* n, k, b, k_b and m of a struct rcm_topk. */
extern const struct columns shape_columns;

/* A count, or null if `known` is false. */
void put_count_if(bool known, struct table *table, struct column column, uint64_t value);

#endif
