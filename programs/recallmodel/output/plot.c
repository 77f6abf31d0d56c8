/* plot.c - see plot.h: what is in a picture, and where it goes. gnuplot gets a program of ours with
 * the numbers in it, and no name: it prints the picture, which is then written to the file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "plot_program.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <base/files/atomic_file.h>
#include <base/memory.h>
#include <programs/common/error.h>
#include <sim/team.h>

struct plot *plot_new(const char *title, const char *x_label, bool log_x)
{
    struct plot *plot = require_memory(calloc(1, sizeof *plot));
    plot->title = text_copy(title);
    plot->x_label = text_copy(x_label);
    plot->y_label = text_copy("recall error, 1 - recall");
    plot->log_x = log_x;
    return plot;
}

void plot_y_label(struct plot *plot, const char *label)
{
    free(plot->y_label);
    plot->y_label = text_copy(label);
}

void plot_histogram(struct plot *plot, const char *y_label)
{
    plot_y_label(plot, y_label);
    plot->histogram = true;
}

void plot_series(struct plot *plot, const char *title, bool lines, bool points, size_t colour)
{
    plot->series = array_grow(plot->series, plot->length, &plot->capacity, sizeof *plot->series);
    plot->series[plot->length++] = (struct series){
        .title = text_copy(title), .lines = lines, .points = points, .colour = colour};
}

void plot_dashes(struct plot *plot, unsigned dash)
{
    plot->series[plot->length - 1].dash = dash;
}

void plot_point(struct plot *plot, double x, double error, double bar)
{
    struct series *s = &plot->series[plot->length - 1];
    if (!isfinite(x) || !isfinite(error) || error <= 0.0 || (plot->log_x && x <= 0.0))
        return;
    s->items = array_grow(s->items, s->length, &s->capacity, sizeof *s->items);
    s->items[s->length++] = (struct point){x, error, isfinite(bar) ? bar : 0.0};
    s->bars = s->bars || bar > 0.0;
}

static void add_line(struct plot *plot, bool upright, double at, const char *title, size_t colour)
{
    if (!isfinite(at) || at <= 0.0)
        return;
    plot->lines =
        array_grow(plot->lines, plot->line_count, &plot->line_capacity, sizeof *plot->lines);
    plot->lines[plot->line_count++] =
        (struct line){.title = text_copy(title), .upright = upright, .at = at, .colour = colour};
}

void plot_target(struct plot *plot, double error, const char *title)
{
    add_line(plot, false, error, title, PLOT_BLACK);
}

void plot_mark(struct plot *plot, double x, const char *title, size_t colour)
{
    add_line(plot, true, x, title, colour);
}

void plot_free(struct plot *plot)
{
    for (size_t i = 0; i < plot->line_count; i++)
        free(plot->lines[i].title);
    free(plot->lines);
    for (size_t i = 0; i < plot->length; i++) {
        free(plot->series[i].title);
        free(plot->series[i].items);
    }
    free(plot->series);
    free(plot->title);
    free(plot->x_label);
    free(plot->y_label);
    free(plot);
}

/* ---- where to */

static const struct {
    const char *ending, *terminal;
} kinds[] = {
    {".png", "pngcairo size 1000,560 font 'DejaVu Sans,12' background 'white'"},
    {".pdf",
     "pdfcairo size 17cm,9.5cm font 'DejaVu Sans,12' fontscale 0.55 linewidth 0.7 pointscale 0.6"},
    {".svg", "svg size 1000,560 font 'DejaVu Sans,12' background 'white'"},
};

/* NULL: of no kind that is known. */
static const char *terminal_of(const char *path)
{
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t ending = strlen(kinds[i].ending);
        if (length > ending && strcmp(path + length - ending, kinds[i].ending) == 0)
            return kinds[i].terminal;
    }
    return NULL;
}

int plot_check(const char *path)
{
    if (strcmp(path, "-") == 0)
        return STATUS_OK;
    if (!terminal_of(path))
        return usage_error("--plot '%.60s' does not end in .png, .pdf or .svg; give such a file, "
                           "or - for the terminal",
                           path);
    char error[600], *target = atomic_file_target(path, MESSAGE(error));
    free(target);
    return target ? STATUS_OK : usage_error("--plot '%.200s' %s", path, error);
}

static bool has_points(const struct plot *plot)
{
    for (size_t i = 0; i < plot->length; i++)
        if (plot->series[i].length > 0)
            return true;
    return false;
}

/* Runs gnuplot on a program; what it prints goes to the terminal or, with `picture`, there. Returns
 * its status as that of waitpid, or -1 with errno. */
static int run_gnuplot(FILE *program, FILE *picture)
{
    int ends[2] = {-1, -1}, status = 0;
    if (picture && pipe(ends) != 0)
        return -1;
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(fileno(program), STDIN_FILENO);
        if (picture)
            dup2(ends[1], STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        if (picture) {
            close(ends[0]);
            close(ends[1]);
        }
        execlp("gnuplot", "gnuplot", "-d", (char *)NULL);
        _exit(127);
    }
    int reason = errno;
    if (picture) {
        char bytes[4096];
        ssize_t length = 0;
        close(ends[1]);
        while (child > 0 && ((length = read(ends[0], bytes, sizeof bytes)) > 0 ||
                             (length < 0 && errno == EINTR)))
            if (length > 0)
                fwrite(bytes, 1, (size_t)length, picture);
        close(ends[0]);
    }
    if (child > 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    errno = reason;
    return child > 0 ? status : -1;
}

/* One line on stderr. */
static int not_drawn(const char *path, const char *reason)
{
    usage_error("--plot '%.200s' could not be drawn: %s", path, reason);
    return STATUS_FAILED;
}

static int save(const char *path, const char *picture, size_t length)
{
    char error[600], *target = atomic_file_target(path, MESSAGE(error));
    const int failed = target && atomic_file_write(target, picture, length) != 0;
    const int reason = errno;
    free(target);
    if (!target)
        usage_error("--plot '%.200s' %s", path, error);
    if (failed)
        usage_error("--plot '%.200s' could not be written: %s", path, strerror(reason));
    return !target || failed ? STATUS_FAILED : STATUS_OK;
}

int plot_draw(const struct plot *plot, const char *path)
{
    const bool terminal = strcmp(path, "-") == 0;
    if (team_rank() > 0)
        return STATUS_OK;
    if (!has_points(plot)) {
        fprintf(stderr, "recallmodel: --plot: there is nothing to draw, because %s\n",
                plot->histogram ? "no distribution was computed" : "nothing is lost");
        return STATUS_OK;
    }
    char *picture = NULL;
    size_t length = 0;
    FILE *program = tmpfile(),
         *memory = terminal ? NULL : require_memory(open_memstream(&picture, &length));
    int status = -1;
    if (program) {
        plot_put_program(program, plot, terminal_of(path));
        fflush(stdout); /* gnuplot writes to the same terminal */
        if (fflush(program) == 0 && !ferror(program) && fseek(program, 0, SEEK_SET) == 0)
            status = run_gnuplot(program, memory);
    }
    const int reason = errno;
    if (program)
        fclose(program);
    const bool whole = terminal || (fclose(memory) == 0 && length > 0);
    if (status < 0)
        status = not_drawn(path, strerror(reason));
    else if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        status = not_drawn(
            path, "it needs gnuplot, which is not installed (Debian: apt install gnuplot-nox)");
    else if (status != 0 || !whole)
        status = not_drawn(path, "gnuplot failed; does it support this kind of file?");
    else
        status = terminal ? STATUS_OK : save(path, picture, length);
    free(picture);
    return status;
}
