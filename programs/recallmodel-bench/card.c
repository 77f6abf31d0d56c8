/* card.c - see card.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "card.h"

#include <string.h>

const struct rcm_device *device_of_card(const char *name)
{
    static const char maker[] = "NVIDIA ";
    static const struct {
        const char *card, *device;
    } others[] = {
        {"NVIDIA H100 80GB HBM3", "H100-SXM"},
        {"NVIDIA A100 80GB PCIe", "A100-PCIe"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i].card) == 0)
            return rcm_device_by_name(others[i].device);
    const size_t skip = strncmp(name, maker, strlen(maker)) == 0 ? strlen(maker) : 0;
    return rcm_device_by_name(name + skip);
}
