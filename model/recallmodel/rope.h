/* recallmodel/rope.h - rows with periodic components, such as attention logits after RoPE: which b
 * resonate with a wavelength, and what that costs.
 *
 * A component of wavelength lambda repeats every lambda elements. If b is near a multiple of
 * lambda, the elements of an interleaved bucket, which are b apart, all have about the same phase.
 * Then the top-k crowd into the buckets whose phase is that of the peaks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_ROPE_H
#define RECALLMODEL_ROPE_H

#include "shape.h"

RCM_BEGIN

/* Rotary position embedding: pair i of the head has the wavelength 2 pi theta^(2i/head_dim), in
 * positions, i = 0, .., head_dim/2 - 1. theta = 0 means that there is none. */
struct rcm_rope {
    double theta;      /* above 1 */
    uint64_t head_dim; /* even, 2 to RCM_HEAD_DIM_MOST */
    uint64_t stretch; /* the top-k lie within so many neighbouring elements; 0: in all of the row */
};
#define RCM_HEAD_DIM_MOST 1024

/* The wavelength of a pair. NaN outside the domain. */
double rcm_rope_wavelength(struct rcm_rope rope, uint64_t pair);

/* The pair that an interleaved bucket follows most closely. From one element of a bucket to the
 * next, a pair advances by b/wavelength turns, which is `multiple` whole ones and a rest; over the
 * n/b elements of the bucket the rest adds up to `drift` turns; over min(n, stretch)/b of them
 * where the top-k lie within a stretch, so that more b resonate. b resonates with the pair if the
 * drift is below 1. A pair counts only if the multiple is 1 or more: where the wavelength is above
 * 2b, neighbouring buckets see the same values. With a stretch below n no pair counts from b =
 * stretch on: no bucket has two elements of it. */
struct rcm_resonance {
    uint64_t pair, multiple;
    double wavelength;
    double drift; /* INFINITY: no pair counts */
};

/* The resonance with the least drift.
 * Domain    1 <= b <= n <= RCM_N_MAX, rope as above. Otherwise the drift is NaN.
 * Accuracy  of the drift: absolute 1e-14 n.
 * Source    docs/real-data.md. */
struct rcm_resonance rcm_rope_resonance(uint64_t n, uint64_t b, struct rcm_rope rope);
bool rcm_rope_resonates(uint64_t n, uint64_t b, struct rcm_rope rope);

/* One periodic component: a cosine of random phase, with this share of the variance of a row. The
 * rest of the row is independent normal noise. */
struct rcm_wave {
    double wavelength; /* in elements, above 1 */
    double share;      /* of the variance, 0 to RCM_WAVE_SHARE_MOST */
};
#define RCM_WAVE_SHARE_MOST 0.99

/* Expected loss of interleaved buckets on such rows. The number of top-k elements in a bucket is
 * Fisher's noncentral hypergeometric, with the mean and nearly the variance that the threshold
 * gives to a bucket of that phase. With share = 0 it is rcm_loss_exact. It may be below that:
 * buckets that do not resonate sample all phases alike, and have more equal numbers of top-k
 * elements.
 *
 * Domain    that of rcm_loss_exact with assignment RCM_INTERLEAVED, and that of the wave; n well
 *           above the wavelength. Otherwise NaN.
 *
 * Accuracy  of the evaluation: relative 1e-6 where the loss is above 1e-9. The model's own error in
 *           simulation: below 1 % of the loss where that is above rcm_loss_exact, otherwise below
 *           5 % of rcm_loss_exact (tests/sim/test_rope.c).
 *
 * Time      about a millisecond.
 *
 * Source    docs/real-data.md. */
double rcm_loss_wave(struct rcm_topk p, struct rcm_wave wave);

/* The largest of these losses over the waves with a share above 0, each with all others taken as
 * noise; without any, rcm_loss_exact. */
double rcm_loss_waves(struct rcm_topk p, const struct rcm_wave *waves, size_t count);

RCM_END

#endif
