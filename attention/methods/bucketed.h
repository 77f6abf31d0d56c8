/* bucketed.h - internal to attention/: the two-stage top-k of scores, for the methods that use it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef METHODS_BUCKETED_H
#define METHODS_BUCKETED_H

#include <attention/method.h>

/* Visits min(wanted, open keys) keys of the range: stage 1 keeps the k_b largest scores of each of
 * b = ceil(ratio wanted / k_b) buckets of the open keys (at most one bucket for each key; key j has
 * place j - range.first in the row that is split), stage 2 the `wanted` largest of what is left. Of
 * equal scores the smaller key comes first. scores[j] is that of key j; not NaN. Reads k_b, ratio
 * and assignment of the options. */
void visit_bucketed(struct visit *visit, const float *scores, struct key_range range, size_t wanted,
                    const struct method_options *options);

#endif
