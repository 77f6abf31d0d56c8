/* rows.c - from sums over groups to means and their standard errors.
 *
 * The queries of one query head in one layer for one document are alike, so that they count as one
 * group, not as so many independent ones (base/grouped.h). The error of the output is a ratio of
 * two sums; its denominator stands where a plain mean has the number of queries. docs/sparse.md
 * says more.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include <base/array.h>
#include <base/grouped.h>
#include <base/memory.h>

#include "evaluation_state.h"

/* What is summed for one row. */
struct row_sums {
    const struct evaluation_run *run;
    size_t cell;
    const struct sums *sums;         /* [group], of the budget */
    const struct recall_sum *recall; /* [group][k] */
};

/* The numerator of a mean in one group, and its denominator as `rows`. */
typedef struct group_sum ratio_of(const struct row_sums *row, size_t group, size_t which);

static struct group_sum mass_of(const struct row_sums *row, size_t group, size_t which)
{
    (void)which;
    return (struct group_sum){row->sums[group].mass, row->sums[group].queries};
}

static struct group_sum error_of(const struct row_sums *row, size_t group, size_t which)
{
    (void)which;
    return (struct group_sum){row->sums[group].difference2, row->sums[group].norm2};
}

static struct group_sum recall_of(const struct row_sums *row, size_t group, size_t which)
{
    const struct recall_sum *sum = &row->recall[group * row->run->spec->k_length + which];
    return (struct group_sum){sum->recall, sum->queries};
}

static struct measured measure(const struct row_sums *row, ratio_of *of, size_t which)
{
    const struct evaluation_run *run = row->run;
    struct group_sum *sums = require_memory(malloc((run->groups_length + 1) * sizeof *sums));
    size_t length = 0;
    for (size_t g = 0; g < run->groups_length; g++)
        if (run->groups[g].cell == row->cell)
            sums[length++] = of(row, g, which);
    const struct grouped_mean mean = grouped_mean(sums, length);
    free(sums);
    return (struct measured){mean.mean, mean.error};
}

/* The layer, head and knob of a row, where all its groups have the same. */
static void put_names(const struct evaluation_run *run, size_t budget, size_t cell,
                      struct evaluation_row *row)
{
    bool first = true;
    row->layer = LAYER_UNKNOWN;
    row->head = HEAD_ALL;
    row->knob = KNOB_NONE;
    for (size_t g = 0; g < run->groups_length; g++) {
        const struct query_group *group = &run->groups[g];
        const struct head_shape *shape = &run->spec->heads[group->head];
        if (group->cell != cell)
            continue;
        uint32_t knob = run->method->counts_keys
                            ? budget_keys(run->spec->budgets[budget], shape->n)
                            : run->knob[budget * run->cells + group->knob_cell];
        if (shape->dense || run->knob_max[group->head] == 0)
            knob = KNOB_NONE;
        row->layer = first || row->layer == shape->layer ? shape->layer : LAYER_UNKNOWN;
        row->knob = first || row->knob == knob ? knob : KNOB_NONE;
        if (run->spec->per_head)
            row->head = shape->query_head + group->query_head;
        first = false;
    }
}

static struct evaluation_row row_of(const struct evaluation_run *run, size_t method, size_t budget,
                                    size_t cell, struct measured *recall)
{
    const struct evaluation_spec *spec = run->spec;
    const struct row_sums sums = {run, cell, run->sums + budget * run->groups_length,
                                  run->recall + budget * run->groups_length * spec->k_length};
    struct evaluation_row row = {.method = method,
                                 .budget = budget,
                                 .imbalance = NAN,
                                 .largest_bucket = NAN,
                                 .time_us = NAN};
    double queries = 0, imbalance = 0, needles = 0;
    put_names(run, budget, cell, &row);
    for (size_t g = 0; g < run->groups_length; g++)
        if (run->groups[g].cell == cell) {
            const struct sums *s = &sums.sums[g];
            queries += s->queries;
            row.visited += s->visited;
            row.selectivity += s->selectivity;
            row.bytes_read += s->bytes;
            row.index_bytes += s->index_bytes;
            imbalance += s->imbalance;
            needles += s->needles;
            row.needle_found += s->found;
            if (s->largest_bucket > 0)
                row.largest_bucket = fmax(row.largest_bucket, s->largest_bucket);
            row.groups++;
        }
    row.queries = (uint64_t)queries;
    row.visited /= queries;
    row.selectivity /= queries;
    row.needle_found = needles > 0 ? row.needle_found / needles : NAN;
    row.bytes_read /= queries;
    row.index_bytes /= queries;
    if (run->method->imbalance && imbalance > 0)
        row.imbalance = imbalance / (double)row.groups;
    row.mass = measure(&sums, mass_of, 0);
    row.error = measure(&sums, error_of, 0);
    row.recall = recall;
    for (size_t j = 0; j < spec->k_length; j++)
        recall[j] = measure(&sums, recall_of, j);
    return row;
}

void append_rows(const struct evaluation_run *run, size_t method, struct evaluation *evaluation)
{
    const size_t k_length = run->spec->k_length;
    for (size_t b = 0; b < run->spec->budgets_length; b++)
        for (size_t cell = 0; cell < run->cells; cell++) {
            struct measured *recall = evaluation->all + evaluation->length * k_length;
            evaluation->rows[evaluation->length++] = row_of(run, method, b, cell, recall);
        }
}

uint32_t budget_keys(double budget, uint32_t n)
{
    /* The decimal as it was written: 0.145 of 100 is 14.5, and the product a little less. */
    return (uint32_t)floor(budget * n * (1 + 1e-12) + 0.5);
}
