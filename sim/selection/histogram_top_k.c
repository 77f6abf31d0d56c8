/* histogram_top_k.c - see operations.h: exact top-k as the two notes describe it that
 * docs/simulation.md 6 names, by a histogram of float16 bins and by a radix select that keeps only
 * what is undecided.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counting.h"

/* The digit of the border: scans the counts of its values from above until they reach what is
 * needed. */
uint32_t settle_digit(struct border *border, const size_t *count, uint32_t values,
                      struct operations *cost)
{
    uint32_t value = values;
    bool found = false;
    for (uint32_t d = values; d-- > 0;) {
        branch(cost, !found, 1);
        if (found)
            continue;
        found = count[d] >= border->needed;
        value = d;
        branch(cost, !found, 2);
        if (!found)
            border->needed -= count[d];
    }
    border->equal = count[value];
    return value;
}

/* ---- bins */

/* The bits of the float16 nearest to a magnitude, ties to even. */
static uint32_t half_of_magnitude(double magnitude)
{
    int exponent;
    if (magnitude >= 65520.0) /* the middle between the largest number and the next */
        return 0x7c00u;
    frexp(magnitude, &exponent);
    int unit = exponent - 11 < -24 ? -24 : exponent - 11; /* the last place has the value 2^unit */
    uint32_t places = (uint32_t)nearbyint(ldexp(magnitude, -unit));
    return places < 1024 ? places : ((uint32_t)(unit + 24) << 10) + places;
}

uint32_t sim_bin_of(const struct keys *keys, uint32_t key, unsigned digit)
{
    if (!keys->float32)
        return digit < keys->bits ? key >> (keys->bits - digit) : key;
    if (key == 0) /* NaN */
        return 0;
    bool positive = key >> 31;
    uint32_t bits = positive ? key ^ UINT32_C(0x80000000) : ~key & UINT32_C(0x7fffffff);
    float magnitude;
    memcpy(&magnitude, &bits, sizeof magnitude);
    uint32_t half = half_of_magnitude((double)magnitude);
    return (positive ? half | 0x8000u : 0x7fffu - half) >> (16 - digit);
}

/* What a bin costs: to round, to turn the order of negative values, to shift. Of integers a shift.
 */
static uint64_t bin_cost(const struct keys *keys)
{
    return keys->float32 ? 1 + 2 + 1 : 1;
}

/* ---- an element that is written down, and lists of them */

struct element {
    uint32_t key, index;
};

/* Sorts by falling key, digits of 4 bits from the least significant on, as block-wide sorts on a
 * GPU do. Equal keys stay in their order. `spare` has the same length. Returns where the result is.
 */
static struct element *sort_elements(struct element *list, struct element *spare, size_t length,
                                     unsigned bits, struct operations *cost)
{
    for (unsigned shift = 0; shift < bits; shift += 4) {
        size_t place[16] = {0}, sum = 0;
        for (size_t i = 0; i < length; i++)
            place[list[i].key >> shift & 15]++;
        for (unsigned d = 16; d-- > 0;) {
            size_t count = place[d];
            place[d] = sum;
            sum += count;
        }
        for (size_t i = 0; i < length; i++)
            spare[place[list[i].key >> shift & 15]++] = list[i];
        /* Digit, count; digit, place, key and index; and clear and scan the counters. */
        always(cost, length * (2 + 2 + 2 + 2 + 2) + 16 * (1 + 2));
        struct element *sorted = spare;
        spare = list;
        list = sorted;
    }
    return list;
}

/* ---- histogram: a pass that counts bins, one that takes what lies above the threshold bin and
 * writes down what lies in it, which is then sorted */

bool histogram_select(const struct keys *keys, unsigned digit, uint32_t *out,
                      struct operations *cost)
{
    if (!keys->float32 && digit > keys->bits)
        digit = keys->bits > 0 ? keys->bits : 1;
    uint32_t bins = UINT32_C(1) << digit;
    uint16_t *bin = malloc(keys->n * sizeof *bin);
    size_t *count = calloc(bins, sizeof *count), length = 0, inside = 0;
    bool good = bin && count;
    struct border border = {0, keys->k, keys->n};
    always(cost, bins); /* clear */
    read_elements(cost, keys->n);
    for (uint32_t i = 0; i < keys->n && good; i++) {
        bin[i] = (uint16_t)sim_bin_of(keys, keys->key[i], digit);
        always(cost, bin_cost(keys) + 2);
        count[bin[i]]++;
    }
    uint32_t threshold = good ? settle_digit(&border, count, bins, cost) : 0;
    struct element *list = good ? malloc(2 * border.equal * sizeof *list) : NULL;
    good = list != NULL;
    read_elements(cost, keys->n);
    for (uint32_t i = 0; i < keys->n && good; i++) {
        bool above = bin[i] > threshold, on = bin[i] == threshold;
        always(cost, bin_cost(keys) + 1);
        branch(cost, above, 1 + 2);  /* store, move on */
        branch(cost, !above, 1);     /* on it? */
        branch(cost, on, 1 + 1 + 2); /* key, index, move on */
        if (above)
            out[length++] = i;
        if (on)
            list[inside++] = (struct element){keys->key[i], i};
    }
    cost->left += inside;
    struct element *sorted =
        good ? sort_elements(list, list + border.equal, inside, keys->bits, cost) : NULL;
    for (size_t i = 0; i < border.needed && good; i++)
        out[length++] = sorted[i].index;
    always(cost, border.needed * (1 + 2));
    write_results(cost, keys->k);
    free(bin);
    free(count);
    free(list);
    return good;
}

/* ---- compacting radix select: after each digit, what lies above the border is taken and what lies
 * on it is written down, for the next digit to read */

/* One digit of the candidates, which it replaces by those on the border. Returns how many results
 * there are. */
static size_t compact(struct element *list, size_t *candidates, unsigned left, unsigned width,
                      struct border *border, size_t *count, uint32_t *out, size_t length,
                      struct operations *cost)
{
    uint32_t values = UINT32_C(1) << width;
    size_t kept = 0;
    memset(count, 0, values * sizeof *count);
    always(cost, values);
    read_elements(cost, *candidates);
    for (size_t i = 0; i < *candidates; i++)
        count[list[i].key >> left & (values - 1)]++;
    always(cost, *candidates * (2 + 2)); /* digit, count */
    uint32_t digit = settle_digit(border, count, values, cost);
    read_elements(cost, *candidates);
    for (size_t i = 0; i < *candidates; i++) {
        uint32_t d = list[i].key >> left & (values - 1);
        always(cost, 2 + 1);
        branch(cost, d > digit, 1 + 2);      /* store, move on */
        branch(cost, d <= digit, 1);         /* on it? */
        branch(cost, d == digit, 1 + 1 + 2); /* key, index, move on */
        if (d > digit)
            out[length++] = list[i].index;
        else if (d == digit)
            list[kept++] = list[i];
    }
    *candidates = kept;
    return length;
}

bool compacting_radix(const struct keys *keys, unsigned digit, uint32_t *out,
                      struct operations *cost)
{
    struct border border = {0, keys->k, keys->n};
    struct element *list = malloc(keys->n * sizeof *list);
    size_t *count = malloc(sizeof *count << digit), candidates = keys->n, length = 0;
    bool good = list && count;
    for (uint32_t i = 0; i < keys->n && good; i++)
        list[i] = (struct element){keys->key[i], i};
    for (unsigned left = keys->bits; left > 0 && good;) {
        unsigned width = digit < left ? digit : left;
        bool first = left == keys->bits;
        left -= width;
        cost->bytes += first ? 0 : 4 * candidates; /* the second pass reads the indices, too */
        length = compact(list, &candidates, left, width, &border, count, out, length, cost);
        if (cost->observer)
            cost->observer->tell(cost->observer->to, count, UINT32_C(1) << width);
        cost->bytes += left ? 8 * candidates : 0; /* those that the next digit reads */
        cost->left += first ? candidates : 0;
    }
    for (size_t i = 0; i < border.needed && good; i++)
        out[length++] = list[i].index;
    always(cost, border.needed * (1 + 2));
    write_results(cost, keys->k);
    free(list);
    free(count);
    return good;
}
