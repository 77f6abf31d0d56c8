/* select_reverse.c - select in reverse: the largest k or n for given b and kb; what each device
 * must send.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <programs/common/format.h>
#include <programs/common/wrap.h>

#include <programs/recallmodel/question/answer.h>
#include "selection.h"

enum reverse_question { LARGEST_K, LARGEST_N, SHARDS };

struct reverse_answer {
    enum reverse_question question;
    struct rcm_topk p; /* with the answer in it */
    bool any_n;        /* the target holds however long the row is */
    struct decimal target;
};

/* Are these the options of one of the three questions, with one value each? */
static int check_reverse(const struct select_settings *settings)
{
    const struct question *question = &settings->question;
    if (question->n.length > 1 || question->k.length > 1)
        return usage_error("%s takes one value here; give one",
                           question->n.length > 1 ? "--n" : "--k");
    if (settings->shards && question->assignments.items[0] == RCM_CONTIGUOUS_FLOOR)
        return usage_error("--assignment is not used with --shards; leave it out");
    if (settings->shards)
        return STATUS_OK;
    if (question->n.length + question->k.length != 1)
        return usage_error(
            "--b and --kb together find the largest k, if only --n is given, or the largest n, if "
            "only --k is; to judge a whole shape use recallmodel recall");
    if (question->k.length && question->valid)
        return usage_error("--valid is not used with --b and --kb; leave it out");
    return STATUS_OK;
}

/* Is the shape legal? What is asked for is set to a value that is always legal. */
static int check_shape(const struct select_settings *settings, struct rcm_topk p)
{
    p.n = p.n ? p.n : RCM_N_MAX;
    p.k = p.k ? p.k : 1;
    p.k_b = p.k_b ? p.k_b : 1;
    char fault[SHAPE_FAULT];
    const enum rcm_status status = rcm_check(p);
    if (status == RCM_BAD_B && settings->shards)
        return usage_error("--shards%s", shape_fault(fault, status, p) + strlen("--b"));
    return status == RCM_OK ? STATUS_OK : usage_error("%s", shape_fault(fault, status, p));
}

/* The given fields of the shape; 0 marks the one to find. */
static struct reverse_answer reverse_question_of(const struct select_settings *settings)
{
    const struct question *question = &settings->question;
    struct reverse_answer a = {.question = settings->shards     ? SHARDS
                                           : question->k.length ? LARGEST_N
                                                                : LARGEST_K,
                               .target = question_recall(question)};
    a.p = (struct rcm_topk){.n = question->n.length ? question->n.items[0] : 0,
                            .k = question->k.length ? question->k.items[0] : 0,
                            .b = settings->shards ? settings->shards : question->b.items[0],
                            .m = question->m,
                            .valid = question->valid,
                            .k_b = settings->shards ? 0 : question->k_b.items[0],
                            .assignment =
                                settings->shards ? RCM_CONTIGUOUS : question->assignments.items[0]};
    return a;
}

static void solve(const struct select_settings *settings, struct reverse_answer *a)
{
    const struct rcm_target target = {.loss = decimal_complement(a->target)};
    struct rcm_selection s = {.p = a->p, .target = target};
    switch (a->question) {
    case LARGEST_K:
        a->p.k = rcm_largest_k(a->p, target);
        break;
    case LARGEST_N:
        a->p.n = rcm_largest_n(a->p, target);
        a->any_n = a->p.n == RCM_N_MAX;
        break;
    case SHARDS:
        if (settings->confidence.given) {
            s.confidence = decimal_value(settings->confidence.value);
            s.most_lost = decimal_most_lost(a->target, a->p.k);
        }
        a->p.k_b = rcm_fewest_k_b(&s);
        break;
    }
}

static bool has_answer(const struct reverse_answer *a)
{
    return a->question == LARGEST_K   ? a->p.k > 0
           : a->question == LARGEST_N ? a->p.n > 0
                                      : a->p.k_b > 0;
}

/* What a row in shards costs: with a device alone. */
static struct rcm_shards shards_of(const struct reverse_answer *a,
                                   const struct select_settings *settings,
                                   struct rcm_profile_answer *profile)
{
    *profile = selection_profile(settings);
    const struct rcm_machine machine = {
        .profile = profile->found ? &profile->profile : NULL,
        .device = settings->question.device.given ? &settings->question.device.text.device : NULL,
        .dtype = profile->found ? profile->dtype : settings->question.dtype.type};
    return rcm_shards(&machine, a->p);
}

/* "3.1 us predicted", "unknown by this profile", "3.1 us by the profile of H100-PCIe". */
static void format_how(char *text, size_t size, double us, const struct rcm_profile_answer *a)
{
    char value[40];
    format_us(value, sizeof value, us);
    if (a->found && a->profile.stands_in_for)
        snprintf(text, size, "%s by the profile of %s, not measured on %s", value, a->profile.name,
                 a->profile.stands_in_for);
    else
        snprintf(text, size, "%s %s", value,
                 !a->found   ? "at least (bound, not calibrated)"
                 : isnan(us) ? "by this profile"
                             : "predicted");
}

static void print_shards(const struct reverse_answer *a, const struct select_settings *settings)
{
    struct rcm_profile_answer profile;
    const struct rcm_shards s = shards_of(a, settings, &profile);
    char shard[140], merge[140], whole[140];
    format_how(shard, sizeof shard, s.shard_us, &profile);
    format_how(merge, sizeof merge, s.merge_us, &profile);
    format_how(whole, sizeof whole, s.whole_us, &profile);
    printf("  sends       %.6g bytes a device (%" PRIu64 " row%s of %" PRIu64
           " values and indices)\n",
           s.send_bytes, a->p.m ? a->p.m : 1, a->p.m > 1 ? "s" : "", a->p.k_b);
    if (!settings->question.device.given)
        return;
    print_wrapped("  a device    %s, for its exact top-%" PRIu64, shard, a->p.k_b);
    print_wrapped("  the merge   %s, for the exact top-%" PRIu64
                  " of the elements sent, without the network",
                  merge, a->p.k);
    print_wrapped("  instead     %s, for the whole row on one device", whole);
}

/* The contender that loses nothing: what each device sends, where a merge that is not proved is
 * followed by a second round. k_b = 0: not known. */
struct exact_in_parts {
    uint64_t k_b, sent;
    double unproved;
};

static struct exact_in_parts exact_in_parts(struct rcm_topk p)
{
    const struct rcm_buckets buckets = rcm_buckets_of(p);
    struct rcm_part of[RCM_MAX_CLASSES + 1];
    size_t length = 0;
    for (unsigned c = 0; c < buckets.classes; c++)
        if (buckets.of[c].size)
            of[length++] = (struct rcm_part){buckets.of[c].size, 0, buckets.of[c].count};
    struct rcm_parts parts = {p.k, of, length};
    parts.length = rcm_parts_choose(p.k, of, length, RCM_PARTS_COST,
                                    (double)rcm_parts_sent_full(parts), RCM_PARTS_EQUAL);
    if (parts.length == 0)
        return (struct exact_in_parts){0, 0, NAN};
    return (struct exact_in_parts){of[0].send, rcm_parts_sent(parts),
                                   rcm_parts_probability_unproved(parts)};
}

static void print_exact(struct rcm_topk p)
{
    const struct exact_in_parts exact = exact_in_parts(p);
    if (exact.k_b)
        print_wrapped("  exact       k_b = %" PRIu64 ", %" PRIu64
                      " elements, and a second round in %.2g of the rows: recallmodel parts",
                      exact.k_b, exact.sent, exact.unproved);
}

static void print_no_answer(const struct reverse_answer *a, const char *target)
{
    if (a->question == SHARDS)
        print_wrapped(
            "Not known: --confidence needs the law (distribution) of the recall of a row, which "
            "would take too long for rows of this size.");
    else
        printf("No %s keeps a recall of %s with b = %" PRIu64 ", kb = %" PRIu64 ".\n",
               a->question == LARGEST_K ? "k" : "n", target, a->p.b, a->p.k_b);
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

static void print_fewest_k_b(const struct reverse_answer *a, const struct select_settings *settings,
                             const char *target)
{
    char confidence[32] = "", recall[32];
    const struct rcm_topk *p = &a->p;
    const bool given = settings->confidence.given;
    const uint64_t longest = rcm_buckets_of(*p).of[0].size, each = p->k < longest ? p->k : longest,
                   all = each > p->n / p->b ? p->n : p->b * each;
    if (given)
        format_decimal(confidence, sizeof confidence, settings->confidence.value);
    format_recall(recall, sizeof recall, rcm_loss_exact(*p));
    printf("k_b = %" PRIu64 ": what each of %" PRIu64
           " devices must send for a %srecall of %s%s%s.\n",
           p->k_b, p->b, given ? "" : "mean ", target, given ? " in a row with probability " : "",
           confidence);
    printf("  recall      %s in the mean (loss %.2g)\n", recall, rcm_loss_exact(*p));
    printf("  in all      %" PRIu64 " elements in place of %" PRIu64 ", %.3g times fewer\n",
           rcm_candidates(*p), all, (double)all / (double)rcm_candidates(*p));
    print_shards(a, settings);
    print_exact(*p);
    print_wrapped(
        "This holds if the top k lie anywhere with equal probability. If neighbours are alike, "
        "deal the elements out to the devices, or measure: recallmodel parts --file ROWS.npy.");
}

static void print_answer(const struct reverse_answer *a, const struct select_settings *settings)
{
    char target[32], recall[32];
    format_decimal(target, sizeof target, a->target);
    if (!has_answer(a)) {
        print_no_answer(a, target);
        return;
    }
    format_styled(recall, sizeof recall, STYLE_RECALL, rcm_recall_exact(a->p));
    switch (a->question) {
    case LARGEST_K:
        print_largest_k(&a->p, target, recall);
        break;
    case LARGEST_N:
        print_largest_n(a, target, recall);
        break;
    case SHARDS:
        print_fewest_k_b(a, settings, target);
        break;
    }
}

/* The answer as data. */
struct reverse_row {
    const char *question;
    uint64_t n, k, b, k_b, candidates;
    bool any_n, calibrated;
    double target, confidence, recall, sd;
    struct rcm_shards cost;
    struct exact_in_parts exact;
};

static const struct column reverse_items[] = {
    {FIELD(struct reverse_row, question), IN_DATA("question")},
    {FIELD(struct reverse_row, n), IN_DATA("n")},
    {FIELD(struct reverse_row, k), IN_DATA("k")},
    {FIELD(struct reverse_row, b), IN_DATA("b")},
    {FIELD(struct reverse_row, k_b), IN_DATA("k_b")},
    {FIELD(struct reverse_row, any_n), IN_DATA("any_n")},
    {FIELD(struct reverse_row, target), IN_DATA("recall_target")},
    {FIELD(struct reverse_row, confidence), IN_DATA("confidence")},
    {FIELD(struct reverse_row, recall), IN_DATA("recall")},
    {FIELD(struct reverse_row, sd), IN_DATA("recall_sd")},
    {FIELD(struct reverse_row, candidates), IN_DATA("candidates")},
    {FIELD(struct reverse_row, cost.send_bytes), IN_DATA("send_bytes"), .when = 1},
    {FIELD(struct reverse_row, cost.shard_us), IN_DATA("shard_us"), .when = 1},
    {FIELD(struct reverse_row, cost.merge_us), IN_DATA("merge_us"), .when = 1},
    {FIELD(struct reverse_row, cost.whole_us), IN_DATA("whole_us"), .when = 1},
    {FIELD(struct reverse_row, exact.k_b), IN_DATA("exact_k_b"), .when = 1},
    {FIELD(struct reverse_row, exact.unproved), IN_DATA("exact_unproved"), .when = 1},
    {FIELD(struct reverse_row, calibrated), IN_DATA("calibrated"), .when = 1},
};
static const struct columns reverse_columns = COLUMNS(struct reverse_row, reverse_items);

static uint64_t known_count(uint64_t count)
{
    return count ? count : NO_COUNT;
}

static struct table *answer_table(const struct reverse_answer *a,
                                  const struct select_settings *settings)
{
    static const char *const questions[] = {
        [LARGEST_K] = "largest_k", [LARGEST_N] = "largest_n", [SHARDS] = "fewest_k_b"};
    struct table *table = table_of(&reverse_columns, a->question == SHARDS);
    const bool known = has_answer(a), confidence = settings->confidence.given;
    struct rcm_profile_answer profile = {0};
    struct reverse_row row = {.question = questions[a->question],
                              .n = a->any_n ? NO_COUNT : known_count(a->p.n),
                              .k = known_count(a->p.k),
                              .b = known_count(a->p.b),
                              .k_b = known_count(a->p.k_b),
                              .candidates = known ? rcm_candidates(a->p) : NO_COUNT,
                              .any_n = a->any_n,
                              .target = decimal_value(a->target),
                              .confidence =
                                  confidence ? decimal_value(settings->confidence.value) : NAN,
                              .recall = known ? rcm_recall_exact(a->p) : NAN,
                              .sd = known ? rcm_recall_sd(a->p) : NAN,
                              .cost = {NAN, NAN, NAN, NAN},
                              .exact = {NO_COUNT, NO_COUNT, NAN}};
    if (a->question == SHARDS && known) {
        row.cost = shards_of(a, settings, &profile);
        row.exact = exact_in_parts(a->p);
    }
    row.calibrated = profile.found && !profile.profile.stands_in_for;
    table_add(table, &row, false);
    return table;
}

int answer_reverse(const struct select_settings *settings)
{
    int status = check_reverse(settings);
    if (status != STATUS_OK)
        return status;
    struct reverse_answer a = reverse_question_of(settings);
    status = check_shape(settings, a.p);
    if (status != STATUS_OK)
        return status;
    solve(settings, &a);
    if (settings->question.output == OUTPUT_TABLE) {
        print_answer(&a, settings);
        return STATUS_OK;
    }
    struct table *table = answer_table(&a, settings);
    if (settings->question.output == OUTPUT_JSON) {
        json_t *object = row_as_json(table);
        set_text(object, "version", rcm_version());
        return print_json(object);
    }
    table_print_csv(table, stdout, true);
    table_free(table);
    return STATUS_OK;
}
