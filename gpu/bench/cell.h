/* cell.h - one thing to measure: a kernel on a shape.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CELL_H
#define CELL_H

#include <stddef.h>
#include <stdio.h>

#include "gpu/inputs.h"
#include "gpu/topk_gpu.h"

enum work { WORK_STAGE1, WORK_EXACT, WORK_TWO_STAGE, WORK_FUSED, WORKS };

/* "stage1", .. */
const char *work_name(enum work work);

/* How products and their top-k are had. */
enum product { PRODUCT_FUSED, PRODUCT_UNFUSED, PRODUCT_ALONE };

/* What can be timed. A row of the registry makes it exist. */
struct kernel {
    enum work work;
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
/* NULL where there is none. */
const struct kernel *kernel_by_name(enum work work, const char *name, size_t length);

struct cell {
    const struct kernel *kernel;
    enum rcm_gpu_dtype dtype;
    enum rcm_gpu_assignment assignment;
    enum rcm_gpu_input input;
    uint64_t n, k, b, k_b, m,
        d; /* exact: b = 1, k_b = k; d: components of the vectors of a product, otherwise 0 */
    bool warm, graph; /* inputs stay in the second-level cache; a CUDA graph of 16 calls instead of
                         one call between events */
};

const char *dtype_name(enum rcm_gpu_dtype dtype);
const char *assignment_name(enum rcm_gpu_assignment assignment);

/* Candidates of a row, at least k. */
uint64_t cell_candidates(const struct cell *cell);

/* Can it be run? NULL, or why not. */
const char *cell_refused(const struct cell *cell);

/* What tells cells apart, as the first columns of the CSV, without a line's end. */
#define CELL_COLUMNS "work,kernel,dtype,assignment,input,n,k,b,k_b,m,d,cache,timing"
#define CELL_KEY_MAX 256
void cell_key(const struct cell *cell, char key[CELL_KEY_MAX]);

/* Bytes that must move: the input once, and what comes out, values and indices. */
uint64_t cell_bytes_read(const struct cell *cell);
uint64_t cell_bytes_written(const struct cell *cell);

#endif
