/* run_sample.c - see run_sample.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "run_sample.h"

#include <stdlib.h>

/* A run and its place in a fixed shuffle. */
struct item {
    const struct run *run;
    uint64_t order;
};

/* The key of a group within its kind. Runs of exact top-k form one group: there k_b is k. */
static uint64_t group_of(const struct run *run)
{
    return run->kind == RUN_EXACT ? 0 : run->p.k_b;
}

static bool same_group(const struct run *a, const struct run *b)
{
    return a->kind == b->kind && group_of(a) == group_of(b);
}

static int by_group(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    const uint64_t group_x = group_of(x->run), group_y = group_of(y->run);
    return x->run->kind != y->run->kind
               ? (x->run->kind > y->run->kind) - (x->run->kind < y->run->kind)
           : group_x != group_y ? (group_x > group_y) - (group_x < group_y)
                                : (x->order > y->order) - (x->order < y->order);
}

/* Where run i stands in a fixed shuffle: by the mixing function of splitmix64. */
static uint64_t shuffle_order(uint64_t i)
{
    i = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    i = (i ^ (i >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    i = (i ^ (i >> 27)) * UINT64_C(0x94d049bb133111eb);
    return i ^ (i >> 31);
}

size_t sample_runs(const struct run *runs, size_t length, size_t most, struct run *sample)
{
    struct item *items = malloc((length + 1) * sizeof *items);
    size_t *at = calloc(length + 1, sizeof *at); /* how many runs have this place in their group */
    size_t each = 0, total = 0, in_group = 0, count = 0;
    if (!items || !at)
        goto out;
    for (size_t i = 0; i < length; i++)
        items[i] = (struct item){&runs[i], shuffle_order(i)};
    qsort(items, length, sizeof *items, by_group);
    for (size_t i = 0; i < length; i++) {
        in_group = i > 0 && same_group(items[i - 1].run, items[i].run) ? in_group + 1 : 0;
        at[in_group]++;
    }
    /* the largest number of runs per group with which the sample fits */
    while (each < length && total + at[each] <= most)
        total += at[each++];
    for (size_t i = 0; i < length && count < most; i++) {
        in_group = i > 0 && same_group(items[i - 1].run, items[i].run) ? in_group + 1 : 0;
        if (in_group < (each ? each : 1))
            sample[count++] = *items[i].run;
    }
out:
    free(at);
    free(items);
    return count;
}
