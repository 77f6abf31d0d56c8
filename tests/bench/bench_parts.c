/* bench_parts.c - how long the model of a row in parts takes, and the merge of what they sent.
 *
 * (a) The probabilities of rows with few and with many parts, and what these must send.
 *
 * (b) The merge of 8 parts of 336 float32, k = 2048, with positions and the proof, beside
 * numpy.argpartition of the 16384 that 8 parts send with full k (where there is NumPy), in one run.
 *
 * Times are CPU time of the one thread.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <model/recallmodel.h>
#include <topk/topk.h>

#define BENCH_CLOCK clock_thread_seconds
#include "bench.h"

enum { MANY = 10000, PARTS = 8, SEND = 336, K = 2048 };

static uint64_t state = 1;

static uint64_t next_random(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 33;
}

/* ---- (a) */

static void print_row(const char *name, struct rcm_parts p)
{
    struct rcm_part *chosen = malloc((p.length + 1) * sizeof *chosen);
    memcpy(chosen, p.of, p.length * sizeof *chosen);
    printf("%-34s loss %8.3f ms, lost %8.3f, not proved %8.3f, sd %8.3f, least equal %8.1f\n", name,
           1e-6 * BENCH_NS(rcm_parts_loss(p)), 1e-6 * BENCH_NS(rcm_parts_probability_lost(p)),
           1e-6 * BENCH_NS(rcm_parts_probability_unproved(p)), 1e-6 * BENCH_NS(rcm_parts_sd(p)),
           1e-6 * BENCH_NS((double)rcm_parts_choose(p.k, chosen, p.length, RCM_PARTS_LOST, 1e-6,
                                                    RCM_PARTS_EQUAL)));
    free(chosen);
}

static void print_model(void)
{
    static struct rcm_part of[MANY];
    const struct rcm_part eight = {1000000000 / 8, 1400, 8};
    print_row("8 equal parts, n = 1e9, k = 1e4", (struct rcm_parts){10000, &eight, 1});
    for (uint64_t k = 10000; k <= 1000000; k *= 100) {
        for (size_t i = 0; i < MANY; i++) {
            const uint64_t size = 1000 + next_random() % 200000;
            const double mean = (double)k * (double)size / (101000.0 * MANY);
            of[i] = (struct rcm_part){size, (uint64_t)(mean + 5.0 * sqrt(mean) + 3.0), 1};
        }
        char name[60];
        snprintf(name, sizeof name, "10^4 sizes, n about 1e9, k = %" PRIu64, k);
        print_row(name, (struct rcm_parts){k, of, MANY});
    }
}

/* ---- (b) */

static int larger_first(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x > y ? -1 : x < y;
}

static double merge_once(const struct rcm_top_k_merge_call *call, void *workspace, size_t bytes)
{
    uint64_t unproved;
    return (double)rcm_top_k_merge(call, workspace, bytes, &unproved) + (double)unproved;
}

static void print_merge(void)
{
    static float values[PARTS][SEND], out[K];
    static int32_t positions[PARTS][SEND], indices[K];
    static bool unproved[PARTS];
    struct rcm_top_k_part parts[PARTS];
    for (size_t p = 0; p < PARTS; p++) {
        for (size_t i = 0; i < SEND; i++) {
            values[p][i] = (float)next_random();
            positions[p][i] = (int32_t)(i * PARTS + p);
        }
        qsort(values[p], SEND, sizeof(float), larger_first);
        parts[p] = (struct rcm_top_k_part){values[p], positions[p], SEND, false};
    }
    const struct rcm_top_k_merge_call call = {.parts = parts,
                                              .length = PARTS,
                                              .m = 1,
                                              .k = K,
                                              .type = RCM_TOP_K_F32,
                                              .by_position = true,
                                              .values = out,
                                              .indices = indices,
                                              .unproved = unproved};
    size_t bytes;
    if (rcm_top_k_merge_workspace(&call, &bytes) != RCM_TOP_K_OK)
        return;
    void *workspace = aligned_alloc(64, (bytes + 127) / 64 * 64);
    const double ours = 1e-3 * BENCH_NS(merge_once(&call, workspace, bytes));
    free(workspace);
    FILE *numpy = popen("python3 tests/bench/argpartition.py 16384 2048 2>/dev/null || "
                        "/usr/bin/python3 tests/bench/argpartition.py 16384 2048 2>/dev/null",
                        "r");
    double theirs = NAN;
    if (!numpy || fscanf(numpy, "%lf", &theirs) != 1)
        fputs("NumPy: not available (Debian: python3-numpy)\n", stderr);
    if (numpy)
        pclose(numpy);
    printf("merge of 8 x 336, k = 2048, sorted and proved: %.1f us; numpy.argpartition of 16384: "
           "%.1f us, %.2f times as long\n",
           ours, theirs, theirs / ours);
}

int main(void)
{
    print_model();
    print_merge();
    return 0;
}
