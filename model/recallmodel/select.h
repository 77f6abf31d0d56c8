/* recallmodel/select.h - which b and k_b to deploy, whether to approximate at all, and the same
 * question in reverse.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_SELECT_H
#define RECALLMODEL_SELECT_H

#include "cost.h"
#include "filter.h"
#include "measured.h"
#include "recall.h"
#include "provider.h"
#include "rope.h"
#include "shape.h"
#include "time.h"

RCM_BEGIN

/* ------------------------------------------------------------------------------------------------
 * Objectives: what is to be least
 */

/* What an objective is computed with, apart from the shape. */
struct rcm_machine {
    const struct rcm_profile *profile; /* needed by "time" */
    const struct rcm_device *device;   /* needed by "roofline" */
    enum rcm_dtype dtype;              /* of the values, for the roofline */
    /* the values are products of vectors of d elements, and stage 1 runs in the kernel of the
     * product (rcm_product); "time" then needs a device, too. 0: the values lie in memory */
    uint64_t d;
    /* "time" also for shapes beyond the runs of the profile, by the upper end of their band; false:
     * such shapes take no part */
    bool beyond_runs;
};

/* How an objective changes as b grows at one k_b. This decides how the search finds its least
 * value. */
enum rcm_motion {
    RCM_GROWS_WITH_B, /* never falls: its least is at the smallest b */
    /* falls only where ceil(n/b) does, or where the kernel works in another way */
    RCM_STEPS_WITH_B,
    RCM_BENDS_WITH_B, /* smooth but for a few jumps */
};

enum rcm_need { RCM_NEEDS_NOTHING, RCM_NEEDS_PROFILE, RCM_NEEDS_DEVICE };

/* What the value of an objective is, as a sum. */
enum rcm_measure {
    RCM_COUNTS_CANDIDATES = 1,
    RCM_IN_US = 2,
    RCM_IS_BOUND = 4, /* nothing takes less; a launch comes on top (rcm_with_launch) */
};

/* What is to be least, a registry row: rcm_objective(0), .. until NULL. Each value is that of all m
 * rows. NaN or INFINITY where the shape cannot be run or its value is not known.
 *   candidates               elements that stage 1 hands on; exact top-k: n; threshold:
 *                            b k_b + E[R]
 *   basic, serial, parallel  cost in the cost model with that name
 *   time                     microseconds that the profile predicts (rcm_predict,
 *                            rcm_predict_exact, rcm_predict_threshold)
 *   roofline                 microseconds that stage 1 takes at least, its candidates going to
 *                            memory (through_memory_us); threshold: and the second pass; exact
 *                            top-k: not known. Bounds within RCM_BOUND_TIE count as equal
 * With machine.d, in place of stage 1 the time and the roofline have fused_through_memory_us of
 * rcm_product, a bound, and the roofline rcm_stage2_us, too. Exact top-k, not fused, then takes
 * product_us and its predicted time; fused: rcm_fused_exact(). The threshold, whose second pass
 * would need the product again, is not known. */
struct rcm_objective {
    const char *name, *unit;
    enum rcm_motion motion;
    enum rcm_need need;
    unsigned measure;  /* of enum rcm_measure; 0: a cost */
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

/* out[i] = the value for the bucketed shape p[i], i < count: as rcm_each. */
void rcm_each_objective(const struct rcm_objective *objective, const struct rcm_machine *machine,
                        const struct rcm_topk *p, size_t count, double *out);

/* ------------------------------------------------------------------------------------------------
 * Which b and k_b to deploy
 */

/* The question. Of all b and k_b that reach the target and that the kernel can run, choose those
 * with the least objective; among equal ones that with the fewest candidates, then the smaller k_b,
 * then the smaller b. Shapes that keep every element do not take part, nor does b = 1, the exact
 * top-k. Beyond a k_b of RCM_K_B_MAX_DEFAULT, compares bound stage 1 on most devices:
 * rcm_ridge_k_b. */
#define RCM_K_B_MAX_DEFAULT 4
struct rcm_selection {
    struct rcm_topk p;        /* n, k, m, valid, assignment; b and k_b are not read */
    struct rcm_target target; /* of the mean recall, and what b must be */
    /* 0: the mean must reach target.loss. Otherwise a row must lose at most most_lost elements with
     * this probability; with target.weights, which must be those of normal scores, at most
     * target.loss of the mass; b is then found to 1/512 */
    double confidence;
    uint64_t most_lost;                    /* k - ceil(R k): rcm_goal */
    const struct rcm_kernel *kernel;       /* NULL: any */
    uint64_t k_b_max;                      /* 0: RCM_K_B_MAX_DEFAULT */
    const struct rcm_objective *objective; /* NULL: candidates */
    struct rcm_machine machine;
    /* the measured time of the user's own exact top-k, or that which another profile predicts
     * (rcm_predict_exact), which replaces what an objective in us says about it; 0: none */
    double exact_us;
    double exact_low_us, exact_high_us; /* its band, if a profile predicts it; 0: none is known */
    const struct rcm_profile *exact_profile; /* which predicts it; NULL: the user measured it */
    uint64_t exact_padded_n;                 /* it is of rows padded to so many elements; 0: not */
    /* only what takes equal elements so, or better, takes part; exact_us is the user's word */
    enum rcm_keeps_ties ties;
    /* whose kernels can be called here, beside torch.topk: bit i is rcm_provider(i); the buckets of
     * this project are its row's. 0: all */
    uint32_t have;
    /* what was timed on the machine that is asked about. Where exact top-k is among it for n, k, m,
     * the type of the machine and the threads of its profile, it replaces all predictions of exact
     * top-k, and so do buckets that reach the target. For other rows: rcm_fit_here() */
    const struct rcm_measured *measured;
    size_t measured_count;
    /* called for each k_b; returns true to stop the search. NULL: none */
    bool (*tick)(void *context, uint64_t done, uint64_t total);
    void *tick_context;
    /* keep away from the b that resonate with it (rcm_rope_resonates); theta = 0: none. Only
     * interleaved buckets can resonate. If every b does, the answer is that without it, and b
     * resonates; a permutation of the elements, the same for all rows, breaks the waves up. */
    struct rcm_rope rope;
};

/* Exact top-k in the kernel of the product. The threshold of a row is an element of a sample of its
 * products, which another kernel computes first; elements that reach it are handed on, and stage 2
 * finds the top k of them. The rank in the sample is the least with which fewer than k survive in
 * at most RCM_FUSED_TOO_FEW of the rows; those are computed again, which is not counted, nor is
 * what finds the rank.
 *   time_us = fused_through_memory_us of rcm_product_above + stage2_us + a launch (of the sample)
 * with stage 2 of so many candidates and its launch as for buckets of this objective: a bound.
 * Domain    machine.d and an objective in us, with what that needs; otherwise time_us is NaN.
 * Source    docs/models.md 10. */
#define RCM_FUSED_SAMPLE 64 /* one in so many elements is in the sample */
#define RCM_FUSED_TOO_FEW (1.0 / 30000.0)
struct rcm_fused_exact {
    struct rcm_sample sample; /* rank = 0: none suffices, and all elements are handed on */
    uint64_t survivors;       /* on average */
    struct rcm_product product;
    double stage2_us, time_us;
};
struct rcm_fused_exact rcm_fused_exact(const struct rcm_selection *selection);

/* What is to be least if nothing is said: the time with a profile, the roofline with a device, and
 * otherwise the candidates. */
const struct rcm_objective *rcm_usual_objective(const struct rcm_machine *machine);

/* May it be asked? The first member at fault; k, n and the like are for rcm_check. */
enum rcm_selection_status {
    RCM_SELECTION_OK,
    RCM_SELECTION_KERNEL,     /* it only finds the exact top-k */
    RCM_SELECTION_NO_PROFILE, /* the objective needs one */
    RCM_SELECTION_NO_DEVICE,  /* the objective needs one */
    RCM_SELECTION_NO_RATES,   /* the objective needs the bandwidth of the device */
    RCM_SELECTION_D,          /* needs a device, and an objective in us */
    RCM_SELECTION_EXACT_US,   /* needs an objective in us */
    RCM_SELECTION_EXACT_CPU,  /* of a kernel and the profile one is of a CPU, the other of a GPU */
    RCM_SELECTION_HAVE_CPU,   /* the profile is of a CPU, and `have` does not name this project */
    RCM_SELECTION_ROPE,       /* only interleaved buckets resonate */
    /* exact_us, or a time of the profile, is below the floor of the device: rcm_least_us() */
    RCM_SELECTION_FLOOR,
};
enum rcm_selection_status rcm_selection_check(const struct rcm_selection *selection);

/* Which kernel's buckets to ask about, where none was asked for and the objective is the time:
 * those of the selection's profile or, if the device runs them and they take less, this project's,
 * carried to it (rcm_stand_in_for). Where the profile is that of the latter, and no run has such
 * n, k or m, or `have` or `ties` forbid it: Graphcore's, carried. budget: of rcm_best_recall, for
 * which those that lose least are the best; 0: none.
 * Returns   the profile; that of the selection in all other cases. */
struct rcm_profile rcm_faster_profile(const struct rcm_selection *selection, double budget);

/* Fits a profile to what was measured: its times of the selection's rows are multiplied by the
 * geometric mean of measured over predicted, of buckets and of exact top-k (that on a CPU alone).
 * Near rows rule: a weight is (1/4 + d^2)^-2, where d^2 is the sum of the squares of the distances
 * of log2 n, k and m. If they count as three or more, their spread is the band. On a CPU the
 * threads become those of the nearest rows.
 * Source    docs/models.md 21. */
void rcm_fit_here(struct rcm_profile *profile, const struct rcm_selection *selection);

/* The time of buckets of the selection's rows by its profile: rcm_predict or, where they were timed
 * here for these very rows and threads, that time and its interval. It needs the profile. */
struct rcm_prediction rcm_predict_here(const struct rcm_selection *selection, struct rcm_topk p);

/* Compares with one exact kernel alone: sets exact_us, its band and exact_profile as the profile
 * `kernel` predicts them, which is carried to the device where it was measured on another card
 * (rcm_carry_exact).
 * Returns   the profile that predicts; exact_us is NaN where that has no time for n, k and m. */
struct rcm_profile rcm_compare_exact(struct rcm_selection *selection,
                                     const struct rcm_profile *kernel);

/* A shape and its objective. INFINITY: there is none, and p means nothing. */
struct rcm_point {
    struct rcm_topk p;
    double objective;
};

/* By how much two bounds must differ to decide. Of shapes whose bounds are within this factor of
 * the least, the roofline takes the one that the stand-in for the device (rcm_stand_in_for) runs
 * fastest: the bound counts no threads, and a shape with few buckets cannot come near it. */
#define RCM_BOUND_TIE 1.05

enum rcm_deploy { RCM_DEPLOY_BUCKETED, RCM_DEPLOY_EXACT, RCM_DEPLOY_THRESHOLD };

/* What a bound must leave to be gained. No kernel reaches its bound: where it would gain less than
 * a tenth, approximating does not pay. */
#define RCM_BOUND_MARGIN 1.1

/* Why that is to be deployed. */
enum rcm_reason {
    RCM_REASON_LEAST,     /* it has the least objective */
    RCM_REASON_TOO_CLOSE, /* too_close */
    RCM_REASON_NO_EXACT,  /* it has the least that is known, and exact top-k's is not known */
    /* no buckets take part: */
    RCM_REASON_RECALL,  /* no shape of any kernel that drops an element reaches the target */
    RCM_REASON_RUNS,    /* some beyond the runs of the profile do, none within */
    RCM_REASON_OPTIONS, /* some with a b that align and divisors forbid do */
    RCM_REASON_KERNEL,  /* some do that the kernel cannot run */
    /* rcm_best_recall: */
    RCM_REASON_BUDGET,  /* nothing within the budget keeps more */
    RCM_REASON_NOTHING, /* nothing is within the budget; deploy is exact */
    /* no buckets take part: */
    RCM_REASON_TIES, /* the kernel takes other ones of equal elements */
};
const char *rcm_reason_name(enum rcm_reason reason); /* "least", "too_close"; NULL: out of range */
const char *rcm_reason_text(enum rcm_reason reason); /* a sentence without its full stop */

/* The answer: the best bucketed shape, whatever is to be deployed, and its two contenders. */
struct rcm_choice {
    struct rcm_topk p; /* the best bucketed shape, if its objective is finite */
    double objective;  /* INFINITY: no shape that drops any element reaches the target */
    /* Where the objective is the time, the rule of rcm_verdict (answer.h). Otherwise the least of
     * those that one can call; the threshold on a CPU alone. Among equal ones exact top-k, then the
     * threshold. If the exact objective is not known: the shape, if there is one. A bound, as the
     * roofline and every time with machine.d, must leave something: exact top-k must take longer
     * than RCM_BOUND_MARGIN times it (rcm_with_launch) */
    enum rcm_deploy deploy;
    /* exact top-k of the row; the time is that of the fastest that can be called (provider.h), with
     * machine.d of the fused one or the other, whichever is less; NaN: not known */
    double exact_objective;
    double over_exact; /* objective/exact_objective: below 1, approximating pays */
    /* exact top-k by threshold, the best shape for it; INFINITY but on a CPU, where a library has
     * it, and there if the objective is the time: exact_objective is that already, unless exact_us
     * takes its place */
    struct rcm_point threshold;
    double reaching; /* its E[R] */
    /* Where the objective is the time without beyond_runs: the best shape beyond the runs, if the
     * upper end of its band is less than the objective. INFINITY: none is */
    struct rcm_point beyond;
    /* Where the objective is the time: what loses nothing is deployed, but the buckets may take as
     * long or less, by the errors of both (rcm_surely_faster) */
    bool too_close;
    enum rcm_reason reason;
};

/* Exact top-k by threshold: the shape with the least objective, on any machine, and its E[R] in
 * *reaching. INFINITY: there is none. The target says only what b must be.
 * Method    the search looks at an estimate of E[R] for each k_b up to 64, and then takes E[R] at a
 *           dozen b around those where the estimate is within 0.1 % and 2 of the least.
 * Time      1 to 50 ms */
struct rcm_point rcm_best_threshold(const struct rcm_selection *selection, double *reaching);

/* "bucketed", "exact" or "threshold"; "none": nothing is within the budget. */
const char *rcm_deployed(const struct rcm_choice *choice);

/* Accuracy  the predicted time of the buckets is at most RCM_TIME_SEARCH_ERROR, as a share, above
 *           the least of all b.
 * Method    where the objective steps, the search looks at the beginning of each step, except those
 *           within 0.2 % in b of one before, and of a kernel that works on vectors of buckets at
 *           whole vectors. Where it bends, it looks at every b of up to 8192,
 *           otherwise at steps of 2 % in b, refined around each minimum.
 * Time      some 10 us where the objective grows, otherwise some 1000 evaluations of it for each
 *           k_b (2 sqrt(n) where it steps, at most some 15,000); with a confidence some ten
 *           distributions for each k_b (rcm_lost); on a CPU 1 to 50 ms more (rcm_best_threshold).
 * Source    docs/models.md 13; with rope: docs/real-data.md. */
#define RCM_TIME_SEARCH_ERROR 1e-3
struct rcm_choice rcm_select(const struct rcm_selection *selection);

/* The same, and the best of each k_b: each[k_b - 1], k_b = 1, .., k_b_max. */
struct rcm_choice rcm_select_each(const struct rcm_selection *selection, struct rcm_point *each);

/* Where no buckets take part: the least n up to a quarter longer that is a multiple of a power of
 * two, and in which the kernel has buckets for the elements of the row and padding; 0: none. */
uint64_t rcm_padded_n(const struct rcm_selection *selection);

/* The best bucketed shape alone, without its contenders; and that of one k_b. */
struct rcm_point rcm_best_buckets(const struct rcm_selection *selection);
struct rcm_point rcm_select_k_b(const struct rcm_selection *selection, uint64_t k_b);

/* ------------------------------------------------------------------------------------------------
 * In reverse: the most recall for a budget, the largest k or n, the fewest kept per bucket
 */

/* The objective of buckets or of the threshold as it is compared with exact top-k and with a
 * budget: where it is a bound, with a launch, the shortest kernel that was measured on the device
 * (0: not known). */
double rcm_with_launch(const struct rcm_selection *selection, double objective);

/* The most recall for an objective of at most `budget`, a bound with its launch; among equal
 * recalls the least objective. Of a time that is carried from another card the upper end of its
 * band must keep to the budget.
 * Exact top-k, and on a CPU the threshold, lose nothing: they are deployed if they are within the
 * budget. Of the target it reads only what b must be. each: NULL, or the best of each k_b, as
 * above. Exact where the objective grows or where there are up to 8192 b; to 0.2 % of b where it
 * steps; to 2 % for others. */
struct rcm_choice rcm_best_recall(const struct rcm_selection *selection, double budget,
                                  struct rcm_point *each);

/* The frontier: shapes that no other shape exceeds in both objective and recall, spread over the
 * objectives of shapes in steps of 5 % in b, down to a loss of 1e-6; at most `most` of them. As
 * exact as rcm_best_recall.
 * Returns   how many there are; 0 also if memory runs out. */
size_t rcm_frontier(const struct rcm_selection *selection, struct rcm_point *points, size_t most);

/* A recall as it is written: "0.95", ".999", "1", "9.5e-1". */
struct rcm_goal {
    /* each the nearest double; the loss is 1 - recall, subtracted in decimals */
    double recall, loss;
    /* Of k: k - ceil(recall k), in integers; k - c where the recall is within one unit of the last
     * place of c/k, as answers print it, and k <= 2^50. */
    uint64_t most_lost;
};

/* 1 <= k <= RCM_N_MAX.
 * Returns   0; or -1 where the text is not a decimal number in (0, 1] with at most 18 digits behind
 *           the point. */
int rcm_goal(const char *recall, uint64_t k, struct rcm_goal *goal);

/* The same of a number, in decimals, so that 0.99 of 1000 may lose 10, and 2/3 of 3 may lose 1:
 * with the fewest digits, from 15 on, that are read as the same number, or 15 where these are too
 * many.
 */
int rcm_goal_of_number(double recall, uint64_t k, struct rcm_goal *goal);

/* Given n, b and k_b, the largest k <= min(n, b k_b) that reaches the target (p.k is not read); 0
 * if k = 1 does not, outside the domain, or with lengths. Exact: recall is the mean of the survival
 * of the ranks 1..k, which does not depend on k and falls with the rank. */
uint64_t rcm_largest_k(struct rcm_topk p, struct rcm_target target);

/* Given k, b and k_b, the largest n that reaches the target (p.n and p.valid are not read); 0 if
 * none does or with lengths, RCM_N_MAX if all do. Recall falls with n: proved for n that b divides,
 * tested for others (docs/models.md 13). */
uint64_t rcm_largest_n(struct rcm_topk p, struct rcm_target target);

/* Given n, k and b, the fewest kept per bucket (p.k_b is not read) that reach the target or the
 * confidence of the selection: what each of b devices, with a run of n/b elements, must send, also
 * if that is fewer than k in all. 0 outside the domain, with lengths, and (with a confidence) where
 * rcm_lost refuses a distribution that it needs. */
uint64_t rcm_fewest_k_b(const struct rcm_selection *selection);

/* ------------------------------------------------------------------------------------------------
 * What others deploy
 */

/* What others deploy for a recall of 1 - loss. A registry row: rcm_baseline(0), .. until NULL. */
struct rcm_baseline {
    const char *name;
    const char *rule;
    struct rcm_topk (*choose)(struct rcm_topk p, double loss); /* b = 0: a full sort, or nothing */
};
const struct rcm_baseline *rcm_baseline(size_t index);

/* The buckets that XLA's approx_max_k takes for a recall_target of 1 - loss, which it holds in
 * single precision; 0: it sorts everything. It reads n and k of p, and m: for a vector (m <= 1) it
 * takes tiles of 1024, for the rows of an array (m > 1) tiles of 128, whatever their number. For a
 * single row of an array give m = 2. For k = 1 it takes one tile, whatever the target. */
uint64_t rcm_xla_b(struct rcm_topk p, double loss);

/* A recall_target, of nine decimals, for which it takes b buckets in double and in single
 * precision: the middle, in the log of the loss, of those targets. NaN: there is none. */
double rcm_xla_target(struct rcm_topk p, uint64_t b);

RCM_END

#endif
