/* routing.h - rows of experts' scores that are drawn: what routing by groups loses, and what
 * rounding and a bias do to the choice.
 *
 * As simulate.h, it uses nothing of model/. Equal scores rank by index, as do equal groups.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_ROUTING_H
#define SIM_ROUTING_H

#include <stdint.h>

#include <sim/rounding.h>

enum sim_scores {
    SIM_SCORES_SIGMOID, /* of a normal logit */
    SIM_SCORES_SOFTMAX, /* exp(logit): the sum over a row changes no choice and no share */
    SIM_SCORES_UNIFORM,
};

/* 1 <= k <= kept size, size divides n, n < 2^20. A logit of standard deviation 0: scores are the
 * normal numbers themselves, and all weights are 1. */
struct sim_routing {
    uint64_t n, k, size, kept, rows;
    enum sim_scores scores;
    double logit_sd;
    const struct rounding *rounding; /* of the logits, and of the scores; NULL: none */
    double bias_sd; /* a normal bias, drawn for each row, is added for the choice; 0: none */
    uint64_t seed;
};

/* A mean over rows, and its standard error. */
struct sim_mean {
    double mean, error;
};

/* The selections that are compared with the k of the largest exact scores without a bias. */
enum { SIM_BY_BEST, SIM_BY_TWO_BEST, SIM_UNGROUPED, SIM_SELECTIONS };

struct sim_routing_means {
    struct sim_mean lost[SIM_SELECTIONS];   /* share of the true top k that is not selected */
    struct sim_mean weight[SIM_SELECTIONS]; /* its weight, by that of all of them: a ratio of sums
                                               over rows */
    /* Rows per expert: the largest over the mean, and the deviation over the mean; of the exact
     * top k, and of what is selected without groups. */
    struct sim_load {
        double largest, variation;
    } exact_load, load;
};

/* Returns 0; -1 if memory runs out. */
int sim_routing(const struct sim_routing *spec, struct sim_routing_means *means);

#endif
