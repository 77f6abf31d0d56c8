/* profiles.c - the profiles that come with the library: model/time/profiles/, made into C by
 * model/time/profiles/to_c.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"

static const struct rcm_profile profiles[] = {
#include <shipped_profiles.inc>
    {.name = NULL},
};

const struct rcm_profile *rcm_profile(size_t index)
{
    return index < sizeof profiles / sizeof *profiles - 1 ? &profiles[index] : NULL;
}
