/* runs_check.h - what is wrong with a CSV of measured runs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNS_CHECK_H
#define RUNS_CHECK_H

#include <stdio.h>

#include <base/csv.h>

/* Faults, a line each on `to`, of which the first RUNS_FAULTS_SHOWN are written: a count that is
 * none, a shape that no top-k has, a time outside 1e-3 to 1e11 us, a recall outside 0 to 1, a row
 * that stands twice (unless shapes have several measurements), and a row that would be read faster
 * than the memory of its card gives (column device, or `device` where there is none; dtype, or the
 * first of `dtypes`; its m rows must be larger than four times the cache). What a column holds is
 * known by its name: recall_target, stage1_us. Other columns are not checked.
 *
 * Returns   how many there are. */
#define RUNS_FAULTS_SHOWN 10
size_t runs_faults(const struct csv *csv, const char *device, const char *dtypes, FILE *to);

#endif
