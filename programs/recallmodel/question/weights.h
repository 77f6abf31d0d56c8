/* weights.h - what the lost elements weigh: --lost-mass, --score-sd, --weights, --temperature,
 * --top-p or --chain.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIGHTS_H
#define WEIGHTS_H

#include <model/recallmodel.h>
#include <programs/common/arguments.h>
#include <programs/common/json.h>
#include <sim/sampler/rank_weights.h>

#include "input.h"

struct score_sd {
    bool given;
    double value;
};

struct chain_option {
    const char *text; /* NULL: not given */
    struct chain chain;
};

struct weights_question {
    struct fraction lost_mass; /* the share of the mass that may be lost, in place of --recall */
    struct score_sd score_sd;  /* normal scores */
    const char *file;          /* or those of rows .. */
    struct rows_as as;         /* .. that are taken so */
    double temperature;        /* 0: not given */
    struct fraction top_p;
    struct chain_option chain; /* instead of both */
};

argument_reader read_score_sd;    /* struct score_sd */
argument_reader read_temperature; /* double, above 0 */
argument_reader read_chain;       /* struct chain_option */

#define OPTIONS_WEIGHTS(lost_mass_help) \
    {"--lost-mass", "L", BY(read_probability), IN_QUESTION(weights.lost_mass), lost_mass_help}, \
        {"--score-sd", "S", BY(read_score_sd), IN_QUESTION(weights.score_sd), \
         "scores are normal with standard deviation S, and an element weighs exp(score): also " \
         "print the share of the softmax mass that the lost elements have"}, \
        {"--weights", "FILE", KIND(read_text, .endings = "npy safetensors"), \
         IN_QUESTION(weights.file), \
         "the same for the rows of a file, with their mean weight by rank"}, \
        OPTION_WEIGHTS_ARE(IN_QUESTION(weights.as.weights)), \
        OPTION_MASK_BELOW(IN_QUESTION(weights.as.mask)), \
        {"--temperature", "T", BY(read_temperature), IN_QUESTION(weights.temperature), \
         "divide the scores by T (default 1)"}, \
        {"--top-p", "P", BY(read_probability), IN_QUESTION(weights.top_p), \
         "count only the mass of the nucleus, the fewest largest elements that have the share P " \
         "of the top k's mass, and print how the token's distribution changes (drawn rows)"}, \
    { \
        "--chain", "STEPS", BY(read_chain), IN_QUESTION(weights.chain), \
            "the same for a sampler's steps in their order, such as top-k,top-p=0.9: of " \
            "temperature=T, top-k (first, if not named), top-p=P, min-p=P and typical=P (default " \
            "temperature, top-k, top-p of those options)" \
    }

/* The rules that a command with these options has. */
#define WEIGHTS_RULES \
    {.options = "--weights-are --mask-below", .needs = "--weights"}, \
        {.options = "--chain", \
         .excludes = "--temperature --top-p", \
         .why = "--chain says all steps"}, \
    { \
        .options = "--lost-mass", .excludes = "--recall", \
        .why = "each is what must be reached, of the mass or of the elements" \
    }

/* Weights of one n and k. */
struct query_weights {
    struct rcm_weights weights; /* k = 0: none were asked for */
    double topk_mass;           /* the share of its row's mass that the exact top k has */
    double *room;               /* of normal scores */
    struct rank_weights rows;   /* of a file; or drawn, where their distribution is not to be had */
    struct chain chain;         /* of a sampler; .. */
    bool change;                /* .. was asked for: */
    char chain_text[CHAIN_TEXT];
};

/* Were weights asked for? */
bool weights_given(const struct weights_question *question);

/* What must hold between the options. Returns a status. */
int weights_check(const struct weights_question *question);

/* Finds the weights. Returns a status, after one line on stderr if it is an error. The caller frees
 * them. */
int weights_find(const struct weights_question *question, uint64_t n, uint64_t k,
                 struct query_weights *weights);
void weights_free(struct query_weights *weights);

/* A line, and members of the JSON: the target, the weights, and what the exact top k has of the
 * mass. Nothing where no weights were asked for. */
unsigned weights_print(const struct weights_question *question, const struct query_weights *w);
void weights_json(json_t *object, const struct weights_question *question,
                  const struct query_weights *w);

#endif
