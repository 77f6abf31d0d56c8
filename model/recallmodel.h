/* recallmodel.h - recall and cost of bucketed approximate top-k.
 *
 * Split a row of n values into b buckets and keep the k_b largest of each (stage 1). If these are
 * more than k candidates, take their exact top-k (stage 2). This library answers, in closed form
 * and without simulation: which fraction of the true top-k survives, how much that fraction varies
 * from row to row, which b reaches a target, how much work and time it takes, and what to deploy.
 *
 *     #include <recallmodel.h>
 *     #include <stdio.h>
 *
 *     int main(void)
 *     {
 *         const struct rcm_topk p = {.n = 262144, .k = 1024, .b = 512, .k_b = 4, .m = 1};
 *         printf("%.6f %.6f\n", rcm_recall_exact(p), rcm_recall_sd(p));
 *     }
 *
 *     cc example.c $(pkg-config --cflags --libs recallmodel) # prints 0.962957 0.006544
 *
 * Letters, everywhere and in this order: n elements in a row, k wanted, b buckets, k_b kept per
 * bucket, m rows in the batch. recall = the expected fraction of the true top-k that survives.
 * loss = 1 - recall, computed as such and never by subtraction.
 *
 * All functions are pure: no global state, no output. Any number of threads may call them. Outside
 * its domain a function returns NaN (0 if it returns an integer).
 *
 * Only these functions allocate memory: rcm_lengths_of; those of the distribution of a row
 * (rcm_lost, rcm_recall_quantile, rcm_probability_exact) and of R (rcm_reaching and those whose
 * names begin with it), each also in its form for buckets; rcm_best_threshold and, on a CPU,
 * rcm_select, rcm_select_each and rcm_best_recall, which ask it; rcm_frontier; any choice with a
 * confidence (rcm_best_buckets, rcm_select_k_b, rcm_fewest_k_b); those of parts.h, and of
 * lost_mass.h but for rcm_lost_mass; and rcm_filter, rcm_filter_compactions_at_most and
 * rcm_best_filter. Except for the arrays of rcm_lengths_of and rcm_lost, they free it before they
 * return. No other function allocates.
 *
 * The library comes in parts, in the order in which they build on each other. Each can be included
 * alone, and the folder of the same name implements it:
 *
 *     shape.h    the question: is it legal, what are its buckets, which b does it allow?
 *     recall.h   recall, its standard deviation, the distribution of a row, bounds, the smallest b
 *     rope.h     rows with periodic components: which b resonate, and what that costs
 *     blocks.h   the best blocks of a row, then the top-k inside them (in the folder recall)
 *     parts.h    a row in parts that each send their best: what is lost, how many to send
 *     lost_mass.h   what the lost elements weigh (in the folder mass)
 *     cost.h     the cost models of the papers, the roofline, devices, attention
 *     time.h     kernels, profiles, predicted times; profile_text.h: profiles as text
 *     measured.h what was timed on the machine at hand (in the folders time and select)
 *     provider.h exact kernels that one can call, on which cards (in the folder time)
 *     select.h   which b and k_b to deploy, and the same question in reverse
 *     answer.h   what to call here, beside what else could be called (in the folder select)
 *     threshold_bin.h   how full a histogram's bin of the k-th largest is (in the folder recall)
 *     rounding.h        what exact top-k loses on rounded scores (in the folder recall)
 *     routing.h         groups of experts, then the top-k inside them (in the folder mass)
 *     overlap.h         what a selection by other scores has (in the folder mass)
 *     quantised.h       how far products of quantised vectors keep the order (in the folder mass)
 *     filter.h          exact top-k by a running or a sampled threshold (in the folder recall)
 *
 * Sources: [Key2024] Key, Ribar, Cattaneo, Hudlass-Galley, Orr, "Approximate Top-k for Increased
 * Parallelism", arXiv 2412.04358. [Samaga2025] Samaga et al., "A Faster Generalized Two-Stage
 * Approximate Top-K", arXiv 2506.04165v3. Derivations and errata: docs/models.md, docs/claims.md.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_H
#define RECALLMODEL_H

#include "recallmodel/answer.h"
#include "recallmodel/blocks.h"
#include "recallmodel/cost.h"
#include "recallmodel/filter.h"
#include "recallmodel/lost_mass.h"
#include "recallmodel/measured.h"
#include "recallmodel/overlap.h"
#include "recallmodel/parts.h"
#include "recallmodel/profile_text.h"
#include "recallmodel/quantised.h"
#include "recallmodel/recall.h"
#include "recallmodel/rope.h"
#include "recallmodel/routing.h"
#include "recallmodel/rounding.h"
#include "recallmodel/provider.h"
#include "recallmodel/select.h"
#include "recallmodel/shape.h"
#include "recallmodel/threshold_bin.h"
#include "recallmodel/time.h"

RCM_BEGIN

#define RCM_VERSION "0.1.0"

/* The version of the library that is linked, to compare with RCM_VERSION. */
const char *rcm_version(void);

RCM_END

#endif
