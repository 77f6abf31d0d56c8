/* chain.h - what a sampler does with a row of scores before it draws: which tokens are left, and
 * what they weigh?
 *
 * As simulate.h, it uses nothing of model/.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CHAIN_H
#define CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <base/message.h>

/* Of the tokens that the steps before have left, with their weights exp(score/temperature):
 * top-p    keeps the fewest largest that have at least this share of their mass;
 * min-p    those that weigh at least this share of the largest;
 * typical  the fewest that have at least this share of the mass, those first whose -log p is
 *          nearest to its mean, the entropy (of equal distances the larger token). */
enum chain_kind { CHAIN_TEMPERATURE, CHAIN_TOP_K, CHAIN_TOP_P, CHAIN_MIN_P, CHAIN_TYPICAL };
#define CHAIN_MOST 5

/* Each kind once at most. Without top-k, that is the first step. */
struct chain {
    unsigned length;
    struct chain_step {
        enum chain_kind kind;
        double value; /* above 0, and but for the temperature at most 1 */
    } of[CHAIN_MOST];
};

/* From a list such as "temperature=0.8,top-k,top-p=0.9,min-p=0.05". Returns 0; or -1 with one line
 * in `error`, which goes on after the list. */
int chain_read(struct chain *chain, const char *text, struct message error);

/* The list that chain_read() reads as this. */
#define CHAIN_TEXT 160
void chain_text(const struct chain *chain, char text[CHAIN_TEXT]);

double chain_temperature(const struct chain *chain); /* at the end: 1 without such a step */
bool chain_cuts(const struct chain *chain);          /* does a step but top-k drop tokens? */

/* The temperature at which the mass of the whole row is asked for, by top-p before top-k; NAN: it
 * is not. */
double chain_row_temperature(const struct chain *chain);

/* The largest tokens of a row, in falling order. */
struct chain_row {
    const double *weight[2]; /* at temperature 1, and at chain_temperature() */
    size_t length;
    double rest; /* of the others the mass, where the largest weighs 1, at chain_row_temperature();
                    0 where that is NAN */
};

/* Sets kept[0] < kept[1] < .., the tokens that are left, and returns how many. `lost` says which
 * tokens buckets do not hand on (NULL: none), so that the largest k of the others are the top k.
 * `room` has space for 2 length. Tokens beyond `length` are never kept. */
size_t chain_kept(const struct chain *chain, struct chain_row row, size_t k, const bool *lost,
                  uint32_t *kept, double *room);

#endif
