/* bench_rates.c - the rate of vector operations, as Samaga et al. measure that of a TPU (A.1, their
 * Figure 4): programs of a growing number of additions or multiplications on s32[4096, 4096]. The
 * slope of time by operations, where these decide, is the rate.
 *
 *   fibonacci       x, y = y, x + y   n additions for an element of x and one of y
 *   exponentiation  x = x x           n multiplications for an element
 *   chain           one element, each addition waits for the one before: a clock each
 *
 * CSV, for each instruction set: CPU seconds of the one thread, the least of some rounds in turns,
 * because the machine may be shared. A result that is not that of plain C ends it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <base/clock.h>
#include <base/memory.h>

enum { ROUNDS = 7, COUNT = 4096 * 4096 };
static const unsigned steps[] = {8,   16,  32,  64,  96,  128,  192,  256,
                                 384, 512, 640, 768, 896, 1024, 1536, 2048};
enum { STEPS = sizeof steps / sizeof *steps };

static uint32_t *x, *y, *out;

/* As many chains at once as there are registers for. */
#define EACH_8(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define EACH_16(DO) EACH_8(DO) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)
#define LOAD_X(j) vector a##j = *(const vector *)(x + i + j * lanes);
#define LOAD_Y(j) vector b##j = *(const vector *)(y + i + j * lanes);
#define ADD(j) a##j += b##j;
#define ADD_TO_Y(j) b##j += a##j;
#define SQUARE(j) a##j *= a##j;
#define STORE_X(j) *(vector *)(out + i + j * lanes) = a##j;
#define STORE_Y(j) *(vector *)(out + i + j * lanes) = b##j;

/* The two programs for so many vectors of so many bytes; n is even. */
#define PROGRAMS(NAME, BYTES, CHAINS, TARGET) \
    TARGET static void NAME##_fibonacci(unsigned n) \
    { \
        typedef uint32_t vector __attribute__((vector_size(BYTES), may_alias)); \
        enum { lanes = BYTES / 4 }; \
        for (size_t i = 0; i < COUNT; i += CHAINS * lanes) { \
            EACH_##CHAINS(LOAD_X) EACH_##CHAINS(LOAD_Y) for (unsigned s = 0; s < n; s += 2){ \
                EACH_##CHAINS(ADD) EACH_##CHAINS(ADD_TO_Y)} EACH_##CHAINS(STORE_Y) \
        } \
    } \
    TARGET static void NAME##_exponentiation(unsigned n) \
    { \
        typedef uint32_t vector __attribute__((vector_size(BYTES), may_alias)); \
        enum { lanes = BYTES / 4 }; \
        for (size_t i = 0; i < COUNT; i += CHAINS * lanes) { \
            EACH_##CHAINS(LOAD_X) for (unsigned s = 0; s < n; s += 2){ \
                EACH_##CHAINS(SQUARE) EACH_##CHAINS(SQUARE)} EACH_##CHAINS(STORE_X) \
        } \
    }

static uint32_t fibonacci(uint32_t a, uint32_t b, unsigned n)
{
    for (unsigned s = 0; s < n; s++) {
        const uint32_t sum = a + b;
        a = b;
        b = sum;
    }
    return b;
}

static uint32_t exponentiation(uint32_t a, uint32_t b, unsigned n)
{
    (void)b;
    for (unsigned s = 0; s < n; s++)
        a *= a;
    return a;
}

static void chain(unsigned n)
{
    uint64_t a = x[0];
    const uint64_t b = y[0];
    for (size_t i = 0; i < COUNT / 4096; i++)
        for (unsigned s = 0; s < n; s++)
            __asm__ volatile("" : "+r"(a) : "r"(a += b));
    out[0] = (uint32_t)a;
}

#if defined __x86_64__
PROGRAMS(avx512, 64, 16, __attribute__((target("avx512f"))))
PROGRAMS(avx2, 32, 8, __attribute__((target("avx2"))))
#else
PROGRAMS(generic, 16, 8, )
#endif

static const struct program {
    const char *isa, *name;
    void (*run)(unsigned n);
    uint32_t (*plain)(uint32_t a, uint32_t b, unsigned n); /* NULL: not compared */
    double elements;
} programs[] = {
#if defined __x86_64__
    {"avx512", "fibonacci", avx512_fibonacci, fibonacci, COUNT},
    {"avx512", "exponentiation", avx512_exponentiation, exponentiation, COUNT},
    {"avx2", "fibonacci", avx2_fibonacci, fibonacci, COUNT},
    {"avx2", "exponentiation", avx2_exponentiation, exponentiation, COUNT},
#else
    {"generic", "fibonacci", generic_fibonacci, fibonacci, COUNT},
    {"generic", "exponentiation", generic_exponentiation, exponentiation, COUNT},
#endif
    {"scalar", "chain", chain, NULL, COUNT / 4096.0},
};
enum { PROGRAM_COUNT = sizeof programs / sizeof *programs };

static bool runs_here(const struct program *program)
{
#if defined __x86_64__
    if (program->isa[0] == 'a')
        return program->isa[3] == '5' ? __builtin_cpu_supports("avx512f")
                                      : __builtin_cpu_supports("avx2");
#endif
    return program->run;
}

static double seconds_of(const struct program *program, unsigned n)
{
    const double start = clock_thread_seconds();
    program->run(n);
    const double seconds = clock_thread_seconds() - start;
    for (size_t i = 0; i < COUNT && program->plain; i += 65537)
        if (out[i] != program->plain(x[i], y[i], n)) {
            fprintf(stderr, "bench_rates: %s %s of %u: element %zu is wrong\n", program->isa,
                    program->name, n, i);
            exit(1);
        }
    return seconds;
}

int main(void)
{
    static double least[PROGRAM_COUNT][STEPS];
    uint32_t **const arrays[] = {&x, &y, &out};
    for (size_t j = 0; j < 3; j++) {
        *arrays[j] = require_memory(aligned_alloc(64, COUNT * sizeof **arrays[j]));
        for (size_t i = 0; i < COUNT; i++)
            (*arrays[j])[i] = (uint32_t)(i * 2654435761u + j) | 1;
    }
    for (int round = 0; round < ROUNDS; round++)
        for (size_t p = 0; p < PROGRAM_COUNT; p++)
            for (size_t s = 0; s < STEPS && runs_here(&programs[p]); s++) {
                const double seconds = seconds_of(&programs[p], steps[s]);
                if (round == 0 || seconds < least[p][s])
                    least[p][s] = seconds;
            }
    printf("isa,program,operations,time_us\n");
    for (size_t p = 0; p < PROGRAM_COUNT; p++)
        for (size_t s = 0; s < STEPS && runs_here(&programs[p]); s++)
            printf("%s,%s,%.0f,%.6g\n", programs[p].isa, programs[p].name,
                   programs[p].elements * steps[s], 1e6 * least[p][s]);
    return 0;
}
