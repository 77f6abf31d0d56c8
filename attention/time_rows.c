/* time_rows.c - how long a step takes that chooses keys and attends to them, for each row: on the
 * first query head that the row covers, with all its queries, on one thread.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "evaluation_state.h"
#include "timing.h"

/* The first group of a cell to which methods are applied; groups_length: there is none. */
static size_t first_group(const struct run *run, size_t cell)
{
    size_t g = 0;
    while (g < run->groups_length &&
           (run->groups[g].cell != cell || run->spec->heads[run->groups[g].head].dense))
        g++;
    return g;
}

static int time_cell(struct run *run, size_t cell, const struct group *group)
{
    const struct evaluation_spec *spec = run->spec;
    const struct head_shape *shape = &spec->heads[group->head];
    const struct head_room *room =
        head_states_load(&run->states, group->head, run->error, run->error_size);
    if (!room)
        return -1;
    const struct query query = query_of(&run->states, group->head, room, group->query_head, 0);
    const struct timing_spec timing_spec = {.method = run->method,
                                            .options = &spec->options,
                                            .head = &run->states.head[group->head],
                                            .queries = query.q,
                                            .queries_unroped = query.q_unroped,
                                            .count = shape->n_q,
                                            .query_head = group->query_head,
                                            .scale = query.scale,
                                            .repetitions = 1,
                                            .index = run->index[group->head],
                                            .cold = spec->time == TIME_COLD};
    double index_us;
    struct timing *timing = timing_new(&timing_spec, &index_us);
    for (size_t b = 0; b < spec->budgets_length; b++) {
        struct row_time *time = &run->time[b * run->cells + cell];
        const uint32_t most = run->knob_max[group->head];
        const uint32_t knob = run->method->counts_keys
                                  ? budget_keys(spec->budgets[b], shape->n)
                                  : run->knob[b * run->cells + group->knob_cell];
        const struct step_times times = timing_measure(timing, knob < most ? knob : most);
        *time = (struct row_time){times.time.median, times.full.median};
    }
    timing_free(timing);
    return 0;
}

int time_rows(struct run *run)
{
    for (size_t i = 0; i < run->spec->budgets_length * run->cells; i++)
        run->time[i] = (struct row_time){NAN, NAN};
    for (size_t cell = 0; cell < run->cells && run->spec->time != TIME_NONE; cell++) {
        const size_t g = first_group(run, cell);
        if (g < run->groups_length && time_cell(run, cell, &run->groups[g]) != 0)
            return -1;
        if (run->tick && run->tick(run->tick_context, run->done, run->total)) {
            run->stopped = true;
            return 1;
        }
    }
    return 0;
}
