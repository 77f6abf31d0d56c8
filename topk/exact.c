/* exact.c - exact top-k of one row: the k-th largest key, digit by digit, then what reaches it. The
 * row is divided into parts, one or more for each thread; what the parts find is put together in
 * the order of the positions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels.h"

#define PART_MOST (UINT64_C(1) << 30) /* elements of a part */

/* A part of the row, and what was found in it. */
struct part {
    struct elements e;
    uint64_t *counts; /* DIGITS of them */
    uint64_t above, equal;
    struct pair *out;
};

struct run {
    const struct exact *job;
    struct part *parts;
    uint64_t count;
    struct pair *pairs, *sorted; /* k of each; sorted: scratch of the sort */
    uint64_t prefix;             /* of the k-th largest key, down to bit `high` */
    unsigned low, high;
    uint64_t left; /* the rank of the k-th largest among those with the prefix */
};

static uint64_t parts_of(uint64_t n, unsigned threads)
{
    uint64_t parts = (n - 1) / PART_MOST + 1;
    return parts > threads ? parts : threads;
}

/* Sets what the scratch holds, if `run` is given; returns its size. */
static size_t lay_out(const struct kernels *kernels, uint64_t n, uint64_t k, bool sorted,
                      unsigned threads, char *scratch, struct run *run)
{
    uint64_t parts = parts_of(n, threads);
    size_t counts = topk_align(topk_size(parts, sizeof(struct part), 0));
    size_t pairs = topk_size(parts, DIGITS * sizeof(uint64_t), counts);
    size_t scratch_pairs = topk_align(topk_size(k, sizeof(struct pair), pairs));
    size_t end =
        sorted ? topk_align(topk_size(k, sizeof(struct pair), scratch_pairs)) : scratch_pairs;
    (void)kernels;
    if (run) {
        run->count = parts;
        run->parts = (struct part *)(void *)scratch;
        for (uint64_t i = 0; i < parts; i++)
            run->parts[i].counts = (uint64_t *)(void *)(scratch + counts) + i * DIGITS;
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

static void each_part(struct run *run, void (*visit)(const struct run *run, struct part *part))
{
    int64_t count = (int64_t)run->count;
#pragma omp parallel for num_threads(run->job->threads) schedule(static) if (run->job->threads > 1)
    for (int64_t i = 0; i < count; i++)
        visit(run, &run->parts[i]);
}

static void count_digits(const struct run *run, struct part *part)
{
    memset(part->counts, 0, DIGITS * sizeof *part->counts);
    run->job->kernels->count_digits(&part->e, run->prefix, run->low, run->high, part->counts);
}

static void count_above(const struct run *run, struct part *part)
{
    run->job->kernels->count_above(&part->e, run->prefix, &part->above, &part->equal);
}

static void collect(const struct run *run, struct part *part)
{
    run->job->kernels->collect(&part->e, run->prefix, part->equal, 0, part->out);
}

/* Finds the next digit of the k-th largest key. */
static void next_digit(struct run *run)
{
    run->low = run->high > DIGIT_BITS ? run->high - DIGIT_BITS : 0;
    each_part(run, count_digits);
    uint64_t *counts = run->parts[0].counts;
    for (uint64_t i = 1; i < run->count; i++)
        for (unsigned d = 0; d < DIGITS; d++)
            counts[d] += run->parts[i].counts[d];
    unsigned d = DIGITS - 1;
    for (; counts[d] < run->left; d--)
        run->left -= counts[d];
    run->prefix =
        run->high == run->job->kernels->bits ? d : run->prefix << (run->high - run->low) | d;
    run->high = run->low;
}

/* Of the elements equal to the k-th largest, the first ones are taken. */
static void divide_equal(struct run *run)
{
    struct pair *out = run->pairs;
    uint64_t left = run->left;
    for (uint64_t i = 0; i < run->count; i++) {
        struct part *part = &run->parts[i];
        part->equal = part->equal < left ? part->equal : left;
        left -= part->equal;
        part->out = out;
        out += part->above + part->equal;
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
    struct run run = {.job = job, .high = job->kernels->bits, .left = job->k};
    lay_out(job->kernels, job->n, job->k, job->sorted, job->threads, job->scratch, &run);
    for (uint64_t i = 0, first = 0; i < run.count; i++) {
        uint64_t count = job->n / run.count + (i < job->n % run.count);
        run.parts[i].e = (struct elements){job->x, first, 1, count, job->smallest};
        first += count;
    }
    while (run.high > 0)
        next_digit(&run);
    each_part(&run, count_above);
    divide_equal(&run);
    each_part(&run, collect);
    if (job->sorted)
        topk_sort_pairs(run.pairs, job->k, job->kernels->bits, run.sorted);
    if (job->values)
        job->kernels->take(job->x, run.pairs, job->k, job->values);
    if (job->indices)
        put_indices(job, run.pairs);
}
