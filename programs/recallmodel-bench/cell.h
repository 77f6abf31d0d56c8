/* cell.h - one thing to measure: a kernel on a shape.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CELL_H
#define CELL_H

#include <stddef.h>
#include <stdio.h>

#include <gpu/host/inputs.h>
#include <gpu/topk_gpu.h>

/* What a kernel does: the column `work` of the CSV. */
enum task { TASK_STAGE1, TASK_EXACT, TASK_TWO_STAGE, TASK_FUSED, TASKS };

/* "stage1", ..; NULL for TASKS. */
const char *task_name(enum task task);

/* How products and their top k are computed: in one kernel, one after the other by cuBLAS and both
 * stages, or the product alone by cuBLAS. */
enum product { PRODUCT_FUSED, PRODUCT_UNFUSED, PRODUCT_ALONE };

/* What can be timed. A row of the registry makes it exist. */
struct kernel {
    enum task task;
    const char *name;
    enum rcm_gpu_stage1_kernel stage1;
    enum rcm_gpu_exact_kernel exact;
    unsigned bits, unroll;
    bool binary_search;
    enum product product;
    enum rcm_gpu_dtype product_type; /* of an unfused product in memory */
};
extern const struct kernel kernels[];
extern const size_t kernel_count;

/* The kernel of a task by its name, or by its place among those of the task, from 0 on. NULL if
 * there is none. */
const struct kernel *kernel_by_name(enum task task, const char *name);
const struct kernel *kernel_of_task(enum task task, unsigned place);

struct cell {
    const struct kernel *kernel;
    enum rcm_gpu_dtype dtype;
    enum rcm_gpu_assignment assignment;
    enum rcm_gpu_input input;
    uint64_t n, k, b, k_b, m; /* exact: b = 1, k_b = k */
    uint64_t d;               /* components of the vectors of a product; 0: no product */
    bool warm;                /* the inputs stay in the second-level cache */
    bool graph;               /* a CUDA graph of 16 calls instead of one call between events */
};

#define DTYPES 3
#define ASSIGNMENTS 2
const char *dtype_name(enum rcm_gpu_dtype dtype);
const char *assignment_name(enum rcm_gpu_assignment assignment);

/* Candidates of a row, at least k. */
uint64_t cell_candidates(const struct cell *cell);

/* Elements of a row that the kernel selects: the candidates, or k. */
uint64_t cell_results(const struct cell *cell);

/* Why the cell cannot be run; NULL if it can. */
const char *cell_refusal(const struct cell *cell);

/* What tells cells apart: the first columns of the CSV, without the end of the line. */
#define CELL_COLUMNS "work,kernel,dtype,assignment,input,n,k,b,k_b,m,d,cache,timing"
#define CELL_KEY_COLUMNS 13
#define CELL_KEY_MAX 256
void cell_key(const struct cell *cell, char key[CELL_KEY_MAX]);

/* Bytes that must move: the input once, and the values and indices of the result. */
uint64_t cell_bytes_read(const struct cell *cell);
uint64_t cell_bytes_written(const struct cell *cell);

#endif
