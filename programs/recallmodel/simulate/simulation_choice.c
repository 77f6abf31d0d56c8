/* simulation_choice.c - simulate: the model beside the results, and the choice for a target.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include <base/memory.h>
#include <base/statistics.h>

#include "simulation_report.h"

/* Of the mean over rows whose lengths are given, those of a file. */
static double sd_at_lengths(struct rcm_topk p)
{
    const struct rcm_lengths *lengths = p.lengths;
    double variance = 0.0;
    p.lengths = NULL;
    for (size_t i = 0; i < lengths->count; i++) {
        p.valid = lengths->length[i];
        const double sd = p.valid > p.k ? rcm_recall_sd(p) : 0.0;
        variance += (double)lengths->rows[i] / (double)lengths->all * sd * sd;
    }
    return sqrt(variance);
}

struct shape_model model_of_shape(const struct simulation_answer *s, size_t shape)
{
    struct shape_model model = {.p = s->query->shapes[shape % s->query->length]};
    model.p.assignment = s->settings->question.assignments.items[shape / s->query->length];
    model.candidates = rcm_candidates(model.p);
    model.loss = rcm_loss_exact(model.p);
    model.recall = 1.0 - model.loss;
    model.sd = model.p.lengths && s->spec->input == SIM_FILE ? sd_at_lengths(model.p)
                                                             : rcm_recall_sd(model.p);
    model.exact_rows = rcm_probability_exact(model.p);
    model.worst_case = rcm_recall_worst_case(model.p);
    if (s->spec->input == SIM_ROPE)
        model.wave_loss = rope_loss(model.p, s->spec->rope, s->spec->seed);
    return model;
}

double z_of(const struct sim_result *r, const struct shape_model *model)
{
    return z_score(r->recall_mean, model->recall, model->sd, (double)r->rows);
}

size_t scenario_count(const struct simulation_answer *s)
{
    return s->spec->rhos * s->spec->shuffles;
}

struct scenario scenario_at(const struct simulation_answer *s, size_t index)
{
    return (struct scenario){index / s->spec->shuffles, index % s->spec->shuffles};
}

size_t result_count(const struct simulation_answer *s)
{
    return scenario_count(s) * s->spec->shapes;
}

size_t result_index(const struct simulation_answer *s, struct scenario at, size_t shape)
{
    return sim_result_index(s->spec, at.rho, at.shuffle, shape);
}

bool shows_rho(const struct simulation_answer *s)
{
    return sim_input_has_rho(s->spec->input);
}

bool shows_shuffle(const struct simulation_answer *s)
{
    return s->spec->shuffles > 1 || s->spec->shuffle[0] != SIM_SHUFFLE_NONE;
}

/* Does a bound reach the target? No with NaN. */
static bool bound_reaches(const struct simulation_answer *s, const double *bounds,
                          struct scenario at, size_t shape)
{
    return bounds && bounds[result_index(s, at, shape)] >= decimal_value(s->query->recall_target);
}

bool reaches_target(const struct simulation_answer *s, struct scenario at, size_t shape)
{
    return bound_reaches(s, s->lower, at, shape) || bound_reaches(s, s->student, at, shape);
}

/* Takes the shape if it is the first or has fewer candidates than what was taken before. */
static void take_fewer(const struct simulation_answer *s, size_t shape, bool *any, size_t *taken)
{
    if (*any && s->models[shape].candidates >= s->models[*taken].candidates)
        return;
    *any = true;
    *taken = shape;
}

struct simulation_choice choose_shape(const struct simulation_answer *s, struct scenario at)
{
    struct simulation_choice choice = {0};
    for (size_t i = 0; i < s->spec->shapes; i++) {
        if (bound_reaches(s, s->lower, at, i))
            take_fewer(s, i, &choice.any, &choice.shape);
        if (bound_reaches(s, s->student, at, i))
            take_fewer(s, i, &choice.student_any, &choice.student_shape);
        if (rcm_reaches(s->models[i].p, s->query->target))
            take_fewer(s, i, &choice.model_any, &choice.model_shape);
    }
    return choice;
}
