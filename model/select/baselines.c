/* baselines.c - what others deploy: XLA, tallax, Helion, listing A.10 of Samaga et al.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/recallmodel/select.h>
#include <model/shape/shape.h>
#include <model/time/kernels.h>

/* M = min(max(trunc((1 - k)/ln R), T), n), g = floor(log2(n/M)), integer division; then the b of
 * kernel_xla_b. The rule counts a collision as if both elements were lost, and holds R in single
 * precision. */
uint64_t rcm_xla_b(struct rcm_topk p, double loss)
{
    const uint64_t tile = kernel_xla_tile(p), tiles = shape_ceil_divide(p.n, tile);
    const double target = (double)(float)(1.0 - loss);
    if (rcm_check((struct rcm_topk){.n = p.n, .k = p.k, .b = 1, .k_b = 1}) != RCM_OK || p.n <= tile)
        return 0;
    if (p.k == 1) /* whatever the target */
        return kernel_xla_b(p, 1);
    if (target >= 1.0)
        return 0;
    const double wanted = trunc((1.0 - (double)p.k) / log(target));
    const uint64_t elements = wanted < (double)tile  ? tile
                              : wanted < (double)p.n ? (uint64_t)wanted
                                                     : p.n;
    unsigned g = 0, most = 0;
    while (p.n / elements >> (g + 1) > 0)
        g++;
    while ((uint64_t)1 << most < tiles)
        most++;
    g = g < most ? g : most;
    return g == 0 ? 0 : kernel_xla_b(p, g);
}

/* The log of the loss at which XLA begins to take no more than b buckets. More loss means fewer
 * buckets. */
static double xla_edge(struct rcm_topk p, uint64_t b)
{
    double low = log(1e-15), high = log(0.999999);
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        const uint64_t got = rcm_xla_b(p, exp(middle));
        if (got == 0 || got > b)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double rcm_xla_target(struct rcm_topk p, uint64_t b)
{
    if (b == 0)
        return NAN;
    double target = p.k > 1 ? 1.0 - exp(0.5 * (xla_edge(p, b) + xla_edge(p, b - 1)))
                            : 0.95; /* any target, for k = 1 */
    target = nearbyint(target * 1e9) / 1e9;
    return rcm_xla_b(p, 1.0 - target) == b ? target : NAN;
}

static struct rcm_topk of_one(struct rcm_topk p, uint64_t b)
{
    p.b = b < p.n ? b : 0; /* n buckets would be the whole row */
    p.k_b = 1;
    return p;
}

static struct rcm_topk xla_baseline(struct rcm_topk p, double loss)
{
    return of_one(p, rcm_xla_b(p, loss));
}

static struct rcm_topk tallax_baseline(struct rcm_topk p, double loss)
{
    const double b = loss > 0.0 ? ceil((double)(p.k - 1) / loss / 128.0) * 128.0 : INFINITY;
    return of_one(p, b < (double)p.n ? (uint64_t)fmax(b, 128.0) : p.n);
}

/* The rule of tallax in the arithmetic of Python, where 1 - 0.9 is a little less than 0.1. No more
 * buckets than n, rounded up to 128: then it is the exact top-k. */
static struct rcm_topk helion_baseline(struct rcm_topk p, double loss)
{
    const double target = 1.0 - loss,
                 b = target < 1.0 ? ceil((double)(p.k - 1) / (1.0 - target)) : INFINITY;
    const double lanes = fmax(1.0, ceil(b / 128.0)) * 128.0;
    return of_one(p, lanes < (double)p.n ? (uint64_t)lanes : p.n);
}

static struct rcm_topk listing(struct rcm_topk p, double loss, uint64_t missed)
{
    struct rcm_factors factors = rcm_factorise(p.n);
    struct rcm_point best = {.objective = INFINITY};
    for (p.k_b = 1; p.k_b <= 4; p.k_b++) {
        uint64_t b =
            rcm_smallest_b(p, (struct rcm_target){.loss = loss, .align = 128, .divisors = true});
        if (b && b == missed)
            b = rcm_next_b(p.n, b + 1, 128, &factors);
        p.b = b;
        if (b && rcm_check_deployable(p) == RCM_OK && (double)rcm_candidates(p) < best.objective)
            best = (struct rcm_point){p, (double)rcm_candidates(p)};
    }
    if (!(best.objective < INFINITY))
        best.p = of_one(p, 0);
    return best.p;
}

static struct rcm_topk listing_corrected(struct rcm_topk p, double loss)
{
    return listing(p, loss, 0);
}

/* The printed listing misses the root of n among the divisors where n is a square. */
static struct rcm_topk listing_as_printed(struct rcm_topk p, double loss)
{
    const uint64_t root = (uint64_t)(sqrt((double)p.n) + 0.5);
    return listing(p, loss, root * root == p.n ? root : 0);
}

static const struct rcm_baseline baselines[] = {
    {"xla",
     "jax.lax.approx_max_k: k_b = 1, collisions counted twice, rounded up to a power of two of "
     "tiles",
     xla_baseline},
    {"tallax", "b = ceil((k - 1)/(1 - R)), a multiple of 128, k_b = 1", tallax_baseline},
    {"helion",
     "PyTorch Helion on a TPU (helion/_compiler/pallas/topk_impl.py): the rule of tallax, by "
     "default with R = 0.99",
     helion_baseline},
    {"listing A.10",
     "Samaga et al., exact recall in place of its Monte Carlo: divisors of n, multiples of 128, "
     "k_b <= 4",
     listing_as_printed},
    {"listing A.10 mended", "with the root of n among the divisors", listing_corrected},
};

const struct rcm_baseline *rcm_baseline(size_t index)
{
    return index < sizeof baselines / sizeof *baselines ? &baselines[index] : NULL;
}
