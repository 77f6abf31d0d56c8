/* device.h - what the files of the CPU back end share: the buffers, and what is timed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_H
#define CPU_DEVICE_H

#include <programs/bench/backend.h>

#include "kernels.h"

/* Memory at a multiple of 4096 that grows. */
struct buffer {
    void *at;
    size_t bytes;
};

/* What is timed; a work of the stopwatch. */
struct cpu_work {
    enum rcm_top_k_status (*run)(struct device *device);
    unsigned repeats; /* calls of a sample, so that it is long enough for the clock; 0: not known */
};

struct device {
    uint64_t seed;
    const struct cell *cell; /* that is measured now */
    char reason[400];
    struct cpu_work cell_work, roof_work;

    /* Short rows are made several times, from other seeds, and calls take turns among these sets:
     * a branch predictor would learn a row that it sees again and again. */
    unsigned sets, call, roof_call; /* the next call takes set call % sets */
    struct cell input_cell;         /* the cell that the rows were made for; kernel NULL: none */
    uint64_t true_k;                /* k of `true_keys`; 0: not computed yet */
    struct buffer x, true_keys, values, indices, workspace, roof, other; /* other: to flush with */
    struct buffer narrow; /* indices of a peer, as 4 bytes */
};

/* Makes a buffer have at least so many bytes; what it held is lost if it grows. Returns its memory,
 * or NULL if the machine has no more. */
void *cpu_reserve(struct buffer *buffer, size_t bytes);

void cpu_release(struct buffer *buffer);

/* The rows of a set. */
const void *cpu_rows(const struct device *device, unsigned set);

/* What is timed: device->cell, and reading its rows once by rcm_top_k_max(), each on the set whose
 * turn it is. */
enum rcm_top_k_status cpu_run_cell(struct device *device);
enum rcm_top_k_status cpu_run_roof(struct device *device);

/* A status beside those of the library. */
#define CPU_PEER_FAILED ((enum rcm_top_k_status)1000)

/* The call of the peer that is measured, on these rows. */
struct rcm_peer_call cpu_peer_call(const struct device *device, const void *x);

/* The bytes of workspace that the cell needs. */
enum rcm_top_k_status cpu_workspace(const struct cell *cell, size_t *bytes);

/* Times a call, or so many that the clock resolves them. With `flush`, first reads other data of
 * twice the size of the caches, with the threads of the cell. */
extern const struct stopwatch cpu_stopwatch;

#endif
