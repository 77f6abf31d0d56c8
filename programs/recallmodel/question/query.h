/* query.h - from options to shapes: which (n, k) are asked for, and for each which (b, k_b).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef QUERY_H
#define QUERY_H

#include "question.h"

/* One (n, k) of the product of lists, with the shapes to report on. */
struct query {
    struct rcm_topk base; /* b = k_b = 0 */
    struct decimal recall_target;
    struct rcm_target target; /* of the recall, or of the lost mass */
    struct query_weights weights;
    struct query_rounding rounding;
    /* each k_b that is possible here; where the shapes need it with the smallest b that reaches the
     * target, otherwise and where none does b = 0 */
    struct rcm_topk *smallest;
    size_t k_b_count;
    struct rcm_topk *shapes;
    size_t length, capacity;
};

struct query_list {
    struct query *items;
    size_t length;
};

/* What a subcommand wants in its queries. */
enum shapes {
    SHAPES_NONE,       /* n, k, and each k_b */
    SHAPES_SMALLEST_B, /* without --b: for each k_b the smallest b that reaches the target */
    SHAPES_SWEEP,      /* without --b: for each k_b about twenty b */
    SHAPES_FEWEST,     /* without --b: for each k_b the smallest legal b */
    /* without --b: for each k_b the smallest legal b, and about twenty-five around the one that
     * reaches the target: from half to four times that one, in steps of 9 % */
    SHAPES_NEAR,
};

/* Builds them. Combinations that are not legal are left out, with one line on stderr that counts
 * them. It is an error if none is left. Returns a status, after one line on stderr if it is an
 * error. */
int queries_build(struct query_list *queries, const struct question *question, enum shapes shapes);
void queries_free(struct query_list *queries);

/* What the target of a query is: "recall 0.95", "all but 0.01 of the mass". */
#define TARGET_TEXT 60
void query_target(char text[TARGET_TEXT], const struct query *query);

/* The shapes of one k_b stand together: where those of the k_b of shape `first` end. */
size_t end_of_k_b(const struct query *query, size_t first);

/* rcm_status_text with the options that it is about in place of letters: "--b 10 with --kb 1 keeps
 * fewer than k = 20 candidates; give --b 20 or more". */
#define SHAPE_FAULT (RCM_STATUS_TEXT_MOST + 8)
const char *shape_fault(char text[SHAPE_FAULT], enum rcm_status status, struct rcm_topk p);

/* How many shapes, or pairs of n and k, one call may ask for. */
#define SHAPES_MAX 100000

#endif
