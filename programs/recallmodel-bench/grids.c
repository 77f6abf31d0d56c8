/* grids.c - see grids.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "grids.h"

#include <gpu/host/inputs.h>
#include <programs/bench/cells/cell.h>

#include "kernels.h"

#define TYPES 3 /* that the kernels have */

static const struct kernel *kernel_of(const struct grid *grid, const char *name)
{
    return kernel_by_name(grid->task, name);
}

/* Exact top-k of the rows of a cell. */
static void add_exact(struct cell_list *list, struct cell c)
{
    c.kernel = kernel_by_name(TASK_EXACT, "radix");
    c.b = 1;
    c.k_b = c.k;
    cell_list_add(list, &c);
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
                      (struct cell){.dtype = DTYPE_F16, .n = n, .k = k, .m = m, .graph = true});
}

static void key_exact(struct cell_list *list, const struct grid *grid, struct cell c)
{
    (void)grid;
    add_exact(list, c);
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
                cell_list_add(list, &c);
            }
}
static void key_17(struct cell_list *list, const struct grid *grid)
{
    key_rows(list, grid, key_ratios);
}

/* Figures 1, 9 and 10: m = 128, k = 64 and n/4; five choices of (k_b, b k_b / k), and exact top-k
 * to compare with. */
static void key_bandwidth(struct cell_list *list, const struct grid *grid, unsigned dtype,
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
                cell_list_add(list, &c);
            }
            add_exact(list, c);
        }
}
static void key_1(struct cell_list *list, const struct grid *grid)
{
    key_bandwidth(list, grid, DTYPE_F32, false);
}
static void key_9(struct cell_list *list, const struct grid *grid)
{
    key_bandwidth(list, grid, DTYPE_F32, true);
}
static void key_10(struct cell_list *list, const struct grid *grid)
{
    key_bandwidth(list, grid, DTYPE_BF16, true);
}

/* Figure 8: both assignments where b does not divide n. */
static void key_8_choices(struct cell_list *list, const struct grid *grid, struct cell c)
{
    for (c.k_b = 1; c.k_b <= 4; c.k_b *= 2)
        for (uint64_t ratio = 1; ratio <= 8; ratio *= 2) {
            c.b = 96 * ratio / c.k_b;
            c.kernel = kernel_of(grid, "auto");
            cell_list_add(list, &c);
        }
}
static void key_8(struct cell_list *list, const struct grid *grid)
{
    static const uint64_t lengths[] = {1409, 1659};
    for (size_t i = 0; i < 2; i++)
        for (unsigned contiguous = 0; contiguous < 2; contiguous++)
            key_8_choices(list, grid,
                          (struct cell){.dtype = DTYPE_F16,
                                        .assignment = (enum rcm_assignment)contiguous,
                                        .n = lengths[i],
                                        .k = 96,
                                        .m = 1,
                                        .graph = true});
}

static void samaga_2(struct cell_list *list, const struct grid *grid)
{
    (void)grid;
    grid_samaga_2(list, (struct cell){.dtype = DTYPE_F32}, "radix");
}

/* Samaga et al., Table 3: 1024 queries, 2^20 elements of 128 components, k = 1024, recall 0.99; by
 * stages. The choices reach it: k_b = 1 with b = 65,536 (.99272), k_b = 4 with b = 1024 (.99571),
 * and two between. Buckets change neither a product alone nor exact top-k, which are timed once. */
static void samaga_3_kernel(struct cell_list *list, const struct kernel *kernel)
{
    static const uint64_t choices[][2] = {{1, 65536}, {2, 4096}, {4, 1024}, {8, 512}};
    const struct how *how = kernel->how;
    const bool once = kernel->is_product_only || is_exact_product(how);
    for (size_t i = 0; i < (once ? 1 : sizeof choices / sizeof *choices); i++) {
        struct cell c = {.kernel = kernel,
                         .dtype = kernel->dtype,
                         .n = 1 << 20,
                         .k = 1024,
                         .b = choices[i][1],
                         .k_b = choices[i][0],
                         .m = 1024,
                         .d = 128};
        cell_list_add(list, &c);
        c.k = c.b * c.k_b; /* stage 1 alone */
        if (!once)
            cell_list_add(list, &c);
    }
}
static void samaga_3(struct cell_list *list, const struct grid *grid)
{
    for (const struct kernel *kernel = cuda_kernels; kernel->name; kernel++)
        if (kernel->task == grid->task)
            samaga_3_kernel(list, kernel);
}

/* ---- our own */

/* The shapes for which the kernels have targets, as shares of the roof: 2^30 bytes and more, k_b =
 * 1, 2, 4, 8, 16, long and short columns, every type. */
static void target_choices(struct cell_list *list, const struct grid *grid, struct cell c)
{
    static const uint64_t buckets[] = {16, 128, 1000, 1024, 4096, 16384};
    c.kernel = kernel_of(grid, "auto");
    for (c.k_b = 1; c.k_b <= 16; c.k_b *= 2)
        for (size_t i = 0; i < sizeof buckets / sizeof *buckets; i++) {
            c.b = buckets[i];
            c.k = c.b * c.k_b;
            if (c.k <= c.n / 8)
                cell_list_add(list, &c);
        }
}
static void targets(struct cell_list *list, const struct grid *grid)
{
    for (unsigned dtype = 0; dtype < TYPES; dtype++)
        for (unsigned contiguous = 0; contiguous < 2; contiguous++)
            target_choices(list, grid,
                           (struct cell){.dtype = dtype,
                                         .assignment = (enum rcm_assignment)contiguous,
                                         .n = 1 << 18,
                                         .m = dtype == DTYPE_F32 ? 1024 : 2048});
}

/* Every kind of input: several make queues and histograms slow. */
static void adversarial(struct cell_list *list, const struct grid *grid)
{
    for (unsigned dtype = 0; dtype < 2; dtype++)
        for (unsigned input = 0; input < RCM_GPU_INPUTS; input++) {
            struct cell c = {.kernel = kernel_of(grid, "auto"),
                             .dtype = dtype ? DTYPE_BF16 : DTYPE_F32,
                             .input = input,
                             .n = 1 << 18,
                             .m = dtype ? 2048 : 1024};
            for (c.k_b = 1; c.k_b <= 16; c.k_b *= 2) {
                c.b = 1024;
                c.k = c.b * c.k_b;
                cell_list_add(list, &c);
            }
        }
}

/* The shape of the blog's table. */
static void add_blog_cell(struct cell_list *list, const struct kernel *kernel, unsigned dtype,
                          unsigned input)
{
    cell_list_add(list, &(struct cell){.kernel = kernel,
                                       .dtype = dtype,
                                       .input = input,
                                       .n = 50000,
                                       .k = 2048,
                                       .b = 1,
                                       .k_b = 2048,
                                       .m = 1024});
}

static void adversarial_exact(struct cell_list *list, const struct grid *grid)
{
    static const char *const names[] = {"radix", "histogram"};
    for (unsigned dtype = 0; dtype < 2; dtype++)
        for (unsigned input = 0; input < RCM_GPU_INPUTS; input++)
            for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                add_blog_cell(list, kernel_of(grid, names[i]), dtype ? DTYPE_BF16 : DTYPE_F32,
                              input);
}

/* The kernels of the blog's table of six, and every other exact kernel. */
static void exact_kernels(struct cell_list *list, const struct grid *grid)
{
    for (unsigned dtype = 0; dtype < 2; dtype++)
        for (const struct kernel *kernel = cuda_kernels; kernel->name; kernel++)
            if (kernel->task == grid->task)
                add_blog_cell(list, kernel, dtype ? DTYPE_F16 : DTYPE_F32, RCM_GPU_INPUT_NORMAL);
}

/* Exact top-k, and both stages by four choices of (k_b, recall); the last of them without a second
 * stage, k = b k_b. `turn` says which. */
static void add_choices(struct cell_list *list, const struct grid *grid, struct cell c,
                        unsigned turn)
{
    static const uint64_t k_bs[] = {1, 2, 3, 4, 8, 16};
    static const double recalls[] = {0.9, 0.95, 0.99};
    const unsigned count = sizeof k_bs / sizeof *k_bs;
    add_exact(list, c);
    c.kernel = kernel_of(grid, "auto");
    for (unsigned i = 0; i < 4; i++) {
        c.k_b = k_bs[(turn + (i < 3 ? 2 * i : 1)) % count];
        c.b = i == 3         ? (c.k + c.k_b - 1) / c.k_b
              : c.k_b <= c.k ? grid_b_for(&c, recalls[(turn + i) % 3], turn % 2 == 0)
                             : 0;
        if (c.b && c.b <= c.n / 2)
            cell_list_add(list, &c);
    }
}

/* What the time models are fitted to: rows of every length and number, at most 1 GiB, cold, between
 * events. */
static void calibrate(struct cell_list *list, const struct grid *grid)
{
    static const uint64_t ns[] = {1 << 10, 1 << 12, 1 << 14, 1 << 16,
                                  1 << 17, 1 << 18, 1 << 20, 1 << 22},
                          ms[] = {1, 8, 64, 256, 1024};
    unsigned turn = 0;
    for (unsigned dtype = 0; dtype < 2; dtype++)
        for (unsigned i = 0; i < sizeof ns / sizeof *ns; i++)
            for (unsigned j = 0; j < sizeof ms / sizeof *ms; j++) {
                struct cell c = {.dtype = dtype, .n = ns[i], .m = ms[j]};
                for (c.k = (i + j) % 2 ? 16 : 64; c.k <= 4096 && c.k <= c.n / 8; c.k *= 16)
                    if (c.n * c.m <= UINT64_C(1) << 28)
                        add_choices(list, grid, c, turn++);
            }
}

/* Both stages against torch.topk: n = 2^18 and 2^20, m = 128, k = n/8, b k_b = k; and one row of
 * n = 2^20, k = 1024, k_b = 4. */
static void two_stage_target_lengths(struct cell_list *list, const struct grid *grid,
                                     unsigned dtype)
{
    for (uint64_t n = 1 << 18; n <= 1 << 20; n *= 4) {
        struct cell c = {
            .kernel = kernel_of(grid, "auto"), .dtype = dtype, .n = n, .k = n / 8, .m = 128};
        for (c.k_b = 1; c.k_b <= 4; c.k_b *= 2) {
            c.b = c.k / c.k_b;
            cell_list_add(list, &c);
        }
        add_exact(list, c);
    }
}
static void two_stage_targets(struct cell_list *list, const struct grid *grid)
{
    for (unsigned dtype = 0; dtype < TYPES; dtype++) {
        two_stage_target_lengths(list, grid, dtype);
        for (unsigned graph = 0; graph < 2; graph++)
            for (unsigned warm = 0; warm < 2; warm++)
                cell_list_add(list, &(struct cell){.kernel = kernel_of(grid, "auto"),
                                                   .dtype = dtype,
                                                   .n = 1 << 20,
                                                   .k = 1024,
                                                   .b = 256,
                                                   .k_b = 4,
                                                   .m = 1,
                                                   .graph = graph == 1,
                                                   .warm = warm == 1});
    }
}

const struct grid cuda_grids[] = {
    {"key-1", TASK_TWO_STAGE,
     "Key et al., Figure 1: bandwidth over n, float32, timed between events", key_1},
    {"key-8", TASK_TWO_STAGE,
     "Key et al., Figure 8: contiguous and interleaved where b does not divide n", key_8},
    {"key-9", TASK_TWO_STAGE, "Key et al., Figure 9: bandwidth over n, float32, CUDA graphs",
     key_9},
    {"key-10", TASK_TWO_STAGE, "Key et al., Figure 10: bandwidth over n, bfloat16, CUDA graphs",
     key_10},
    {"key-15", TASK_EXACT, "Key et al., Figure 15: exact top-k over n and k, float16", key_15},
    {"key-17", TASK_TWO_STAGE,
     "Key et al., Figures 16 and 17: bucketed top-k over n, k, b, k_b, float16", key_17},
    {"samaga-2", TASK_TWO_STAGE, "Samaga et al., Table 2: n = 262144, k = 1024, m = 8, by stages",
     samaga_2},
    {"samaga-3", TASK_FUSED,
     "Samaga et al., Table 3: 1024 queries, n = 2^20, d = 128, fused and not fused", samaga_3},
    {"targets", TASK_STAGE1,
     "stage 1 against the roof: every type and k_b, b from 16 to 16384, 2^30 bytes", targets},
    {"targets-two-stage", TASK_TWO_STAGE, "both stages beside exact top-k, m = 128; and m = 1",
     two_stage_targets},
    {"adversarial", TASK_STAGE1,
     "stage 1 on every kind of input, of which several make queues slow", adversarial},
    {"adversarial-exact", TASK_EXACT,
     "exact top-k on every kind of input, of which several make histograms slow",
     adversarial_exact},
    {"calibrate", TASK_TWO_STAGE, "what the time models are fitted to, float32 and float16",
     calibrate},
    {"kernels", TASK_EXACT, "every exact kernel on 1024 rows of 50,000, k = 2048", exact_kernels},
    {NULL, TASK_EXACT, NULL, NULL},
};
