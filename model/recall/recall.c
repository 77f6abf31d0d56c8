/* recall.c - expected recall: exact, binomial, by rank, worst case. Derivations: docs/models.md 2
 * to 4 and 7.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/recallmodel/recall.h>
#include <model/shape/classes.h>
#include <model/shape/shape.h>

#include <model/distribution/distribution.h>

double rcm_buckets_loss(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b)
{
    if (!classes_legal(buckets, k, k_b))
        return NAN;
    if (k_b >= k)
        return 0.0;
    double loss = 0.0;
    for (unsigned c = 0; c < buckets->classes; c++)
        if (buckets->of[c].size > k_b)
            loss += (double)buckets->of[c].count / (double)k *
                    distribution_excess(distribution_of_class(buckets, c, k), (int64_t)k_b);
    return loss;
}

double rcm_loss_exact(struct rcm_topk p)
{
    if (p.lengths)
        return shape_mean(rcm_loss_exact, p, 0.0);
    struct rcm_buckets buckets = rcm_buckets_of(p);
    return rcm_buckets_loss(&buckets, p.k, p.k_b);
}

double rcm_recall_exact(struct rcm_topk p)
{
    return 1.0 - rcm_loss_exact(p);
}

double rcm_loss_binomial(struct rcm_topk p)
{
    if (p.lengths)
        return shape_mean(rcm_loss_binomial, p, 0.0);
    struct rcm_buckets buckets = rcm_buckets_of(p);
    if (!classes_legal(&buckets, p.k, p.k_b))
        return NAN;
    if (p.k_b >= p.k)
        return 0.0;
    struct distribution dist = {(int64_t)p.b, (int64_t)p.k, 1, true};
    if (shape_even(p))
        return (double)p.b / (double)p.k * distribution_excess(dist, (int64_t)p.k_b);
    double loss = 0.0;
    dist.n = (int64_t)shape_valid(p);
    for (unsigned c = 0; c < buckets.classes; c++) {
        dist.s = (int64_t)buckets.of[c].size;
        loss +=
            (double)buckets.of[c].count / (double)p.k * distribution_excess(dist, (int64_t)p.k_b);
    }
    return loss;
}

double rcm_recall_binomial(struct rcm_topk p)
{
    return 1.0 - rcm_loss_binomial(p);
}

/* The element of this rank shares its bucket of s with s - 1 of the other n - 1 elements, of
 * which rank - 1 are larger. It survives if at most k_b - 1 of those are in the bucket. The less
 * likely of the two outcomes is summed. */
double rcm_buckets_survival(const struct rcm_buckets *buckets, uint64_t k_b, uint64_t rank)
{
    if (!classes_legal(buckets, rank, k_b))
        return NAN;
    if (rank <= k_b)
        return 1.0;
    double elements = (double)classes_elements(buckets), lost = 0.0, kept = 0.0;
    for (unsigned c = 0; c < buckets->classes; c++) {
        double share = (double)buckets->of[c].size * (double)buckets->of[c].count / elements;
        if (buckets->of[c].size <= k_b) {
            kept += share;
            continue;
        }
        struct distribution others = distribution_of_class(buckets, c, rank);
        others = (struct distribution){others.n - 1, others.k - 1, others.s - 1, false};
        lost += share * distribution_sf(others, (int64_t)k_b - 1);
        kept += share * distribution_cdf(others, (int64_t)k_b - 1);
    }
    return lost < 0.5 ? 1.0 - lost : kept;
}

double rcm_survival(struct rcm_topk p, uint64_t rank)
{
    struct rcm_buckets buckets = rcm_buckets_of(p);
    return rank >= 1 && rank <= p.k ? rcm_buckets_survival(&buckets, p.k_b, rank) : NAN;
}

double rcm_buckets_worst_case(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b)
{
    if (!classes_legal(buckets, k, k_b))
        return NAN;
    return (double)(k - classes_most_lost(buckets, k, k_b)) / (double)k;
}

/* Every placement in a row is one in a longer row, so the longest has the worst. */
double rcm_recall_worst_case(struct rcm_topk p)
{
    if (p.lengths && rcm_check(p) == RCM_OK && !shape_of_length(p, p.lengths->count - 1, &p))
        return 1.0;
    struct rcm_buckets buckets = rcm_buckets_of(p);
    return rcm_buckets_worst_case(&buckets, p.k, p.k_b);
}
