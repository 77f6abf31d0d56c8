/* plot.c - see plot.h. gnuplot gets a program of ours with the numbers in it, and no name: it
 * prints the picture, which is then written to the file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "plot.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <base/atomic_file.h>
#include <base/memory.h>
#include <programs/common/error.h>
#include <sim/team.h>

struct point {
    double x, error, bar;
};

struct series {
    char *title;
    bool lines, points, bars;
    struct point *items;
    size_t length, capacity, colour;
};

struct plot {
    char *title, *x_label, *y_label;
    bool log_x, histogram;
    struct series *series;
    size_t length, capacity;
};

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

void plot_point(struct plot *plot, double x, double error, double bar)
{
    struct series *s = &plot->series[plot->length - 1];
    if (!isfinite(x) || !isfinite(error) || error <= 0.0 || (plot->log_x && x <= 0.0))
        return;
    s->items = array_grow(s->items, s->length, &s->capacity, sizeof *s->items);
    s->items[s->length++] = (struct point){x, error, isfinite(bar) ? bar : 0.0};
    s->bars = s->bars || bar > 0.0;
}

void plot_free(struct plot *plot)
{
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
    char error[600], *target = atomic_file_target(path, error, sizeof error);
    free(target);
    return target ? STATUS_OK : usage_error("--plot '%.200s' %s", path, error);
}

/* ---- gnuplot's language */

/* In single quotes only the quote itself is special. */
static void put_quoted(FILE *file, const char *text)
{
    putc('\'', file);
    for (; *text; text++) {
        if (*text == '\'')
            putc('\'', file);
        putc(iscntrl((unsigned char)*text) ? '?' : *text, file);
    }
    putc('\'', file);
}

/* Okabe and Ito's colours: those of plots/style.gp. */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#000000", "#999999"};
#define COLOURS (sizeof colours / sizeof *colours)

static void put_style(FILE *gnuplot, const struct plot *plot, const struct series *s)
{
    const char *colour = colours[s->colour % COLOURS];
    if (plot->histogram)
        fprintf(gnuplot, "with boxes lc rgb '%s'", colour);
    else
        fprintf(gnuplot, "with %s lc rgb '%s' lw 1.6 pt %zu ps 0.7",
                s->bars && s->lines     ? "yerrorlines"
                : s->bars               ? "yerrorbars"
                : s->lines && s->points ? "linespoints"
                : s->lines              ? "lines"
                                        : "points",
                colour, s->lines ? 5 + 2 * (s->colour % 5) : 4 + 2 * (s->colour % 5));
}

static void put_program(FILE *gnuplot, const struct plot *plot, const char *path)
{
    const bool dumb = strcmp(path, "-") == 0;
    const char *columns = getenv("COLUMNS");
    const int width =
        columns && atoi(columns) >= 60 && atoi(columns) <= 300 ? atoi(columns) - 1 : 100;
    if (dumb)
        fprintf(gnuplot, "set terminal dumb %d,32\n", width);
    else
        fprintf(gnuplot, "set terminal %s\n", terminal_of(path));
    fputs("set encoding utf8\nset title ", gnuplot);
    put_quoted(gnuplot, plot->title);
    fputs(" noenhanced\nset xlabel ", gnuplot);
    put_quoted(gnuplot, plot->x_label);
    fputs(" noenhanced\nset ylabel ", gnuplot);
    put_quoted(gnuplot, plot->y_label);
    fputs(plot->histogram
              ? " noenhanced\nset format y '%g'\nset yrange [0:]\nset autoscale xfix\n"
                "set style fill solid 0.35\n"
              : " noenhanced\nset logscale y 10\nset format y '%g'\nset yrange [] reverse\n",
          gnuplot);
    fputs("set key outside right top noenhanced\nset offsets graph "
          "0.02, graph 0.02, 0, 0\nset grid lw 0.4 lc rgb '#cccccc'\n",
          gnuplot);
    if (plot->log_x)
        fputs("set logscale x 2\nset format x '%.0f'\n", gnuplot);
    for (size_t i = 0; i < plot->length; i++) {
        fprintf(gnuplot, "$data%zu << EOD\n", i);
        for (size_t j = 0; j < plot->series[i].length; j++)
            fprintf(gnuplot, "%.17g %.17g %.17g\n", plot->series[i].items[j].x,
                    plot->series[i].items[j].error, plot->series[i].items[j].bar);
        fputs("EOD\n", gnuplot);
    }
    const char *comma = "plot ";
    for (size_t i = 0; i < plot->length; i++) {
        const struct series *s = &plot->series[i];
        if (s->length == 0)
            continue;
        fprintf(gnuplot, "%s$data%zu using 1:2%s ", comma, i, s->bars ? ":3" : "");
        put_style(gnuplot, plot, s);
        fputs(" title ", gnuplot);
        put_quoted(gnuplot, s->title);
        comma = ", ";
    }
    putc('\n', gnuplot);
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
    char error[600], *target = atomic_file_target(path, error, sizeof error);
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
                plot->histogram ? "no law was computed" : "nothing is lost");
        return STATUS_OK;
    }
    char *picture = NULL;
    size_t length = 0;
    FILE *program = tmpfile(),
         *memory = terminal ? NULL : require_memory(open_memstream(&picture, &length));
    int status = -1;
    if (program) {
        put_program(program, plot, path);
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
