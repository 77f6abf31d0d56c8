/* plot_program.h - a picture as a program for gnuplot.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PLOT_PROGRAM_H
#define PLOT_PROGRAM_H

#include <stdbool.h>
#include <stdio.h>

#include "plot.h"

struct point {
    double x, error, bar;
};

struct series {
    char *title;
    bool lines, points, bars;
    struct point *items;
    size_t length, capacity, colour;
    unsigned dash; /* of its lines: 0 is solid */
};

/* A line across the picture: at an error, or at a value of x. */
struct line {
    char *title;
    bool upright;
    double at;
    size_t colour;
};

struct plot {
    char *title, *x_label, *y_label;
    bool log_x, histogram;
    struct series *series;
    struct line *lines;
    size_t length, capacity, line_count, line_capacity;
};

/* Writes the program. `terminal` is what "set terminal" takes; NULL: a terminal of text, as wide as
 * COLUMNS says. */
void plot_put_program(FILE *gnuplot, const struct plot *plot, const char *terminal);

#endif
