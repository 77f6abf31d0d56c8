/* plot.c - see plot.h. The program goes to gnuplot through a pipe, numbers and all.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "plot.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory.h"
#include "sim/team.h"

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
    char *title, *x_label;
    bool log_x;
    struct series *series;
    size_t length, capacity;
};

struct plot *plot_new(const char *title, const char *x_label, bool log_x)
{
    struct plot *plot = checked(calloc(1, sizeof *plot));
    plot->title = copied(title);
    plot->x_label = copied(x_label);
    plot->log_x = log_x;
    return plot;
}

void plot_series(struct plot *plot, const char *title, bool lines, bool points, size_t colour)
{
    plot->series = grown(plot->series, plot->length, &plot->capacity, sizeof *plot->series);
    plot->series[plot->length++] = (struct series){.title = copied(title), .lines = lines, .points = points, .colour = colour};
}

void plot_point(struct plot *plot, double x, double error, double bar)
{
    struct series *s = &plot->series[plot->length - 1];
    if (!isfinite(x) || !isfinite(error) || error <= 0.0 || (plot->log_x && x <= 0.0))
        return;
    s->items = grown(s->items, s->length, &s->capacity, sizeof *s->items);
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
    free(plot);
}

/* ---- where to */

static const struct {
    const char *ending, *terminal;
} kinds[] = {
    {".png", "pngcairo size 1000,560 font 'DejaVu Sans,12' background 'white'"},
    {".pdf", "pdfcairo size 17cm,9.5cm font 'DejaVu Sans,12' fontscale 0.55 linewidth 0.7 pointscale 0.6"},
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
    return strcmp(path, "-") == 0 || terminal_of(path) ? STATUS_OK : usage_error("--plot '%.60s' does not end in .png, .pdf or .svg; give such a file, or - for the terminal", path);
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
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999"};
#define COLOURS (sizeof colours / sizeof *colours)

static void put_program(FILE *gnuplot, const struct plot *plot, const char *path)
{
    const bool dumb = strcmp(path, "-") == 0;
    const char *columns = getenv("COLUMNS");
    const int width = columns && atoi(columns) >= 60 && atoi(columns) <= 300 ? atoi(columns) - 1 : 100;
    if (dumb)
        fprintf(gnuplot, "set terminal dumb %d,32\n", width);
    else
        fprintf(gnuplot, "set terminal %s\nset output ", terminal_of(path)), put_quoted(gnuplot, path), putc('\n', gnuplot);
    fputs("set encoding utf8\nset title ", gnuplot);
    put_quoted(gnuplot, plot->title);
    fputs(" noenhanced\nset xlabel ", gnuplot);
    put_quoted(gnuplot, plot->x_label);
    fputs(" noenhanced\nset ylabel 'recall error, 1 - recall'\nset logscale y 10\nset format y '%g'\nset yrange [] reverse\nset key outside right top noenhanced\nset offsets graph 0.02, graph 0.02, 0, 0\nset grid lw 0.4 lc rgb '#cccccc'\n", gnuplot);
    if (plot->log_x)
        fputs("set logscale x 2\nset format x '%.0f'\n", gnuplot);
    for (size_t i = 0; i < plot->length; i++) {
        fprintf(gnuplot, "$data%zu << EOD\n", i);
        for (size_t j = 0; j < plot->series[i].length; j++)
            fprintf(gnuplot, "%.17g %.17g %.17g\n", plot->series[i].items[j].x, plot->series[i].items[j].error, plot->series[i].items[j].bar);
        fputs("EOD\n", gnuplot);
    }
    const char *comma = "plot ";
    for (size_t i = 0; i < plot->length; i++) {
        const struct series *s = &plot->series[i];
        if (s->length == 0)
            continue;
        fprintf(gnuplot, "%s$data%zu using 1:2%s with %s lc rgb '%s' lw 1.6 pt %zu ps 0.7 title ", comma, i, s->bars ? ":3" : "",
                s->bars && s->lines ? "yerrorlines" : s->bars ? "yerrorbars" : s->lines && s->points ? "linespoints" : s->lines ? "lines" : "points", colours[s->colour % COLOURS], s->lines ? 5 + 2 * (s->colour % 5) : 4 + 2 * (s->colour % 5));
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

int plot_draw(const struct plot *plot, const struct options *options)
{
    if (team_rank() > 0)
        return STATUS_OK;
    if (!has_points(plot)) {
        fputs("recallmodel: --plot: there is nothing to draw, for nothing is lost\n", stderr);
        return STATUS_OK;
    }
    fflush(stdout); /* gnuplot writes to the same terminal */
    /* What cannot be written goes to gnuplot's own output, where it would stand in the answer. */
    FILE *gnuplot = popen(strcmp(options->plot, "-") == 0 ? "command -v gnuplot >/dev/null 2>&1 || exit 127; exec gnuplot 2>/dev/null"
                                                          : "command -v gnuplot >/dev/null 2>&1 || exit 127; exec gnuplot >/dev/null 2>&1", "w");
    if (!gnuplot) {
        fprintf(stderr, "recallmodel: --plot: gnuplot could not be started: %s\n", strerror(errno));
        return STATUS_FAILED;
    }
    put_program(gnuplot, plot, options->plot);
    const int status = pclose(gnuplot);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        fputs("recallmodel: --plot needs gnuplot, which is not here; install it (Debian: apt install gnuplot-nox)\n", stderr);
        return STATUS_FAILED;
    }
    if (status != 0 || (strcmp(options->plot, "-") != 0 && access(options->plot, R_OK) != 0)) {
        fprintf(stderr, "recallmodel: --plot %s could not be drawn; can it be written, and has this gnuplot a terminal for it?\n", options->plot);
        return STATUS_FAILED;
    }
    return STATUS_OK;
}
