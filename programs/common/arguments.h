/* arguments.h - the command line of a command: a table of options, read into a struct.
 *
 * An option is one row: its name, what --help calls its value, the kind of its values, where in
 * the command's settings it goes, and one line of help. A table ends with a row without a
 * name. Options are written --name VALUE or --name=VALUE, each at most once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <base/number.h>

#include "error.h"

/* Reads the value of an option into `to`. Returns STATUS_OK, or STATUS_USAGE after one line on
 * stderr that names the option and says how to mend it. `value` is NULL for a switch. */
typedef int argument_reader(void *to, const char *option, const char *value);

/* The i-th of some names; NULL after the last of them, where they are counted by that. */
typedef const char *name_at(unsigned i);
#define UNTIL_NULL UINT_MAX

/* How a value is read, and what it can be, which completion offers and the manual lists. */
struct value_kind {
    argument_reader *read;
    name_at *names;      /* until NULL; NULL: no names */
    const char *also;    /* a name before these, such as "all"; NULL: none */
    const char *endings; /* of the files that it may name, "csv txt"; NULL: it names none */
    bool runs;           /* may it be the name of measured runs (runs_folder.h)? */
    bool of_machine;     /* has another machine other names? */
};

/* A kind for one row: KIND(read_shell, .names = shell_at), or just what reads it. */
#define KIND(reader, ...) (&(const struct value_kind){.read = (reader), __VA_ARGS__})
#define BY(reader) KIND(reader, .names = NULL)

struct argument {
    const char *option; /* "--n" or "-o" */
    const char *value;  /* what --help calls the value, such as "LIST"; NULL: a switch */
    const struct value_kind *kind;
    size_t at;        /* so many bytes from the beginning of the settings it goes */
    const char *help; /* long lines are wrapped; '\n' ends a line, too */
};

#define ARGUMENTS_MAX 80 /* rows of a table */

/* What must hold between the options of a table, whatever their values are: where one of `options`
 * is given, so are all of `needs`, and none of `excludes`. Each has names with blanks between them.
 * `why` says why ("the file has the shapes"). All may be left out. The rules end with {0}. */
struct argument_rule {
    const char *options, *needs, *excludes, *why;
};

/* Reads all arguments into the settings. Returns STATUS_OK; STATUS_HELP where --help or -h was
 * among them and all of them are right; STATUS_USAGE after one line on stderr. */
int arguments_read(const struct argument *table, void *settings, int count, char **arguments);

/* The same with rules (NULL: none) and where one argument may stand without the name of its option,
 * which is `bare` (NULL: none may). */
int arguments_read_ruled(const struct argument *table, const struct argument_rule *rules,
                         const char *bare, void *settings, int count, char **arguments);

/* The row of the option whose name is the first `length` characters, or the end of the table. */
size_t argument_row(const struct argument *table, const char *name, size_t length);

/* Prints the options and their help, for --help. */
void arguments_describe(const struct argument *table);

/* ---- readers of common values; `to` points to the type that is named */

argument_reader read_switch;        /* bool */
argument_reader read_text;          /* const char *; not empty */
argument_reader read_count;         /* uint64_t, from 1 on */
argument_reader read_seed;          /* uint64_t, from 0 on */
argument_reader read_threads;       /* uint64_t, from 1 to 4096 */
argument_reader read_us;            /* double, microseconds above 0 */
argument_reader read_counts;        /* struct count_list; the caller frees its items */
argument_reader read_one_count;     /* struct count_list of one item */
argument_reader read_sorted_counts; /* struct count_list, ascending, each once */
argument_reader read_decimals;      /* struct decimal_list; the caller frees its items */
argument_reader read_probability;   /* struct fraction, in (0, 1) */
argument_reader read_recall;        /* struct fraction, in (0, 1] */

struct fraction {
    struct decimal value;
    bool given;
};

/* What a message repeats of a value: %.*s with VALUE_SHOWN. */
#define VALUE_SHOWN 60

/* ---- values that are names */

/* Appends a name to a list of them, "a, b, c", as far as there is room. */
void append_name(char *names, size_t size, const char *name);

/* The i-th name that a value can be; NULL after the last. */
const char *value_name(const struct value_kind *kind, unsigned i);

/* Say that a value or a subcommand is none of the names name(i), i < count, and list these, or, for
 * a subcommand, suggest the nearest. Return STATUS_USAGE. */
int unknown_name(const char *option, const char *value, name_at *name, unsigned count);
int unknown_subcommand(const char *typed, name_at *name, unsigned count);

/* Says that a value is the beginning of several names ("a, b"), or of none (""); then it lists the
 * names name(i) until NULL and `also`, what else may be given. Returns STATUS_USAGE. */
int unclear_name(const char *option, const char *value, const char *several, name_at *name,
                 const char *also);

/* The place of a name among them. Returns a status, after one line on stderr that lists them. */
int read_name(const char *option, const char *value, name_at *name, unsigned count,
              unsigned *found);

/* For each name of a comma-separated list, in order, its place among `names`: name(i), i < count.
 * A name that is given twice counts once. found[] has room for `count`. Returns a status, after one
 * line on stderr that lists the names. */
int read_names(const char *option, const char *value, name_at *name, unsigned count,
               unsigned *found, unsigned *length);

#endif
