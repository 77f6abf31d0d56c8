/* select_reverse.c - select, asked the other way round: given b and kb the largest k or n, given
 * devices what each must send.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include "answer.h"
#include "commands.h"
#include "memory.h"
#include "plain.h"
#include "selection.h"

enum question { LARGEST_K, LARGEST_N, SHARDS };

struct answered {
    enum question question;
    struct rcm_topk p; /* complete */
    bool any_n;
    struct decimal target;
};

/* What these questions do not read. */
static int check_unread(const struct options *o)
{
    const struct {
        bool given;
        const char *name;
    } unread[] = {{o->has_quantile, "--quantile"},
                  {o->align > 1, "--align"},
                  {o->divisors, "--divisors"},
                  {o->kernel != NULL, "--kernel"},
                  {o->objective != NULL, "--objective"},
                  {o->budget > 0.0, "--budget"},
                  {o->k_b_max > 0, "--kb-max"},
                  {o->exact_us > 0.0, "--exact-us"},
                  {!o->shards && o->has_device, "--device"},
                  {!o->shards && o->has_dtype, "--dtype"},
                  {o->plot != NULL, "--plot"},
                  {!o->shards && o->m > 1, "--m"},
                  {o->shards && o->assignments[0] == RCM_CONTIGUOUS_FLOOR, "--assignment"},
                  {!o->shards && !o->n.length && o->valid, "--valid"}};
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
        if (unread[i].given)
            return usage_error("%s has no part in this question (%s); leave it out", unread[i].name,
                               o->shards ? "--shards" : "--b and --kb");
    return STATUS_OK;
}

/* Puts together the shape that is known. Returns a status. */
static int known_shape(const struct options *o, struct answered *a)
{
    const int unread = check_unread(o);
    if (unread != STATUS_OK)
        return unread;
    const struct count_list *lists[] = {&o->n, &o->k, &o->b, &o->k_b};
    static const char *const names[] = {"--n", "--k", "--b", "--kb"};
    for (size_t i = 0; i < 4; i++)
        if (lists[i]->length > 1)
            return usage_error("%s takes one value here", names[i]);
    if (o->shards) {
        if (!o->n.length || !o->k.length || o->b.length || o->k_b.length)
            return usage_error("--shards needs --n and --k, and excludes --b and --kb: each device "
                               "is a bucket, and kb is the answer");
        a->question = SHARDS;
    } else {
        if (!o->b.length || !o->k_b.length || o->n.length + o->k.length != 1)
            return usage_error(
                "--b and --kb ask for the largest k, if --n is given, or the largest n, if --k is; "
                "to judge a whole shape use recallmodel recall");
        if (o->has_confidence)
            return usage_error(
                "--confidence is not known here: more elements may be lost when k is larger; use "
                "--recall alone, and recallmodel recall --at-least on the answer");
        a->question = o->k.length ? LARGEST_N : LARGEST_K;
    }
    a->p = (struct rcm_topk){.n = o->n.length ? o->n.items[0] : 0,
                             .k = o->k.length ? o->k.items[0] : 0,
                             .b = o->shards ? o->shards : o->b.items[0],
                             .m = o->m,
                             .valid = o->valid,
                             .k_b = o->shards ? 0 : o->k_b.items[0],
                             .assignment = o->shards ? RCM_CONTIGUOUS : o->assignments[0]};
    a->target = o->targets.length ? o->targets.items[0] : (struct decimal){95, 2};
    struct rcm_topk p = a->p; /* what is asked for is set to what is always legal */
    p.n = p.n ? p.n : RCM_N_MAX;
    p.k = p.k ? p.k : 1;
    p.k_b = p.k_b ? p.k_b : 1;
    switch (rcm_check(p)) {
    case RCM_OK:
        return STATUS_OK;
    case RCM_BAD_K:
        return usage_error("--k %" PRIu64 " is larger than --n %" PRIu64, p.k, p.n);
    case RCM_BAD_B:
        return usage_error("%s %" PRIu64 " is larger than --n %" PRIu64,
                           o->shards ? "--shards" : "--b", p.b, p.n);
    case RCM_BAD_VALID:
        return usage_error("--valid %" PRIu64 " is not between k and n", p.valid);
    default:
        return usage_error("--n or --kb is beyond 2^53 - 1");
    }
}

static void solve(const struct options *o, struct answered *a)
{
    const struct rcm_target target = {.loss = goal_of(a->target, 1).loss};
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
        if (o->has_confidence) {
            s.confidence = decimal_value(o->confidence);
            s.most_lost = goal_of(a->target, a->p.k).most_lost;
        }
        a->p.k_b = rcm_fewest_k_b(&s);
        break;
    }
}

static bool has_answer(const struct answered *a)
{
    return a->question == LARGEST_K   ? a->p.k > 0
           : a->question == LARGEST_N ? a->p.n > 0
                                      : a->p.k_b > 0;
}

/* What a row in shards costs: with a device alone. */
static struct rcm_shards shards_of(const struct answered *a, const struct options *o,
                                   bool *calibrated)
{
    const struct profile_answer profile = selection_profile(o);
    const struct rcm_machine machine = {.profile = profile.profile,
                                        .device = o->has_device ? &o->device.device : NULL,
                                        .dtype = profile.profile ? profile.dtype : o->dtype};
    *calibrated = profile.profile != NULL;
    return rcm_shards(&machine, a->p);
}

static void print_shards(const struct answered *a, const struct options *o)
{
    bool calibrated;
    const struct rcm_shards s = shards_of(a, o, &calibrated);
    char shard[40], merge[40], whole[40];
    format_us(shard, sizeof shard, s.shard_us);
    format_us(merge, sizeof merge, s.merge_us);
    format_us(whole, sizeof whole, s.whole_us);
    printf("  sends       %.6g bytes a device (%" PRIu64 " row%s of %" PRIu64
           " values and indices)\n",
           s.send_bytes, a->p.m ? a->p.m : 1, a->p.m > 1 ? "s" : "", a->p.k_b);
    if (!o->has_device)
        return;
    const char *const how = calibrated ? "predicted" : "at least (bound, not calibrated)";
    printf("  a device    %s %s for its exact top-%" PRIu64 "\n", shard, how, a->p.k_b);
    printf("  the merge   %s %s for the exact top-%" PRIu64
           " of what was sent, without the network\n",
           merge, how, a->p.k);
    printf("  instead     %s %s for the whole row on one device\n", whole, how);
}

static void print_sentence(const struct answered *a, const struct options *o)
{
    char target[32];
    format_decimal(target, sizeof target, a->target);
    const struct rcm_topk *p = &a->p;
    if (!has_answer(a)) {
        if (a->question == SHARDS)
            printf("Not known: the law of a row of this size, which --confidence needs, would take "
                   "too long.\n");
        else
            printf("No %s keeps a recall of %s with b = %" PRIu64 ", kb = %" PRIu64 ".\n",
                   a->question == LARGEST_K ? "k" : "n", target, p->b, p->k_b);
        return;
    }
    char recall[32];
    format_styled(recall, sizeof recall, STYLE_RECALL, rcm_recall_exact(*p));
    switch (a->question) {
    case LARGEST_K:
        printf("k = %" PRIu64 ": the largest that b = %" PRIu64 ", kb = %" PRIu64
               " keep at a mean recall of %s in rows of n = %" PRIu64 " (%" PRIu64
               " candidates, recall %s).\n",
               p->k, p->b, p->k_b, target, p->n, rcm_candidates(*p), recall);
        break;
    case LARGEST_N:
        if (a->any_n)
            printf("Any n: b = %" PRIu64 ", kb = %" PRIu64 " keep k = %" PRIu64
                   " at a mean recall of %s however long the row (%s at least).\n",
                   p->b, p->k_b, p->k, target, recall);
        else
            printf("n = %" PRIu64 ": the longest row of which b = %" PRIu64 ", kb = %" PRIu64
                   " keep k = %" PRIu64 " at a mean recall of %s (recall %s).\n",
                   p->n, p->b, p->k_b, p->k, target, recall);
        break;
    case SHARDS: {
        char confidence[32] = "";
        const uint64_t longest = rcm_buckets_of(*p).of[0].size,
                       each = p->k < longest ? p->k : longest,
                       all = each > p->n / p->b ? p->n : p->b * each;
        if (o->has_confidence)
            format_decimal(confidence, sizeof confidence, o->confidence);
        format_recall(recall, sizeof recall, rcm_loss_exact(*p));
        printf("k_b = %" PRIu64 ": what each of %" PRIu64
               " devices must send for a %srecall of %s%s%s.\n",
               p->k_b, p->b, o->has_confidence ? "" : "mean ", target,
               o->has_confidence ? " in a row with probability " : "", confidence);
        printf("  recall      %s in the mean (loss %.2g)\n", recall, rcm_loss_exact(*p));
        printf("  in all      %" PRIu64 " elements in place of %" PRIu64 ", %.3g times fewer\n",
               rcm_candidates(*p), all, (double)all / (double)rcm_candidates(*p));
        print_shards(a, o);
        puts("This holds where the top k lie anywhere; where neighbours are alike, deal the "
             "elements out to the devices, or\nmeasure: recallmodel simulate --assignment "
             "contiguous.");
        break;
    }
    }
}

static struct table *answer_table(const struct answered *a, const struct options *o)
{
    static const char *const questions[] = {
        [LARGEST_K] = "largest_k", [LARGEST_N] = "largest_n", [SHARDS] = "fewest_k_b"};
    struct table *table = table_new();
    const bool answered = has_answer(a);
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {{"n", a->any_n ? 0 : a->p.n}, {"k", a->p.k}, {"b", a->p.b}, {"k_b", a->p.k_b}};
    table_row(table, false);
    table_text(table, column("question", STYLE_PLAIN), questions[a->question]);
    for (size_t i = 0; i < 4; i++)
        if (counts[i].value)
            table_count(table, column(counts[i].name, STYLE_PLAIN), counts[i].value);
        else
            table_null(table, column(counts[i].name, STYLE_PLAIN));
    table_bool(table, column("any_n", STYLE_PLAIN), a->any_n);
    table_real(table, column("recall_target", STYLE_PLAIN), decimal_value(a->target));
    table_real(table, column("confidence", STYLE_PLAIN),
               o->has_confidence ? decimal_value(o->confidence) : NAN);
    table_real(table, column("recall", STYLE_RECALL), answered ? rcm_recall_exact(a->p) : NAN);
    table_real(table, column("recall_sd", STYLE_LOSS), answered ? rcm_recall_sd(a->p) : NAN);
    if (answered)
        table_count(table, column("candidates", STYLE_PLAIN), rcm_candidates(a->p));
    else
        table_null(table, column("candidates", STYLE_PLAIN));
    if (a->question == SHARDS) {
        bool calibrated;
        const struct rcm_shards cost = shards_of(a, o, &calibrated);
        table_real(table, column("send_bytes", STYLE_PLAIN), answered ? cost.send_bytes : NAN);
        table_real(table, column("shard_us", STYLE_PLAIN), answered ? cost.shard_us : NAN);
        table_real(table, column("merge_us", STYLE_PLAIN), answered ? cost.merge_us : NAN);
        table_real(table, column("whole_us", STYLE_PLAIN), answered ? cost.whole_us : NAN);
        table_bool(table, column("calibrated", STYLE_PLAIN), calibrated);
    }
    return table;
}

int answer_reverse(const struct options *options)
{
    struct answered a = {0};
    int status = known_shape(options, &a);
    if (status != STATUS_OK)
        return status;
    solve(options, &a);
    struct table *table = answer_table(&a, options);
    if (options->output == OUTPUT_CSV) {
        table_print_csv(table, stdout, true);
    } else if (options->output == OUTPUT_JSON) {
        json_t *object = checked(table_row_json(table, 0));
        json_object_set_new(object, "version", json_string(rcm_version()));
        status = print_json(object);
    } else {
        print_sentence(&a, options);
    }
    table_free(table);
    return status;
}
