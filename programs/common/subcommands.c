/* subcommands.c - see subcommands.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "subcommands.h"

#include <ctype.h>
#include <string.h>

#include "wrap.h"

const struct command *command_by_name(const struct command *const *table, size_t count,
                                      const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, table[i]->name) == 0 ||
            (table[i]->second_name && strcmp(name, table[i]->second_name) == 0))
            return table[i];
    return NULL;
}

void commands_list(FILE *file, const struct command *const *table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (table[i]->group)
            fprintf(file, "%s%s\n", i > 0 ? "\n" : "", table[i]->group);
        fprintf(file, "  %-12s  %s\n", table[i]->name, table[i]->summary);
    }
}

void help_options(const struct command *command, bool usual)
{
    printf("usage: %s %s%s%s%s\n\n%c%s.\n\n", program_name(), usual ? "[" : "", command->name,
           usual ? "]" : "", command->options->option ? " [options]" : "",
           toupper((unsigned char)*command->summary), command->summary + 1);
    arguments_describe(command->options);
}

void help_numbers(const struct command *command, bool fractions)
{
    if (command->no_numbers)
        return;
    printf("\nNumbers: 262144, 128_256, 2^18, 256Ki (of 1024), 128k, 1M (of 1000), 1e6.\n"
           "Lists: 1,2,4 or 1..8%s.\n",
           fractions ? "; lists of fractions: 0.8,0.9 or 0.8:0.05:0.95" : "");
}

void help_example(const struct command *command)
{
    const char *line = command->example;
    puts("\nExample:");
    while (*line) { /* each line is indented alike */
        const size_t length = strcspn(line, "\n");
        const size_t blanks = strspn(line, " ");
        printf("  %.*s\n", (int)(length - blanks), line + blanks);
        line += length + (line[length] == '\n');
    }
    if (command->detail)
        print_wrapped("\n%s", command->detail);
}

void report_out_of_memory(void)
{
    fprintf(stderr, "%s: out of memory; ask for fewer values at once\n", program_name());
}
