/* resume.c - the state of an evaluation as bytes, and back: what was measured with the methods that
 * are finished, and how far the one in hand has come.
 *
 * The numbers are those of memory, as they are: the state is for the same program on the same
 * machine. For each method a block: the largest knob of each head, the knobs, the sums, the
 * recalls. An index is not kept but built again, except for partitions, which take long to find.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include "evaluation_state.h"
#include <attention/partition/partition.h>

/* The state begins with these. */
struct start {
    uint64_t place, phase, next, partitions;
    uint64_t has_bounds, block; /* bytes of a block */
};

/* Before the centroids of each partition. */
struct partition_start {
    uint64_t head;
    uint32_t clusters, d, spherical, none;
};

/* The arrays of a block, and their bytes. */
struct part {
    void *at;
    size_t bytes;
};

enum { BLOCK_PARTS = 4 };

static size_t block_of(const struct evaluation_run *run, struct part parts[BLOCK_PARTS])
{
    const struct evaluation_spec *spec = run->spec;
    const size_t sums = spec->budgets_length * run->groups_length;
    size_t bytes = 0;
    parts[0] = (struct part){run->knob_max, spec->length * sizeof *run->knob_max};
    parts[1] = (struct part){run->knob, spec->budgets_length * run->cells * sizeof *run->knob};
    parts[2] = (struct part){run->sums, sums * sizeof *run->sums};
    parts[3] = (struct part){run->recall, sums * spec->k_length * sizeof *run->recall};
    for (int i = 0; i < BLOCK_PARTS; i++)
        bytes += parts[i].bytes;
    return bytes;
}

static void put_block(const struct evaluation_run *run, struct bytes *to)
{
    struct part parts[BLOCK_PARTS];
    block_of(run, parts);
    for (int i = 0; i < BLOCK_PARTS; i++)
        bytes_put(to, parts[i].at, parts[i].bytes);
}

static size_t bounds_bytes(const struct evaluation_run *run)
{
    return run->spec->budgets_length * run->cells * sizeof *run->bounds;
}

/* The partition that was found for a head; NULL: none. */
static const struct partition *found(const struct evaluation_run *run, size_t head)
{
    if (run->restored[head])
        return run->restored[head];
    if (run->phase == PHASE_BUILD && head >= run->next)
        return NULL;
    return run->index[head] && run->method->own_partition
               ? run->method->own_partition(run->index[head])
               : NULL;
}

static uint64_t put_partitions(const struct evaluation_run *run, struct bytes *to)
{
    uint64_t count = 0;
    for (size_t head = 0; head < run->spec->length; head++) {
        const struct partition *p = found(run, head);
        if (!p)
            continue;
        const struct partition_start start = {head, p->clusters, p->d, p->spherical, 0};
        bytes_put(to, &start, sizeof start);
        bytes_put(to, p->centroids, (size_t)p->clusters * p->d * sizeof *p->centroids);
        count++;
    }
    return count;
}

void keep_method(struct evaluation_run *run)
{
    if (run->spec->keeper)
        put_block(run, &run->kept);
}

void keep_state(struct evaluation_run *run, bool must)
{
    const struct evaluation_keeper *keeper = run->spec->keeper;
    if (!keeper || run->unkept || !(must || keeper->due(keeper->context)))
        return;
    struct part parts[BLOCK_PARTS];
    struct bytes state = {0};
    struct start start = {run->place, run->phase,          run->next,
                          0,          run->bounds != NULL, block_of(run, parts)};
    bytes_put(&state, &start, sizeof start);
    bytes_put(&state, run->kept.items, run->kept.length);
    if (run->place < run->spec->methods_length) {
        put_block(run, &state);
        if (run->bounds)
            bytes_put(&state, run->bounds, bounds_bytes(run));
        start.partitions = put_partitions(run, &state);
        memcpy(state.items, &start, sizeof start);
    }
    if (keeper->keep(keeper->context, state.items, state.length, run->error) != 0)
        run->unkept = run->stopped = true;
    free(state.items);
}

/* ---- back */

static bool get_block(struct evaluation_run *run, struct byte_reader *from)
{
    struct part parts[BLOCK_PARTS];
    block_of(run, parts);
    bool whole = true;
    for (int i = 0; i < BLOCK_PARTS && whole; i++)
        whole = bytes_get(from, parts[i].at, parts[i].bytes);
    return whole;
}

static bool get_partition(struct evaluation_run *run, struct byte_reader *from)
{
    struct partition_start start;
    const struct method_options *options = &run->spec->options;
    if (!bytes_get(from, &start, sizeof start) || start.head >= run->spec->length ||
        start.clusters != options->clusters || start.d != run->spec->heads[start.head].d ||
        run->restored[start.head])
        return false;
    const size_t bytes = (size_t)start.clusters * start.d * sizeof(float);
    if (bytes > from->left)
        return false;
    float *centroids = require_memory(malloc(bytes));
    const bool whole = bytes_get(from, centroids, bytes);
    run->restored[start.head] =
        partition_new(start.clusters, start.d, start.spherical != 0, centroids);
    free(centroids);
    return whole;
}

/* Of the method in hand. */
static bool get_hand(struct evaluation_run *run, const struct start *start,
                     struct byte_reader *from)
{
    bool good = get_block(run, from);
    if (good && start->has_bounds) {
        run->bounds = require_memory(malloc(bounds_bytes(run) + 1));
        good = bytes_get(from, run->bounds, bounds_bytes(run));
    }
    for (uint64_t i = 0; i < start->partitions && good; i++)
        good = get_partition(run, from);
    return good;
}

/* The blocks of the methods that are finished give their rows. */
static bool get_finished(struct evaluation_run *run, const struct start *start,
                         struct byte_reader *from, struct evaluation *evaluation)
{
    for (; run->place < start->place; run->place++) {
        run->method = run->spec->methods[run->place];
        if (!get_block(run, from))
            return false;
        append_rows(run, run->place, evaluation);
        keep_method(run);
    }
    return true;
}

int restore_state(struct evaluation_run *run, struct evaluation *evaluation)
{
    const struct evaluation_keeper *keeper = run->spec->keeper;
    if (!keeper || !keeper->state)
        return 0;
    struct byte_reader from = {keeper->state, keeper->length};
    struct part parts[BLOCK_PARTS];
    struct start start;
    bool good = bytes_get(&from, &start, sizeof start) &&
                start.place <= run->spec->methods_length && start.phase <= PHASE_MEASURE &&
                start.next <= run->spec->length && start.block == block_of(run, parts) &&
                get_finished(run, &start, &from, evaluation);
    if (good && run->place < run->spec->methods_length) {
        run->phase = (enum phase)start.phase;
        run->next = start.next;
        good = get_hand(run, &start, &from);
    }
    if (good && from.left == 0)
        return 0;
    return message_set(run->error, "the saved state is not of this run");
}
