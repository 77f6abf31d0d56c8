/* tune_run.c - tune: the benchmark, in this process or in one that has the peers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <base/clock.h>
#include <programs/common/error.h>
#include <programs/recallmodel/command.h>

#include "tune.h"

#define ARGUMENTS_MOST 24
#define LEAST_SECONDS 1e-6 /* which its digits can write */

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

/* ---- another program */

static volatile sig_atomic_t running, signals;
static volatile double first_signal;

/* Ctrl-C reaches the program itself; what ends this process alone is passed on. A later signal ends
 * a program that does not stop. */
static void pass_on(int number)
{
    const double now = clock_seconds();
    first_signal = signals ? first_signal : now;
    signals = 1;
    if (running > 0 && now - first_signal > 0.5)
        kill(running, SIGKILL);
    else if (running > 0 && number != SIGINT)
        kill(running, number);
}

/* Runs it. Returns a status; -1 with errno, or 127: it cannot be run. */
static int run_program(const struct line *line)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction passes_on = {.sa_handler = pass_on};
    struct sigaction before[3];
    int status = 0;
    fflush(NULL);
    running = signals = 0;
    for (size_t i = 0; i < 3; i++) {
        sigaction(numbers[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) /* of nohup */
            sigaction(numbers[i], &passes_on, NULL);
    }
    const pid_t child = fork();
    if (child == 0) { /* handlers end there */
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execvp(line->words[0], (char *const *)line->words);
        _exit(127);
    }
    running = child;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    running = 0;
    for (size_t i = 0; i < 3; i++)
        sigaction(numbers[i], &before[i], NULL);
    if (child < 0)
        return -1;
    if (signals)
        return STATUS_INTERRUPTED;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    notice("%s was ended by signal %d; what it timed before counts", line->words[0],
           WTERMSIG(status));
    return STATUS_FAILED;
}

bool tune_is_hosted(const struct tune_settings *settings)
{
    const char *python = getenv("RECALLMODEL_PYTHON");
    return python && *python && tune_has_peers(settings);
}

int tune_run(const struct tune_files *files, const struct tune_settings *settings, bool gpu,
             size_t cells)
{
    const char *python = getenv("RECALLMODEL_PYTHON");
    const bool hosted = tune_is_hosted(settings);
    char seconds[48], minutes[48], rounds[8], path[PATH_MAX + 20];
    struct line line = {0};
    snprintf(rounds, sizeof rounds, "%d", TUNE_ROUNDS);
    snprintf(seconds, sizeof seconds, "%.9f",
             fmax(settings->seconds / 2.0 / TUNE_ROUNDS / (double)cells, LEAST_SECONDS));
    snprintf(minutes, sizeof minutes, "%.9f", fmax(settings->seconds / 60.0, LEAST_SECONDS));
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
