/* exact.c - exact top-k of one row: its scratch, its parts, the key of a rank, and its output.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "exact.h"
#include "plan.h"

#define PART_MOST (UINT64_C(1) << 30)     /* elements of a part */
#define SCRATCH_SMALL (UINT64_C(1) << 30) /* bytes */

/* Many, for threads that end at different times; but each part of a row without groups has room of
 * its own, so that of a row of many bytes each thread takes one. */
static uint64_t parts_of(const struct kernels *kernels, uint64_t n, uint64_t k, bool groups,
                         unsigned threads)
{
    uint64_t least = (n - 1) / PART_MOST + 1, parts = topk_pieces(n, kernels->bytes, threads);
    if (!groups &&
        !topk_fits(kernels, n, topk_dense_room(n, k, parts), 2 * kernels->bytes + sizeof(uint32_t)))
        parts = threads;
    return parts > least ? parts : least;
}

bool topk_fits(const struct kernels *kernels, uint64_t n, uint64_t count, size_t bytes)
{
    const uint64_t row = topk_size(n, kernels->bytes, 0);
    return topk_size(count, bytes, 0) <= (row > SCRATCH_SMALL ? row : SCRATCH_SMALL);
}

/* Sets what the scratch holds, if `run` is given; returns its size. */
static size_t lay_out(const struct kernels *kernels, uint64_t n, uint64_t k, bool sorted,
                      unsigned threads, char *scratch, struct exact_run *run)
{
    bool large = false;
    uint64_t size = topk_group_size(kernels, n, k, &large),
             parts = parts_of(kernels, n, k, size > 0, threads);
    uint64_t groups = size ? n / size : 0, room = size ? 0 : topk_dense_room(n, k, parts);
    uint64_t found = size ? topk_found_most(n, k, size, parts) : k;
    size_t counts = topk_align(topk_size(parts, sizeof(struct part), 0));
    size_t maxima = topk_size(parts, DIGITS * sizeof(uint64_t), counts);
    size_t list = topk_align(topk_size(groups, kernels->group_bits / 8, maxima));
    size_t keys = topk_align(topk_size(groups, sizeof(uint32_t), list));
    size_t positions = topk_align(topk_size(room, kernels->bytes, keys));
    size_t pairs = topk_align(topk_size(room, sizeof(uint32_t), positions));
    size_t spare_end = topk_align(topk_size(room, kernels->bytes, pairs));
    size_t scratch_pairs = topk_align(topk_size(found, sizeof(struct pair), pairs));
    const uint64_t sorts = found / 2 > k ? 2 * k + 1 : found; /* see put_pairs() */
    size_t end = topk_align(topk_size(sorted ? sorts : 0, sizeof(struct pair), scratch_pairs));
    if (run) {
        run->count = parts;
        run->parts = (struct part *)(void *)scratch;
        for (uint64_t i = 0; i < parts; i++)
            run->parts[i].counts = (uint64_t *)(void *)(scratch + counts) + i * DIGITS;
        run->large = large;
        run->group_size = size;
        run->groups = groups;
        run->maxima = scratch + maxima;
        run->list = (uint32_t *)(void *)(scratch + list);
        run->keys = scratch + keys;
        run->positions = (uint32_t *)(void *)(scratch + positions);
        run->spare = scratch + pairs; /* of use before the pairs */
        run->pairs = (struct pair *)(void *)(scratch + pairs);
        run->sorted = (struct pair *)(void *)(scratch + scratch_pairs);
    }
    return end > spare_end ? end : spare_end;
}

size_t topk_exact_scratch(const struct kernels *kernels, uint64_t n, uint64_t k, bool sorted,
                          unsigned threads)
{
    return lay_out(kernels, n, k, sorted, threads, NULL, NULL);
}

/* Parts of equal size, each a whole number of groups; the last has what is left. */
static void divide(struct exact_run *run)
{
    const struct exact *job = run->job;
    uint64_t size = run->group_size ? run->group_size : 1, units = job->n / size;
    for (uint64_t i = 0, unit = 0; i < run->count; i++) {
        struct part *part = &run->parts[i];
        uint64_t here = units / run->count + (i < units % run->count);
        part->group = unit;
        part->groups = here;
        part->e = (struct elements){job->x, unit * size, 1, here * size, job->smallest};
        part->base = job->n - 1 > UINT32_MAX ? part->e.first : 0;
        if (i + 1 == run->count)
            part->e.count = job->n - part->e.first;
        unit += here;
    }
}

/* ---- the key of a rank */

struct cut topk_bisect(uint64_t (*count_keys)(const void *keys, uint64_t n, int64_t least),
                       const void *keys, uint64_t count, uint64_t rank, uint64_t slack, int64_t low,
                       int64_t high)
{
    struct cut cut = {low, count, 0};
    while (cut.key < high && cut.reach - rank > slack) {
        int64_t middle = cut.key + (int64_t)(((uint64_t)high - (uint64_t)cut.key - 1) / 2) + 1;
        uint64_t reach = count_keys(keys, count, middle);
        if (reach >= rank) {
            cut.key = middle;
            cut.reach = reach;
        } else {
            high = middle - 1;
            cut.above = reach;
        }
    }
    return cut;
}

/* ---- the output of pairs */

static inline int64_t index_of(const struct exact *job, uint64_t at)
{
    return !job->map       ? (int64_t)(job->first + at)
           : job->map_wide ? ((const int64_t *)job->map)[at]
                           : ((const int32_t *)job->map)[at];
}

static void put_indices(const struct exact *job, const struct pair *pairs)
{
    for (uint64_t i = 0; i < job->k; i++) {
        int64_t index = index_of(job, pairs[i].position);
        if (job->wide)
            ((int64_t *)job->indices)[i] = index;
        else
            ((int32_t *)job->indices)[i] = (int32_t)index;
    }
}

static void put_pairs(struct exact_run *run)
{
    const struct exact *job = run->job;
    if (!job->sorted || run->found / 2 > job->k) {
        topk_keep_best(run->pairs, run->found, job->k);
        run->found = job->k;
    }
    if (job->sorted)
        topk_sort_pairs(run->pairs, run->found, job->k, job->kernels->bits, run->sorted);
    if (job->values)
        job->kernels->take(job->x, run->pairs, job->k, job->values);
    if (job->indices)
        put_indices(job, run->pairs);
}

/* ---- the output of keys */

/* The signed key i. */
static inline __attribute__((always_inline)) int64_t key_of(const void *keys, size_t bytes,
                                                            uint64_t i)
{
    return bytes == 1   ? ((const int8_t *)keys)[i]
           : bytes == 2 ? ((const int16_t *)keys)[i]
           : bytes == 4 ? ((const int32_t *)keys)[i]
                        : ((const int64_t *)keys)[i];
}

static void make_pairs(struct exact_run *run)
{
    const struct kernels *kernels = run->job->kernels;
    const uint64_t middle = UINT64_C(1) << (kernels->bits - 1);
    for (uint64_t p = 0, i = 0; p < run->count; p++)
        for (const uint64_t end = i + run->parts[p].found; i < end; i++)
            run->pairs[i] = (struct pair){(uint64_t)key_of(run->keys, kernels->bytes, i) + middle,
                                          run->parts[p].base + run->positions[i]};
}

/* Sorts by integers of 64 bits: how far the key is below the highest, then the position. */
static inline __attribute__((always_inline)) void sort_keys(struct exact_run *run, size_t bytes)
{
    const uint64_t k = run->job->k;
    const int64_t highest = INT64_MAX >> (64 - 8 * bytes);
    uint64_t *packed = (uint64_t *)(void *)run->pairs;
    for (uint64_t i = 0; i < k; i++)
        packed[i] = (uint64_t)(highest - key_of(run->keys, bytes, i)) << 32 | run->positions[i];
    packed = topk_sort_packed(packed, k, packed + k);
    for (uint64_t i = 0; i < k; i++) {
        const int64_t key = highest - (int64_t)(packed[i] >> 32);
        run->positions[i] = (uint32_t)packed[i];
        if (bytes == 1)
            ((int8_t *)run->keys)[i] = (int8_t)key;
        else if (bytes == 2)
            ((int16_t *)run->keys)[i] = (int16_t)key;
        else
            ((int32_t *)run->keys)[i] = (int32_t)key;
    }
}

/* indices[i] = the index of the element at positions[i] + base */
static void put_positions(const struct exact *job, const uint32_t *positions, uint64_t base,
                          uint64_t count, char *indices)
{
    int64_t *wide = (int64_t *)(void *)indices;
    int32_t *narrow = (int32_t *)(void *)indices;
    const int64_t *wide_map = job->map;
    const int32_t *map = job->map;
    if (!job->map && job->wide)
        for (uint64_t i = 0; i < count; i++)
            wide[i] = (int64_t)(job->first + base + positions[i]);
    else if (!job->map)
        for (uint64_t i = 0; i < count; i++)
            narrow[i] = (int32_t)(job->first + base + positions[i]);
    else if (job->map_wide)
        for (uint64_t i = 0; i < count; i++)
            wide[i] = wide_map[base + positions[i]];
    else if (job->wide)
        for (uint64_t i = 0; i < count; i++)
            wide[i] = map[base + positions[i]];
    else
        for (uint64_t i = 0; i < count; i++)
            narrow[i] = map[base + positions[i]];
}

static void put_keys(struct exact_run *run)
{
    const struct exact *job = run->job;
    const struct kernels *kernels = job->kernels;
    char *indices = job->indices;
    if (job->sorted && kernels->bytes == 1)
        sort_keys(run, 1);
    else if (job->sorted && kernels->bytes == 2)
        sort_keys(run, 2);
    else if (job->sorted)
        sort_keys(run, 4);
    if (job->values)
        kernels->restore(run->keys, job->k, kernels->infinite, job->smallest, job->values);
    for (uint64_t p = 0, i = 0; indices && p < run->count; i += run->parts[p++].found)
        put_positions(job, run->positions + i, run->parts[p].base, run->parts[p].found,
                      indices + i * (job->wide ? sizeof(int64_t) : sizeof(int32_t)));
}

void topk_exact(const struct exact *job)
{
    struct exact_run run = {.job = job};
    lay_out(job->kernels, job->n, job->k, job->sorted, job->threads, job->scratch, &run);
    divide(&run);
    if (run.group_size) {
        topk_by_threshold(&run);
        put_pairs(&run);
        return;
    }
    topk_dense(&run);
    /* NaNs are not to be had from their key */
    if (run.least == INT64_MIN >> (64 - job->kernels->bits) ||
        (job->sorted && (job->kernels->bytes > 4 || job->n - 1 > UINT32_MAX))) {
        make_pairs(&run);
        put_pairs(&run);
    } else {
        put_keys(&run);
    }
}
