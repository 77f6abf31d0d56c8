/* cost.c - the cost models of Key et al. 2024, Table 1: a registry. Units and reading:
 * docs/models.md 9.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/recallmodel/cost.h>
#include <model/shape/shape.h>

static double basic(double n, double k, double m)
{
    return m * n * (log2(k) + 1.0);
}

static double insertion_queue(double n, double k, double m)
{
    return m * n * (3.0 * k - 1.0);
}

static double radix_select(double n, double k, double m)
{
    (void)k;
    return m * n * (4.0 * log2(n) + 4.0);
}

static double scan_max(double n, double k, double m)
{
    (void)m;
    return k * (2.0 * log2(n) + 3.0);
}

static double parallel_radix_select(double n, double k, double m)
{
    (void)k, (void)m;
    return log2(n) * (2.0 * log2(n) + 16.0);
}

/* A second pass over the row: one comparison for each element. */
static double scan(double n, double m)
{
    return m * n;
}

/* One comparison, and the places of the elements that are kept: sums over prefixes, up a tree and
 * down again. */
static double parallel_scan(double n, double m)
{
    (void)m;
    return 1.0 + 2.0 * log2(n);
}

static const struct rcm_cost_model models[RCM_COST_MODELS] = {
    [RCM_BASIC] = {"basic", "operations", {{NULL, "m n (log2 k + 1)", basic}}, scan},
    [RCM_SERIAL] = {"serial",
                    "operations",
                    {{"insertion_queue", "m n (3 k - 1)", insertion_queue},
                     {"radix_select", "m n (4 log2 n + 4)", radix_select}},
                    scan},
    [RCM_PARALLEL] = {"parallel",
                      "parallel steps",
                      {{"scan_max", "k (2 log2 n + 3)", scan_max},
                       {"parallel_radix_select", "log2 n (2 log2 n + 16)", parallel_radix_select}},
                      parallel_scan},
};

const struct rcm_cost_model *rcm_cost_model(size_t index)
{
    return index < sizeof models / sizeof *models ? &models[index] : NULL;
}

static double cheapest(const struct rcm_cost_model *model, double n, double k, double m,
                       const char **name)
{
    double least = model->algorithms[0].cost(n, k, m);
    *name = model->algorithms[0].name;
    for (unsigned i = 1; i < RCM_MAX_ALGORITHMS && model->algorithms[i].cost; i++) {
        double cost = model->algorithms[i].cost(n, k, m);
        if (cost < least) {
            least = cost;
            *name = model->algorithms[i].name;
        }
    }
    return least;
}

struct rcm_cost rcm_cost(const struct rcm_cost_model *model, struct rcm_topk p)
{
    struct rcm_cost cost = {NAN, NAN, NAN, NULL, NULL};
    if (rcm_check(p) != RCM_OK)
        return cost;
    const char *ignored;
    double n = (double)p.n, k = (double)p.k, b = (double)p.b, k_b = (double)p.k_b,
           m = shape_rows(p);
    cost.exact = cheapest(model, n, k, m, &ignored);
    cost.approximate = cheapest(model, n / b, k_b, m * b, &cost.stage1);
    if (rcm_candidates(p) > p.k)
        cost.approximate += cheapest(model, (double)rcm_candidates(p), k, m, &cost.stage2);
    cost.speedup = cost.exact / cost.approximate;
    return cost;
}

double rcm_cost_threshold(const struct rcm_cost_model *model, struct rcm_topk p, double reaching)
{
    const struct rcm_cost both_stages = rcm_cost(model, p);
    const double n = (double)p.n, k = (double)p.k, m = shape_rows(p);
    if (isnan(both_stages.approximate) || !(reaching >= k))
        return NAN;
    const char *ignored;
    double cost = both_stages.approximate + model->scan(n, m);
    if (!both_stages.stage2 &&
        rcm_candidates(p) <= p.k) /* the threshold is the least of the k candidates */
        cost += cheapest(model, k, 1.0, m, &ignored);
    if (reaching > k)
        cost += cheapest(model, reaching, k, m, &ignored);
    return cost;
}

/* H(s) - H(k_b), s >= k_b: term by term up to 32, from there by Euler and Maclaurin, whose next
 * term is below 1e-17. */
static double harmonic_difference(double s, double k_b)
{
    double sum = 0.0, from = fmin(s, fmax(k_b, 32.0));
    for (double j = from; j > k_b; j--)
        sum += 1.0 / j;
    double low = 1.0 / from, high = 1.0 / s;
    double low2 = low * low, high2 = high * high;
    return sum + log1p((s - from) / from) + (high - low) / 2.0 - (high2 - low2) / 12.0 +
           (high2 * high2 - low2 * low2) / 120.0 -
           (high2 * high2 * high2 - low2 * low2 * low2) / 252.0 +
           (pow(high2, 4) - pow(low2, 4)) / 240.0;
}

double rcm_insertions(struct rcm_topk p)
{
    struct rcm_buckets buckets = rcm_buckets_of(p);
    double total = 0.0, k_b = (double)p.k_b;
    for (unsigned c = 0; c < buckets.classes; c++) {
        double size = (double)buckets.of[c].size;
        total += (double)buckets.of[c].count *
                 (size <= k_b ? size : k_b * (1.0 + harmonic_difference(size, k_b)));
    }
    return buckets.classes ? total : NAN;
}
