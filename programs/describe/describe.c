/* describe.c - what all formats share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "describe.h"

#include <ctype.h>
#include <string.h>

#include <programs/common/option_values.h>

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
    const struct option_values values = option_values(command, option);
    const bool paths = values.files && strcmp(option->value, "FILE") != 0 &&
                       strcmp(option->value, "PATH") != 0 && !values.list;
    size_t length = 0, said = 0;
    *text = '\0';
    while (said < values.length && help_says(option->help, values.names[said]))
        said++;
    if (said == values.length || values.of_machine)
        return;
    for (unsigned i = 0; i < values.length && length < VALUES_TEXT; i++)
        length += (size_t)snprintf(text + length, VALUES_TEXT - length, "%s%s",
                                   i                             ? ", "
                                   : values.list && !paths       ? "Of: "
                                   : values.length > 1 && !paths ? "One of: "
                                                                 : "One of, or a file: ",
                                   values.names[i]);
    if (length > 0 && length < VALUES_TEXT)
        snprintf(text + length, VALUES_TEXT - length, ".");
}
