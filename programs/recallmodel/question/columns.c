/* columns.c - see columns.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "columns.h"

static const struct column shape_items[] = {
    {FIELD(struct rcm_topk, n), EVERYWHERE("n")}, {FIELD(struct rcm_topk, k), EVERYWHERE("k")},
    {FIELD(struct rcm_topk, b), EVERYWHERE("b")}, {FIELD(struct rcm_topk, k_b), EVERYWHERE("k_b")},
    {FIELD(struct rcm_topk, m), EVERYWHERE("m")},
};
const struct columns shape_columns = COLUMNS(struct rcm_topk, shape_items);
