/* cell.h - one thing to measure: a kernel on a shape.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CELL_H
#define CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <model/recallmodel.h>

struct rcm_peer;

/* What a kernel does: the column `work` of the CSV. */
enum task { TASK_STAGE1, TASK_EXACT, TASK_TWO_STAGE, TASK_FUSED, TASKS };

/* "stage1", ..; NULL for TASKS. */
const char *task_name(enum task task);

/* What can be timed. A row of the registry of a back end makes it exist. */
struct kernel {
    enum task task;
    const char *name;
    const void *how;             /* of a type of the back end: how it runs the kernel */
    unsigned dtype;              /* of a product of matrices, in memory */
    bool is_product_only;        /* it computes a product, and selects nothing */
    const struct rcm_peer *peer; /* another project's (gpu/peers/peer.h), then `how` is NULL */
};

/* The kernel of a task by its name, or by its place among those of the task, from 0 on: those of
 * the back end, then the peers. NULL if there is none. */
const struct kernel *kernel_by_name(enum task task, const char *name);
const struct kernel *kernel_of_task(enum task task, unsigned place);

enum dtype { DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_F64, DTYPE_I8, DTYPE_I32, DTYPES };
const char *dtype_name(unsigned dtype);
size_t dtype_bytes(unsigned dtype);

#define INPUT_NORMAL 0
#define INPUT_FILE 1000 /* rows that are read: no place among those that are made */

struct cell {
    const struct kernel *kernel;
    unsigned dtype;                 /* enum dtype */
    enum rcm_assignment assignment; /* interleaved or contiguous */
    unsigned input; /* its place among those of the back end, the first one INPUT_NORMAL; or
                       INPUT_FILE */
    uint64_t n, k, b, k_b, m; /* exact: b = 1, k_b = k */
    uint64_t d;               /* components of the vectors of a product; 0: no product */
    uint64_t threads;         /* of a CPU; 0: no axis of this back end */
    bool warm;                /* the inputs stay in the cache */
    bool graph;               /* a sample is GRAPH_CALLS calls, not one */
    bool tail;                /* each call is a sample, beside `busy` other processes */
    unsigned busy;
    bool bad; /* it failed, or its result was wrong: it is not measured again */
};

#define ASSIGNMENTS 2
const char *bench_assignment_name(enum rcm_assignment assignment);

/* Candidates of a row, at least k. */
uint64_t cell_candidates(const struct cell *cell);

/* The same of a shape: min(b k_b, n). 1 <= b <= n. */
uint64_t candidates_of(uint64_t n, uint64_t b, uint64_t k_b);

/* Elements of a row that the kernel selects: the candidates, or k. */
uint64_t cell_results(const struct cell *cell);

/* What tells cells apart: the first columns of the CSV, without the end of the line, and without
 * those of the back end. */
#define CELL_COLUMNS "work,kernel,dtype,assignment,input,n,k,b,k_b,m,d,cache,timing"
#define CELL_KEY_COLUMNS 13
/* With those of the back end. */
#define CELL_KEY_MAX 256
void cell_key(const struct cell *cell, char key[CELL_KEY_MAX]);

/* Bytes that must move: the input once, and the values and indices of the result. */
uint64_t cell_bytes_read(const struct cell *cell);
uint64_t cell_bytes_written(const struct cell *cell);

#endif
