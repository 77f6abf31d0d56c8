/* reaching.c - see reaching.h.
 *
 * Of the r largest elements of a row r - lost(r) survive, so R is the least r with r - lost(r) >=
 * k. It is k if none of the top-k is lost. Otherwise the walk over the top-k continues, rank by
 * rank, until as many more elements survive as were lost.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "reaching.h"

enum { CHUNK = 256 }; /* ranks that are walked at once, at most */

/* Elements of the ranks behind k: for each, how many better ones are in its bucket. `walked` of
 * them are new to the walk. */
struct stretch {
    const uint32_t *before;
    size_t length, walked;
};

/* The elements from rank k + beyond + 1 on. There are at most `length` of them, which is the room
 * in before[]. The exception: the elements that equal the k-th largest have been walked already,
 * and they come all at once. None if memory runs out. */
static struct stretch walk_on(const struct sim_spec *spec, const struct shape_group *group,
                              struct worker *worker, struct top *top, struct random_stream *stream,
                              uint64_t beyond, size_t length, uint32_t *before)
{
    size_t k = (size_t)spec->k;
    if (top->ranked == 0) {
        if (length > spec->valid - k - beyond)
            length = (size_t)(spec->valid - k - beyond);
        walk_placement(&group->buckets, spec->valid, &worker->counts, stream, length, group->cap,
                       before);
        return (struct stretch){before, length, length};
    }
    if (k + beyond < top->length)
        return (struct stretch){worker->before + k + beyond, top->length - k - (size_t)beyond, 0};
    size_t from = k + (size_t)beyond;
    if (from == top->ranked && !rank_more(spec, worker, top))
        return (struct stretch){before, 0, 0};
    if (length > top->ranked - from)
        length = top->ranked - from;
    walk_positions(&group->buckets, &worker->counts, worker->at + from, length, group->cap, before);
    return (struct stretch){before, length, length};
}

/* How many of before[0 .. length) are below k_b. Stops behind the one that makes them `missing`;
 * *length then says where. */
static uint64_t count_survivors(const uint32_t *before, size_t *length, uint64_t k_b,
                                uint64_t missing)
{
    uint64_t survivors = 0, some = 0;
    for (size_t j = 0; j < *length; j++)
        survivors += before[j] < k_b;
    if (survivors < missing)
        return survivors;
    for (size_t j = 0; j < *length && some < missing; j++) {
        some += before[j] < k_b;
        if (some == missing)
            *length = j + 1;
    }
    return some;
}

uint64_t count_reaching(const struct simulation *simulation, const struct shape_group *group,
                        struct worker *worker, struct top *top, struct random_stream *stream,
                        size_t first_result)
{
    const struct sim_spec *spec = &simulation->spec;
    uint32_t room[CHUNK];
    uint64_t beyond = 0, walked = 0;
    /* Members first .. last - 1 are not done yet: R falls as k_b rises. */
    size_t first = 0, last = group->members;
    struct tally *results = worker->tallies.of_results + first_result;
    while (last > 0 && worker->missing[last - 1] == 0)
        reaching_add(&results[group->shape[--last]].reaching, 0);
    while (first < last && !simulation->has_k[group->shape[first]])
        first++;
    while (first < last) {
        uint64_t most = worker->missing[first];
        size_t wanted = most < CHUNK ? (size_t)most : CHUNK; /* at least so many are needed */
        wanted = wanted < 16 ? 16 : wanted;
        struct stretch stretch = walk_on(spec, group, worker, top, stream, beyond, wanted, room);
        if (stretch.length == 0)
            break; /* out of memory */
        for (size_t m = last; m-- > first;) {
            size_t length = stretch.length;
            uint64_t k_b = spec->shape[group->shape[m]].k_b;
            worker->missing[m] -= count_survivors(stretch.before, &length, k_b, worker->missing[m]);
            if (worker->missing[m] > 0)
                continue;
            reaching_add(&results[group->shape[m]].reaching, beyond + length);
            last = m;
        }
        beyond += stretch.length;
        walked += stretch.walked;
    }
    if (spec->k + beyond > worker->reach)
        worker->reach = spec->k + beyond + beyond / 8;
    return walked;
}
