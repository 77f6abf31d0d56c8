/* busy.c - see busy.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "busy.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <programs/common/error.h>

enum { BUSY_MOST = 256 }; /* --load */

static pid_t children[BUSY_MOST];
static unsigned running;

/* Until the parent is gone: looked at some ten times a second. */
static void be_busy(pid_t parent)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    while (getppid() == parent)
        for (volatile unsigned i = 0; i < 100000000; i++)
            ;
    _exit(0);
}

int busy_begin(unsigned count)
{
    const pid_t parent = getpid();
    for (running = 0; running < count && running < BUSY_MOST; running++) {
        const pid_t child = fork();
        if (child == 0)
            be_busy(parent);
        if (child < 0) {
            fprintf(stderr, "%s: --load: cannot start a process: %s\n", program_name(),
                    strerror(errno));
            busy_end();
            return STATUS_FAILED;
        }
        children[running] = child;
    }
    return STATUS_OK;
}

void busy_end(void)
{
    while (running > 0) {
        kill(children[--running], SIGKILL);
        waitpid(children[running], NULL, 0);
    }
}
