/* exact.c - exact top-k of one row: its scratch, its parts, and its output.
 *
 * SPDX-License-Identifier: Apache-2.0 */

#include "exact.h"
#include "plan.h"

#define PART_MOST (UINT64_C(1) << 30) /* elements of a part */

static uint64_t parts_of(uint64_t n, size_t bytes, unsigned threads)
{
    uint64_t least = (n - 1) / PART_MOST + 1, parts = topk_pieces(n, bytes, threads);
    return parts > least ? parts : least;
}

/* Sets what the scratch holds, if `run` is given; returns its size. */
static size_t lay_out(const struct kernels *kernels, uint64_t n, uint64_t k, bool sorted,
                      unsigned threads, char *scratch, struct exact_run *run)
{
    bool large = false;
    uint64_t parts = parts_of(n, kernels->bytes, threads),
             size = topk_group_size(kernels, n, k, &large);
    uint64_t groups = size ? n / size : 0;
    uint64_t found = size ? topk_found_most(n, k, size, parts) : topk_dense_most(n, k);
    size_t counts = topk_align(topk_size(parts, sizeof(struct part), 0));
    size_t maxima = topk_size(parts, DIGITS * sizeof(uint64_t), counts);
    size_t list = topk_align(topk_size(groups, kernels->group_bits / 8, maxima));
    size_t pairs = topk_align(topk_size(groups, sizeof(uint32_t), list));
    size_t scratch_pairs = topk_align(topk_size(found, sizeof(struct pair), pairs));
    size_t end = topk_align(topk_size(sorted ? found : 0, sizeof(struct pair), scratch_pairs));
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
        run->pairs = (struct pair *)(void *)(scratch + pairs);
        run->sorted = (struct pair *)(void *)(scratch + scratch_pairs);
    }
    return end;
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
        if (i + 1 == run->count)
            part->e.count = job->n - part->e.first;
        unit += here;
    }
}

static void put_indices(const struct exact *job, const struct pair *pairs)
{
    for (uint64_t i = 0; i < job->k; i++) {
        uint64_t at = pairs[i].position;
        int64_t index = !job->map       ? (int64_t)at
                        : job->map_wide ? ((const int64_t *)job->map)[at]
                                        : ((const int32_t *)job->map)[at];
        if (job->wide)
            ((int64_t *)job->indices)[i] = index;
        else
            ((int32_t *)job->indices)[i] = (int32_t)index;
    }
}

void topk_exact(const struct exact *job)
{
    struct exact_run run = {.job = job};
    lay_out(job->kernels, job->n, job->k, job->sorted, job->threads, job->scratch, &run);
    divide(&run);
    if (run.group_size)
        topk_by_threshold(&run);
    else
        topk_dense(&run);
    if (!job->sorted || run.found / 2 > job->k) {
        topk_keep_best(run.pairs, run.found, job->k);
        run.found = job->k;
    }
    if (job->sorted)
        topk_sort_pairs(run.pairs, run.found, job->k, job->kernels->bits, run.sorted);
    if (job->values)
        job->kernels->take(job->x, run.pairs, job->k, job->values);
    if (job->indices)
        put_indices(job, run.pairs);
}
