/* markdown.c - the reference of the commands in Markdown.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include <programs/common/table.h>

#include "describe.h"
#include "text.h"

/* ---- text */

/* Options as code; in a table `|` would end the cell. */
static void put_text(FILE *file, const char *text, size_t length)
{
    for (const char *at = text; at < text + length; at++) {
        const size_t option = option_at(text, at);
        if (option) {
            fprintf(file, "`%.*s`", (int)option, at);
            at += option - 1;
        } else if (*at == '\n') {
            putc(' ', file);
        } else if (*at == '<') {
            fputs("&lt;", file);
        } else if (*at == '|') {
            fputs("&#124;", file);
        } else {
            if (strchr("\\`*_[]", *at))
                putc('\\', file);
            putc(*at, file);
        }
    }
}

static void put_line(FILE *file, const char *text)
{
    put_text(file, text, strlen(text));
    putc('\n', file);
}

static void put_parts(FILE *file, const char *text)
{
    struct text_part part;
    enum text_kind before = TEXT_GAP;
    while ((part = text_part(&text)).kind != TEXT_END) {
        if (before == TEXT_CODE && part.kind != TEXT_CODE)
            fputs("```\n", file);
        if (part.kind == TEXT_CODE && before != TEXT_CODE)
            fputs(before == TEXT_GAP ? "```\n" : "\n```\n", file);
        if ((part.kind == TEXT_ITEM || part.kind == TEXT_PARAGRAPH) && before != TEXT_GAP &&
            before != part.kind)
            putc('\n', file);
        if (part.kind == TEXT_CODE) {
            fprintf(file, "%.*s", (int)part.length, part.text);
        } else if (part.kind == TEXT_ITEM) {
            fprintf(file, "- `%.*s`: ", (int)part.name_length, part.name);
            put_text(file, part.text, part.length);
        } else {
            put_text(file, part.text, part.length);
        }
        putc('\n', file);
        before = part.kind;
    }
    if (before == TEXT_CODE)
        fputs("```\n", file);
}

/* ---- parts of a page */

static void put_options(FILE *file, const struct command *command)
{
    char values[VALUES_TEXT];
    fputs("| Option | What it does |\n|---|---|\n", file);
    for (const struct argument *option = command->options; option->option; option++) {
        fprintf(file, "| `%s%s%s` | ", option->option, option->value ? " " : "",
                option->value ? option->value : "");
        put_text(file, option->help, strlen(option->help));
        describe_values(command, option, values);
        if (*values)
            fputs(". ", file);
        put_text(file, values, strlen(values));
        fputs(" |\n", file);
    }
    fputs("| `--help`, `-h` | print help |\n", file);
}

static void put_examples(FILE *file, const char *example)
{
    const char *line;
    size_t length;
    fputs("```\n", file);
    while ((line = example_line(&example, &length)))
        fprintf(file, "%.*s\n", (int)length, line);
    fputs("```\n", file);
}

static void put_usage(FILE *file, const struct program *program, const struct command *command)
{
    const bool usual = program->usual && command == program->commands[0];
    fprintf(file, "```\n%s %s%s%s", program->name, usual ? "[" : "", command->name,
            usual ? "]" : "");
    for (const struct command *const *part = command->parts; part && *part; part++)
        fprintf(file, "%c%s", part == command->parts ? ' ' : '|', (*part)->name);
    if (command->bare)
        fprintf(
            file, " [%s]",
            command->options[argument_row(command->options, command->bare, strlen(command->bare))]
                .value);
    fputs(" [options]\n```\n", file);
}

static void put_sections(FILE *file, const struct section *sections, const char *command)
{
    while ((sections = section_of(sections, command))) {
        fprintf(file, "\n## %s\n\n", sections->title);
        put_parts(file, (sections++)->text);
    }
}

/* The columns of CSV, and the paths of JSON where they differ. */
static void put_columns(FILE *file, const struct command *command)
{
    struct table *table = table_of(command->columns, ~0U);
    size_t length;
    const struct column *columns = table_columns(table, &length);
    fputs("\n## Columns of a row\n\n| CSV | JSON | Value | |\n|---|---|---|---|\n", file);
    for (size_t i = 0; i < length; i++) {
        const struct column *c = &columns[i];
        if (!c->csv && !c->json)
            continue;
        fprintf(file, c->csv ? "| `%s` " : "| ", c->csv);
        fprintf(file, c->json ? "| `%s` " : "| ", c->json);
        fprintf(file, "| %s | %s |\n", column_type_name(c), c->when ? "with some options" : "");
    }
    table_free(table);
}

/* ---- pages */

static void put_command(FILE *file, const struct program *program, const struct command *command)
{
    fprintf(file, "# %s %s\n\n%c", program->name, command->name,
            toupper((unsigned char)*command->summary));
    put_text(file, command->summary + 1, strlen(command->summary) - 1);
    fputs(".\n\n", file);
    put_usage(file, program, command);
    fputs("\n## Example\n\n", file);
    put_examples(file, command->example);
    if (command->detail) {
        fputs("\n## The answer\n\n", file);
        put_parts(file, command->detail);
    }
    if (!command->parts) {
        fputs("\n## Options\n\n", file);
        put_options(file, command);
    }
    for (const struct command *const *part = command->parts; part && *part; part++) {
        fprintf(file, "\n## Options of %s %s\n\n%c", command->name, (*part)->name,
                toupper((unsigned char)*(*part)->summary));
        put_line(file, (*part)->summary + 1);
        putc('\n', file);
        put_options(file, *part);
    }
    if (command->columns)
        put_columns(file, command);
    put_sections(file, program->sections, command->name);
}

static void put_program(FILE *file, const struct program *program)
{
    fprintf(file, "# %s\n\n", program->name);
    put_parts(file, program->about);
    fputs("\n## Subcommands\n\n| Subcommand | What it prints |\n|---|---|\n", file);
    for (size_t i = 0; i < program->length; i++) {
        const char *name = program->commands[i]->name;
        fprintf(file, "| [%s](%s.md) | ", name, name);
        put_text(file, program->commands[i]->summary, strlen(program->commands[i]->summary));
        fputs(" |\n", file);
    }
    put_sections(file, program->sections, NULL);
    put_sections(file, program->shared, NULL);
}

const struct format markdown_format = {.name = "markdown",
                                       .index = "index",
                                       .ending = ".md",
                                       .put_program = put_program,
                                       .put_command = put_command};
