/* complete.c - see complete.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "complete.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <programs/common/runs_folder.h>

#include "commands.h"

#define TEXT_SHOWN 72 /* of what an option is */

static bool begins(const char *name, const char *typed)
{
    return strncasecmp(name, typed, strlen(typed)) == 0;
}

/* ---- words with what they are */

/* The first part of a text, on one line. */
static void put_text(const char *text)
{
    size_t length = strcspn(text, ";");
    if (length > TEXT_SHOWN) {
        length = TEXT_SHOWN;
        while (text[length] != ' ' && text[length] != '\n')
            length--;
    }
    putchar('\t');
    for (size_t i = 0; i < length; i++)
        putchar(text[i] == '\n' ? ' ' : text[i]);
    puts(text[length] && text[length] != ';' ? " .." : "");
}

static void put_word(const char *name, const char *text, const char *typed)
{
    if (!begins(name, typed))
        return;
    fputs(name, stdout);
    put_text(text);
}

static void put_commands(const char *typed)
{
    for (size_t i = 0; i < commands_length; i++)
        put_word(commands[i]->name, commands[i]->summary, typed);
    put_word("help", "prints the options of a subcommand", typed);
}

/* ---- values */

/* Is the name among those between commas? */
static bool is_listed(const char *name, const char *list, size_t length)
{
    for (const char *at = list; at < list + length; at += strcspn(at, ",") + 1)
        if (strlen(name) == strcspn(at, ",") && strncmp(name, at, strlen(name)) == 0)
            return true;
    return false;
}

/* A shell may put a name into its line as it is. That of an index could be anything. */
static bool is_plain(const char *name)
{
    return *name != '-' && name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789._/-")] == '\0';
}

static void put_runs(const char *begin, int length, const char *typed)
{
    char error[CSV_ERROR];
    struct runs_index index;
    if (runs_index_read(&index, MESSAGE(error)) != 0)
        return;
    for (size_t row = 0; row < index.csv.rows; row++) {
        const char *name = runs_index_field(&index, row, RUNS_NAME);
        if (begins(name, typed) && is_plain(name))
            printf("%.*s%s\t%s\n", length, begin, name, runs_index_field(&index, row, RUNS_WHAT));
    }
    runs_index_free(&index);
}

/* The values of an option. `word` is the whole word, whose value begins at `value`. */
static void put_values(const struct command *command, const struct argument *option,
                       const char *word, const char *value)
{
    const struct value_kind *kind = option->kind;
    const bool list = strcmp(option->value, "LIST") == 0;
    const char *comma = list ? strrchr(value, ',') : NULL;
    const char *typed = comma ? comma + 1 : value, *name;
    const int begin = (int)(typed - word); /* so much of the word stays */
    if (command->begin)
        command->begin();
    for (unsigned i = 0; (name = value_name(kind, i)); i++)
        if (begins(name, typed) && !is_listed(name, value, (size_t)(typed - value)))
            printf("%.*s%s\n", begin, word, name);
    if (kind->runs)
        put_runs(word, begin, typed);
    if (kind->endings || strcmp(option->value, "FILE") == 0 || strcmp(option->value, "PATH") == 0)
        printf(":files\t%s\t%.*s\n", kind->endings ? kind->endings : "*", begin, word);
    if (strcmp(option->value, "FOLDER") == 0)
        printf(":folders\t*\t%.*s\n", begin, word);
}

/* ---- options */

struct line {
    const struct command *command;
    const struct argument *open; /* the option whose value is next; NULL: none */
    bool given[ARGUMENTS_MAX], help;
};

static const struct argument *option_of(const struct line *line, const char *word, size_t length)
{
    const struct argument *option =
        &line->command->options[argument_row(line->command->options, word, length)];
    return option->option ? option : NULL;
}

static const struct argument *bare_of(const struct line *line)
{
    const char *bare = line->command->bare;
    const struct argument *option = bare ? option_of(line, bare, strlen(bare)) : NULL;
    return option && !line->given[option - line->command->options] ? option : NULL;
}

/* A word before the last one. */
static void take(struct line *line, const char *word)
{
    const size_t length = strcspn(word, "=");
    const struct argument *option = option_of(line, word, length), *bare = bare_of(line);
    if (line->open) {
        line->open = NULL;
        return;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        line->help = true;
    if (option) {
        line->given[option - line->command->options] = true;
        line->open = option->value && word[length] == '\0' ? option : NULL;
    } else if (bare && *word && *word != '-') {
        line->given[bare - line->command->options] = true;
    }
}

static void put_options(const struct line *line, const char *typed)
{
    const struct argument *options = line->command->options;
    for (size_t i = 0; options[i].option; i++)
        if (!line->given[i])
            put_word(options[i].option, options[i].help, typed);
    if (!line->help)
        put_word("--help", "print help", typed);
}

static void complete_options(const struct command *command, int count, char **words)
{
    struct line line = {.command = command};
    for (int i = 0; i < count - 1; i++)
        take(&line, words[i]);
    const char *last = words[count - 1];
    const size_t length = strcspn(last, "=");
    const struct argument *option = option_of(&line, last, length);
    if (line.open) {
        put_values(command, line.open, last, last);
    } else if (last[length] == '=') {
        if (option && option->value && !line.given[option - command->options])
            put_values(command, option, last, last + length + 1);
    } else {
        const struct argument *bare = *last == '-' ? NULL : bare_of(&line);
        if (bare)
            put_values(command, bare, last, last);
        put_options(&line, last);
    }
}

/* ---- the command line */

static const struct command *part_by_name(const struct command *command, const char *name)
{
    for (const struct command *const *part = command->parts; *part; part++)
        if (strcmp(name, (*part)->name) == 0)
            return *part;
    return NULL;
}

static void complete_parts(const struct command *command, int count, char **words)
{
    const struct command *part = part_by_name(command, words[0]);
    if (count == 1) {
        for (const struct command *const *at = command->parts; *at; at++)
            put_word((*at)->name, (*at)->summary, words[0]);
        put_word("--help", "print help", words[0]);
    } else if (part) {
        complete_options(part, count - 1, words + 1);
    }
}

void complete(int count, char **words)
{
    if (count == 0)
        return;
    if (strcmp(words[0], "help") == 0 && count == 2)
        put_commands(words[1]);
    if (count == 1 && *words[0] != '-') {
        put_commands(words[0]);
        return;
    }
    if (*words[0] == '-') {
        complete_options(commands[0], count, words);
        if (count == 1)
            put_word("--version", "print the version", words[0]);
        return;
    }
    const struct command *command = command_by_name(commands, commands_length, words[0]);
    if (command && command->parts)
        complete_parts(command, count - 1, words + 1);
    else if (command)
        complete_options(command, count - 1, words + 1);
}
