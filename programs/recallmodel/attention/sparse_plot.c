/* sparse_plot.c - sparse: the picture of --plot.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include <programs/recallmodel/output/plot.h>
#include "sparse.h"

/* What is left of rounding is no point, and a bar that reaches 0 is none on a logarithmic axis. */
static void put_point(struct plot *plot, double x, struct measured y)
{
    if (y.mean > 1e-20)
        plot_point(plot, x, y.mean, 2 * y.se < y.mean ? 2 * y.se : 0);
}

/* Error (without values: lost mass) over the keys that were visited, a curve for each method; of
 * rows by head, a curve for each method and head. */
int draw_sparse(const struct sparse_answer *a)
{
    const struct evaluation *e = a->evaluation;
    const bool values = a->tensors->heads[0].d_v > 0;
    char title[200];
    snprintf(title, sizeof title, "n = %u, sink %u, window %u, %llu queries",
             a->tensors->heads[0].n, a->spec->options.dense.sink, a->spec->options.dense.window,
             (unsigned long long)e->queries);
    struct plot *plot = plot_new(title, "keys that a query may visit, %", true);
    plot_y_label(plot, values ? "squared error of the output, relative" : "softmax mass lost");
    for (size_t i = 0; i < e->length; i++) {
        const struct evaluation_row *first = &e->rows[i];
        if (first->budget > 0)
            continue;
        char name[100];
        if (a->spec->per_head)
            snprintf(name, sizeof name, "%s, head %u", a->spec->methods[first->method]->name,
                     first->head);
        else
            snprintf(name, sizeof name, "%s", a->spec->methods[first->method]->name);
        plot_series(plot, name, true, true, first->method);
        for (size_t j = i; j < e->length; j++) {
            const struct evaluation_row *row = &e->rows[j];
            if (row->method != first->method || row->head != first->head ||
                row->layer != first->layer)
                continue;
            put_point(plot, 100 * a->spec->budgets[row->budget],
                      a->tensors->heads[0].d_v
                          ? row->error
                          : (struct measured){1 - row->mass.mean, row->mass.se});
        }
    }
    const int status = plot_draw(plot, a->settings->question.plot);
    plot_free(plot);
    return status;
}
