/* selection.h - the settings of select and its answer, computed once for each question; every
 * output is printed from it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SELECTION_H
#define SELECTION_H

#include <math.h>

#include <model/recallmodel/answer.h>
#include <programs/common/table.h>

#include "calls.h"
#include <programs/recallmodel/question/answer.h>
#include <programs/recallmodel/question/mass_distribution.h>
#include <programs/recallmodel/question/product.h>
#include <programs/recallmodel/question/query.h>
#include <programs/recallmodel/question/question.h>
#include <programs/recallmodel/question/rope_options.h>

/* Lists of --m and --device: a question is asked for each pair. */
struct select_lists {
    struct count_list m;
    struct device_option *devices;
    char *names; /* what they were given as */
    size_t count;
};

struct select_settings {
    struct question question; /* with one m and one device, as everywhere else */
    struct select_lists lists;
    struct fraction quantile, confidence;
    const struct rcm_kernel *kernel;       /* NULL: any */
    const struct rcm_objective *objective; /* NULL: not given */
    uint64_t k_b_max;                      /* 0: not given */
    double budget, exact_us;               /* 0: not given */
    uint64_t d;                            /* 0: the values lie in memory */
    struct device_option exact_kernel;     /* the profile of the contender */
    bool verbose, brief, beyond_runs;
    uint64_t threads; /* of the machine at hand; 0: those of its profile */
    enum rcm_keeps_ties ties;
    uint32_t have;            /* of struct rcm_selection */
    struct rope_options rope; /* theta and head_dim alone */
};

/* What is known of one bucketed shape: a row of the tables. */
struct selection_shape {
    struct query_fields query;
    const char *device, *minimised, *exact_kernel, *verdict, *rounding;
    struct rcm_topk p;
    uint64_t candidates;
    double recall, loss, sd, row_recall; /* of a row: by --quantile */
    double lost_mass, lost_mass_target, score_sd, rounding_loss, recall_rounded;
    double objective, over_least, exact, over_exact;
    double shown, shown_over_least, shown_over_exact; /* the same, with a launch for a bound */
    double stage2_us;
    struct rcm_prediction prediction;
    struct rcm_product product; /* of --d */
    struct rcm_resonance resonance;
    char recall_text[40], row_text[40], beyond[RCM_BEYOND_TEXT];
    struct selection_shape *next;
};

extern const struct columns selection_columns;

struct selection_shapes {
    struct selection_shape *first;
};

struct selection_answer {
    const struct query *query;
    const struct select_settings *settings;
    struct rcm_selection asked; /* its profile is a copy of its own */
    struct rcm_choice choice;
    struct rcm_point *each; /* the best of each k_b: each[k_b - 1], k_b = 1, .., k_b_max */
    uint64_t k_b_max;
    double least; /* objective of all of them; INFINITY: no bucketed shape reaches the target */
    struct rcm_answer decided;
    struct rcm_profile *profile; /* of asked; the answer's own */
    /* where the kernel or the options forbid all buckets: the least n to which a row must be
     * padded; 0: that does not help */
    uint64_t padded_n;
    struct rcm_point without_rope; /* where there is RoPE: the best buckets without it */
    bool interrupted;
    struct selection_shapes *shapes; /* those that were asked for: selection_shape() */
};

/* The profile that answers for the options; its member profile is NULL if no profile does. */
struct rcm_profile_answer selection_profile(const struct select_settings *settings);

/* What is asked for any n and k; its profile is that in *profile. */
struct rcm_selection selection_asked(const struct select_settings *settings,
                                     struct rcm_profile_answer *profile);

struct selection_answer selection_find(const struct query *query,
                                       const struct select_settings *settings);
void selection_free(struct selection_answer *answer);

/* Does what must hold between the options hold; and has --exact-kernel a time for the query? Each
 * returns a status, after one line on stderr if it is an error. */
int selection_check(const struct select_settings *settings);
int selection_check_query(const struct select_settings *settings, const struct query *query);

/* The answer in a word or two, for a table of answers: "bucketed", "exact", "threshold", "time
 * some", "nothing" within the budget, or what the exact top-k must take longer than: "if exact >
 * 39.5 us". */
void selection_verdict(char *text, size_t size, const struct selection_answer *answer);

/* Does a bucketed shape reach what was asked? */
static inline bool selection_has_buckets(const struct selection_answer *answer)
{
    return answer->choice.objective < INFINITY;
}

/* Is it about the library for a CPU, whose exact top-k is by threshold? */
bool selection_is_cpu(const struct selection_answer *answer);

/* The quirk of the device that the choice meets; NULL: none. */
const struct rcm_quirk *selection_quirk(const struct selection_answer *answer);

/* The profile of --exact-kernel; NULL: not given. */
const struct rcm_profile *selection_exact_kernel(const struct select_settings *settings);

/* What the rates of the device allow for the chosen buckets, with a launch; 0: not known. */
double selection_floor(const struct selection_answer *answer);

/* The time of buckets, predicted or measured here; where a stand-in answers, no less than the
 * floor. */
struct rcm_prediction selection_prediction(const struct selection_answer *answer,
                                           struct rcm_topk p);

/* Does the profile of another card, or of another type, stand in? */
bool selection_stands_in(const struct selection_answer *answer);

/* Of the providers that are compared, the fastest exact top-k that can be called; NULL: none. */
const struct rcm_contender *selection_exact(const struct selection_answer *answer);

/* The other contender that the answer says to time, too: buckets beside exact top-k that may take
 * less, or exact top-k beside buckets whose time is a bound. NULL: none. */
const struct rcm_contender *selection_rival(const struct selection_answer *answer);

/* The calls, and that of what is deployed; NULL: nothing stays within the budget. *rival: that of
 * selection_rival(), or NULL. */
const struct call *selection_call(const struct selection_answer *answer, struct call calls[CALLS],
                                  const struct call **rival);

/* Is the objective a time? */
bool selection_is_time(const struct selection_answer *answer);

/* Is the objective a lower bound, in whole or (--d) in part? */
bool selection_is_bound(const struct selection_answer *answer);

/* The least that buckets with this objective can take: the objective, and with the roofline a
 * launch. */
double selection_least(const struct selection_answer *answer, double objective);

/* The product of --d. */
struct rcm_product selection_product(const struct selection_answer *answer, struct rcm_topk p);

/* The share of rows that reach the recall shown as the quantile, and 1 minus that share. */
double selection_quantile(const struct select_settings *settings);
double selection_quantile_rest(const struct select_settings *settings);

/* ---- RoPE, where --rope-theta was given */

bool selection_has_rope(const struct selection_answer *answer);

/* The best buckets if resonance did not matter. */
struct rcm_point selection_without_rope(const struct selection_answer *answer);

/* What the best buckets lose of the mass; NAN without weights. The caller frees it. */
struct mass_distribution selection_lost_mass(const struct selection_answer *answer);

/* How they change the token of a sampler; only of an answer that has buckets. */
struct token_change selection_token_change(const struct selection_answer *answer);

/* How near b is to a wavelength. */
struct rcm_resonance selection_resonance(const struct selection_answer *answer, struct rcm_topk p);

/* Which b resonate: a line or two of the answer (how many), and an object of the JSON. */
unsigned selection_print_rope(const struct selection_answer *answer);
json_t *selection_rope_json(const struct selection_answer *answer);

/* ---- words */

/* A value of the objective: "71.6 us", "1840 candidates", "1.31 million operations"; and as a
 * number without its unit, but for a time. */
void selection_format_number(char *text, size_t size, const struct selection_answer *answer,
                             double value);
void selection_format_value(char *text, size_t size, const struct selection_answer *answer,
                            double value);

/* "n, k_b": in what the shape lies beyond the runs of the profile; "": in nothing. */
void selection_format_beyond(char text[RCM_BEYOND_TEXT], const struct selection_answer *answer,
                             struct rcm_topk p);

/* "b = 128, k_b = 2" */
void selection_format_shape(char *text, size_t size, struct rcm_topk p);

/* The decision, a line: what to call, and what it takes and loses; and, without its full stop, what
 * to do next. */
void selection_headline(char *text, size_t size, const struct selection_answer *answer);
void selection_next(char *text, size_t size, const struct selection_answer *answer);

/* A contender as it is shown. */
struct contender_text {
    char name[80], value[64], band[90], loses[40], basis[RCM_BASIS_TEXT];
};
void selection_format_contender(const struct selection_answer *answer,
                                const struct rcm_contender *contender, struct contender_text *text);
struct contender_text selection_contender_headings(const struct selection_answer *answer);

/* The contenders as a table. */
void selection_print_contenders(const struct selection_answer *answer);

/* The whole answer in words. */
void selection_print(const struct selection_answer *answer, bool colour);

/* ---- JSON and tables */

json_t *selection_json(const struct selection_answer *answer);

/* A shape, evaluated when it is first asked for; and the best of them. */
const struct selection_shape *selection_shape(const struct selection_answer *answer,
                                              const struct rcm_point *point);
const struct selection_shape *selection_chosen(const struct selection_answer *answer);

/* A table of such rows, without any; and with the best shape of each k_b, the rows of CSV. The
 * caller frees it, and the others. */
struct table *selection_shape_table(const struct selection_answer *answer);
struct table *selection_alternatives(const struct selection_answer *answer);

/* The answers to a list of questions, a row each. */
struct table *selection_table(const struct selection_answer *answers, size_t count);

struct table *selection_frontier(const struct selection_answer *answer);

/* ---- the other way round */

/* Answers --b and --kb. Prints the answer; returns a status. */
int answer_reverse(const struct select_settings *settings);

#endif
