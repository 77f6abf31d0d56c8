/* recallmodel/answer.h - the decision: what can find the top k here, what each takes and loses, and
 * which of it to call. Text, JSON, Python and the page print these fields.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_ANSWER_H
#define RECALLMODEL_ANSWER_H

#include "provider.h"
#include "select.h"

RCM_BEGIN

enum rcm_contender_kind { RCM_CONTENDER_EXACT, RCM_CONTENDER_THRESHOLD, RCM_CONTENDER_BUCKETS };
const char *rcm_contender_kind_name(enum rcm_contender_kind kind); /* exact, threshold, buckets */

/* What can find the top k. Times are microseconds of a call for all m rows. */
struct rcm_contender {
    enum rcm_contender_kind kind;
    const char *name;    /* "torch.topk", "recallmodel", "yours"; NULL: exact top-k of anybody */
    const char *package; /* that one installs; NULL: nobody can call it, or it is yours */
    const char *call;    /* NULL: as the shape says */
    const char *fault;   /* that is known of it; NULL: none is */
    bool callable;
    struct rcm_topk p;      /* of buckets and the threshold */
    double loss;            /* 1 - recall; 0: exact */
    double objective;       /* its value; the roofline with a launch. NaN: not known */
    double time_us;         /* as it is predicted, or was measured; NaN: that is no time */
    bool bound;             /* nothing takes less: the objective is a bound, in whole or in part */
    bool fused;             /* into the product of machine.d, which is not written */
    double low_us, high_us; /* 9 in 10 times; NaN: its error is not known */
    bool at_most;      /* measured for larger k or longer rows alone: it takes at most time_us */
    uint64_t padded_n; /* the time is of rows padded to so many elements, which take less; 0: not */
    bool measured;     /* timed here for the very rows: no prediction; low_us to high_us holds the
                          median */
    bool fitted;       /* predicted, and multiplied by what was measured of rows like these */
    bool beyond;       /* no run of the profile was of such a shape: so too where `at_most` is */
    bool left_out;     /* it could be called, and `have` of the selection does not name it */
    const char *profile; /* that predicts it; NULL: none does */
    const char *card;    /* where that was measured; NULL: not stated, or yours */
    bool carried;        /* from that card to this one */
    bool other_type;     /* it reads values of another width than was asked for */
};

/* Where its value comes from, in words: "measured here", "H200, carried", "counted". */
#define RCM_BASIS_TEXT 120
void rcm_basis(const struct rcm_contender *contender, char text[RCM_BASIS_TEXT]);

enum rcm_verdict {
    RCM_VERDICT_EXACT,
    RCM_VERDICT_THRESHOLD,
    RCM_VERDICT_BUCKETS,
    RCM_VERDICT_NONE, /* nothing stays within the budget, or nothing can be called */
};
const char *rcm_verdict_name(enum rcm_verdict verdict); /* exact, threshold, buckets, none */

/* The rule. Lossless wins: buckets are the verdict only where they are faster than every lossless
 * contender that can be called, by more than the error of both (nine in ten; the errors are taken
 * as independent, and where one is not known, as wide as RCM_OTHER_CARDS shows). Otherwise it is
 * the lossless contender with the least time.
 * Returns   the verdict, and the place of its contender in *first, where it is not
 *           RCM_VERDICT_NONE. */
enum rcm_verdict rcm_verdict(const struct rcm_contender *of, size_t count, size_t *first);

/* Is `faster` faster by more than the error of both? */
bool rcm_surely_faster(const struct rcm_contender *faster, const struct rcm_contender *slower);

/* The least that stage 1 of p can take on the device: its bytes by the rate of the memory, and a
 * launch. (Fewer vector operations than the roofline counts are enough: docs/models.md.) 0: not
 * known. */
double rcm_floor_us(const struct rcm_selection *selection, struct rcm_topk p);

/* The contenders of a selection, and the verdict: that of rcm_select (choice.deploy), or of
 * rcm_best_recall. The first is that of the verdict; then the others that can be called, the
 * fastest first; then those that nobody can call. Unless the objective is a time by a profile, of
 * values that lie in memory, no provider is compared: there are at most one exact top-k (of
 * nobody in particular, unless exact_us says whose) and one that is fused (with machine.d), one
 * threshold (of this library, on a CPU) and one of buckets. */
#define RCM_CONTENDERS_MOST (RCM_EXACT_MOST + 3)
struct rcm_answer {
    enum rcm_verdict verdict;
    bool by_profile; /* are providers compared? */
    /* with machine.d: the share of the time of exact top-k, not fused, that is the product
     * (least_us of rcm_product), which no top-k can win; at the least. NaN: not known */
    double product_share;
    size_t count; /* 1 at least */
    struct rcm_contender of[RCM_CONTENDERS_MOST];
};
void rcm_answer(const struct rcm_selection *selection, const struct rcm_choice *choice,
                struct rcm_answer *out);

RCM_END

#endif
