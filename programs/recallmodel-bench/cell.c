/* cell.c - see cell.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cell.h"

#include <inttypes.h>
#include <string.h>

/* A number in a name: radix-8 has digits of 8 bits, histogram-4 loads 4 elements a thread at once.
 * histogram-binary finds the bin of the threshold by binary search. */
const struct kernel kernels[] = {
    {.task = TASK_STAGE1, .name = "auto"},
    {.task = TASK_STAGE1, .name = "column", .stage1 = RCM_GPU_STAGE1_COLUMN},
    {.task = TASK_STAGE1, .name = "thread_per_bucket", .stage1 = RCM_GPU_STAGE1_THREAD_PER_BUCKET},
    {.task = TASK_STAGE1, .name = "block_per_bucket", .stage1 = RCM_GPU_STAGE1_BLOCK_PER_BUCKET},
    {.task = TASK_EXACT, .name = "radix", .exact = RCM_GPU_EXACT_RADIX},
    {.task = TASK_EXACT, .name = "radix-8", .exact = RCM_GPU_EXACT_RADIX, .bits = 8},
    {.task = TASK_EXACT, .name = "radix-9", .exact = RCM_GPU_EXACT_RADIX, .bits = 9},
    {.task = TASK_EXACT, .name = "radix-10", .exact = RCM_GPU_EXACT_RADIX, .bits = 10},
    {.task = TASK_EXACT, .name = "histogram", .exact = RCM_GPU_EXACT_HISTOGRAM},
    {.task = TASK_EXACT, .name = "histogram-1", .exact = RCM_GPU_EXACT_HISTOGRAM, .unroll = 1},
    {.task = TASK_EXACT, .name = "histogram-4", .exact = RCM_GPU_EXACT_HISTOGRAM, .unroll = 4},
    {.task = TASK_EXACT,
     .name = "histogram-1-binary",
     .exact = RCM_GPU_EXACT_HISTOGRAM,
     .unroll = 1,
     .binary_search = true},
    {.task = TASK_EXACT,
     .name = "histogram-4-binary",
     .exact = RCM_GPU_EXACT_HISTOGRAM,
     .unroll = 4,
     .binary_search = true},
    {.task = TASK_EXACT,
     .name = "histogram-binary",
     .exact = RCM_GPU_EXACT_HISTOGRAM,
     .binary_search = true},
    {.task = TASK_EXACT, .name = "sort", .exact = RCM_GPU_EXACT_SORT},
    {.task = TASK_TWO_STAGE, .name = "auto"},
    {.task = TASK_TWO_STAGE,
     .name = "thread_per_bucket",
     .stage1 = RCM_GPU_STAGE1_THREAD_PER_BUCKET},
    {.task = TASK_TWO_STAGE, .name = "block_per_bucket", .stage1 = RCM_GPU_STAGE1_BLOCK_PER_BUCKET},
    {.task = TASK_TWO_STAGE, .name = "histogram", .exact = RCM_GPU_EXACT_HISTOGRAM},
    {.task = TASK_FUSED, .name = "fused", .product = PRODUCT_FUSED, .product_type = RCM_GPU_F32},
    {.task = TASK_FUSED,
     .name = "unfused-bf16",
     .product = PRODUCT_UNFUSED,
     .product_type = RCM_GPU_BF16},
    {.task = TASK_FUSED,
     .name = "unfused-f32",
     .product = PRODUCT_UNFUSED,
     .product_type = RCM_GPU_F32},
    {.task = TASK_FUSED,
     .name = "cublas-bf16",
     .product = PRODUCT_ALONE,
     .product_type = RCM_GPU_BF16},
    {.task = TASK_FUSED,
     .name = "cublas-f32",
     .product = PRODUCT_ALONE,
     .product_type = RCM_GPU_F32},
};
const size_t kernel_count = sizeof kernels / sizeof *kernels;

const char *task_name(enum task task)
{
    static const char *const names[TASKS] = {"stage1", "exact", "two-stage", "fused"};
    return task < TASKS ? names[task] : NULL;
}

const struct kernel *kernel_by_name(enum task task, const char *name)
{
    for (size_t i = 0; i < kernel_count; i++)
        if (kernels[i].task == task && strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    return NULL;
}

const struct kernel *kernel_of_task(enum task task, unsigned place)
{
    for (size_t i = 0; i < kernel_count; i++)
        if (kernels[i].task == task && place-- == 0)
            return &kernels[i];
    return NULL;
}

const char *dtype_name(enum rcm_gpu_dtype dtype)
{
    static const char *const names[DTYPES] = {"float32", "float16", "bfloat16"};
    return names[dtype];
}

/* The names of rcm_gpu_assignment, the two that the kernels have; recallmodel names the three of
 * rcm_assignment, another enum. */
const char *assignment_name(enum rcm_gpu_assignment assignment)
{
    return assignment == RCM_GPU_INTERLEAVED ? "interleaved" : "contiguous";
}

uint64_t cell_candidates(const struct cell *cell)
{
    return cell->kernel->task == TASK_EXACT ? cell->k
                                            : rcm_gpu_candidates(cell->n, cell->b, cell->k_b);
}

uint64_t cell_results(const struct cell *cell)
{
    return cell->kernel->task == TASK_STAGE1 ? cell_candidates(cell) : cell->k;
}

const char *cell_refusal(const struct cell *c)
{
    const uint64_t n_max = INT32_MAX;
    if (c->n > n_max || c->m > n_max)
        return "n and m must be below 2^31";
    if (c->k > c->n)
        return "k must be at most n";
    if (c->kernel->task == TASK_EXACT)
        return c->kernel->exact == RCM_GPU_EXACT_SORT && c->m * c->n > n_max
                   ? "sort needs m n below 2^31"
                   : NULL;
    if (c->b > c->n || c->k_b > 16 || c->k_b > (c->n - 1) / c->b + 1)
        return "b must be at most n, and kb at most 16 and at most the size of a bucket";
    if (cell_candidates(c) < c->k)
        return "b kb must be at least k";
    if (c->kernel->task == TASK_FUSED && (c->d != 64 && c->d != 128))
        return "d must be 64 or 128";
    if (c->kernel->task == TASK_FUSED && c->assignment != RCM_GPU_INTERLEAVED)
        return "a fused product needs interleaved buckets";
    return NULL;
}

void cell_key(const struct cell *c, char key[CELL_KEY_MAX])
{
    snprintf(key, CELL_KEY_MAX,
             "%s,%s,%s,%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
             ",%s,%s",
             task_name(c->kernel->task), c->kernel->name, dtype_name(c->dtype),
             assignment_name(c->assignment), rcm_gpu_input_name(c->input), c->n, c->k, c->b, c->k_b,
             c->m, c->d, c->warm ? "warm" : "cold", c->graph ? "graph" : "events");
}

uint64_t cell_bytes_read(const struct cell *c)
{
    return c->d ? (c->m + c->n) * c->d * 2 : c->m * c->n * rcm_gpu_dtype_bytes(c->dtype);
}

uint64_t cell_bytes_written(const struct cell *c)
{
    if (c->kernel->task == TASK_FUSED && c->kernel->product == PRODUCT_ALONE)
        return c->m * c->n * rcm_gpu_dtype_bytes(c->kernel->product_type);
    return c->m * cell_results(c) * (rcm_gpu_dtype_bytes(c->dtype) + sizeof(int32_t));
}
