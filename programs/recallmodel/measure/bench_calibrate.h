/* bench_calibrate.h - recallmodel bench --calibrate: a profile of this machine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_CALIBRATE_H
#define BENCH_CALIBRATE_H

#include <programs/common/subcommands.h>

/* Measures a grid, calibrates by it, and stores runs and profile where --device this finds them.
 * `arguments` are those behind --calibrate; `bench` runs the subcommand bench. Returns a status. */
int bench_calibrate(int count, char **arguments, int (*bench)(int count, char **arguments));

/* Its name and its options; bench_calibrate() runs it. */
extern const struct command bench_calibration;

#endif
