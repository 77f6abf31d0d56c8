/* contenders.h - internal to model/: the best buckets compared with exact top-k and with exact
 * top-k by threshold.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONTENDERS_H
#define CONTENDERS_H

#include <model/recallmodel/select.h>

/* The choice among the best bucketed shape and its two contenders, by the objective. */
struct rcm_choice contenders_choice(const struct rcm_selection *selection,
                                    struct rcm_point bucketed);

/* What the predicted time of buckets may be, so that it keeps to a budget: where it is carried, the
 * upper end of its band does. */
double contenders_budget(const struct rcm_selection *selection, double budget);

/* The same for a budget: a contender, which loses nothing, is preferred if it is within the
 * budget. */
struct rcm_choice contenders_within(const struct rcm_selection *selection,
                                    struct rcm_point bucketed, double budget);

/* The largest k_b that a selection considers: k_b_max or its default, at most k. */
uint64_t select_k_b_max(const struct rcm_selection *selection);

#endif
