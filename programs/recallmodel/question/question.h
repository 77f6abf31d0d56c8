/* question.h - the options that most commands share: which shapes, on which device, for which
 * recall, and in which form the answer is printed.
 *
 * The settings of a command begin with a question; its own options follow. Here are also the rows
 * that several commands have in their tables of options.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef QUESTION_H
#define QUESTION_H

#include <calibrate/runs/timings.h>
#include <model/recallmodel.h>
#include <programs/common/arguments.h>
#include <programs/common/device_file.h>
#include <programs/common/wisdom.h>

#include "lengths.h"
#include "rounding.h"
#include "weights.h"

enum output { OUTPUT_TABLE, OUTPUT_JSON, OUTPUT_CSV };

#define ASSIGNMENTS 3

struct assignments {
    enum rcm_assignment items[ASSIGNMENTS]; /* in the order given, each once */
    unsigned length;
};

struct device_option {
    bool given;
    const char *given_as; /* the argument, or the name of the device that it means */
    const char *family;   /* what was given, where several have that name; or NULL */
    struct wisdom here;   /* of "this", and of a file of measurements; otherwise no rows */
    struct rcm_device_text text;
};

struct dtype_option {
    bool given;
    enum rcm_dtype type;
};

struct question {
    struct count_list n, k, b, k_b;
    uint64_t m, valid, align; /* valid: 0 if not given */
    bool divisors;
    struct lengths_question lengths;
    struct assignments assignments;
    struct decimal_list targets; /* of --recall */
    struct weights_question weights;
    struct rounding_question rounding;
    struct device_option device;
    struct dtype_option dtype;
    struct timings_options timings;
    enum output output;
    const char *plot;                   /* NULL: no picture; "-": on the terminal */
    const struct rcm_kernel *sweep_for; /* the b of a sweep are those that it runs; NULL: any */
};

/* The defaults of all options. */
#define QUESTION_DEFAULT \
    (struct question) \
    { \
        .m = 1, .align = 1, .assignments = {.length = 1}, .dtype = {.type = RCM_F32 } \
    }

void question_free(struct question *question);

/* What must hold between --plot and the other options of a question. Returns a status. */
int question_check(const struct question *question);

/* The type of the values: that of --dtype or its default; without --dtype, for the file of a
 * profile, that of the profile. */
enum rcm_dtype question_dtype(const struct question *question);

/* The recall that must be reached; 0.95 without --recall. */
struct decimal question_recall(const struct question *question);

/* ---- readers of what a question has */

argument_reader read_targets;                       /* struct decimal_list: recalls in (0, 1] */
argument_reader read_target;                        /* the same, but only one */
extern const struct value_kind kind_of_assignment;  /* struct assignments: one */
extern const struct value_kind kind_of_assignments; /* struct assignments */
argument_reader read_device;                        /* struct device_option */
/* The machine at hand, by what was measured on it; and without measurements, for `tune`. */
void device_of_wisdom(struct device_option *device, struct wisdom wisdom);
extern const struct value_kind kind_of_device;
name_at device_name_at; /* of a kind with another reader: KIND(read_devices, DEVICE_NAMES) */
#define DEVICE_NAMES .names = device_name_at, .also = "this", .endings = "profile device"
/* struct device_option: the profile of a kernel of exact top-k alone that comes with the library,
 * by the beginning of its name, or the file of a profile */
extern const struct value_kind kind_of_exact_kernel;
extern const struct value_kind kind_of_dtype;     /* struct dtype_option */
extern const struct value_kind kind_of_kernel;    /* const struct rcm_kernel * */
argument_reader read_rope_theta;                  /* double, above 1 */
argument_reader read_k_b_max;                     /* uint64_t, up to K_B_MOST */
argument_reader read_json;                        /* enum output */
argument_reader read_csv;                         /* enum output */
extern const struct value_kind kind_of_plot;      /* const char * */
extern const struct value_kind kind_of_runs_path; /* const char *: a CSV, or measured runs */

#define K_B_MOST 4096 /* of --kb-max */

/* ---- rows of the tables of options: settings that begin with a question */

#define IN_QUESTION(member) offsetof(struct question, member)

#define OPTION_N \
    "--n", "N", BY(read_counts), IN_QUESTION(n), "elements in a row, or a list of such numbers"
#define OPTION_K \
    "--k", "K", BY(read_counts), IN_QUESTION(k), "elements wanted, or a list of such numbers"
#define OPTION_KB \
    "--kb", "LIST", BY(read_sorted_counts), IN_QUESTION(k_b), \
        "elements kept per bucket (default: those of 1,2,3,4,6,8 that k allows)"
#define OPTION_B \
    "--b", "LIST", BY(read_sorted_counts), IN_QUESTION(b), \
        "buckets (default: a selection from the fewest to n/kb)"
#define OPTION_M "--m", "M", BY(read_count), IN_QUESTION(m), "rows in the batch (default 1)"
#define OPTION_B_REACHING \
    "--b", "LIST", BY(read_sorted_counts), IN_QUESTION(b), \
        "buckets (default: for each kb the smallest b that reaches --recall)"
#define OPTION_VALID \
    "--valid", "L", BY(read_count), IN_QUESTION(valid), \
        "only the first L elements of a row exist; the rest is padding"
#define OPTION_ASSIGNMENT OPTION_ASSIGNMENT_AND("")
#define OPTION_ASSIGNMENT_TIMED OPTION_ASSIGNMENT_AND(", and times where the profile knows both")
#define OPTION_ASSIGNMENT_AND(also) \
    "--assignment", "A", &kind_of_assignment, IN_QUESTION(assignments), \
        "how elements go to buckets: interleaved (default), contiguous or contiguous-floor; the " \
        "answers differ only with --valid and --lengths" also
#define OPTION_RECALL OPTION_RECALL_BY(read_target)
#define OPTION_RECALL_BY(reader) \
    "--recall", "R", BY(reader), IN_QUESTION(targets), \
        "the expected recall to reach (default 0.95); a loss of up to (1 + 1e-12)(1 - R) counts " \
        "as reaching it"
#define OPTION_ALIGN \
    "--align", "A", BY(read_count), IN_QUESTION(align), \
        "use only multiples of A for b, if --b is not given"
#define OPTION_DIVISORS \
    "--divisors", NULL, BY(read_switch), IN_QUESTION(divisors), \
        "use only divisors of n for b, if --b is not given"
#define OPTION_PLOT \
    "--plot", "FILE", &kind_of_plot, IN_QUESTION(plot), \
        "also draw the answer to FILE (.png, .pdf or .svg), or on the terminal for - (needs " \
        "gnuplot)"
#define OPTION_JSON "--json", NULL, BY(read_json), IN_QUESTION(output), "print JSON"
#define OPTION_CSV "--csv", NULL, BY(read_csv), IN_QUESTION(output), "print CSV"
#define OPTIONS_END NULL, NULL, NULL, 0, NULL

/* Several rows: which rows of which k, the same with shapes that reach a recall, what b must be,
 * and the end of most tables. */
#define OPTIONS_ROW \
    {OPTION_N}, \
    { \
        OPTION_K \
    }
#define OPTIONS_REACHING \
    OPTIONS_ROW, {OPTION_KB}, {OPTION_B_REACHING}, {OPTION_VALID}, {OPTION_ASSIGNMENT}, \
    { \
        OPTION_RECALL \
    }
#define OPTIONS_RESTRICTION \
    {OPTION_ALIGN}, \
    { \
        OPTION_DIVISORS \
    }
#define OPTIONS_FORM \
    {OPTION_JSON}, {OPTION_CSV}, \
    { \
        OPTIONS_END \
    }

/* Says that a profile is of another CPU, if --device did not give its whole name: a line of the
 * answer. Returns how many it printed. */
unsigned print_other_cpu(const struct device_option *device);

const char *assignment_name(enum rcm_assignment assignment);

#endif
