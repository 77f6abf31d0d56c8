/* tally.c - see tally.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tally.h"

#include <math.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

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
    /* About the whole part q of the mean, in integers: sum (x - q)^2, and sum (x - q) < rows. The
     * terms may wrap around modulo 2^128; their sum is exact. */
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

bool tally_merge(struct tally *into, const struct tally *from, struct tally_lengths lengths)
{
    if (!histogram_merge(&into->lost, &from->lost))
        return false;
    into->lost_by_value += from->lost_by_value;
    into->certified += from->certified;
    shares_merge(&into->mass, &from->mass);
    shares_merge(&into->value, &from->value);
    reaching_merge(&into->reaching, &from->reaching);
    for (size_t i = 0; i < lengths.ranks; i++)
        into->survived[i] += from->survived[i];
    for (size_t i = 0; i < lengths.groups; i++) {
        into->by_group[i].rows += from->by_group[i].rows;
        into->by_group[i].lost += from->by_group[i].lost;
        shares_merge(&into->by_group[i].mass, &from->by_group[i].mass);
    }
    return true;
}

void row_tally_merge(struct row_tally *into, const struct row_tally *from)
{
    into->rows += from->rows;
    into->with_nan += from->with_nan;
    into->short_rows += from->short_rows;
    shares_merge(&into->outside, &from->outside);
}

void tally_clear(struct tally *tally, struct tally_lengths lengths)
{
    uint64_t *survived = tally->survived;
    struct group_tally *by_group = tally->by_group;
    free(tally->lost.count);
    *tally = (struct tally){.survived = survived, .by_group = by_group};
    for (size_t i = 0; i < lengths.ranks; i++)
        survived[i] = 0;
    for (size_t i = 0; i < lengths.groups; i++)
        by_group[i] = (struct group_tally){0};
}
