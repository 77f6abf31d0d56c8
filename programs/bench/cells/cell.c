/* cell.c - see cell.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cell.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <programs/bench/backend.h>
#include <programs/bench/peers.h>

const char *task_name(enum task task)
{
    static const char *const names[TASKS] = {"stage1", "exact", "two-stage", "fused"};
    return task < TASKS ? names[task] : NULL;
}

/* The i-th of all kernels: those of the back end, then the peers. NULL past the last. */
static const struct kernel *kernel_at(unsigned i)
{
    const struct kernel *kernel = backend->kernels;
    for (; kernel->name; kernel++)
        if (i-- == 0)
            return kernel;
    return peer_kernel(i);
}

const struct kernel *kernel_of_task(enum task task, unsigned place)
{
    const struct kernel *kernel;
    for (unsigned i = 0; (kernel = kernel_at(i)); i++)
        if (kernel->task == task && place-- == 0)
            return kernel;
    return NULL;
}

const struct kernel *kernel_by_name(enum task task, const char *name)
{
    const struct kernel *kernel;
    for (unsigned i = 0; (kernel = kernel_of_task(task, i)); i++)
        if (strcmp(kernel->name, name) == 0)
            return kernel;
    return NULL;
}

static const struct {
    const char *name;
    size_t bytes;
} dtypes[DTYPES] = {{"float32", 4}, {"float16", 2}, {"bfloat16", 2},
                    {"float64", 8}, {"int8", 1},    {"int32", 4}};

const char *dtype_name(unsigned dtype)
{
    return dtypes[dtype].name;
}

size_t dtype_bytes(unsigned dtype)
{
    return dtypes[dtype].bytes;
}

/* The two that the kernels have; the command recallmodel names three. */
const char *bench_assignment_name(enum rcm_assignment assignment)
{
    return assignment == RCM_INTERLEAVED ? "interleaved" : "contiguous";
}

uint64_t candidates_of(uint64_t n, uint64_t b, uint64_t k_b)
{
    return k_b > n / b ? n : b * k_b;
}

uint64_t cell_candidates(const struct cell *c)
{
    return c->kernel->task == TASK_EXACT ? c->k : candidates_of(c->n, c->b, c->k_b);
}

uint64_t cell_results(const struct cell *c)
{
    return c->kernel->task == TASK_STAGE1 ? cell_candidates(c) : c->k;
}

void cell_key(const struct cell *c, char key[CELL_KEY_MAX])
{
    snprintf(key, CELL_KEY_MAX,
             "%s,%s,%s,%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
             ",%s,%s",
             task_name(c->kernel->task), c->kernel->name, dtype_name(c->dtype),
             bench_assignment_name(c->assignment), backend->input_name(c->input), c->n, c->k, c->b,
             c->k_b, c->m, c->d, c->warm ? "warm" : "cold", backend->timings[c->graph]);
    const size_t length = strlen(key);
    backend->put_key(c, key + length, CELL_KEY_MAX - length);
}

uint64_t cell_bytes_read(const struct cell *c)
{
    return c->d ? (c->m + c->n) * c->d * 2 : c->m * c->n * dtype_bytes(c->dtype);
}

uint64_t cell_bytes_written(const struct cell *c)
{
    if (c->kernel->is_product_only)
        return c->m * c->n * dtype_bytes(c->kernel->dtype);
    return c->m * cell_results(c) * (dtype_bytes(c->dtype) + sizeof(int32_t));
}
