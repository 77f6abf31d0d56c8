/* simulate.h - bucketed top-k, run: on random placements, generated rows or rows of a file, and
 * what it loses.
 *
 * The independent check of the models: nothing of model/ is used here. For each row the exact top-k
 * is found; stage 1 keeps of each bucket the min(count, k_b) largest of the top-k elements in it,
 * so that one pass over a row serves every shape. Equal values rank by index, smaller first. NaN
 * and -inf rank below all others and are never missed.
 *
 * Same spec, same bits: for any number of threads and ranks, whether it was interrupted and
 * continued or not.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMULATE_H
#define SIMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assignment.h"
#include "row.h"
#include "row_file.h"

struct sim_shape {
    uint64_t b, k_b;
    enum sim_assignment assignment;
};

/* What to simulate. Placement: n < 2^53, k < 2^32; rows: n < 2^32; b <= 2^28 for both. The caller
 * keeps what is pointed to. */
struct sim_spec {
    uint64_t n, k;
    uint64_t valid; /* only the first `valid` elements exist, the rest is below everything; k <=
                       valid <= n */
    enum sim_input input;
    const struct row_file
        *file;         /* SIM_FILE; its `row` is n, and it has at least `repetitions` rows */
    const double *rho; /* each in [0, 1); one, of no meaning, if not SIM_AR1 */
    size_t rhos;
    const enum sim_shuffle *shuffle; /* with SIM_PLACEMENT: one, SIM_SHUFFLE_NONE */
    size_t shuffles;
    const struct sim_shape *shape; /* each 1 <= b <= n, 1 <= k_b */
    size_t shapes;
    const uint64_t *rank; /* ranks whose survival is counted: rising, each in 1 .. k */
    size_t ranks;
    bool reaching;      /* also R, which looks at more of a row where something is lost */
    bool weights;       /* also softmax mass and value; not with SIM_PLACEMENT */
    double temperature; /* of the softmax, > 0 */
    uint64_t seed, repetitions;
    unsigned threads;          /* 0: all */
    const char *checkpoint;    /* path, or NULL */
    double checkpoint_seconds; /* between two of them; 0: 2 s */
    const char *name;          /* of the file of rows, as the checkpoint calls it, or NULL */
};

#define SIM_B_MAX (UINT64_C(1) << 28)
#define SIM_RESULTS_MAX 100000

/* Called between blocks, on each rank, with the repetitions done by all; returns true to stop. */
typedef bool sim_tick(void *context, uint64_t done, uint64_t total);

struct simulation;

/* What of the spec is beyond the limits above, with the mend; NULL if nothing is. */
const char *simulation_limit(const struct sim_spec *spec);

/* Bytes that simulation_new() would allocate for a spec within the limits. What grows later, the
 * counts of rows by what they lost and what R sorts, is not in it. */
double simulation_bytes(const struct sim_spec *spec);

/* Returns NULL with one line in `error` where memory runs out or a limit is exceeded. */
struct simulation *simulation_new(const struct sim_spec *spec, char *error, size_t size);
void simulation_free(struct simulation *simulation);

/* Runs what is left, on all ranks of the team. With a checkpoint: continues from it, writes it at
 * the start, every two seconds and at the end. Returns 0; 1 with one line in `error` when the
 * checkpoint could not be written: it has stopped, and what is done stands; -1 with one line when
 * there are no results, SIM_REFUSED with one line where the checkpoint that is there is damaged, of
 * another simulation or unreadable: nothing was done, and it is left alone. Results are on rank 0
 * only. */
#define SIM_REFUSED (-2)
int simulation_run(struct simulation *simulation, sim_tick *tick, void *context, char *error,
                   size_t size);

/* Repetitions done, from 0 on without a gap. */
uint64_t simulation_done(const struct simulation *simulation);

/* What rows lost, by rank: count[i] rows lost first + i elements. A row loses at most `most`. */
struct sim_lost {
    uint64_t first;
    size_t length;
    const uint64_t *count; /* of the simulation, until it is freed */
    uint64_t most;
};

/* Of one (rho, shuffle, shape). Shares are in [0, 1]; what is not known is NaN.
 *
 * reaching: R, the rank in its row of the k-th largest candidate, NaNs and -inf ranked as above;
 * worst is the largest. As many elements reach the candidate as a threshold, if none that is equal
 * to it has a later rank. NaN where fewer than k candidates are kept. */
struct sim_result {
    uint64_t rows;
    double recall_mean, recall_sd, recall_stderr; /* sd over rows with rows - 1 */
    double recall_worst, recall_p01, recall_p05,
        recall_p50; /* p05: the smallest recall that at least 5 % of the rows do not exceed */
    double recall_value_mean; /* of equal values any will do */
    double exact_rows;        /* share of rows that lost nothing */
    double certified_rows; /* share of rows with at least k kept values >= the largest (k_b + 1)-th
                              value of any bucket */
    double mass_mean, mass_worst; /* share kept of the softmax mass of the exact top-k */
    double value_mean,
        value_worst;     /* share kept of its sum, over rows where no value in it is negative */
    uint64_t value_rows; /* those rows */
    double reaching_mean, reaching_sd, reaching_worst;
    const uint64_t *survived; /* for each rank of the spec: rows in which it survived */
    struct sim_lost lost;
};
struct sim_result simulation_result(const struct simulation *simulation, size_t rho, size_t shuffle,
                                    size_t shape);

/* A lower bound on the expected recall, from the rows measured: for each of `comparisons` results
 * that is looked at, so that with the confidence 1 - alpha all of them hold at once (Bonferroni).
 * It assumes that the rows are independent and alike, and of what a row loses only that it is in
 * [0, lost->most]: so it holds for any number of rows, however rare and large the losses are.
 * Domain   0 < alpha < 1, 1 <= comparisons, lost->first + lost->length <= lost->most + 1 <= k + 1.
 *          Otherwise, and without rows, NaN.
 * Returns  at least 1 - lost->most / k, at most the measured mean. Where no row lost anything at
 *          least 1 - (1 - (alpha / (2 comparisons))^(1/rows)) lost->most / k, less 1e-9.
 * Accuracy rounded down, by at most 1e-9 lost->most / k.
 * Source   docs/simulation.md 2. */
double sim_recall_lower(const struct sim_lost *lost, uint64_t k, double alpha, size_t comparisons);

/* The fewest rows for which that bound reaches a recall of 1 - loss where none of them loses
 * anything: rows that may lose a share `most` each, by the half of alpha that is on the whole
 * stake. Infinite for loss = 0 < most. 0 <= most, loss <= 1, 0 < alpha < 1. */
double sim_rows_needed(double most, double loss, double alpha);

/* Of the rows of one rho. */
struct sim_rows {
    uint64_t rows, with_nan;
    uint64_t short_rows;   /* with fewer than k values above -inf */
    double topk_mass_mean; /* share of the row's softmax mass that the exact top-k has */
};
struct sim_rows simulation_rows(const struct simulation *simulation, size_t rho);

#endif
