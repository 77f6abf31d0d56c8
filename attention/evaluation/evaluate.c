/* evaluate.c - see evaluate.h. The order of the work: method by method; for each its index of every
 * head, its knobs, and then every head at every budget.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "evaluate.h"

#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include "evaluation_state.h"
#include <attention/partition/partition.h>
#include <attention/products.h>
#include <attention/threads.h>

/* ---- groups and cells */

/* The cell of an earlier group with the same layer and query head, or a new one. */
static size_t cell_of_head(struct evaluation_run *run, size_t length,
                           const struct head_shape *shape, uint32_t query_head)
{
    for (size_t g = 0; g < length; g++) {
        const struct head_shape *other = &run->spec->heads[run->groups[g].head];
        if (other->layer == shape->layer && other->document != shape->document &&
            other->query_head + run->groups[g].query_head == query_head)
            return run->groups[g].cell;
    }
    return run->cells++;
}

static void make_groups(struct evaluation_run *run)
{
    const struct evaluation_spec *spec = run->spec;
    size_t length = 0, dense = 0;
    for (size_t i = 0; i < spec->length; i++) {
        length += spec->heads[i].query_heads;
        dense += spec->heads[i].dense;
    }
    run->groups = require_memory(calloc(length + 1, sizeof *run->groups));
    run->first_group = require_memory(calloc(spec->length + 1, sizeof *run->first_group));
    run->cells = spec->per_head ? 0 : 1;
    for (size_t i = 0, g = 0; i < spec->length; i++) {
        const struct head_shape *shape = &spec->heads[i];
        const bool left_out = shape->dense && dense < spec->length;
        run->first_group[i] = g;
        for (uint32_t h = 0; h < shape->query_heads; h++, g++) {
            struct query_group *group = &run->groups[g];
            *group = (struct query_group){.head = i, .query_head = h};
            group->cell = spec->per_head ? cell_of_head(run, g, shape, shape->query_head + h)
                          : left_out     ? CELL_NONE
                                         : 0;
            group->knob_cell = spec->share ? run->groups[run->first_group[i]].cell : group->cell;
        }
    }
    run->groups_length = length;
}

/* ---- one method */

struct key_head evaluation_head(const struct evaluation_spec *spec, const struct method *method,
                                size_t index)
{
    struct key_head head = head_without_numbers(spec, index);
    const struct trained_heads *trained = &spec->trained[method->unroped];
    const bool given = method->trains_queries || !trained->models_only;
    head.partition = given && trained->partitions ? trained->partitions[index] : NULL;
    head.models = given && trained->models ? trained->models[index] : NULL;
    return head;
}

/* What the method is given of what was trained, or found by an earlier run. */
static void give_trained(struct evaluation_run *run, size_t head)
{
    const struct key_head given = evaluation_head(run->spec, run->method, head);
    struct key_head *to = &run->states.head[head];
    to->partition_own = run->restored[head] != NULL;
    to->partition = to->partition_own ? run->restored[head] : given.partition;
    to->models = given.models;
    to->watch = &run->watch;
}

/* All of them, also where an earlier run had gone on from there. */
static int build_indices(struct evaluation_run *run)
{
    const struct method_options *options = &run->spec->options;
    for (size_t i = 0; i < run->spec->length; i++) {
        if (!run->spec->heads[i].dense) {
            if (!head_states_load(&run->states, i, run->error))
                return run->stopped ? 1 : -1;
            give_trained(run, i);
            const struct key_head *head = &run->states.head[i];
            run->index[i] =
                run->method->build ? run->method->build(run->method, options, head) : NULL;
            run->knob_max[i] = method_knob_max(run->method, options, head);
        }
        if (run->stopped)
            return 1;
        if (run->phase == PHASE_BUILD && i >= run->next) {
            run->next = i + 1;
            keep_state(run, false);
        }
        if (step_done(run))
            return 1;
    }
    return 0;
}

static void free_indices(struct evaluation_run *run)
{
    for (size_t i = 0; i < run->spec->length; i++) {
        if (run->index[i] && run->method->free_index)
            run->method->free_index(run->index[i]);
        partition_free(run->restored[i]);
        run->restored[i] = NULL;
        run->index[i] = NULL;
        run->knob_max[i] = 0;
    }
    free(run->bounds);
    run->bounds = NULL;
}

/* Without a knob all budgets are alike. */
static bool has_knob(const struct evaluation_run *run)
{
    for (size_t i = 0; i < run->spec->length; i++)
        if (run->knob_max[i] > 0)
            return true;
    return false;
}

/* Measures one head at every budget. */
static void measure_head(struct evaluation_run *run, size_t head, const struct head_room *room)
{
    const struct evaluation_spec *spec = run->spec;
    const struct head_shape *shape = &spec->heads[head];
    const size_t first = run->first_group[head], groups = run->groups_length;
    const bool one = shape->dense || !has_knob(run);
    uint32_t *knobs = require_memory(calloc(shape->query_heads, sizeof *knobs));
    for (size_t b = 0; b < spec->budgets_length; b++) {
        struct sums *sums = run->sums + b * groups + first;
        struct recall_sum *recall = run->recall + (b * groups + first) * spec->k_length;
        for (uint32_t h = 0; h < shape->query_heads; h++) {
            const size_t cell = run->groups[first + h].knob_cell;
            knobs[h] = run->method->counts_keys ? budget_keys(spec->budgets[b], shape->n)
                       : cell == CELL_NONE      ? 0
                                                : run->knob[b * run->cells + cell];
        }
        if (b > 0 && one) {
            memcpy(sums, run->sums + first, shape->query_heads * sizeof *sums);
            memcpy(recall, run->recall + first * spec->k_length,
                   shape->query_heads * spec->k_length * sizeof *recall);
            continue;
        }
        memset(sums, 0, shape->query_heads * sizeof *sums);
        memset(recall, 0, shape->query_heads * spec->k_length * sizeof *recall);
        measure_visited(run, head, room, knobs, sums, recall);
        const double imbalance =
            run->method->imbalance && !shape->dense
                ? run->method->imbalance(&run->states.head[head], run->index[head])
                : 0;
        for (uint32_t h = 0; h < shape->query_heads; h++)
            sums[h].imbalance = imbalance;
        if (ask_to_stop(run, b + 1, spec->budgets_length))
            break;
    }
    free(knobs);
}

/* From the head run->next on. A head in which it is stopped counts for nothing. */
static int measure_heads(struct evaluation_run *run)
{
    while (run->next < run->spec->length) {
        const size_t i = run->next;
        if (run->groups[run->first_group[i]].cell != CELL_NONE) {
            const struct head_room *room = head_states_load(&run->states, i, run->error);
            if (!room && !run->stopped)
                return -1;
            if (room)
                measure_head(run, i, room);
        }
        if (run->stopped)
            return 1;
        run->next++;
        keep_state(run, false);
        if (step_done(run) && run->next < run->spec->length)
            return 1;
    }
    return 0;
}

/* The phases of the method in hand, from run->phase on. */
static int run_method(struct evaluation_run *run)
{
    const size_t heads = run->spec->length;
    run->done = 2 * run->place * heads;
    int status = build_indices(run);
    if (status == 0 && run->phase == PHASE_BUILD) {
        run->phase = PHASE_SEARCH;
        run->next = 0;
    }
    if (status == 0 && run->phase == PHASE_SEARCH) {
        status = find_knobs(run);
        if (status == 0) {
            run->phase = PHASE_MEASURE;
            run->next = 0;
        }
    }
    run->done += run->phase == PHASE_MEASURE ? run->next : 0;
    return status == 0 ? measure_heads(run) : status;
}

/* ---- all methods */

static void run_allocate(struct evaluation_run *run, struct evaluation *evaluation)
{
    const struct evaluation_spec *spec = run->spec;
    const size_t sums = spec->budgets_length * run->groups_length,
                 knobs = spec->budgets_length * run->cells;
    run->index = require_memory(calloc(spec->length + 1, sizeof *run->index));
    run->knob_max = require_memory(calloc(spec->length + 1, sizeof *run->knob_max));
    run->knob = require_memory(calloc(knobs + 1, sizeof *run->knob));
    run->sums = require_memory(calloc(sums + 1, sizeof *run->sums));
    run->recall = require_memory(calloc(sums * spec->k_length + 1, sizeof *run->recall));
    run->restored = require_memory(calloc(spec->length + 1, sizeof *run->restored));
    const size_t rows = spec->methods_length * knobs;
    evaluation->rows = require_memory(calloc(rows + 1, sizeof *evaluation->rows));
    evaluation->all = require_memory(calloc(rows * spec->k_length + 1, sizeof *evaluation->all));
}

static void run_free(struct evaluation_run *run)
{
    head_states_free(&run->states);
    free(run->groups);
    free(run->first_group);
    free(run->index);
    free(run->knob_max);
    free(run->knob);
    free(run->sums);
    free(run->recall);
    free(run->restored);
    free(run->kept.items);
}

/* What attention to all keys reads, on average. Heads that share keys read them once with share. */
static void put_full(const struct evaluation_run *run, struct evaluation *evaluation)
{
    double queries = 0, full = 0, keys = 0;
    for (size_t g = 0; g < run->groups_length; g++) {
        const struct head_shape *shape = &run->spec->heads[run->groups[g].head];
        if (run->groups[g].cell == CELL_NONE)
            continue;
        const double seen = shape->n - (shape->n_q - 1) / 2.0,
                     readers = run->spec->share ? shape->query_heads : 1,
                     reads = seen * shape->n_q / readers,
                     pair = (double)shape->d + (shape->d_v ? shape->d_v : shape->d);
        queries += shape->n_q;
        keys += reads * stored_key_bytes(&run->spec->options, shape->d);
        full += reads * pair * run->spec->options.element_bytes;
    }
    evaluation->queries = (uint64_t)queries;
    evaluation->full_bytes = full / queries;
    evaluation->keys_bytes = keys / queries;
    for (size_t i = 0; i < run->spec->length; i++)
        evaluation->dense_heads += run->spec->heads[i].dense;
}

static int run_methods(struct evaluation_run *run, struct evaluation *evaluation)
{
    const struct evaluation_spec *spec = run->spec;
    int status = restore_state(run, evaluation);
    while (status == 0 && run->place < spec->methods_length) {
        run->method = spec->methods[run->place];
        status = run_method(run);
        if (status == 0) {
            append_rows(run, run->place, evaluation);
            keep_method(run);
            run->place++;
            run->phase = PHASE_BUILD;
            run->next = 0;
        } else {
            keep_state(run, status > 0);
        }
        free_indices(run);
        if (status == 0 && run->stopped && run->place < spec->methods_length) {
            status = 1;
            keep_state(run, true);
        }
    }
    if (status == 0)
        keep_state(run, true);
    free_indices(run);
    return run->unkept && status >= 0 ? EVALUATION_UNKEPT : status;
}

int evaluation_run(const struct evaluation_spec *spec, const struct watch *watch,
                   struct evaluation *evaluation, struct message error)
{
    struct evaluation_run run = {.spec = spec,
                                 .caller = watch,
                                 .total = 2 * spec->methods_length * spec->length,
                                 .watch = {ask_to_stop, &run},
                                 .error = error};
    *evaluation = (struct evaluation){0};
    const unsigned before = threads_most();
    threads_use(spec->threads);
    make_groups(&run);
    int status = products_ready(error) ? head_states_new(&run.states, spec, error) : -1;
    if (status == 0) {
        run.states.watch = &run.watch;
        run_allocate(&run, evaluation);
        put_full(&run, evaluation);
        status = run_methods(&run, evaluation);
    }
    run_free(&run);
    threads_use(before);
    return status;
}

void evaluation_free(struct evaluation *evaluation)
{
    free(evaluation->rows);
    free(evaluation->all);
    *evaluation = (struct evaluation){0};
}
