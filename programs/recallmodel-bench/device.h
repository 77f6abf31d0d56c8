/* device.h - what the files of the CUDA back end share: its buffers on the device, the calls that
 * it times, its inputs, its proofs. cuda.c puts them together.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DEVICE_H
#define DEVICE_H

#include <gpu/host/device_memory.h>
#include <gpu/host/timer.h>
#include <gpu/peers/peer.h>
#include <programs/bench/backend.h>
#include <programs/bench/peers.h>

#include "kernels.h"
#include "monitor.h"
#include "multiplier.h"

#define REASON_MAX 400

/* Inputs that the calls of a graph take turns among, at most. */
#define INPUT_SETS_MAX GRAPH_CALLS

/* Memory on the device that grows. */
struct buffer {
    void *at;
    size_t bytes;
};

/* What is timed, with the context that it is called with; a work of the stopwatch. */
struct timed_work {
    rcm_gpu_work *work;
    void *context;
};
extern const struct stopwatch cuda_stopwatch;

struct device {
    struct rcm_gpu_facts facts;
    struct rcm_gpu_timer *timer;
    struct monitor *monitor;
    struct multiplier *multiplier; /* opened when a cell first needs it */
    bool multiplier_asked, multiplier_proved;
    unsigned roof_variant;
    struct timed_work cell_work, roof_work; /* run_cell and run_roof on this device */
    uint64_t seed;
    const struct cell *cell; /* that is measured now */
    char reason[REASON_MAX];

    /* Of the last cell. */
    uint64_t wrong_rows;    /* of the worst call that was proved; a peer's alone may be above 0 */
    uint64_t reread_rows;   /* that a sample missed; UINT64_MAX: does not apply */
    bool in_order;          /* are the values in order, best first? Of exact top-k */
    unsigned launches;      /* 0: unknown */
    size_t workspace_bytes; /* that the kernel asks for */

    /* Inputs. They are kept as long as cells ask for the same ones. */
    struct cell input_cell;          /* the cell that they were made for; kernel NULL: none */
    unsigned sets, turns;            /* sets that exist, and sets that take turns in this cell */
    struct buffer x[INPUT_SETS_MAX]; /* rows; of a product, x[0]: queries and x[1]: the database */
    uint64_t true_k;                 /* k of `true_values`; 0: not computed yet */
    struct buffer true_values;       /* the true top k of set 0, m x k values */
    bool plain_products; /* are `products` those of the inputs, computed in the plain way? */

    struct buffer values, indices, workspace, products, roof; /* of the call that is timed */
    struct buffer check_workspace, verdict, plain, hits;      /* of a proof, and below too */
    struct buffer narrow;                                     /* indices of 8 bytes, as 4 */
    struct buffer reread;                                     /* the counter of such rows */
    bool counts_reread;
    struct buffer scratch_values, scratch_indices, scratch_workspace;
    struct buffer exact_values, exact_indices;
};

/* Makes a buffer have at least so many bytes; what it held is lost if it grows. Returns its memory,
 * or NULL if the device has no more. */
void *reserve(struct buffer *buffer, size_t bytes);

/* Frees all buffers, and forgets what they held. */
void free_buffers(struct device *device);

/* Writes why a cell cannot be measured into device->reason, after `what` was tried. Returns FAILED
 * for an error of CUDA, otherwise SKIPPED. */
enum outcome refuse(struct device *device, int status, const char *what);

/* Is the cell a product that cuBLAS computes? */
static inline bool needs_multiplier(const struct cell *c)
{
    return c->d && !is_fused(how_of(c));
}

/* ---- calls.c: the calls of the library for a cell */

struct rcm_gpu_rows rows_of(const struct cell *cell, const void *x);
struct rcm_gpu_stage1 stage1_of(const struct cell *cell, const void *x, void *values,
                                int32_t *indices);
struct rcm_gpu_exact exact_of(const struct cell *cell, const void *x, void *values,
                              int32_t *indices);

struct rcm_peer_call peer_call_of(const struct device *device, const struct cell *cell,
                                  const void *x);

/* The bytes of workspace that the call of a cell needs. */
enum rcm_gpu_status workspace_of(struct device *device, const struct cell *cell, size_t *bytes);

/* What is timed: device->cell, on the inputs whose turn it is; and moving the same bytes with
 * device->roof_variant. The context is the device. */
rcm_gpu_work run_cell, run_roof;

/* ---- inputs.c */

/* Makes the inputs of a cell, unless they exist. RCM_GPU_BAD_WORKSPACE: the device has not enough
 * memory. */
enum rcm_gpu_status make_inputs(struct device *device, const struct cell *cell);

/* The rows that a result is selected from: the inputs of a set, or their products. The products of
 * a fused cell are computed here, in the plain way. NULL: not enough memory. */
const void *result_rows(struct device *device, const struct cell *cell, unsigned set,
                        enum rcm_gpu_status *status);

/* ---- proof.c: each returns MEASURED if the result is right */

/* Proves what the last call left in the outputs, from the inputs of that set. */
enum outcome prove(struct device *device, const struct cell *cell, unsigned set);

/* The values of the true top k of the inputs that the outputs have: the sum over all rows. */
enum outcome count_true_hits(struct device *device, double *hits);

#endif
