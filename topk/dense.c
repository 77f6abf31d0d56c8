/* dense.c - exact top-k of one row where k is too large for groups: what reaches a key somewhat
 * below the k-th largest, which a sample gives, and the k best of that; or the k-th largest key
 * digit by digit, then what reaches it. The passes are those of dense.inc.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "exact.h"

enum { FIRST_SAMPLE = 128, SECOND_SAMPLE = 1024, LONG_ROW = 1 << 13, BLOCK = 1024 };

uint64_t topk_dense_most(uint64_t n, uint64_t k)
{
    uint64_t most = topk_size(2, k, n / 16 + BLOCK);
    return most < n ? most : n;
}

uint64_t topk_dense_room(uint64_t n, uint64_t k, uint64_t parts)
{
    uint64_t most = topk_size(topk_dense_most(n, k), parts, 0);
    most = most < n ? most : n;
    return topk_size(parts, ROOM_BEHIND, most > SECOND_SAMPLE ? most : SECOND_SAMPLE);
}

static char *key_at(const struct exact_run *run, void *keys, uint64_t i)
{
    return (char *)keys + i * run->job->kernels->bytes;
}

/* Where the parts put what they find. */
static void divide_room(struct exact_run *run)
{
    const uint64_t most = topk_dense_most(run->job->n, run->job->k);
    uint64_t room = 0;
    for (uint64_t i = 0; i < run->count; i++) {
        struct part *part = &run->parts[i];
        part->room = room;
        room += (part->e.count < most ? part->e.count : most) + ROOM_BEHIND;
    }
}

/* Puts together what the parts found. */
static void join(struct exact_run *run)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < run->count; i++) {
        struct part *part = &run->parts[i];
        if (part->room != count) {
            memmove(key_at(run, run->keys, count), key_at(run, run->keys, part->room),
                    part->found * run->job->kernels->bytes);
            memmove(run->positions + count, run->positions + part->room,
                    part->found * sizeof *run->positions);
        }
        part->room = count;
        count += part->found;
    }
    run->found = count;
}

/* Moves those from `from` up to `to` that reach the key to `at`; returns how many. */
static uint64_t keep(const struct exact_run *run, uint64_t from, uint64_t to, int64_t key,
                     uint64_t at)
{
    return run->job->kernels->keep(key_at(run, run->keys, from), run->positions + from, to - from,
                                   key, key_at(run, run->keys, at), run->positions + at);
}

/* ---- the k-th largest key, exactly */

static void count_digits(const struct exact_run *run, struct part *part)
{
    memset(part->counts, 0, DIGITS * sizeof *part->counts);
    run->job->kernels->count_digits(&part->e, run->key, run->low, run->high, part->counts);
}

static void count_above(const struct exact_run *run, struct part *part)
{
    run->job->kernels->count_above(&part->e, run->key, &part->above, &part->equal);
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

/* Counts what is above `key` and equal to it. Returns whether it is the k-th largest. */
static bool is_kth(struct exact_run *run)
{
    uint64_t above = 0, equal = 0;
    topk_each_part(run, count_above);
    for (uint64_t i = 0; i < run->count; i++) {
        above += run->parts[i].above;
        equal += run->parts[i].equal;
    }
    run->left = run->job->k - above;
    return above < run->job->k && run->job->k <= above + equal;
}

static void by_radix(struct exact_run *run)
{
    run->high = run->job->kernels->bits;
    run->left = run->job->k;
    while (run->high > 0)
        next_digit(run);
    is_kth(run);
}

/* Collects what is above the least key, and the first of those equal to it, by blocks. */
static void collect(const struct exact_run *run, struct part *part)
{
    const struct kernels *kernels = run->job->kernels;
    const int64_t key = run->least, above = key + (key < kernels->infinite);
    const uint64_t end = part->e.first + part->e.count;
    uint64_t at = part->room;
    for (struct elements e = part->e; e.first < end; e.first += BLOCK) {
        if (part->equal == 0 && above == key)
            break;
        e.count = end - e.first < BLOCK ? end - e.first : BLOCK;
        char *keys = key_at(run, run->keys, at);
        uint32_t *positions = run->positions + at;
        uint64_t count = kernels->reach(&e, kernels->infinite, part->equal ? key : above,
                                        (uint32_t)(e.first - part->base), BLOCK, keys, positions);
        uint64_t equal =
            part->equal ? count - (above > key ? kernels->count_keys(keys, count, above) : 0) : 0;
        if (equal > part->equal) {
            uint64_t begin = kernels->behind(keys, count, key, part->equal);
            equal = part->equal;
            if (above > key)
                begin += keep(run, at + begin, at + count, above, at + begin);
            count = begin;
        }
        part->equal -= equal;
        at += count;
    }
    part->found = at - part->room;
}

/* Takes the k best by the k-th largest key: of those equal to it the first ones. */
static void take_exactly(struct exact_run *run)
{
    uint64_t left = run->left;
    run->least = (int64_t)(run->key - (UINT64_C(1) << (run->job->kernels->bits - 1)));
    for (uint64_t i = 0; i < run->count; i++) {
        struct part *part = &run->parts[i];
        part->equal = part->equal < left ? part->equal : left;
        left -= part->equal;
    }
    divide_room(run);
    topk_each_part(run, collect);
    join(run);
}

/* ---- the k-th best of some keys */

enum { MANY = 768 };

/* The rank-th best of the keys found, which are `low` or better. While there are many, a sample
 * says between which it is, and those are kept. */
static struct cut find_cut(const struct exact_run *run, const uint64_t k, const int64_t lowest)
{
    const struct kernels *kernels = run->job->kernels;
    const void *keys = run->keys;
    uint64_t count = run->found, rank = k;
    int64_t low = lowest, high = kernels->infinite;
    const uint64_t more = low < high ? kernels->count_keys(keys, count, low + 1) : 0;
    if (more < k)
        return (struct cut){low, count, more};
    _Alignas(64) char sample[FIRST_SAMPLE * sizeof(uint64_t)];
    for (bool less = true; less && count > MANY;) {
        const double share = (double)rank / (double)count, mean = FIRST_SAMPLE * share;
        const double spread = 2.5 * __builtin_sqrt(mean * (1.0 - share)) + 1.0;
        int64_t least = low, most = high;
        kernels->sample(keys, count, FIRST_SAMPLE, sample);
        if (mean + spread < FIRST_SAMPLE)
            least = topk_bisect(kernels->count_keys, sample, FIRST_SAMPLE,
                                (uint64_t)(mean + spread) + 1, 2, low, high)
                        .key;
        if (mean > spread)
            most = topk_bisect(kernels->count_keys, sample, FIRST_SAMPLE,
                               (uint64_t)(mean - spread) + 1, 0, low, high)
                       .key;
        const uint64_t above =
            most < kernels->infinite ? kernels->count_keys(keys, count, most + 1) : 0;
        const uint64_t inside = kernels->between(keys, count, least, most, run->spare);
        if (above >= rank || above + inside < rank) /* it is beyond, and `spare` is not whole */
            return topk_bisect(kernels->count_keys, run->keys, run->found, k, 0, lowest,
                               kernels->infinite);
        rank -= above;
        less = inside <= count / 2;
        count = inside;
        keys = run->spare;
        low = least;
        high = most;
    }
    struct cut cut = topk_bisect(kernels->count_keys, keys, count, rank, 0, low, high);
    cut.reach += k - rank;
    cut.above += k - rank;
    return cut;
}

/* Keeps the k best of what was found. */
static void keep_best(struct exact_run *run)
{
    const struct kernels *kernels = run->job->kernels;
    const uint64_t k = run->job->k;
    const struct cut cut = find_cut(run, k, run->least);
    const int64_t above = cut.key + (cut.key < kernels->infinite);
    uint64_t end = run->found, at = 0;
    if (cut.reach > k) /* of those equal to the key the first ones */
        end = kernels->behind(run->keys, run->found, cut.key, k - cut.above);
    for (uint64_t p = 0; p < run->count; p++) {
        struct part *part = &run->parts[p];
        const uint64_t from = part->room, to = from + part->found;
        const uint64_t between = to < end ? to : from < end ? end : from;
        part->found = keep(run, from, between, cut.key, at);
        if (between < to && above > cut.key)
            part->found += keep(run, between, to, above, at + part->found);
        at += part->found;
    }
    run->least = cut.key;
    run->found = k;
}

/* ---- by a sample */

/* A key that more than k elements are likely to reach, by so many standard deviations of their
 * count in a sample; in short rows the lowest. */
static int64_t estimate(const struct exact_run *run, uint64_t size, double spread)
{
    const struct exact *job = run->job;
    const struct kernels *kernels = job->kernels;
    const int64_t lowest = INT64_MIN >> (64 - kernels->bits);
    const double count = (double)size, share = (double)job->k / (double)job->n;
    const uint64_t rank =
        (uint64_t)(count * share + spread * __builtin_sqrt(count * share * (1 - share))) + 2;
    if (job->n <= 2 * size || rank >= size)
        return lowest;
    const struct elements sample = {run->spare, 0, 1, size, job->smallest};
    kernels->sample(job->x, job->n, size, run->spare);
    kernels->reach(&sample, kernels->infinite, lowest, 0, size, run->keys, NULL);
    return topk_bisect(kernels->count_keys, run->keys, size, rank, spread > 0.0 ? rank / 32 : 0,
                       lowest, kernels->infinite)
        .key;
}

static void reach(const struct exact_run *run, struct part *part)
{
    const struct kernels *kernels = run->job->kernels;
    const uint64_t most = topk_dense_most(run->job->n, run->job->k);
    part->found = kernels->reach(&part->e, kernels->infinite, run->least,
                                 (uint32_t)(part->e.first - part->base), most,
                                 key_at(run, run->keys, part->room), run->positions + part->room);
    part->above = part->found > most;
}

/* Finds at least k elements by the key from a sample of the size. Sets `left` if that are too many.
 */
static bool by_sample(struct exact_run *run, uint64_t size, double spread)
{
    bool many = false;
    run->least = estimate(run, size, spread);
    divide_room(run);
    topk_each_part(run, reach);
    for (uint64_t i = 0; i < run->count; i++)
        many |= run->parts[i].above;
    run->left = many;
    if (many)
        return false;
    join(run);
    return run->found >= run->job->k;
}

/* Too many elements are equal, perhaps: tries whether they equal the k-th largest. */
static bool equals_kth(struct exact_run *run, int64_t key)
{
    run->key = (uint64_t)key + (UINT64_C(1) << (run->job->kernels->bits - 1));
    return is_kth(run);
}

void topk_dense(struct exact_run *run)
{
    const uint64_t size = run->job->n < LONG_ROW ? FIRST_SAMPLE : SECOND_SAMPLE;
    if (by_sample(run, size, 3.0) || (!run->left && by_sample(run, SECOND_SAMPLE, 5.0))) {
        if (run->found > run->job->k)
            keep_best(run);
        return;
    }
    if (!equals_kth(run, run->least) && !equals_kth(run, estimate(run, SECOND_SAMPLE, 0.0)))
        by_radix(run);
    take_exactly(run);
}
