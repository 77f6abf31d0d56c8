/* columns.h - columns that several commands print.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <model/recallmodel.h>
#include <programs/common/table.h>

/* n, k, b, k_b and m of a struct rcm_topk. */
extern const struct columns shape_columns;

#endif
