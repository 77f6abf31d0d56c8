/* filter.c - see recallmodel/filter.h. Derivation: docs/models.md 25.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <model/distribution/distribution.h>
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

#define NEVER 1e-15 /* probabilities that are left out */

/* Blocks that end with a compaction: for each the probability, and means over rows that have one
 * there of what happened up to it. */
struct state {
    double probability, appended, appended_square, count, count_square;
};

struct chain {
    struct rcm_filter f;
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

/* Between compactions: after x elements behind `seen`, a have been appended. P(a >= j), and the
 * means of k + a and of (k + a)(k + a + 1) over a >= j: both are the same distribution with larger
 * k. */
struct part {
    double probability, one, two;
};

static struct part part_of(const struct chain *c, uint64_t seen, uint64_t x, uint64_t j)
{
    const double k = (double)c->f.k, s = (double)seen, all = (double)(seen + x);
    struct part p = {exceeded(seen, c->f.k, x, j), 0.0, 0.0};
    p.one = k * (all + 1.0) / (s + 1.0) * exceeded(seen + 1, c->f.k + 1, x, j);
    p.two = k * (k + 1.0) * ((all + 1.0) / (s + 1.0)) * ((all + 2.0) / (s + 2.0)) *
            exceeded(seen + 2, c->f.k + 2, x, j);
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

/* From a compaction after this block to the next one, or to the end. */
static void leave(struct chain *c, uint64_t block)
{
    const uint64_t seen = read_after(c, block), more = c->f.more;
    const double k = (double)c->f.k, s = (double)seen;
    struct part before = {0.0, 0.0, 0.0};
    uint64_t low = block, high = c->blocks;
    while (high - low > 1) { /* no compaction up to `low` */
        const uint64_t middle = low + (high - low) / 2;
        if (exceeded(seen, c->f.k, read_after(c, middle) - seen, more) > NEVER)
            high = middle;
        else
            low = middle;
    }
    for (uint64_t i = low + 1; i <= c->blocks && before.probability < 1.0 - NEVER; i++) {
        const uint64_t x = read_after(c, i) - seen;
        const struct part here = part_of(c, seen, x, more);
        const struct part ended = later(before, (double)read_after(c, i - 1), s + (double)x);
        add(&c->at[i], &c->at[block], moments_of(difference(here, ended), k), 1.0);
        before = here;
    }
    const double all = (double)c->f.n;
    const double one = k * (all + 1.0) / (s + 1.0),
                 two = k * (k + 1.0) * ((all + 1.0) / (s + 1.0)) * ((all + 2.0) / (s + 2.0));
    if (before.probability < 1.0 - NEVER)
        add(&c->end, &c->at[block],
            moments_of(
                difference((struct part){1.0, one, two}, part_of(c, seen, c->f.n - seen, more)), k),
            0.0);
}

/* Sets the first compaction. Returns whether the filter is in the domain; and there is memory. */
static bool begin(struct chain *c, struct rcm_filter f)
{
    const struct filter_blocks blocks = filter_blocks(f);
    *c = (struct chain){.f = f, .blocks = blocks.count, .first = blocks.first};
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
    struct rcm_filter_work work = {NAN, NAN, NAN, NAN, NAN, NAN};
    struct chain c;
    if (!begin(&c, filter))
        return work;
    const double n = (double)filter.n, k = (double)filter.k;
    if (c.first == 0)
        c.end = (struct state){1.0, n, n * n, 0.0, 0.0};
    for (uint64_t i = c.first; i > 0 && i <= c.blocks; i++)
        if (c.at[i].probability > NEVER)
            leave(&c, i);
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
    if (!begin(&c, filter))
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
        double before = 0.0, held = 0.0;
        for (size_t r = 0; r < width; r++)
            held += count[i * width + r];
        for (uint64_t j = i + 1; j <= c.blocks && held > NEVER && before < 1.0 - NEVER; j++) {
            const double here = exceeded(seen, filter.k, read_after(&c, j) - seen, filter.more);
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

/* ---- the best block
 *
 * A block of the buffer's room leaves room - k - block + 1 for `more`, so that the first compaction
 * comes after ceil((room + 1)/block) - 1 blocks. Where that number is the same, the work falls and
 * then rises with the block; where it changes, it jumps. So each such range is searched, from large
 * blocks on, until much smaller ones have not been better. */

struct block_search {
    uint64_t n, k, room;
    struct rcm_filter best;
    double least;
};

static double try_block(struct block_search *search, uint64_t block)
{
    const struct rcm_filter f = {search->n, search->k, block, search->room - search->k - block + 1};
    const double selected = rcm_filter(f).selected;
    if (selected < search->least) {
        search->least = selected;
        search->best = f;
    }
    return selected;
}

static void search_range(struct block_search *search, uint64_t low, uint64_t high)
{
    while (high - low > 2) {
        const uint64_t third = (high - low) / 3, x = low + third, y = high - third;
        if (try_block(search, x) <= try_block(search, y))
            high = y - 1 > x ? y - 1 : x;
        else
            low = x + 1;
    }
    for (uint64_t block = low; block <= high; block++)
        try_block(search, block);
}

#define NEAR 1.15     /* of the least; what begins higher is not searched */
#define RANGES_MOST 6 /* without a better one */
#define SMALLER 8
#define BLOCKS_CHEAP 256 /* of more only some ranges are tried, six to an octave */

struct rcm_filter rcm_best_filter(uint64_t n, uint64_t k, uint64_t room)
{
    struct block_search search = {.n = n, .k = k, .room = room, .least = INFINITY};
    search.best = (struct rcm_filter){n, k, 0, 0};
    unsigned ranges = 0;
    uint64_t high = k < n && k < room ? room - k : 0, low;
    high = high < n ? high : n;
    if (high > 0 && room > n) /* without a compaction */
        try_block(&search, room - n < high ? room - n : high);
    while (high > 0) {
        const double before = search.least;
        low = shape_ceil_divide(room + 1, shape_ceil_divide(room + 1, high));
        if (shape_ceil_divide(n, low) > RCM_FILTER_BLOCKS / 8 ||
            (ranges >= RANGES_MOST && high * SMALLER <= search.best.block))
            break;
        if (try_block(&search, low) < NEAR * before)
            search_range(&search, low, high);
        ranges = search.least < before ? 0 : ranges + 1;
        high = low - 1 - (shape_ceil_divide(n, low) > BLOCKS_CHEAP ? low / 8 : 0);
    }
    return search.best;
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
