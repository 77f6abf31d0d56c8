/* row.h - the rows that are simulated, and how their elements are permuted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ROW_H
#define ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where rows come from. A checkpoint relies on these values: only append. */
enum sim_input {
    SIM_PLACEMENT, /* no rows: the top-k positions are a uniform random k-subset */
    SIM_FILE,      /* a matrix file */
    SIM_IID,       /* independent standard normal */
    /* x_0 = e_0, x_i = rho x_(i-1) + sqrt(1 - rho^2) e_i: normal with the correlation rho^|i-j| */
    SIM_AR1,
    SIM_LOGNORMAL, /* exp of iid */
    SIM_UNIFORM,   /* in [0, 1) */
    SIM_TIES,      /* sixteen values, equally often */
    SIM_SORTED,    /* 0, 1, .., n - 1 */
    SIM_CONSTANT,  /* all 1 */
    SIM_ROPE,      /* noise and cosines of the wavelengths of RoPE: rope.h */
    SIM_INPUTS
};

const char *sim_input_name(enum sim_input input);

/* Do its rows have a correlation of neighbours, rho? */
bool sim_input_has_rho(enum sim_input input);

/* The distribution of independent values, as rcm_values_distribution_by_name() calls it, or
 * NULL. */
const char *sim_input_distribution(enum sim_input input);

/* Generates the row x[0 .. n) of a repetition. Each value is a function of (seed, input, rho,
 * repetition, index), with a rho of all indices up to its own. Without one `rho` is not used.
 * `words` has room for n + 1. Not for SIM_PLACEMENT and SIM_FILE. SIM_ROPE is that of
 * sim_rope_default: others by rope_generate(). */
void row_generate(enum sim_input input, double rho, uint64_t seed, uint64_t repetition, double *x,
                  size_t n, uint64_t *words);

enum sim_shuffle {
    SIM_SHUFFLE_NONE,
    SIM_SHUFFLE_ROW,  /* a permutation for each row */
    SIM_SHUFFLE_ONCE, /* one for all rows of a rho, as in [Key2024] */
    SIM_SHUFFLES
};

const char *sim_shuffle_name(enum sim_shuffle shuffle);

/* A uniform random permutation of 0 .. length - 1, length < 2^32: a function of (seed, input, rho,
 * repetition). That of repetition UINT64_MAX is used for SIM_SHUFFLE_ONCE. */
void row_permutation(enum sim_input input, double rho, uint64_t seed, uint64_t repetition,
                     uint32_t *permutation, size_t length);

#endif
