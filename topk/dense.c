/* dense.c - exact top-k of one row where k is too large for groups: a key somewhat below the k-th
 * largest from a sample, what is above it, and the k best of that; or the k-th largest key digit by
 * digit, then what reaches it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "exact.h"

static void count_digits(const struct exact_run *run, struct part *part)
{
    memset(part->counts, 0, DIGITS * sizeof *part->counts);
    run->job->kernels->count_digits(&part->e, run->key, run->low, run->high, part->counts);
}

static void count_above(const struct exact_run *run, struct part *part)
{
    run->job->kernels->count_above(&part->e, run->key, &part->above, &part->equal);
}

static void collect(const struct exact_run *run, struct part *part)
{
    run->job->kernels->collect(&part->e, run->key, part->equal, part->out);
}

/* Finds the next digit of the k-th largest key. */
static void next_digit(struct exact_run *run)
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
static void divide_equal(struct exact_run *run)
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

static void by_radix(struct exact_run *run)
{
    run->high = run->job->kernels->bits;
    run->left = run->job->k;
    while (run->high > 0)
        next_digit(run);
    topk_each_part(run, count_above);
    divide_equal(run);
    topk_each_part(run, collect);
    run->found = run->job->k;
}

/* ---- by a sample */

enum { FIRST_SAMPLE = 256, SECOND_SAMPLE = 1024, LONG_ROW = 1 << 15 };

uint64_t topk_dense_most(uint64_t n, uint64_t k)
{
    uint64_t most = topk_size(2, k, n / 16 + 64);
    most = most < n ? most : n;
    return most > SECOND_SAMPLE ? most : SECOND_SAMPLE;
}

/* The highest key that so many of the elements reach, or about it: from the highest bit on. */
static uint64_t bisect(const struct kernels *kernels, const struct elements *e, uint64_t rank)
{
    uint64_t key = 0;
    for (unsigned bit = kernels->bits; bit-- > 0;) {
        uint64_t above, equal, next = key | UINT64_C(1) << bit;
        kernels->count_above(e, next, &above, &equal);
        if (above + equal < rank)
            continue;
        key = next;
        if (above <= rank)
            break;
    }
    return key;
}

/* Copies `count` of the elements of the row, all over it: each is 0.618 n after the one before, in
 * turns. A regular step would find only the best of each bucket among candidates. */
static void take_sample(const struct exact *job, uint64_t count, char *out)
{
    const size_t bytes = job->kernels->bytes;
    const uint64_t step = (uint64_t)(0.6180339887498949 * (double)job->n) | 1;
    const char *x = job->x;
    uint64_t at = 0;
    for (uint64_t i = 0; i < count; i++) {
        memcpy(out + i * bytes, x + at * bytes, bytes);
        at += step;
        at -= at >= job->n ? job->n : 0;
    }
}

/* A key that more than k elements are likely to reach, by so many standard deviations of their
 * count in a sample; in short rows the k-th largest. */
static uint64_t estimate(const struct exact_run *run, uint64_t size, double spread)
{
    const struct exact *job = run->job;
    const bool all = job->n <= size;
    _Alignas(64) char packed[SECOND_SAMPLE * sizeof(uint64_t)];
    const struct elements sample = {all ? job->x : packed, 0, 1, all ? job->n : size,
                                    job->smallest};
    const double count = (double)sample.count, share = (double)job->k / (double)job->n;
    uint64_t rank = job->k;
    if (!all) {
        rank = (uint64_t)(count * share + spread * __builtin_sqrt(count * share * (1 - share))) + 2;
        if (rank >= sample.count)
            return 0;
        take_sample(job, size, packed);
    }
    if (sample.count <= FIRST_SAMPLE)
        return bisect(job->kernels, &sample, rank);
    job->kernels->collect(&sample, 0, sample.count, run->pairs);
    return topk_kth_key(run->pairs, sample.count, &rank);
}

/* Finds the k best by the key from a sample of the size, unless too few or too many are above. */
static bool by_sample(struct exact_run *run, uint64_t size, double spread)
{
    const uint64_t k = run->job->k;
    uint64_t above = 0, equal = 0;
    run->key = estimate(run, size, spread);
    topk_each_part(run, count_above);
    for (uint64_t i = 0; i < run->count; i++) {
        above += run->parts[i].above;
        equal += run->parts[i].equal;
    }
    if (above + equal < k || above > topk_dense_most(run->job->n, k))
        return false;
    run->left = above < k ? k - above : 0; /* if above < k, the key is the k-th largest */
    divide_equal(run);
    topk_each_part(run, collect);
    run->found = above + run->left;
    return true;
}

void topk_dense(struct exact_run *run)
{
    const uint64_t size = run->job->n < LONG_ROW ? FIRST_SAMPLE : SECOND_SAMPLE;
    if (!by_sample(run, size, 1.0) && !by_sample(run, SECOND_SAMPLE, 4.0))
        by_radix(run);
}
