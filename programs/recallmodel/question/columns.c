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

void put_shape_of_run(struct table *table, struct rcm_topk p)
{
    table_count(table, column("n", STYLE_PLAIN), p.n);
    table_count(table, column("k", STYLE_PLAIN), p.k);
    table_count(table, column("b", STYLE_PLAIN), p.b);
    table_count(table, column("k_b", STYLE_PLAIN), p.k_b);
    table_count(table, column("m", STYLE_PLAIN), p.m);
}

void put_count_if(bool known, struct table *table, struct column column, uint64_t value)
{
    if (known)
        table_count(table, column, value);
    else
        table_null(table, column);
}
