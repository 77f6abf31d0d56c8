/* plot_program.c - see plot_program.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "plot_program.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

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
#define TERMINAL_COLUMNS 80 /* where COLUMNS does not say */

/* ---- what is shown */

struct range {
    double low, high;
};

static void include(struct range *range, double value)
{
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

/* The axes of the picture. With a target the least error shown is PLOT_BELOW of it: what is far
 * better than was asked for would press the rest together. */
#define PLOT_BELOW 1e-3

struct view {
    struct range x, y;
};

static struct view view_of(const struct plot *plot)
{
    struct view view = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    double least = 0.0;
    for (size_t i = 0; i < plot->length; i++)
        for (size_t j = 0; j < plot->series[i].length; j++) {
            include(&view.x, plot->series[i].items[j].x);
            include(&view.y, plot->series[i].items[j].error);
        }
    for (size_t i = 0; i < plot->line_count; i++) {
        const double at = plot->lines[i].at;
        include(plot->lines[i].upright ? &view.x : &view.y, at);
        if (!plot->lines[i].upright && (least == 0.0 || at < least))
            least = at;
    }
    view.y.low = fmax(view.y.low, PLOT_BELOW * least) / 1.25;
    view.y.high = fmin(view.y.high * 1.25, fmax(1.0, view.y.high));
    return view;
}

/* ---- the program: axes, data, lines */

static void put_style(FILE *gnuplot, const struct plot *plot, const struct series *s)
{
    const char *colour = colours[s->colour % COLOURS];
    if (plot->histogram)
        fprintf(gnuplot, "with boxes lc rgb '%s'", colour);
    else
        fprintf(gnuplot, "with %s lc rgb '%s' lw 1.6 dt %u pt %zu ps %g",
                s->bars && s->lines     ? "yerrorlines"
                : s->bars               ? "yerrorbars"
                : s->lines && s->points ? "linespoints"
                : s->lines              ? "lines"
                                        : "points",
                colour, s->dash + 1, s->lines ? 5 + 2 * (s->colour % 5) : 4 + 2 * (s->colour % 5),
                s->lines || s->bars ? 0.7 : 1.1);
}

/* Where the axis has fewer than two decades, tics at 2 and 5 too. */
static void put_error_tics(FILE *gnuplot, struct range y)
{
    if (!(y.low > 0.0) || y.high > 100.0 * y.low)
        return;
    const char *comma = "set ytics (";
    for (int decade = (int)floor(log10(y.low)); decade <= (int)ceil(log10(y.high)); decade++)
        for (int digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3) {
            const double tic = digit * pow(10.0, decade);
            if (tic < y.low || tic > y.high)
                continue;
            fprintf(gnuplot, "%s%.3g", comma, tic);
            comma = ", ";
        }
    if (*comma == ',')
        fputs(")\n", gnuplot);
}

/* Room at both sides of the points, and no more. */
static void put_sides(FILE *gnuplot, const struct plot *plot, struct range x)
{
    const double wide = plot->log_x ? log(x.high / x.low) : x.high - x.low;
    if (!(wide > 0.0))
        fputs("set offsets graph 0.02, graph 0.02, 0, 0\n", gnuplot);
    else if (plot->log_x)
        fprintf(gnuplot, "set xrange [%.9g:%.9g]\n", x.low * exp(-0.03 * wide),
                x.high * exp(0.03 * wide));
    else
        fprintf(gnuplot, "set xrange [%.9g:%.9g]\n", x.low - 0.03 * wide, x.high + 0.03 * wide);
}

/* A terminal cannot turn the label of the y axis, so the second line of the other tells it. */
static void put_axes(FILE *gnuplot, const struct plot *plot, const struct view *view, bool dumb)
{
    fputs("set encoding utf8\nset title ", gnuplot);
    put_quoted(gnuplot, plot->title);
    fputs(" noenhanced\nset xlabel ", gnuplot);
    put_quoted(gnuplot, plot->x_label);
    fputs(dumb ? ".\"\\nupwards: \"." : " noenhanced\nset ylabel ", gnuplot);
    put_quoted(gnuplot, plot->y_label);
    fputs(" noenhanced\nset format y '%g'\n", gnuplot);
    if (plot->histogram)
        fputs("set yrange [0:]\nset autoscale xfix\nset style fill solid 0.35\n", gnuplot);
    else
        fprintf(gnuplot, "set logscale y 10\nset yrange [%.17g:%.17g]\n", view->y.high,
                view->y.low);
    if (plot->histogram && view->x.high - view->x.low < 8.0)
        fputs("set xtics 1\n", gnuplot); /* what is counted is whole */
    if (!plot->histogram) {
        put_error_tics(gnuplot, view->y);
        put_sides(gnuplot, plot, view->x);
    }
    fputs("set grid lw 0.4 lc rgb '#cccccc'\n", gnuplot);
    if (plot->log_x)
        fprintf(gnuplot, "set logscale x 2\nset format x '%s'\n",
                view->x.high > 256.0 * view->x.low ? dumb ? "2^%L" : "2^{%L}"
                : view->x.low < 8.0                ? "%.3g"
                                                   : "%.0f");
}

static void put_data(FILE *gnuplot, const struct plot *plot, const struct view *view)
{
    for (size_t i = 0; i < plot->length; i++) {
        fprintf(gnuplot, "$data%zu << EOD\n", i);
        for (size_t j = 0; j < plot->series[i].length; j++)
            fprintf(gnuplot, "%.17g %.17g %.17g\n", plot->series[i].items[j].x,
                    plot->series[i].items[j].error, plot->series[i].items[j].bar);
        fputs("EOD\n", gnuplot);
    }
    for (size_t i = 0; i < plot->line_count; i++) {
        const struct line *line = &plot->lines[i];
        fprintf(gnuplot, "$line%zu << EOD\n%.17g %.17g\n%.17g %.17g\nEOD\n", i,
                line->upright ? line->at : view->x.low, line->upright ? view->y.high : line->at,
                line->upright ? line->at : view->x.high, line->upright ? view->y.low : line->at);
    }
}

void plot_put_program(FILE *gnuplot, const struct plot *plot, const char *terminal)
{
    const bool dumb = terminal == NULL;
    const struct view view = view_of(plot);
    const char *comma = "plot ", *columns = getenv("COLUMNS");
    const int width =
        columns && atoi(columns) >= 60 && atoi(columns) <= 300 ? atoi(columns) : TERMINAL_COLUMNS;
    if (dumb) /* one column less: some terminals wrap after the last */
        fprintf(gnuplot, "set terminal dumb %d,34\nset key below noenhanced\n", width - 1);
    else
        fprintf(gnuplot, "set terminal %s\nset key outside right top noenhanced\n", terminal);
    put_axes(gnuplot, plot, &view, dumb);
    put_data(gnuplot, plot, &view);
    for (size_t i = 0; i < plot->line_count; i++) {
        fprintf(gnuplot, "%s$line%zu using 1:2 with lines lc rgb '%s' lw 1.2 dt %d title ", comma,
                i, colours[plot->lines[i].colour % COLOURS], plot->lines[i].upright ? 4 : 2);
        put_quoted(gnuplot, plot->lines[i].title);
        comma = ", ";
    }
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
