/* threshold_sample.h - a threshold for the top-k of a row from a sample of it, as `radix` of gpu/
 * takes it: the rule stated once more, with nothing of gpu/. docs/gpu.md 4 derives it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef THRESHOLD_SAMPLE_H
#define THRESHOLD_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/* 2^log2_pieces pieces of `piece` neighbours each. */
struct sim_sample {
    unsigned log2_pieces; /* 1 to 31 */
    unsigned piece;       /* 1 or more */
};

/* The seed of an attempt at a row of a call. */
uint32_t sim_sample_seed(uint32_t call_seed, uint64_t row, uint32_t attempt);

/* Which of the `whole` pieces of a row is piece j of the sample, from 0. */
uint32_t sim_sample_place(struct sim_sample sample, uint32_t j, uint32_t whole, uint32_t seed);

/* The least rank of a threshold, from the largest (1), that fewer than k of n elements reach with a
 * probability of at most exp(-risk) by the bound of Chernoff; infinite if the sample has no such
 * rank. 1 <= k <= n, n > 2 piece. */
double sim_sample_rank(struct sim_sample sample, double n, double k, double risk);

/* The largest rank of a threshold that more than k elements reach with at most that probability; 0:
 * there is none, or the sample expects so few that it is hardly worth it (2 risk pieces). */
double sim_sample_rank_inside(struct sim_sample sample, double n, double k, double risk);

/* More elements than this, which may exceed n, lie above a threshold of the rank with at most that
 * probability. */
double sim_sample_most(struct sim_sample sample, double n, double rank, double risk);

/* The threshold of a rank, 1 .. piece 2^log2_pieces, of a row of keys (key.h) of which `before` <
 * piece stand before the first whole piece. The row has a whole piece; `scratch` has room for twice
 * the sample, `at` for the sample. */
uint64_t sim_sample_threshold(struct sim_sample sample, uint32_t rank, uint32_t seed,
                              const uint64_t *keys, size_t n, size_t before, uint64_t *scratch,
                              uint32_t *at);

#endif
