/* row_sum.c - see row_sum.h.
 *
 * The X of the parts are independent binomials with p = k/n, given that their sum is k. With
 * F(t) = E exp(i t X) and G(t) = E [exp(i t X); X > limit] of a part,
 *     P(some part loses) P(sum = k)
 *         = mean over t of exp(-i t k) (product of F) (1 - product of (1 - G/F)),
 * over N nodes t of a turn. The product of F is known, (1 - p + p exp(i t))^n. Nothing cancels
 * within a node, and what cancels between nodes is the ratio of the binomial tails to those of X:
 * at most their square root where no part has more than half of the row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "row_sum.h"

#include <math.h>
#include <stdlib.h>

#include <model/distribution/distribution.h>
#include "part_sums.h"

typedef struct complex_number number;

int64_t over_limit(const struct over *over, size_t i)
{
    const struct rcm_part *part = &over->of[i];
    if (part->send >= part->size || part->send >= over->k)
        return INT64_MAX;
    return (int64_t)part->send - (int64_t)over->less;
}

/* ---- what is summed over the nodes */

/* (1 + a)(1 + b) - 1 and (1 + a)^count - 1. */
static number less_1_times(number a, number b)
{
    const number both = complex_times(a, b);
    return (number){a.re + b.re + both.re, a.im + b.im + both.im};
}

static number less_1_power(number a, uint64_t count)
{
    number result = {0.0, 0.0};
    for (; count; count /= 2, a = less_1_times(a, a))
        if (count % 2)
            result = less_1_times(result, a);
    return result;
}

/* What a block of nodes needs; total: its terms of the Fourier sum. */
struct work {
    struct nodes nodes;
    struct terms terms;
    struct lanes sum[3], total, other;
};

typedef void block_of(const struct over *over, size_t except, double mean, struct work *work);

static void add_lane(struct lanes *lanes, size_t j, double factor, number value)
{
    lanes->re[j] += factor * value.re;
    lanes->im[j] += factor * value.im;
}

static void fill(struct lanes *lanes, double value)
{
    for (size_t j = 0; j < BLOCK; j++)
        set_lane(lanes, j, (number){value, 0.0});
}

/* The row's factor, times 1 - product of (1 - G/F), times 1 - G/F of the entry `except`. */
static void block_of_losses(const struct over *over, size_t except, double mean, struct work *work)
{
    struct lanes *sum = work->sum, *total = &work->total; /* total: the product - 1 */
    (void)mean;
    fill(total, 0.0);
    fill(&work->other, 1.0);
    for (size_t i = 0; i < over->length; i++) {
        if (over_limit(over, i) == INT64_MAX)
            continue;
        near_part(over, i, &work->nodes, &work->terms, 1, sum);
        if (i == except) {
            for (size_t j = 0; j < BLOCK; j++)
                set_lane(&work->other, j, (number){1.0 - sum->re[j], -sum->im[j]});
            continue;
        }
        for (size_t j = 0; j < BLOCK; j++) {
            number part = {-sum->re[j], -sum->im[j]};
            if (over->of[i].count > 1)
                part = less_1_power(part, over->of[i].count);
            set_lane(total, j, less_1_times(lane(total, j), part));
        }
    }
    for (size_t j = 0; j < BLOCK; j++)
        set_lane(total, j, (number){-total->re[j], -total->im[j]});
    *total = lanes_times(lanes_times(*total, work->other), work->nodes.row);
}

/* The same as the product of F less that of F - G, where 1/F may be too large. There the former is
 * nearly 0. Only rows of few parts count so far out. */
static void far_block_of_losses(const struct over *over, size_t except, double mean,
                                struct work *work)
{
    const struct nodes *nodes = &work->nodes;
    uint64_t rest = over->n; /* elements of parts that cannot lose */
    (void)mean;
    fill(&work->other, 1.0);
    fill(&work->total, 1.0);
    for (size_t i = 0; i < over->length; i++) {
        if (over_limit(over, i) == INT64_MAX)
            continue;
        rest -= over->of[i].size * over->of[i].count;
        far_part(over, i, &work->nodes, &work->terms, 1, work->sum);
        for (size_t j = 0; j < BLOCK; j++) {
            const number all = draws(nodes, (double)over->of[i].size, j);
            const number kept = {all.re - work->sum[0].re[j], all.im - work->sum[0].im[j]};
            struct lanes *to = i == except ? &work->other : &work->total;
            set_lane(to, j, complex_times(lane(to, j), complex_power(kept, over->of[i].count)));
        }
    }
    const double others =
        (double)over->n - (except < over->length ? (double)over->of[except].size : 0.0);
    for (size_t j = 0; j < BLOCK; j++) {
        const number all = draws(nodes, others, j),
                     none = complex_times(lane(&work->total, j), draws(nodes, (double)rest, j));
        set_lane(&work->total, j, (number){all.re - none.re, all.im - none.im});
    }
    work->total = lanes_times(work->total, work->other);
}

/* ---- few parts: which of them lose */

enum { FEW = 12 };

/* What the sum over sets of parts needs at a block of nodes. */
struct sets {
    const struct over *over;
    const struct nodes *nodes;
    struct lanes *total, tail[FEW]; /* tail: G of a part of each entry */
};

/* Adds (-1)^(members + 1) times the product of G of the members and F of all others, for every way
 * to choose members from the entries from i on. Members that have more than k together do not
 * occur, and their terms, which fall off slowly, are left out. `least`: what they have at least. */
static void add_sets(const struct sets *sets, size_t i, const struct lanes *product, uint64_t least,
                     uint64_t elements, uint64_t members)
{
    const struct over *over = sets->over;
    if (i == over->length) {
        for (size_t j = 0; members > 0 && j < BLOCK; j++)
            add_lane(sets->total, j, members % 2 ? 1.0 : -1.0,
                     complex_times(lane(product, j),
                                   draws(sets->nodes, (double)(over->n - elements), j)));
        return;
    }
    struct lanes more = *product;
    const int64_t limit = over_limit(over, i);
    add_sets(sets, i + 1, product, least, elements, members);
    for (uint64_t j = 1; limit != INT64_MAX && j <= over->of[i].count; j++) {
        const uint64_t count = over->of[i].count, at_least = least + j * (uint64_t)(limit + 1);
        if (at_least > over->k)
            return;
        more = lanes_times(more, sets->tail[i]);
        for (size_t l = 0; l < BLOCK; l++)
            set_lane(&more, l,
                     (number){more.re[l] * (double)(count - j + 1) / (double)j,
                              more.im[l] * (double)(count - j + 1) / (double)j});
        add_sets(sets, i + 1, &more, at_least, elements + j * over->of[i].size, members + j);
    }
}

/* The terms of inclusion and exclusion, but that of the entry `except` alone. */
static void block_of_sets(const struct over *over, size_t except, double mean, struct work *work)
{
    struct sets sets = {.over = over, .nodes = &work->nodes, .total = &work->total};
    struct lanes one;
    (void)mean;
    fill(&one, 1.0);
    fill(&work->total, 0.0);
    for (size_t i = 0; i < over->length; i++)
        if (over_limit(over, i) != INT64_MAX)
            far_part(over, i, &work->nodes, &work->terms, 1, &sets.tail[i]);
    add_sets(&sets, 0, &one, 0, 0, 0);
    for (size_t j = 0; except < over->length && j < BLOCK; j++)
        add_lane(&work->total, j, -1.0,
                 complex_times(lane(&sets.tail[except], j),
                               draws(&work->nodes, (double)(over->n - over->of[except].size), j)));
}

/* ---- squares */

/* (sum of E - mean)^2 + sum of (V - E^2), where E and V are the first two moments of the excess,
 * without V - 2 mean E of the entry `except`. Its E^2 would be large, and is not added to be
 * subtracted. */
static void block_of_squares(const struct over *over, size_t except, double mean, struct work *work)
{
    struct lanes large, *small = &work->other, *total = &work->total;
    struct lanes *e = &work->sum[1], *v = &work->sum[2], square;
    fill(&large, 0.0);
    fill(small, -mean);
    fill(total, 0.0);
    for (size_t i = 0; i < over->length; i++) {
        const int64_t limit = over_limit(over, i);
        const double count = (double)over->of[i].count;
        if (limit == INT64_MAX)
            continue;
        near_part(over, i, &work->nodes, &work->terms, 3, work->sum);
        square = lanes_times(*e, *e);
        if (i == except) {
            large = *e;
            continue;
        }
        for (size_t j = 0; j < BLOCK; j++) {
            small->re[j] += count * e->re[j];
            small->im[j] += count * e->im[j];
            total->re[j] += count * (v->re[j] - square.re[j]);
            total->im[j] += count * (v->im[j] - square.im[j]);
        }
    }
    for (size_t j = 0; j < BLOCK; j++) {
        const number both = {small->re[j] + 2.0 * large.re[j], small->im[j] + 2.0 * large.im[j]},
                     more = complex_times(lane(small, j), both);
        total->re[j] += more.re + 2.0 * mean * large.re[j];
        total->im[j] += more.im + 2.0 * mean * large.im[j];
    }
    *total = lanes_times(*total, work->nodes.row);
}

/* The same where 1/F may be too large: the terms of (sum of excess - mean)^2 one by one, with the F
 * of all elements that are in none of their parts. */
static void far_block_of_squares(const struct over *over, size_t except, double mean,
                                 struct work *work)
{
    enum { ENTRIES = 16 }; /* rows of more entries do not count so far out */
    const struct nodes *nodes = &work->nodes;
    const double n = (double)over->n;
    struct lanes excess[ENTRIES];
    fill(&work->total, over->length <= ENTRIES ? 0.0 : NAN);
    for (size_t i = 0; i < over->length && i < ENTRIES; i++) {
        fill(&excess[i], 0.0);
        if (over_limit(over, i) == INT64_MAX)
            continue;
        far_part(over, i, &work->nodes, &work->terms, 3, work->sum);
        excess[i] = work->sum[1];
        for (size_t j = 0; i != except && j < BLOCK; j++) {
            const number e = lane(&work->sum[1], j), v = lane(&work->sum[2], j);
            const double count = (double)over->of[i].count;
            add_lane(&work->total, j, count,
                     complex_times(draws(nodes, n - (double)over->of[i].size, j),
                                   (number){v.re - 2.0 * mean * e.re, v.im - 2.0 * mean * e.im}));
        }
        for (size_t other = 0; other <= i; other++) {
            const double sizes = (double)over->of[i].size + (double)over->of[other].size;
            const double pairs =
                (double)over->of[i].count *
                (other < i ? 2.0 * (double)over->of[other].count : (double)over->of[i].count - 1.0);
            for (size_t j = 0; pairs > 0.0 && j < BLOCK; j++)
                add_lane(
                    &work->total, j, pairs,
                    complex_times(draws(nodes, n - sizes, j),
                                  complex_times(lane(&excess[i], j), lane(&excess[other], j))));
        }
    }
    for (size_t j = 0; j < BLOCK; j++)
        add_lane(&work->total, j, mean * mean, lane(&nodes->row, j));
}

/* An odd number of nodes such that no other sum that is k modulo it counts. By Bernstein, the sum
 * is that far from k with a probability of at most e^-60. No more than there are sums. */
static double node_count(const struct over *over)
{
    const double n = (double)over->n, k = (double)over->k;
    const double count = ceil(20.0 + sqrt(400.0 + 120.0 * k * (1.0 - k / n)));
    return 2.0 * ceil(0.5 * fmin(count, n)) + 1.0;
}

/* The widest distribution of a part that can lose, in standard deviations; its terms resolve no
 * more than 40 radians in one of them. */
static double widest(const struct over *over)
{
    double variance = 0.0;
    for (size_t i = 0; i < over->length; i++)
        if (over_limit(over, i) != INT64_MAX)
            variance =
                fmax(variance, distribution_variance(part_distribution(over, over->of[i].size)));
    return sqrt(variance);
}

static const double least_log = -600.0; /* of the row's factor, where blocks are far */

/* The mean of all terms, divided by P(sum = k). A node and its negative have conjugate terms. */
static double mean_of_nodes(const struct over *over, block_of *near_block, block_of *far_block,
                            size_t except, double mean, double *error)
{
    struct work *work = malloc(sizeof *work);
    const double count = node_count(over), last = 0.5 * (count - 1.0), sd = widest(over);
    const double resolved =
        sd < DISTRIBUTION_STIRLING_MIN_SD ? last : 40.0 / sd / full_turn * count;
    double sum = 0.0, size = 0.0, ends = INFINITY; /* ends: the largest of the last three terms */
    if (!work)
        return NAN;
    for (double first = 0.0; first <= last && !(ends <= 1e-15 * fabs(sum)); first += BLOCK) {
        const size_t length = last - first < BLOCK - 1 ? (size_t)(last - first) + 1 : BLOCK;
        if (first > resolved && ends > 1e-13 * fabs(sum))
            sum = NAN;
        make_nodes(&work->nodes, over, first, count);
        const bool far = (double)over->n * work->nodes.draw.re[length - 1] < least_log;
        (far ? far_block : near_block)(over, except, mean, work);
        ends = 0.0;
        for (size_t j = 0; j < length; j++) {
            const double twice = first + (double)j > 0.0 ? 2.0 : 1.0,
                         modulus = hypot(work->total.re[j], work->total.im[j]);
            sum += twice * work->total.re[j];
            size += twice * modulus;
            ends = j + 3 < length ? 0.0 : fmax(ends, modulus);
        }
        if (isnan(sum))
            break;
    }
    free(work);
    const struct distribution row = {
        .n = (int64_t)over->n, .k = (int64_t)over->n, .s = (int64_t)over->k, .binomial = true};
    const double scale = count * distribution_point(row, (int64_t)over->k);
    *error = 0x1p-52 * size / scale;
    return sum / scale;
}

double over_probability(const struct over *over, size_t except, double *error)
{
    uint64_t parts = 0;
    for (size_t i = 0; i < over->length && parts <= FEW; i++)
        parts += over->of[i].count;
    return parts <= FEW
               ? mean_of_nodes(over, block_of_sets, block_of_sets, except, 0.0, error)
               : mean_of_nodes(over, block_of_losses, far_block_of_losses, except, 0.0, error);
}

double over_square(const struct over *over, size_t except, double mean, double *error)
{
    return mean_of_nodes(over, block_of_squares, far_block_of_squares, except, mean, error);
}
