/* sparse_device.c - see sparse_device.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "sparse_device.h"

#include <math.h>

double device_step_us(struct device_step s)
{
    const double bytes = s.bytes / s.bandwidth,
                 bucket = s.bucket_bytes * s.multiprocessors / s.bandwidth;
    return s.launches * s.launch_us + 1e6 * fmax(bytes, bucket);
}
