/* describe.c - what all formats share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "describe.h"

#include <ctype.h>
#include <string.h>

const struct section *section_of(const struct section *sections, const char *command)
{
    for (; sections && sections->title; sections++)
        if (command && sections->command ? strcmp(command, sections->command) == 0
                                         : command == sections->command)
            return sections;
    return NULL;
}

bool names_command(const char *text, const struct program *program, const struct command *command)
{
    char name[80];
    snprintf(name, sizeof name, "%s %s", program->name, command->name);
    for (const char *at = text; at && (at = strstr(at, name)); at++)
        if (!strchr("-abcdefghijklmnopqrstuvwxyz", at[strlen(name)]) || !at[strlen(name)])
            return true;
    return false;
}

/* Does the help say the name, between other characters than letters and digits? */
static bool help_says(const char *help, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = help; (at = strstr(at, name)); at++)
        if ((at == help || !isalnum((unsigned char)at[-1])) &&
            !isalnum((unsigned char)at[length]) && at[length] != '-')
            return true;
    return false;
}

void describe_values(const struct command *command, const struct argument *option,
                     char text[VALUES_TEXT])
{
    const struct value_kind *kind = option->kind;
    size_t length = 0;
    unsigned count = 0, said = 0;
    *text = '\0';
    if (!option->value || kind->of_machine)
        return;
    const bool list = strcmp(option->value, "LIST") == 0;
    if (command->begin)
        command->begin();
    while (value_name(kind, count))
        said += help_says(option->help, value_name(kind, count++));
    if (said == count)
        return;
    for (unsigned i = 0; i < count && length < VALUES_TEXT; i++)
        length += (size_t)snprintf(text + length, VALUES_TEXT - length, "%s%s",
                                   i                             ? ", "
                                   : list                        ? "Of: "
                                   : count > 1 && !kind->endings ? "One of: "
                                                                 : "One of, or a file: ",
                                   value_name(kind, i));
    if (length > 0 && length < VALUES_TEXT)
        snprintf(text + length, VALUES_TEXT - length, ".");
}
