/* blocks_routing.h - blocks of experts: --by, --scores, --score-sd, --rounding, --bias-sd and
 * --rows of `blocks`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BLOCKS_ROUTING_H
#define BLOCKS_ROUTING_H

#include <programs/recallmodel/question/question.h>
#include <sim/routing.h>

struct group_score {
    bool given;     /* the blocks are groups of experts */
    unsigned value; /* enum rcm_group_score */
};

struct routing_question {
    struct group_score by;
    unsigned scores; /* enum rcm_expert_scores */
    struct score_sd score_sd;
    const struct rcm_format *format; /* NULL: none */
    double bias_sd;                  /* 0: none */
    uint64_t rows;                   /* to draw; 0: not given */
};

extern const struct value_kind kind_of_group_score;   /* struct group_score */
extern const struct value_kind kind_of_expert_scores; /* unsigned */
argument_reader read_bias_sd;                         /* double */

#define OPTIONS_ROUTING(at) \
    {"--by", "G", &kind_of_group_score, (at) + offsetof(struct routing_question, by), \
     "blocks are groups of experts, kept by their best score or by the sum of their two-best: " \
     "prints both, and * is about G; without --blocks, for each number of groups"}, \
        {"--scores", "F", &kind_of_expert_scores, \
         (at) + offsetof(struct routing_question, scores), \
         "how scores come from normal logits: sigmoid (default), softmax, or uniform, without " \
         "logits and so without --score-sd"}, \
        {"--score-sd", "S", BY(read_score_sd), (at) + offsetof(struct routing_question, score_sd), \
         "the standard deviation of the logits (default 1)"}, \
        {"--rounding", "T", &kind_of_format, (at) + offsetof(struct routing_question, format), \
         "also draw rows whose logits and scores are rounded to f16, bf16, f8e4m3 or f8e5m2; of " \
         "equal ones the first is taken"}, \
        {"--bias-sd", "B", BY(read_bias_sd), (at) + offsetof(struct routing_question, bias_sd), \
         "also draw rows to whose scores a normal bias of this standard deviation is added for " \
         "the choice, not for the weight"}, \
    { \
        "--rows", "R", BY(read_count), (at) + offsetof(struct routing_question, rows), \
            "how many rows are drawn (default 20000), of the only number of --blocks or of *; in " \
            "text and JSON" \
    }

/* The rule of a command with these options. */
#define ROUTING_RULE \
    { \
        .options = "--scores --score-sd --rounding --bias-sd --rows", .needs = "--by" \
    }

/* What both rules lose, and the recall of the one that is asked for. */
struct routed {
    struct rcm_routing_loss best, two_best;
    double recall;   /* by --by */
    double logit_sd; /* NAN: there are no logits */
};
const char *expert_scores_name(const struct routing_question *question);
struct routed routed_of(const struct routing_question *question, struct rcm_blocks groups);

/* Why these groups are not legal; otherwise leaves the text alone. */
void routing_wrong(const struct routing_question *question, struct rcm_blocks groups,
                   char text[RCM_STATUS_TEXT_MOST]);

/* The drawn rows as lines, and as the member `drawn`: nothing where none were asked for.
 * Lines say so if groups.kept is 0, as no groups are the answer. */
void routing_print(const struct routing_question *question, struct rcm_blocks groups);
void routing_json(json_t *object, const struct routing_question *question,
                  struct rcm_blocks groups);

#endif
