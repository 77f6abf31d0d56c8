/* simulate.h - runs bucketed top-k on random placements, generated rows or the rows of a file, and
 * counts what it loses.
 *
 * This is the independent check of the models: it uses nothing of model/. For each row it finds the
 * exact top-k. Of the X top-k elements in a bucket stage 1 keeps the min(X, k_b) largest, so one
 * pass over a row serves every shape. Equal values rank by index, smaller first. NaN and -inf rank
 * below all other values and are never missed.
 *
 * The same spec gives the same bits, for any number of threads and ranks, and also after an
 * interruption.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMULATE_H
#define SIMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <base/watch.h>
#include <sim/selection/assignment.h>
#include <sim/rows/rope.h>
#include <sim/rows/row.h>
#include <sim/rows/row_file.h>
#include <sim/rows/row_groups.h>
#include <sim/rows/row_look.h>

struct sim_shape {
    uint64_t b, k_b;
    enum sim_assignment assignment;
};

/* What to simulate. For SIM_PLACEMENT n < 2^53 and k < 2^32; for rows n < 2^32; b <= 2^28 for both.
 * The caller keeps what the pointers point to. */
struct sim_spec {
    uint64_t n, k;
    /* Only the first `valid` elements of a row exist; the padding behind them ranks below
     * everything. k <= valid <= n. */
    uint64_t valid;
    /* Rows of different lengths, each at most n: those of the rows of SIM_FILE; of other inputs
     * each row draws one. A row of at most k elements comes back whole. `valid` is then the
     * longest, or k if that is more. Without ranks, reaching, deal and shuffles. NULL: all rows
     * have `valid`. */
    const uint64_t *length;
    size_t lengths;
    enum sim_input input;
    /* For SIM_FILE. Its `row` is n, and it has at least `repetitions` rows. */
    const struct row_file *file;
    /* The groups of the rows of a file, at least `repetitions` rows; NULL: rows are independent. */
    const struct row_groups *groups;
    /* Each in [0, 1). Without sim_input_has_rho() there is one, and it is not used. */
    const double *rho;
    size_t rhos;
    const enum sim_shuffle *shuffle; /* for SIM_PLACEMENT only SIM_SHUFFLE_NONE */
    size_t shuffles;
    uint64_t deal; /* interleaved buckets get so many neighbours at a time; 0 is 1. Above 1, deal b
                      divides n for each shape, and valid is n */
    const struct sim_shape *shape; /* each with 1 <= b <= n and 1 <= k_b */
    size_t shapes;
    const uint64_t *rank; /* ranks whose survival is counted: rising, each in 1 .. k */
    size_t ranks;
    bool reaching;      /* also count R, which looks at more of a row if something is lost */
    bool weights;       /* also measure softmax mass and value; not for SIM_PLACEMENT */
    double temperature; /* of the softmax, > 0 */
    bool probabilities; /* elements are probabilities and no scores: enum sim_weights */
    uint64_t seed, repetitions;
    unsigned threads;            /* 0: all */
    const char *checkpoint;      /* a path, or NULL */
    double checkpoint_seconds;   /* from one checkpoint to the next; 0: 2 s */
    const char *name;            /* what the checkpoint calls the file of rows, or NULL */
    const struct sim_rope *rope; /* for SIM_ROPE; NULL: sim_rope_default */
};

#define SIM_B_MAX (UINT64_C(1) << 28)
#define SIM_RESULTS_MAX 100000

struct simulation;

/* Says in one line which of the limits above the spec exceeds, and what to do. Returns NULL if it
 * exceeds none. */
const char *simulation_limit(const struct sim_spec *spec);

/* The bytes that simulation_new() would allocate for a spec within the limits. Not included are two
 * things that grow later: the counts of rows by what they lost, and the memory in which R sorts. */
double simulation_bytes(const struct sim_spec *spec);

/* Returns NULL with one line in `error` if memory runs out or a limit is exceeded. */
struct simulation *simulation_new(const struct sim_spec *spec, struct message error);
void simulation_free(struct simulation *simulation);

/* Runs the repetitions that have not been done yet, on all ranks of the team. Each rank calls
 * stop() between blocks of repetitions, with those that all ranks have done (NULL: nobody watches).
 * With a checkpoint it continues from the file if there is one, and writes it at the start, every
 * two seconds and at the end. The results are on rank 0 only.
 * Returns 0. Otherwise one line is in `error`, and it returns 1 if the checkpoint could not be
 * written: the run has stopped, and what is done stands; -1 if there are no results; SIM_REFUSED if
 * the checkpoint that exists is damaged, belongs to another simulation or cannot be read: nothing
 * was done, and the file was left alone. */
#define SIM_REFUSED (-2)
int simulation_run(struct simulation *simulation, watch_stop *stop, void *context,
                   struct message error);

/* Where the result for one rho, shuffle and shape stands in a list of all results. */
static inline size_t sim_result_index(const struct sim_spec *spec, size_t rho, size_t shuffle,
                                      size_t shape)
{
    return (rho * spec->shuffles + shuffle) * spec->shapes + shape;
}

/* How many repetitions have been done: the first ones, without a gap. */
uint64_t simulation_done(const struct simulation *simulation);

/* How many elements rows lost, by rank: count[i] rows lost first + i of their top-k. A row of this
 * shape can lose at most `most`. */
struct sim_lost {
    uint64_t first;
    size_t length;
    const uint64_t *count; /* valid until the simulation is freed */
    uint64_t most;
};

/* The result for one rho, shuffle and shape. Shares are in [0, 1]; what is not known is NaN. */
struct sim_result {
    uint64_t rows;
    double recall_mean, recall_sd, recall_stderr; /* the sd over rows, with rows - 1 */
    /* The smallest recall of a row, and quantiles: recall_p05 is the smallest recall that at least
     * 5 % of the rows do not exceed. */
    double recall_worst, recall_p01, recall_p05, recall_p50;
    double recall_value_mean; /* of equal values any one will do */
    double exact_rows;        /* the share of rows that lost nothing */
    /* The share of rows with at least k kept values >= the largest (k_b + 1)-th value of any
     * bucket. */
    double certified_rows;
    double mass_mean, mass_worst; /* the share kept of the softmax mass of the exact top-k */
    /* The share kept of the sum of the exact top-k, over the `value_rows` rows whose top-k has no
     * negative and no infinite value and is not all 0. */
    double value_mean, value_worst;
    uint64_t value_rows;
    /* R is the number of elements that are at least as large as the k-th largest candidate. Of
     * elements that are equal to it, R counts those that rank no later, and NaN and -inf rank as
     * above: R is the rank of the candidate in its row. `worst` is the largest R of a row. NaN if
     * fewer than k candidates are kept. */
    double reaching_mean, reaching_sd, reaching_worst;
    const uint64_t *survived; /* for each rank of the spec: the rows in which it survived */
    struct sim_lost lost;
};
struct sim_result simulation_result(const struct simulation *simulation, size_t rho, size_t shuffle,
                                    size_t shape);

/* A lower bound on the expected recall, from the rows that were measured. If each of `comparisons`
 * results is bounded so, all bounds hold at once with the confidence 1 - alpha (Bonferroni). The
 * bound assumes that the rows are independent and have the same distribution. Of what a row loses
 * it assumes only that it is in [0, lost->most], so it holds for any number of rows, however rare
 * and large the losses are.
 * Domain   0 < alpha < 1, 1 <= comparisons, lost->first + lost->length <= lost->most + 1 <= k + 1.
 *          Otherwise, and without rows, NaN.
 * Returns  at least 1 - lost->most / k, at most the measured mean. If no row lost anything, at
 *          least 1 - (1 - (alpha / (2 comparisons))^(1/rows)) lost->most / k, less 1e-9.
 * Accuracy rounded down, by at most 1e-9 lost->most / k.
 * Source   docs/simulation.md 2. */
double sim_recall_lower(const struct sim_lost *lost, uint64_t k, double alpha, size_t comparisons);

/* What the rows of one group lost: `lost` of their top-k in all, by rank. */
struct sim_group_lost {
    uint64_t rows, lost;
};

/* The same bound where rows come in groups that are independent of each other, while rows of one
 * group may be alike in any way. The numbers of rows in the groups are taken as given. It is a
 * bound on the expected recall over the rows of new groups of these sizes, and so, with groups of
 * one size, on the expected recall of a new group. A single new group may have less.
 *
 * Domain   lost <= most rows, most <= k, 0 < alpha < 1, 1 <= comparisons. Groups without rows are
 *          left out. Otherwise, and below SIM_GROUPS_FEWEST groups, NaN: so few promise nothing.
 *
 * Returns  at least 1 - most / k, at most the mean over rows. With groups of one row each it is
 *          sim_recall_lower().
 *
 * Source   docs/simulation.md, "Groups". */
#define SIM_GROUPS_FEWEST 5
double sim_recall_lower_groups(const struct sim_group_lost *group, size_t groups, uint64_t most,
                               uint64_t k, double alpha, size_t comparisons);

/* The mean recall over the rows of groups that are independent of each other, its standard error
 * from the scatter of the groups, and Student's interval with the confidence 1 - alpha, with
 * groups - 1 degrees of freedom, cut to [0, 1]. Its ends are bounds to one side with 1 - alpha/2.
 *
 * Domain   k >= 1. Groups without rows are left out.
 *
 * Returns  NaN for what is not known: the mean without rows, the error below two groups; the
 *          interval outside 0 < alpha < 1, below SIM_GROUPS_FEWEST groups and where groups do not
 *          differ, because there they say nothing of others; all if memory runs out.
 *
 * Assumes  for the interval, that the recalls of groups are near normal, and groups of one size.
 *
 * Source   docs/simulation.md, "Groups". */
struct sim_over_groups {
    size_t groups; /* those with rows */
    double recall_mean, recall_se, recall_low, recall_high;
};
struct sim_over_groups sim_over_groups(const struct sim_group_lost *group, size_t groups,
                                       uint64_t k, double alpha);

/* The fewest rows for which that bound reaches a recall of 1 - loss if none of them loses anything.
 * `most` is the share that a row can lose. Half of alpha is spent on the stake 1, which decides
 * here.
 *
 * Domain   0 <= most, loss <= 1, 0 < alpha < 1.
 *
 * Returns  infinity for loss = 0 < most.
 *
 * Source   docs/simulation.md 2. */
double sim_rows_needed(double most, double loss, double alpha);

/* About the rows of one rho. */
struct sim_rows {
    uint64_t rows, with_nan;
    uint64_t short_rows;   /* rows with fewer than k values above -inf */
    double topk_mass_mean; /* the share of a row's softmax mass that its exact top-k has */
};
struct sim_rows simulation_rows(const struct simulation *simulation, size_t rho);

/* What the rows of one group kept, for one result. Without rows the means are NaN. */
struct sim_group {
    struct sim_group_lost lost;
    double recall_mean, mass_mean; /* mass_mean is NaN, too, if no row has a softmax mass */
};

/* The number of groups of the spec, and one of them: 0 <= group < that. A run that was stopped may
 * have groups without rows. */
size_t simulation_groups(const struct simulation *simulation);
struct sim_group simulation_group(const struct simulation *simulation, size_t rho, size_t shuffle,
                                  size_t shape, size_t group);

#endif
