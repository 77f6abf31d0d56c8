/* spec.h - specifications of small simulations, for tests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SPEC_H
#define SPEC_H

#include <sim/simulate.h>
#include <tests/test.h>

/* A simulation of `rows` placements of n elements: not padded, not correlated, not shuffled. */
static inline struct sim_spec placement_spec(uint64_t n, uint64_t k, const struct sim_shape *shape,
                                             size_t shapes, uint64_t rows)
{
    static const double no_rho = 0.0;
    static const enum sim_shuffle no_shuffle = SIM_SHUFFLE_NONE;
    return (struct sim_spec){.n = n,
                             .k = k,
                             .valid = n,
                             .input = SIM_PLACEMENT,
                             .rho = &no_rho,
                             .rhos = 1,
                             .shuffle = &no_shuffle,
                             .shuffles = 1,
                             .shape = shape,
                             .shapes = shapes,
                             .repetitions = rows};
}

/* The same configuration for the exact model. */
static inline struct rcm_topk model_shape(const struct sim_spec *spec, struct sim_shape shape)
{
    return (struct rcm_topk){.n = spec->n,
                             .k = spec->k,
                             .b = shape.b,
                             .k_b = shape.k_b,
                             .valid = spec->valid,
                             .assignment = (enum rcm_assignment)shape.assignment};
}

/* Runs it to its end. The caller frees the result. */
static inline struct simulation *run_simulation(const struct sim_spec *spec)
{
    char error[200];
    struct simulation *simulation = simulation_new(spec, MESSAGE(error));
    ck_assert_msg(simulation, "%s", error);
    ck_assert_msg(simulation_run(simulation, NULL, NULL, MESSAGE(error)) == 0, "%s", error);
    return simulation;
}

#endif
