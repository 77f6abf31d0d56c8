/* no_plot.c - plot.h without gnuplot: --plot is refused, and the page draws its pictures itself.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <programs/common/error.h>
#include <programs/recallmodel/output/plot.h>

/* plot_check() ends the command before a plot is made; the rest does nothing. */
int plot_check(const char *path)
{
    (void)path;
    return usage_error(
        "--plot cannot draw here, because the page draws the pictures itself; leave it out");
}

struct plot *plot_new(const char *title, const char *x_label, bool log_x)
{
    (void)title, (void)x_label, (void)log_x;
    return NULL;
}

void plot_y_label(struct plot *plot, const char *label)
{
    (void)plot, (void)label;
}

void plot_histogram(struct plot *plot, const char *y_label)
{
    (void)plot, (void)y_label;
}

void plot_series(struct plot *plot, const char *title, bool lines, bool points, size_t colour)
{
    (void)plot, (void)title, (void)lines, (void)points, (void)colour;
}

void plot_dashes(struct plot *plot, unsigned dash)
{
    (void)plot, (void)dash;
}

void plot_point(struct plot *plot, double x, double error, double bar)
{
    (void)plot, (void)x, (void)error, (void)bar;
}

void plot_target(struct plot *plot, double error, const char *title)
{
    (void)plot, (void)error, (void)title;
}

void plot_mark(struct plot *plot, double x, const char *title, size_t colour)
{
    (void)plot, (void)x, (void)title, (void)colour;
}

void plot_free(struct plot *plot)
{
    (void)plot;
}

int plot_draw(const struct plot *plot, const char *path)
{
    (void)plot;
    return plot_check(path);
}
