/* runner_parts.h - what the files of the runner share: its buffers on the device, the calls that it
 * times, its inputs, its proofs. Only they include it; others see runner.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_PARTS_H
#define RUNNER_PARTS_H

#include "multiplier.h"
#include "runner.h"

/* Inputs that the calls of a graph take turns among, at most. */
#define INPUT_SETS_MAX GRAPH_CALLS

/* Memory on the device that grows. */
struct buffer {
    void *at;
    size_t bytes;
};

struct runner {
    struct rcm_gpu_facts facts;
    struct rcm_gpu_timer *timer;
    struct monitor *monitor;
    struct multiplier *multiplier; /* opened when a cell first needs it */
    bool multiplier_asked, multiplier_proved;
    unsigned roof_variant;
    const struct rcm_device *device; /* whose roofline predicts; NULL: none */
    uint64_t seed;
    const struct cell *cell; /* that is measured now */
    char reason[RUNNER_REASON_MAX];

    /* Inputs. They are kept as long as cells ask for the same ones. */
    struct cell input_cell;          /* the cell that they were made for; kernel NULL: none */
    unsigned sets, turns;            /* sets that exist, and sets that take turns in this cell */
    struct buffer x[INPUT_SETS_MAX]; /* rows; of a product, x[0]: queries and x[1]: the database */
    uint64_t true_k;                 /* k of `true_values`; 0: not computed yet */
    struct buffer true_values;       /* the true top k of set 0, m x k values */
    bool plain_products; /* are `products` those of the inputs, computed in the plain way? */

    struct buffer values, indices, workspace, products, roof; /* of the call that is timed */
    struct buffer check_workspace, verdict, plain, hits;      /* of a proof, and below too */
    struct buffer scratch_values, scratch_indices, scratch_workspace;
    struct buffer exact_values, exact_indices;
};

/* Makes a buffer have at least so many bytes; what it held is lost if it grows. Returns its memory,
 * or NULL if the device has no more. */
void *reserve(struct buffer *buffer, size_t bytes);

/* Frees all buffers, and forgets what they held. */
void free_buffers(struct runner *runner);

/* Writes why a cell cannot be measured into runner->reason, after `what` was tried. Returns FAILED
 * for an error of CUDA, otherwise SKIPPED. */
enum outcome refuse(struct runner *runner, enum rcm_gpu_status status, const char *what);

/* Is the cell a product that cuBLAS computes? */
static inline bool needs_multiplier(const struct cell *c)
{
    return c->d && c->kernel->product != PRODUCT_FUSED;
}

/* Is the cell a product and nothing more, so that nothing is selected? */
static inline bool is_product_alone(const struct cell *c)
{
    return c->d && c->kernel->product == PRODUCT_ALONE;
}

/* ---- runner_calls.c: the calls of the library for a cell */

struct rcm_gpu_rows rows_of(const struct cell *cell, const void *x);
struct rcm_gpu_stage1 stage1_of(const struct cell *cell, const void *x, void *values,
                                int32_t *indices);
struct rcm_gpu_exact exact_of(const struct cell *cell, const void *x, void *values,
                              int32_t *indices);

/* The bytes of workspace that the call of a cell needs. */
enum rcm_gpu_status workspace_of(struct runner *runner, const struct cell *cell, size_t *bytes);

/* What is timed: runner->cell, on the inputs whose turn it is; and moving the same bytes with
 * runner->roof_variant. The context is the runner. */
rcm_gpu_work run_cell, run_roof;

/* ---- runner_inputs.c */

/* Makes the inputs of a cell, unless they exist. RCM_GPU_BAD_WORKSPACE: the device has not enough
 * memory. */
enum rcm_gpu_status make_inputs(struct runner *runner, const struct cell *cell);

/* The rows that a result is selected from: the inputs of a set, or their products. The products of
 * a fused cell are computed here, in the plain way. NULL: not enough memory. */
const void *result_rows(struct runner *runner, const struct cell *cell, unsigned set,
                        enum rcm_gpu_status *status);

/* ---- runner_proof.c: each returns MEASURED if the result is right */

/* Proves what the last call left in the outputs, from the inputs of that set. */
enum outcome prove(struct runner *runner, const struct cell *cell, unsigned set);

/* Selects the exact top k of rows into `values`, and proves it. */
enum outcome select_proved_topk(struct runner *runner, const struct rcm_gpu_rows *rows, uint64_t k,
                                struct buffer *values);

/* The values of `exact`, k for each row, that are among the `count` values of `kept`: the sum over
 * all rows, and the fewest in one row. */
enum rcm_gpu_status count_hits(struct runner *runner, const struct cell *cell, const void *exact,
                               uint64_t k, const void *kept, uint64_t count, double *hits,
                               uint32_t *fewest);

/* ---- runner_recall.c */

/* Counts the recall of the outputs, computed from set 0, and asks the model for it. */
enum outcome measure_recall(struct runner *runner, const struct cell *cell,
                            struct measurement *measurement);

/* Asks the cost models, and the roofline of the device. */
void ask_models(const struct runner *runner, const struct cell *cell,
                struct measurement *measurement);

#endif
