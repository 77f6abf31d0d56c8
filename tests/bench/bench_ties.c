/* bench_ties.c - what it costs that stage 1 takes the first of equal elements, on a CPU.
 *
 * A row of 2^18 float32, 1024 interleaved buckets, k_b = 1, in plain loops that the compiler makes
 * vectors of: maxima without positions; with positions, the last of equal ones; the first of equal
 * ones, which is > in place of >=; and keys of 64 bits, the position inverted below the value.
 * Times are CPU time of the one thread.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BENCH_CLOCK clock_thread_seconds
#include "bench.h"

enum { N = 1 << 18, B = 1024 };

static float x[N], value[B];
static int32_t place[B];
static uint64_t key[B];

static double values_alone(void)
{
    memcpy(value, x, sizeof value);
    for (int i = B; i < N; i += B)
        for (int j = 0; j < B; j++)
            value[j] = x[i + j] > value[j] ? x[i + j] : value[j];
    return (double)value[0];
}

static void begin(void)
{
    memcpy(value, x, sizeof value);
    for (int j = 0; j < B; j++)
        place[j] = j;
}

static double last_of_equal(void)
{
    begin();
    for (int i = B; i < N; i += B)
        for (int j = 0; j < B; j++) {
            const int better = x[i + j] >= value[j];
            value[j] = better ? x[i + j] : value[j];
            place[j] = better ? i + j : place[j];
        }
    return (double)place[0];
}

static double first_of_equal(void)
{
    begin();
    for (int i = B; i < N; i += B)
        for (int j = 0; j < B; j++) {
            const int better = x[i + j] > value[j];
            value[j] = better ? x[i + j] : value[j];
            place[j] = better ? i + j : place[j];
        }
    return (double)place[0];
}

static double keys(void)
{
    memset(key, 0, sizeof key);
    for (int i = 0; i < N; i += B)
        for (int j = 0; j < B; j++) {
            uint32_t bits;
            memcpy(&bits, &x[i + j], sizeof bits);
            bits ^= bits >> 31 ? 0xffffffffu : 0x80000000u;
            const uint64_t here = (uint64_t)bits << 32 | (uint32_t) ~(i + j);
            key[j] = here > key[j] ? here : key[j];
        }
    return (double)key[0];
}

int main(void)
{
    uint64_t state = 1;
    for (int i = 0; i < N; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        x[i] = (float)(state >> 40) / 0x1p24f;
    }
    const double alone = BENCH_NS(values_alone()), last = BENCH_NS(last_of_equal()),
                 first = BENCH_NS(first_of_equal()), packed = BENCH_NS(keys());
    printf(
        "2^18 float32, 1024 buckets: values %.1f us; with positions %.1f, the first of equal ones "
        "%.1f (%.2f times), 64-bit keys %.1f (%.2f)\n",
        1e-3 * alone, 1e-3 * last, 1e-3 * first, first / last, 1e-3 * packed, packed / last);
    return 0;
}
