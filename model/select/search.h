/* search.h - internal to model/: the b that a kernel can run at one k_b, and the one with the
 * least objective.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SEARCH_H
#define SEARCH_H

#include <model/recallmodel/select.h>
#include <model/rope/resonance.h>

/* The usual value of all_up_to in struct search. */
#define SEARCH_ALL_UP_TO 8192

/* What is to be least: a pure function; NaN where p cannot be run. */
typedef double search_value(const struct rcm_selection *selection, struct rcm_topk p);

struct search {
    const struct rcm_selection *selection;
    const struct rcm_kernel *kernel;
    struct rcm_restriction restriction;
    struct rope_turns turns; /* no pairs: no b resonates */
    search_value *value;
    /* NULL, or no more than the value, and quicker: far above the least that is known it is taken
     * for the value */
    search_value *bound;
    double known; /* a value that is reached elsewhere; INFINITY: none is known */
    enum rcm_motion motion;
    uint64_t all_up_to; /* where the value bends: it looks at all of up to so many b */
    struct rcm_topk p;  /* with this k_b */
    uint64_t low, high; /* the deployable b > 1 that drop some element; high = 0: there is none */
    struct rcm_point best; /* so far */
};

/* The objective of a selection (candidates, if it has none), and its value. */
const struct rcm_objective *search_objective(const struct rcm_selection *selection);
double search_bucketed(const struct rcm_selection *selection, struct rcm_topk p);

/* Do the runs of the profile bound what may be chosen? Not where it stands in for another card by a
 * band of other runs (rcm_stand_in), in which those beyond them are. */
bool search_bounded(const struct rcm_machine *machine);

/* Do only shapes within the runs of a profile take part? */
bool search_within_runs(const struct rcm_selection *selection);

/* Must b divide n, by the target or by the kernel? */
bool search_divides(const struct rcm_selection *selection);

/* A search at one k_b that has not looked at any b yet. divisors_of: the factors of n where b
 * must divide it, otherwise NULL. */
struct search search_begin(const struct rcm_selection *selection, uint64_t k_b,
                           const struct rcm_factors *divisors_of);

/* The smallest b >= low that can be run, is at most search->high, and does not resonate; 0: none.
 * It gives up after SEARCH_RESONATING b in a row that resonate: beyond them buckets are shorter,
 * and still more b resonate. */
#define SEARCH_RESONATING 4096
uint64_t search_next(const struct search *search, uint64_t low);

/* Looks at one b that can be run. Returns its value. */
double search_look_at(struct search *search, uint64_t b);

/* Finds the least value over all b >= low that can be run, as search->best. */
void search_least(struct search *search, uint64_t low);

/* The largest b that can be run whose value is at most `budget`; 0: none. */
uint64_t search_last_within(struct search *search, double budget);

/* The best of all k_b, each in each[k_b - 1] if that is not NULL; without the RoPE, which is then
 * taken out of *selection, if it leaves nothing. */
struct rcm_point best_of_all(struct rcm_selection *selection, struct rcm_point *each);

#endif
