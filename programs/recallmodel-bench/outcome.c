/* outcome.c - what a call that failed says: see device.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "device.h"

enum outcome refuse(struct device *r, int status, const char *what)
{
    snprintf(r->reason, sizeof r->reason, "%s: %s", what,
             status == RCM_GPU_BAD_WORKSPACE ? "not enough memory on the device"
                                             : rcm_gpu_message((enum rcm_gpu_status)status));
    return status == RCM_GPU_ERROR ? FAILED : SKIPPED;
}
