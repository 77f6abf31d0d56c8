/* command_ranks.c - which elements are lost: survival by rank.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "answer.h"
#include "commands.h"

static void put_rank(struct table *table, const struct query *query, struct rcm_topk p,
                     uint64_t rank)
{
    table_row(table, false);
    put_query(table, query);
    table_count(table, column("b", STYLE_PLAIN), p.b);
    table_count(table, column("k_b", STYLE_PLAIN), p.k_b);
    table_count(table, column("rank", STYLE_PLAIN), rank);
    table_real(table, column("survival", STYLE_RECALL), rcm_survival(p, rank));
}

static struct table *rows(const struct query *query, const struct options *options)
{
    struct table *table = table_new();
    for (size_t i = 0; i < query->length; i++) {
        struct rcm_topk p = query->shapes[i];
        if (options->ranks.length) {
            for (size_t j = 0; j < options->ranks.length && options->ranks.items[j] <= p.k;
                 j++) /* ascending */
                put_rank(table, query, p, options->ranks.items[j]);
            continue;
        }
        uint64_t rank = 1;
        for (; rank < p.k; rank *= 2)
            put_rank(table, query, p, rank);
        put_rank(table, query, p, p.k);
    }
    return table;
}

int command_ranks(const struct options *options)
{
    size_t left_out = 0;
    for (size_t i = 0; i < options->ranks.length; i++)
        for (size_t j = 0; j < options->k.length; j++) {
            uint64_t rank = options->ranks.items[i], k = options->k.items[j];
            if (rank > k && i == 0)
                return usage_error("--ranks %" PRIu64 " is larger than k = %" PRIu64
                                   "; give ranks from 1 to k",
                                   rank, k);
            left_out += rank > k;
        }
    if (left_out)
        fprintf(stderr, "recallmodel: left out %zu ranks that are larger than k\n", left_out);
    return answer_queries(options,
                          &(struct answer){SHAPES_SMALLEST_B, rows, NULL, NULL, "ranks", NULL});
}
