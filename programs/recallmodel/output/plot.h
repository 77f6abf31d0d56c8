/* plot.h - a picture by gnuplot: recall error over what it costs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PLOT_H
#define PLOT_H

#include <stdbool.h>
#include <stddef.h>

/* Points of a series are joined in the order in which they were put; points that are not
 * finite, or that a logarithmic axis cannot show, are left out. */
struct plot;
#define PLOT_BLACK 6
struct plot *plot_new(const char *title, const char *x_label, bool log_x);
void plot_y_label(struct plot *plot, const char *label); /* before: recall error, 1 - recall */

/* The picture is a histogram: boxes on a linear axis from 0, as wide as the `bar` of the point. */
void plot_histogram(struct plot *plot, const char *y_label);

void plot_dashes(struct plot *plot, unsigned dash); /* of the last series: 0 is solid */
void plot_series(struct plot *plot, const char *title, bool lines, bool points,
                 size_t colour); /* 0, 1, ..: what belongs together has the same */
void plot_point(struct plot *plot, double x, double error,
                double bar); /* of the last series; bar: half the length of an error bar, or 0 */

/* A line across the picture at an error that was asked for: the axis then ends three decades below
 * the least target, and what loses less is not shown. A line upright at a value of x. Neither is
 * drawn at what is not finite or not positive. */
void plot_target(struct plot *plot, double error, const char *title);
void plot_mark(struct plot *plot, double x, const char *title, size_t colour);
void plot_free(struct plot *plot);

/* Draws it where --plot says: a file, or - for the terminal. Returns a status; on an error one line
 * has been printed. */
int plot_draw(const struct plot *plot, const char *path);

/* Can the picture be drawn there? Returns a status, after one line on stderr if not. */
int plot_check(const char *path);

#endif
