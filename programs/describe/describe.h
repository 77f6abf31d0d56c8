/* describe.h - pages made from the tables of options: man pages, and the Markdown reference.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include <stdio.h>

#include <programs/common/subcommands.h>

/* What no table says. The text has the form that text.h reads. */
struct section {
    const char *command; /* the subcommand; NULL: the program */
    const char *title, *text;
};

/* A program: its table of subcommands, and more text about it. The last section has no title. */
struct program {
    const char *name, *summary, *about, *see; /* see: where there is more to read */
    const struct command *const *commands;
    size_t length;
    bool usual; /* the first subcommand runs if none is named */
    const struct section *sections;
    const struct section *shared; /* at the end of every page, such as EXIT STATUS */
    const char *version, *date;   /* date: YYYY-MM-DD */
};

/* A format: the name of a page's file ("%s": the name of the page), and what writes the page of the
 * program, or of a subcommand. */
struct format {
    const char *name;
    bool program_in_names; /* recallmodel-select, not select */
    const char *index;     /* the name of the page of the program; NULL: its own name */
    const char *ending;
    void (*put_program)(FILE *file, const struct program *program);
    void (*put_command)(FILE *file, const struct program *program, const struct command *command);
};

extern const struct format man_format, markdown_format;

/* The first of these sections that is of the subcommand (NULL: of the program); NULL: none. */
const struct section *section_of(const struct section *sections, const char *command);

/* Is the subcommand named in a text, as "recallmodel select"? */
bool names_command(const char *text, const struct program *program, const struct command *command);

/* What is said of the values of an option, "One of: a, b, c.", or "". */
#define VALUES_TEXT 2000
void describe_values(const struct command *command, const struct argument *option,
                     char text[VALUES_TEXT]);

#endif
