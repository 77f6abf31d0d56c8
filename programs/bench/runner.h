/* runner.h - measures a cell: proves the result, times it, and proves it again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_H
#define RUNNER_H

#include <model/recallmodel.h>

#include "backend.h"

/* What measures: an open device of the back end, and the device of recallmodel whose roofline
 * predicts times; NULL: none. */
struct runner {
    struct device *device;
    const struct rcm_device *predicts;
};

/* What was measured of a cell. NAN: not known, or does not apply. */
struct measurement {
    struct timing time;
    struct timing roof;      /* moving the same bytes, alternately; samples = 0: not measured */
    const char *roof_kernel; /* the one that moves these bytes fastest */
    double recall;           /* mean over the rows, by value */
    double recall_model;     /* what the model expects */
    double z; /* the difference in standard errors; only for float32, normals or rows of a file */
    double predicted_us;           /* only for stage 1: by the roofline of the device */
    double cost[RCM_PARALLEL + 1]; /* of the models of [Key2024], which the CSV names */
};

/* Measures a cell. Where that does not return MEASURED, the reason is that of the back end. */
enum outcome runner_measure(const struct runner *runner, const struct cell *cell,
                            const struct sampling *rules, struct measurement *measurement);

/* ---- models.c: for the runner */

/* Compares the recall of so many hits with that of the model. */
void measure_recall(const struct cell *cell, double hits, struct measurement *measurement);

/* Asks the cost models, and the roofline of the device unless it is NULL. */
void ask_models(const struct rcm_device *device, const struct cell *cell,
                struct measurement *measurement);

#endif
