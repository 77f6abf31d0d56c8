/* tune_run.c - tune: the benchmark, in this process or in one that has the peers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <programs/common/error.h>
#include <programs/recallmodel/command.h>

#include "tune.h"

#define ARGUMENTS_MOST 24

struct line {
    const char *words[ARGUMENTS_MOST];
    int count;
};

static void put(struct line *line, const char *word)
{
    line->words[line->count++] = word;
    line->words[line->count] = NULL;
}

/* recallmodel-bench beside this program, where it is, or else on the path. */
static const char *gpu_bench(char path[PATH_MAX + 20])
{
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash)
        strcpy(slash + 1, "recallmodel-bench");
    return slash && access(path, X_OK) == 0 ? path : "recallmodel-bench";
}

/* Runs another program, which gets Ctrl-C itself. Returns its status; -1 with errno: it cannot be
 * run. */
static int run_program(const struct line *line)
{
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    struct sigaction before;
    int status = 0;
    fflush(NULL);
    sigaction(SIGINT, &ignored, &before);
    const pid_t child = fork();
    if (child == 0) {
        sigaction(SIGINT, &before, NULL);
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execvp(line->words[0], (char *const *)line->words);
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    sigaction(SIGINT, &before, NULL);
    return child < 0 ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_INTERRUPTED;
}

int tune_run(const struct tune_files *files, const struct tune_settings *settings, bool gpu,
             size_t cells)
{
    const char *python = getenv("RECALLMODEL_PYTHON");
    const bool peers = tune_has_peers(settings), hosted = python && *python && peers;
    char seconds[32], minutes[32], rounds[8], path[PATH_MAX + 20];
    struct line line = {0};
    snprintf(rounds, sizeof rounds, "%d", TUNE_ROUNDS);
    snprintf(seconds, sizeof seconds, "%.4f",
             settings->seconds / 2.0 / TUNE_ROUNDS / (double)cells);
    snprintf(minutes, sizeof minutes, "%.6f", settings->seconds / 60.0);
    if (hosted) {
        put(&line, python);
        put(&line, "-m");
        put(&line, "recallmodel._bench");
        put(&line, "--on");
        put(&line, gpu ? "gpu" : "cpu");
        if (settings->peers) {
            put(&line, "--peers");
            put(&line, settings->peers);
        }
    } else if (gpu) {
        put(&line, gpu_bench(path));
    }
    const int first = line.count;
    const char *const rest[] = {"cells",        "--file",    files->cells, "-o",
                                files->results, "--rounds",  rounds,       "--seconds",
                                seconds,        "--minutes", minutes};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        put(&line, rest[i]);
    if (settings->file) {
        put(&line, "--rows");
        put(&line, settings->file);
    }
    int status = first ? run_program(&line) : STATUS_OK;
    if (first && (status == 127 || status == -1))
        return usage_error(gpu && !hosted
                               ? "tune on a GPU runs recallmodel-bench, which is not here: "
                                 "pip install recallmodel[cuda] and python -m recallmodel tune, or "
                                 "make gpu; or give --on cpu"
                               : "%s cannot be run; set RECALLMODEL_PYTHON, or give --peers none",
                           line.words[0]);
    if (!first)
        status = command_bench.run(line.count, (char **)line.words);
    return status;
}
