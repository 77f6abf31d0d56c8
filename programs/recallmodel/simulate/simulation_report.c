/* simulation_report.c - see simulation_report.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "simulation_report.h"

#include <stdlib.h>

#include <base/memory.h>

/* Do recall by rank and by value differ anywhere? */
static bool differs_by_value(const struct simulation_answer *s)
{
    for (size_t i = 0; i < result_count(s); i++)
        if (s->results[i].recall_mean != s->results[i].recall_value_mean)
            return true;
    return false;
}

static void print_csv(const struct simulation_answer *s)
{
    const struct simulation_tables tables = simulation_tables(s, EVERY_RESULT);
    progress_end(s->progress);
    table_print_csv(tables.results, stdout, true);
    simulation_tables_free(&tables);
}

int report_simulation(struct simulation_answer *s)
{
    int status = STATUS_OK;
    s->results = require_memory(calloc(result_count(s), sizeof *s->results));
    for (size_t i = 0; i < result_count(s); i++) {
        const struct scenario at = scenario_at(s, i / s->spec->shapes);
        s->results[i] = simulation_result(s->simulation, at.rho, at.shuffle, i % s->spec->shapes);
    }
    s->shows_value = differs_by_value(s);
    s->models = require_memory(calloc(s->spec->shapes, sizeof *s->models));
    for (size_t i = 0; i < s->spec->shapes; i++)
        s->models[i] = model_of_shape(s, i);
    s->lower = s->settings->question.targets.length ? lower_bounds(s) : NULL;
    s->student = s->lower ? student_bounds(s) : NULL;
    s->over = require_memory(calloc(result_count(s), sizeof *s->over));
    for (size_t i = 0; s->spec->groups && i < result_count(s); i++)
        s->over[i] = over_groups(s, i);
    switch (s->settings->question.output) {
    case OUTPUT_TABLE:
        print_simulation(s);
        break;
    case OUTPUT_CSV:
        print_csv(s);
        break;
    case OUTPUT_JSON:
        status = print_simulation_json(s);
        break;
    }
    if (status == STATUS_OK && s->settings->question.plot)
        status = draw_simulation(s);
    for (size_t i = 0; i < result_count(s); i++)
        free((void *)s->over[i].worst_label);
    free(s->over);
    free(s->results);
    free(s->models);
    free(s->lower);
    free(s->student);
    return status;
}
