/* grids.h - the named grids of the GPU: the measurements of the papers, and our own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GRIDS_H
#define GRIDS_H

#include <programs/bench/cells/grid.h>

/* The last one has no name. */
extern const struct grid cuda_grids[];

#endif
