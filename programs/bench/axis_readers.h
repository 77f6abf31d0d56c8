/* axis_readers.h - readers of options that choose what is measured, by name.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AXIS_READERS_H
#define AXIS_READERS_H

#include <programs/common/arguments.h>

#include "axes.h"

/* One of two names. */
struct choice {
    bool given, second;
};

argument_reader read_dtypes;            /* struct places */
argument_reader read_bench_assignments; /* struct places */
argument_reader read_inputs;            /* struct places */
argument_reader read_grids;             /* struct places, in those of the back end */
argument_reader read_kernels;           /* struct axes, of the kernels of its task */
argument_reader read_cache;             /* struct choice: cold, warm */
argument_reader read_timing;            /* struct choice: those of the back end */

#endif
