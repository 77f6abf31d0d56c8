/* option_values.h - what the values of an option can be, for completion and the manual.
 *
 * There is no list of that. The reader of the option is asked: it reads "?", which is no name and
 * no number. The names that it would list in its message are noted instead (arguments.h), and what
 * it offers by the functions below. By the value that --help shows, FILE and PATH are files, FOLDER
 * is a folder, and LIST takes several names with commas between them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OPTION_VALUES_H
#define OPTION_VALUES_H

#include "subcommands.h"

#define OPTION_NAMES_MAX 200

struct option_values {
    const char *names[OPTION_NAMES_MAX]; /* in the order of the messages */
    unsigned length;
    bool list;           /* of several, with commas between them */
    bool files, folders; /* paths; `files` with `folders`: files, or folders on the way to them */
    bool runs;           /* names of measured runs (runs_folder.h) */
    const char *endings; /* of the files, "csv txt"; NULL: any */
    bool of_machine;     /* another machine has other names */
};

/* What the values of an option of a command can be. Prints nothing. */
struct option_values option_values(const struct command *command, const struct argument *option);

/* ---- for readers. Outside option_values() these do nothing. */

/* Is the reader asked what its values can be, in place of reading one? */
bool values_are_asked(void);

/* Offers names: as many as name_at gives until NULL, at most `count`. Returns values_are_asked().
 * offer_name: one more, such as "all". */
bool offer_names(name_at *name, unsigned count);
void offer_name(const char *name);

/* Offers files with these endings (NULL: any), or the names of measured runs. */
void offer_files(const char *endings);
void offer_runs(void);

/* Says that the names are those of this machine. */
void names_are_of_machine(void);

#endif
