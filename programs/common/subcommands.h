/* subcommands.h - a subcommand of a program: its name, its help, its options, and what runs it.
 *
 * Each program has a table of them, and each file command_NAME.c defines one, or those that share
 * their settings.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SUBCOMMANDS_H
#define SUBCOMMANDS_H

#include <stdio.h>

#include "arguments.h"

struct columns;

struct command {
    const char *name;
    const char *second_name; /* that it is also found by, and no list shows; NULL: none */
    const char *summary;     /* one line, which begins with a small letter */
    const char *group;       /* a line above it in the list of commands; NULL: it goes on */
    const char *example;     /* a command line that works, or several */
    const char *detail;      /* what the answer means; NULL: nothing more to say */
    const struct argument *options;
    const struct columns *columns; /* of a row of the answer in CSV and JSON; NULL: not told */
    bool no_numbers;  /* no option takes a number, so that --help does not say how to write one */
    const char *bare; /* the option whose name may be left out before its value; NULL: none */
    const char *missing; /* why this program cannot run it, with the mend; NULL: it can */

    /* What may stand behind the name of the command, each with options of its own, such as "stage1"
     * in "bench stage1". The last one is NULL. NULL: nothing may. */
    const struct command *const *parts;

    /* Is called before completion or the manual asks for the names of values. NULL: no need. */
    void (*begin)(void);

    /* Reads the arguments behind the name of the command, prints the whole answer, or one line on
     * stderr, and returns a status; STATUS_HELP if help is asked for. */
    int (*run)(int count, char **arguments);
};

/* The command of that name, or of that second name, in a table of `count`, or NULL. */
const struct command *command_by_name(const struct command *const *table, size_t count,
                                      const char *name);

/* Prints a line for each command of a table: its name and its summary; above it that of its group.
 */
void commands_list(FILE *file, const struct command *const *table, size_t count);

/* The parts of --help, in the order in which they are printed. `usual`: the program runs this
 * command if none is named. `fractions`: the program has options that take lists of fractions. */
void help_options(const struct command *command, bool usual);
void help_numbers(const struct command *command, bool fractions);
void help_example(const struct command *command);

/* One line on stderr that says that memory ran out. */
void report_out_of_memory(void);

#endif
