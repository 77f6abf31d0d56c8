/* bounds.c - closed forms: the factorial-moment series and the rules that others use for b.
 * Derivations: docs/models.md 6.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/recallmodel/recall.h>
#include <model/shape/classes.h>
#include <model/shape/shape.h>

#include <model/distribution/log_choose.h>

/* E[C(X, c)] = C(s, c) C(k, c) / C(n, c): the expected number of c-subsets of the top k that lie
 * in one bucket of s. A product of c ratios, by Stirling's formula above 4096 of them. May be
 * infinite. */
static double factorial_moment(uint64_t n, uint64_t k, uint64_t s, uint64_t c)
{
    if (c > s || c > k)
        return 0.0;
    if (c > 4096) {
        struct dd log = dd_subtract(dd_add(log_choose(s, c), log_choose(k, c)), log_choose(n, c));
        return exp(log.hi) * (1.0 + log.lo);
    }
    double product = 1.0;
    int exponent = 0;
    for (uint64_t i = 0; i < c; i++) {
        product *= (double)(s - i) * (double)(k - i) / ((double)(n - i) * (double)(i + 1));
        if (product > 0x1p500 || product < 0x1p-500) {
            int part;
            product = frexp(product, &part);
            exponent += part;
        }
    }
    return ldexp(product, exponent);
}

/* (x - c)+ = sum over i > c of (-1)^(i-c-1) C(i-2, c-1) C(x, i). */
double rcm_loss_series(struct rcm_topk p, unsigned terms)
{
    struct rcm_buckets buckets = rcm_buckets_of(p);
    if (!classes_legal(&buckets, p.k, p.k_b) || terms < 1 || terms > 64)
        return NAN;
    uint64_t n = classes_elements(&buckets);
    double loss = 0.0;
    for (unsigned c = 0; c < buckets.classes; c++) {
        uint64_t s = buckets.of[c].size;
        double moment = factorial_moment(n, p.k, s, p.k_b + 1), coefficient = 1.0, sum = moment;
        for (uint64_t i = p.k_b + 1; i < p.k_b + terms && i < s && i < p.k; i++) {
            moment *= (double)(s - i) * (double)(p.k - i) / ((double)(n - i) * (double)(i + 1));
            coefficient *= -(double)(i - 1) / (double)(i - p.k_b);
            sum += coefficient * moment;
        }
        if (!isfinite(sum))
            sum = terms % 2 ? INFINITY : -INFINITY;
        loss += (double)buckets.of[c].count / (double)p.k * sum;
    }
    return loss;
}

double rcm_loss_bound(struct rcm_topk p)
{
    if (p.lengths)
        return shape_mean(rcm_loss_bound, p, 0.0);
    double bound = rcm_loss_series(p, 1);
    return bound > 1.0 ? 1.0 : bound;
}

/* ---- rules: n, k, b, k_b and the allowed loss as doubles, where n counts the elements that
 * exist */

static double existing_elements(struct rcm_topk p)
{
    return (double)shape_valid(p);
}

static bool even_split_of_maxima(struct rcm_topk p)
{
    return shape_even(p) && p.k_b == 1;
}

/* log of C(k, k_b + 1) / k, for k > k_b. */
static struct dd log_sets_per_element(struct rcm_topk p)
{
    return dd_subtract(log_choose(p.k, p.k_b + 1), dd_log(dd((double)p.k)));
}

static double moment_loss(struct rcm_topk p)
{
    if (p.k_b >= p.k)
        return 0.0;
    struct dd log =
        dd_subtract(log_sets_per_element(p), dd_scale(dd_log(dd((double)p.b)), (double)p.k_b));
    return exp(log.hi) * (1.0 + log.lo);
}

static double moment_b(struct rcm_topk p, double loss)
{
    if (p.k_b >= p.k)
        return 1.0;
    return p.k_b == 1 ? ((double)p.k - 1.0) / (2.0 * loss)
                      : exp((log_sets_per_element(p).hi - log(loss)) / (double)p.k_b);
}

static double moment_kb1_loss(struct rcm_topk p)
{
    double n = existing_elements(p), k = (double)p.k;
    return n == 1.0 ? 0.0 : fmax(0.0, (n / (double)p.b - 1.0) * (k - 1.0) / (2.0 * (n - 1.0)));
}

static double moment_kb1_b(struct rcm_topk p, double loss)
{
    double n = existing_elements(p), k = (double)p.k;
    return k == 1.0 ? 1.0 : n / (1.0 + 2.0 * loss * (n - 1.0) / (k - 1.0));
}

static double samaga_quadratic_loss(struct rcm_topk p)
{
    return fmax(0.0, 0.5 * (double)p.k * (1.0 / (double)p.b - 1.0 / existing_elements(p)));
}

static double samaga_quadratic_b(struct rcm_topk p, double loss)
{
    return (double)p.k / (2.0 * (loss + (double)p.k / (2.0 * existing_elements(p))));
}

/* (b/k) (k/b - 1 + (1 - x)^s) with the power expanded to x^4; x = k/n, s = n/b. */
static double quartic_loss(double n, double k, double b)
{
    double s = n / b, x = k / n;
    double c2 = 0.5 * s * (s - 1.0), c3 = c2 * (s - 2.0) / 3.0, c4 = c3 * (s - 3.0) / 4.0;
    return b / k * x * x * (c2 - x * (c3 - x * c4));
}

static double samaga_quartic_loss(struct rcm_topk p)
{
    return quartic_loss(existing_elements(p), (double)p.k, (double)p.b);
}

/* The form grows with s >= 1, at which the loss is 0, so bisection in log b finds where the loss
 * is reached. */
static double samaga_quartic_b(struct rcm_topk p, double loss)
{
    double n = existing_elements(p), k = (double)p.k, low = 1.0, high = n;
    if (quartic_loss(n, k, low) <= loss)
        return low;
    while (high / low > 1.0 + 1e-15) {
        double middle = sqrt(low * high);
        if (middle <= low || middle >= high)
            break;
        if (quartic_loss(n, k, middle) <= loss)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static double chern_loss(struct rcm_topk p)
{
    return p.k == 1 ? 0.0 : -expm1((double)(p.k - 1) * log1p(-1.0 / (double)p.b));
}

static double chern_b(struct rcm_topk p, double loss)
{
    return p.k == 1 ? 1.0 : -1.0 / expm1(log1p(-loss) / (double)(p.k - 1));
}

static const struct rcm_rule rules[] = {
    {"factorial_moment", "(C(k, k_b+1) / (k (1-R)))^(1/k_b)", "docs/models.md 6", shape_even,
     moment_loss, moment_b},
    {"factorial_moment_kb1", "n / (1 + 2 (1-R) (n-1)/(k-1))", "docs/models.md 6, for b | n",
     even_split_of_maxima, moment_kb1_loss, moment_kb1_b},
    {"samaga_quadratic", "k / (2 (1-R + k/(2n)))", "Samaga et al. 2025, after Theorem 1, for b | n",
     even_split_of_maxima, samaga_quadratic_loss, samaga_quadratic_b},
    {"samaga_quartic", "smallest b of the quartic form", "Samaga et al. 2025, A.5, for b | n",
     even_split_of_maxima, samaga_quartic_loss, samaga_quartic_b},
    {"chern", "1 / (1 - R^(1/(k-1)))", "Chern et al. 2022", even_split_of_maxima, chern_loss,
     chern_b},
};

const struct rcm_rule *rcm_rule(size_t index)
{
    return index < sizeof rules / sizeof *rules ? &rules[index] : NULL;
}

uint64_t rcm_rule_b(const struct rcm_rule *rule, struct rcm_topk p, double target_loss)
{
    struct rcm_range range = rcm_deployable_b(p);
    if (range.low == 0 || !rule->applies(p) || !(target_loss >= 0.0 && target_loss < 1.0))
        return 0;
    if (p.k_b >= p.k) /* nothing is lost, whatever the form says */
        return range.low;
    double b = ceil(rule->b(p, target_loss) * (1.0 - RCM_TARGET_SLACK));
    if (!(b < (double)range.high))
        return range.high;
    return b > (double)range.low ? (uint64_t)b : range.low;
}
