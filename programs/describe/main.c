/* main.c - describe: writes the pages of the command from its tables of options.
 *
 *   describe man|markdown FOLDER [SECONDS]
 *
 * SECONDS since 1970 is the date of the pages; without it, today is. The build runs it; it is not
 * installed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <model/recallmodel.h>
#include <programs/recallmodel/commands.h>

#include "describe.h"
#include "manual.h"

static int write_page(const struct format *format, const char *folder,
                      const struct program *program, const struct command *command)
{
    char path[4096];
    const char *name = command ? command->name : format->index ? format->index : program->name;
    snprintf(path, sizeof path, "%s/%s%s%s%s", folder,
             command && format->program_in_names ? program->name : "",
             command && format->program_in_names ? "-" : "", name, format->ending);
    FILE *file = fopen(path, "w");
    if (file && command)
        format->put_command(file, program, command);
    else if (file)
        format->put_program(file, program);
    if (file && ferror(file) == 0 && fclose(file) == 0)
        return 0;
    fprintf(stderr, "describe: %s: %s\n", path, strerror(errno));
    return 1;
}

int main(int count, char **arguments)
{
    static const struct format *const formats[] = {&man_format, &markdown_format};
    const struct format *format = NULL;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (count > 2 && strcmp(arguments[1], formats[i]->name) == 0)
            format = formats[i];
    if (!format) {
        fputs("usage: describe man|markdown FOLDER [SECONDS]\n", stderr);
        return 2;
    }
    char date[20];
    const time_t seconds = count > 3 ? (time_t)atoll(arguments[3]) : time(NULL);
    const struct tm *day = gmtime(&seconds);
    if (!day) {
        fputs("describe: SECONDS is no time\n", stderr);
        return 2;
    }
    strftime(date, sizeof date, "%Y-%m-%d", day);
    struct program program = manual;
    program.commands = commands;
    program.length = commands_length;
    program.version = rcm_version();
    program.date = date;
    int failed = write_page(format, arguments[2], &program, NULL);
    for (size_t i = 0; i < program.length && !failed; i++)
        failed = write_page(format, arguments[2], &program, program.commands[i]);
    return failed;
}
