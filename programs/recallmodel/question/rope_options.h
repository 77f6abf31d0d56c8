/* rope_options.h - the options that describe rotary position embedding, of simulate and select.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ROPE_OPTIONS_H
#define ROPE_OPTIONS_H

#include <stdint.h>

#include <sim/rows/rope.h>

#include "question.h"

struct rope_options {
    double theta; /* 0: not given, and so for the others */
    uint64_t head_dim, stretch;
    struct decimal_list share, spread; /* one value, or none */
    struct decimal_list weights;
};

argument_reader read_head_dim;    /* uint64_t */
argument_reader read_rope_share;  /* struct decimal_list, one in [0, 1] */
argument_reader read_one_decimal; /* struct decimal_list, one value from 0 on */

/* The name of the first of these options that was given; NULL: none was. */
const char *rope_option_given(const struct rope_options *options);

/* Do they go together? Returns a status. */
int rope_options_check(const struct rope_options *options);

/* The rows that they describe, with defaults. `weights` has room for SIM_PAIRS_MAX. */
struct sim_rope rope_of_options(const struct rope_options *options, double *weights);

/* For the model; theta = 0 if --rope-theta was not given. */
struct rcm_rope rope_to_avoid(const struct rope_options *options);

/* The loss that the strongest of the waves of these rows causes. NaN for other assignments. */
double rope_loss(struct rcm_topk p, const struct sim_rope *rope, uint64_t seed);

void rope_options_free(struct rope_options *options);

#endif
