/* bisect.h - internal to model/: where a property of whole numbers begins to hold.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BISECT_H
#define BISECT_H

#include <stdint.h>

enum answer { NO, YES, UNKNOWN }; /* UNKNOWN: it cannot be computed, which ends a search */

/* Does x have the property? */
typedef enum answer bisect_property(void *context, uint64_t x);

/* The smallest x in [low, high] that has the property, if every number from some x on has it.
 * Invariant  no number below low has it; high has it (which is not evaluated).
 * Domain     1 <= low <= high.
 * Returns    0 where an answer is unknown.
 *
 * Searches over whole numbers use it, but for two that move an end by more than the answer at the
 * middle tells them (rcm_smallest_b, search_last_within). Searches over real numbers stop each at a
 * precision of its own. */
uint64_t bisect(uint64_t low, uint64_t high, bisect_property *property, void *context);

/* The same outwards from a guess: at the guess, then at distances that double, beginning with
 * `step`, until the answer lies in between, then by bisection. For properties that take long to
 * evaluate, or that can only be computed near the answer. It evaluates high, too, if the search
 * gets there.
 * Domain     1 <= low <= guess <= high, 1 <= step.
 * Returns    0 where an answer is unknown, or where no number up to high has the property. */
uint64_t bisect_from(uint64_t low, uint64_t high, uint64_t guess, uint64_t step,
                     bisect_property *property, void *context);

#endif
