/* recallmodel/routing.h - keep the best groups of a row, as a router of experts does, by the best
 * score of a group or by the sum of its two best; then take the top-k inside them.
 *
 * Implemented in the folder mass.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_ROUTING_H
#define RECALLMODEL_ROUTING_H

#include "blocks.h"

RCM_BEGIN

/* The score of a group. That of BEST is that of rcm_blocks_loss(), whatever the scores are. */
enum rcm_group_score {
    RCM_GROUP_BEST,
    RCM_GROUP_TWO_BEST, /* the sum of the two best */
};

/* How scores come from logits, which are independent and normal with mean 0. A sum of two depends
 * on it, and so does what an expert weighs. */
enum rcm_expert_scores {
    RCM_SCORES_SIGMOID, /* 1/(1 + exp(-logit)) */
    RCM_SCORES_SOFTMAX, /* exp(logit), over a sum that all experts share */
    RCM_SCORES_UNIFORM, /* evenly on 0 .. 1 */
};

/* n experts in groups of `size`, of which `kept` are kept, then k experts: blocks of a row. As the
 * standard deviation of the logits goes to 0, all weights become equal, and the order of sums is
 * that of normal scores. */
struct rcm_routing {
    struct rcm_blocks groups;
    enum rcm_group_score by;
    enum rcm_expert_scores scores;
    double logit_sd; /* not read for RCM_SCORES_UNIFORM */
};

#define RCM_ROUTING_N_MOST UINT64_C(4096)
#define RCM_ROUTING_K_MOST 32
#define RCM_ROUTING_GROUPS_MOST 64

/* Why these groups are not in the domain below: the first that holds of "n ..", "k ..", "block ..",
 * "blocks ..", "score-sd .." as rcm_blocks_status_text() says it. Empty if they are in it. Returns
 * the length of the text, which is less than RCM_STATUS_TEXT_MOST. */
size_t rcm_routing_wrong(struct rcm_routing routing, char *buffer, size_t size);

/* What grouped routing loses of the top-k of all experts, on average over rows.
 * Domain    that of rcm_blocks_loss, n <= RCM_ROUTING_N_MOST, k <= RCM_ROUTING_K_MOST, size divides
 *           n, at most RCM_ROUTING_GROUPS_MOST groups, size >= 2 by the two best, 0 <= logit_sd <=
 *           RCM_SCORE_SD_MOST. Otherwise NaN.
 * Accuracy  absolute error <= RCM_ROUTING_MAX_ERROR for logit_sd <= RCM_ROUTING_SD; beyond, <=
 *           RCM_ROUTING_WIDE_MAX_ERROR.
 * Time      some 0.1 s for 256 experts in 8 groups; up to 3 s.
 * Source    docs/models.md 28. */
#define RCM_ROUTING_MAX_ERROR 1e-6
#define RCM_ROUTING_SD 4.0
#define RCM_ROUTING_WIDE_MAX_ERROR 1e-5
struct rcm_routing_loss {
    double experts; /* the expected share of the top-k that lies in other groups */
    double weight;  /* their expected weight, over that of the top-k; a weight is the score */
};
struct rcm_routing_loss rcm_routing_loss(struct rcm_routing routing);

RCM_END

#endif
