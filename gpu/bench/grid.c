/* grid.c - see grid.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "grid.h"

#include <stdlib.h>
#include <string.h>

#include "cli/memory.h"

static void add(struct cell_list *list, const struct cell *cell)
{
    const char *refusal = cell_refused(cell);
    if (refusal) {
        list->refusal = list->refused++ ? list->refusal : refusal;
        return;
    }
    list->items = grown(list->items, list->length, &list->capacity, sizeof *list->items);
    list->items[list->length++] = *cell;
}

void cells_free(struct cell_list *list)
{
    free(list->items);
    *list = (struct cell_list){0};
}

static uint64_t ceil_divide(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Item i of an axis, or its default. */
static uint64_t item(const struct count_list *list, size_t i, uint64_t otherwise)
{
    return list->length ? list->items[i] : otherwise;
}
static size_t length(const struct count_list *list)
{
    return list->length ? list->length : 1;
}

/* The kernels, k, b and k_b of rows that are given. */
static void add_rows(struct cell_list *list, const struct axes *a, struct cell cell)
{
    const bool exact = a->work == WORK_EXACT;
    for (size_t k = 0; k < length(&a->k); k++)
        for (size_t k_b = 0; k_b < (exact ? 1 : length(&a->k_b)); k_b++)
            for (size_t b = 0; b < (exact ? 1 : length(&a->b)); b++)
                for (unsigned kernel = 0; kernel < a->kernel_count; kernel++) {
                    struct cell c = cell;
                    c.kernel = a->kernels[kernel];
                    if (c.d)
                        c.dtype = c.kernel->product_type;
                    c.k_b = item(&a->k_b, k_b, 1);
                    c.b = item(&a->b, b,
                               a->k.length  ? ceil_divide(a->k.items[k], c.k_b)
                               : c.n < 1024 ? c.n
                                            : 1024);
                    c.k = item(&a->k, k,
                               exact        ? 1024
                               : c.b <= c.n ? rcm_gpu_candidates(c.n, c.b, c.k_b)
                                            : c.n);
                    if (exact)
                        c.b = 1, c.k_b = c.k;
                    add(list, &c);
                }
}

void cells_of_axes(struct cell_list *list, const struct axes *a)
{
    const bool fused = a->work == WORK_FUSED;
    for (size_t n = 0; n < length(&a->n); n++)
        for (size_t m = 0; m < length(&a->m); m++)
            for (size_t d = 0; d < (fused ? length(&a->d) : 1); d++)
                for (unsigned dtype = 0; dtype < (fused ? 1 : a->dtype_count); dtype++)
                    for (unsigned input = 0; input < (fused ? 1 : a->input_count); input++)
                        for (unsigned assignment = 0;
                             assignment <
                             (fused || a->work == WORK_EXACT ? 1 : a->assignment_count);
                             assignment++)
                            add_rows(list, a,
                                     (struct cell){.dtype = a->dtypes[dtype],
                                                   .assignment = fused ? RCM_GPU_INTERLEAVED
                                                                       : a->assignments[assignment],
                                                   .input = fused ? RCM_GPU_INPUT_NORMAL
                                                                  : a->inputs[input],
                                                   .n = item(&a->n, n, 1 << 18),
                                                   .m = item(&a->m, m, fused ? 1024 : 128),
                                                   .d = fused ? item(&a->d, d, 128) : 0,
                                                   .warm = a->warm,
                                                   .graph = a->graph});
}

/* ---- the papers' grids */

static const struct kernel *kernel_of(const struct grid *grid, const char *name)
{
    return kernel_by_name(grid->work, name, strlen(name));
}

/* Key et al., Figures 15 to 17: n = 2^10, 2^12, .., 2^22; k = 1, 2, 3, 4 and powers of 4 up to n/4;
 * m = 1 and 256; float16, graphs. */
static void key_rows(struct cell_list *list, const struct grid *grid,
                     void (*add_k)(struct cell_list *, const struct grid *, struct cell))
{
    for (uint64_t m = 1; m <= 256; m *= 256)
        for (uint64_t n = 1 << 10; n <= 1 << 22; n *= 4)
            for (uint64_t k = 1; k <= n / 4; k = k < 4 ? k + 1 : 4 * k)
                add_k(list, grid,
                      (struct cell){.dtype = RCM_GPU_F16, .n = n, .k = k, .m = m, .graph = true});
}

static void key_exact(struct cell_list *list, const struct grid *grid, struct cell c)
{
    c.kernel = kernel_of(grid, "radix");
    c.b = 1;
    c.k_b = c.k;
    add(list, &c);
}
static void key_15(struct cell_list *list, const struct grid *grid)
{
    key_rows(list, grid, key_exact);
}

static void key_ratios(struct cell_list *list, const struct grid *grid, struct cell c)
{
    const uint64_t k = c.k;
    c.kernel = kernel_of(grid, "auto");
    for (c.k_b = 1; c.k_b <= 4; c.k_b++)
        for (uint64_t ratio = 1; ratio <= 32 && k % c.k_b == 0 && (c.k_b != 3 || k == 3);
             ratio *= 2)
            if (k * ratio < c.n) {
                c.b = k * ratio / c.k_b;
                add(list, &c);
            }
}
static void key_17(struct cell_list *list, const struct grid *grid)
{
    key_rows(list, grid, key_ratios);
}

/* Figures 1, 9 and 10: m = 128, k = 64 and n/4, five choices of (k_b, b k_b / k), and exact top-k
 * beside them. */
static void key_bandwidth(struct cell_list *list, const struct grid *grid, enum rcm_gpu_dtype dtype,
                          bool graph)
{
    static const uint64_t choices[][2] = {{1, 1}, {1, 2}, {1, 4}, {2, 1}, {4, 1}};
    for (uint64_t n = 1 << 10; n <= 1 << 22; n *= 4)
        for (unsigned large = 0; large < 2; large++) {
            struct cell c = {.kernel = kernel_of(grid, "auto"),
                             .dtype = dtype,
                             .n = n,
                             .k = large ? n / 4 : 64,
                             .m = 128,
                             .graph = graph};
            for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
                c.k_b = choices[i][0];
                c.b = c.k * choices[i][1] / c.k_b;
                add(list, &c);
            }
            c.kernel = kernel_by_name(WORK_EXACT, "radix", 5);
            c.b = 1;
            c.k_b = c.k;
            add(list, &c);
        }
}
static void key_1(struct cell_list *list, const struct grid *grid)
{
    key_bandwidth(list, grid, RCM_GPU_F32, false);
}
static void key_9(struct cell_list *list, const struct grid *grid)
{
    key_bandwidth(list, grid, RCM_GPU_F32, true);
}
static void key_10(struct cell_list *list, const struct grid *grid)
{
    key_bandwidth(list, grid, RCM_GPU_BF16, true);
}

/* Figure 8: both assignments where b does not divide n. */
static void key_8(struct cell_list *list, const struct grid *grid)
{
    static const uint64_t lengths[] = {1409, 1659};
    for (size_t i = 0; i < 2; i++)
        for (unsigned contiguous = 0; contiguous < 2; contiguous++)
            for (uint64_t k_b = 1; k_b <= 4; k_b *= 2)
                for (uint64_t ratio = 1; ratio <= 8; ratio *= 2)
                    add(list, &(struct cell){.kernel = kernel_of(grid, "auto"),
                                             .dtype = RCM_GPU_F16,
                                             .assignment = (enum rcm_gpu_assignment)contiguous,
                                             .n = lengths[i],
                                             .k = 96,
                                             .b = 96 * ratio / k_b,
                                             .k_b = k_b,
                                             .m = 1,
                                             .graph = true});
}

/* Samaga et al., Table 2: stage 1, stage 2 alone (exact top-k of so many candidates) and both. */
static void samaga_2(struct cell_list *list, const struct grid *grid)
{
    static const uint64_t choices[][2] = {
        {1, 131072}, {1, 65536}, {1, 32768}, {1, 16384}, {1, 8192}, {2, 4096}, {2, 2048},
        {3, 2048},   {3, 1024},  {4, 1024},  {4, 512},   {5, 512},  {6, 512},  {6, 256},
        {8, 512},    {8, 256},   {10, 256},  {12, 128},  {16, 128}};
    struct cell c = {.dtype = RCM_GPU_F32, .n = 1 << 18, .k = 1024, .m = 8};
    for (unsigned part = 0; part < 2; part++)
        for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
            c.k_b = choices[i][0];
            c.b = choices[i][1];
            c.kernel = part ? kernel_by_name(WORK_STAGE1, "auto", 4) : kernel_of(grid, "auto");
            add(list, &c);
        }
    c.kernel = kernel_by_name(WORK_EXACT, "radix", 5);
    c.b = 1;
    c.k_b = c.k;
    add(list, &c);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen |= choices[j][0] * choices[j][1] == choices[i][0] * choices[i][1];
        c.n = choices[i][0] * choices[i][1];
        if (!seen)
            add(list, &c);
    }
}

/* Table 3: 1024 queries, 2^20 elements of 128 components, k = 1024, recall 0.99; by stages. The
 * choices reach it: k_b = 1 with b = 65,536
 * (.99272), k_b = 4 with b = 1024 (.99571), and two between. */
static void samaga_3(struct cell_list *list, const struct grid *grid)
{
    static const uint64_t choices[][2] = {{1, 65536}, {2, 4096}, {4, 1024}, {8, 512}};
    struct cell c = {.dtype = RCM_GPU_F32, .n = 1 << 20, .m = 1024, .d = 128};
    for (size_t kernel = 0; kernel < kernel_count; kernel++)
        if (kernels[kernel].work == WORK_FUSED)
            for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
                c.kernel = &kernels[kernel];
                c.dtype = c.kernel->product_type;
                c.k_b = choices[i][0];
                c.b = choices[i][1];
                c.k = 1024;
                if (c.kernel->product == PRODUCT_ALONE && i > 0)
                    continue; /* buckets play no part */
                add(list, &c);
                c.k = c.b * c.k_b; /* stage 1 alone */
                if (c.kernel->product != PRODUCT_ALONE)
                    add(list, &c);
            }
    (void)grid;
}

/* What the kernels must reach: shares of the roof at 2^30 bytes and more, k_b = 1, 2, 4, 8, 16,
 * long and short columns, every type. */
static void targets(struct cell_list *list, const struct grid *grid)
{
    static const uint64_t buckets[] = {16, 128, 1000, 1024, 4096, 16384};
    for (unsigned dtype = 0; dtype < 3; dtype++)
        for (unsigned contiguous = 0; contiguous < 2; contiguous++)
            for (uint64_t k_b = 1; k_b <= 16; k_b *= 2)
                for (size_t i = 0; i < sizeof buckets / sizeof *buckets; i++) {
                    struct cell c = {.kernel = kernel_of(grid, "auto"),
                                     .dtype = (enum rcm_gpu_dtype)dtype,
                                     .assignment = (enum rcm_gpu_assignment)contiguous,
                                     .n = 1 << 18,
                                     .b = buckets[i],
                                     .k_b = k_b,
                                     .m = dtype == RCM_GPU_F32 ? 1024 : 2048};
                    c.k = c.b * c.k_b;
                    if (c.k <= c.n / 8)
                        add(list, &c);
                }
}

/* The inputs that are unkind to queues and histograms. */
static void adversarial(struct cell_list *list, const struct grid *grid)
{
    for (unsigned dtype = 0; dtype < 2; dtype++)
        for (unsigned input = 0; input < RCM_GPU_INPUTS; input++) {
            struct cell c = {.kernel = kernel_of(grid, "auto"),
                             .dtype = dtype ? RCM_GPU_BF16 : RCM_GPU_F32,
                             .input = (enum rcm_gpu_input)input,
                             .n = 1 << 18,
                             .m = dtype ? 2048 : 1024};
            for (c.k_b = 1; c.k_b <= 16; c.k_b *= 2) {
                c.b = 1024;
                c.k = c.b * c.k_b;
                add(list, &c);
            }
        }
}
static void adversarial_exact(struct cell_list *list, const struct grid *grid)
{
    static const char *const names[] = {"radix", "histogram"};
    for (unsigned dtype = 0; dtype < 2; dtype++)
        for (unsigned input = 0; input < RCM_GPU_INPUTS; input++)
            for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                add(list, &(struct cell){.kernel = kernel_of(grid, names[i]),
                                         .dtype = dtype ? RCM_GPU_BF16 : RCM_GPU_F32,
                                         .input = (enum rcm_gpu_input)input,
                                         .n = 50000,
                                         .k = 2048,
                                         .b = 1,
                                         .k_b = 2048,
                                         .m = 1024});
}

/* The blog's table of six, and every other exact kernel on its shape. */
static void exact_kernels(struct cell_list *list, const struct grid *grid)
{
    for (unsigned dtype = 0; dtype < 2; dtype++)
        for (size_t i = 0; i < kernel_count; i++)
            if (kernels[i].work == grid->work)
                add(list, &(struct cell){.kernel = &kernels[i],
                                         .dtype = dtype ? RCM_GPU_F16 : RCM_GPU_F32,
                                         .n = 50000,
                                         .k = 2048,
                                         .b = 1,
                                         .k_b = 2048,
                                         .m = 1024});
}

/* Both stages against torch.topk: n = 2^18 and 2^20, m = 128, k = n/8, b k_b = k; and m = 1, n =
 * 2^20, k = 1024, k_b = 4. */
static void two_stage_targets(struct cell_list *list, const struct grid *grid)
{
    for (unsigned dtype = 0; dtype < 3; dtype++) {
        for (uint64_t n = 1 << 18; n <= 1 << 20; n *= 4) {
            struct cell c = {.kernel = kernel_of(grid, "auto"),
                             .dtype = (enum rcm_gpu_dtype)dtype,
                             .n = n,
                             .k = n / 8,
                             .m = 128};
            for (c.k_b = 1; c.k_b <= 4; c.k_b *= 2) {
                c.b = c.k / c.k_b;
                add(list, &c);
            }
            c.kernel = kernel_by_name(WORK_EXACT, "radix", 5);
            c.b = 1;
            c.k_b = c.k;
            add(list, &c);
        }
        for (unsigned graph = 0; graph < 2; graph++)
            for (unsigned warm = 0; warm < 2; warm++)
                add(list, &(struct cell){.kernel = kernel_of(grid, "auto"),
                                         .dtype = (enum rcm_gpu_dtype)dtype,
                                         .n = 1 << 20,
                                         .k = 1024,
                                         .b = 256,
                                         .k_b = 4,
                                         .m = 1,
                                         .graph = graph == 1,
                                         .warm = warm == 1});
    }
}

const struct grid grids[] = {
    {"key-1", WORK_TWO_STAGE, "Key et al., Figure 1: bandwidth over n, float32, between events",
     key_1},
    {"key-8", WORK_TWO_STAGE,
     "Key et al., Figure 8: contiguous and interleaved where b does not divide n", key_8},
    {"key-9", WORK_TWO_STAGE, "Key et al., Figure 9: bandwidth over n, float32, CUDA graphs",
     key_9},
    {"key-10", WORK_TWO_STAGE, "Key et al., Figure 10: bandwidth over n, bfloat16, CUDA graphs",
     key_10},
    {"key-15", WORK_EXACT, "Key et al., Figure 15: exact top-k over n and k, float16", key_15},
    {"key-17", WORK_TWO_STAGE,
     "Key et al., Figures 16 and 17: bucketed top-k over n, k, b, k_b, float16", key_17},
    {"samaga-2", WORK_TWO_STAGE, "Samaga et al., Table 2: n = 262144, k = 1024, m = 8, by stages",
     samaga_2},
    {"samaga-3", WORK_FUSED,
     "Samaga et al., Table 3: 1024 queries, 2^20 elements of 128 components, fused and not",
     samaga_3},
    {"targets", WORK_STAGE1,
     "stage 1 against the roof: every type and k_b, b from 16 to 16384, 2^30 bytes", targets},
    {"targets-two-stage", WORK_TWO_STAGE, "both stages beside exact top-k, m = 128; and m = 1",
     two_stage_targets},
    {"adversarial", WORK_STAGE1, "stage 1 on inputs that are unkind to queues", adversarial},
    {"adversarial-exact", WORK_EXACT, "exact top-k on inputs that are unkind to histograms",
     adversarial_exact},
    {"kernels", WORK_EXACT, "every exact kernel on 1024 rows of 50,000, k = 2048", exact_kernels},
};
const size_t grid_count = sizeof grids / sizeof *grids;
