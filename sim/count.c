/* count.c - see count.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "count.h"

#include <stdlib.h>
#include <string.h>

#include "key.h"
#include "select.h"

/* Operations that are always done; and those behind a branch, which the models count as taken. */
static void always(struct work *work, uint64_t operations)
{
    work->all += operations;
    work->taken += operations;
}

static void branch(struct work *work, bool taken, uint64_t operations)
{
    work->all += operations;
    work->taken += taken ? operations : 0;
}

/* ceil(log2 n) */
static unsigned log2_up(size_t n)
{
    unsigned bits = 0;
    while (bits < 63 && (UINT64_C(1) << bits) < n)
        bits++;
    return bits;
}

/* Key and index as one number whose order is the rank: of equal keys the smaller index is the
 * larger number. */
static uint64_t ranked(const struct keys *keys, uint32_t index)
{
    return (uint64_t)keys->key[index] << 32 | (UINT32_MAX - index);
}

static uint32_t index_of(uint64_t ranked)
{
    return UINT32_MAX - (uint32_t)ranked;
}

/* ---- insertion queue: the k best so far in rising order; a new element replaces the smallest and
 * bubbles up */

static bool insertion_queue(const struct keys *keys, unsigned digit, uint32_t *out,
                            struct work *work)
{
    uint64_t *queue = calloc(keys->k, sizeof *queue); /* 0: empty, below every element */
    (void)digit;
    if (!queue)
        return false;
    for (uint32_t i = 0; i < keys->n; i++) {
        uint64_t x = ranked(keys, i);
        bool larger = x > queue[0];
        always(work, 1);
        branch(work, larger, 1);
        if (larger)
            queue[0] = x;
        for (size_t j = 1; j < keys->k; j++) {
            bool swap = queue[j - 1] > queue[j];
            always(work, 1);
            branch(work, swap, 2);
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
    return true;
}

/* ---- radix select: digits from the most significant on; the border digit is where the count from
 * above reaches k */

/* What the passes leave: elements above `border` belong to the top-k, and `needed` of those equal
 * to it; `equal` there are. */
struct border {
    uint32_t key;
    size_t needed, equal;
};

/* The last pass: collects the elements. Where all that reach the border are wanted, one comparison
 * an element; otherwise each is also compared for equality and counted. */
static void collect(const struct keys *keys, struct border border, uint32_t *out, struct work *work)
{
    size_t length = 0;
    bool ties = border.equal > border.needed;
    for (uint32_t i = 0; i < keys->n; i++) {
        bool reaches = keys->key[i] >= border.key, wanted = reaches;
        always(work, 1);
        if (ties) {
            bool equal = keys->key[i] == border.key;
            branch(work, reaches, 1);   /* equal? */
            branch(work, equal, 1 + 2); /* any left? one less */
            if (equal) {
                wanted = border.needed > 0;
                border.needed -= wanted;
            }
        }
        branch(work, wanted, 1 + 2); /* store, move on */
        if (wanted)
            out[length++] = i;
    }
}

/* One bit a pass, as listed. */
static struct border border_by_bits(const struct keys *keys, struct work *work)
{
    struct border border = {0, keys->k, keys->n};
    uint32_t mask = 0;
    for (unsigned bit = keys->bits; bit-- > 0;) {
        size_t ones = 0;
        border.key |= UINT32_C(1) << bit;
        mask |= UINT32_C(1) << bit;
        always(work, 1 + 2 + 2 + 1); /* the bit, into the border and into the mask; no ones yet */
        for (size_t i = 0; i < keys->n; i++) {
            bool one = (keys->key[i] & mask) == border.key;
            always(work, 2);
            branch(work, one, 2);
            ones += one;
        }
        bool zero = ones < border.needed; /* the border has a 0 here: all ones are wanted */
        always(work, 2);
        branch(work, zero, 2 + 2);
        if (zero) {
            border.key ^= UINT32_C(1) << bit;
            border.needed -= ones;
            border.equal -= ones;
        } else {
            border.equal = ones;
        }
    }
    return border;
}

/* `digit` bits a pass: a counter for each value. */
static bool border_by_digits(const struct keys *keys, unsigned digit, struct border *border,
                             struct work *work)
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
        always(work, values);
        for (size_t i = 0; i < keys->n; i++) {
            bool candidate = (keys->key[i] & mask) == border->key;
            always(work, 2);
            branch(work, candidate, 2 + 2); /* its digit: shift and mask; count it */
            if (candidate)
                count[keys->key[i] >> left & (values - 1)]++;
        }
        uint32_t value = values;
        bool found = false;
        for (uint32_t d = values;
             d-- > 0;) { /* scan from above until the count reaches what is needed */
            branch(work, !found, 1);
            if (found)
                continue;
            found = count[d] >= border->needed;
            value = d;
            branch(work, !found, 2);
            if (!found)
                border->needed -= count[d];
        }
        border->equal = count[value];
        border->key |= value << left;
        mask |= (values - 1) << left;
        always(work, 1 + 2 + 1 + 2);
    }
    free(count);
    return true;
}

static bool radix_select(const struct keys *keys, unsigned digit, uint32_t *out, struct work *work)
{
    struct border border;
    if (digit == 1)
        border = border_by_bits(keys, work);
    else if (!border_by_digits(keys, digit, &border, work))
        return false;
    collect(keys, border, out, work);
    return true;
}

/* ---- scan-max: k times the largest of all, by a scan of log2 n steps with a thread an element */

static bool scan_max(const struct keys *keys, unsigned digit, uint32_t *out, struct work *work)
{
    size_t n = keys->n;
    uint64_t *data = malloc(n * sizeof *data), *best = malloc(n * sizeof *best);
    (void)digit;
    for (uint32_t i = 0; i < n && data && best; i++)
        data[i] = ranked(keys, i);
    for (size_t j = 0; j < keys->k && data && best; j++) {
        memcpy(best, data, n * sizeof *best);
        always(work, 1); /* each thread begins with its own element */
        for (size_t stride = 1; stride < n; stride *= 2) {
            bool any = false;
            for (size_t i = 0; i + stride < n;
                 i += 2 * stride) /* the others do what nobody reads */
                if (best[i + stride] > best[i]) {
                    best[i] = best[i + stride];
                    any = true;
                }
            always(work, 1);
            branch(work, any, 1);
        }
        out[j] = index_of(best[0]);
        data[out[j]] = 0;
        always(work, 1 + 1); /* store it, take it out */
    }
    bool good = data && best;
    free(data);
    free(best);
    return good;
}

/* ---- radix select with a thread an element: the ones are counted by a scan */

static bool parallel_radix_select(const struct keys *keys, unsigned digit, uint32_t *out,
                                  struct work *work)
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
        bool zero = ones < border.needed;
        always(work, 1 + 2 + 2 + 2 + (scan + 1) +
                         2); /* bit, border, mask; the threads' flags; their sum; is it enough? */
        branch(work, zero, 2 + 2);
        if (zero) {
            border.key ^= UINT32_C(1) << bit;
            border.needed -= ones;
            border.equal -= ones;
        } else {
            border.equal = ones;
        }
    }
    /* Each thread compares with the border, a prefix sum gives its place, it stores. With ties, a
     * prefix sum of the equal ones too. */
    struct work ignored = {0, 0};
    collect(keys, border, out, &ignored);
    always(work, 1 + (scan + 1));
    if (border.equal > border.needed)
        always(work, 1 + (scan + 1) + 2);
    always(work, 2);
    return true;
}

static const struct sim_algorithm algorithms[] = {
    {"insertion_queue", false, true, insertion_queue},
    {"radix_select", true, false, radix_select},
    {"scan_max", false, true, scan_max},
    {"parallel_radix_select", false, false, parallel_radix_select},
};

const struct sim_algorithm *sim_algorithm(size_t index)
{
    return index < sizeof algorithms / sizeof *algorithms ? &algorithms[index] : NULL;
}

/* ---- stage 1 */

bool sim_stage1_queue(const struct keys *keys, uint64_t b, uint64_t k_b, uint32_t *out,
                      struct work *work, uint64_t *insertions)
{
    uint64_t *queues =
        calloc((size_t)(b * k_b), sizeof *queues); /* of each bucket in falling order */
    if (!queues)
        return false;
    for (uint32_t i = 0; i < keys->n; i++) {
        uint64_t *queue = queues + i % b * k_b, x = ranked(keys, i);
        bool larger = x > queue[k_b - 1];
        always(work, 1);
        branch(work, larger, 2 + 5 * (k_b - 1)); /* value and index; then each step compares and
                                                    exchanges two values, two indices */
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

bool sim_count_row(enum sim_input input, double rho, uint64_t seed, uint64_t repetition, size_t n,
                   struct count_row *row)
{
    uint64_t *words = malloc((n + 1) * sizeof *words), *keys = malloc(n * sizeof *keys),
             *scratch = malloc(2 * n * sizeof *scratch);
    double *x = malloc(n * sizeof *x);
    uint32_t *at = malloc(n * sizeof *at);
    *row = (struct count_row){malloc(n * sizeof *row->raw), malloc(n * sizeof *row->ranks),
                              log2_up(n)};
    bool good = words && keys && scratch && x && at && row->raw && row->ranks;
    if (good) {
        row_generate(input, rho, seed, repetition, x, n, words);
        for (uint32_t i = 0; i < n; i++) {
            row->raw[i] = key32_of(x[i]);
            keys[i] = (uint64_t)row->raw[i] << 32; /* what is sorted by first */
            at[i] = i;
        }
        sort_by_rank(keys, at, n, scratch);
        for (size_t j = 0; j < n; j++)
            row->ranks[at[j]] = (uint32_t)(n - 1 - j);
    } else {
        sim_count_row_free(row);
    }
    free(words);
    free(keys);
    free(scratch);
    free(x);
    free(at);
    return good;
}

void sim_count_row_free(struct count_row *row)
{
    free(row->raw);
    free(row->ranks);
    *row = (struct count_row){NULL, NULL, 0};
}
