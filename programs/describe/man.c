/* man.c - man pages.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include <programs/common/table.h>

#include "describe.h"
#include "text.h"

/* ---- characters */

#define SOURCE_WIDTH 79 /* bytes of a line of the page's source */

/* What a letter is in the source; NULL: itself. */
static const char *escaped(char letter)
{
    switch (letter) {
    case '\\':
        return "\\e";
    case '-':
        return "\\-";
    case '^':
        return "\\(ha";
    case '~':
        return "\\(ti";
    case '`':
        return "\\(ga";
    default:
        return NULL;
    }
}

static void put_letter(FILE *file, char letter)
{
    if (escaped(letter))
        fputs(escaped(letter), file);
    else
        putc(letter, file);
}

static void put_plain(FILE *file, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        put_letter(file, text[i]);
}

static void put_bold(FILE *file, const char *text, size_t length)
{
    fputs("\\fB", file);
    put_plain(file, text, length);
    fputs("\\fP", file);
}

/* A word without blanks, in which options are bold. */
static void put_word(FILE *file, const char *text, const char *word, size_t length)
{
    for (const char *at = word; at < word + length; at++) {
        const size_t option = option_at(text, at);
        if (option)
            put_bold(file, at, option);
        else
            put_letter(file, *at);
        at += option ? option - 1 : 0;
    }
}

/* How many bytes a word is in the source, at most. */
static size_t source_length(const char *word, size_t length)
{
    size_t sum = memchr(word, '-', length) ? 6 : 0; /* bold */
    for (size_t i = 0; i < length; i++)
        sum += escaped(word[i]) ? strlen(escaped(word[i])) : 1;
    return sum;
}

static bool ends_sentence(const char *word, size_t length)
{
    return length > 2 && word[length - 1] == '.' && isalpha((unsigned char)word[length - 2]) &&
           word[length] == ' ' && isupper((unsigned char)word[length + 1]);
}

/* Text in lines of the source. Each sentence begins one. */
static void put_text(FILE *file, const char *text, size_t length)
{
    const char *end = text + length, *word = text;
    size_t column = 0;
    while (word < end) {
        size_t letters = strcspn(word, " \n");
        letters = word + letters > end ? (size_t)(end - word) : letters;
        if (column > 0)
            putc(column + source_length(word, letters) < SOURCE_WIDTH ? ' ' : '\n', file);
        if (column + source_length(word, letters) >= SOURCE_WIDTH)
            column = 0;
        if (column == 0 && strchr(".'", *word))
            fputs("\\&", file);
        put_word(file, text, word, letters);
        column += source_length(word, letters) + 1;
        if (word + letters < end && ends_sentence(word, letters)) {
            putc('\n', file);
            column = 0;
        }
        word += letters;
        while (word < end && strchr(" \n", *word))
            word++;
    }
    putc('\n', file);
}

static void put_upper(FILE *file, const char *text)
{
    for (; *text; text++)
        put_letter(file, (char)toupper((unsigned char)*text));
}

/* "which b" as "Which b.". */
static void put_sentence(FILE *file, const char *text)
{
    char line[400];
    snprintf(line, sizeof line, "%c%s.", toupper((unsigned char)*text), text + 1);
    put_text(file, line, strlen(line));
}

/* ---- parts of a page */

static void put_section(FILE *file, const char *title)
{
    fputs(".SH \"", file);
    put_upper(file, title);
    fputs("\"\n", file);
}

static void put_code(FILE *file, const char *line, size_t length)
{
    if (length && strchr(".'", *line))
        fputs("\\&", file);
    put_plain(file, line, length);
    putc('\n', file);
}

/* A text of several parts. A paragraph begins behind a gap. */
static void put_parts(FILE *file, const char *text)
{
    struct text_part part;
    enum text_kind before = TEXT_PARAGRAPH;
    bool gap = false;
    while ((part = text_part(&text)).kind != TEXT_END) {
        if (part.kind == TEXT_GAP) {
            gap = before != TEXT_CODE;
            if (before == TEXT_CODE)
                putc('\n', file);
            continue;
        }
        if (before == TEXT_CODE && part.kind != TEXT_CODE)
            fputs(".fi\n.PP\n", file);
        else if (part.kind == TEXT_PARAGRAPH && (gap || before == TEXT_ITEM))
            fputs(".PP\n", file);
        if (part.kind == TEXT_CODE) {
            if (before != TEXT_CODE)
                fputs(".PP\n.nf\n", file);
            put_code(file, part.text, part.length);
        } else if (part.kind == TEXT_ITEM) {
            fputs(".TP\n", file);
            put_bold(file, part.name, part.name_length);
            putc('\n', file);
            put_text(file, part.text, part.length);
        } else {
            put_text(file, part.text, part.length);
        }
        before = part.kind;
        gap = false;
    }
    if (before == TEXT_CODE)
        fputs(".fi\n", file);
}

static void put_options(FILE *file, const struct command *command)
{
    char values[VALUES_TEXT];
    for (const struct argument *option = command->options; option->option; option++) {
        fputs(".TP\n", file);
        put_bold(file, option->option, strlen(option->option));
        if (option->value)
            fprintf(file, " \\fI%s\\fP", option->value);
        putc('\n', file);
        put_text(file, option->help, strlen(option->help));
        describe_values(command, option, values);
        if (*values) {
            fputs(".br\n", file);
            put_text(file, values, strlen(values));
        }
    }
    fputs(".TP\n\\fB\\-\\-help\\fP, \\fB\\-h\\fP\nprint help\n", file);
}

/* The names in CSV, and the paths in JSON where they differ. */
static void put_columns(FILE *file, const struct command *command)
{
    struct table *table = table_of(command->columns, ~0U);
    size_t length;
    const struct column *columns = table_columns(table, &length);
    put_section(file, "columns of a row");
    fputs(".PD 0\n", file);
    for (size_t i = 0; i < length; i++) {
        const struct column *c = &columns[i];
        const bool same = c->csv && c->json && strcmp(c->csv, c->json) == 0;
        if (!c->csv && !c->json)
            continue;
        fputs(".TP\n", file);
        put_bold(file, c->csv ? c->csv : c->json, strlen(c->csv ? c->csv : c->json));
        fprintf(file, "\n%s%s", column_type_name(c), c->when ? ", with some options" : "");
        if (c->csv && c->json && !same) {
            fputs("; in JSON ", file);
            put_plain(file, c->json, strlen(c->json));
        } else if (!same) {
            fputs(c->csv ? "; in CSV alone" : "; in JSON alone", file);
        }
        putc('\n', file);
    }
    fputs(".PD\n", file);
    table_free(table);
}

static void put_examples(FILE *file, const char *example)
{
    const char *line;
    size_t length;
    while ((line = example_line(&example, &length)))
        put_code(file, line, length);
}

static void put_sections(FILE *file, const struct section *sections, const char *command)
{
    while ((sections = section_of(sections, command))) {
        put_section(file, sections->title);
        put_parts(file, (sections++)->text);
    }
}

/* "recallmodel-select", with hyphens that can be copied. */
static void put_page_name(FILE *file, const struct program *program, const struct command *command)
{
    put_plain(file, program->name, strlen(program->name));
    if (command) {
        fputs("\\-", file);
        put_plain(file, command->name, strlen(command->name));
    }
}

static void put_see(FILE *file, const struct program *program, const struct command *command,
                    const char *after)
{
    fputs(".BR ", file);
    put_page_name(file, program, command);
    fprintf(file, " (1)%s\n", after);
}

static bool is_related(const struct program *program, const struct command *one,
                       const struct command *other)
{
    bool related = names_command(one->detail, program, other);
    for (const struct argument *option = one->options; option->option; option++)
        related = related || names_command(option->help, program, other);
    return related && one != other;
}

/* ---- pages */

static void put_head(FILE *file, const struct program *program, const struct command *command)
{
    fprintf(file, ".\\\" Made from the tables of options. SPDX-License-Identifier: Apache-2.0\n");
    fputs(".TH ", file);
    put_upper(file, program->name);
    if (command) {
        fputs("\\-", file);
        put_upper(file, command->name);
    }
    fprintf(file, " 1 \"%s\" \"%s %s\" \"User Commands\"\n.nh\n.ad l\n.SH NAME\n", program->date,
            program->name, program->version);
    put_page_name(file, program, command);
    const char *summary = command ? command->summary : program->summary;
    fputs(" \\-\n", file);
    put_text(file, summary, strlen(summary));
    put_section(file, "synopsis");
}

static void put_usage(FILE *file, const struct program *program, const struct command *command)
{
    const bool usual = program->usual && command == program->commands[0];
    put_bold(file, program->name, strlen(program->name));
    fputs(usual ? " [" : " ", file);
    put_bold(file, command->name, strlen(command->name));
    fputs(usual ? "]" : "", file);
    for (const struct command *const *part = command->parts; part && *part; part++) {
        fputs(part == command->parts ? " " : "|", file);
        put_bold(file, (*part)->name, strlen((*part)->name));
    }
    if (command->bare) {
        const struct argument *bare =
            &command->options[argument_row(command->options, command->bare, strlen(command->bare))];
        fprintf(file, " [\\fI%s\\fP]", bare->value);
    }
    fputs(" [\\fIoptions\\fP]\n", file);
}

static void put_command(FILE *file, const struct program *program, const struct command *command)
{
    put_head(file, program, command);
    put_usage(file, program, command);
    put_section(file, "description");
    put_sentence(file, command->summary);
    if (command->detail) {
        if (*command->detail != ' ')
            fputs(".PP\n", file);
        put_parts(file, command->detail);
    }
    put_section(file, "options");
    if (!command->parts)
        put_options(file, command);
    for (const struct command *const *part = command->parts; part && *part; part++) {
        fputs(".SS \"Options of ", file);
        put_plain(file, command->name, strlen(command->name));
        putc(' ', file);
        put_plain(file, (*part)->name, strlen((*part)->name));
        fputs("\"\n", file);
        put_options(file, *part);
    }
    if (command->columns)
        put_columns(file, command);
    put_sections(file, program->sections, command->name);
    put_section(file, "examples");
    fputs(".nf\n", file);
    put_examples(file, command->example);
    fputs(".fi\n", file);
    put_sections(file, program->shared, NULL);
    put_section(file, "see also");
    for (size_t i = 0; i < program->length; i++)
        if (is_related(program, command, program->commands[i]))
            put_see(file, program, program->commands[i], ",");
    put_see(file, program, NULL, "");
    if (!command->no_numbers)
        fputs("\\- how numbers and lists are written\n", file);
}

static void put_program(FILE *file, const struct program *program)
{
    put_head(file, program, NULL);
    for (size_t i = 0; i < program->length; i++) {
        if (i > 0)
            fputs(".br\n", file);
        put_usage(file, program, program->commands[i]);
    }
    put_section(file, "description");
    put_parts(file, program->about);
    put_section(file, "commands");
    for (size_t i = 0; i < program->length; i++) {
        fputs(".TP\n", file);
        put_see(file, program, program->commands[i], "");
        put_text(file, program->commands[i]->summary, strlen(program->commands[i]->summary));
    }
    put_sections(file, program->sections, NULL);
    put_sections(file, program->shared, NULL);
    put_section(file, "examples");
    fputs(".nf\n", file);
    for (size_t i = 0; i < program->length; i++)
        put_examples(file, program->commands[i]->example);
    fputs(".fi\n", file);
    put_section(file, "see also");
    for (size_t i = 0; i < program->length; i++)
        put_see(file, program, program->commands[i], i + 1 < program->length ? "," : "");
    fputs(".PP\n", file);
    put_text(file, program->see, strlen(program->see));
}

const struct format man_format = {.name = "man",
                                  .program_in_names = true,
                                  .ending = ".1",
                                  .put_program = put_program,
                                  .put_command = put_command};
