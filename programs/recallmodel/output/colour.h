/* colour.h - whether tables have colour.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COLOUR_H
#define COLOUR_H

#include <stdbool.h>

/* Is stdout a terminal that shows colours? */
bool colour_wanted(void);

#endif
