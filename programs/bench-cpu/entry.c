/* entry.c - the functions of the library librecallmodel-bench-cpu, which librecallmodel-bench has
 * for a GPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <base/memory.h>
#include <programs/bench/peers.h>
#include <programs/bench/session.h>

#include "cpu_command.h"

#ifndef RCM_GIT
#define RCM_GIT "unknown"
#endif

/* Adds peers, before the program runs. */
void add_peers(const struct rcm_peer *list)
{
    peers_add(list);
}

static void out_of_memory(void)
{
    report_out_of_memory();
    exit(STATUS_FAILED);
}

/* The program: `recallmodel bench` with these arguments behind its name. */
int recallmodel_bench(int count, char **arguments)
{
    set_program_name("recallmodel");
    set_sources_git(RCM_GIT);
    on_out_of_memory(out_of_memory);
    signal(SIGPIPE, SIG_IGN);
    int status = cpu_bench(count - 1, arguments + 1);
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == STATUS_OK)
        status = output_failed();
    return status;
}
