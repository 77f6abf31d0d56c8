/* bench.h - time of a call, and the shapes that are timed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>
#include <time.h>

static inline double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Median of 9 rounds of at least 20 ms each: the machine is shared. CALL is an expression of type
 * double. */
#define BENCH_NS(CALL) \
    ({ \
        double bench_rounds[9]; \
        volatile double bench_sink = 0.0; \
        uint64_t bench_calls = 1; \
        for (int bench_i = -1; bench_i < 9; bench_i++) { \
            double bench_took; \
            for (;;) { \
                double bench_start = bench_seconds(); \
                for (uint64_t bench_c = 0; bench_c < bench_calls; bench_c++) \
                    bench_sink = bench_sink + (CALL); \
                bench_took = bench_seconds() - bench_start; \
                if (bench_took >= 0.02 || bench_i >= 0) \
                    break; \
                bench_calls *= 2; \
            } \
            if (bench_i >= 0) { \
                int bench_j = bench_i; \
                double bench_ns = 1e9 * bench_took / (double)bench_calls; \
                for (; bench_j > 0 && bench_rounds[bench_j - 1] > bench_ns; bench_j--) \
                    bench_rounds[bench_j] = bench_rounds[bench_j - 1]; \
                bench_rounds[bench_j] = bench_ns; \
            } \
        } \
        (void)bench_sink; \
        bench_rounds[4]; \
    })

#endif
