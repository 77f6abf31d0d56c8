/* each.c - a function of one shape over an array of them, for callers to whom a call is dear.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "recallmodel.h"

void rcm_each(double (*of)(struct rcm_topk), const struct rcm_topk *p, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = of(p[i]);
}

void rcm_each_objective(rcm_objective *of, const void *context, const struct rcm_topk *p, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = of(p[i], context);
}
