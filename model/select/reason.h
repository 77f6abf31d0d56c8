/* reason.h - internal to model/: why rcm_select chose so.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REASON_H
#define REASON_H

#include <model/recallmodel/select.h>

/* Of a choice that is complete but for its reason. It searches again where no buckets take part,
 * unless the search was stopped. */
enum rcm_reason reason_of(const struct rcm_selection *selection, const struct rcm_choice *choice,
                          bool stopped);

#endif
