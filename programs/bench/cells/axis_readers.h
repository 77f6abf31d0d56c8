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

extern const struct value_kind kind_of_dtypes;            /* struct places */
extern const struct value_kind kind_of_bench_assignments; /* struct places */
extern const struct value_kind kind_of_inputs;            /* struct places */
extern const struct value_kind kind_of_grids;  /* struct places, in those of the back end */
argument_reader read_kernels;                  /* struct axes, of the kernels of its task */
extern const struct value_kind kind_of_cache;  /* struct choice: cold, warm */
extern const struct value_kind kind_of_timing; /* struct choice: those of the back end */

/* Adds the kernels of other projects to those of the axes, each once. */
void add_foreign_kernels(struct axes *axes);

name_at stage1_kernel_at, exact_kernel_at, two_stage_kernel_at, fused_kernel_at;

#endif
