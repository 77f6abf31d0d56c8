/* run_checks.h - are runs those of one kernel, one count of rows a call, and microseconds?
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUN_CHECKS_H
#define RUN_CHECKS_H

#include "runs.h"

/* Is a time less than rcm_least_us() of the device? Then `what` says so. Without a device (NULL) it
 * is what any GPU takes, if gpu says that it is one. */
#define RUN_TOO_SHORT 200
bool run_is_too_short(const struct rcm_device *device, enum rcm_dtype dtype, struct rcm_topk p,
                      double time_us, bool gpu, char what[RUN_TOO_SHORT]);

/* Runs that are taken for one measurement must be one. Columns that nobody read (read[column] is
 * false) must not hold the rows of a call where no column says m (has_m is false), and no time may
 * be too short. In a fit (filter->times), such columns must not tell equal shapes apart whose times
 * differ by a tenth, and the times of equal shapes must agree within a factor of 2.
 * Returns   0, or -1 with a line that names what mends it. */
int runs_check(const struct csv *csv, const struct run_list *runs, const bool *read, bool has_m,
               const struct run_filter *filter, struct message error);

#endif
