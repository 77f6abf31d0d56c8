/* budget.c - the knob for a budget: the largest one that does not visit too much, by bisection. All
 * budgets and cells go forward together, one pass over the heads for each step.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include "evaluation_state.h"

static uint32_t middle_of(const struct bounds *b)
{
    return b->low + (b->high - b->low) / 2;
}

static bool decided(const struct bounds *b)
{
    return b->high - b->low <= 1;
}

static struct bounds *bounds_new(const struct evaluation_run *run)
{
    const struct evaluation_spec *spec = run->spec;
    struct bounds *bounds =
        require_memory(calloc(spec->budgets_length * run->cells + 1, sizeof *bounds));
    for (size_t g = 0; g < run->groups_length; g++) {
        const struct query_group *group = &run->groups[g];
        const struct head_shape *shape = &spec->heads[group->head];
        if (group->knob_cell == CELL_NONE || shape->dense)
            continue;
        for (size_t b = 0; b < spec->budgets_length; b++) {
            struct bounds *cell = &bounds[b * run->cells + group->knob_cell];
            const uint32_t most = run->knob_max[group->head] + 1;
            cell->high = most > cell->high ? most : cell->high;
            cell->allowed +=
                (double)shape->n_q * budget_keys(spec->budgets[b], shape->n) / shape->n;
        }
    }
    return bounds;
}

/* Adds what the middle of each cell visits in one head, unless it is stopped. */
static void visit_middles(const struct evaluation_run *run, size_t head,
                          const struct head_room *room, struct bounds *bounds)
{
    const struct head_shape *shape = &run->spec->heads[head];
    const struct query_group *group = &run->groups[run->first_group[head]];
    const size_t heads = shape->query_heads, budgets = run->spec->budgets_length;
    uint32_t *knobs = require_memory(calloc(budgets * heads, sizeof *knobs));
    double *visited = require_memory(calloc(budgets * heads, sizeof *visited));
    for (size_t b = 0; b < budgets; b++) {
        bool wanted = false;
        for (size_t h = 0; h < heads; h++) {
            const struct bounds *cell = &bounds[b * run->cells + group[h].knob_cell];
            knobs[b * heads + h] = decided(cell) ? 0 : middle_of(cell);
            wanted = wanted || !decided(cell);
        }
        size_t same = 0; /* an earlier budget with the same knobs */
        while (same < b && memcmp(knobs + same * heads, knobs + b * heads, heads * sizeof *knobs))
            same++;
        if (same < b)
            memcpy(visited + b * heads, visited + same * heads, heads * sizeof *visited);
        else if (wanted)
            count_visited(run, head, room, knobs + b * heads, visited + b * heads);
    }
    for (size_t b = 0; b < budgets && !run->stopped; b++)
        for (size_t h = 0; h < heads; h++)
            bounds[b * run->cells + group[h].knob_cell].visited +=
                visited[b * heads + h] / shape->n;
    free(knobs);
    free(visited);
}

/* Halves each interval. Returns whether one is left that can be halved. */
static bool halve(const struct evaluation_run *run, struct bounds *bounds)
{
    bool left = false;
    for (size_t i = 0; i < run->spec->budgets_length * run->cells; i++) {
        struct bounds *b = &bounds[i];
        if (!decided(b)) {
            /* The slack is for the rounding of sums of shares. */
            if (b->visited <= b->allowed * (1 + 1e-12))
                b->low = middle_of(b);
            else
                b->high = middle_of(b);
            left = left || !decided(b);
        }
        b->visited = 0;
    }
    return left;
}

/* From the head run->next on. A head in which it is stopped counts for nothing. */
static int search(struct evaluation_run *run)
{
    do {
        while (run->next < run->spec->length) {
            const size_t head = run->next, cell = run->groups[run->first_group[head]].knob_cell;
            run->next++;
            if (run->spec->heads[head].dense || cell == CELL_NONE)
                continue;
            const struct head_room *room = head_states_load(&run->states, head, run->error);
            if (!room && !run->stopped)
                return -1;
            if (room)
                visit_middles(run, head, room, run->bounds);
            if (run->stopped) {
                run->next--;
                return 1;
            }
            keep_state(run, false);
            if (ask_to_stop(run, 0, 1))
                return 1;
        }
        run->next = 0;
    } while (halve(run, run->bounds));
    return 0;
}

/* A method that counts keys visits as many as the budget says: the knob of the rows is that of the
 * first head, and each head takes its own. */
static bool is_searched(const struct evaluation_run *run)
{
    return !run->method->counts_keys && run->method->knob_max;
}

int find_knobs(struct evaluation_run *run)
{
    const size_t knobs = run->spec->budgets_length * run->cells;
    memset(run->knob, 0, knobs * sizeof *run->knob);
    if (!is_searched(run))
        return 0;
    if (!run->bounds)
        run->bounds = bounds_new(run);
    bool any = false;
    for (size_t i = 0; i < knobs; i++)
        any = any || !decided(&run->bounds[i]);
    const int status = any ? search(run) : 0;
    for (size_t i = 0; i < knobs; i++)
        run->knob[i] = run->bounds[i].low;
    return status;
}
