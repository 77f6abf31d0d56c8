/* objective.c - what is to be least: a registry.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include <model/recallmodel/select.h>
#include <model/shape/shape.h>

#include "search.h"

/* ---- candidates */

static double candidates(const struct rcm_objective *self, const struct rcm_machine *machine,
                         struct rcm_topk p)
{
    (void)self, (void)machine;
    return rcm_check(p) == RCM_OK ? (double)rcm_candidates(p) : NAN;
}

static double candidates_exact(const struct rcm_objective *self, const struct rcm_machine *machine,
                               struct rcm_topk p)
{
    (void)self, (void)machine;
    return (double)p.n;
}

static double candidates_threshold(const struct rcm_objective *self,
                                   const struct rcm_machine *machine, struct rcm_topk p,
                                   double reaching)
{
    return candidates(self, machine, p) + reaching;
}

/* ---- a cost */

static double cost(const struct rcm_objective *self, const struct rcm_machine *machine,
                   struct rcm_topk p)
{
    (void)machine;
    return rcm_cost(rcm_cost_model(self->cost_model), p).approximate;
}

static double cost_exact(const struct rcm_objective *self, const struct rcm_machine *machine,
                         struct rcm_topk p)
{
    (void)machine;
    p.b = p.k_b = 1;
    return rcm_cost(rcm_cost_model(self->cost_model), p).exact;
}

static double cost_threshold(const struct rcm_objective *self, const struct rcm_machine *machine,
                             struct rcm_topk p, double reaching)
{
    (void)machine;
    return rcm_cost_threshold(rcm_cost_model(self->cost_model), p, reaching);
}

/* ---- predicted time */

/* The product of d elements with stage 1 in one kernel, and without it: bounds. */
static struct rcm_product product(const struct rcm_machine *machine, struct rcm_topk p)
{
    if (machine->device)
        return rcm_product(machine->device, machine->dtype, p, machine->d);
    return (struct rcm_product){.product_us = NAN, .fused_through_memory_us = NAN};
}

/* What is added to a time beyond the runs: up to the upper end of its band. NaN: the shape takes no
 * part. */
static double more_beyond(const struct rcm_machine *machine, const struct rcm_prediction *r)
{
    return machine->beyond_runs ? r->high_us - r->time_us : search_bounded(machine) ? NAN : 0.0;
}

static double predicted(const struct rcm_objective *self, const struct rcm_machine *machine,
                        struct rcm_topk p)
{
    (void)self;
    if (!machine->profile || rcm_check(p) != RCM_OK)
        return NAN;
    /* With machine.d stage 1 is another kernel's. */
    if (!machine->d && !rcm_kernel_runs(machine->profile->kernel, p))
        return NAN;
    const struct rcm_prediction r = rcm_predict(machine->profile, p);
    if (machine->d)
        return product(machine, p).fused_through_memory_us + r.stage2_us;
    return r.within_runs ? r.time_us : r.time_us + more_beyond(machine, &r);
}

static double predicted_exact(const struct rcm_objective *self, const struct rcm_machine *machine,
                              struct rcm_topk p)
{
    (void)self;
    if (!machine->profile)
        return NAN;
    const double exact = rcm_predict_exact(machine->profile, p);
    if (!machine->d)
        return exact;
    p.b = p.k_b = 1;
    return product(machine, p).product_us + exact;
}

static double predicted_threshold(const struct rcm_objective *self,
                                  const struct rcm_machine *machine, struct rcm_topk p,
                                  double reaching)
{
    (void)self;
    if (!machine->profile || machine->d)
        return NAN;
    const struct rcm_prediction r = rcm_predict(machine->profile, p);
    const double us = rcm_predict_threshold(machine->profile, p, reaching);
    return r.within_runs ? us : us + more_beyond(machine, &r);
}

/* ---- the roofline of stage 1 */

static double roofline(const struct rcm_objective *self, const struct rcm_machine *machine,
                       struct rcm_topk p)
{
    (void)self;
    if (machine->d && machine->device)
        return product(machine, p).fused_through_memory_us +
               rcm_stage2_us(machine->device, machine->dtype, p);
    return machine->device ? rcm_roofline(machine->device, machine->dtype, p).through_memory_us
                           : NAN;
}

/* A bound for exact top-k would be the time to read the row, which no kernel comes near. */
static double roofline_exact(const struct rcm_objective *self, const struct rcm_machine *machine,
                             struct rcm_topk p)
{
    (void)self, (void)machine, (void)p;
    return NAN;
}

static double roofline_threshold(const struct rcm_objective *self,
                                 const struct rcm_machine *machine, struct rcm_topk p,
                                 double reaching)
{
    const struct rcm_device *device = machine->device;
    if (!device || machine->d)
        return NAN;
    const double m = shape_rows(p), e = rcm_dtype_bytes(machine->dtype);
    const double look =
        m * ((double)p.n * e + reaching * (e + 4.0)) / device->bandwidth_bytes_per_s;
    return roofline(self, machine, p) + 1e6 * look;
}

static const struct rcm_objective objectives[] = {
    {"candidates", "candidates", RCM_GROWS_WITH_B, RCM_NEEDS_NOTHING, RCM_COUNTS_CANDIDATES, 0,
     candidates, candidates_exact, candidates_threshold},
    {"basic", "operations", RCM_GROWS_WITH_B, RCM_NEEDS_NOTHING, 0, RCM_BASIC, cost, cost_exact,
     cost_threshold},
    {"serial", "operations", RCM_BENDS_WITH_B, RCM_NEEDS_NOTHING, 0, RCM_SERIAL, cost, cost_exact,
     cost_threshold},
    {"parallel", "parallel steps", RCM_BENDS_WITH_B, RCM_NEEDS_NOTHING, 0, RCM_PARALLEL, cost,
     cost_exact, cost_threshold},
    {"time", "us", RCM_STEPS_WITH_B, RCM_NEEDS_PROFILE, RCM_IN_US, 0, predicted, predicted_exact,
     predicted_threshold},
    {"roofline", "us", RCM_GROWS_WITH_B, RCM_NEEDS_DEVICE, RCM_IN_US | RCM_IS_BOUND, 0, roofline,
     roofline_exact, roofline_threshold},
};

const struct rcm_objective *rcm_objective(size_t index)
{
    return index < sizeof objectives / sizeof *objectives ? &objectives[index] : NULL;
}

const struct rcm_objective *rcm_objective_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof objectives / sizeof *objectives; i++)
        if (strcmp(objectives[i].name, name) == 0)
            return &objectives[i];
    return NULL;
}

void rcm_each_objective(const struct rcm_objective *objective, const struct rcm_machine *machine,
                        const struct rcm_topk *p, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = objective->bucketed(objective, machine, p[i]);
}

bool search_bounded(const struct rcm_machine *machine)
{
    const struct rcm_profile *q = machine->profile;
    return q && !machine->beyond_runs &&
           !(q->stands_in_for && !q->own_band && strcmp(q->name, q->stands_in_for) != 0);
}
