/* runner.c - see runner.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "runner.h"

#include <math.h>

/* Products that are rounded have another true top k. */
static bool has_recall(const struct cell *c)
{
    return (c->kernel->task != TASK_EXACT || c->kernel->peer) && !c->kernel->is_product_only &&
           (!c->d || c->dtype == DTYPE_F32);
}

/* Runs the cell once, proves the result, and counts the recall. */
static enum outcome prove_first_call(struct device *device, const struct cell *c,
                                     struct measurement *to)
{
    double hits;
    enum outcome outcome = backend->run_once(device, c);
    if (outcome == MEASURED)
        outcome = backend->prove(device, 0);
    if (outcome != MEASURED || !has_recall(c))
        return outcome;
    outcome = backend->count_hits(device, &hits);
    if (outcome == MEASURED)
        measure_recall(c, hits, to);
    return outcome;
}

/* Chooses the way that moves the bytes of the cell fastest here, by the least of three times. */
static int choose_roof(struct device *device, const struct cell *c, unsigned *choice)
{
    double best = INFINITY;
    *choice = 0;
    for (unsigned roof = 0; roof < backend->roofs && backend->roofs > 1; roof++) {
        backend->use_roof(device, roof);
        for (unsigned i = 0; i < 4; i++) {
            double time_us;
            const int status = backend->stopwatch->time_call(device, backend->roof_work(device), 0,
                                                             !c->warm, &time_us);
            if (status != 0)
                return status;
            if (i > 0 && time_us < best) { /* the first call loads the kernel */
                best = time_us;
                *choice = roof;
            }
        }
    }
    backend->use_roof(device, *choice);
    return 0;
}

/* Times the cell. Unless it is a product, or the rules say alone, also times moving its bytes,
 * alternately with it. */
static int take_times(struct device *device, const struct cell *c, const struct sampling *rules,
                      struct measurement *to)
{
    struct sampling how = *rules;
    struct timing timing[2] = {{0}, {0}};
    const bool alone = c->d || rules->alone;
    unsigned roof = 0;
    how.graph = c->graph;
    how.flush = !c->warm;
    int status = backend->poison(device);
    if (status == 0 && !alone)
        status = choose_roof(device, c, &roof);
    if (status == 0)
        status = take_samples(backend->stopwatch, device, &how, backend->cell_work(device),
                              alone ? NULL : backend->roof_work(device), timing);
    to->time = timing[0];
    to->roof = timing[1];
    to->roof_kernel = alone ? "" : backend->roof_name(roof);
    return status;
}

static enum outcome measure(const struct runner *r, const struct cell *c,
                            const struct sampling *rules, struct measurement *to)
{
    *to = (struct measurement){
        .recall = NAN, .recall_model = NAN, .z = NAN, .predicted_us = NAN, .cost = {NAN, NAN, NAN}};
    const enum outcome outcome = prove_first_call(r->device, c, to);
    if (outcome != MEASURED)
        return outcome;
    const int status = take_times(r->device, c, rules, to);
    if (status != 0)
        return backend->refuse(r->device, status, "timing");
    ask_models(r->predicts, c, to);
    /* The outputs are those of the last call that was timed; of a graph, those of its last one. */
    return backend->prove(r->device, c->graph ? GRAPH_CALLS - 1 : 0);
}

enum outcome runner_measure(const struct runner *r, const struct cell *c,
                            const struct sampling *rules, struct measurement *to)
{
    const enum outcome outcome = measure(r, c, rules, to);
    /* Perhaps it fits without the buffers that earlier cells left. */
    return outcome == SKIPPED && backend->make_room(r->device) ? measure(r, c, rules, to) : outcome;
}
