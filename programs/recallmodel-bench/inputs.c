/* inputs.c - the inputs of a cell, and the products that a result is selected from.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gpu/host/check.h>
#include <gpu/host/inputs.h>

#include "device.h"

static bool same_inputs(const struct cell *a, const struct cell *b)
{
    if (!a->kernel || (a->d > 0) != (b->d > 0))
        return false;
    return a->m == b->m && a->n == b->n && a->d == b->d &&
           (a->d > 0 || (a->dtype == b->dtype && a->input == b->input));
}

/* How many sets of inputs take turns in the calls of a graph. There are as many as it takes for a
 * set to have left the cache when its turn comes again: 2, 4, 8 or 16, so that every replay has the
 * same turns. With 16, no set comes twice in a replay, and what earlier replays left in the cache
 * is flushed. A call between events also comes after a flush. Rows that stay warm are one set. */
static unsigned count_sets(const struct device *r, const struct cell *c)
{
    if (c->d)
        return 1;
    unsigned sets = 1;
    while (c->graph && !c->warm && sets < INPUT_SETS_MAX &&
           sets * cell_bytes_read(c) < 3 * r->facts.l2_bytes)
        sets *= 2;
    return sets;
}

/* The queries and the database of a product. */
static enum rcm_gpu_status fill_vectors(struct device *r, const struct cell *c)
{
    rcm_gpu_stream stream = rcm_gpu_timer_stream(r->timer);
    if (!reserve(&r->x[0], c->m * c->d * 2) || !reserve(&r->x[1], c->n * c->d * 2))
        return RCM_GPU_BAD_WORKSPACE;
    enum rcm_gpu_status status = rcm_gpu_fill_vectors(c->m * c->d, r->seed, r->x[0].at, stream);
    return status == RCM_GPU_OK ? rcm_gpu_fill_vectors(c->n * c->d, r->seed + 1, r->x[1].at, stream)
                                : status;
}

static enum rcm_gpu_status fill_rows(struct device *r, const struct cell *c, unsigned set)
{
    if (!reserve(&r->x[set], cell_bytes_read(c)))
        return RCM_GPU_BAD_WORKSPACE;
    return rcm_gpu_fill(c->dtype, c->input, c->m, c->n, r->seed + set, r->x[set].at,
                        rcm_gpu_timer_stream(r->timer));
}

enum rcm_gpu_status make_inputs(struct device *r, const struct cell *c)
{
    unsigned sets = count_sets(r, c), first = same_inputs(&r->input_cell, c) ? r->sets : 0;
    enum rcm_gpu_status status = RCM_GPU_OK;
    if (first == 0) {
        r->input_cell.kernel = NULL;
        r->true_k = 0;
        r->plain_products = r->multiplier_proved = false;
    }
    if (c->d && first == 0)
        status = fill_vectors(r, c);
    for (unsigned set = first; set < sets && !c->d && status == RCM_GPU_OK; set++)
        status = fill_rows(r, c, set);
    if (status == RCM_GPU_OK)
        status = rcm_gpu_wait();
    if (status != RCM_GPU_OK)
        return status;
    r->input_cell = *c;
    r->sets = sets > first ? sets : first;
    r->turns = sets;
    return RCM_GPU_OK;
}

const void *result_rows(struct device *r, const struct cell *c, unsigned set,
                        enum rcm_gpu_status *status)
{
    *status = RCM_GPU_OK;
    if (!c->d)
        return r->x[set].at;
    if (is_fused(how_of(c)) && !r->plain_products) {
        if (!reserve(&r->products, c->m * c->n * sizeof(float)))
            return NULL;
        *status = rcm_gpu_multiply(r->x[0].at, r->x[1].at, c->m, c->n, c->d, r->products.at,
                                   rcm_gpu_timer_stream(r->timer));
        r->plain_products = *status == RCM_GPU_OK;
    }
    return r->products.at;
}
