/* main.c - recallmodel-bench: the table of subcommands, help, and the exit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>
#include <model/recallmodel.h>
#include <programs/bench/bench_command.h>
#include <programs/bench/peers.h>

#include "command.h"
#include "cuda.h"
#include "kernels.h"

#ifndef RCM_GIT
#define RCM_GIT "unknown"
#endif

/* In the order in which --help lists them. */
static const struct command *const commands[] = {
    &command_stage1, &command_exact, &command_two_stage, &command_fused,
    &command_cells,  &command_roof,  &command_device,    &command_peers,
};

#define COMMANDS (sizeof commands / sizeof *commands)

/* ---- help */

static void print_usage(FILE *file)
{
    fputs("usage: recallmodel-bench SUBCOMMAND [options]\n\n"
          "Times the GPU kernels of recallmodel. Each result is verified before and after its "
          "timing.\n\n"
          "Subcommands:\n",
          file);
    commands_list(file, commands, COMMANDS);
    fputs("  recallmodel-bench SUBCOMMAND --help prints its options; recallmodel-bench --version "
          "prints\n  the version.\n",
          file);
}

static void print_help(const struct command *command)
{
    unsigned task = 0;
    while (task < TASKS && strcmp(command->name, task_name(task)) != 0)
        task++;
    help_options(command, false);
    if (task < TASKS || command == &command_cells)
        bench_help(task);
    help_numbers(command, false);
    help_example(command);
}

/* ---- the subcommand */

static const char *subcommand_at(unsigned i)
{
    return commands[i]->name;
}

static int run_subcommand(int count, char **arguments)
{
    if (count < 2) {
        print_usage(stderr);
        return STATUS_USAGE;
    }
    if (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0) {
        print_usage(stdout);
        return STATUS_OK;
    }
    if (strcmp(arguments[1], "--version") == 0 || strcmp(arguments[1], "-V") == 0) {
        printf("recallmodel-bench %s\n", rcm_version());
        return STATUS_OK;
    }
    const struct command *command = command_by_name(commands, COMMANDS, arguments[1]);
    if (!command)
        return unknown_subcommand(arguments[1], subcommand_at, COMMANDS);
    const int status = command->run(count - 2, arguments + 2);
    if (status == STATUS_HELP)
        print_help(command);
    return status == STATUS_HELP ? STATUS_OK : status;
}

static void out_of_memory(void)
{
    report_out_of_memory();
    exit(STATUS_FAILED);
}

/* Adds peers, before the program runs: for the library librecallmodel-bench.so. */
__attribute__((visibility("default"))) void add_peers(const struct rcm_peer *list)
{
    peers_add(list);
}

/* The program; the library librecallmodel-bench.so has it under this name. */
__attribute__((visibility("default"))) int recallmodel_bench(int count, char **arguments)
{
    set_program_name("recallmodel-bench");
    set_sources_git(RCM_GIT);
    backend = &cuda_backend;
    on_out_of_memory(out_of_memory);
    signal(SIGPIPE, SIG_IGN);
    load_peers();
    int status = run_subcommand(count, arguments);
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == STATUS_OK)
        status = output_failed();
    return status;
}

int main(int count, char **arguments)
{
    return recallmodel_bench(count, arguments);
}
