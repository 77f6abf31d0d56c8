/* bench.c - calls of the GPU library for GPGPU-Sim to time. A line of the standard input is a call:
 *
 *   WORK KERNEL DTYPE ASSIGNMENT N K B K_B M
 *
 * WORK is stage1, exact, exact-by-position (of equal elements the first), two-stage (KERNEL is that
 * of stage 1) or move, which reads m rows of n elements. Before and after each call there is a mark
 * in the output, among what the simulator writes of its kernels: bench.sh reads it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include <gpu/host/roof.h>
#include <gpu/topk_gpu.h>

struct line {
    char work[24], kernel[32], dtype[16], assignment[16];
    unsigned long long n, k, b, k_b, m;
};

static void *on_device(size_t bytes)
{
    void *to = NULL;
    if (bytes > 0 && cudaMalloc(&to, bytes) != cudaSuccess) {
        fprintf(stderr, "bench: no %zu bytes of device memory\n", bytes);
        exit(1);
    }
    return to;
}

/* Sums of four uniform numbers, of variance 1. */
static void *rows(const struct line *line, size_t bytes, uint64_t elements)
{
    char *x = malloc(elements * bytes);
    uint64_t state = 7;
    if (!x)
        exit(1);
    for (uint64_t i = 0; i < elements; i++) {
        double sum = -2.0;
        for (int j = 0; j < 4; j++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            sum += (double)(state >> 11) * 0x1p-53;
        }
        const float f = (float)(1.7320508 * sum);
        const _Float16 half = (_Float16)f;
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        bits >>= 16;
        memcpy(x + i * bytes,
               bytes == 4                       ? (const void *)&f
               : strcmp(line->dtype, "float16") ? (const void *)&bits
                                                : (const void *)&half,
               bytes);
    }
    void *to = on_device(elements * bytes);
    cudaMemcpy(to, x, elements * bytes, cudaMemcpyHostToDevice);
    free(x);
    return to;
}

static int stage1_kernel(const char *name)
{
    for (int i = 0; rcm_gpu_stage1_kernel_name(i); i++)
        if (strcmp(rcm_gpu_stage1_kernel_name(i), name) == 0)
            return i;
    return -1;
}

static int exact_kernel(const char *name)
{
    for (int i = 0; rcm_gpu_exact_kernel_name(i); i++)
        if (strcmp(rcm_gpu_exact_kernel_name(i), name) == 0)
            return i;
    return -1;
}

static void begin(void)
{
    printf("\nCALL\n");
}

static enum rcm_gpu_status run_stage1(const struct line *line, const struct rcm_gpu_rows *x,
                                      size_t bytes, enum rcm_gpu_assignment assignment)
{
    const size_t out = line->m * rcm_gpu_candidates(line->n, line->b, line->k_b);
    const struct rcm_gpu_stage1 call = {.rows = *x,
                                        .b = line->b,
                                        .k_b = line->k_b,
                                        .assignment = assignment,
                                        .kernel =
                                            (enum rcm_gpu_stage1_kernel)stage1_kernel(line->kernel),
                                        .values = on_device(out * bytes),
                                        .indices = on_device(out * sizeof(int32_t))};
    size_t need = 0;
    const enum rcm_gpu_status status = rcm_gpu_stage1_workspace(&call, &need);
    void *workspace = on_device(need);
    begin();
    return status == RCM_GPU_OK ? rcm_gpu_stage1(&call, workspace, need, NULL) : status;
}

static enum rcm_gpu_status run_exact(const struct line *line, const struct rcm_gpu_rows *x,
                                     size_t bytes, bool by_position)
{
    const struct rcm_gpu_exact call = {.rows = *x,
                                       .k = line->k,
                                       .kernel =
                                           (enum rcm_gpu_exact_kernel)exact_kernel(line->kernel),
                                       .deterministic = by_position,
                                       .values = on_device(line->m * line->k * bytes),
                                       .indices = on_device(line->m * line->k * sizeof(int32_t))};
    size_t need = 0;
    const enum rcm_gpu_status status = rcm_gpu_exact_workspace(&call, &need);
    void *workspace = on_device(need);
    begin();
    return status == RCM_GPU_OK ? rcm_gpu_exact(&call, workspace, need, NULL) : status;
}

static enum rcm_gpu_status run_two_stage(const struct line *line, const struct rcm_gpu_rows *x,
                                         size_t bytes, enum rcm_gpu_assignment assignment)
{
    const struct rcm_gpu_two_stage call = {
        .rows = *x,
        .k = line->k,
        .b = line->b,
        .k_b = line->k_b,
        .assignment = assignment,
        .stage1 = (enum rcm_gpu_stage1_kernel)stage1_kernel(line->kernel),
        .values = on_device(line->m * line->k * bytes),
        .indices = on_device(line->m * line->k * sizeof(int32_t))};
    size_t need = 0;
    const enum rcm_gpu_status status = rcm_gpu_two_stage_workspace(&call, &need);
    void *workspace = on_device(need);
    begin();
    return status == RCM_GPU_OK ? rcm_gpu_two_stage(&call, workspace, need, NULL) : status;
}

static enum rcm_gpu_status run(const struct line *line)
{
    const enum rcm_gpu_dtype dtype = strcmp(line->dtype, "float32") == 0   ? RCM_GPU_F32
                                     : strcmp(line->dtype, "float16") == 0 ? RCM_GPU_F16
                                                                           : RCM_GPU_BF16;
    const enum rcm_gpu_assignment assignment =
        strcmp(line->assignment, "contiguous") == 0 ? RCM_GPU_CONTIGUOUS : RCM_GPU_INTERLEAVED;
    const size_t bytes = rcm_gpu_dtype_bytes(dtype);
    const uint64_t elements = line->m * line->n;
    const struct rcm_gpu_rows x = {rows(line, bytes, elements), line->m, line->n, 0, dtype, false};
    if (strcmp(line->work, "stage1") == 0)
        return run_stage1(line, &x, bytes, assignment);
    if (strncmp(line->work, "exact", strlen("exact")) == 0)
        return run_exact(line, &x, bytes, strcmp(line->work, "exact-by-position") == 0);
    if (strcmp(line->work, "two-stage") == 0)
        return run_two_stage(line, &x, bytes, assignment);
    begin();
    return rcm_gpu_move(x.x, elements * bytes / 16 * 16, NULL, 0, 0, NULL);
}

int main(void)
{
    struct line line;
    while (scanf("%23s %31s %15s %15s %llu %llu %llu %llu %llu", line.work, line.kernel, line.dtype,
                 line.assignment, &line.n, &line.k, &line.b, &line.k_b, &line.m) == 9) {
        const enum rcm_gpu_status status = run(&line);
        cudaDeviceSynchronize();
        if (status != RCM_GPU_OK) {
            fprintf(stderr, "bench: %s %s: %s\n", line.work, line.kernel, rcm_gpu_message(status));
            return 1;
        }
        printf("\nDONE %s %s %s %s %llu %llu %llu %llu %llu\n", line.work, line.kernel, line.dtype,
               line.assignment, line.n, line.k, line.b, line.k_b, line.m);
        fflush(stdout);
    }
    return 0;
}
