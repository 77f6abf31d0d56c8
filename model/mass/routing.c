/* routing.c - what routing by groups loses. Derivation: docs/models.md 28.
 *
 * Every expert is a normal logit x. Of the top k one is taken, at v; all others are independent.
 * It is lost if at most k - 1 others are above v and at least `kept` groups beat its own. Both are
 * read off a polynomial: z counts experts above v. Where a group's score is compared, the score is
 * named by its middle, the x that has it as its two best (or its best).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include <model/recallmodel/routing.h>

#include "routing_scores.h"

enum { MOST = RCM_ROUTING_K_MOST };

/* A polynomial in z, of degree below k. */
struct polynomial {
    double z[MOST];
};

/* A binomial power, (p + q z)^exponent, of one exponent. */
struct power {
    unsigned exponent;
    double choose[MOST];
};

/* What does not change over the sums. */
struct routing {
    unsigned k, groups, size, kept;
    double n;
    bool two;
    struct expert_scores scores;
    double half; /* from here on the best score alone does not reach twice that of the middle */
    struct power all, others, mates, further; /* n - 1; size, size - 1, size - 2 or size - 3 */
    double ways[RCM_ROUTING_GROUPS_MOST];     /* groups - 1 choose i */
};

/* The taken expert. */
struct taken {
    double at, below;        /* v, F(v) */
    struct polynomial whole; /* of another group: how many of it are above v */
};

/* ---- polynomials */

static struct power power_of(const struct routing *r, double exponent)
{
    struct power power = {.exponent = (unsigned)fmax(exponent, 0.0), .choose = {1.0}};
    for (unsigned j = 1; j < r->k; j++)
        power.choose[j] = power.choose[j - 1] * ((double)power.exponent - j + 1.0) / j;
    return power;
}

/* to += scale z^shift (p + q z)^exponent */
static void add_power(const struct routing *r, struct polynomial *to, const struct power *power,
                      double p, double q, double scale, unsigned shift)
{
    double q_to[MOST];
    if (shift >= r->k)
        return;
    const unsigned room = r->k - 1 - shift;
    const unsigned last = power->exponent < room ? power->exponent : room;
    q_to[0] = scale;
    for (unsigned j = 1; j <= last; j++)
        q_to[j] = q_to[j - 1] * q;
    double p_to = pow(p, power->exponent - last);
    for (unsigned j = last + 1; j-- > 0; p_to *= p)
        to->z[j + shift] += power->choose[j] * q_to[j] * p_to;
}

/* a *= b, then + scale c if c is given. */
static void multiply(const struct routing *r, struct polynomial *a, const struct polynomial *b,
                     double scale, const struct polynomial *c)
{
    for (unsigned i = r->k; i-- > 0;) {
        double sum = c ? scale * c->z[i] : 0.0;
        for (unsigned j = 0; j <= i; j++)
            sum += a->z[i - j] * b->z[j];
        a->z[i] = sum;
    }
}

/* ---- a group against a score */

/* The others of a group are all below b: how many of them are above v. */
static void add_all_below(const struct routing *r, const struct taken *v, struct polynomial *to,
                          const struct power *power, double b, double scale, unsigned shift)
{
    const double below = normal_below(b);
    if (b > v->at)
        add_power(r, to, power, v->below, below - v->below, scale, shift);
    else
        add_power(r, to, power, below, 0.0, scale, shift);
}

/* P(the group's score is below that of the middle m, and so many of it are above v). Its best is
 * below m, or it is at a > m and all others are below the partner of a. */
static struct polynomial group_below(const struct routing *r, const struct taken *v, double m)
{
    struct polynomial low = {{0}};
    add_all_below(r, v, &low, &r->others, m, 1.0, 0);
    if (!r->two)
        return low;
    const double bend = v->at > m ? v->at : score_partner(&r->scores, m, v->at);
    const double most = score_partner(&r->scores, m, -INFINITY);
    const struct nodes nodes = nodes_between(&r->scores, m, most, bend, bend);
    for (unsigned i = 0; i < nodes.length; i++) {
        const double a = nodes.x[i];
        add_all_below(r, v, &low, &r->mates, score_partner(&r->scores, m, a),
                      r->size * nodes.weight[i] * normal_density(a), a > v->at);
    }
    return low;
}

/* P(at least `kept` groups beat the middle m, and at most j experts of all other groups are above
 * v), for each j: the sum over i >= kept of ways beaten^i below^(groups - 1 - i). */
static struct polynomial beaten(const struct routing *r, const struct taken *v, double m)
{
    const struct polynomial below = group_below(r, v, m);
    struct polynomial above, power = {{1.0}}, sum = {{0}};
    for (unsigned j = 0; j < r->k; j++)
        above.z[j] = fmax(v->whole.z[j] - below.z[j], 0.0);
    sum.z[0] = r->ways[r->groups - 1];
    for (unsigned i = r->groups - 1; i-- > r->kept;) {
        multiply(r, &power, &below, 0.0, NULL);
        multiply(r, &sum, &above, r->ways[i], &power);
    }
    for (unsigned i = 0; i < r->kept; i++)
        multiply(r, &sum, &above, 0.0, NULL);
    for (unsigned j = 1; j < r->k; j++)
        sum.z[j] += sum.z[j - 1];
    return sum;
}

/* ---- the group of the taken expert */

/* P(lost), where `own` has the density of its group's middle with so many above v. */
static double lost_with(const struct routing *r, const struct taken *v, double m,
                        const struct polynomial *own)
{
    const struct polynomial others = beaten(r, v, m);
    double lost = 0.0;
    for (unsigned j = 0; j < r->k; j++)
        lost += own->z[j] * others.z[r->k - 1 - j];
    return lost;
}

/* The best is the taken one, or one above it. */
static double lost_by_best(const struct routing *r, const struct taken *v)
{
    struct polynomial own = {{pow(v->below, r->size - 1)}};
    double lost = lost_with(r, v, v->at, &own);
    const struct nodes nodes = nodes_between(&r->scores, v->at, INFINITY, v->at, v->at);
    for (unsigned i = 0; i < nodes.length; i++) {
        const double m = nodes.x[i];
        own = (struct polynomial){{0}};
        add_all_below(r, v, &own, &r->further, m, (r->size - 1) * normal_density(m), 1);
        lost += nodes.weight[i] * lost_with(r, v, m, &own);
    }
    return lost;
}

/* The taken one is of the two best: the other is below it, or the only one above it. */
static double lost_of_two(const struct routing *r, const struct taken *v, double from, double to,
                          bool above)
{
    const double bend = score_partner(&r->scores, r->half, v->at);
    const struct nodes nodes = nodes_between(&r->scores, from, to, bend, bend);
    double lost = 0.0;
    for (unsigned i = 0; i < nodes.length && (!above || r->k > 1); i++) {
        const double a = nodes.x[i], rest = above ? v->below : normal_below(a);
        struct polynomial own = {{0}};
        own.z[above] = (r->size - 1) * normal_density(a) * pow(rest, r->size - 2);
        lost += nodes.weight[i] * lost_with(r, v, score_middle(&r->scores, v->at, a), &own);
    }
    return lost;
}

/* The density of the middle m of two best that are both above v, at a > m and its partner. */
static struct polynomial two_above(const struct routing *r, const struct taken *v, double m)
{
    struct polynomial own = {{0}};
    const double pairs = (double)(r->size - 1) * (r->size - 2);
    const struct nodes nodes =
        nodes_between(&r->scores, m, score_partner(&r->scores, m, v->at), m, m);
    for (unsigned i = 0; i < nodes.length; i++) {
        const double a = nodes.x[i], b = score_partner(&r->scores, m, a);
        const double moves = 2.0 * score_slope(&r->scores, m) / score_slope(&r->scores, b);
        add_all_below(r, v, &own, &r->further, b,
                      pairs * nodes.weight[i] * normal_density(a) * normal_density(b) * moves, 2);
    }
    return own;
}

static double lost_by_two(const struct routing *r, const struct taken *v)
{
    const double lowest = normal_level_below(log(v->below) - 40.0 / (r->size - 1));
    double lost = lost_of_two(r, v, lowest, v->at, false);
    lost += lost_of_two(r, v, v->at, INFINITY, true);
    if (r->size < 3 || r->k < 3)
        return lost;
    /* beyond `bend` no expert is so good that it and the taken one reach the score */
    const double bend = score_middle(&r->scores, v->at, INFINITY);
    const struct nodes nodes = nodes_between(&r->scores, v->at, INFINITY, bend, r->half);
    for (unsigned i = 0; i < nodes.length; i++) {
        const struct polynomial own = two_above(r, v, nodes.x[i]);
        lost += nodes.weight[i] * lost_with(r, v, nodes.x[i], &own);
    }
    return lost;
}

/* ---- the sum over the taken expert */

/* P(at most k - 1 of all others are above v). */
static double is_of_top(const struct routing *r, const struct taken *v)
{
    struct polynomial count = {{0}};
    double sum = 0.0;
    add_power(r, &count, &r->all, v->below, normal_below(-v->at), 1.0, 0);
    for (unsigned j = 0; j < r->k; j++)
        sum += count.z[j];
    return sum;
}

static struct taken taken_at(const struct routing *r, double at)
{
    struct taken v = {.at = at, .below = normal_below(at)};
    add_power(r, &v.whole, &r->others, v.below, normal_below(-at), 1.0, 0);
    return v;
}

/* Below, fewer than 1e-16 of the rows have as few as k - 1 above. */
static double lowest_of_top(const struct routing *r)
{
    double low = -SCORES_END, high = SCORES_END;
    for (unsigned step = 0; step < 20; step++) {
        const double middle = 0.5 * (low + high);
        const struct taken v = taken_at(r, middle);
        if (is_of_top(r, &v) < 1e-16)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static struct routing routing_of(struct rcm_routing q)
{
    const struct rcm_blocks g = q.groups;
    struct routing r = {.k = (unsigned)g.k,
                        .groups = (unsigned)rcm_blocks_count(g),
                        .size = (unsigned)g.size,
                        .kept = (unsigned)g.kept,
                        .n = (double)g.n,
                        .two = q.by == RCM_GROUP_TWO_BEST,
                        .scores = expert_scores_of(q),
                        .ways = {1.0}};
    const double size = (double)g.size;
    r.half = score_middle(&r.scores, -INFINITY, INFINITY);
    r.all = power_of(&r, r.n - 1.0);
    r.others = power_of(&r, size);
    r.mates = power_of(&r, size - 1.0);
    r.further = power_of(&r, size - (r.two ? 3.0 : 2.0));
    for (unsigned i = 1; i < r.groups; i++)
        r.ways[i] = r.ways[i - 1] * (r.groups - i) / i;
    return r;
}

struct rcm_routing_loss rcm_routing_loss(struct rcm_routing q)
{
    if (rcm_routing_wrong(q, NULL, 0) > 0)
        return (struct rcm_routing_loss){NAN, NAN};
    struct routing r = routing_of(q);
    if (r.kept == r.groups || (!r.two && r.k <= r.kept))
        return (struct rcm_routing_loss){0.0, 0.0};
    const struct nodes nodes =
        nodes_between(&r.scores, lowest_of_top(&r), INFINITY, r.half, r.half);
    /* beyond the end nothing is lost, and all are of the top k */
    double lost = 0.0, lost_weight = 0.0, weight = r.n * score_weight_beyond(&r.scores);
    for (unsigned i = 0; i < nodes.length; i++) {
        const struct taken v = taken_at(&r, nodes.x[i]);
        const double density = r.n * nodes.weight[i] * normal_density(v.at);
        const double here = density * (r.two ? lost_by_two(&r, &v) : lost_by_best(&r, &v));
        lost += here;
        lost_weight += here * score_weight(&r.scores, v.at);
        weight += density * is_of_top(&r, &v) * score_weight(&r.scores, v.at);
    }
    return (struct rcm_routing_loss){fmin(lost / r.k, 1.0), fmin(lost_weight / weight, 1.0)};
}
