/* confidence.h - internal to model/: does a shape reach the target of a selection, with its mean
 * recall or, with a confidence, in one row?
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFIDENCE_H
#define CONFIDENCE_H

#include <model/recallmodel/select.h>
#include <model/shape/bisect.h>

/* UNKNOWN where rcm_lost refuses the distribution of the row. */
enum answer confidence_reaches(const struct rcm_selection *selection, struct rcm_topk p);

/* The same, as if the number of lost elements were normal: a first guess for a search. */
enum answer confidence_seems_to_reach(const struct rcm_selection *selection, struct rcm_topk p);

/* A search for the b or the k_b of p by bisect(). */
struct confidence_search {
    const struct rcm_selection *selection;
    struct rcm_topk p;
    uint64_t *field;  /* &p.b or &p.k_b */
    uint64_t special; /* the guess of b; the largest k_b, with which nothing is lost */
};
enum answer confidence_seems_to_reach_at(void *confidence_search, uint64_t value);

/* The smallest deployable b that reaches it, before restrictions. 0: none does, or the distribution
 * at the guess is unknown. */
uint64_t confidence_smallest_b(const struct rcm_selection *selection, struct rcm_topk p);

#endif
