/* operations.c - see operations.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "operations.h"

#include <stdlib.h>
#include <string.h>

#include "counting.h"
#include "key.h"
#include "quickselect.h"

/* ceil(log2 n) */
static unsigned log2_up(size_t n)
{
    unsigned bits = 0;
    while (bits < 63 && (UINT64_C(1) << bits) < n)
        bits++;
    return bits;
}

/* Key and index as one number, in the order of the ranks: of equal keys the smaller index gives the
 * larger number. */
static uint64_t rank_key(const struct keys *keys, uint32_t index)
{
    return (uint64_t)keys->key[index] << 32 | (UINT32_MAX - index);
}

static uint32_t index_of(uint64_t rank_key)
{
    return UINT32_MAX - (uint32_t)rank_key;
}

/* ---- insertion queue: it holds the k best so far in rising order; a larger element replaces the
 * smallest and moves up by swaps. It begins empty; that of Key et al. (Figure 11) begins with the
 * first k, and meets them again. */

static bool insertion_queue(const struct keys *keys, unsigned digit, uint32_t *out,
                            struct operations *cost)
{
    uint64_t *queue = calloc(keys->k, sizeof *queue); /* 0: empty, below every element */
    (void)digit;
    if (!queue)
        return false;
    for (uint32_t i = 0; i < keys->n; i++) {
        uint64_t x = rank_key(keys, i);
        bool larger = x > queue[0];
        always(cost, 1);
        branch(cost, larger, 1);
        if (larger)
            queue[0] = x;
        for (size_t j = 1; j < keys->k; j++) {
            bool swap = queue[j - 1] > queue[j];
            always(cost, 1);
            branch(cost, swap, 2);
            if (swap) {
                uint64_t lower = queue[j];
                queue[j] = queue[j - 1];
                queue[j - 1] = lower;
            }
        }
    }
    for (size_t j = 0; j < keys->k; j++)
        out[j] = index_of(queue[j]);
    free(queue);
    read_elements(cost, keys->n);
    write_results(cost, keys->k);
    return true;
}

/* ---- radix select: from the most significant digit on; the digit of the border is the one at
 * which the count from above reaches k */

/* The last pass, which collects the elements. If all that reach the border are wanted, it takes one
 * comparison for each element. Otherwise those that reach it are also compared for equality, and
 * the equal ones are counted. */
static void collect(const struct keys *keys, struct border border, uint32_t *out,
                    struct operations *cost)
{
    size_t length = 0;
    bool ties = border.equal > border.needed;
    read_elements(cost, keys->n);
    write_results(cost, keys->k);
    for (uint32_t i = 0; i < keys->n; i++) {
        bool reaches = keys->key[i] >= border.key, wanted = reaches;
        always(cost, 1);
        if (ties) {
            bool equal = keys->key[i] == border.key;
            branch(cost, reaches, 1);   /* equal? */
            branch(cost, equal, 1 + 2); /* any left? one less */
            if (equal) {
                wanted = border.needed > 0;
                border.needed -= wanted;
            }
        }
        branch(cost, wanted, 1 + 2); /* store, move on */
        if (wanted)
            out[length++] = i;
    }
}

/* Decides a bit of the border, which is 1 so far, by the number of elements that have a 1 there. If
 * these are too few, all of them belong to the top-k, and the bit becomes 0. Returns whether it
 * did. */
static bool settle_bit(struct border *border, unsigned bit, size_t ones)
{
    bool zero = ones < border->needed;
    if (zero) {
        border->key ^= UINT32_C(1) << bit;
        border->needed -= ones;
        border->equal -= ones;
    } else {
        border->equal = ones;
    }
    return zero;
}

/* One bit a pass, as in the listing of the paper. */
static struct border border_by_bits(const struct keys *keys, struct operations *cost)
{
    struct border border = {0, keys->k, keys->n};
    uint32_t mask = 0;
    for (unsigned bit = keys->bits; bit-- > 0;) {
        size_t ones = 0;
        border.key |= UINT32_C(1) << bit;
        mask |= UINT32_C(1) << bit;
        always(cost, 1 + 2 + 2 + 1); /* the bit, into the border and into the mask; no ones yet */
        for (size_t i = 0; i < keys->n; i++) {
            bool one = (keys->key[i] & mask) == border.key;
            always(cost, 2);
            branch(cost, one, 2);
            ones += one;
        }
        always(cost, 2);
        branch(cost, settle_bit(&border, bit, ones), 2 + 2);
        read_elements(cost, keys->n);
        if (bit + 1 == keys->bits)
            cost->left += border.equal;
    }
    return border;
}

/* `digit` bits a pass, with a counter for each value of the digit. */
static bool border_by_digits(const struct keys *keys, unsigned digit, struct border *border,
                             struct operations *cost)
{
    size_t *count = malloc(sizeof *count << digit);
    uint32_t mask = 0;
    *border = (struct border){0, keys->k, keys->n};
    if (!count)
        return false;
    for (unsigned left = keys->bits; left > 0;) {
        unsigned width = digit < left ? digit : left;
        uint32_t values = UINT32_C(1) << width;
        left -= width;
        memset(count, 0, values * sizeof *count);
        always(cost, values);
        for (size_t i = 0; i < keys->n; i++) {
            bool candidate = (keys->key[i] & mask) == border->key;
            always(cost, 2);
            branch(cost, candidate, 2 + 2); /* its digit: shift and mask; count it */
            if (candidate)
                count[keys->key[i] >> left & (values - 1)]++;
        }
        read_elements(cost, keys->n);
        border->key |= settle_digit(border, count, values, cost) << left;
        if (left + width == keys->bits)
            cost->left += border->equal;
        mask |= (values - 1) << left;
        always(cost, 1 + 2 + 1 + 2);
    }
    free(count);
    return true;
}

static bool radix_select(const struct keys *keys, unsigned digit, uint32_t *out,
                         struct operations *cost)
{
    struct border border;
    if (digit == 1)
        border = border_by_bits(keys, cost);
    else if (!border_by_digits(keys, digit, &border, cost))
        return false;
    collect(keys, border, out, cost);
    return true;
}

/* ---- scan-max: k times the largest of all, by a scan of log2 n steps with a thread for each
 * element */

static bool scan_max(const struct keys *keys, unsigned digit, uint32_t *out,
                     struct operations *cost)
{
    size_t n = keys->n;
    uint64_t *data = malloc(n * sizeof *data), *best = malloc(n * sizeof *best);
    (void)digit;
    for (uint32_t i = 0; i < n && data && best; i++)
        data[i] = rank_key(keys, i);
    for (size_t j = 0; j < keys->k && data && best; j++) {
        memcpy(best, data, n * sizeof *best);
        always(cost, 1); /* each thread begins with its own element */
        read_elements(cost, n);
        for (size_t stride = 1; stride < n; stride *= 2) {
            bool any = false;
            /* Only these elements: nobody reads what the other threads do. */
            for (size_t i = 0; i + stride < n; i += 2 * stride)
                if (best[i + stride] > best[i]) {
                    best[i] = best[i + stride];
                    any = true;
                }
            always(cost, 1);
            branch(cost, any, 1);
        }
        out[j] = index_of(best[0]);
        data[out[j]] = 0;
        always(cost, 1 + 1); /* store it, take it out */
    }
    write_results(cost, keys->k);
    bool good = data && best;
    free(data);
    free(best);
    return good;
}

/* ---- radix select with a thread for each element: a scan counts the ones */

static bool parallel_radix_select(const struct keys *keys, unsigned digit, uint32_t *out,
                                  struct operations *cost)
{
    struct border border = {0, keys->k, keys->n};
    uint64_t scan = 2 * (uint64_t)log2_up(keys->n);
    uint32_t mask = 0;
    (void)digit;
    for (unsigned bit = keys->bits; bit-- > 0;) {
        size_t ones = 0;
        border.key |= UINT32_C(1) << bit;
        mask |= UINT32_C(1) << bit;
        for (size_t i = 0; i < keys->n; i++)
            ones += (keys->key[i] & mask) == border.key;
        /* Bit, border, mask; the flags of the threads; their sum; is it enough? */
        always(cost, 1 + 2 + 2 + 2 + (scan + 1) + 2);
        branch(cost, settle_bit(&border, bit, ones), 2 + 2);
        read_elements(cost, keys->n);
        if (bit + 1 == keys->bits)
            cost->left += border.equal;
    }
    /* Each thread compares with the border, a prefix sum gives its place, and it stores. With ties
     * there is also a prefix sum of the equal ones. */
    struct operations ignored = {0};
    collect(keys, border, out, &ignored);
    read_elements(cost, keys->n);
    write_results(cost, keys->k);
    always(cost, 1 + (scan + 1));
    if (border.equal > border.needed)
        always(cost, 1 + (scan + 1) + 2);
    always(cost, 2);
    return true;
}

static const struct sim_algorithm algorithms[] = {
    {"insertion_queue", false, true, false, {0}, insertion_queue},
    {"radix_select", true, false, false, {1, 4, 8, 11}, radix_select},
    {"scan_max", false, true, false, {0}, scan_max},
    {"parallel_radix_select", false, false, false, {0}, parallel_radix_select},
    {"compacting_radix", true, false, false, {4, 8, 11}, compacting_radix},
    {"histogram", true, false, true, {9, 11}, histogram_select},
};

const struct sim_algorithm *sim_algorithm(size_t index)
{
    return index < sizeof algorithms / sizeof *algorithms ? &algorithms[index] : NULL;
}

/* ---- stage 1 */

bool sim_stage1_queue(const struct keys *keys, uint64_t b, uint64_t k_b, uint32_t *out,
                      struct operations *cost, uint64_t *insertions)
{
    uint64_t *queues =
        calloc((size_t)(b * k_b), sizeof *queues); /* of each bucket in falling order */
    if (!queues)
        return false;
    for (uint32_t i = 0; i < keys->n; i++) {
        uint64_t *queue = queues + i % b * k_b, x = rank_key(keys, i);
        bool larger = x > queue[k_b - 1];
        always(cost, 1);
        /* Value and index; then each step compares, and exchanges two values and two indices. */
        branch(cost, larger, 2 + 5 * (k_b - 1));
        if (!larger)
            continue;
        ++*insertions;
        uint64_t j = k_b - 1;
        for (; j > 0 && x > queue[j - 1]; j--)
            queue[j] = queue[j - 1];
        queue[j] = x;
    }
    for (uint64_t j = 0; j < b * k_b; j++)
        out[j] = queues[j] ? index_of(queues[j]) : UINT32_MAX;
    free(queues);
    return true;
}

/* ---- rows */

/* The values as keys of 32 bits. Returns whether there is memory. */
static bool make_keys(enum sim_input input, double rho, uint64_t seed, uint64_t repetition,
                      size_t n, double shift, bool smallest, uint32_t *raw)
{
    uint64_t *words = malloc((n + 1) * sizeof *words);
    double *x = malloc(n * sizeof *x);
    const bool good = words && x;
    if (good)
        row_generate(input, rho, seed, repetition, x, n, words);
    for (size_t i = 0; i < n && good; i++)
        raw[i] = key32_of(smallest ? -(x[i] + shift) : x[i] + shift);
    free(words);
    free(x);
    return good;
}

/* How many are smaller; of equal ones the first is the largest. */
static bool make_ranks(const uint32_t *raw, size_t n, uint32_t *ranks)
{
    uint64_t *scratch = malloc(2 * n * sizeof *scratch);
    const uint64_t *sorted = NULL;
    for (uint32_t i = 0; i < n && scratch; i++)
        scratch[i] = (uint64_t)~raw[i] << 32 | i;
    if (scratch)
        sorted = sort_by_upper(scratch, scratch + n, n);
    for (size_t j = 0; j < n && scratch; j++)
        ranks[(uint32_t)sorted[j]] = (uint32_t)(n - 1 - j);
    free(scratch);
    return sorted != NULL;
}

bool sim_count_row(enum sim_input input, double rho, uint64_t seed, uint64_t repetition, size_t n,
                   double shift, bool smallest, struct count_row *row)
{
    *row = (struct count_row){malloc(n * sizeof *row->raw), malloc(n * sizeof *row->ranks),
                              log2_up(n)};
    const bool good = row->raw && row->ranks &&
                      make_keys(input, rho, seed, repetition, n, shift, smallest, row->raw) &&
                      make_ranks(row->raw, n, row->ranks);
    if (!good)
        sim_count_row_free(row);
    return good;
}

void sim_count_row_free(struct count_row *row)
{
    free(row->raw);
    free(row->ranks);
    *row = (struct count_row){NULL, NULL, 0};
}
