/* simulation_report.h - what a simulation found, beside what the exact model says, as table, CSV or
 * JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMULATION_REPORT_H
#define SIMULATION_REPORT_H

#include "options.h"
#include "progress.h"
#include "query.h"
#include "sim/simulate.h"

/* A simulation that has run, and what was asked. Shape s of the spec is shape s % query->length of
 * the query, with assignment s / query->length of the options. */
struct simulated {
    const struct options *options;
    const struct query *query;
    const struct sim_spec *spec;
    const struct simulation *simulation;
    struct progress *progress; /* runs on until the report has computed what it prints */
    bool partial;
    bool shows_value; /* recall by value, which differs where ties are lost */
    double *lower;    /* of each rho, shuffle and shape: the lower bound of its recall; NULL without
                         --recall */
};

/* Returns a status. */
int report_simulation(struct simulated *simulated);

#endif
