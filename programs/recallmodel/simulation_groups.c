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

/* The groups of a result; the caller frees them. Groups without rows have 0. */
static struct sim_group *groups_of(const struct simulation_answer *s, size_t index)
{
    const size_t groups = simulation_groups(s->simulation);
    const struct scenario at = scenario_at(s, index / s->spec->shapes);
    struct sim_group *all = require_memory(calloc(groups, sizeof *all));
    for (size_t g = 0; g < groups; g++)
        all[g] = simulation_group(s->simulation, at.rho, at.shuffle, index % s->spec->shapes, g);
    return all;
}

/* The mean recall over groups, and its standard error. */
static struct grouped_mean mean_over(const struct simulation_answer *s,
                                     const struct sim_group *groups)
{
    const size_t length = simulation_groups(s->simulation);
    struct group_sum *sums = require_memory(calloc(length, sizeof *sums));
    for (size_t g = 0; g < length; g++)
        sums[g] = (struct group_sum){(double)groups[g].lost.lost, (double)groups[g].lost.rows};
    struct grouped_mean mean = grouped_mean(sums, length);
    free(sums);
    mean.mean = 1.0 - mean.mean / (double)s->spec->k;
    mean.error /= (double)s->spec->k;
    return mean;
}

/* How far Student's bound with this tail lies from the mean. NaN where it promises nothing: below
 * SIM_GROUPS_FEWEST groups, and if all groups have the same mean. */
static double student_margin(const struct grouped_mean *mean, double tail)
{
    if (mean->groups < SIM_GROUPS_FEWEST || !(mean->error > 0.0))
        return NAN;
    return student_upper(tail, (double)mean->groups - 1.0) * mean->error;
}

struct over_groups over_groups(const struct simulation_answer *s, size_t index)
{
    struct sim_group *groups = groups_of(s, index);
    struct over_groups over = {.recall = mean_over(s, groups)};
    const double margin = student_margin(&over.recall, 0.5 * ALPHA);
    over.low = isnan(margin) ? NAN : fmax(over.recall.mean - margin, 0.0);
    over.high = isnan(margin) ? NAN : fmin(over.recall.mean + margin, 1.0);
    over.worst_of.recall_mean = INFINITY;
    for (size_t g = 0; g < simulation_groups(s->simulation); g++)
        if (groups[g].recall_mean < over.worst_of.recall_mean) {
            over.worst = g;
            over.worst_of = groups[g];
        }
    free(groups);
    return over;
}

size_t groups_with_rows(const struct simulation_answer *s)
{
    size_t count = 0;
    for (size_t g = 0; g < simulation_groups(s->simulation); g++)
        count += simulation_group(s->simulation, 0, 0, 0, g).lost.rows > 0;
    return count;
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
    const size_t length = simulation_groups(s->simulation);
    struct sim_group *groups = groups_of(s, index);
    struct sim_group_lost *lost = require_memory(calloc(length, sizeof *lost));
    for (size_t g = 0; g < length; g++)
        lost[g] = groups[g].lost;
    const double bound = sim_recall_lower_groups(lost, length, result_at(s, index).lost.most,
                                                 s->spec->k, ALPHA, s->spec->shapes);
    free(lost);
    free(groups);
    return bound;
}

double *lower_bounds(const struct simulation_answer *s)
{
    double *lower = require_memory(calloc(result_count(s), sizeof *lower));
    for (size_t i = 0; i < result_count(s); i++) {
        const struct sim_result r = result_at(s, i);
        lower[i] = s->spec->groups ? group_bound(s, i)
                                   : sim_recall_lower(&r.lost, s->spec->k, ALPHA, s->spec->shapes);
    }
    return lower;
}

double *student_bounds(const struct simulation_answer *s)
{
    if (!s->spec->groups)
        return NULL;
    double *bounds = require_memory(calloc(result_count(s), sizeof *bounds));
    for (size_t i = 0; i < result_count(s); i++) {
        struct sim_group *groups = groups_of(s, i);
        const struct grouped_mean mean = mean_over(s, groups);
        const double most = (double)result_at(s, i).lost.most / (double)s->spec->k;
        const double bound = mean.mean - student_margin(&mean, ALPHA / (double)s->spec->shapes);
        bounds[i] = bound < 1.0 - most ? 1.0 - most : bound;
        free(groups);
    }
    return bounds;
}

/* ---- output */

void put_groups(struct table *table, const struct simulation_answer *s, size_t index)
{
    const struct over_groups over = over_groups(s, index);
    char *label = group_label(s, over.worst);
    table_count(table, in_csv("groups"), over.recall.groups);
    table_real(table, in_data("recall_se_groups"), over.recall.error);
    table_real(table, in_data("recall_low_groups"), over.low);
    table_real(table, in_data("recall_high_groups"), over.high);
    table_text(table, in_data("worst_group"), label);
    table_real(table, in_data("recall_worst_group"), over.worst_of.recall_mean);
    table_real(table, in_data("mass_worst_group"), over.worst_of.mass_mean);
    free(label);
}

void print_group_notes(const struct simulation_answer *s)
{
    const size_t groups = groups_with_rows(s);
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
