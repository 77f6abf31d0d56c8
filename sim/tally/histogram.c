/* histogram.c - see histogram.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* Makes the window reach from `low` to `high`. On the side where it grows, it grows by as much
 * again as it is long. */
static bool widen(struct histogram *h, uint64_t low, uint64_t high)
{
    if (h->length > 0) {
        uint64_t last = h->first + (h->length - 1), room = h->length;
        if (low >= h->first && high <= last)
            return true;
        if (low < h->first)
            low = low > room ? low - room : 0;
        else
            low = h->first;
        if (high <= last)
            high = last;
        else
            high = high > UINT64_MAX - room ? UINT64_MAX : high + room;
    }
    if (high - low >= SIZE_MAX / sizeof *h->count)
        return false;
    uint64_t length = high - low + 1;
    uint64_t *count = calloc((size_t)length, sizeof *count);
    if (!count)
        return false;
    if (h->length > 0)
        memcpy(count + (h->first - low), h->count, h->length * sizeof *count);
    free(h->count);
    *h = (struct histogram){low, (size_t)length, count};
    return true;
}

bool histogram_add(struct histogram *h, uint64_t value, uint64_t count)
{
    if ((value < h->first || value - h->first >= h->length) && !widen(h, value, value))
        return false;
    h->count[value - h->first] += count;
    return true;
}

bool histogram_merge(struct histogram *into, const struct histogram *from)
{
    if (from->length > 0 && !widen(into, from->first, from->first + (from->length - 1)))
        return false;
    for (size_t i = 0; i < from->length; i++)
        into->count[from->first + i - into->first] += from->count[i];
    return true;
}

struct spread histogram_spread(const struct histogram *h)
{
    struct spread spread = {0, NAN, NAN, 0};
    wide sum = 0, squares = 0; /* of value - first */
    for (size_t i = 0; i < h->length; i++) {
        spread.rows += h->count[i];
        sum += (wide)h->count[i] * i;
        squares += (wide)h->count[i] * i * i;
        if (h->count[i])
            spread.largest = h->first + i;
    }
    if (spread.rows == 0)
        return spread;
    double rows = (double)spread.rows;
    spread.mean = (double)(sum + (wide)h->first * spread.rows) / rows;
    if (spread.rows > 1)
        spread.sd = sqrt((double)(squares * spread.rows - sum * sum) / (rows * (rows - 1.0)));
    return spread;
}

uint64_t histogram_upper(const struct histogram *h, unsigned percent)
{
    uint64_t rows = 0, beyond = 0;
    for (size_t i = 0; i < h->length; i++)
        rows += h->count[i];
    for (size_t i = h->length; i-- > 0;) {
        beyond += h->count[i];
        if (beyond > 0 && (wide)beyond * 100 >= (wide)rows * percent)
            return h->first + i;
    }
    return 0;
}
