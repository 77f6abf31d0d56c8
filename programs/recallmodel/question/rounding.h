/* rounding.h - what rounding leaves of the recall: --rounding and --score-mean.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ROUNDING_OPTIONS_H
#define ROUNDING_OPTIONS_H

#include <sim/rounding.h>

#include "weights.h"

struct score_mean {
    bool given;
    double value;
};

/* What is rounded: the scores, or the vectors whose products they are. */
struct rounded {
    const char *name; /* as given, without d; NULL: nothing */
    const struct rcm_format *scores;
    const struct rcm_quantised *vectors;
    uint64_t d; /* of the vectors; 0: not given */
};

struct rounding_question {
    struct rounded to;
    struct score_mean mean;
    uint64_t d; /* of the vectors, where the command knows it; otherwise 0 */
};

extern const struct value_kind kind_of_format;  /* const struct rcm_format *, of scores */
extern const struct value_kind kind_of_rounded; /* struct rounded */
argument_reader read_score_mean;                /* struct score_mean */

#define OPTIONS_ROUNDING \
    {"--rounding", "T", &kind_of_rounded, IN_QUESTION(rounding.to), \
     "also print what exact top-k loses if it sees the scores in f16, bf16, f8e4m3 or f8e5m2: " \
     "those of --weights, or normal ones (--score-sd, default 1); or, with qk:f8e4m3, qk:f8e5m2, " \
     "qk:int8, qk:nvfp4 or qk:mxfp4, if queries and keys are stored so, and the recall that " \
     "buckets then have (normal vectors of 128 elements, or of D with qk:int8/D)"}, \
    { \
        "--score-mean", "M", BY(read_score_mean), IN_QUESTION(rounding.mean), \
            "the mean of the scores that are rounded (default 0)" \
    }

/* The format as the simulation has it. */
struct rounding rounding_of_format(const struct rcm_format *format);

/* The losses by rounding of one n and k. */
struct query_rounding {
    double loss, worst; /* NAN: not asked for */
    double loss_99;     /* the least that 99 % of the rows do not exceed */
    double correlation; /* of the products with the exact ones; NAN: not asked for */
};

/* What must hold between the options. Returns a status. */
int rounding_check(const struct rounding_question *question,
                   const struct weights_question *weights);

/* Finds the losses. Returns a status, after one line on stderr if it is an error. */
int rounding_find(const struct rounding_question *question, const struct weights_question *weights,
                  uint64_t n, uint64_t k, struct query_rounding *found);

/* The recall of buckets on the products. NAN: not asked for. */
double rounding_recall(const struct query_rounding *found, struct rcm_topk p);

/* Lines that say what it is, and whether these buckets lose less than that (NULL: no buckets); and
 * members of the JSON. Nothing where it was not asked for. */
unsigned rounding_print(const struct rounding_question *question,
                        const struct weights_question *weights, const struct query_rounding *found,
                        const struct rcm_topk *buckets);
void rounding_json(json_t *object, const struct rounding_question *question,
                   const struct query_rounding *found);

#endif
