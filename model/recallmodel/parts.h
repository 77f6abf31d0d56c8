/* recallmodel/parts.h - a row that lies in parts, each of which sends its best elements: what the
 * merge loses, how often it can prove its answer, and how many each part must send.
 *
 * The parts are the shards, ranks, segments or blocks of threads that hold a row. Part i has s_i
 * elements and sends its k_i best. X_i, the number of the true top-k in part i, is multivariate
 * hypergeometric: the top-k lie anywhere in the row with equal probability. The merge takes the k
 * best of all that is sent.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_PARTS_H
#define RECALLMODEL_PARTS_H

#include "recall.h"

RCM_BEGIN

/* `count` parts of `size` elements, each of which sends its `send` best. */
struct rcm_part {
    uint64_t size, send, count;
};

/* A row: the k best are wanted. Several entries may have the same size.
 *
 * Domain of every function that takes it: length >= 1; every size and count >= 1; send <= size;
 * the sum n of size times count <= RCM_N_MAX; 1 <= k <= n. send may be 0, and a send above k counts
 * as k. Otherwise NaN, or 0 for an integer. */
struct rcm_parts {
    uint64_t k;
    const struct rcm_part *of;
    size_t length;
};

/* RCM_OK; RCM_BAD_N: a size or count of 0, no part, or a sum above RCM_N_MAX; RCM_BAD_K: not
 * 1 <= k <= n; RCM_BAD_K_B: a part sends more than it has. */
enum rcm_status rcm_parts_check(struct rcm_parts p);

/* The elements of the row; how many are sent; and how many if each part sends min(s_i, k), after
 * which the answer is exact. */
uint64_t rcm_parts_elements(struct rcm_parts p);
uint64_t rcm_parts_sent(struct rcm_parts p);
uint64_t rcm_parts_sent_full(struct rcm_parts p);

/* Bounds on the relative error; the tests assert them. */
#define RCM_PARTS_MAX_RELERR 1e-10 /* loss, probabilities: from 1e-300 up */
#define RCM_PARTS_SD_MAX_RELERR 1e-8

/* Expected loss of the merge: (1/k) times the sum over parts of E[(X_i - k_i)+].
 * Returns   a fraction in [0, 1]; exactly 0 if every part sends min(s_i, k).
 * Accuracy  relative error <= RCM_PARTS_MAX_RELERR.
 * Time      0.3 us for each entry; more where X_i has a standard deviation of some 100. */
double rcm_parts_loss(struct rcm_parts p);

/* Expected recall, 1 - loss, and the standard deviation of the recall of one row. The latter is NaN
 * where it is not computed, as below. */
double rcm_parts_recall(struct rcm_parts p);
double rcm_parts_sd(struct rcm_parts p);

/* Probability that a row loses anything: some X_i > k_i.
 * Returns   NaN where it is not computed: rows that often lose something, of which a few parts have
 *           most, with a standard deviation of X_i above 128. Also if memory runs out.
 * Accuracy  relative error <= RCM_PARTS_MAX_RELERR.
 * Time      1.5 us for each entry.
 * Source    docs/models.md 22. */
double rcm_parts_probability_lost(struct rcm_parts p);

/* Probability that the merge cannot prove its answer. A merge is proved if, for each part that has
 * more elements than it sent and sent fewer than k, the last element that it sent comes after the
 * k-th of the merge (in the order of values, and of positions where these are equal). Then nothing
 * that was kept back can come before it. This fails where some such part has X_i >= k_i.
 * Returns, accuracy, time: as before. At least the probability that something is lost. */
double rcm_parts_probability_unproved(struct rcm_parts p);

/* The distribution of the number of lost elements of one row, as rcm_lost(), where all parts send
 * one number (a part that has fewer sends them all) and have up to RCM_MAX_CLASSES sizes.
 * Returns   0; or -1 for other parts, outside the domain, where rcm_lost() refuses, or if memory
 *           runs out. Then *dist is empty. rcm_lost_free frees the distribution. */
int rcm_parts_lost(struct rcm_parts p, struct rcm_lost *dist);

/* ---- how many to send */

/* What is asked of the k_i. */
enum rcm_parts_goal {
    /* with RCM_TARGET_SLACK: */
    RCM_PARTS_LOSS, /* the expected loss is at most `at_most` */
    RCM_PARTS_LOST, /* the probability that a row loses anything is at most `at_most` */
    RCM_PARTS_COST, /* what is sent, and `at_most` times the probability that the merge is not
                       proved, is least: `at_most` is the price of a second round in elements */
};

/* Which k_i: one number for all parts (a part of fewer elements sends them all), the least that
 * reaches the goal; or those of the least sum. */
enum rcm_parts_send { RCM_PARTS_EQUAL, RCM_PARTS_UNEQUAL };

/* Fills in `send` of each entry; what it was is not read. RCM_PARTS_UNEQUAL may need to part one
 * entry in two, the first of which sends one more: `of` has room for length + 1.
 * Returns   the new length; 0 outside the domain, where `at_most` is not a number >= 0, and where a
 *           probability that it needs is not computed.
 * Time      some 20 to 100 probabilities. RCM_PARTS_UNEQUAL is the least for at_most up to 1/2.
 * Source    docs/models.md 22: for the loss the k_i with the least sum have equal tails
 *           P(X_i > k_i), for the probabilities equal points P(X_i = k_i + 1). */
size_t rcm_parts_choose(uint64_t k, struct rcm_part *of, size_t length, enum rcm_parts_goal goal,
                        double at_most, enum rcm_parts_send send);

/* ---- what others send */

/* A rule for what each part sends. A registry row: rcm_parts_rule(0), rcm_parts_rule(1), .. until
 * NULL. What the functions above say of it holds for elements that have a score in one part. The
 * rule "terms" is for counts that the merge adds up over parts, and these may lose more. */
struct rcm_parts_rule {
    const char *name;
    const char *formula; /* in words; p: the share of the row that the part has */
    const char *source;
    /* what a part of `size` elements of a row of n in `parts` parts sends for k, at most
     * min(size, k); 1 <= k <= n, 1 <= size <= n */
    uint64_t (*send)(uint64_t n, uint64_t k, uint64_t size, uint64_t parts);
};
const struct rcm_parts_rule *rcm_parts_rule(size_t index);

RCM_END

#endif
