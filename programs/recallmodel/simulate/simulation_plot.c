/* simulation_plot.c - simulate: the picture of --plot.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include <programs/recallmodel/output/plot.h>
#include "simulation_report.h"

/* The shapes of one k_b with one assignment and shuffle. */
struct curve {
    uint64_t k_b;
    size_t first, end; /* among the shapes of the query */
    unsigned assignment;
    size_t shuffle;
};

/* "kb = 2", with the assignment and the shuffle where there are several. */
static void format_title(char *title, size_t size, const struct simulation_answer *s,
                         const struct curve *curve)
{
    const struct assignments *assignments = &s->settings->question.assignments;
    const struct shuffles *shuffles = &s->settings->shuffles;
    const bool several = assignments->length > 1, shuffled = shuffles->length > 1;
    snprintf(title, size, "kb = %" PRIu64 "%s%s%s%s", curve->k_b, several ? ", " : "",
             several ? assignment_name(assignments->items[curve->assignment]) : "",
             shuffled ? ", shuffle " : "",
             shuffled ? sim_shuffle_name(shuffles->items[curve->shuffle]) : "");
}

/* The results of a curve, with bars of two standard errors. */
static void plot_results(struct plot *plot, const struct simulation_answer *s,
                         const struct curve *curve, size_t colour)
{
    char title[200];
    const bool over_rho = s->spec->rhos > 1;
    format_title(title, sizeof title, s, curve);
    plot_series(plot, title, over_rho, true, colour);
    for (size_t i = curve->first; i < curve->end; i++)
        for (size_t rho = 0; rho < s->spec->rhos; rho++) {
            const size_t shape = curve->assignment * s->query->length + i;
            const struct scenario at = {rho, curve->shuffle};
            const struct sim_result r = s->results[result_index(s, at, shape)];
            const double candidates = (double)rcm_candidates(s->query->shapes[i]);
            plot_point(plot, over_rho ? s->spec->rho[rho] : candidates, 1.0 - r.recall_mean,
                       2.0 * r.recall_stderr);
        }
}

static void plot_model(struct plot *plot, const struct simulation_answer *s,
                       const struct curve *curve, size_t colour)
{
    char title[200];
    snprintf(title, sizeof title, "kb = %" PRIu64 ", exact model", curve->k_b);
    plot_series(plot, title, true, false, colour);
    for (size_t i = curve->first; i < curve->end; i++)
        plot_point(plot, (double)rcm_candidates(s->query->shapes[i]), s->models[i].loss, 0.0);
}

/* The curves of one assignment and shuffle: a colour for each k_b, as in the figures, and dashes
 * for each assignment and shuffle but the first. */
static void plot_curves(struct plot *plot, const struct simulation_answer *s, unsigned assignment,
                        size_t shuffle)
{
    const struct query *query = s->query;
    size_t colour = 0;
    for (size_t first = 0, end; first < query->length; first = end) {
        end = end_of_k_b(query, first);
        const struct curve curve = {query->shapes[first].k_b, first, end, assignment, shuffle};
        plot_results(plot, s, &curve, colour);
        plot_dashes(plot, assignment * (unsigned)s->settings->shuffles.length + (unsigned)shuffle);
        if (assignment == 0 && shuffle == 0 && s->spec->rhos == 1)
            plot_model(plot, s, &curve, colour);
        colour++;
    }
}

/* Error over candidates (of several rho: over rho), a curve for each kb, assignment and shuffle;
 * the model's as lines. */
int draw_simulation(const struct simulation_answer *s)
{
    const bool over_rho = s->spec->rhos > 1;
    char title[200];
    snprintf(title, sizeof title, "n = %" PRIu64 ", k = %" PRIu64 ", %s, %" PRIu64 " rows",
             s->spec->n, s->spec->k, sim_input_name(s->spec->input),
             simulation_done(s->simulation));
    struct plot *plot = plot_new(
        title, over_rho ? "correlation of neighbours, rho" : "candidates, b kb", !over_rho);
    for (unsigned a = 0; a < s->settings->question.assignments.length; a++)
        for (size_t shuffle = 0; shuffle < s->settings->shuffles.length; shuffle++)
            plot_curves(plot, s, a, shuffle);
    if (s->settings->question.targets.length) {
        snprintf(title, sizeof title, "recall %.6g", decimal_value(s->query->recall_target));
        plot_target(plot, s->query->target.loss, title);
    }
    const int status = plot_draw(plot, s->settings->question.plot);
    plot_free(plot);
    return status;
}
