/* card.h - the names of cards.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CARD_H
#define CARD_H

#include <model/recallmodel.h>

/* The device of the library whose name a card reports, such as "NVIDIA H200"; NULL if the library
 * does not know it, or several have that name. */
const struct rcm_device *device_of_card(const char *name);

#endif
