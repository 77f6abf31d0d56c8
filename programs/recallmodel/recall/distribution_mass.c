/* distribution_mass.c - see distribution_mass.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "distribution_mass.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <programs/common/table.h>
#include <programs/common/wrap.h>
#include <programs/recallmodel/question/mass_distribution.h>

#define SHARES_MOST 8

struct mass_row {
    struct rcm_topk p;
    double mean, sd, quantiles[SHARES_MOST], token;
};

static const struct column mass_items[] = {
    {FIELD(struct mass_row, p.b), .heading = "b"},
    {FIELD(struct mass_row, p.k_b), .heading = "k_b"},
    {FIELD(struct mass_row, mean), .heading = "lost mass", .style = STYLE_LOSS},
    {FIELD(struct mass_row, sd), .heading = "sd", .style = STYLE_LOSS},
};
#define MASS_ITEMS (sizeof mass_items / sizeof *mass_items)

void distribution_mass_print(const struct query *query, const struct question *question,
                             const struct decimal *shares, size_t length, bool colour)
{
    struct column items[MASS_ITEMS + SHARES_MOST + 1];
    char headings[SHARES_MOST][24];
    size_t used = 0;
    if (query->weights.weights.k == 0)
        return;
    memcpy(items, mass_items, sizeof mass_items);
    while (used < length && used < SHARES_MOST && decimal_value(shares[used]) >= MASS_LEAST_SHARE) {
        snprintf(headings[used], sizeof headings[used], "%.6g %%",
                 100.0 * decimal_value(shares[used]));
        items[MASS_ITEMS + used] = (struct column){FIELD(struct mass_row, quantiles[used]),
                                                   .heading = headings[used], .style = STYLE_LOSS};
        used++;
    }
    size_t count =
        MASS_ITEMS + (mass_distribution_is_known(&query->weights, query->base) ? used : 0);
    if (token_change_is_known(&query->weights, query->base))
        items[count++] = (struct column){FIELD(struct mass_row, token), .heading = "token\nchanges",
                                         .style = STYLE_LOSS};
    const struct columns columns = {items, count, sizeof(struct mass_row)};
    struct table *table = table_of(&columns, 0);
    for (size_t i = 0; i < query->length; i++) {
        struct mass_distribution dist = mass_distribution(&query->weights, query->shapes[i]);
        const struct token_change change =
            token_change(&query->weights, query->shapes[i], TOKEN_CHANGE_REST, query->length);
        struct mass_row row = {.p = query->shapes[i],
                               .mean = dist.mean,
                               .sd = dist.sd,
                               .token = change.total_variation};
        for (size_t s = 0; s < used; s++)
            row.quantiles[s] = mass_distribution_quantile(&dist, decimal_value(shares[s]));
        mass_distribution_free(&dist);
        table_add(table, &row, false);
    }
    putchar('\n');
    table_print(table, stdout, colour);
    table_free(table);
    weights_print(&question->weights, &query->weights);
}

void distribution_mass_json(json_t *shape, const struct query *query, struct rcm_topk p,
                            const struct decimal *shares, size_t length)
{
    if (query->weights.weights.k == 0)
        return;
    struct mass_distribution dist = mass_distribution(&query->weights, p);
    json_t *quantiles = json_array();
    for (size_t i = 0; i < length && decimal_value(shares[i]) >= MASS_LEAST_SHARE; i++) {
        json_t *object = json_object();
        set_real(object, "share", decimal_value(shares[i]));
        set_real(object, "lost_mass", mass_distribution_quantile(&dist, decimal_value(shares[i])));
        json_array_append_new(quantiles, object);
    }
    set_real(shape, "lost_mass", dist.mean);
    set_real(shape, "lost_mass_sd", dist.sd);
    set_real(shape, "attention_error", rcm_attention_error(p, &query->weights.weights));
    json_object_set_new(shape, "lost_mass_quantiles", quantiles);
    const struct token_change change = token_change(
        &query->weights, p, length ? decimal_value(shares[0]) : TOKEN_CHANGE_REST, query->length);
    token_change_json(shape, &change);
    mass_distribution_free(&dist);
}
