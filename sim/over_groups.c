/* over_groups.c - the mean recall over groups of rows, and Student's interval: see simulate.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include <base/grouped.h>

#include "simulate.h"

struct sim_over_groups sim_over_groups(const struct sim_group_lost *group, size_t groups,
                                       uint64_t k, double alpha)
{
    struct sim_over_groups over = {0, NAN, NAN, NAN, NAN};
    struct group_sum *sums = malloc((groups + 1) * sizeof *sums);
    if (!sums)
        return over;
    for (size_t i = 0; i < groups; i++)
        sums[i] = (struct group_sum){(double)group[i].lost, (double)group[i].rows};
    const struct grouped_mean lost = grouped_mean(sums, groups);
    free(sums);
    over.groups = lost.groups;
    over.recall_mean = 1.0 - lost.mean / (double)k;
    over.recall_se = lost.error / (double)k;
    if (lost.groups < SIM_GROUPS_FEWEST || !(over.recall_se > 0.0) || !(alpha > 0.0 && alpha < 1.0))
        return over;
    const double margin = student_upper(0.5 * alpha, (double)lost.groups - 1.0) * over.recall_se;
    over.recall_low = fmax(over.recall_mean - margin, 0.0);
    over.recall_high = fmin(over.recall_mean + margin, 1.0);
    return over;
}
