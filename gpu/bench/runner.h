/* runner.h - measures a cell: makes its inputs, proves the result, times it, proves it again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_H
#define RUNNER_H

#include "cell.h"
#include "gpu/memory.h"
#include "recallmodel.h"
#include "sampler.h"

struct runner;

/* Takes the current device. On failure *runner is NULL. */
enum rcm_gpu_status runner_open(struct runner **runner, uint64_t seed);

/* Whose roofline predicts; NULL, as at first: nobody's. */
void runner_predict_for(struct runner *runner, const struct rcm_device *device);
void runner_close(struct runner *runner);

const struct rcm_gpu_facts *runner_facts(const struct runner *runner);
struct monitor *runner_monitor(struct runner *runner);
struct rcm_gpu_timer *runner_timer(struct runner *runner);

/* NAN: not known, or does not apply. */
struct measurement {
    struct timing time,
        roof;      /* roof: moving the same bytes, by turns with it; samples = 0: not measured */
    double recall; /* mean over the rows, by value */
    double recall_model, z;  /* z: float32 normals alone */
    double predicted_us;     /* stage 1: the roofline model of the device */
    double cost[3];          /* of each cost model, in its order */
    const char *roof_kernel; /* which moves these bytes fastest */
};

enum outcome { MEASURED, SKIPPED, WRONG, FAILED };

/* SKIPPED (no memory, no cuBLAS, not for this card), WRONG (a proof failed) and FAILED (CUDA
 * refused) say why in `why`. */
enum outcome runner_measure(struct runner *runner, const struct cell *cell,
                            const struct sampling *rules, struct measurement *measurement,
                            char *why, size_t why_size);

/* Runs it once, no more, for a profiler. */
enum outcome runner_once(struct runner *runner, const struct cell *cell, char *why,
                         size_t why_size);

#endif
