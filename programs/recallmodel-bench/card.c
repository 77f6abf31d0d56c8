/* card.c - see card.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "card.h"

const struct rcm_device *device_of_card(const char *name)
{
    size_t others;
    const struct rcm_device *device = rcm_device_meant(name, NULL, 0, &others);
    return others == 0 ? device : NULL;
}
