/* options.h - the command line: one table of options for all subcommands, parsed into one struct.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>

#include "device_file.h"
#include "number.h"
#include "recallmodel.h"
#include "sim/simulate.h"

enum {
    STATUS_OK = 0,
    STATUS_FAILED = 1, /* output could not be written, memory ran out */
    STATUS_USAGE = 2,  /* bad input: one line on stderr, nothing on stdout */
    STATUS_INTERRUPTED = 130,
    STATUS_NO_READER = 141, /* what read the output went away; nothing is said */
};

/* The subcommands, as bits: which of them take an option. */
enum command_bit {
    FOR_RECALL = 1,
    FOR_RANKS = 2,
    FOR_COST = 4,
    FOR_BOUNDS = 8,
    FOR_DEVICES = 16,
    FOR_SIMULATE = 32,
    FOR_COUNT = 64,
    FOR_SELECT = 128,
    FOR_CALIBRATE = 256,
    FOR_PREDICT = 512,
    FOR_ATTENTION = 1024,
    FOR_EXACT = 2048,
};

#define K_B_MOST 4096 /* of --kb-max */

enum output { OUTPUT_TABLE, OUTPUT_JSON, OUTPUT_CSV };

struct options {
    struct count_list n, k, b, k_b, ranks;
    struct decimal_list targets; /* --recall */
    struct decimal quantile, at_least;
    bool has_quantile, has_at_least, has_confidence;
    struct decimal confidence;
    const struct rcm_kernel *kernel;       /* NULL: any */
    uint64_t k_b_max;                      /* 0: RCM_K_B_MAX_DEFAULT */
    const struct rcm_objective *objective; /* NULL: not given */
    double exact_us;                       /* 0: not given */
    bool verbose;
    uint64_t m, valid, align, shards, d, components;  /* shards, d, components: 0: not given */
    double budget;                                    /* 0: none */
    enum rcm_assignment assignments[SIM_ASSIGNMENTS]; /* in the order given, each once; the first is
                                                         interleaved if none is */
    unsigned assignment_count;
    enum rcm_dtype dtype;
    bool has_dtype, divisors, help;
    enum sim_input input;
    bool has_input;
    const char *file, *checkpoint; /* NULL: none */
    enum sim_dtype file_dtype;
    uint64_t row, seed, repetitions, threads; /* 0: not given, but for the seed */
    struct decimal_list rho, temperature;     /* one temperature, or none */
    enum sim_shuffle shuffles[SIM_SHUFFLES];
    unsigned shuffle_count;
    struct count_list digits;
    const char *plot;                                             /* NULL: none; -: the terminal */
    const char *runs, *exact_runs, *name, *source, *profile_file; /* NULL: none */
    struct count_list leave_out;                                  /* sizes n */
    bool cross_validate, plan;
    bool has_device;
    struct rcm_device_text device;
    const struct rcm_decoder *decoder; /* NULL: not given */
    bool all_decoders;
    struct rcm_decoder own; /* of --layers, --width ..; 0: not given */
    enum output output;
};

/* Parses arguments[first..] for a subcommand. Returns STATUS_OK, or STATUS_USAGE after one line on
 * stderr. */
int options_parse(struct options *options, enum command_bit command, int count, char **arguments,
                  int first);
void options_free(struct options *options);

/* Prints the options that the subcommand takes, for its --help. */
void options_describe(enum command_bit command);

const char *assignment_name(enum rcm_assignment assignment);

/* Prints "recallmodel: ..." as one line on stderr and returns STATUS_USAGE. */
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
