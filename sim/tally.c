/* tally.c - see tally.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tally.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* ---- histogram */

/* Makes the window reach from `low` to `high`, with as much again on the side where it grows. */
static bool reach(struct histogram *h, uint64_t low, uint64_t high)
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
    if ((value < h->first || value - h->first >= h->length) && !reach(h, value, value))
        return false;
    h->count[value - h->first] += count;
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

/* ---- shares */

void shares_add(struct shares *shares, double lost)
{
    uint64_t units = lost > 0.0 ? (uint64_t)ldexp(fmin(lost, 1.0), SHARE_BITS) : 0;
    shares->rows++;
    shares->sum_low += units;
    shares->sum_high += shares->sum_low < units;
    shares->worst = units > shares->worst ? units : shares->worst;
}

static void shares_merge(struct shares *into, const struct shares *from)
{
    into->rows += from->rows;
    into->sum_low += from->sum_low;
    into->sum_high += from->sum_high + (into->sum_low < from->sum_low);
    into->worst = from->worst > into->worst ? from->worst : into->worst;
}

double shares_mean(const struct shares *shares)
{
    double sum = (double)((wide)shares->sum_high << 64 | shares->sum_low);
    return shares->rows ? ldexp(sum, -SHARE_BITS) / (double)shares->rows : NAN;
}

double shares_worst(const struct shares *shares)
{
    return shares->rows ? ldexp((double)shares->worst, -SHARE_BITS) : NAN;
}

/* ---- reaching */

static void add_wide(uint64_t *high, uint64_t *low, wide value)
{
    wide sum = ((wide)*high << 64 | *low) + value;
    *high = (uint64_t)(sum >> 64);
    *low = (uint64_t)sum;
}

static wide sum_of(const struct reaching *r)
{
    return (wide)r->sum_high << 64 | r->sum_low;
}

void reaching_add(struct reaching *r, uint64_t beyond)
{
    r->rows++;
    add_wide(&r->sum_high, &r->sum_low, beyond);
    add_wide(&r->squares_high, &r->squares_low, (wide)beyond * beyond);
    r->largest = beyond > r->largest ? beyond : r->largest;
}

static void reaching_merge(struct reaching *into, const struct reaching *from)
{
    into->rows += from->rows;
    add_wide(&into->sum_high, &into->sum_low, sum_of(from));
    add_wide(&into->squares_high, &into->squares_low,
             (wide)from->squares_high << 64 | from->squares_low);
    into->largest = from->largest > into->largest ? from->largest : into->largest;
}

double reaching_mean(const struct reaching *r)
{
    return r->rows ? (double)sum_of(r) / (double)r->rows : NAN;
}

double reaching_sd(const struct reaching *r)
{
    if (r->rows < 2)
        return NAN;
    /* About the whole part q of the mean, in integers: sum (x - q)^2, and sum (x - q) < rows. What
     * wraps around comes back. */
    wide sum = sum_of(r), squares = (wide)r->squares_high << 64 | r->squares_low, q = sum / r->rows;
    double about = (double)(squares - 2 * q * sum + r->rows * q * q),
           rest = (double)(sum - q * r->rows), rows = (double)r->rows;
    return sqrt((about - rest * rest / rows) / (rows - 1.0));
}

double reaching_largest(const struct reaching *r)
{
    return r->rows ? (double)r->largest : NAN;
}

/* ---- tallies */

bool tally_merge(struct tally *into, const struct tally *from, size_t ranks)
{
    const struct histogram *h = &from->lost;
    if (h->length > 0 && !reach(&into->lost, h->first, h->first + (h->length - 1)))
        return false;
    for (size_t i = 0; i < h->length; i++)
        into->lost.count[h->first + i - into->lost.first] += h->count[i];
    into->lost_by_value += from->lost_by_value;
    into->certified += from->certified;
    shares_merge(&into->mass, &from->mass);
    shares_merge(&into->value, &from->value);
    reaching_merge(&into->reaching, &from->reaching);
    for (size_t i = 0; i < ranks; i++)
        into->survived[i] += from->survived[i];
    return true;
}

void row_tally_merge(struct row_tally *into, const struct row_tally *from)
{
    into->rows += from->rows;
    into->with_nan += from->with_nan;
    into->short_rows += from->short_rows;
    shares_merge(&into->outside, &from->outside);
}

void tally_clear(struct tally *tally, size_t ranks)
{
    uint64_t *survived = tally->survived;
    free(tally->lost.count);
    *tally = (struct tally){.survived = survived};
    for (size_t i = 0; i < ranks; i++)
        survived[i] = 0;
}

void tally_free(struct tally *tally)
{
    free(tally->lost.count);
    free(tally->survived);
}

/* ---- text */

static void shares_print(FILE *file, const struct shares *s)
{
    fprintf(file, " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64, s->rows, s->sum_high, s->sum_low,
            s->worst);
}

static void reaching_print(FILE *file, const struct reaching *r)
{
    const uint64_t numbers[] = {r->rows,         r->sum_high,    r->sum_low,
                                r->squares_high, r->squares_low, r->largest};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fprintf(file, " %" PRIx64, numbers[i]);
}

void tally_print(FILE *file, const struct tally *tally, size_t ranks)
{
    size_t values = 0;
    for (size_t i = 0; i < tally->lost.length; i++)
        values += tally->lost.count[i] > 0;
    fprintf(file, "tally %" PRIx64 " %" PRIx64, tally->lost_by_value, tally->certified);
    shares_print(file, &tally->mass);
    shares_print(file, &tally->value);
    reaching_print(file, &tally->reaching);
    fprintf(file, " %zx", values);
    for (size_t i = 0; i < tally->lost.length; i++)
        if (tally->lost.count[i])
            fprintf(file, " %" PRIx64 " %" PRIx64, tally->lost.first + i, tally->lost.count[i]);
    for (size_t i = 0; i < ranks; i++)
        fprintf(file, " %" PRIx64, tally->survived[i]);
    fputc('\n', file);
}

void row_tally_print(FILE *file, const struct row_tally *tally)
{
    fprintf(file, "rows %" PRIx64 " %" PRIx64 " %" PRIx64, tally->rows, tally->with_nan,
            tally->short_rows);
    shares_print(file, &tally->outside);
    fputc('\n', file);
}

static bool take_word(const char **text, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0)
        return false;
    *text += length;
    return true;
}

/* A blank and a hexadecimal number. */
static bool take_number(const char **text, uint64_t *value)
{
    char *end;
    if (!take_word(text, " "))
        return false;
    *value = strtoull(*text, &end, 16);
    bool any = end > *text;
    *text = end;
    return any;
}

static bool take_shares(const char **text, struct shares *s)
{
    return take_number(text, &s->rows) && take_number(text, &s->sum_high) &&
           take_number(text, &s->sum_low) && take_number(text, &s->worst);
}

static bool take_reaching(const char **text, struct reaching *r)
{
    return take_number(text, &r->rows) && take_number(text, &r->sum_high) &&
           take_number(text, &r->sum_low) && take_number(text, &r->squares_high) &&
           take_number(text, &r->squares_low) && take_number(text, &r->largest);
}

bool tally_parse(const char **text, struct tally *tally, size_t ranks, uint64_t k)
{
    uint64_t values, value, count;
    if (!take_word(text, "tally") || !take_number(text, &tally->lost_by_value) ||
        !take_number(text, &tally->certified) || !take_shares(text, &tally->mass) ||
        !take_shares(text, &tally->value) || !take_reaching(text, &tally->reaching) ||
        !take_number(text, &values))
        return false;
    for (; values > 0; values--)
        if (!take_number(text, &value) || !take_number(text, &count) || value > k ||
            !histogram_add(&tally->lost, value, count))
            return false;
    for (size_t i = 0; i < ranks; i++)
        if (!take_number(text, &tally->survived[i]))
            return false;
    return take_word(text, "\n");
}

bool row_tally_parse(const char **text, struct row_tally *tally)
{
    return take_word(text, "rows") && take_number(text, &tally->rows) &&
           take_number(text, &tally->with_nan) && take_number(text, &tally->short_rows) &&
           take_shares(text, &tally->outside) && take_word(text, "\n");
}
