/* grids.h - the named grids of the CPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_GRIDS_H
#define CPU_GRIDS_H

#include <programs/bench/cells/grid.h>

/* The last one has no name. */
extern const struct grid cpu_grids[];

#endif
