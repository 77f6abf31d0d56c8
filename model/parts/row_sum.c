/* row_sum.c - see row_sum.h.
 *
 * The X of the parts are independent binomials with p = k/n, given that their sum is k. With
 * F(t) = E exp(i t X) and G(t) = E [exp(i t X); X > limit] of a part,
 *     P(some part loses) P(sum = k)
 *         = mean over t of exp(-i t k) (product of F - product of (F - G)),
 * over N nodes t of a turn. The product of F is known, (1 - p + p exp(i t))^n. Where the sum of the
 * P(X > limit) is small, what is summed here is by how much it exceeds that probability: G of at
 * least two parts is a factor of each of its terms, so that what cancels between nodes is small
 * beside the sum of the P(X > limit), whatever share of the row a part has: docs/models.md 22.
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

/* Of some parts together: the product of F; `some`, that less the product of (F - G); `first`, the
 * sum over parts of G times the F of the others; and `more`, first - some. */
struct sums {
    struct lanes all, some, first, more;
};

/* What is asked for, and at which nodes. far: 1/F may be too large. */
struct task {
    const struct over *over;
    bool more;     /* of the losses: `more`, not `some` */
    size_t except; /* of the squares */
    double mean;
    bool far;
};

/* What a block of nodes needs; total: its terms of the Fourier sum. */
struct work {
    struct nodes nodes;
    struct terms terms;
    struct lanes sum[3], total, other;
    struct sums row, part;
};

typedef void block_of(const struct task *task, struct work *work);

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

static void set_draws(struct lanes *lanes, const struct nodes *nodes, double size)
{
    for (size_t j = 0; j < BLOCK; j++)
        set_lane(lanes, j, draws(nodes, size, j));
}

static number minus(number a, number b)
{
    return (number){a.re - b.re, a.im - b.im};
}

static number times_plus(number a, number b, number c)
{
    return (number){a.re * b.re - a.im * b.im + c.re, a.re * b.im + a.im * b.re + c.im};
}

/* x becomes the sums of x and y together. */
static void join(struct sums *restrict x, const struct sums *restrict y, bool more)
{
    for (size_t j = 0; !more && j < BLOCK; j++)
        set_lane(&x->some, j,
                 times_plus(lane(&x->some, j), minus(lane(&y->all, j), lane(&y->some, j)),
                            complex_times(lane(&x->all, j), lane(&y->some, j))));
    for (size_t j = 0; more && j < BLOCK; j++) {
        const number all = lane(&x->all, j), first = lane(&x->first, j);
        const number y_first = lane(&y->first, j), y_more = lane(&y->more, j),
                     y_less = minus(lane(&y->all, j), minus(y_first, y_more));
        set_lane(&x->more, j,
                 times_plus(lane(&x->more, j), y_less,
                            times_plus(minus(all, first), y_more, complex_times(first, y_first))));
        set_lane(&x->first, j, times_plus(first, lane(&y->all, j), complex_times(all, y_first)));
    }
    for (size_t j = 0; j < BLOCK; j++)
        set_lane(&x->all, j, complex_times(lane(&x->all, j), lane(&y->all, j)));
}

static void block_of_losses(const struct task *task, struct work *work)
{
    const struct over *over = task->over;
    struct sums *row = &work->row, *part = &work->part;
    uint64_t rest = over->n; /* elements of parts that cannot lose */
    *row = (struct sums){0};
    fill(&row->all, 1.0);
    for (size_t i = 0; i < over->length; i++) {
        if (over_limit(over, i) == INT64_MAX)
            continue;
        *part = (struct sums){0};
        if (task->far)
            set_draws(&part->all, &work->nodes, (double)over->of[i].size);
        else
            fill(&part->all, 1.0);
        (task->far ? far_part : near_part)(over, i, &work->nodes, &work->terms, 1, &part->some);
        part->first = part->some;
        for (uint64_t count = over->of[i].count; count; count /= 2) {
            if (count % 2)
                join(row, part, task->more);
            if (count > 1) {
                const struct sums same = *part;
                join(part, &same, task->more);
            }
        }
        rest -= over->of[i].size * over->of[i].count;
    }
    if (task->far)
        set_draws(&work->other, &work->nodes, (double)rest);
    work->total =
        lanes_times(task->more ? row->more : row->some, task->far ? work->other : work->nodes.row);
}

/* ---- few parts that can lose: which of them do */

enum { FEW = 12 };

/* What the sum over sets of parts needs at a block of nodes. */
struct sets {
    const struct over *over;
    const struct nodes *nodes;
    struct lanes *total;
    bool more;
    size_t length, entry[FEW]; /* that can lose */
    struct lanes tail[FEW];    /* G of a part of each */
};

/* Adds (-1)^(members + 1) times the product of G of the members and F of all others, for every way
 * to choose members from the entries from e on. Those of `more` are at least two, and the sign is
 * the other. Members that have more than k together do not occur, and their terms, which fall off
 * slowly, are left out. `least`: what they have at least. */
static void add_sets(const struct sets *sets, size_t e, const struct lanes *product, uint64_t least,
                     uint64_t elements, unsigned members)
{
    const struct over *over = sets->over;
    if (e == sets->length) {
        const double sign = (members % 2 == 1) != sets->more ? 1.0 : -1.0;
        for (size_t j = 0; members > (sets->more ? 1 : 0) && j < BLOCK; j++)
            add_lane(sets->total, j, sign,
                     complex_times(lane(product, j),
                                   draws(sets->nodes, (double)(over->n - elements), j)));
        return;
    }
    const size_t i = sets->entry[e];
    const uint64_t one = (uint64_t)(over_limit(over, i) + 1), count = over->of[i].count;
    struct lanes more = *product;
    add_sets(sets, e + 1, &more, least, elements, members);
    for (unsigned j = 1; j <= count && least + j * one <= over->k; j++) {
        more = lanes_times(more, sets->tail[e]);
        for (size_t l = 0; l < BLOCK; l++)
            set_lane(&more, l,
                     (number){more.re[l] * (double)(count - j + 1) / (double)j,
                              more.im[l] * (double)(count - j + 1) / (double)j});
        add_sets(sets, e + 1, &more, least + j * one, elements + j * over->of[i].size, members + j);
    }
}

static void block_of_sets(const struct task *task, struct work *work)
{
    const struct over *over = task->over;
    struct sets sets = {
        .over = over, .nodes = &work->nodes, .total = &work->total, .more = task->more};
    struct lanes one;
    fill(&one, 1.0);
    fill(&work->total, 0.0);
    for (size_t i = 0; i < over->length; i++)
        if (over_limit(over, i) != INT64_MAX) {
            far_part(over, i, &work->nodes, &work->terms, 1, &sets.tail[sets.length]);
            sets.entry[sets.length++] = i;
        }
    add_sets(&sets, 0, &one, 0, 0, 0);
}

/* ---- squares */

/* (sum of E - mean)^2 + sum of (V - E^2), where E and V are the first two moments of the excess,
 * without V - 2 mean E of the entry `except`. Its E^2 would be large, and is not added to be
 * subtracted. */
static void near_block_of_squares(const struct task *task, struct work *work)
{
    const struct over *over = task->over;
    const double mean = task->mean;
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
        if (i == task->except) {
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
static void far_block_of_squares(const struct task *task, struct work *work)
{
    enum { ENTRIES = 16 }; /* rows of more entries do not count so far out */
    const struct over *over = task->over;
    const struct nodes *nodes = &work->nodes;
    const double n = (double)over->n, mean = task->mean;
    struct lanes excess[ENTRIES];
    fill(&work->total, over->length <= ENTRIES ? 0.0 : NAN);
    for (size_t i = 0; i < over->length && i < ENTRIES; i++) {
        fill(&excess[i], 0.0);
        if (over_limit(over, i) == INT64_MAX)
            continue;
        far_part(over, i, &work->nodes, &work->terms, 3, work->sum);
        excess[i] = work->sum[1];
        for (size_t j = 0; i != task->except && j < BLOCK; j++) {
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

static void block_of_squares(const struct task *task, struct work *work)
{
    (task->far ? far_block_of_squares : near_block_of_squares)(task, work);
}

/* An odd number of nodes such that no other sum that is k modulo it counts. By Bernstein, the sum
 * is that far from k with a probability of at most e^-60. No more than there are sums. */
static double node_count(const struct over *over)
{
    const double n = (double)over->n, k = (double)over->k;
    const double count = ceil(20.0 + sqrt(400.0 + 120.0 * k * (1.0 - k / n)));
    return 2.0 * ceil(0.5 * fmin(count, n)) + 1.0;
}

/* Up to which t the terms of all parts are resolved. */
static double resolved_turn(const struct over *over)
{
    double sd = 0.0;
    for (size_t i = 0; i < over->length; i++)
        if (over_limit(over, i) != INT64_MAX)
            sd = fmax(sd, part_wide_sd(over, i));
    return sd > 0.0 ? 40.0 / sd : full_turn;
}

static const double least_log = -600.0; /* of the row's factor, where blocks are far */
static const double rounding = 0x1p-52; /* of a term: angles of up to some hundred turns */

/* The mean of all terms, divided by P(sum = k), to 1e-12 of itself or to `within`. A node and its
 * negative have conjugate terms. */
static double mean_of_nodes(struct task task, block_of *block, double within, double *error)
{
    const struct over *over = task.over;
    const struct distribution whole = part_distribution(over, over->n);
    const double count = node_count(over), last = 0.5 * (count - 1.0),
                 resolved = resolved_turn(over) / full_turn * count,
                 scale = count * distribution_point(whole, (int64_t)over->k);
    double sum = 0.0, size = 0.0, ends = INFINITY, enough = 0.0;
    struct work *work = malloc(sizeof *work); /* ends: the largest of the last three terms */
    if (!work)
        return NAN;
    for (double first = 0.0; first <= last && !(ends <= enough); first += BLOCK) {
        const size_t length = last - first < BLOCK - 1 ? (size_t)(last - first) + 1 : BLOCK;
        if (first > resolved && ends > 100.0 * enough)
            sum = NAN;
        make_nodes(&work->nodes, over, first, count);
        task.far = (double)over->n * work->nodes.draw.re[length - 1] < least_log;
        block(&task, work);
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
        /* terms fall at least as the square of the node's number where `within` is given */
        enough = fmax(1e-15 * fabs(sum), within * scale / (first + BLOCK));
    }
    free(work);
    *error = rounding * size / scale;
    return sum / scale;
}

double over_probability(const struct over *over, double sum, double *error)
{
    const struct task task = {.over = over, .more = sum < 0.5};
    uint64_t parts = 0; /* that can lose */
    for (size_t i = 0; i < over->length && parts <= FEW; i++)
        parts += over_limit(over, i) != INT64_MAX ? over->of[i].count : 0;
    const double found = mean_of_nodes(task, parts <= FEW ? block_of_sets : block_of_losses,
                                       task.more ? 1e-12 * sum : 0.0, error);
    return task.more ? sum - found : found;
}

double over_square(const struct over *over, size_t except, double mean, double *error)
{
    return mean_of_nodes((struct task){.over = over, .except = except, .mean = mean},
                         block_of_squares, 0.0, error);
}
