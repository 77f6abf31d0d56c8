/* session.h - what every measurement begins with: the device, and the CSV of its results.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SESSION_H
#define SESSION_H

#include <programs/common/arguments.h>

#include "results.h"
#include "sampler.h"

/* The state of the sources, from git. main() says it: main.c is compiled anew when that changes. */
void set_sources_git(const char *state);

/* Other processes that are busy meanwhile. */
struct load {
    bool given;
    unsigned busy;
};

/* Part of the settings of a command that measures. */
struct session_options {
    const char *output; /* a CSV file that may exist; NULL: none */
    bool csv;           /* without a file: CSV on stdout, otherwise a table to read */
    double seconds;     /* of a cell, at most; 0: those of the rules */
    struct load load;   /* by those of the slowest calls */
    uint64_t seed;      /* of the inputs */
};

argument_reader read_output;   /* const char *: -o and --output */
argument_reader read_load;     /* struct load */
argument_reader read_positive; /* double */

/* Rows of a table of options; `at` is where the settings have their session_options. */
#define OPTION_SECONDS(at) \
    "--seconds", "X", BY(read_positive), (at) + offsetof(struct session_options, seconds), \
        "measure each cell until the noise is below 0.5 %, for at most X seconds\n(default 0.15)"
#define OPTION_LOAD(at) \
    "--load", "N", BY(read_load), (at) + offsetof(struct session_options, load), \
        "measure the slowest of 10,000 calls of each cell, beside N busy processes\n(0: none)"
#define OPTION_SEED(at) \
    "--seed", "N", BY(read_seed), (at) + offsetof(struct session_options, seed), \
        "seed of the inputs (default 1)"
#define OPTION_O(at) \
    "-o", "FILE", BY(read_output), (at) + offsetof(struct session_options, output), \
        "write CSV to FILE; if FILE exists, measure only the cells that it lacks"
#define OPTION_OUTPUT(at) \
    "--output", "FILE", BY(read_output), (at) + offsetof(struct session_options, output), \
        "the same as -o"
#define OPTION_CSV(at) \
    "--csv", NULL, BY(read_switch), (at) + offsetof(struct session_options, csv), \
        "print CSV instead of a table; not with -o"
#define OPTIONS_END NULL, NULL, NULL, 0, NULL

/* The rules by which times are taken. */
struct sampling session_rules(const struct session_options *options);

/* Refuses --csv beside a file. Returns a status, after one line on stderr if it is not STATUS_OK.
 */
int session_check(const struct session_options *options);

/* Opens the results (nothing where there is neither a file nor CSV), with remarks that say who
 * measures, on what, when and by which rules. Returns a status, after one line on stderr if that is
 * not STATUS_OK. */
int session_open_results(struct results *results, struct device *device,
                         const struct session_options *options, const char *columns,
                         unsigned key_columns);

/* Says on stderr that output could not be written, and why by errno. Returns STATUS_FAILED. */
int output_failed(void);

#endif
