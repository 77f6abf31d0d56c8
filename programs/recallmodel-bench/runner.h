/* runner.h - measures a cell: makes its inputs, proves the result, times it, and proves it again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_H
#define RUNNER_H

#include <gpu/host/device_memory.h>
#include <model/recallmodel.h>

#include "cell.h"
#include "sampler.h"

struct runner;

/* Opens a runner on the current device. On failure *runner is NULL. */
enum rcm_gpu_status runner_open(struct runner **runner, uint64_t seed);
void runner_close(struct runner *runner);

/* Sets the device whose roofline predicts times. At first, and with NULL, there is none. */
void runner_predict_for(struct runner *runner, const struct rcm_device *device);

const struct rcm_gpu_facts *runner_facts(const struct runner *runner);
struct monitor *runner_monitor(struct runner *runner);
struct rcm_gpu_timer *runner_timer(struct runner *runner);

/* What was measured of a cell. NAN: not known, or does not apply. */
struct measurement {
    struct timing time;
    struct timing roof;      /* moving the same bytes, alternately; samples = 0: not measured */
    const char *roof_kernel; /* the one that moves these bytes fastest */
    double recall;           /* mean over the rows, by value */
    double recall_model;     /* what the model expects */
    double z;                /* the difference in standard errors; only for float32 normals */
    double predicted_us;     /* only for stage 1: by the roofline of the device */
    double cost[3];          /* of each cost model, in the order of rcm_cost_model() */
};

/* MEASURED: all is well. SKIPPED: the cell cannot be run (no memory, no cuBLAS, not for this card).
 * WRONG: a proof failed. FAILED: an error of CUDA. */
enum outcome { MEASURED, SKIPPED, WRONG, FAILED };

/* Measures a cell. */
enum outcome runner_measure(struct runner *runner, const struct cell *cell,
                            const struct sampling *rules, struct measurement *measurement);

/* Runs a cell once, without proof or timing, for a profiler. */
enum outcome runner_once(struct runner *runner, const struct cell *cell);

/* Why the last outcome was not MEASURED: one line without its end. */
#define RUNNER_REASON_MAX 400
const char *runner_reason(const struct runner *runner);

#endif
