/* filter.c - see recallmodel/filter.h. Derivation: docs/models.md 25.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <model/distribution/distribution.h>
#include <model/distribution/sum_rule.h>
#include <model/shape/bisect.h>
#include <model/shape/shape.h>

#include "filter_walk.h"

/* Of `seen` elements the k-th largest is exceeded by at least j of the next x: of the top k + j - 1
 * of all, at most k - 1 are among those seen. */
static double exceeded(uint64_t seen, uint64_t k, uint64_t x, uint64_t j)
{
    const uint64_t top = k + j - 1;
    if (j == 0)
        return 1.0;
    if (j > x)
        return 0.0;
    const struct distribution dist = {(int64_t)(seen + x), (int64_t)top, (int64_t)seen, false};
    return distribution_high(dist) <= (int64_t)k - 1 ? 1.0 : distribution_cdf(dist, (int64_t)k - 1);
}

/* ---- a running threshold: compactions as a chain from one block to a later one */

#define NEVER 1e-15  /* probabilities that are left out */
#define TINY 1e-250  /* what may have lost digits */
#define STEP 512     /* elements that are faster one by one than at once */
#define WIDE 16384.0 /* the variance from which a sum over a block is faster than its total */

/* Blocks that end with a compaction: for each the probability, and means over rows that have one
 * there of what happened up to it. */
struct state {
    double probability, appended, appended_square, count, count_square;
};

struct chain {
    struct rcm_filter f;
    double never; /* probabilities that are left out */
    bool is_wide; /* then sums over a block are taken by the rule */
    struct sum_rule rule;
    uint64_t blocks, first; /* see filter_walk.h */
    struct state *at;       /* at[i]: after block i; sums times the probability */
    struct state end;       /* over all rows */
};

uint64_t filter_read(struct rcm_filter f, uint64_t blocks)
{
    return blocks * f.block < f.n ? blocks * f.block : f.n;
}

struct filter_blocks filter_blocks(struct rcm_filter f)
{
    struct filter_blocks blocks = {0, 0};
    if (f.k < 1 || f.k > f.n || f.n > RCM_N_MAX || f.block < 1 || f.more < 1 ||
        shape_ceil_divide(f.n, f.block) > RCM_FILTER_BLOCKS)
        return blocks;
    blocks.count = shape_ceil_divide(f.n, f.block);
    if (f.more <= f.n - f.k)
        blocks.first = shape_ceil_divide(f.k + f.more, f.block);
    return blocks;
}

static uint64_t read_after(const struct chain *c, uint64_t block)
{
    return filter_read(c->f, block);
}

/* What is behind a compaction: x elements that were read since, P(at least `more` of them exceed
 * the threshold), and P(the last of these is the x-th). */
struct wait {
    const struct chain *c;
    uint64_t seen, x;
    double probability, last;
};

/* The x-th is the last of them: after x - 1 elements the k-th largest of those seen is the
 * (k + more - 1)-th largest of all, and the next one exceeds it. */
static double last_at(const struct wait *w, uint64_t x)
{
    const struct rcm_filter f = w->c->f;
    const uint64_t top = f.k + f.more - 2, all = w->seen + x - 1;
    const struct distribution dist = {(int64_t)all, (int64_t)top, (int64_t)w->seen, false};
    if (x < f.more)
        return 0.0;
    return distribution_point(dist, (int64_t)f.k - 1) *
           ((double)(w->seen - (f.k - 1)) / (double)(all - top)) *
           ((double)(top + 1) / (double)(all + 1));
}

/* By ratios of neighbours. */
static void step(struct wait *w, uint64_t x)
{
    const double s = (double)w->seen + 1.0, j = (double)w->c->f.more,
                 free = s - (double)w->c->f.k - j;
    for (double y = (double)w->x; y < (double)x; y++) {
        w->last *= y * (free + y) / ((y + 1.0 - j) * (s + y));
        w->probability += w->last;
    }
}

/* Does the wait vary so little over a block that it is a polynomial there? */
static bool is_smooth(const struct wait *w)
{
    const double k = (double)w->c->f.k, j = (double)w->c->f.more;
    return (double)w->c->f.block <=
           2.0 * (double)w->x * sqrt((1.0 - k / (double)w->seen) * (1.0 / j + 1.0 / k));
}

static void wait_until(struct wait *w, uint64_t x)
{
    const struct chain *c = w->c;
    const bool near = w->last > TINY;
    if (near && x - w->x <= STEP)
        step(w, x);
    else if (near && c->is_wide && x - w->x == c->f.block && is_smooth(w)) {
        for (unsigned i = 0; i < c->rule.nodes; i++)
            w->probability += c->rule.weight[i] * last_at(w, w->x + 1 + c->rule.at[i]);
        w->last = last_at(w, x);
    } else {
        w->probability = exceeded(w->seen, c->f.k, x, c->f.more);
        w->last = last_at(w, x);
    }
    w->x = x;
}

/* Whether next to none wait longer: each further element ends it with some k/(seen + x) or more. */
static bool is_over(const struct wait *w)
{
    return w->probability >= 1.0 - w->c->never ||
           (w->probability > 0.5 &&
            w->last * (double)(w->seen + w->x) <= w->c->never * (double)w->c->f.k);
}

/* Between compactions: after x elements behind `seen`, a have been appended. P(a >= j), and the
 * means of k + a and of (k + a)(k + a + 1) over a >= j: both are the same distribution with larger
 * k and `seen`, which differ by one term each. */
struct part {
    double probability, one, two;
};

static struct part part_of(const struct wait *w)
{
    const double k = (double)w->c->f.k, j = (double)w->c->f.more;
    const double s = (double)w->seen, x = (double)w->x;
    const double first = w->last * (x / k) * ((s + 1.0 - k - j + x) / (s + 1.0 + x));
    const double second = first * ((k + j) / (k + 1.0)) * ((s + 1.0) / (s + 2.0 + x));
    struct part p = {w->probability, 0.0, 0.0};
    p.one = k * ((s + 1.0 + x) / (s + 1.0)) * (p.probability + first);
    p.two = (k + 1.0) * k * ((s + 1.0 + x) / (s + 1.0)) * ((s + 2.0 + x) / (s + 2.0)) *
            (p.probability + first + second);
    return p;
}

/* Given that j or more were appended behind `before` elements, the same moments behind `after`: the
 * next ones exceed with probability (k + a)/(before + 1). */
static struct part later(struct part p, double before, double after)
{
    const double one = (after + 1.0) / (before + 1.0);
    return (struct part){p.probability, one * p.one, one * (after + 2.0) / (before + 2.0) * p.two};
}

/* Of the rows with a compaction behind `seen` elements: those with none, or with the next one, at a
 * certain place; and the mean of a and of its square over these. */
struct moments {
    double probability, mean, square;
};

static struct moments moments_of(struct part p, double k)
{
    const double mean = p.one - k * p.probability;
    return (struct moments){p.probability, mean,
                            p.two - (2.0 * k + 1.0) * mean - k * (k + 1.0) * p.probability};
}

static struct part difference(struct part p, struct part q)
{
    return (struct part){p.probability - q.probability, p.one - q.one, p.two - q.two};
}

/* Adds the rows of one state whose next `a` appended elements have these moments, with `more`
 * compactions. */
static void add(struct state *to, const struct state *from, struct moments m, double more)
{
    const double p = from->probability;
    to->probability += m.probability * p;
    to->appended += m.probability * from->appended + m.mean * p;
    to->appended_square +=
        m.probability * from->appended_square + 2.0 * m.mean * from->appended + m.square * p;
    to->count += m.probability * (from->count + more * p);
    to->count_square += m.probability * (from->count_square + 2.0 * more * from->count + more * p);
}

/* From a compaction after this block to the next one, or to the end. *low: a block up to which none
 * follows, which never falls from block to block. */
static void leave(struct chain *c, uint64_t block, uint64_t *low)
{
    const uint64_t seen = read_after(c, block), more = c->f.more;
    const double k = (double)c->f.k, s = (double)seen, all = (double)c->f.n;
    struct wait wait = {.c = c, .seen = seen};
    struct part before = {0.0, 0.0, 0.0};
    *low = *low > block ? *low : block;
    while (*low < c->blocks &&
           exceeded(seen, c->f.k, read_after(c, *low + 1) - seen, more) <= c->never)
        ++*low;
    uint64_t i = *low;
    while (i < c->blocks && !is_over(&wait)) {
        wait_until(&wait, read_after(c, ++i) - seen);
        const struct part here = part_of(&wait);
        const struct part ended = later(before, (double)read_after(c, i - 1), s + (double)wait.x);
        add(&c->at[i], &c->at[block], moments_of(difference(here, ended), k), 1.0);
        before = here;
    }
    if (i < c->blocks)
        return;
    const double one = k * (all + 1.0) / (s + 1.0),
                 two = k * (k + 1.0) * ((all + 1.0) / (s + 1.0)) * ((all + 2.0) / (s + 2.0));
    add(&c->end, &c->at[block], moments_of(difference((struct part){1.0, one, two}, before), k),
        0.0);
}

/* Sets the first compaction. Returns whether the filter is in the domain; and there is memory. */
static bool begin(struct chain *c, struct rcm_filter f, double never)
{
    const struct filter_blocks blocks = filter_blocks(f);
    const double k = (double)f.k, more = (double)f.more;
    *c = (struct chain){.f = f, .never = never, .blocks = blocks.count, .first = blocks.first};
    c->is_wide = c->blocks > 0 && f.block > STEP && k * more >= WIDE * (k + more);
    if (c->is_wide)
        c->rule = sum_rule(f.block);
    c->at = blocks.count > 0 ? calloc(blocks.count + 1, sizeof *c->at) : NULL;
    if (!c->at || c->first == 0)
        return c->at != NULL;
    const double read = (double)read_after(c, c->first);
    c->at[c->first] = (struct state){1.0, read, read * read, 1.0, 1.0};
    return true;
}

static double deviation(double square, double mean)
{
    return sqrt(fmax(square - mean * mean, 0.0));
}

struct rcm_filter_work rcm_filter(struct rcm_filter filter)
{
    return filter_work(filter, NEVER);
}

struct rcm_filter_work filter_work(struct rcm_filter filter, double never)
{
    struct rcm_filter_work work = {NAN, NAN, NAN, NAN, NAN, NAN};
    struct chain c;
    if (!begin(&c, filter, never))
        return work;
    const double n = (double)filter.n, k = (double)filter.k;
    if (c.first == 0)
        c.end = (struct state){1.0, n, n * n, 0.0, 0.0};
    uint64_t low = 0;
    for (uint64_t i = c.first; i > 0 && i <= c.blocks; i++)
        if (c.at[i].probability > never)
            leave(&c, i, &low);
    free(c.at);
    work.appended = c.end.appended / c.end.probability;
    work.appended_sd = deviation(c.end.appended_square / c.end.probability, work.appended);
    work.compactions = c.end.count / c.end.probability;
    work.compactions_sd = deviation(c.end.count_square / c.end.probability, work.compactions);
    work.selected = work.appended + k * work.compactions;
    double harmonic = 0.0;
    for (uint64_t i = c.blocks; i > 0; i--)
        harmonic += 1.0 / (double)i;
    work.bound = (1.0 + k / (double)filter.more) *
                 (k + (double)filter.block + (double)filter.more) * harmonic;
    return work;
}

/* As rcm_filter, with a probability for each number of compactions: count[i * width + r], r <
 * width. */
double rcm_filter_compactions_at_most(struct rcm_filter filter, uint64_t compactions)
{
    struct chain c;
    double within = 0.0;
    if (!begin(&c, filter, NEVER))
        return NAN;
    const size_t width = (size_t)(compactions < c.blocks ? compactions : c.blocks) + 1;
    double *const count = calloc((c.blocks + 1) * width, sizeof *count);
    if (!count || c.first == 0) {
        free(c.at);
        free(count);
        return count ? 1.0 : NAN;
    }
    if (width > 1)
        count[c.first * width + 1] = 1.0;
    for (uint64_t i = c.first; i <= c.blocks; i++) {
        const uint64_t seen = read_after(&c, i);
        struct wait wait = {.c = &c, .seen = seen};
        double before = 0.0, held = 0.0;
        for (size_t r = 0; r < width; r++)
            held += count[i * width + r];
        for (uint64_t j = i + 1; j <= c.blocks && held > NEVER && before < 1.0 - NEVER; j++) {
            wait_until(&wait, read_after(&c, j) - seen);
            const double here = wait.probability;
            for (size_t r = 1; r + 1 < width + 1 && here > before; r++)
                if (r + 1 < width)
                    count[j * width + r + 1] += (here - before) * count[i * width + r];
            before = here;
        }
        within += held * (1.0 - before);
    }
    free(c.at);
    free(count);
    return fmin(within, 1.0);
}

/* ---- the threshold of a sample */

/* P(the rank-th largest of the sample is among the r largest of the row), which have at least
 * `rank` of the sample; or P(it is not): they have at most rank - 1. */
static double sample_lies(struct rcm_sample s, uint64_t r, bool within)
{
    const struct distribution dist = {(int64_t)s.n, (int64_t)r, (int64_t)s.sample, false};
    const int64_t most = (int64_t)s.rank - 1;
    if (r < s.rank || distribution_high(dist) <= most)
        return within ? 0.0 : 1.0;
    if (distribution_low(dist) > most)
        return within ? 1.0 : 0.0;
    return within ? distribution_sf(dist, most) : distribution_cdf(dist, most);
}

struct rcm_survivors rcm_sampled(struct rcm_sample s, uint64_t room)
{
    struct rcm_survivors r = {NAN, NAN, NAN, NAN};
    if (s.k < 1 || s.k > s.n || s.n > RCM_N_MAX || s.rank < 1 || s.rank > s.sample ||
        s.sample > s.n)
        return r;
    const double n = (double)s.n, q = (double)s.sample, j = (double)s.rank;
    r.mean = j * ((n + 1.0) / (q + 1.0));
    r.sd = sqrt(j * (q - j + 1.0) * (n + 1.0) * (n - q) / ((q + 1.0) * (q + 1.0) * (q + 2.0)));
    r.too_few = s.k == 1 ? 0.0 : sample_lies(s, s.k - 1, true);
    r.too_many = room >= s.n ? 0.0 : sample_lies(s, room, false);
    return r;
}

struct rank_search {
    struct rcm_sample sample;
    double too_few, too_many;
};

static enum answer suffices(void *context, uint64_t rank)
{
    struct rank_search *search = context;
    search->sample.rank = rank;
    return rcm_sampled(search->sample, search->sample.n).too_few <= search->too_few ? YES : NO;
}

uint64_t rcm_sample_rank(uint64_t n, uint64_t k, uint64_t sample, double too_few)
{
    struct rank_search search = {{n, k, sample, 1}, too_few, 0.0};
    if (k < 1 || k > n || n > RCM_N_MAX || sample < 1 || sample > n || !(too_few >= 0.0) ||
        suffices(&search, sample) != YES)
        return 0;
    return bisect(1, sample, suffices, &search);
}

static enum answer has_room(void *context, uint64_t room)
{
    const struct rank_search *search = context;
    return rcm_sampled(search->sample, room).too_many <= search->too_many ? YES : NO;
}

uint64_t rcm_sample_room(struct rcm_sample sample, double too_many)
{
    struct rank_search search = {sample, 0.0, too_many};
    return isnan(rcm_sampled(sample, 1).mean) || !(too_many >= 0.0)
               ? 0
               : bisect(1, sample.n, has_room, &search);
}
