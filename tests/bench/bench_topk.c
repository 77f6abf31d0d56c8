/* bench_topk.c - the time of rcm_top_k and of its stage 1 as a multiple of rcm_top_k_max on the
 * same row, one thread: the two take turns, and the medians of their times are compared. Also that
 * of rcm_top_k_max to a plain loop, and of one thread to two.
 *
 *   bench_topk [ISA ..]    with these instruction sets; without: with the best and with avx2
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/clock.h>
#include <base/memory.h>
#include <base/statistics.h>
#include <topk/topk.h>

enum { ROUNDS = 41 };

static char *x, *workspace, *values, *indices;
static size_t workspace_bytes;

/* Seconds of one run, the mean of as many as take 0.2 ms or so. */
static double seconds(struct rcm_top_k_call *call, int what, unsigned repeat)
{
    double start = clock_seconds();
    for (unsigned i = 0; i < repeat; i++) {
        enum rcm_top_k_status status = what == 0 ? rcm_top_k_max(&call->rows, call->threads, values)
                                       : what == 1
                                           ? rcm_top_k_stage1(call, workspace, workspace_bytes)
                                           : rcm_top_k(call, workspace, workspace_bytes);
        if (status != RCM_TOP_K_OK) {
            fprintf(stderr, "bench_topk: %s\n", rcm_top_k_message(status));
            exit(1);
        }
    }
    return (clock_seconds() - start) / repeat;
}

/* Prints the medians of b, and of b/a, which take turns. */
static void compare(const char *name, struct rcm_top_k_call a, int what_a, struct rcm_top_k_call b,
                    int what_b)
{
    double times[2][ROUNDS], ratio[ROUNDS];
    double once = seconds(&a, what_a, 1);
    unsigned repeat = 1 + (unsigned)(2e-4 / once);
    seconds(&b, what_b, 1);
    for (int i = 0; i < ROUNDS; i++) {
        times[0][i] = seconds(&a, what_a, repeat);
        times[1][i] = seconds(&b, what_b, repeat);
        ratio[i] = times[1][i] / times[0][i];
    }
    for (int i = 0; i < 2; i++)
        qsort(times[i], ROUNDS, sizeof(double), compare_doubles);
    qsort(ratio, ROUNDS, sizeof(double), compare_doubles);
    printf("  %-40s %9.1f us against %9.1f us: %6.2f (%.2f to %.2f)\n", name,
           1e6 * times[1][ROUNDS / 2], 1e6 * times[0][ROUNDS / 2],
           times[1][ROUNDS / 2] / times[0][ROUNDS / 2], ratio[ROUNDS / 4], ratio[3 * ROUNDS / 4]);
    fflush(stdout);
}

static struct rcm_top_k_call call_of(uint64_t n, uint64_t k, enum rcm_top_k_type type)
{
    return (struct rcm_top_k_call){.rows = {.x = x, .m = 1, .n = n, .type = type},
                                   .k = k,
                                   .threads = 1,
                                   .values = values,
                                   .indices = indices};
}

static void stage1(uint64_t n, uint64_t b, uint64_t k_b, enum rcm_assignment assignment)
{
    struct rcm_top_k_call call = call_of(n, 1024, RCM_TOP_K_F32);
    char name[80];
    call.b = b;
    call.k_b = k_b;
    call.assignment = assignment;
    snprintf(name, sizeof name, "stage 1 n 2^%.0f b %" PRIu64 " k_b %" PRIu64 "%s", log2((double)n),
             b, k_b, assignment ? " contiguous" : "");
    compare(name, call, 0, call, 1);
}

static void exact(uint64_t m, uint64_t n, uint64_t k, bool sorted, enum rcm_top_k_type type,
                  const char *note)
{
    struct rcm_top_k_call call = call_of(n, k, type);
    char name[80];
    call.rows.m = m;
    call.sorted = sorted;
    snprintf(name, sizeof name, "exact m %" PRIu64 " n %" PRIu64 " k %" PRIu64 "%s%s", m, n, k,
             sorted ? " sorted" : "", note);
    compare(name, call, 0, call, 2);
}

static float *normal(size_t count)
{
    float *f = (float *)(void *)x;
    uint64_t state = 1;
    for (size_t i = 0; i < count; i += 2) {
        double u[2];
        for (int j = 0; j < 2; j++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            u[j] = ((double)(state >> 11) + 0.5) * 0x1p-53;
        }
        double r = sqrt(-2.0 * log(u[0]));
        f[i] = (float)(r * cos(2.0 * 3.14159265358979 * u[1]));
        f[i + 1] = (float)(r * sin(2.0 * 3.14159265358979 * u[1]));
    }
    return f;
}

static void plain_loop(size_t n)
{
    struct rcm_top_k_call call = call_of(n, 1, RCM_TOP_K_F32);
    double best = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        double s = seconds(&call, 0, 1 + (unsigned)((1 << 20) / n));
        best = s < best ? s : best;
    }
    printf("  max n %zu: %.1f us, %.1f GB/s at best\n", n, 1e6 * best, 4e-9 * (double)n / best);
}

static int compare_floats(const void *a, const void *b)
{
    float p = *(const float *)a, q = *(const float *)b;
    return (p > q) - (p < q);
}

static void adversaries(size_t n, uint64_t k)
{
    float *f = normal(n);
    qsort(f, n, sizeof *f, compare_floats);
    exact(1, n, k, false, RCM_TOP_K_F32, " rising");
    for (size_t i = 0; i < n / 2; i++) {
        float swap = f[i];
        f[i] = f[n - 1 - i];
        f[n - 1 - i] = swap;
    }
    exact(1, n, k, false, RCM_TOP_K_F32, " falling");
    for (size_t i = 0; i < n; i++)
        f[i] = (float)(i * 2654435761u % 7) - 3.0f;
    exact(1, n, k, false, RCM_TOP_K_F32, " seven values");
    for (size_t i = 0; i < n; i++)
        f[i] = i * 2654435761u % 100 < 1 ? (float)i : -INFINITY;
    exact(1, n, k, false, RCM_TOP_K_F32, " 99 % -inf");
    for (size_t i = 0; i < n; i++)
        f[i] = i * 2654435761u % 4096 < 1 ? (float)i : i % 2 ? 0.0f : -0.0f;
    exact(1, n, k, false, RCM_TOP_K_F32, " zeros with signs");
    for (size_t i = 0; i < n; i++)
        f[i] = NAN;
    exact(1, n, k, false, RCM_TOP_K_F32, " NaN");
    for (size_t i = 0; i < n; i++)
        f[i] = 1.0f;
    exact(1, n, k, false, RCM_TOP_K_F32, " all equal");
}

/* ---- a map: stage 1 of every kind of shape, and the worst cells */

enum { MAP_ROUNDS = 7, MAP_KBS = 11, NAME_MOST = 80 };
static const uint64_t map_kbs[MAP_KBS] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 15, 16};

struct worst {
    double ratio;
    char name[NAME_MOST];
};

/* The least that the call took over the least of a maximum of the row. */
static double ratio_of(struct rcm_top_k_call *call, int what)
{
    double least[2] = {INFINITY, INFINITY};
    const double once = seconds(call, what, 1), maximum = seconds(call, 0, 1);
    const unsigned repeat = 1 + (unsigned)(5e-5 / once), more = 1 + (unsigned)(5e-5 / maximum);
    for (int i = 0; i < MAP_ROUNDS; i++) {
        least[0] = fmin(least[0], seconds(call, 0, more));
        least[1] = fmin(least[1], seconds(call, what, repeat));
    }
    return least[1] / least[0];
}

/* One line: all k_b that such buckets can have. */
static void map_line(uint64_t n, enum rcm_top_k_type type, enum rcm_assignment assignment,
                     uint64_t b, struct worst worst[2])
{
    static const char *const types[] = {"f32", "f64", "f16", "bf16", "i8", "i32"};
    struct rcm_top_k_call call = call_of(n, 1, type);
    char name[NAME_MOST - 10];
    call.b = b;
    call.assignment = assignment;
    snprintf(name, sizeof name, "n 2^%.0f %s %s b %" PRIu64, log2((double)n), types[type],
             assignment ? "contiguous" : "interleaved", b);
    printf("  %-40s", name);
    for (unsigned i = 0; i < MAP_KBS && map_kbs[i] <= n / b; i++) {
        call.k_b = map_kbs[i];
        const double ratio = ratio_of(&call, 1);
        struct worst *most = &worst[call.k_b > 4];
        printf(" %5.1f", ratio);
        if (ratio > most->ratio) {
            most->ratio = ratio;
            snprintf(most->name, sizeof most->name, "%s k_b %" PRIu64, name, call.k_b);
        }
    }
    printf("\n");
    fflush(stdout);
}

/* Normal numbers of the type, x 32 and within bounds where it has integers. */
static void normal_of(enum rcm_top_k_type type, size_t count)
{
    const float *f = normal(count);
    for (size_t i = 0; type != RCM_TOP_K_F32 && i < count; i++) {
        const float at = f[i];
        if (type == RCM_TOP_K_I8) {
            x[i] = (char)(int8_t)fmaxf(-127.0f, fminf(127.0f, 32.0f * at));
        } else if (type == RCM_TOP_K_F16) {
            const _Float16 half = (_Float16)at;
            memcpy(x + 2 * i, &half, 2);
        } else {
            uint32_t bits;
            memcpy(&bits, &at, 4);
            bits >>= 16;
            memcpy(x + 2 * i, &bits, 2);
        }
    }
}

static void map_types(uint64_t n, const enum rcm_top_k_type *types, unsigned count)
{
    static const uint64_t few[] = {4, 11, 100, 640, 1000};
    struct worst worst[2] = {{0.0, ""}, {0.0, ""}};
    for (unsigned t = 0; t < count; t++) {
        normal_of(types[t], n);
        for (int assignment = 0; assignment < 2; assignment++) {
            for (unsigned i = 0; i < sizeof few / sizeof *few; i++)
                if (few[i] <= n / 8)
                    map_line(n, types[t], (enum rcm_assignment)assignment, few[i], worst);
            for (uint64_t rows = 1024; rows >= 4; rows /= 4)
                if (n / rows >= 4)
                    map_line(n, types[t], (enum rcm_assignment)assignment, n / rows, worst);
        }
    }
    printf("  worst with k_b up to 4: %.1f (%s); above: %.1f (%s)\n", worst[0].ratio, worst[0].name,
           worst[1].ratio, worst[1].name);
}

static void map_exact(uint64_t n)
{
    normal(n);
    for (uint64_t share = 256; share >= 2; share /= 2) {
        struct rcm_top_k_call call = call_of(n, n / share, RCM_TOP_K_F32);
        const double any = ratio_of(&call, 2);
        call.sorted = true;
        printf("  exact n 2^%.0f k n/%-3" PRIu64 " %5.1f, sorted %5.1f\n", log2((double)n), share,
               any, ratio_of(&call, 2));
    }
}

static void map(void)
{
    static const enum rcm_top_k_type types[] = {RCM_TOP_K_F32, RCM_TOP_K_F16, RCM_TOP_K_BF16,
                                                RCM_TOP_K_I8};
    printf("  stage 1, k_b %38s", "");
    for (unsigned i = 0; i < MAP_KBS; i++)
        printf(" %5" PRIu64, map_kbs[i]);
    printf("\n");
    for (uint64_t n = 1 << 10; n <= UINT64_C(1) << 22; n *= 16)
        map_types(n, types, n < 1 << 20 ? 4 : 2);
    for (uint64_t n = 1 << 10; n <= UINT64_C(1) << 22; n *= 16)
        map_exact(n);
}

static void run(const char *isa, const char *only)
{
    const uint64_t large = UINT64_C(1) << 20, huge = UINT64_C(1) << 24;
    if (!rcm_top_k_use_isa(isa))
        return;
    printf("%s\n", isa);
    if (!only || strchr(only, 'r'))
        for (size_t n = 1 << 12; n <= huge; n *= 16)
            plain_loop(n);
    for (uint64_t n = large; n <= huge; n *= 16)
        if (!only || strchr(only, n == large ? 's' : 'S')) {
            stage1(n, 16384, 1, RCM_INTERLEAVED);
            stage1(n, 4096, 2, RCM_INTERLEAVED);
            stage1(n, 2176, 2, RCM_INTERLEAVED);
            stage1(n, 1024, 4, RCM_INTERLEAVED);
            stage1(n, 640, 4, RCM_INTERLEAVED);
        }
    if (!only || strchr(only, 'k')) {
        stage1(large, 640, 3, RCM_INTERLEAVED);
        stage1(large, 256, 8, RCM_INTERLEAVED);
        stage1(large, 128, 16, RCM_INTERLEAVED);
        stage1(large, 16384, 1, RCM_CONTIGUOUS);
        stage1(large, 1024, 4, RCM_CONTIGUOUS);
    }
    if (!only || strchr(only, 'e')) {
        exact(1, large, 1024, false, RCM_TOP_K_F32, "");
        exact(1, large, 1024, true, RCM_TOP_K_F32, "");
        exact(1, 1 << 17, 50, false, RCM_TOP_K_F32, "");
        exact(1, 1 << 17, 50, true, RCM_TOP_K_F32, "");
        exact(1, huge, 1024, false, RCM_TOP_K_F32, "");
    }
    if (!only || strchr(only, 'm')) {
        exact(64, 4096, 16, true, RCM_TOP_K_F32, "");
        exact(64, 4096, 64, true, RCM_TOP_K_F32, "");
        exact(64, 4096, 512, true, RCM_TOP_K_F32, "");
        exact(1, 1 << 17, 4096, true, RCM_TOP_K_F32, "");
        exact(1, 1 << 17, 1 << 15, false, RCM_TOP_K_F32, "");
    }
    if (!only || strchr(only, 'c'))
        map();
    if (!only || strchr(only, 'a')) {
        adversaries(large, 1024);
        normal(huge);
    }
}

int main(int count, char **names)
{
    x = require_memory(aligned_alloc(64, 80 << 20));
    values = require_memory(aligned_alloc(64, 64 << 20));
    indices = require_memory(aligned_alloc(64, 64 << 20));
    workspace_bytes = (size_t)256 << 20;
    workspace = require_memory(aligned_alloc(64, workspace_bytes));
    normal((size_t)1 << 24);
    printf("Top-k on a CPU, float32, one thread, against the maximum of the same rows; medians of "
           "%d rounds (quartiles of the ratio):\n",
           ROUNDS);
    const char *parts = getenv("PARTS");
    if (count == 1) {
        run(rcm_top_k_isa(0), parts);
        if (strcmp(rcm_top_k_isa(0), "avx2") != 0)
            run("avx2", parts);
    }
    for (int i = 1; i < count; i++)
        run(names[i], parts);
    return 0;
}
