/* main.c - finds the subcommand, help, and the exit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>
#include <model/recallmodel.h>
#include <programs/common/json.h>
#include <sim/team.h>

#include "commands.h"

#ifndef RCM_GIT
#define RCM_GIT "unknown"
#endif

static void print_help(const struct command *command)
{
    const bool first = command == commands[0];
    help_options(command, first);
    help_numbers(command, true);
    help_example(command);
    if (!first)
        return;
    puts("\nSubcommands:");
    commands_list(stdout, commands, commands_length);
    puts("\nrecallmodel help SUBCOMMAND prints the options of a subcommand; recallmodel --version "
         "(-V)\nprints the version.");
}

/* The names that may stand first: those of the subcommands, and help. */
static const char *subcommand_at(unsigned i)
{
    return i < commands_length ? commands[i]->name : i == commands_length ? "help" : NULL;
}

/* Closes stdout. An answer that could not be written in full is an error. A reader that goes away,
 * as head does, is not an error: SIGPIPE ends the program; if SIGPIPE is ignored, the status is the
 * one that it would give. */
static int finish(int status)
{
    int failed = fflush(stdout) != 0 || ferror(stdout);
    int reason = failed ? errno : 0;
    if (fclose(stdout) != 0 && !failed) {
        failed = 1;
        reason = errno;
    }
    if (!failed)
        return status;
    if (reason == EPIPE)
        return STATUS_NO_READER;
    fprintf(stderr, "recallmodel: output could not be written%s%s\n", reason ? ": " : "",
            reason ? strerror(reason) : "");
    return STATUS_FAILED;
}

static int print_version(int count, char **arguments)
{
    if (count > 2)
        return usage_error("'%.60s' follows %s, which takes no arguments; leave it out",
                           arguments[2], arguments[1]);
    printf("recallmodel %s\n", rcm_version());
    return STATUS_OK;
}

/* recallmodel help [SUBCOMMAND] */
static int help_about(int count, char **arguments)
{
    const bool named = count > 2 && strcmp(arguments[2], "help") != 0;
    const struct command *command =
        named ? command_by_name(commands, commands_length, arguments[2]) : commands[0];
    if (!command)
        return unknown_subcommand(arguments[2], subcommand_at, UNTIL_NULL);
    if (count > 3)
        return usage_error("'%.60s' follows help %s, but help takes one subcommand; leave it out",
                           arguments[3], arguments[2]);
    print_help(command);
    return STATUS_OK;
}

static bool has_option(const struct command *command, const char *name, size_t length)
{
    const struct argument *option = command->options;
    while (option && option->option &&
           !(strlen(option->option) == length && strncmp(option->option, name, length) == 0))
        option++;
    return option && option->option;
}

/* Without a subcommand: is there an option that only subcommands have? */
static int check_subcommand_is_missing(int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        char names[200] = "";
        const size_t length = strcspn(arguments[i], "=");
        if (strncmp(arguments[i], "--", 2) != 0 || has_option(commands[0], arguments[i], length))
            continue;
        for (size_t j = 1; j < commands_length; j++)
            if (has_option(commands[j], arguments[i], length))
                snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                         *names ? ", " : "", commands[j]->name);
        if (*names)
            return usage_error("%.*s is an option of %s; name the subcommand first, as in "
                               "recallmodel %.*s ..",
                               (int)length, arguments[i], names, (int)strcspn(names, ","), names);
    }
    return STATUS_OK;
}

static int run_subcommand(int count, char **arguments)
{
    const struct command *command = commands[0];
    int first = 1;
    if (count > 1 && (strcmp(arguments[1], "--version") == 0 || strcmp(arguments[1], "-V") == 0))
        return print_version(count, arguments);
    if (count > 1 && strcmp(arguments[1], "help") == 0)
        return help_about(count, arguments);
    if (count > 1 && *arguments[1] != '-') {
        command = command_by_name(commands, commands_length, arguments[1]);
        if (!command)
            return unknown_subcommand(arguments[1], subcommand_at, UNTIL_NULL);
        first = 2;
    }
    if (first == 1 && check_subcommand_is_missing(count, arguments) != STATUS_OK)
        return STATUS_USAGE;
    if (command->missing)
        return usage_error("%s", command->missing);
    const int rest = count > first ? count - first : 0;
    const int status = command->run(rest, arguments + first);
    if (status == STATUS_HELP)
        print_help(command);
    return status == STATUS_HELP ? STATUS_OK : status;
}

static void out_of_memory(void)
{
    report_out_of_memory();
    team_abort();
    exit(STATUS_FAILED);
}

int main(int count, char **arguments)
{
    on_out_of_memory(out_of_memory);
    json_start();
    commands_set_git(RCM_GIT);
    team_start(&count, &arguments);
    if (team_rank() > 0 &&
        (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        return STATUS_FAILED; /* rank 0 speaks for all */
    const int status = finish(run_subcommand(count, arguments));
    team_end();
    return status;
}
