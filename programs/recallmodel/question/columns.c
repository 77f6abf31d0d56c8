/* columns.c - see columns.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "columns.h"

void put_shape_of_run(struct table *table, struct rcm_topk p)
{
    table_count(table, column("n", STYLE_PLAIN), p.n);
    table_count(table, column("k", STYLE_PLAIN), p.k);
    table_count(table, column("b", STYLE_PLAIN), p.b);
    table_count(table, column("k_b", STYLE_PLAIN), p.k_b);
    table_count(table, column("m", STYLE_PLAIN), p.m);
}

void put_buckets(struct table *table, struct rcm_topk p)
{
    table_count(table, column("k_b", STYLE_PLAIN), p.k_b);
    table_count(table, column("b", STYLE_PLAIN), p.b);
    table_count(table, column("candidates", STYLE_PLAIN), rcm_candidates(p));
}

void put_buckets_and_recall(struct table *table, struct rcm_topk p)
{
    put_buckets(table, p);
    table_real(table, column("recall", STYLE_RECALL), rcm_recall_exact(p));
}

void put_count_if(bool known, struct table *table, struct column column, uint64_t value)
{
    if (known)
        table_count(table, column, value);
    else
        table_null(table, column);
}
