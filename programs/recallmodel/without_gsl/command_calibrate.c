/* command_calibrate.c - what stands for calibrate in a program that is built without GSL.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <programs/recallmodel/command.h>

static const struct argument no_options[] = {{0}};

const struct command command_calibrate = {
    .name = "calibrate",
    .summary = "a profile of a kernel on a device, fitted to measured runs (needs GSL)",
    .example = "pip install --find-links build/wheel 'recallmodel[calibrate]'",
    .options = no_options,
    .no_numbers = true,
    .missing = "calibrate fits with GSL, and this recallmodel was built without it; install "
               "libgsl-dev and build again, or, after make wheel: pip install --find-links "
               "build/wheel 'recallmodel[calibrate]'",
};
