/* radix.c - exact top-k of one row in plain C: the k-th largest key, digit by digit, then what
 * reaches it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "exact.h"

static void count_digits(const struct run *run, struct part *part)
{
    memset(part->counts, 0, DIGITS * sizeof *part->counts);
    run->job->kernels->count_digits(&part->e, run->key, run->low, run->high, part->counts);
}

static void count_above(const struct run *run, struct part *part)
{
    run->job->kernels->count_above(&part->e, run->key, &part->above, &part->equal);
}

static void collect(const struct run *run, struct part *part)
{
    run->job->kernels->collect(&part->e, run->key, part->equal, part->out);
}

/* Finds the next digit of the k-th largest key. */
static void next_digit(struct run *run)
{
    run->low = run->high > DIGIT_BITS ? run->high - DIGIT_BITS : 0;
    topk_each_part(run, count_digits);
    uint64_t *counts = run->parts[0].counts;
    for (uint64_t i = 1; i < run->count; i++)
        for (unsigned d = 0; d < DIGITS; d++)
            counts[d] += run->parts[i].counts[d];
    unsigned d = DIGITS - 1;
    for (; counts[d] < run->left; d--)
        run->left -= counts[d];
    run->key = run->high == run->job->kernels->bits ? d : run->key << (run->high - run->low) | d;
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

void topk_by_radix(struct run *run)
{
    run->high = run->job->kernels->bits;
    run->left = run->job->k;
    while (run->high > 0)
        next_digit(run);
    topk_each_part(run, count_above);
    divide_equal(run);
    topk_each_part(run, collect);
}
