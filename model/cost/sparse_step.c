/* sparse_step.c - how long a step of sparse attention takes on a device: docs/models.md 15.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/recallmodel/cost.h>

static bool in_domain(struct rcm_sparse_step s)
{
    return s.bytes >= 0.0 && s.largest_bucket >= 0.0 && s.largest_bucket <= s.bytes &&
           (s.multiprocessors >= 1.0 || s.multiprocessors == 0.0) && s.launches >= 0.0 &&
           s.launch_us >= 0.0;
}

double rcm_sparse_step_us(const struct rcm_device *device, struct rcm_sparse_step s)
{
    if (!in_domain(s) || !(device->bandwidth_bytes_per_s > 0.0))
        return NAN;
    const double slowest = fmax(s.bytes, s.largest_bucket * s.multiprocessors);
    return s.launches * s.launch_us + 1e6 * slowest / device->bandwidth_bytes_per_s;
}
