/* bench_simulate.c - how long simulated rows take, against named alternatives in the same run.
 *
 *   (a) AR(1) rows at n = 2048, k = 256, four k_b, two assignments, one thread: against
 * gsl_ran_gaussian_ziggurat drawing as many normal values and doing nothing with them; (b)
 * placement at n = 2^20, k = 2^10: against a full random permutation of n by gsl_ran_shuffle, as
 * Key et al. simulate; (c) both with 1, 2, 4, .. threads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sim/simulate.h>

#include "bench.h"

enum { ROWS = 2000, PLACEMENTS = 4000, N = 2048 };

static gsl_rng *rng;
static const double rho = 0.5;
static const enum sim_shuffle shuffle = SIM_SHUFFLE_NONE;
static const struct sim_shape ar1_shapes[] = {{256, 1, 0}, {128, 2, 0}, {64, 4, 0}, {32, 8, 0},
                                              {256, 1, 1}, {128, 2, 1}, {64, 4, 1}, {32, 8, 1}};
static const struct sim_shape placement_shape = {1024, 1, 0};

static double simulate(const struct sim_spec *spec)
{
    char error[200];
    struct simulation *simulation = simulation_new(spec, MESSAGE(error));
    if (!simulation || simulation_run(simulation, NULL, NULL, MESSAGE(error)) != 0) {
        fprintf(stderr, "%s\n", error);
        exit(EXIT_FAILURE);
    }
    double recall = simulation_result(simulation, 0, 0, 0).recall_mean;
    simulation_free(simulation);
    return recall;
}

static struct sim_spec ar1(unsigned threads)
{
    return (struct sim_spec){.n = N,
                             .k = 256,
                             .valid = N,
                             .input = SIM_AR1,
                             .rho = &rho,
                             .rhos = 1,
                             .shuffle = &shuffle,
                             .shuffles = 1,
                             .shape = ar1_shapes,
                             .shapes = sizeof ar1_shapes / sizeof *ar1_shapes,
                             .seed = 1,
                             .repetitions = ROWS,
                             .threads = threads};
}

static struct sim_spec placement(unsigned threads)
{
    return (struct sim_spec){.n = 1 << 20,
                             .k = 1 << 10,
                             .valid = 1 << 20,
                             .input = SIM_PLACEMENT,
                             .rho = &rho,
                             .rhos = 1,
                             .shuffle = &shuffle,
                             .shuffles = 1,
                             .shape = &placement_shape,
                             .shapes = 1,
                             .seed = 1,
                             .repetitions = PLACEMENTS,
                             .threads = threads};
}

static double normals(void)
{
    double sum = 0.0;
    for (int i = 0; i < ROWS * N; i++)
        sum += gsl_ran_gaussian_ziggurat(rng, 1.0);
    return sum;
}

/* One repetition as Key et al.: permute 0 .. n - 1, count the values below k in each of b runs, at
 * most k_b of each. */
static double permutation(void)
{
    enum { LENGTH = 1 << 20, K = 1 << 10, B = 1024 };
    static unsigned values[LENGTH];
    unsigned kept = 0;
    for (unsigned i = 0; i < LENGTH; i++)
        values[i] = i;
    gsl_ran_shuffle(rng, values, LENGTH, sizeof *values);
    for (unsigned bucket = 0; bucket < B; bucket++) {
        unsigned count = 0;
        for (unsigned i = 0; i < LENGTH / B; i++)
            count += values[bucket * (LENGTH / B) + i] < K;
        kept += count > 0;
    }
    return kept / (double)K;
}

int main(void)
{
    rng = gsl_rng_alloc(gsl_rng_mt19937);
    struct sim_spec rows = ar1(1), places = placement(1);
    double ziggurat_us = BENCH_NS(normals()) / ROWS / 1e3,
           row_us = BENCH_NS(simulate(&rows)) / ROWS / 1e3;
    double again_us = BENCH_NS(normals()) / ROWS / 1e3;
    ziggurat_us = ziggurat_us < again_us ? ziggurat_us : again_us;
    printf("simulate, one thread:\n");
    printf("  AR(1) row, n %d, k 256, 8 shapes  %8.1f us  %8.0f rows/s\n", N, row_us, 1e6 / row_us);
    printf("  %d normals, GSL ziggurat        %8.1f us: the row takes %.2f times that\n", N,
           ziggurat_us, row_us / ziggurat_us);
    double place_us = BENCH_NS(simulate(&places)) / PLACEMENTS / 1e3,
           permutation_us = BENCH_NS(permutation()) / 1e3;
    printf("  placement, n 2^20, k 2^10         %8.1f us\n", place_us);
    printf("  permutation of 2^20 and counts    %8.1f us: %.0f times the placement\n",
           permutation_us, permutation_us / place_us);
    rows.reaching = places.reaching = true;
    printf("  with R: the row                   %8.2f times as long, the placement %.2f times\n",
           BENCH_NS(simulate(&rows)) / ROWS / 1e3 / row_us,
           BENCH_NS(simulate(&places)) / PLACEMENTS / 1e3 / place_us);
    rows.reaching = places.reaching = false;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    for (unsigned threads = 1; threads <= (cores > 1 ? (unsigned)cores : 1); threads *= 2) {
        rows.threads = places.threads = threads;
        double many_row_us = BENCH_NS(simulate(&rows)) / ROWS / 1e3,
               many_place_us = BENCH_NS(simulate(&places)) / PLACEMENTS / 1e3;
        printf("  %2u threads                        %8.2f times the rows/s, %.2f times the "
               "placements/s of one\n",
               threads, row_us / many_row_us, place_us / many_place_us);
    }
    gsl_rng_free(rng);
    return 0;
}
