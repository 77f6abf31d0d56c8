/* profiles.c - the profiles that come with the library: model/time/profiles/, made into C by
 * model/time/profiles/to_c.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels.h"

static const struct rcm_profile profiles[] = {
#include <shipped_profiles.inc>
    {.name = NULL},
};

const struct rcm_profile *rcm_profile(size_t index)
{
    return index < sizeof profiles / sizeof *profiles - 1 ? &profiles[index] : NULL;
}

const struct rcm_profile *rcm_cpu_meant(const char *name)
{
    const struct rcm_profile *q, *first = NULL;
    char cpu[RCM_CPU_TEXT];
    rcm_this_cpu(cpu);
    for (size_t i = 0; (q = rcm_profile(i)); i++) {
        if (!q->kernel->cpu || !rcm_name_begins(q->name, name))
            continue;
        if (rcm_name_begins(name, q->name) || (q->card && strcmp(q->card, cpu) == 0))
            return q;
        first = first ? first : q;
    }
    return first;
}
