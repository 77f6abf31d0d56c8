/* bench.h - measures the time of a call.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>

#include <base/clock.h>

#ifndef BENCH_CLOCK
#define BENCH_CLOCK clock_seconds
#endif

/* Median of 9 rounds of at least 20 ms each, because the machine may be shared. CALL is an
 * expression of type double. */
#define BENCH_NS(CALL) \
    ({ \
        double bench_rounds[9]; \
        volatile double bench_sink = 0.0; \
        uint64_t bench_calls = 1; \
        for (int bench_i = -1; bench_i < 9; bench_i++) { \
            double bench_took; \
            for (;;) { \
                double bench_start = BENCH_CLOCK(); \
                for (uint64_t bench_c = 0; bench_c < bench_calls; bench_c++) \
                    bench_sink = bench_sink + (CALL); \
                bench_took = BENCH_CLOCK() - bench_start; \
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
