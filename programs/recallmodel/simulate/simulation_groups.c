/* simulation_groups.c - simulate: the results over groups of rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <base/memory.h>
#include <programs/common/wrap.h>

#include "simulation_report.h"

#define LABEL_MAX 1000

/* What the groups of a result lost; the caller frees it. Groups without rows have 0. */
static struct sim_group_lost *lost_of(const struct simulation_answer *s, size_t index)
{
    const size_t groups = simulation_groups(s->simulation);
    const struct scenario at = scenario_at(s, index / s->spec->shapes);
    struct sim_group_lost *lost = require_memory(calloc(groups, sizeof *lost));
    for (size_t g = 0; g < groups; g++)
        lost[g] =
            simulation_group(s->simulation, at.rho, at.shuffle, index % s->spec->shapes, g).lost;
    return lost;
}

static struct sim_over_groups mean_over(const struct simulation_answer *s, size_t index,
                                        double alpha)
{
    struct sim_group_lost *lost = lost_of(s, index);
    const struct sim_over_groups over =
        sim_over_groups(lost, simulation_groups(s->simulation), s->spec->k, alpha);
    free(lost);
    return over;
}

struct over_groups over_groups(const struct simulation_answer *s, size_t index)
{
    const struct scenario at = scenario_at(s, index / s->spec->shapes);
    struct over_groups over = {.of = mean_over(s, index, ALPHA)};
    size_t worst = 0;
    over.worst_group.recall_mean = INFINITY;
    for (size_t g = 0; g < simulation_groups(s->simulation); g++) {
        const struct sim_group group =
            simulation_group(s->simulation, at.rho, at.shuffle, index % s->spec->shapes, g);
        if (group.recall_mean < over.worst_group.recall_mean) { /* no without rows: NaN */
            worst = g;
            over.worst_group = group;
        }
    }
    if (over.worst_group.lost.lost > 0)
        over.worst_label = group_label(s, worst);
    return over;
}

char *group_label(const struct simulation_answer *s, size_t group)
{
    char label[LABEL_MAX];
    row_group_label(s->spec->groups, group, label, sizeof label);
    return text_copy(label);
}

void format_grouping(char *text, size_t size, const struct simulation_answer *s)
{
    const unsigned axes = s->spec->groups->axes;
    if (s->settings->groups)
        snprintf(text, size, "the labels of --groups");
    else if (axes == 1)
        snprintf(text, size, "the first axis of the array");
    else
        snprintf(text, size, "the first %u axes of the array", axes);
}

/* ---- bounds for the choice */

static double group_bound(const struct simulation_answer *s, size_t index)
{
    struct sim_group_lost *lost = lost_of(s, index);
    const double bound =
        sim_recall_lower_groups(lost, simulation_groups(s->simulation), s->results[index].lost.most,
                                s->spec->k, ALPHA, s->spec->shapes);
    free(lost);
    return bound;
}

double *lower_bounds(const struct simulation_answer *s)
{
    double *lower = require_memory(calloc(result_count(s), sizeof *lower));
    for (size_t i = 0; i < result_count(s); i++)
        lower[i] = s->spec->groups
                       ? group_bound(s, i)
                       : sim_recall_lower(&s->results[i].lost, s->spec->k, ALPHA, s->spec->shapes);
    return lower;
}

double *student_bounds(const struct simulation_answer *s)
{
    if (!s->spec->groups)
        return NULL;
    double *bounds = require_memory(calloc(result_count(s), sizeof *bounds));
    for (size_t i = 0; i < result_count(s); i++) /* to one side, each with ALPHA/shapes */
        bounds[i] = mean_over(s, i, 2.0 * ALPHA / (double)s->spec->shapes).recall_low;
    return bounds;
}

/* ---- output */

void print_group_notes(const struct simulation_answer *s)
{
    const size_t groups = s->over[0].of.groups;
    if (!s->spec->groups) {
        if (s->spec->input == SIM_FILE)
            print_wrapped("Errors and bounds take the rows of the file as independent. If some "
                          "belong together, they promise too much: give --groups or "
                          "--group-axes.");
        return;
    }
    if (groups < SIM_GROUPS_FEWEST) {
        print_wrapped("%zu group%s: so few promise nothing of other groups; give %d or more.",
                      groups, groups == 1 ? "" : "s", SIM_GROUPS_FEWEST);
        return;
    }
    print_wrapped("Over groups, stderr allows for rows of a group that are alike. 95 %% from .. "
                  "to: Student's interval of the mean over rows of such groups, if the recalls of "
                  "groups are near normal. A new group like these is below the worst of the %zu "
                  "with a probability of at most 1/%zu, in a configuration that was fixed "
                  "beforehand. z still takes rows as independent.",
                  groups, groups + 1);
}
