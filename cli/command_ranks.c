/* command_ranks.c - which elements are lost: survival by rank.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"
#include "commands.h"

static void put_rank(struct table *table, const struct query *query, struct rcm_topk p, uint64_t rank)
{
    table_row(table, false);
    put_query(table, query);
    table_count(table, (struct column){"b", "b", "b", STYLE_PLAIN, 0}, p.b);
    table_count(table, (struct column){"k_b", "k_b", "k_b", STYLE_PLAIN, 0}, p.k_b);
    table_count(table, (struct column){"rank", "rank", "rank", STYLE_PLAIN, 0}, rank);
    table_real(table, (struct column){"survival", "survival", "survival", STYLE_RECALL, 0}, rcm_survival(p, rank));
}

static struct table *rows(const struct query *query, const struct options *options)
{
    struct table *table = table_new();
    for (size_t i = 0; i < query->length; i++) {
        struct rcm_topk p = query->shapes[i];
        if (options->ranks.length) {
            for (size_t j = 0; j < options->ranks.length; j++)
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
    for (size_t i = 0; i < options->ranks.length; i++)
        for (size_t j = 0; j < options->k.length; j++)
            if (options->ranks.items[i] > options->k.items[j])
                return usage_error("--ranks %llu is larger than k = %llu; give ranks from 1 to k",
                                   (unsigned long long)options->ranks.items[i], (unsigned long long)options->k.items[j]);
    return answer_queries(options, &(struct answer){SHAPES_SMALLEST_B, rows, NULL, NULL, "ranks"});
}
