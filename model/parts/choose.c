/* choose.c - how many elements each part of a row must send. Derivation: docs/models.md 22.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <model/recallmodel/parts.h>

#include <model/distribution/distribution.h>
#include "row_sum.h"

/* The question, and the entries that are filled in. */
struct choice {
    uint64_t n, k;
    struct rcm_part *of;
    size_t length;
    enum rcm_parts_goal goal;
    double at_most;
};

/* What the part can send at most. */
static uint64_t all_of(const struct choice *c, size_t i)
{
    return smaller(c->of[i].size, c->k);
}

static struct rcm_parts parts_of(const struct choice *c)
{
    return (struct rcm_parts){c->k, c->of, c->length};
}

static double value(const struct choice *c)
{
    switch (c->goal) {
    case RCM_PARTS_LOSS:
        return rcm_parts_loss(parts_of(c));
    case RCM_PARTS_LOST:
        return rcm_parts_probability_lost(parts_of(c));
    default:
        return rcm_parts_probability_unproved(parts_of(c));
    }
}

/* *known becomes false where the value is not computed. */
static bool reaches(const struct choice *c, bool *known)
{
    const double found = value(c);
    *known = *known && !isnan(found);
    return found <= c->at_most * (1.0 + RCM_TARGET_SLACK);
}

static double cost(const struct choice *c)
{
    return (double)rcm_parts_sent(parts_of(c)) + c->at_most * value(c);
}

static void send_equal(struct choice *c, uint64_t send)
{
    for (size_t i = 0; i < c->length; i++)
        c->of[i].send = smaller(send, all_of(c, i));
}

/* ---- one number for all parts */

/* Does one element more of each part cost more than it saves? */
static bool costs_more(struct choice *c, uint64_t send, bool *known)
{
    send_equal(c, send + 1);
    const double more = cost(c);
    send_equal(c, send);
    const double now = cost(c);
    *known = *known && !isnan(more) && !isnan(now);
    return more >= now;
}

/* The least number from `from` on that `enough` accepts; `to` is one. */
static uint64_t least_equal(struct choice *c, uint64_t from, uint64_t to,
                            bool (*enough)(struct choice *c, uint64_t send, bool *known),
                            bool *known)
{
    while (from < to && *known) {
        const uint64_t middle = from + (to - from) / 2;
        if (enough(c, middle, known))
            to = middle;
        else
            from = middle + 1;
    }
    return to;
}

static bool equal_reaches(struct choice *c, uint64_t send, bool *known)
{
    send_equal(c, send);
    return reaches(c, known);
}

static bool unproved_half(struct choice *c, uint64_t send, bool *known)
{
    send_equal(c, send);
    const double found = value(c);
    *known = *known && !isnan(found);
    return found <= 0.5;
}

/* Nothing before the second round, or all at once, if that costs less than what is chosen. Returns
 * whether the cost is known. */
static bool or_nothing_or_all(struct choice *c)
{
    const double found = cost(c), full = (double)rcm_parts_sent_full(parts_of(c));
    if (c->at_most < found && c->at_most < full)
        send_equal(c, 0);
    else if (full < found)
        send_equal(c, c->k);
    return !isnan(found);
}

static bool choose_equal(struct choice *c)
{
    uint64_t most = 0;
    bool known = true;
    for (size_t i = 0; i < c->length; i++)
        most = all_of(c, i) > most ? all_of(c, i) : most;
    if (c->goal != RCM_PARTS_COST) {
        send_equal(c, least_equal(c, 0, most, equal_reaches, &known));
        return known;
    }
    /* From where half of the rows are proved, each element more saves less than the one before. */
    const uint64_t half = least_equal(c, 0, most, unproved_half, &known);
    const uint64_t send = least_equal(c, half, most, costs_more, &known);
    send_equal(c, send);
    return known && or_nothing_or_all(c);
}

/* ---- the least sum */

static struct distribution distribution_of(const struct choice *c, size_t i)
{
    return (struct distribution){
        .n = (int64_t)c->n, .k = (int64_t)c->k, .s = (int64_t)c->of[i].size};
}

/* By how much the sum over parts of what is to be small falls if this part sends one more than
 * `send`. It falls with `send`; for the probabilities from the mode on. */
static double gain(const struct choice *c, size_t i, uint64_t send)
{
    if (send >= all_of(c, i))
        return 0.0;
    if (c->goal == RCM_PARTS_LOSS)
        return distribution_tail(distribution_of(c, i), (int64_t)send).probability;
    return distribution_point(distribution_of(c, i), (int64_t)send + (c->goal == RCM_PARTS_LOST));
}

static uint64_t least_of(const struct choice *c, size_t i)
{
    return c->goal == RCM_PARTS_LOSS
               ? 0
               : smaller((uint64_t)distribution_mode(distribution_of(c, i)), all_of(c, i));
}

/* The least `send` between two whose gain is at most `price`; the second is one. */
static uint64_t at_price(const struct choice *c, size_t i, uint64_t from, uint64_t to, double price)
{
    while (from < to) {
        const uint64_t middle = from + (to - from) / 2;
        if (gain(c, i, middle) <= price)
            to = middle;
        else
            from = middle + 1;
    }
    return to;
}

static void send_list(struct choice *c, const uint64_t *few, const uint64_t *enough, size_t first)
{
    for (size_t i = 0; i < c->length; i++)
        c->of[i].send = i < first ? enough[i] : few[i];
}

/* Between sends that are too few and some that are enough, all at one price: as few entries as
 * suffice get more, the last of them as little as suffices, and of it as few parts. Many elements
 * may have one price: those that are in the top k as good as surely. */
static bool choose_at_margin(struct choice *c, const uint64_t *few, const uint64_t *enough)
{
    size_t from = 0, to = c->length;
    bool known = true;
    while (from < to && known) {
        const size_t middle = from + (to - from) / 2;
        send_list(c, few, enough, middle);
        if (reaches(c, &known))
            to = middle;
        else
            from = middle + 1;
    }
    send_list(c, few, enough, to);
    if (!known || to == 0 || few[to - 1] == enough[to - 1])
        return known;
    struct rcm_part *part = &c->of[to - 1];
    const uint64_t count = part->count;
    uint64_t less = few[to - 1], send = enough[to - 1];
    while (send - less > 1 && known) {
        part->send = less + (send - less) / 2;
        *(reaches(c, &known) ? &send : &less) = part->send;
    }
    part->send = send;
    if (!known || count == 1)
        return known;
    memmove(part + 1, part, (c->length++ - (to - 1)) * sizeof *part);
    part[1].send = less;
    uint64_t low = 1, high = count;
    while (low < high && known) {
        const uint64_t middle = low + (high - low) / 2;
        part[0].count = middle;
        part[1].count = count - middle;
        if (reaches(c, &known))
            high = middle;
        else
            low = middle + 1;
    }
    part[0].count = high;
    part[1].count = count - high;
    if (high == count) {
        memmove(part + 1, part + 2, (c->length - to - 1) * sizeof *part);
        c->length--;
    }
    return known;
}

/* Bisects the price of an element: between `few`, which does not reach the goal, and `enough`. */
static bool choose_by_price(struct choice *c, uint64_t *few, uint64_t *enough, uint64_t *middle)
{
    double high = 0.0, low = -745.0; /* logarithms; e^-745 is the least number */
    bool known = true;
    for (size_t i = 0; i < c->length; i++) {
        few[i] = least_of(c, i);
        enough[i] = all_of(c, i);
    }
    send_list(c, few, enough, 0);
    if (reaches(c, &known))
        return known;
    for (unsigned step = 0; step < 64 && known; step++) {
        const double price = 0.5 * (low + high);
        bool differs = false;
        for (size_t i = 0; i < c->length; i++) {
            middle[i] = at_price(c, i, few[i], enough[i], exp(price));
            differs = differs || few[i] < enough[i];
        }
        if (!differs)
            break;
        send_list(c, middle, middle, 0);
        const bool enough_now = reaches(c, &known);
        memcpy(enough_now ? enough : few, middle, c->length * sizeof *middle);
        *(enough_now ? &low : &high) = price;
    }
    return known && choose_at_margin(c, few, enough);
}

/* Along the prices of an element, around that at which the sum of the probabilities is least: the
 * probability that any part fails is less than the sum, and so is what an element saves. */
static bool choose_by_cost(struct choice *c)
{
    double best = INFINITY, price = INFINITY;
    for (int step = -2; step <= 20; step++) {
        const double at = exp2(0.25 * step) / c->at_most;
        for (size_t i = 0; i < c->length; i++)
            c->of[i].send = at_price(c, i, least_of(c, i), all_of(c, i), at);
        const double found = cost(c);
        if (isnan(found))
            return false;
        price = found < best ? at : price;
        best = fmin(best, found);
    }
    for (size_t i = 0; i < c->length; i++)
        c->of[i].send = at_price(c, i, least_of(c, i), all_of(c, i), price);
    return or_nothing_or_all(c);
}

static bool choose_unequal(struct choice *c)
{
    if (c->goal == RCM_PARTS_COST)
        return choose_by_cost(c);
    uint64_t *lists = malloc(3 * c->length * sizeof *lists);
    const bool chosen =
        lists && choose_by_price(c, lists, lists + c->length, lists + 2 * c->length);
    free(lists);
    return chosen;
}

size_t rcm_parts_choose(uint64_t k, struct rcm_part *of, size_t length, enum rcm_parts_goal goal,
                        double at_most, enum rcm_parts_send send)
{
    struct choice c = {.k = k, .of = of, .length = length, .goal = goal, .at_most = at_most};
    for (size_t i = 0; i < length; i++)
        of[i].send = 0;
    c.n = rcm_parts_elements(parts_of(&c));
    if (c.n == 0 || !(at_most >= 0.0))
        return 0;
    if (goal != RCM_PARTS_COST && (at_most == 0.0 || at_most >= 1.0)) { /* all, or nothing */
        send_equal(&c, at_most == 0.0 ? k : 0);
        return length;
    }
    if (goal == RCM_PARTS_COST && at_most == 0.0)
        return length; /* the second round is free */
    return (send == RCM_PARTS_EQUAL ? choose_equal(&c) : choose_unequal(&c)) ? c.length : 0;
}
