/* bench_calibrate.c - see bench_calibrate.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench_calibrate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <programs/bench-cpu/cpu.h>
#include <programs/common/this_machine.h>

#include <programs/recallmodel/command.h>

struct settings {
    const char *grid;
};

static const char *grid_at(unsigned i)
{
    const struct grid *grid = cpu_backend.grids;
    for (; grid->name && (grid->task != TASK_TWO_STAGE || i-- > 0); grid++)
        ;
    return grid->name;
}

static const struct argument options[] = {
    {"--grid", "NAME", KIND(read_text, .names = grid_at), offsetof(struct settings, grid),
     "the grid to measure (default cpu-calibrate)"},
    {NULL, NULL, NULL, 0, NULL},
};

/* The name of this CPU as a profile can hold it. */
static void name_of_cpu(char *name, size_t size)
{
    snprintf(name, size, "%.*s", (int)size - 1, cpu_backend.name(NULL));
    for (; *name; name++)
        if (*name < ' ' || *name > '~' || *name == '#')
            *name = '?';
}

static int calibrate(const char *runs, const char *profile)
{
    char name[60], card[RCM_CPU_TEXT];
    name_of_cpu(name, sizeof name);
    rcm_this_cpu(card);
    const char *arguments[] = {runs,
                               "--contiguous",
                               runs,
                               "--kernel",
                               "cpu",
                               "--dtype",
                               "f32",
                               "--name",
                               name,
                               "--source",
                               "measured by recallmodel bench --calibrate",
                               "--card",
                               *card ? card : "unknown CPU",
                               "-o",
                               profile};
    return command_calibrate.run((int)(sizeof arguments / sizeof *arguments), (char **)arguments);
}

int bench_calibrate(int count, char **arguments, int (*bench)(int count, char **arguments))
{
    struct settings settings = {.grid = "cpu-calibrate"};
    char part[THIS_MACHINE_PATH], runs[THIS_MACHINE_PATH], profile[THIS_MACHINE_PATH];
    int status = arguments_read(options, &settings, count, arguments);
    if (status == STATUS_HELP) {
        puts("usage: recallmodel bench --calibrate [options]\n\nMeasures this machine for about "
             "two minutes, fits a profile to it, and stores it for\n--device this.\n\nOptions:");
        arguments_describe(options);
        return STATUS_OK;
    }
    if (status != STATUS_OK)
        return status;
    if (command_calibrate.missing)
        return usage_error("%s", command_calibrate.missing);
    if (!this_machine_path("cpu-part.csv", part) || !this_machine_path("cpu.csv", runs) ||
        !this_machine_path("cpu.profile", profile) || this_machine_make_folder() != 0)
        return usage_error(
            "--calibrate: there is no folder for the profile: %s; set XDG_CONFIG_HOME",
            strerror(errno));
    const char *measure[] = {"two-stage", "--grid", settings.grid, "-o", part};
    status = bench((int)(sizeof measure / sizeof *measure), (char **)measure);
    if (status != STATUS_OK)
        return status;
    if (rename(part, runs) != 0)
        return usage_error("--calibrate: %s: %s", runs, strerror(errno));
    status = calibrate(runs, profile);
    if (status == STATUS_OK)
        puts("--device this uses it too.");
    return status;
}

const struct command bench_calibration = {
    .name = "--calibrate",
    .summary = "measures this machine in two minutes and stores a profile of it",
    .options = options,
};
