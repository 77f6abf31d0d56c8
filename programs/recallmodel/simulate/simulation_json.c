/* simulation_json.c - simulate: the report as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include <programs/common/json.h>
#include "simulation_report.h"

/* The rho of a scenario; null where rows have none. */
static double rho_or_nan(const struct simulation_answer *s, size_t rho)
{
    return shows_rho(s) ? s->spec->rho[rho] : NAN;
}

static json_t *rows_json(const struct simulation_answer *s)
{
    json_t *array = json_array();
    for (size_t rho = 0; rho < s->spec->rhos; rho++) {
        const struct sim_rows rows = simulation_rows(s->simulation, rho);
        json_t *object = json_object();
        set_real(object, "rho", rho_or_nan(s, rho));
        set_count(object, "rows", rows.rows);
        set_count(object, "rows_with_nan", rows.with_nan);
        set_count(object, "short_rows", rows.short_rows);
        set_real(object, "topk_mass_mean", s->spec->weights ? rows.topk_mass_mean : NAN);
        json_array_append_new(array, object);
    }
    return array;
}

/* The groups with rows, of the index-th result. */
static json_t *groups_json(const struct simulation_answer *s, size_t index)
{
    const struct scenario at = scenario_at(s, index / s->spec->shapes);
    json_t *groups = json_array();
    for (size_t g = 0; g < simulation_groups(s->simulation); g++) {
        const struct sim_group group =
            simulation_group(s->simulation, at.rho, at.shuffle, index % s->spec->shapes, g);
        if (group.lost.rows == 0)
            continue;
        json_t *object = json_object();
        char *label = group_label(s, g);
        set_name(object, "label", label);
        set_count(object, "rows", group.lost.rows);
        set_real(object, "recall", group.recall_mean);
        set_real(object, "mass", group.mass_mean);
        json_array_append_new(groups, object);
        free(label);
    }
    return groups;
}

/* A shape with one of the bounds, under the name of the bound. */
static json_t *shape_json(const struct simulation_answer *s, struct scenario at, bool any,
                          size_t shape, const char *name, const double *bounds)
{
    if (!any)
        return json_null();
    const size_t index = result_index(s, at, shape);
    const struct shape_model *model = &s->models[shape];
    json_t *object = json_object();
    set_text(object, "assignment", assignment_name(model->p.assignment));
    set_count(object, "b", model->p.b);
    set_count(object, "k_b", model->p.k_b);
    set_count(object, "candidates", model->candidates);
    set_real(object, "recall_mean", s->results[index].recall_mean);
    set_real(object, name, bounds[index]);
    return object;
}

static json_t *choices_json(const struct simulation_answer *s)
{
    json_t *array = json_array();
    for (size_t i = 0; i < scenario_count(s); i++) {
        const struct scenario at = scenario_at(s, i);
        const struct simulation_choice choice = choose_shape(s, at);
        json_t *object = json_object();
        set_real(object, "rho", rho_or_nan(s, at.rho));
        set_text(object, "shuffle", sim_shuffle_name(s->spec->shuffle[at.shuffle]));
        set_real(object, "recall_target", decimal_value(s->query->recall_target));
        json_object_set_new(object, "measured",
                            shape_json(s, at, choice.any, choice.shape, "recall_lower", s->lower));
        if (s->student)
            json_object_set_new(object, "student",
                                shape_json(s, at, choice.student_any, choice.student_shape,
                                           "recall_lower_student", s->student));
        json_object_set_new(
            object, "model",
            shape_json(s, at, choice.model_any, choice.model_shape, "recall_lower", s->lower));
        json_object_set_new(
            object, "same",
            json_boolean(choice.any && choice.model_any && choice.shape == choice.model_shape));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *results_json(const struct simulation_answer *s)
{
    const struct simulation_tables tables = simulation_tables(s, EVERY_RESULT);
    json_t *results = table_json(tables.results);
    for (size_t i = 0; i < json_array_size(results); i++) {
        json_t *object = json_array_get(results, i), *ranks = json_array();
        if (s->spec->groups)
            json_object_set_new(object, "groups", groups_json(s, i));
        for (size_t j = 0; j < s->spec->ranks; j++)
            json_array_append_new(ranks, table_row_json(tables.ranks, i * s->spec->ranks + j));
        if (s->spec->ranks)
            json_object_set(object, "survival", ranks);
        json_decref(ranks);
    }
    simulation_tables_free(&tables);
    return results;
}

/* The rows of the input rope: each pair with its wavelength and share of the variance. */
static json_t *rope_json(const struct simulation_answer *s)
{
    const struct sim_rope *rope = s->spec->rope;
    const struct rcm_rope model = {.theta = rope->theta, .head_dim = rope->head_dim};
    double w[SIM_PAIRS_MAX];
    json_t *object = json_object(), *pairs = json_array();
    rope_weights(rope, s->spec->seed, w);
    set_real(object, "rope_theta", rope->theta);
    set_count(object, "head_dim", rope->head_dim);
    set_real(object, "rope_share", rope->share);
    for (unsigned i = 0; i < rope->head_dim / 2; i++) {
        json_t *pair = json_object();
        set_real(pair, "wavelength", rcm_rope_wavelength(model, i));
        set_real(pair, "share", rope->share * w[i]);
        json_array_append_new(pairs, pair);
    }
    json_object_set_new(object, "pairs", pairs);
    return object;
}

int print_simulation_json(const struct simulation_answer *s)
{
    const struct sim_spec *spec = s->spec;
    json_t *object = object_with_version();
    set_count(object, "n", spec->n);
    set_count(object, "k", spec->k);
    set_count(object, "valid", spec->valid);
    lengths_json(object, s->query->base.lengths);
    set_text(object, "input", sim_input_name(spec->input));
    set_name(object, "file", spec->name);
    set_count(object, "seed", spec->seed);
    set_count(object, "repetitions", simulation_done(s->simulation));
    set_count(object, "repetitions_wanted", spec->repetitions);
    set_truth(object, "partial", s->partial);
    set_real(object, "temperature", spec->weights ? spec->temperature : NAN);
    if (s->settings->as.mask.given)
        set_real(object, "mask_below", s->settings->as.mask.value);
    if (s->settings->as.weights)
        set_text(object, "weights_are", sim_weights_name(s->settings->as.weights));
    if (spec->input == SIM_ROPE)
        json_object_set_new(object, "rope", rope_json(s));
    if (spec->groups) {
        char grouping[80];
        format_grouping(grouping, sizeof grouping, s);
        set_text(object, "grouped_by", grouping);
    }
    json_object_set_new(object, "rows", rows_json(s));
    json_object_set_new(object, "results", results_json(s));
    if (s->settings->question.targets.length)
        json_object_set_new(object, "choices", choices_json(s));
    progress_end(s->progress);
    return print_json(object);
}
