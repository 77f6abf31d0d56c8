/* bench_command.h - a command that times kernels: its settings, the options of every back end, and
 * what runs it. Its table of options is that of its program.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_COMMAND_H
#define BENCH_COMMAND_H

#include <programs/common/subcommands.h>

#include <programs/bench/cells/axis_readers.h>
#include "session.h"

/* Begins as all zeros but axes.task and session.seed. */
struct bench_settings {
    struct axes axes;
    struct choice cache, timing;
    struct places grids;             /* instead of all of the above */
    const struct rcm_device *device; /* whose roofline predicts; NULL: that of this device */
    double minutes;                  /* 0: no limit */
    bool once, list;
    const char *file; /* whose cells are measured; NULL: none */
    uint64_t rounds;  /* of them; 0: one */
    struct session_options session;
};

extern const struct value_kind kind_of_known_device; /* const struct rcm_device * */

/* Rows of a table, for settings that begin with a struct bench_settings. Where the text is not here
 * it differs between programs, and follows. */
#define BENCH_AT(member) offsetof(struct bench_settings, member)

#define OPTION_N \
    "--n", "LIST", BY(read_counts), BENCH_AT(axes.n), "elements in a row (default 2^18)"
#define OPTION_K "--k", "LIST", BY(read_counts), BENCH_AT(axes.k)
#define OPTION_B \
    "--b", "LIST", BY(read_counts), BENCH_AT(axes.b), \
        "buckets (default: the fewest that keep k, which is k/kb rounded up; if --k is not " \
        "given, 1024, or n if that is smaller)"
#define OPTION_KB \
    "--kb", "LIST", BY(read_counts), BENCH_AT(axes.k_b), "elements kept per bucket (default 1)"
#define OPTION_M "--m", "LIST", BY(read_counts), BENCH_AT(axes.m)
#define OPTION_DTYPE "--dtype", "LIST", &kind_of_dtypes, BENCH_AT(axes.dtypes)
#define OPTION_ASSIGNMENT \
    "--assignment", "LIST", &kind_of_bench_assignments, BENCH_AT(axes.assignments), \
        "how elements go to buckets: interleaved (default), contiguous"
#define OPTION_INPUT \
    "--input", "LIST", &kind_of_inputs, BENCH_AT(axes.inputs), \
        "kinds of rows; below are their names (default: the first)"
#define OPTION_CACHE "--cache", "C", &kind_of_cache, BENCH_AT(cache)
#define OPTION_TIMING "--timing", "T", &kind_of_timing, BENCH_AT(timing)
#define OPTION_KERNEL(names_of_task) \
    "--kernel", "LIST", KIND(read_kernels, .names = (names_of_task)), BENCH_AT(axes), \
        "kernels to time; below are their names (default: the first); peers: all\nof other " \
        "projects"
#define OPTION_GRID \
    "--grid", "LIST", &kind_of_grids, BENCH_AT(grids), \
        "measure named grids instead; below are their names. The options\nabove must then be " \
        "left out; but exact --kernel takes the rows of any grid"
#define OPTION_FILE \
    "--file", "FILE", KIND(read_text, .endings = "csv"), BENCH_AT(file), \
        "measure the cells of this CSV file, one a line: its columns are work and any of\n" \
        "those that --list prints; kernel peers: all of other projects that take the cell"
#define OPTION_ROUNDS \
    "--rounds", "N", BY(read_count), BENCH_AT(rounds), \
        "measure all cells, then all of them again, N times in all (default 1): a machine\nthat " \
        "slows down slows all cells; round 2 and later go to FILE.2, .."
#define OPTION_MINUTES \
    "--minutes", "X", BY(read_positive), BENCH_AT(minutes), \
        "begin no measurement after X minutes; with -o, the same command\nmeasures the rest when " \
        "it is run again"
#define OPTION_DEVICE "--device", "NAME", &kind_of_known_device, BENCH_AT(device)
#define OPTION_ONCE \
    "--once", NULL, BY(read_switch), BENCH_AT(once), \
        "run each cell once, neither verified nor timed, for a profiler"
#define OPTION_LIST \
    "--list", NULL, BY(read_switch), BENCH_AT(list), "print the cells, measure nothing"

/* What measures the cells of a file, but where they run. */
#define OPTIONS_OF_CELLS \
    {OPTION_FILE}, {OPTION_ROUNDS}, {OPTION_MINUTES}, {OPTION_LIST}, \
        {OPTION_SECONDS(BENCH_AT(session))}, {OPTION_SEED(BENCH_AT(session))}, \
        {OPTION_O(BENCH_AT(session))}, \
    { \
        OPTION_OUTPUT(BENCH_AT(session)) \
    }

/* Measures by settings that were read. `usual_device`: whose roofline predicts where none is given,
 * by the name of a device; NULL: none. Returns a status. */
int bench_run(struct bench_settings *settings,
              const struct rcm_device *(*usual_device)(const char *name));

void bench_settings_free(struct bench_settings *settings);

/* The part of --help that lists the kernels, the inputs and the grids of a task; of TASKS: the
 * kernels of all of them, and the inputs. */
void bench_help(enum task task);

#endif
