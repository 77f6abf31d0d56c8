/* launch.c - the shortest kernel that was measured on a device: a launch, and hardly more.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include <model/recallmodel/cost.h>

#include "names.h"

/* A row for each device with published runs of kernels alone; tests/figures/test_pays.sh compares
 * them with the runs. */
static const struct {
    const char *device;
    double us;
} launches[] = {
    {"H100-PCIe", 2.168}, /* runs/keyetal/argmax: n = 4096, k = 1024, m = 1, compiled */
    /* runs/flashinfer/exact-blackwell: k = n = 256, which copies the row. The card is not stated;
     * docs/runs.md says why it is a B200 or a B300 */
    {"B200", 1.5},
};

double rcm_launch_us(const struct rcm_device *device)
{
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++)
        if (device->name && names_equal(device->name, launches[i].device))
            return launches[i].us;
    return 0.0;
}
