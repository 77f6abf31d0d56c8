/* grids.c - see grids.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "grids.h"

#include <programs/bench/cells/cell.h>

#include "inputs.h"
#include "machine.h"

static void add(struct cell_list *list, struct cell c, enum task task)
{
    c.kernel = kernel_of_task(task, 0);
    if (task == TASK_EXACT) {
        c.b = 1;
        c.k_b = c.k;
    }
    cell_list_add(list, &c);
}

/* Both stages beside exact top-k, at recalls of .9, .99 and .999; b divides n in every second cell.
 * Where the rows are many, or short, two threads too. */
static void add_choices(struct cell_list *list, struct cell c, const uint64_t *k_bs, unsigned count)
{
    static const double recalls[] = {0.9, 0.99, 0.999};
    bool power = false;
    add(list, c, TASK_EXACT);
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < 3; j++) {
            c.k_b = k_bs[i];
            c.b = c.k_b <= c.k ? grid_b_for(&c, recalls[j], power) : 0;
            power = !power;
            if (c.b)
                add(list, c, TASK_TWO_STAGE);
        }
}

static const uint64_t some_k_b[] = {1, 2, 4};

static void one_row(struct cell_list *list)
{
    static const uint64_t ns[] = {1 << 12, 1 << 14, 1 << 16, 128256,
                                  1 << 18, 1 << 20, 1 << 22, 1 << 24};
    for (unsigned i = 0; i < sizeof ns / sizeof *ns; i++)
        for (uint64_t k = 16; k <= 4096 && k <= ns[i] / 16; k *= 4)
            for (unsigned threads = 1; threads <= (ns[i] >= 1 << 20 ? 2u : 1u); threads++) {
                struct cell c = {.n = ns[i], .k = k, .m = 1, .threads = threads, .warm = true};
                /* two threads: at two k */
                if (threads == 1 || k == 64 || k == 1024)
                    add_choices(list, c, some_k_b, threads == 1 ? 3 : 2);
            }
}

static void many_rows(struct cell_list *list)
{
    static const uint64_t shapes[][3] = {{1 << 12, 64, 256}, {32000, 50, 64}, {1 << 17, 1024, 16}};
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (unsigned threads = 1; threads <= 2; threads++)
            add_choices(list,
                        (struct cell){.n = shapes[i][0],
                                      .k = shapes[i][1],
                                      .m = shapes[i][2],
                                      .threads = threads,
                                      .warm = true},
                        some_k_b, 3);
}

/* Cold: what a call costs whose row is in memory. */
static void cold_rows(struct cell_list *list)
{
    static const uint64_t ns[] = {1 << 14, 1 << 17, 1 << 20};
    for (unsigned i = 0; i < sizeof ns / sizeof *ns; i++)
        add_choices(list, (struct cell){.n = ns[i], .k = 256, .m = 1, .threads = 1}, some_k_b, 2);
}

/* Stage 1 beside reading the row: by level of cache, k_b, number of buckets, assignment. */
static void stage_one(struct cell_list *list)
{
    static const uint64_t buckets[] = {64, 1000, 8192}, k_bs[] = {1, 2, 4, 8};
    for (uint64_t n = 1 << 14; n <= 1 << 24; n *= n < 1 << 20 ? 8 : 16)
        for (unsigned assignment = 0; assignment < ASSIGNMENTS; assignment++)
            for (unsigned i = 0; i < sizeof buckets / sizeof *buckets; i++)
                for (unsigned j = 0; j < (assignment == RCM_INTERLEAVED ? 4u : 2u); j++) {
                    struct cell c = {.n = n,
                                     .b = buckets[i],
                                     .k_b = k_bs[j],
                                     .m = 1,
                                     .threads = 1,
                                     .assignment = (enum rcm_assignment)assignment,
                                     .warm = true};
                    c.k = c.b * c.k_b;
                    if (c.k <= n / 4)
                        add(list, c, TASK_STAGE1);
                }
}

/* The other types, and rows on which a selection may be slow. */
static void types_and_inputs(struct cell_list *list, const struct grid *grid)
{
    struct cell c = {
        .n = 1 << 20, .k = 1024, .b = 4096, .k_b = 2, .m = 1, .threads = 1, .warm = true};
    (void)grid;
    for (c.dtype = 1; c.dtype < DTYPES; c.dtype++) {
        add(list, c, TASK_TWO_STAGE);
        add(list, c, TASK_EXACT);
    }
    c.dtype = DTYPE_F32;
    for (c.input = 1; cpu_input_name(c.input); c.input++) {
        add(list, c, TASK_TWO_STAGE);
        add(list, c, TASK_EXACT);
    }
}

static void cpu_small(struct cell_list *list, const struct grid *grid)
{
    one_row(list);
    many_rows(list);
    cold_rows(list);
    stage_one(list);
    types_and_inputs(list, grid);
}

/* The roof by level of cache and threads: beside stage 1 with few buckets, which is nearly it. */
static void cpu_levels(struct cell_list *list, const struct grid *grid)
{
    (void)grid;
    for (uint64_t n = 1 << 10; n <= 1 << 26; n *= 4)
        for (unsigned threads = 1; threads <= 2; threads++)
            add(list,
                (struct cell){
                    .n = n, .k = 64, .b = 64, .k_b = 1, .m = 1, .threads = threads, .warm = true},
                TASK_STAGE1);
}

/* The shapes for which there are targets (docs/cpu.md): k_b 1, 2, 4, the vocabulary, two threads.
 */
static void cpu_targets(struct cell_list *list, const struct grid *grid)
{
    struct cell c = {.m = 1, .warm = true};
    (void)grid;
    for (c.threads = 1; c.threads <= 2; c.threads++)
        for (c.n = 1 << 20; c.n <= 1 << 24; c.n *= 16) {
            for (c.k_b = 1; c.k_b <= 4; c.k_b *= 2) {
                c.b = 4096 / c.k_b;
                c.k = 4096;
                add(list, c, TASK_STAGE1);
            }
            c.k = 1024;
            add_choices(list, c, some_k_b, 3);
        }
    c.threads = 1;
    c.n = 1 << 17;
    c.k = 50;
    add_choices(list, c, some_k_b, 3);
}

/* Every K of the columns of stage 1, and k_b between, at a recall of .99, or .9 and .999. */
static void add_every_k_b(struct cell_list *list, struct cell c, unsigned turn)
{
    static const uint64_t k_bs[] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 16};
    static const double recalls[] = {0.9, 0.99, 0.999};
    add(list, c, TASK_EXACT);
    for (unsigned i = 0; i < sizeof k_bs / sizeof *k_bs; i++)
        for (unsigned j = (i + turn) % 2; j < 3; j += 2) {
            c.k_b = k_bs[i];
            c.b = c.k_b <= c.k ? grid_b_for(&c, recalls[j], (i + j) % 2) : 0;
            if (c.b)
                add(list, c, TASK_TWO_STAGE);
        }
}

/* What the time model of a CPU is fitted to: recallmodel bench --calibrate. */
/* Stage 1 of contiguous buckets of 16 to 2048 elements, k_b = 1 and another one. */
static void contiguous_buckets(struct cell_list *list, uint64_t n, uint64_t k_b)
{
    static const uint64_t sizes[] = {16, 64, 256, 2048};
    struct cell c = {.n = n, .m = 1, .threads = 1, .assignment = RCM_CONTIGUOUS, .warm = true};
    for (unsigned i = 0; i < 4; i++)
        for (unsigned j = 0; j < 2; j++) {
            c.b = (n + sizes[i] - 1) / sizes[i];
            c.k_b = j ? k_b : 1;
            c.k = c.b * c.k_b;
            add(list, c, TASK_STAGE1);
        }
}

static void cpu_calibrate(struct cell_list *list, const struct grid *grid)
{
    static const uint64_t ns[] = {1 << 12, 1 << 14, 100000,  1 << 18,
                                  1 << 20, 3000000, 1 << 23, 1 << 24};
    struct cell c = {.threads = 1, .warm = true};
    unsigned turn = 0;
    (void)grid;
    for (unsigned i = 0; i < sizeof ns / sizeof *ns; i++)
        for (c.n = ns[i], c.m = 1, c.k = 16; c.k <= 4096 && c.k <= c.n / 16; c.k *= 16)
            add_every_k_b(list, c, turn++);
    c.m = 32;
    c.n = 1 << 14;
    c.k = 64;
    add_choices(list, c, some_k_b, 3);
    c.threads = 2;
    for (c.n = 1 << 16; machine()->cores > 1 && c.n <= 1 << 20; c.n *= 16, c.m = 1)
        add_choices(list, c, some_k_b, 2);
    for (uint64_t n = 1 << 14; n <= 1 << 22; n *= 16)
        contiguous_buckets(list, n, 4);
}

static void samaga_2(struct cell_list *list, const struct grid *grid)
{
    (void)grid;
    grid_samaga_2(list, (struct cell){.threads = 1, .warm = true}, "threshold");
}

/* Seconds, for tests. */
static void cpu_tiny(struct cell_list *list, const struct grid *grid)
{
    (void)grid;
    for (uint64_t n = 1000; n <= 4000; n *= 2)
        for (uint64_t k = 10; k <= 40; k *= 4)
            for (unsigned threads = 1; threads <= 2; threads++)
                add_choices(list,
                            (struct cell){.n = n, .k = k, .m = 2, .threads = threads, .warm = true},
                            some_k_b, 2);
    for (uint64_t n = 4096; n <= 8192; n *= 2)
        contiguous_buckets(list, n, 2);
}

const struct grid cpu_grids[] = {
    {"cpu-small", TASK_TWO_STAGE,
     "both stages, stage 1 and exact top-k over n, k, b, k_b: five minutes", cpu_small},
    {"cpu-calibrate", TASK_TWO_STAGE, "what bench --calibrate measures: two minutes",
     cpu_calibrate},
    {"cpu-types", TASK_TWO_STAGE, "every type, and every kind of input", types_and_inputs},
    {"cpu-tiny", TASK_TWO_STAGE, "a few short rows, for a test of the bench", cpu_tiny},
    {"cpu-targets", TASK_EXACT, "exact top-k beside stage 1 and both stages, n = 2^20 and 2^24",
     cpu_targets},
    {"cpu-levels", TASK_STAGE1, "the roof from the first-level cache to memory, by threads",
     cpu_levels},
    {"samaga-2", TASK_TWO_STAGE, "Samaga et al., Table 2: n = 262144, k = 1024, m = 8, by stages",
     samaga_2},
    {NULL, TASK_EXACT, NULL, NULL},
};
