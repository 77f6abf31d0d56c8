/* rope.h - rotary position embedding (RoPE): how the position of a key or query is put into its
 * components, and taken out again.
 *
 * Component pairs i = 0 .. d/2 - 1 are turned by the angle position * f_i, with f_i = theta^(-2i/d)
 * before scaling. The pairs are (i, i + d/2) or (2i, 2i + 1).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ROPE_H
#define ROPE_H

#include <stddef.h>
#include <stdint.h>

enum rope_pairing {
    ROPE_HALF,       /* (i, i + d/2): GPT-NeoX, Hugging Face's Llama */
    ROPE_INTERLEAVED /* (2i, 2i + 1): the RoFormer paper, Meta's Llama, GGUF of Llama */
};

enum rope_scaling { ROPE_NONE, ROPE_LINEAR, ROPE_LLAMA3, ROPE_YARN };

struct rope {
    double theta; /* > 1 */
    enum rope_pairing pairing;
    enum rope_scaling scaling;
    double factor;    /* linear, llama3, yarn: how much longer the context became; >= 1 */
    double low, high; /* llama3: wavelengths above original / low are scaled, those below original /
                       * high are not; 0 < low < high */
    double original;  /* llama3, yarn: the context of the training, in positions */
    double attention_factor; /* yarn: on the length of keys and queries; 0: 0.1 ln(factor) + 1 */
};

/* The frequencies f_0 .. f_(d/2 - 1), in radians a position.
 *   linear  f_i / factor
 *   llama3  with the wavelength w = 2 pi / f_i: f_i if w < original / high; f_i / factor if
 *           w > original / low; otherwise (1 - s) f_i / factor + s f_i with
 *           s = (original / w - low) / (high - low)
 *   yarn    (1 - g_i) f_i + g_i f_i / factor, where g_i rises from 0 to 1 in a straight line from
 *           the pair that turns 32 times in `original` positions (rounded down) to the one that
 *           turns once (rounded up)
 * Domain    d even; rope_fault() is NULL.
 * Returns   the factor on the length of keys and queries: 1 except for yarn.
 * Source    Su et al. 2021; Chen et al. 2023 (linear); Llama 3.1's configuration; Peng et al. 2023
 *           (YaRN), section 3.2 to 3.4, with alpha = 1 and beta = 32. */
double rope_frequencies(const struct rope *rope, uint32_t d, double *frequencies);

/* What is wrong, as a phrase that continues "RoPE", or NULL. */
const char *rope_fault(const struct rope *rope, uint32_t d);

/* Puts positions into rows x d, or takes them out: row i has the position first + i. Angles are
 * computed in double; apply and remove are inverse up to the rounding of float. */
void rope_apply(const struct rope *rope, float *x, size_t rows, uint32_t d, uint64_t first);
void rope_remove(const struct rope *rope, float *x, size_t rows, uint32_t d, uint64_t first);

#endif
