/* assignment.c - see assignment.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "assignment.h"

const char *sim_assignment_name(enum sim_assignment assignment)
{
    static const char *const names[SIM_ASSIGNMENTS] = {"interleaved", "contiguous", "contiguous-floor"};
    return names[assignment];
}
