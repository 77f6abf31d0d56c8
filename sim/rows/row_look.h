/* row_look.h - are rows what they are taken for? A look at them before they are measured.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ROW_LOOK_H
#define ROW_LOOK_H

#include "row_file.h"

/* What the elements of a row are: scores, which weigh exp(score / temperature), or probabilities,
 * which weigh themselves to the power of 1 / temperature. */
enum sim_weights { SIM_WEIGHTS_UNSAID, SIM_SCORES, SIM_PROBABILITIES, SIM_WEIGHTS };
const char *sim_weights_name(enum sim_weights weights); /* unsaid, scores, probabilities */

/* Room for a line. */
#define ROW_NOTICE 400

/* Looks at the first `rows` rows of a file, or at some of them, evenly spread, of about
 * ROW_LOOK_ELEMENTS in all (at all of them if they are said to be probabilities); of each at its
 * first `valid` elements, or length[r] of row r (NULL: no lengths). Writes two lines, each empty
 * where there is nothing to say:
 *   masks   rows have fewer than k elements that are no mask, and the mask is a finite number. In
 *           such a row the k-th largest is one of several equal lowest elements (in a row of one
 *           value only if it is below -746). Or two elements or more, but not k, are above a gap:
 *           the others weigh nothing beside the largest, and the gap is wider than the upper
 *           elements are apart; or the others are negative, and it is wider than 16 and than twice
 *           what the elements on either side are apart
 *   weights most rows are probabilities, none below 0 and their sum above 0 and at most 1.05 (some
 *           are left out, as those of a sink), or from 99 to 101; and nobody said what the elements
 *           are
 * Returns   0; or -1 with one line in `masks` that goes on after the name of the file: a row cannot
 *           be read, or has an element below 0 and is said to have probabilities. */
#define ROW_LOOK_ELEMENTS (UINT64_C(1) << 22)
int row_look(const struct row_file *file, uint64_t rows, uint64_t valid, const uint64_t *length,
             uint64_t k, enum sim_weights weights, char masks[ROW_NOTICE],
             char weights_line[ROW_NOTICE]);

#endif
