/* select_reverse.c - select in reverse: the largest k or n for given b and kb.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <programs/common/format.h>
#include <programs/common/wrap.h>

#include <programs/recallmodel/question/answer.h>
#include "selection.h"

enum reverse_question { LARGEST_K, LARGEST_N };

struct reverse_answer {
    enum reverse_question question;
    struct rcm_topk p; /* with the answer in it */
    bool any_n;        /* the target holds however long the row is */
    struct decimal target;
};

/* Are these the options of one of the two questions, with one value each? */
static int check_reverse(const struct select_settings *settings)
{
    const struct question *question = &settings->question;
    if (question->n.length > 1 || question->k.length > 1)
        return usage_error("%s takes one value here; give one",
                           question->n.length > 1 ? "--n" : "--k");
    if (question->n.length + question->k.length != 1)
        return usage_error(
            "--b and --kb together find the largest k, if only --n is given, or the largest n, if "
            "only --k is; to judge a whole shape use recallmodel recall");
    if (question->k.length && question->valid)
        return usage_error("--valid is not used with --b and --kb; leave it out");
    return STATUS_OK;
}

/* Is the shape legal? What is asked for is set to a value that is always legal. */
static int check_shape(struct rcm_topk p)
{
    p.n = p.n ? p.n : RCM_N_MAX;
    p.k = p.k ? p.k : 1;
    char fault[SHAPE_FAULT];
    const enum rcm_status status = rcm_check(p);
    return status == RCM_OK ? STATUS_OK : usage_error("%s", shape_fault(fault, status, p));
}

/* The given fields of the shape; 0 marks the one to find. */
static struct reverse_answer reverse_question_of(const struct select_settings *settings)
{
    const struct question *question = &settings->question;
    struct reverse_answer a = {.question = question->k.length ? LARGEST_N : LARGEST_K,
                               .target = question_recall(question)};
    a.p = (struct rcm_topk){.n = question->n.length ? question->n.items[0] : 0,
                            .k = question->k.length ? question->k.items[0] : 0,
                            .b = question->b.items[0],
                            .m = question->m,
                            .valid = question->valid,
                            .k_b = question->k_b.items[0],
                            .assignment = question->assignments.items[0]};
    return a;
}

static void solve(struct reverse_answer *a)
{
    const struct rcm_target target = {.loss = decimal_complement(a->target)};
    if (a->question == LARGEST_K) {
        a->p.k = rcm_largest_k(a->p, target);
        return;
    }
    a->p.n = rcm_largest_n(a->p, target);
    a->any_n = a->p.n == RCM_N_MAX;
}

static bool has_answer(const struct reverse_answer *a)
{
    return a->question == LARGEST_K ? a->p.k > 0 : a->p.n > 0;
}

static void print_largest_k(const struct rcm_topk *p, const char *target, const char *recall)
{
    print_wrapped("k = %" PRIu64 ": the largest k that has a mean recall of %s with b = %" PRIu64
                  ", kb = %" PRIu64 " in rows of n = %" PRIu64 " (%" PRIu64
                  " candidates, recall %s).",
                  p->k, target, p->b, p->k_b, p->n, rcm_candidates(*p), recall);
}

static void print_largest_n(const struct reverse_answer *a, const char *target, const char *recall)
{
    const struct rcm_topk *p = &a->p;
    if (a->any_n)
        print_wrapped("Any n: with b = %" PRIu64 ", kb = %" PRIu64 ", k = %" PRIu64
                      " has a mean recall of %s in rows of any length (at least %s).",
                      p->b, p->k_b, p->k, target, recall);
    else
        print_wrapped("n = %" PRIu64 ": the longest row in which k = %" PRIu64
                      " has a mean recall of %s with b = %" PRIu64 ", kb = %" PRIu64
                      " (recall %s).",
                      p->n, p->k, target, p->b, p->k_b, recall);
}

static void print_answer(const struct reverse_answer *a)
{
    char target[32], recall[32];
    format_decimal(target, sizeof target, a->target);
    if (!has_answer(a)) {
        printf("No %s keeps a recall of %s with b = %" PRIu64 ", kb = %" PRIu64 ".\n",
               a->question == LARGEST_K ? "k" : "n", target, a->p.b, a->p.k_b);
        return;
    }
    format_styled(recall, sizeof recall, STYLE_RECALL, rcm_recall_exact(a->p));
    if (a->question == LARGEST_K)
        print_largest_k(&a->p, target, recall);
    else
        print_largest_n(a, target, recall);
}

/* The answer as data. */
struct reverse_row {
    const char *question;
    uint64_t n, k, b, k_b, candidates;
    bool any_n;
    double target, recall, sd;
};

static const struct column reverse_items[] = {
    {FIELD(struct reverse_row, question), IN_DATA("question")},
    {FIELD(struct reverse_row, n), IN_DATA("n")},
    {FIELD(struct reverse_row, k), IN_DATA("k")},
    {FIELD(struct reverse_row, b), IN_DATA("b")},
    {FIELD(struct reverse_row, k_b), IN_DATA("k_b")},
    {FIELD(struct reverse_row, any_n), IN_DATA("any_n")},
    {FIELD(struct reverse_row, target), IN_DATA("recall_target")},
    {FIELD(struct reverse_row, recall), IN_DATA("recall")},
    {FIELD(struct reverse_row, sd), IN_DATA("recall_sd")},
    {FIELD(struct reverse_row, candidates), IN_DATA("candidates")},
};
static const struct columns reverse_columns = COLUMNS(struct reverse_row, reverse_items);

static uint64_t known_count(uint64_t count)
{
    return count ? count : NO_COUNT;
}

static struct table *answer_table(const struct reverse_answer *a)
{
    struct table *table = table_of(&reverse_columns, 0);
    const bool known = has_answer(a);
    struct reverse_row row = {.question = a->question == LARGEST_K ? "largest_k" : "largest_n",
                              .n = a->any_n ? NO_COUNT : known_count(a->p.n),
                              .k = known_count(a->p.k),
                              .b = known_count(a->p.b),
                              .k_b = known_count(a->p.k_b),
                              .candidates = known ? rcm_candidates(a->p) : NO_COUNT,
                              .any_n = a->any_n,
                              .target = decimal_value(a->target),
                              .recall = known ? rcm_recall_exact(a->p) : NAN,
                              .sd = known ? rcm_recall_sd(a->p) : NAN};
    table_add(table, &row, false);
    return table;
}

int answer_reverse(const struct select_settings *settings)
{
    int status = check_reverse(settings);
    if (status != STATUS_OK)
        return status;
    struct reverse_answer a = reverse_question_of(settings);
    status = check_shape(a.p);
    if (status != STATUS_OK)
        return status;
    solve(&a);
    if (settings->question.output == OUTPUT_TABLE) {
        print_answer(&a);
        return STATUS_OK;
    }
    struct table *table = answer_table(&a);
    if (settings->question.output == OUTPUT_JSON) {
        json_t *object = row_as_json(table);
        set_text(object, "version", rcm_version());
        return print_json(object);
    }
    table_print_csv(table, stdout, true);
    table_free(table);
    return STATUS_OK;
}
