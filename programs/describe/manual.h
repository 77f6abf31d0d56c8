/* manual.h - what the manual of recallmodel says beside its tables of options.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MANUAL_H
#define MANUAL_H

#include "describe.h"

/* Without its commands, version and date. */
extern const struct program manual;

#endif
