/* parts.c - see recallmodel/parts.h. Derivation: docs/models.md 22.
 *
 * Buckets are parts of one or two sizes that send one number. They keep a solver of their own
 * (recall.c, lost.c), which takes each size once and sums its tail to 1e-13. Here any number of
 * sizes and numbers goes into one sum, with terms of 1e-12 that cost a few logarithms
 * (distribution_point), so 1e-10 is what it can promise.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <model/recallmodel/parts.h>

#include <model/distribution/distribution.h>
#include "row_sum.h"

/* Below it, the sum of the probabilities is the probability of any: by Bonferroni, and because the
 * X are negatively associated, it is too large by at most half its square. */
static const double rare = 1e-10;

/* n; 0 where it is not legal. */
static uint64_t elements(const struct rcm_part *of, size_t length)
{
    uint64_t n = 0;
    for (size_t i = 0; i < length; i++) {
        uint64_t product;
        if (of[i].size < 1 || of[i].count < 1 ||
            __builtin_mul_overflow(of[i].size, of[i].count, &product) || product > RCM_N_MAX - n)
            return 0;
        n += product;
    }
    return n;
}

enum rcm_status rcm_parts_check(struct rcm_parts p)
{
    const uint64_t n = elements(p.of, p.length);
    if (n == 0)
        return RCM_BAD_N;
    if (p.k < 1 || p.k > n)
        return RCM_BAD_K;
    for (size_t i = 0; i < p.length; i++)
        if (p.of[i].send > p.of[i].size)
            return RCM_BAD_K_B;
    return RCM_OK;
}

uint64_t rcm_parts_elements(struct rcm_parts p)
{
    return rcm_parts_check(p) == RCM_OK ? elements(p.of, p.length) : 0;
}

/* Each part sends its `send`, or all it has, and no more than k. */
static uint64_t sent(struct rcm_parts p, bool full)
{
    uint64_t sum = 0;
    if (rcm_parts_check(p) != RCM_OK)
        return 0;
    for (size_t i = 0; i < p.length; i++)
        sum += smaller(full ? p.of[i].size : p.of[i].send, p.k) * p.of[i].count;
    return sum;
}

uint64_t rcm_parts_sent(struct rcm_parts p)
{
    return sent(p, false);
}

uint64_t rcm_parts_sent_full(struct rcm_parts p)
{
    return sent(p, true);
}

static struct over over_of(struct rcm_parts p, unsigned less)
{
    return (struct over){
        .n = elements(p.of, p.length), .k = p.k, .of = p.of, .length = p.length, .less = less};
}

static struct distribution distribution_of(const struct over *over, size_t i)
{
    return (struct distribution){
        .n = (int64_t)over->n, .k = (int64_t)over->k, .s = (int64_t)over->of[i].size};
}

/* ---- the loss */

double rcm_parts_loss(struct rcm_parts p)
{
    if (rcm_parts_check(p) != RCM_OK)
        return NAN;
    const struct over over = over_of(p, 0);
    double lost = 0.0;
    for (size_t i = 0; i < p.length; i++) {
        const int64_t limit = over_limit(&over, i);
        if (limit != INT64_MAX)
            lost +=
                (double)p.of[i].count * distribution_tail(distribution_of(&over, i), limit).excess;
    }
    return fmin(lost / (double)p.k, 1.0);
}

double rcm_parts_recall(struct rcm_parts p)
{
    return 1.0 - rcm_parts_loss(p);
}

/* ---- the probability that some part has more than its limit */

/* The entry of more than half of the row, which is one part, if it can lose; otherwise SIZE_MAX.
 * *certain: some part loses for certain. */
static size_t find_most(const struct over *over, bool *certain)
{
    size_t most = SIZE_MAX;
    *certain = false;
    for (size_t i = 0; i < over->length; i++) {
        const int64_t limit = over_limit(over, i);
        if (limit == INT64_MAX)
            continue;
        *certain = *certain || limit < distribution_low(distribution_of(over, i));
        if (over->of[i].size > over->n / 2)
            most = i;
    }
    return most;
}

/* The sum over parts of P(X > limit). */
static double sum_of_tails(const struct over *over)
{
    double sum = 0.0;
    for (size_t i = 0; i < over->length; i++) {
        const int64_t limit = over_limit(over, i);
        if (limit != INT64_MAX)
            sum += (double)over->of[i].count *
                   distribution_tail(distribution_of(over, i), limit).probability;
    }
    return sum;
}

/* The parts as buckets that keep *send, where all send that number or all they have. */
static bool as_buckets(const struct over *over, struct rcm_buckets *buckets, uint64_t *send)
{
    *buckets = (struct rcm_buckets){0};
    *send = 0;
    for (size_t i = 0; i < over->length; i++)
        *send = over->of[i].send > *send ? over->of[i].send : *send;
    *send = smaller(*send, over->k);
    for (size_t i = 0; i < over->length; i++) {
        const struct rcm_part *part = &over->of[i];
        unsigned c = 0; /* where its size is, or belongs: the largest comes first */
        if (smaller(part->send, over->k) != smaller(*send, part->size))
            return false;
        while (c < buckets->classes && buckets->of[c].size > part->size)
            c++;
        if (c == buckets->classes || buckets->of[c].size != part->size) {
            if (buckets->classes == RCM_MAX_CLASSES)
                return false;
            memmove(&buckets->of[c + 1], &buckets->of[c],
                    (buckets->classes++ - c) * sizeof buckets->of[c]);
            buckets->of[c].size = part->size;
            buckets->of[c].count = 0;
        }
        buckets->of[c].count += part->count;
    }
    return *send > 0;
}

/* The probability by the distribution of the whole row, where there is one; not with `less` where a
 * part keeps nothing back, which then has no less room. */
static double by_buckets(const struct over *over)
{
    struct rcm_buckets buckets;
    uint64_t send;
    for (size_t i = 0; i < over->length; i++)
        if (over->less && over_limit(over, i) == INT64_MAX)
            return NAN;
    if (!as_buckets(over, &buckets, &send))
        return NAN;
    return send > over->less
               ? 1.0 - rcm_buckets_probability_exact(&buckets, over->k, send - over->less)
               : 1.0;
}

int rcm_parts_lost(struct rcm_parts p, struct rcm_lost *dist)
{
    struct rcm_buckets buckets;
    uint64_t send;
    *dist = (struct rcm_lost){0};
    if (rcm_parts_check(p) != RCM_OK)
        return -1;
    const struct over over = over_of(p, 0);
    return as_buckets(&over, &buckets, &send) ? rcm_buckets_lost(&buckets, p.k, send, dist) : -1;
}

/* The parts of a row, up to three; first[]: the entries of the first two. */
static unsigned few_parts(const struct over *over, size_t first[2])
{
    unsigned parts = 0;
    for (size_t i = 0; i < over->length && parts < 3; i++)
        for (uint64_t j = 0; j < over->of[i].count && parts < 3; j++, parts++)
            if (parts < 2)
                first[parts] = i;
    return parts;
}

/* Two parts: X_2 = k - X_1. If together they send k, at most one of them loses. */
static double probability_of_two(const struct over *over, const size_t part[2])
{
    double sum = 0.0;
    int64_t room = 0;
    for (unsigned j = 0; j < 2; j++) {
        const int64_t limit = over_limit(over, part[j]);
        if (limit == INT64_MAX)
            room = (int64_t)over->k;
        else
            sum += distribution_tail(distribution_of(over, part[j]), limit).probability;
        room += limit == INT64_MAX ? 0 : limit;
    }
    return room < (int64_t)over->k ? 1.0 : sum;
}

static double at_most_1(double probability)
{
    return probability < 1.0 ? fmax(probability, 0.0) : probability > 1.0 ? 1.0 : probability;
}

static double probability(const struct over *over)
{
    size_t part[2];
    bool certain;
    if (few_parts(over, part) == 2)
        return probability_of_two(over, part);
    find_most(over, &certain);
    if (certain)
        return 1.0;
    const double sum = sum_of_tails(over);
    if (sum <= rare)
        return sum;
    double error;
    const double found = over_probability(over, sum, &error);
    if (error <= 0.5 * RCM_PARTS_MAX_RELERR * found)
        return at_most_1(found);
    const double other = by_buckets(over); /* with an absolute error of 1e-13 */
    return other > 2e-3 ? at_most_1(other) : NAN;
}

double rcm_parts_probability_lost(struct rcm_parts p)
{
    if (rcm_parts_check(p) != RCM_OK)
        return NAN;
    const struct over over = over_of(p, 0);
    return probability(&over);
}

double rcm_parts_probability_unproved(struct rcm_parts p)
{
    if (rcm_parts_check(p) != RCM_OK)
        return NAN;
    const struct over over = over_of(p, 1);
    return probability(&over);
}

/* ---- the standard deviation */

/* The sum over parts of E[((X - limit)+)^2]. */
static double sum_of_squares(const struct over *over)
{
    double sum = 0.0;
    for (size_t i = 0; i < over->length; i++) {
        const int64_t limit = over_limit(over, i);
        if (limit != INT64_MAX)
            sum += (double)over->of[i].count *
                   distribution_tail(distribution_of(over, i), limit).square;
    }
    return sum;
}

/* The sum over parts of E[(limit - X)+], and whether it is the smaller one: then it takes the place
 * of that of the excess, which differs from it by a constant. */
static bool mostly_over(const struct over *over, double excess)
{
    double room = excess - (double)over->k; /* what is sent, less what the others of the k take */
    for (size_t i = 0; i < over->length; i++)
        room += (double)over->of[i].count *
                (double)smaller(over->of[i].send, smaller(over->of[i].size, over->k));
    return room < excess;
}

/* The variance of Y = (X - c)+ + (d - X)+ with d <= c, of the first of two parts: what both lose,
 * as X_2 - k_2 = d - X with d = k - k_2. Where c is below the mean of X, and Y mostly X - c, it is
 * that of X, and of W = Y - (X - c) = (c - X)+ + (d - X)+, which is seldom more than 0. */
static double variance_of_two(const struct over *over, const size_t part[2])
{
    const int64_t k = (int64_t)over->k;
    int64_t limit[2];
    for (unsigned j = 0; j < 2; j++)
        limit[j] = over_limit(over, part[j]) == INT64_MAX ? k : over_limit(over, part[j]);
    const unsigned one =
                       distribution_offset(distribution_of(over, part[0]), limit[0]) < 0.0 ? 0 : 1,
                   two = 1 - one;
    const struct distribution first = distribution_of(over, part[one]),
                              second = distribution_of(over, part[two]);
    const int64_t c = limit[one], d = k - limit[two];
    const struct tail over_d = distribution_tail(second, limit[two]); /* of (d - X)+ */
    if (distribution_offset(first, c) >= 0.0) {
        const struct tail over_c = distribution_tail(first, c);
        const double mean = over_c.excess + over_d.excess;
        return fmax(over_c.square + over_d.square - mean * mean, 0.0);
    }
    const struct tail over_c = distribution_tail(second, k - c); /* of (c - X)+ */
    const double w = over_c.excess + over_d.excess, apart = (double)(c - d);
    const double square = over_c.square + 3.0 * over_d.square + 2.0 * apart * over_d.excess;
    const double with_x = distribution_offset(first, c) * over_c.excess - over_c.square +
                          distribution_offset(first, d) * over_d.excess - over_d.square;
    return fmax(distribution_variance(first) + 2.0 * with_x + (square - w * w), 0.0);
}

/* The variance of the sum of the excesses. */
static double variance(const struct over *over, unsigned parts, size_t most, double mean)
{
    size_t part[2];
    double error = INFINITY, own = 0.0, rounding = 0.0;
    if (parts == 2 && few_parts(over, part) == 2)
        return variance_of_two(over, part);
    if (most != SIZE_MAX) {
        const struct tail tail =
            distribution_tail(distribution_of(over, most), over_limit(over, most));
        own = tail.square - 2.0 * mean * tail.excess;
        rounding = 0x1p-50 * (tail.square + 2.0 * mean * tail.excess);
    }
    const double square = own + over_square(over, most, mean, &error);
    return error + rounding <= 1e-9 * square ? square : NAN;
}

double rcm_parts_sd(struct rcm_parts p)
{
    const double mean = rcm_parts_loss(p) * (double)p.k;
    if (!(mean > 0.0))
        return mean; /* 0 or NaN */
    struct over over = over_of(p, 0);
    size_t part[2];
    bool certain;
    const size_t most = find_most(&over, &certain);
    const unsigned parts = few_parts(&over, part);
    if (over.k == over.n || parts == 1)
        return 0.0;
    if (!certain && sum_of_tails(&over) < 1e-9)
        return sqrt(sum_of_squares(&over)) / (double)p.k;
    if (!mostly_over(&over, mean))
        return sqrt(variance(&over, parts, most, mean)) / (double)p.k;
    /* the places that are free, seen from the n - k others: (k_i - X)+ = (X' - (s_i - k_i))+ */
    struct rcm_part *others = malloc(p.length * sizeof *others);
    double square = NAN, room = mean - (double)p.k;
    for (size_t i = 0; others && i < p.length; i++) {
        const uint64_t send = smaller(p.of[i].send, smaller(p.of[i].size, p.k));
        others[i] = (struct rcm_part){p.of[i].size, p.of[i].size - send, p.of[i].count};
        room += (double)p.of[i].count * (double)send;
    }
    if (others) {
        over.of = others;
        over.k = over.n - p.k;
        square = variance(&over, parts, find_most(&over, &certain), room);
    }
    free(others);
    return sqrt(square) / (double)p.k;
}
