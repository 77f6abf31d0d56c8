/* recallmodel.h - recall and cost of bucketed approximate top-k.
 *
 * Split a row of n values into b buckets, keep the k_b largest of each (stage 1) and, if there are
 * more than k candidates, take their exact top-k (stage 2). This header answers, in closed form and
 * without simulation, which fraction of the true top-k survives, how that fraction scatters, which
 * b reaches a target, and what the work is.
 *
 * Letters, everywhere and in this order: n elements in a row, k wanted, b buckets, k_b kept per
 * bucket, m rows in the batch. recall = expected fraction of the true top-k that survives; loss = 1
 * - recall, computed as such, never by subtraction.
 *
 * All functions are pure: no global state, no output; they may be called from any number of
 * threads. None allocates but those of the law of a row (and, with a confidence, of the choice) and
 * the frontier. Outside its domain a function returns NaN (0 where it returns an integer).
 *
 * Sources: [Key2024] Key, Ribar, Cattaneo, Hudlass-Galley, Orr, "Approximate Top-k for Increased
 * Parallelism", arXiv 2412.04358. [Samaga2025] Samaga et al., "A Faster Generalized Two-Stage
 * Approximate Top-K", arXiv 2506.04165v3. Derivations and errata: docs/models.md, docs/errata.md.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_H
#define RECALLMODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default) /* the rest of the library is compiled hidden */
#endif

#define RCM_VERSION "0.1.0"

/* The version of the library that is linked, to compare with RCM_VERSION. */
const char *rcm_version(void);

/* ------------------------------------------------------------------------------------------------------------------------
 * Shape
 */

#define RCM_N_MAX ((UINT64_C(1) << 53) - 1) /* largest n: every integer up to here is a double */

/* Where element i of a row goes. All give n mod b buckets of ceil(n/b) elements and the rest
 * floor(n/b); they differ in what a padded row (valid < n) leaves in the buckets. */
enum rcm_assignment {
    RCM_INTERLEAVED =
        0, /* bucket i mod b: the buckets of a row with L valid elements are those of n = L */
    RCM_CONTIGUOUS = 1, /* runs, the n mod b longer ones first: full buckets, one partial one, then
                           empty ones. (So is any value that is not listed.) */
    RCM_CONTIGUOUS_FLOOR =
        2, /* runs, bucket floor(b i / n): as before, but the longer ones are spread evenly */
};

/* One question. Fields left out are zero: m = 0 means 1, valid = 0 means n.
 *
 * Domain of every function that takes it, unless it says otherwise:
 *   1 <= k <= n <= RCM_N_MAX, 1 <= b <= n, 1 <= k_b <= RCM_N_MAX; b need not divide n; b k_b < k is
 * allowed; k <= valid <= n, where only the first `valid` elements of the row exist and the rest is
 * padding. */
struct rcm_topk {
    uint64_t n, k, b, k_b, m;
    uint64_t valid;
    enum rcm_assignment assignment;
};

enum rcm_status {
    RCM_OK = 0,
    RCM_BAD_N,     /* not 1 <= n <= RCM_N_MAX */
    RCM_BAD_K,     /* not 1 <= k <= n */
    RCM_BAD_VALID, /* not k <= valid <= n */
    RCM_BAD_B,     /* not 1 <= b <= n */
    RCM_BAD_K_B,   /* not 1 <= k_b <= RCM_N_MAX (rcm_check); k_b > min(k, ceil(n/b))
                      (rcm_check_deployable) */
    RCM_TOO_FEW,   /* b k_b < k (rcm_check_deployable only) */
};

/* Is p in the domain of this library? */
enum rcm_status rcm_check(struct rcm_topk p);

/* Could p be deployed: in the domain, at least k candidates, and no k_b larger than min(k,
 * ceil(n/b))? */
enum rcm_status rcm_check_deployable(struct rcm_topk p);

/* What a status of the two functions above says about its p, in words with its numbers: "k = 20 is
 * larger than n = 10; give at most that". Empty for RCM_OK. Writes at most size bytes with the
 * ending zero, as snprintf does.
 * Returns   the length of the whole text, without the zero; it is under RCM_STATUS_TEXT_MOST. */
#define RCM_STATUS_TEXT_MOST 200
size_t rcm_status_text(enum rcm_status status, struct rcm_topk p, char *buffer, size_t size);

/* Smallest and largest b that rcm_check_deployable accepts for p.n, p.k and p.k_b (p.b is not
 * read): ceil(k/k_b), and the largest b with ceil(n/b) >= k_b. Both are 0 if there is none. */
struct rcm_range {
    uint64_t low, high;
};
struct rcm_range rcm_deployable_b(struct rcm_topk p);

/* Candidates that stage 1 hands on: min(b k_b, n), padding included. 0 outside the domain. */
uint64_t rcm_candidates(struct rcm_topk p);

/* The sizes of the buckets as a few classes of equal ones: `count` buckets of `size` valid
 * elements. The recall of any partition with few distinct sizes can be asked through the
 * rcm_buckets_... functions below. */
#define RCM_MAX_CLASSES 4
struct rcm_buckets {
    unsigned classes;
    struct {
        uint64_t size, count;
    } of[RCM_MAX_CLASSES];
};

/* The classes of p, largest size first; classes = 0 outside the domain. */
struct rcm_buckets rcm_buckets_of(struct rcm_topk p);

/* ------------------------------------------------------------------------------------------------------------------------
 * Recall, when the top-k elements lie anywhere with equal probability
 */

/* Bounds on the relative error, asserted in tests/ against exact rationals and 80-digit arithmetic.
 */
#define RCM_LOSS_MAX_RELERR 1e-13     /* loss >= 1e-290, any n, k, b in the domain, any k_b */
#define RCM_SURVIVAL_MAX_RELERR 1e-13 /* survival >= 1e-290 */
#define RCM_SD_MAX_RELERR 1e-8

/* Expected loss: (1/k) sum over buckets of E[(X - k_b)+], X ~ Hypergeometric(n, k, size of the
 * bucket). Returns   a fraction in [0, 1] (1 by rounding only); exactly 0 if no bucket can
 * overflow. Below 1e-290 digits fade, then it underflows to 0. Accuracy  relative error <=
 * RCM_LOSS_MAX_RELERR. Source    [Samaga2025] Theorem 1; uneven buckets and the evaluation:
 * docs/models.md 2. */
double rcm_loss_exact(struct rcm_topk p);

/* Expected recall, 1 - loss: in [0, 1], exactly 1 if no bucket can overflow. Absolute error
 * <= 1.2e-16 + loss error. */
double rcm_recall_exact(struct rcm_topk p);

/* The same with X ~ Binomial(k, 1/b) in each of the b buckets: independent of n, and at least the
 * exact loss (where that is 1e-290 or more). With assignment RCM_CONTIGUOUS and valid < n, X ~
 * Binomial(k, size/valid) instead. Source    [Key2024] Eq. (1), summed as (b/k) E[(X - k_b)+]:
 * docs/models.md 3. Accuracy as rcm_loss_exact. */
double rcm_loss_binomial(struct rcm_topk p);
double rcm_recall_binomial(struct rcm_topk p);

/* Standard deviation of the recall of one row; the mean over m independent rows has this over
 * sqrt(m). Returns   a fraction in [0, 0.5]. Accuracy  relative error <= RCM_SD_MAX_RELERR, or
 * absolute 1e-16; compared with single steps up to k_b = 2^26. Time      microseconds for k_b <=
 * 100, up to 30 ms for large k_b. Source    docs/models.md 5. */
double rcm_recall_sd(struct rcm_topk p);

/* Probability that the rank-th largest element survives stage 1, 1 <= rank <= k. Falls with rank;
 * its mean over the ranks 1..k is the recall. Independent of k. Relative error <=
 * RCM_SURVIVAL_MAX_RELERR. Source    docs/models.md 4. */
double rcm_survival(struct rcm_topk p, uint64_t rank);

/* Recall of the worst placement: all top-k elements in as few buckets as possible.
 * Source    [Key2024] Eq. (2), with floor in place of ceil, and uneven buckets: docs/models.md 7.
 * Exact. */
double rcm_recall_worst_case(struct rcm_topk p);

/* The same questions for any bucket sizes. Domain: 1 to RCM_MAX_CLASSES classes, each size smaller
 * than the one before it, each count >= 1; 1 <= k, rank <= n = sum of size times count <=
 * RCM_N_MAX; 1 <= k_b <= RCM_N_MAX. */
double rcm_buckets_loss(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b);
double rcm_buckets_sd(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b);
double rcm_buckets_survival(const struct rcm_buckets *buckets, uint64_t k_b, uint64_t rank);
double rcm_buckets_worst_case(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b);

/* ------------------------------------------------------------------------------------------------------------------------
 * The law of one row: how many of its top k are lost
 */

/* Probability that a row loses nothing: all its top k survive stage 1.
 * Domain    as rcm_loss_exact, otherwise NaN; also NaN where it would take seconds: a probability
 *           below 1 - 1e-8, more than 2^28 (1 - k/n) top elements in up to 64 buckets, or for each
 *           of more buckets, and more than 2^16 places that stay free.
 * Accuracy  relative error <= RCM_PROBABILITY_MAX_RELERR where the probability is above 1e-290,
 *           absolute error <= RCM_PROBABILITY_MAX_ERROR.
 * Time      10 to 500 us, up to 0.2 s at the edge.
 * Source    docs/models.md 12. */
#define RCM_PROBABILITY_MAX_RELERR 1e-13
#define RCM_PROBABILITY_MAX_ERROR 1e-14
double rcm_probability_exact(struct rcm_topk p);
double rcm_buckets_probability_exact(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b);

/* Bound on the absolute error of every P(lost <= e), asserted in tests/. */
#define RCM_LOST_MAX_ERROR 1e-12

/* P(lost = first + i) = probability[i], i < length; what is outside has probability 0 to the bound
 * above. No row can lose more than `most`, the worst case. Recall = 1 - lost/k. */
struct rcm_lost {
    uint64_t first, most;
    size_t length;
    double *probability;
};

/* Computes it: the sum over buckets of (X - k_b)+, X multivariate hypergeometric: for two buckets
 * directly, for more by a two-dimensional Fourier inversion.
 * Domain    as rcm_loss_exact; refused are laws wider than 2^22 elements, and what would take more
 *           than some 3 s (few huge buckets: from k = 2^20 in 3 to 50 of them).
 * Returns   0, or -1 outside the domain, where it is refused or without memory; then *law is empty.
 *           Freed by rcm_lost_free.
 * Time      docs/models.md 12: tens of microseconds for small shapes, milliseconds for most, up to
 *           3 s for few huge buckets. Nearly all that is refused is refused before the work begins.
 * Source    derived in docs/models.md 12; neither paper goes beyond the mean. */
int rcm_lost(struct rcm_topk p, struct rcm_lost *law);
int rcm_buckets_lost(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b,
                     struct rcm_lost *law);
void rcm_lost_free(struct rcm_lost *law);

/* P(lost <= lost). Of m independent rows all have that with its power m. */
double rcm_lost_at_most(const struct rcm_lost *law, double lost);

/* The fewest lost elements that a row keeps to with at least this probability. For a probability
 * above 1 - RCM_LOST_MAX_ERROR, which the law does not resolve, law->most, which every row keeps
 * to. */
uint64_t rcm_lost_quantile(const struct rcm_lost *law, double probability);

/* The same as a recall, of k: that each of m independent rows reaches, all at once with this
 * probability; and P(all of m rows lose at most so many). NaN for an empty law, where m times the
 * law's error is more than 1e-3, and for a probability outside of (0, 1] or m = 0. The quantile is
 * also NaN where the law does not resolve it, 1 - probability^(1/m) being below RCM_LOST_MAX_ERROR.
 * For probability = 1, whatever m is, it is the worst case. */
double rcm_lost_recall_quantile(const struct rcm_lost *law, uint64_t k, double probability,
                                uint64_t m);
double rcm_lost_all_at_most(const struct rcm_lost *law, double lost, uint64_t m);

/* ------------------------------------------------------------------------------------------------------------------------
 * Exact top-k by threshold: how many elements reach the k-th largest candidate
 *
 * Stage 1 as always. The k-th largest candidate is a threshold; a second look at the row collects
 * every element that reaches it, and these contain the exact top-k. R is the rank of that candidate
 * in the row: how many elements the second look collects, if no two are equal (with ties it may
 * collect more). R exists if the sum of min(k_b, bucket size) is at least k; then k <= R <= n. P(R
 * > r) = P(lost(r) > r - k), where lost(r) is the law of a row with r in place of k. Source
 * docs/models.md 16; the scheme is that of Gaihre et al., "Dr. Top-k", SC 2021.
 */

/* E[R] and the standard deviation of R. NaN where R does not exist, outside the domain, and where
 * it would take too long (few buckets with k_b beyond some 10^4). Accuracy  mean: relative error <=
 * RCM_REACHING_MAX_RELERR; sd: RCM_REACHING_SD_MAX_ERROR relative to 1 + sd. Time      0.1 to 10 ms
 * for k_b <= 16. */
#define RCM_REACHING_MAX_RELERR 1e-11
#define RCM_REACHING_SD_MAX_ERROR 1e-6
struct rcm_reaching {
    double mean, sd;
};
struct rcm_reaching rcm_reaching(struct rcm_topk p);
struct rcm_reaching rcm_buckets_reaching(const struct rcm_buckets *buckets, uint64_t k,
                                         uint64_t k_b);

/* P(R > r), for any r. NaN where R does not exist or rcm_lost has no law. Absolute error <=
 * RCM_LOST_MAX_ERROR. */
double rcm_reaching_above(struct rcm_topk p, uint64_t r);
double rcm_buckets_reaching_above(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b,
                                  uint64_t r);

/* The smallest r with P(R > r) <= share: the buffer that suffices in all but that share of rows.
 * 1e-11 <= share < 1. 0 where R does not exist or is not known, and outside the domain. Some ten
 * laws (rcm_lost). */
uint64_t rcm_reaching_quantile(struct rcm_topk p, double share);

/* ------------------------------------------------------------------------------------------------------------------------
 * Bounds in closed form, and the number of buckets for a target
 */

/* First `terms` terms of the factorial-moment series of the loss, for any k_b: in exact arithmetic
 * an upper bound on the loss for an odd number of terms, a lower bound for an even number. Not
 * capped. 1 <= terms <= 64. Accuracy  one term: relative error <= 1e-12 down to 1e-290. More: the
 * terms alternate and may be far larger than the loss; the absolute error is about 1e-15 times the
 * largest. Infinite, with the sign of the bound, where a term is. Source    docs/models.md 6. */
double rcm_loss_series(struct rcm_topk p, unsigned terms);

/* One term of it, capped at 1: loss <= rcm_loss_bound. Relative error <= 1e-12 down to 1e-290. */
double rcm_loss_bound(struct rcm_topk p);

/* A target "recall of at least R" is given as the loss 1 - R that is allowed, in [0, 1). It is
 * reached when loss <= (1 - R) (1 + RCM_TARGET_SLACK), so that decimal fractions mean what they
 * say; the target 0 is reached only where no bucket can overflow. b is restricted to multiples of
 * `align` (0 or 1: any) and, if set, to divisors of n. */
#define RCM_TARGET_SLACK 1e-12
struct rcm_target {
    double loss;
    uint64_t align;
    bool divisors;
};

/* Does p reach the target's loss (the restrictions on b are not looked at)? */
bool rcm_reaches(struct rcm_topk p, struct rcm_target target);

/* The smallest deployable b that reaches the target (p.b is not read); 0 if there is none. Recall
 * grows with b (docs/models.md 8), so bisection finds it. Every deployable shape has a recall of at
 * least 1 - 1/e = .632, unless the row is padded and contiguous: then there is no such floor. */
uint64_t rcm_smallest_b(struct rcm_topk p, struct rcm_target target);

/* The prime factors of n, 1 <= n <= RCM_N_MAX; count = 0 outside of that. Under a millisecond. */
#define RCM_MAX_PRIMES 15 /* the product of the first 16 primes exceeds 2^53 */
struct rcm_factors {
    unsigned count;
    uint64_t prime[RCM_MAX_PRIMES];
    unsigned exponent[RCM_MAX_PRIMES];
};
struct rcm_factors rcm_factorise(uint64_t n);

/* The smallest b >= low, and the largest b <= high, that is a multiple of align (0 or 1: any), at
 * most n and, where divisors_of (the factors of n) is given, divides n; 0 if there is none. */
uint64_t rcm_next_b(uint64_t n, uint64_t low, uint64_t align,
                    const struct rcm_factors *divisors_of);
uint64_t rcm_previous_b(uint64_t n, uint64_t high, uint64_t align,
                        const struct rcm_factors *divisors_of);

/* A closed form: what it says about the loss at p.b, and which b it asks for. A registry row:
 * rcm_rule(0), rcm_rule(1), .. until NULL. */
struct rcm_rule {
    const char *name;
    const char *formula; /* the b it asks for, in words */
    const char *source;
    bool (*applies)(struct rcm_topk); /* does not look at b */
    double (*loss)(struct rcm_topk);  /* the loss it states at p.b */
    double (*b)(struct rcm_topk,
                double target_loss); /* the real number that it asks for; may be infinite */
};
const struct rcm_rule *rcm_rule(size_t index);

/* The rule's b, rounded up and clamped to the deployable range; 0 where the rule does not apply or
 * there is no range. */
uint64_t rcm_rule_b(const struct rcm_rule *rule, struct rcm_topk p, double target_loss);

/* ------------------------------------------------------------------------------------------------------------------------
 * Cost
 */

/* An exact top-k algorithm of a cost model. cost(n, k, m) counts operations of the model's abstract
 * machine; n is real, for a bucket's size is n/b. Domain: n >= 1, 1 <= k, m >= 1. */
struct rcm_algorithm {
    const char *name; /* NULL where the source names none */
    const char *formula;
    double (*cost)(double n, double k, double m);
};

/* A cost model is a registry row: the cost is that of the cheapest of its algorithms.
 * rcm_cost_model(0), .. until NULL. */
#define RCM_MAX_ALGORITHMS 2
struct rcm_cost_model {
    const char *name;
    const char *unit;
    struct rcm_algorithm
        algorithms[RCM_MAX_ALGORITHMS]; /* the first with cost == NULL ends the list */
    double (*scan)(double n, double m); /* a second look: compare each element with a threshold,
                                           collect what reaches it */
};
const struct rcm_cost_model *rcm_cost_model(size_t index);

/* Cost of p in a model.
 *   exact = C(n, k, m);   approximate = C(n/b, k_b, m b) + [candidates > k] C(candidates, k, m);
 * speedup = exact/approximate approximate is NaN and the names are NULL outside the domain; stage2
 * is NULL where stage 2 is not needed. At b = n the parallel stage 1 costs 0: with k = n speedup is
 * infinite (NaN at n = 1). Source    [Key2024] Table 1 and section 3, residual terms dropped.
 * Accuracy: relative 1e-15 times a few. */
struct rcm_cost {
    double exact, approximate, speedup;
    const char *stage1, *stage2; /* name of the algorithm that was the cheaper one, or NULL */
};
struct rcm_cost rcm_cost(const struct rcm_cost_model *model, struct rcm_topk p);

/* Cost of exact top-k by threshold: stage 1, the k-th largest candidate, the second look at the
 * row, and the exact top-k of the `reaching` elements that it collects. NaN outside the domain.
 * Source: docs/models.md 16. */
double rcm_cost_threshold(const struct rcm_cost_model *model, struct rcm_topk p, double reaching);

/* Insertions that stage 1 is expected to make in one row, if each bucket is a queue that a new
 * element enters only when it beats the smallest: in a bucket of s elements in random order, the
 * one at position t enters with probability min(1, k_b/t), together k_b (1 + H(s) - H(k_b)), H the
 * harmonic numbers; s where s <= k_b. NaN outside the domain. Accuracy  relative error <=
 * RCM_INSERTIONS_MAX_RELERR. Source: docs/models.md 11. */
#define RCM_INSERTIONS_MAX_RELERR 1e-13
double rcm_insertions(struct rcm_topk p);

/* ------------------------------------------------------------------------------------------------------------------------
 * Which b and k_b to deploy
 */

struct rcm_profile;
struct rcm_device;
enum rcm_dtype { RCM_F32, RCM_F16, RCM_BF16 };

/* What b must be. */
struct rcm_restriction {
    uint64_t align;                        /* a multiple of it; 0 or 1: any */
    const struct rcm_factors *divisors_of; /* of n: a divisor; NULL: any */
};

/* What stage 1 of a kernel starts for p, by the kernel's own rule: what of the time model is known
 * and not fitted. */
struct rcm_work {
    double blocks;   /* thread blocks */
    double elements; /* that a thread reads, one after the other */
    double lines;    /* of 128 bytes, that all warps ask for */
    bool merges;     /* the threads of a block share a bucket and merge what they kept */
};

#define RCM_EDGES_MOST 4

/* What a kernel can run, and how it does. A registry row: rcm_kernel(0), which runs anything, ..
 * until NULL. */
struct rcm_kernel {
    const char *name;
    const char *limits;
    uint64_t k_b_max;
    bool any_b; /* it runs every b */
    uint64_t (*next_b)(struct rcm_topk p, uint64_t low,
                       const struct rcm_restriction *restriction); /* the smallest b >= low for p's
                                                                     n, k, k_b and m; 0: none */
    struct rcm_work (*work)(struct rcm_topk p,
                            double bytes);       /* of a value; NULL: unknown. p in the domain */
    bool (*splits)(double m, double candidates); /* does its stage 2 divide a row among blocks? */
    size_t (*edges)(
        struct rcm_topk p,
        uint64_t b[RCM_EDGES_MOST]); /* the b from which it goes another way; NULL: none */
    const char *family; /* kernels of one family share a profile's parameters; the first's name */
    bool times_only;    /* only times are known: the short model (docs/models.md 14), not work */
};
const struct rcm_kernel *rcm_kernel(size_t index);

/* What an objective is computed with, beside the shape. */
struct rcm_machine {
    const struct rcm_profile *profile; /* needed by "time" */
    const struct rcm_device *device;   /* needed by "roofline" */
    enum rcm_dtype dtype;              /* of the values, for the roofline */
};
/* The kernel of that name, or NULL. */
const struct rcm_kernel *rcm_kernel_by_name(const char *name);

/* How an objective moves as b grows at one k_b: this decides how its least value is searched for.
 */
enum rcm_motion {
    RCM_GROWS_WITH_B, /* never falls: its least is at the smallest b */
    RCM_STEPS_WITH_B, /* falls only where ceil(n/b) does, or where the kernel changes its way */
    RCM_BENDS_WITH_B, /* smooth but for a few jumps */
};

enum rcm_need { RCM_NEEDS_NOTHING, RCM_NEEDS_PROFILE, RCM_NEEDS_DEVICE };

/* What is to be least, a registry row: rcm_objective(0), .. until NULL. Each value is that of all m
 * rows. NaN or INFINITY where the shape cannot be run or its value is not known. candidates
 * elements that stage 1 hands on; exact top-k: n; threshold: b k_b + E[R] basic, serial, parallel
 * cost in the cost model of that name time        microseconds that the profile predicts
 * (rcm_predict, rcm_predict_exact, rcm_predict_threshold) roofline    microseconds that stage 1
 * takes at least; threshold: and the second look; exact top-k: not known */
struct rcm_objective {
    const char *name, *unit;
    enum rcm_motion motion;
    enum rcm_need need;
    size_t cost_model; /* rcm_cost_model(cost_model), for the costs */
    double (*bucketed)(const struct rcm_objective *self, const struct rcm_machine *machine,
                       struct rcm_topk p);
    double (*exact)(const struct rcm_objective *self, const struct rcm_machine *machine,
                    struct rcm_topk p);
    double (*threshold)(const struct rcm_objective *self, const struct rcm_machine *machine,
                        struct rcm_topk p, double reaching); /* reaching: E[R] */
};
const struct rcm_objective *rcm_objective(size_t index);
const struct rcm_objective *rcm_objective_by_name(const char *name); /* NULL: there is none */

/* The question. Of all b and k_b that reach the target and that the kernel can run, the one with
 * the least objective; of equal ones that with the smaller k_b, then b. Not considered are b = 1,
 * the exact top-k, and shapes that keep every element. */
#define RCM_K_B_MAX_DEFAULT \
    4 /* beyond it stage 1 is bound by compares on most devices (rcm_ridge_k_b) */
struct rcm_selection {
    struct rcm_topk p;        /* n, k, m, valid, assignment; b and k_b are not read */
    struct rcm_target target; /* of the mean recall, and what b must be */
    double confidence;  /* 0: the mean must reach target.loss; otherwise a row must lose at most
                           most_lost with this  probability */
    uint64_t most_lost; /* k - ceil(R k): rcm_goal */
    const struct rcm_kernel *kernel;       /* NULL: any */
    uint64_t k_b_max;                      /* 0: RCM_K_B_MAX_DEFAULT */
    const struct rcm_objective *objective; /* NULL: candidates */
    struct rcm_machine machine;
    double exact_us; /* the user's own exact top-k, measured: in place of what an objective in us
                        says of it; 0: none */
    bool (*tick)(void *context, uint64_t done,
                 uint64_t total); /* called for each k_b; true: stop. NULL: none */
    void *tick_context;
};

/* A shape and its objective; INFINITY: there is none, and p means nothing. */
struct rcm_point {
    struct rcm_topk p;
    double objective;
};

enum rcm_deploy { RCM_DEPLOY_BUCKETED, RCM_DEPLOY_EXACT, RCM_DEPLOY_THRESHOLD };
const char *rcm_deploy_name(enum rcm_deploy deploy); /* bucketed, exact, threshold */

/* The answer. The best bucketed shape, whatever is to be deployed, and its two contenders. */
struct rcm_choice {
    struct rcm_topk p; /* the best bucketed shape, if its objective is finite */
    double objective;  /* INFINITY: no shape that drops any element reaches the target */
    enum rcm_deploy
        deploy; /* the least of the three; of equal ones exact top-k, then the threshold. Where the
                   exact objective is not known: bucketed, if there is a shape, otherwise exact */
    double exact_objective;     /* exact top-k of the row; NaN: not known */
    double over_exact;          /* objective/exact_objective: below 1, approximating pays */
    struct rcm_point threshold; /* exact top-k by threshold, the best shape for it */
    double reaching;            /* its E[R] */
};

/* Time      1 to 50 ms for the threshold. The buckets: some 10 us where the objective grows,
 * otherwise some 1000 calls of it for each k_b (2 sqrt(n) where it steps, at most some 15,000);
 * with a confidence some ten laws for each k_b (rcm_lost). Search    where it steps, at the
 * beginning of each step, but for those within 0.2 % in b of one before; where it bends, at every b
 * of up to 8192, otherwise by steps of 2 % in b, refined around each minimum. The threshold:
 * likewise, on an estimate of E[R] for each k_b up to 64, then with E[R] at a dozen b around where
 * the estimate is within 0.1 % and 2 of the least. Source    docs/models.md 13. */
struct rcm_choice rcm_select(const struct rcm_selection *selection);

/* The same, and the best of each k_b: each[k_b - 1], k_b = 1, .., k_b_max. */
struct rcm_choice rcm_select_each(const struct rcm_selection *selection, struct rcm_point *each);

/* The best bucketed shape alone, without its contenders; and that of one k_b. */
struct rcm_point rcm_best_buckets(const struct rcm_selection *selection);
struct rcm_point rcm_select_k_b(const struct rcm_selection *selection, uint64_t k_b);

/* The reverse: the most recall for an objective of at most `budget`; of equal recalls the least
 * objective. Exact top-k and the threshold, which lose nothing, are deployed where they are within.
 * The target is not read, but for its restrictions on b. each: NULL, or the best of each k_b, as
 * above. Exact where the objective grows or where there are up to 8192 b; where it steps, to 0.2 %
 * of b; with others to 2 %. */
struct rcm_choice rcm_best_recall(const struct rcm_selection *selection, double budget,
                                  struct rcm_point *each);

/* The shapes that no other shape beats in objective and recall, spread over the objectives of
 * shapes in steps of 5 % in b, down to a loss of 1e-6; at most `most` of them. Returns how many
 * there are (0 also without memory). As exact as rcm_best_recall. */
size_t rcm_frontier(const struct rcm_selection *selection, struct rcm_point *points, size_t most);

/* A recall as it is written: "0.95", ".999", "1", "9.5e-1". */
struct rcm_goal {
    double recall,
        loss; /* each the nearest double; the loss is 1 - recall, subtracted in decimals */
    uint64_t most_lost; /* of k: k - ceil(recall k), in integers */
};
/* Returns 0, or -1 where the text is no decimal number in (0, 1] of at most 18 digits behind the
 * point. 1 <= k <= RCM_N_MAX. */
int rcm_goal(const char *recall, uint64_t k, struct rcm_goal *goal);

/* Given n, b and k_b, the largest k <= min(n, b k_b) that reaches the target (p.k is not read); 0
 * if k = 1 does not, or outside the domain. Exact: recall is the mean of the survival of the
 * ranks 1..k, which does not depend on k and falls with the rank. */
uint64_t rcm_largest_k(struct rcm_topk p, struct rcm_target target);

/* Given k, b and k_b, the largest n that reaches the target (p.n and p.valid are not read); 0 if
 * none does, RCM_N_MAX if all do. Recall falls with n: proved for n that b divides, tested for
 * others (docs/models.md 13). */
uint64_t rcm_largest_n(struct rcm_topk p, struct rcm_target target);

/* Given n, k and b, the fewest kept per bucket (p.k_b is not read) that reach the selection's
 * target or confidence: what each of b devices, with a run of n/b elements, must send. 0: outside
 * the domain, or (with a confidence) where the law of a row cannot be had (rcm_lost). */
uint64_t rcm_fewest_k_b(const struct rcm_selection *selection);

/* A row that lies in b runs, one a device, each of which takes its exact top-k_b and sends it:
 * microseconds of one device, bytes that it sends (values, and indices of 4 bytes, of 8 where n is
 * above 2^31), microseconds of the merge, the exact top-k of all that was sent (0 where that is no
 * more than k), and of the whole row on one device instead. Times are those of the machine's
 * profile; without one they are bounds, the bytes over the device's bandwidth; NaN without a
 * device, and where the profile cannot say. The network is not counted. All NaN outside the domain.
 */
struct rcm_shards {
    double shard_us, send_bytes, merge_us, whole_us;
};
struct rcm_shards rcm_shards(const struct rcm_machine *machine, struct rcm_topk p);

/* What others deploy for a recall of 1 - loss. A registry row: rcm_practice(0), .. until NULL. */
struct rcm_practice {
    const char *name;
    const char *rule;
    struct rcm_topk (*choose)(struct rcm_topk p, double loss); /* b = 0: a full sort, or nothing */
};
const struct rcm_practice *rcm_practice(size_t index);

/* The buckets that XLA's approx_max_k takes for a recall_target of 1 - loss, which it holds in
 * single precision; 0: it sorts everything. p's n and k; of a vector (m <= 1) it takes tiles of
 * 1024, of rows of an array (m > 1) tiles of 128, whatever their number: for a single row of an
 * array give m = 2. For k = 1 it takes one tile, whatever the target. */
uint64_t rcm_xla_b(struct rcm_topk p, double loss);

/* A recall_target, of nine decimals, with which it takes b buckets, in double and in single
 * precision: the middle, in the log of the loss, of those that do. NaN: there is none. */
double rcm_xla_target(struct rcm_topk p, uint64_t b);

/* ------------------------------------------------------------------------------------------------------------------------
 * Roofline
 */

/* Rates of a device, each a peak. fma_rate counts a fused multiply-add of float32 as two, as
 * datasheets do; vector_rate counts compares and selects, which is what stage 1 is made of.
 * matrix_rate is dense bfloat16; matrix_rate_printed is the figure that Table 1 of [Samaga2025]
 * uses, 0 where it has none. memory_bytes is the nominal capacity. 0 in any rate but the
 * bandwidth, or in the memory: unknown. */
struct rcm_device {
    const char *name;
    double bandwidth_bytes_per_s;
    double fma_rate_per_s;
    double vector_rate_per_s;
    double matrix_rate_per_s;
    double matrix_rate_printed_per_s;
    const char *source;
    double memory_bytes;
};

/* Registry of devices: rcm_device(0), .. until NULL; by the whole name (letter case, blanks, '-'
 * and '_' ignored) or NULL. */
const struct rcm_device *rcm_device(size_t index);
const struct rcm_device *rcm_device_by_name(const char *name);

/* The devices that a person may mean: the one of that name, otherwise those whose names begin with
 * it (as above; a beginning does not end inside a number: h20 does not begin H200). Puts the first
 * `most` of them into `found`. Returns how many there are: 1, found[0] is meant; more, the name is
 * ambiguous; 0, there is none. */
size_t rcm_devices_by_prefix(const char *name, const struct rcm_device **found, size_t most);
/* Does a name begin with the prefix, as rcm_device_by_name compares names? A prefix that ends in
 * the middle of a number is none (H20 does not begin H200), nor is one without a letter. */
bool rcm_name_begins(const char *name, const char *prefix);

/* Vector operations a byte or a bf16 matrix multiply-add pair allows before they become the
 * bottleneck, as in Table 1 of [Samaga2025]: per 4 bytes read, and per 256 matrix operations (a dot
 * product of 128 elements). NaN where a rate is 0. */
double rcm_ridge_memory(double vector_rate_per_s, double bandwidth_bytes_per_s);
double rcm_ridge_matrix(double vector_rate_per_s, double matrix_rate_per_s);

/* Largest k_b with 5 k_b - 2 <= ridge; 0 if there is none. */
uint64_t rcm_ridge_k_b(double ridge);

double rcm_dtype_bytes(enum rcm_dtype dtype);
const char *rcm_dtype_name(enum rcm_dtype dtype); /* f32, f16, bf16 */
bool rcm_dtype_by_name(const char *name,
                       enum rcm_dtype *dtype); /* also float32, float16, bfloat16; false: another */

/* Roofline bound of stage 1: 5 k_b - 2 vector operations an element; m (n e + candidates (e + 4))
 * bytes, e bytes a value and a 4-byte index with each candidate. time = max(bytes/bandwidth,
 * operations/vector_rate). k_b_max is the largest k_b <= ceil(n/b) at which p (with its b) stays
 * memory-bound, 0 if none. Without a vector rate the bandwidth alone decides: time_us is
 * time_memory_us, still a bound from below, time_vector_us is NaN, memory_bound false (not known),
 * k_b_max 0 (not known). Source    [Samaga2025] 2.3 and 6; all NaN outside the domain and without a
 * bandwidth. */
struct rcm_roofline {
    double bytes, operations;
    double time_memory_us, time_vector_us, time_us;
    bool memory_bound;
    uint64_t k_b_max;
};
struct rcm_roofline rcm_roofline(const struct rcm_device *device, enum rcm_dtype dtype,
                                 struct rcm_topk p);

/* Scores that must be computed first: the products of m vectors with n others, all of d elements of
 * the type. time = max(bytes/bandwidth, matrix operations/ matrix_rate), and fused with stage 1
 * (whose vector operations run beside, and which writes candidates in place of all scores) also
 * vector operations/vector_rate. product  e (m d + n d + m n) bytes, 2 m n d matrix operations
 *   fused    e (m d + n d) + m candidates (e + 4) bytes, 2 m n d matrix and m n (5 k_b - 2) vector
 * operations Source    [Samaga2025] 2.3, 4 and A.12; NaN outside the domain, for d = 0, and where a
 * rate is unknown that it needs (product: bandwidth and matrix; fused: also vector). bound:
 *           "memory", "matrix" or "vector", NULL beside NaN. */
struct rcm_product {
    double product_us, fused_us;
    const char *product_bound, *fused_bound;
};
struct rcm_product rcm_product(const struct rcm_device *device, enum rcm_dtype dtype,
                               struct rcm_topk p, uint64_t d);

/* A decoder: `layers` of gated feed-forward networks (three matrices of width x ffn) and attention
 * with `heads` queries of `head` elements; heads/kv_heads queries share a head of keys and values.
 * ffn = 0: 8 width^2 parameters in place of 3 width ffn, so that a layer with a head of keys for
 * each query and heads head = width has 12 width^2, the form of [Key2024]. A step multiplies by one
 * embedding of width x vocabulary and reads `embeddings_read` of them whole (1: the output;
 * [Key2024]: 2).
 * Domain    layers, width, head, kv_heads >= 1, heads >= 1 a multiple of kv_heads; vocabulary = 0:
 *           not counted.
 * A registry row: rcm_decoder(0), .. until NULL; by name or prefix as rcm_devices_by_prefix. */
struct rcm_decoder {
    const char *name;
    uint64_t layers, width, vocabulary, head, heads, kv_heads, ffn, embeddings_read;
    const char *source;
};
const struct rcm_decoder *rcm_decoder(size_t index);
size_t rcm_decoders_by_prefix(const char *name, const struct rcm_decoder **found, size_t most);

/* The matrices of one layer: 2 width head (heads + kv_heads) + 3 width ffn elements; norms and
 * biases, under 1e-3 of them, are not counted. NaN outside the domain. */
double rcm_decoder_layer_parameters(const struct rcm_decoder *decoder);

/* The most that sparse attention can gain in one step of decoding, one sequence, 2-byte values: a
 * step takes operations/matrix_rate + bytes/bandwidth, and attention's part shrinks as its
 * transfers do. SparQ reads `components` elements of each of n cached keys and then k of them
 * whole, keys and values; for a head of d elements
 *   transfers = (2 n d + 2 d) / (n components + 2 k d + 4 d),
 *   speedup   = step / (step - attention + attention/transfers)
 * A group of g = heads/kv_heads queries is taken to choose its components and its k together. Where
 * each query chooses its own, and no two agree, up to g times as much is read:
 *   transfers_apart = (2 n d + 2 d) / (n min(g components, d) + 2 min(g k, n) d + 4 d)
 * Domain    1 <= k <= n <= RCM_N_MAX, 1 <= components <= head, both rates known; otherwise NaN.
 * Source    the code of [Key2024], whose Figure 5 has it as its dashed line (text: k = n/8; code:
 *           n/16). Groups, and what is left out: docs/models.md 15. */
struct rcm_attention {
    double step_us, attention_us; /* dense: one token, and what of it is attention */
    double transfers;             /* dense over sparse; below 1 where sparse moves more */
    double speedup;
    double transfers_apart, speedup_apart; /* each query choosing for itself; bounds from below */
    double bytes;                          /* that a dense step reads: the weights and the cache */
};
struct rcm_attention rcm_attention(const struct rcm_decoder *decoder,
                                   const struct rcm_device *device, uint64_t n, uint64_t k,
                                   uint64_t components);

/* ------------------------------------------------------------------------------------------------------------------------
 * Time
 */

/* A kernel on a device: what was fitted to measured runs (recallmodel calibrate), and how far these
 * go. Parameters are positive; 0: the runs had nothing to say about it. All names are those of the
 * lines of a profile's file. */
struct rcm_profile {
    const char *name; /* of the device */
    const struct rcm_kernel *kernel;
    enum rcm_dtype dtype;
    const char *date, *source,
        *runs; /* of the calibration; where the runs come from; which they were */

    double launch_us;      /* a kernel's start and end */
    double block_us;       /* from one thread block's start to the next, on the whole device */
    double blocks_at_once; /* that the device holds; more go in waves */
    double element_us_1, element_us_2, element_us_3, element_us_4, element_us_8,
        element_us_16;        /* one element of one thread, in cache, for this k_b; at most
                                 five of them */
    double insert_us;         /* a warp's insertion, for each k_b */
    double memory_ratio;      /* an element's time from memory over that from cache */
    double cache_bytes;       /* bytes of all rows at which half come from memory */
    double roof_bytes_per_s;  /* of memory, as the runs show it */
    double lines_per_us;      /* of 128 bytes, that all warps can ask for */
    double merge_us;          /* merging the queues of a block, for each of k_b + 3 */
    double select_launch_us;  /* stage 2 in one block a row: its start and end */
    double select_element_us; /* each candidate of a row */
    double select_batch_us;   /* each candidate of all rows */
    double split_launch_us;   /* stage 2 in several blocks a row: its start and end */
    double split_block_us;    /* each block of a row */
    double split_element_us;  /* each candidate of all rows */
    double operations_per_s;  /* short model: vector operations, 5 k_b - 2 an element */

    double n_low, n_high, k_low, k_high, b_low, b_high, k_b_low, k_b_high, m_low,
        m_high;                                  /* of the runs */
    double run_count, exact_count;               /* of two stages; of exact top-k */
    double median_error, p95_error, worst_error; /* |predicted/measured - 1|, of the runs */
    double held_out_median_error,
        held_out_p95_error; /* of sizes n that a fit to the others did not see; 0: not tried */
    double held_out_p05_ratio, held_out_p95_ratio; /* of these, measured/predicted: 5 % are below, 5
                                                      % above; 0: not tried */
    double held_out_exact_p05_ratio, held_out_exact_p95_ratio; /* the same of exact top-k, which is
                                                                  not in the two before */
};

/* The parameters, in order: rcm_time_parameter(0), .. until NULL. A profile has at most
 * RCM_TIME_PARAMETERS_MOST of them. */
#define RCM_TIME_PARAMETERS_MOST 20
struct rcm_time_parameter {
    const char *name, *unit, *meaning;
    double start;    /* where a fit begins */
    size_t offset;   /* into struct rcm_profile */
    unsigned k_b;    /* of an element's time; 0: another parameter */
    bool always;     /* every prediction of stage 1 needs it, but for the short model */
    bool times_only; /* of the short model, where 0 leaves its term out */
};
const struct rcm_time_parameter *rcm_time_parameter(size_t index);

/* Its value in a profile, to read and to set. */
double rcm_time_value(const struct rcm_profile *profile,
                      const struct rcm_time_parameter *parameter);
void rcm_set_time_value(struct rcm_profile *profile, const struct rcm_time_parameter *parameter,
                        double value);

/* Profiles that come with the library: rcm_profile(0), .. until NULL. */
const struct rcm_profile *rcm_profile(size_t index);

/* What a profile lacks to predict a time, as a phrase that continues "the profile ..", or NULL. */
const char *rcm_profile_lacks(const struct rcm_profile *profile);

/* Which of a question's numbers, or the kernel's way, lie outside the runs of a profile. */
enum rcm_beyond {
    RCM_BEYOND_N = 1,
    RCM_BEYOND_K = 2,
    RCM_BEYOND_B = 4,
    RCM_BEYOND_K_B = 8,
    RCM_BEYOND_M = 16,
    RCM_BEYOND_KERNEL = 32, /* the kernel that was run starts something else for this shape */
};

/* Their names, such as "n, m"; "" for 0. */
#define RCM_BEYOND_TEXT 32
void rcm_beyond_text(unsigned beyond, char text[RCM_BEYOND_TEXT]);

/* Predicted time of both stages.
 * Domain    p deployable or b k_b < k; the kernel's shape is known; k_b between the smallest and
 *           the largest that has an element's time (between two of them it is interpolated in
 *           logarithms; the short model takes any k_b); what it needs is known. Otherwise NaN.
 * Error     in the profile; low_us and high_us are a band of held-out runs, not a bound. For
 *           interleaved buckets.
 * Source    docs/models.md 14. */
struct rcm_prediction {
    double time_us, stage1_us,
        stage2_us;          /* stage2_us is 0 where there are no more than k candidates */
    double low_us, high_us; /* 90 % of held-out runs lay between: time_us times the
                               profile's ratios; NaN where unknown */
    const char *bound;      /* what takes most of stage 1: "launch", "threads", "waves",
                               "memory", "lines", "blocks", "merge", "operations" */
    const char *stage2;     /* "none", "one block", "split" */
    bool within_runs;       /* n, k, b, k_b and m lie between those of the runs:
                               beyond is 0. False outside the domain */
    unsigned beyond;        /* of enum rcm_beyond: what does not */
};
struct rcm_prediction rcm_predict(const struct rcm_profile *profile, struct rcm_topk p);

/* The same for another kernel of the profile's family, with the profile's parameters: Graphcore's
 * kernel with one thread a bucket by a profile of its own rule, say. Where the two kernels start
 * the same for p, it is rcm_predict; elsewhere the band is NaN, for no run tells the error, and
 * beyond has RCM_BEYOND_KERNEL. NaN for a kernel of another family. */
struct rcm_prediction rcm_predict_as(const struct rcm_profile *profile,
                                     const struct rcm_kernel *kernel, struct rcm_topk p);

/* Predicted time of the exact top-k of all n, as stage 2 does it. NaN outside the domain. p.b and
 * p.k_b are not read. */
double rcm_predict_exact(const struct rcm_profile *profile, struct rcm_topk p);

/* Predicted time of exact top-k by threshold: both stages of p, whose k-th largest candidate is the
 * threshold, a second look at the row, and the exact top-k of the E[R] elements that it collects.
 * The second look reads from memory what does not fit cache_bytes. NaN outside the domain and where
 * the profile cannot say. */
double rcm_predict_threshold(const struct rcm_profile *profile, struct rcm_topk p, double reaching);

/* ------------------------------------------------------------------------------------------------
 * Devices and profiles as text
 *
 *     # a remark
 *     name = My GPU
 *     bandwidth_bytes_per_s = 3.35e12     # a remark
 *
 * A text is lines `key = value` in any order; blanks around both, empty lines and what follows a #
 * are not read. A value is a positive decimal number or UTF-8 without control characters. The
 * decimal point is a point in every locale. A text with a kernel is a profile and has the
 * parameters that every prediction needs; it may have the rates of its device. A text without is a
 * device and has bandwidth_bytes_per_s.
 */

/* A device and, where the text has one, its profile. They point to the texts behind them: it must
 * not be copied. */
struct rcm_device_text {
    struct rcm_device device; /* rates that the text does not have are 0 */
    struct rcm_profile profile;
    bool has_profile;
    char name[40], source[400], date[40], runs[200];
};

enum rcm_text_kind {
    RCM_TEXT_WORDS,     /* char[size] */
    RCM_TEXT_RATE,      /* double, of the device */
    RCM_TEXT_KERNEL,    /* the name of a kernel with a known work */
    RCM_TEXT_DTYPE,     /* enum rcm_dtype */
    RCM_TEXT_PARAMETER, /* double, of the profile: rcm_time_parameter */
    RCM_TEXT_FIGURE,    /* double, of the profile: of its runs and of its errors */
};

/* The keys, in the order in which they are written: rcm_text_key(0), .. until its name is NULL. */
struct rcm_text_key {
    const char *name;
    enum rcm_text_kind kind;
    size_t offset, size; /* of its value in struct rcm_device_text */
};
struct rcm_text_key rcm_text_key(size_t index);

/* Reads `length` bytes, fewer than RCM_PROFILE_TEXT_MOST, in lines of at most 511. A key that
 * stands twice is refused.
 * Returns   0; or the number of the line, from 1 on, that is wrong; or -1 where no line is wrong
 *           but the whole is, such as a profile that lacks a parameter. Then `error` says what is
 * wrong and what to write (cut to error_size), and *out must not be used. */
#define RCM_PROFILE_TEXT_MOST 65536
int rcm_profile_text_read(const char *text, size_t length, struct rcm_device_text *out, char *error,
                          size_t error_size);

/* Writes a profile (or NULL) and the rates of its device (or NULL) that are known, into at most
 * size bytes with the ending zero, as snprintf does. Numbers have the fewest digits, from 6 on,
 * that are read as the same double.
 * errors    NULL, or the relative standard error of each rcm_time_parameter; NaN: none. It goes
 *           into a remark.
 * Returns   the length of the whole text, without the zero. 0: both are NULL; the profile's kernel
 *           has no known work; or a name, source, date or runs has a #, is not plain (see below),
 * or is longer than struct rcm_device_text has room for. */
size_t rcm_profile_text_write(char *buffer, size_t size, const struct rcm_profile *profile,
                              const struct rcm_device *device, const double *errors);

/* Is it UTF-8 without control characters, so that it can stand on a line, on a terminal and in
 * JSON? */
bool rcm_text_is_plain(const char *text);
/* The same with its band, which is of the held-out runs of exact top-k; stage1_us is 0. Without any
 * run of exact top-k in the profile, n counts as beyond the runs. */
#define RCM_BAND_RUNS 8 /* a band needs so many held-out runs; of fewer than 20: least and most */
struct rcm_prediction rcm_predict_exact_band(const struct rcm_profile *profile, struct rcm_topk p);

/* ------------------------------------------------------------------------------------------------------------------------
 * Many shapes
 */

/* out[i] = of(p[i]), i < count: any function of a shape, or any objective. For languages in which a
 * call costs more than the answer; they add nothing to the functions' own contracts. */
void rcm_each(double (*of)(struct rcm_topk), const struct rcm_topk *p, size_t count, double *out);
void rcm_each_objective(const struct rcm_objective *objective, const struct rcm_machine *machine,
                        const struct rcm_topk *p, size_t count,
                        double *out); /* its value of the bucketed shapes */

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
