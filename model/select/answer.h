/* answer.h - internal to model/select/: the contenders of a selection before one is chosen.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SELECT_ANSWER_H
#define SELECT_ANSWER_H

#include <model/recallmodel/answer.h>

/* Is the objective the time by a profile, of values that lie in memory? */
bool answer_is_timed(const struct rcm_selection *selection);

/* How exact top-k of a provider is called there: ours on a CPU is another library than on a GPU. */
const char *answer_call(const struct rcm_selection *selection, const struct rcm_provider *provider);

/* Does `have` name a provider? PyTorch is everywhere. */
bool answer_has(const struct rcm_selection *selection, const struct rcm_provider *provider);

/* Exact top-k of nobody in particular, whose time is not known. */
extern const struct rcm_contender answer_anybody;

/* Exact top-k fused into the product of the selection; its objective is NaN where there is none. */
struct rcm_contender answer_fused(const struct rcm_selection *selection);

/* Can the kernel of the profile be called on the device of the selection, and by whom asks? */
bool answer_can_run(const struct rcm_selection *selection);

/* The lossless contenders, the best that can be called first, but for the threshold; without
 * providers those of the objective. Returns how many. */
size_t answer_exact(const struct rcm_selection *selection,
                    struct rcm_contender of[RCM_CONTENDERS_MOST]);

/* Does a library have exact top-k by threshold there? That for a CPU does. */
bool answer_has_threshold(const struct rcm_selection *selection);

/* The threshold (of a CPU) and the buckets of a choice, as contenders; their time_us is INFINITY
 * where there are none. */
struct rcm_contender answer_threshold(const struct rcm_selection *selection,
                                      const struct rcm_choice *choice);
struct rcm_contender answer_buckets(const struct rcm_selection *selection,
                                    const struct rcm_choice *choice);

#endif
