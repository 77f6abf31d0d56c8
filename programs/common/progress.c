/* progress.c - see progress.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <base/clock.h>

static volatile sig_atomic_t stop_wanted, on_terminal, holds_nothing;
static struct timespec first_signal;

/* The first signal asks for a stop. Another one ends the program, if it is another: some senders
 * signal a process and its group. */
static void want_stop(int number)
{
    static const char message[] =
        "\r\033[Kstopping after the current block; interrupt once more to quit at once\n";
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    if (holds_nothing) {
        signal(number, SIG_DFL);
        raise(number);
    } else if (!stop_wanted) {
        first_signal = t;
        stop_wanted = 1;
        if (on_terminal && write(STDERR_FILENO, message, sizeof message - 1) < 0)
            on_terminal = 0;
    } else if ((double)(t.tv_sec - first_signal.tv_sec) +
                   1e-9 * (double)(t.tv_nsec - first_signal.tv_nsec) >
               0.5) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

void progress_holds_nothing(void)
{
    holds_nothing = !stop_wanted;
}

/* What the watch shows again, with the seconds that have passed. */
static char last_drawn[200];
static volatile sig_atomic_t watching, drawing, drawn_lately;
static struct timespec watch_start;

/* The number in decimal, and what follows it: printf() is not for signal handlers. */
static size_t put_number(char *text, unsigned long number, const char *more)
{
    char digits[24];
    size_t count = 0, length = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count > 0)
        text[length++] = digits[--count];
    while (*more)
        text[length++] = *more++;
    return length;
}

static void watch(int number)
{
    char text[sizeof last_drawn + 64] = "\r";
    struct timespec t;
    int error = errno;
    (void)number;
    if (!watching)
        return;
    if (!drawing && !drawn_lately) {
        size_t length = 1;
        clock_gettime(CLOCK_MONOTONIC, &t);
        for (const char *at = last_drawn; *at; at++)
            text[length++] = *at;
        length += put_number(text + length, (unsigned long)(t.tv_sec - watch_start.tv_sec),
                             " s so far\033[K");
        if (write(STDERR_FILENO, text, length) < 0)
            watching = 0;
    }
    drawn_lately = 0;
    alarm(1);
    errno = error;
}

static void on_signal(int number, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void progress_watch(struct progress *progress)
{
    if (!progress->shown)
        return;
    on_signal(SIGALRM, watch);
    clock_gettime(CLOCK_MONOTONIC, &watch_start);
    snprintf(last_drawn, sizeof last_drawn, "working, ");
    watching = 1;
    alarm(1);
}

/* A signal that is ignored stays ignored: nohup and shells say so for work in the background. */
static void listen_for(int number)
{
    struct sigaction inherited;
    if (sigaction(number, NULL, &inherited) == 0 && inherited.sa_handler == SIG_IGN)
        return;
    on_signal(number, want_stop);
}

void progress_start(struct progress *progress, const char *unit)
{
    on_terminal = isatty(STDERR_FILENO);
    listen_for(SIGINT);
    listen_for(SIGTERM);
    *progress = (struct progress){.unit = unit,
                                  .shown = on_terminal,
                                  .start = clock_seconds(),
                                  .drawn = clock_seconds(),
                                  .first = UINT64_MAX};
}

/* 75 s, 12 min, 3.4 h */
static void format_duration(char *text, size_t size, double seconds)
{
    if (seconds < 100.0)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 6000.0)
        snprintf(text, size, "%.0f min", seconds / 60.0);
    else
        snprintf(text, size, "%.1f h", seconds / 3600.0);
}

bool progress_tick(void *context, uint64_t done, uint64_t total)
{
    struct progress *progress = context;
    if (total == 0)
        return stop_wanted;
    double time = clock_seconds();
    holds_nothing = 0;
    if (progress->first == UINT64_MAX) {
        progress->first =
            done; /* the first block is not timed: it tells where a continued run began */
        progress->start = time;
    }
    if (!progress->shown || time - progress->drawn < 0.1)
        return stop_wanted;
    progress->drawn = time;
    char bar[21], left[32] = "";
    int filled = (int)(20.0 * (double)done / (double)total);
    for (int i = 0; i < 20; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[20] = '\0';
    double rate =
        done > progress->first ? (double)(done - progress->first) / (time - progress->start) : 0.0;
    if (rate > 0.0)
        format_duration(left, sizeof left, (double)(total - done) / rate);
    drawing = 1;
    int length =
        snprintf(last_drawn, sizeof last_drawn, "[%s] %3.0f %%  %" PRIu64 " of %" PRIu64 " %.20s  ",
                 bar, 100.0 * (double)done / (double)total, done, total, progress->unit);
    fprintf(stderr, "\r%.*s", length - 2, last_drawn);
    if (rate > 0.0)
        fprintf(stderr, "  %.4g/s  %s left", rate, left);
    fputs("\033[K", stderr);
    drawing = 0;
    drawn_lately = 1;
    return stop_wanted;
}

void progress_end(struct progress *progress)
{
    watching = 0;
    if (progress->shown)
        fputs("\r\033[K", stderr);
}
