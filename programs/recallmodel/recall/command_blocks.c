/* command_blocks.c - keep the best blocks of a row, then take the top-k inside them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <programs/common/wrap.h>

#include <programs/recallmodel/question/answer.h>
#include <programs/recallmodel/command.h>

#include "blocks_routing.h"

struct settings {
    struct question question;
    uint64_t size;
    struct count_list kept;
    struct routing_question routing;
    struct rcm_blocks found; /* the first row of groups that reaches --recall; kept 0: none */
};

#define SIZE_DEFAULT 8
#define ROWS_MOST 200 /* without --blocks: steps of sqrt 2 up to 2^53, and two more */

static const struct argument blocks_options[] = {
    OPTIONS_ROW,
    {"--block", "S", BY(read_count), offsetof(struct settings, size),
     "keys in a block (default 8); the last block may have fewer"},
    {"--blocks", "LIST", BY(read_sorted_counts), offsetof(struct settings, kept),
     "blocks to keep (default: a selection from the fewest that hold k keys, and the fewest that "
     "reach --recall)"},
    {OPTION_RECALL},
    OPTIONS_ROUTING(offsetof(struct settings, routing)),
    OPTIONS_FORM,
};

static const struct argument_rule blocks_rules[] = {ROUTING_RULE, {0}};

/* The rows of one n and k, ascending; and which of them is the answer. */
struct selection {
    uint64_t kept[ROWS_MOST];
    size_t length;
    uint64_t answer; /* the blocks of it; 0: none */
};

static struct rcm_blocks blocks_of(const struct query *query, const struct settings *settings,
                                   uint64_t kept)
{
    return (struct rcm_blocks){query->base.n, query->base.k, settings->size, kept};
}

static void append(struct selection *selection, uint64_t kept)
{
    if (selection->length == 0 || selection->kept[selection->length - 1] < kept)
        selection->kept[selection->length++] = kept;
}

/* The fewest blocks that hold k, then steps of sqrt 2 to the fewest that lose nothing; among them
 * the answer. */
static struct selection usual_rows(const struct query *query, const struct settings *settings)
{
    const struct rcm_blocks b = blocks_of(query, settings, 1);
    const uint64_t count = rcm_blocks_count(b), most = b.k < count ? b.k : count;
    const uint64_t fewest = (b.k - 1) / b.size + 1;
    struct selection rows = {.answer = rcm_blocks_smallest(b, query->target.loss)};
    for (unsigned step = 0;; step++) {
        const uint64_t kept = (uint64_t)llround((double)fewest * pow(2.0, 0.5 * step));
        if (rows.answer && rows.answer <= kept)
            append(&rows, rows.answer);
        append(&rows, kept < most ? kept : most);
        if (kept >= most)
            return rows;
    }
}

struct blocks_row {
    struct rcm_blocks b;
    uint64_t candidates;
    double recall, sd, loss, bucketed;
    double recall_two_best, weight_lost, weight_lost_two_best;
    const char *scores;
    double score_sd; /* NAN: uniform */
};

enum { KEYS = 1, GROUPS = 2 }; /* the parts of the table */

static const struct column blocks_items[] = {
    {FIELD(struct blocks_row, b.n), .csv = "n"},
    {FIELD(struct blocks_row, b.k), .csv = "k"},
    {FIELD(struct blocks_row, b.size), EVERYWHERE("block")},
    {FIELD(struct blocks_row, b.kept), EVERYWHERE("blocks")},
    {FIELD(struct blocks_row, candidates), HEADED("candidates", "candi-\ndates")},
    {FIELD(struct blocks_row, recall), EVERYWHERE("recall"), .style = STYLE_RECALL},
    {FIELD(struct blocks_row, recall_two_best), HEADED("recall_two_best", "recall by\ntwo best"),
     .style = STYLE_RECALL, .when = GROUPS},
    {FIELD(struct blocks_row, sd), HEADED("recall_sd", "sd"), .style = STYLE_LOSS, .when = KEYS},
    {FIELD(struct blocks_row, loss), EVERYWHERE("loss"), .style = STYLE_LOSS, .when = KEYS},
    {FIELD(struct blocks_row, weight_lost), HEADED("weight_lost", "weight\nlost"),
     .style = STYLE_LOSS, .when = GROUPS},
    {FIELD(struct blocks_row, weight_lost_two_best), HEADED("weight_lost_two_best", "by\ntwo best"),
     .style = STYLE_LOSS, .when = GROUPS},
    {FIELD(struct blocks_row, bucketed), HEADED("recall_bucketed", "bucketed\nk_b = 1"),
     .style = STYLE_RECALL, .when = KEYS},
    {FIELD(struct blocks_row, scores), IN_DATA("scores"), .when = GROUPS},
    {FIELD(struct blocks_row, score_sd), IN_DATA("score_sd"), .when = GROUPS},
};
static const struct columns blocks_columns = COLUMNS(struct blocks_row, blocks_items);

static void add_row(struct table *table, struct rcm_blocks b, bool marked)
{
    const uint64_t candidates = rcm_blocks_candidates(b);
    const struct blocks_row row = {
        .b = b,
        .candidates = candidates,
        .recall = rcm_blocks_recall(b),
        .sd = rcm_blocks_sd(b),
        .loss = rcm_blocks_loss(b),
        .bucketed = rcm_recall_exact((struct rcm_topk){b.n, b.k, .b = candidates, .k_b = 1}),
    };
    table_add(table, &row, marked);
}

/* The rows of --blocks that are legal. */
static bool legal(const struct query *query, const struct settings *settings, size_t i)
{
    return rcm_blocks_check(blocks_of(query, settings, settings->kept.items[i])) == RCM_OK;
}

static struct table *given_rows(const struct query *query, const struct settings *settings)
{
    struct table *table = table_of(&blocks_columns, KEYS);
    bool reached = false;
    for (size_t i = 0; i < settings->kept.length; i++) {
        if (!legal(query, settings, i))
            continue;
        const struct rcm_blocks b = blocks_of(query, settings, settings->kept.items[i]);
        const bool reaches = rcm_blocks_loss(b) <= query->target.loss * (1.0 + RCM_TARGET_SLACK);
        add_row(table, b, reaches && !reached);
        reached = reached || reaches;
    }
    return table;
}

/* ---- groups of experts */

/* Adds a row, marked if it is the first that reaches the target. */
static void add_groups(struct table *table, const struct query *query, struct settings *settings,
                       uint64_t kept)
{
    const struct rcm_blocks b = blocks_of(query, settings, kept);
    const struct routed routed = routed_of(&settings->routing, b);
    const bool reaches = settings->found.kept == 0 &&
                         1.0 - routed.recall <= query->target.loss * (1.0 + RCM_TARGET_SLACK);
    const struct blocks_row row = {.b = b,
                                   .candidates = rcm_blocks_candidates(b),
                                   .recall = rcm_blocks_recall(b),
                                   .recall_two_best = 1.0 - routed.two_best.experts,
                                   .weight_lost = routed.best.weight,
                                   .weight_lost_two_best = routed.two_best.weight,
                                   .scores = expert_scores_name(&settings->routing),
                                   .score_sd = routed.logit_sd};
    if (reaches)
        settings->found = b;
    table_add(table, &row, reaches);
}

/* Each number of groups: there are few. */
static struct table *groups_rows(const struct query *query, struct settings *settings)
{
    struct table *table = table_of(&blocks_columns, GROUPS);
    table_heading(table, "recall", "recall\nby best");
    settings->found = (struct rcm_blocks){0};
    for (size_t i = 0; i < settings->kept.length; i++)
        if (legal(query, settings, i))
            add_groups(table, query, settings, settings->kept.items[i]);
    const struct rcm_blocks b = blocks_of(query, settings, 1);
    for (uint64_t kept = (b.k - 1) / b.size + 1;
         !settings->kept.length && kept <= rcm_blocks_count(b); kept++)
        add_groups(table, query, settings, kept);
    return table;
}

/* The groups that are drawn: the only ones of --blocks, or those found. */
static struct rcm_blocks drawn_groups(const struct query *query, const struct settings *settings)
{
    return settings->kept.length == 1 ? blocks_of(query, settings, settings->kept.items[0])
                                      : settings->found;
}

static void groups_text(const struct query *query, const struct settings *settings)
{
    const struct rcm_blocks b = settings->found;
    char target[32];
    format_decimal(target, sizeof target, query->recall_target);
    const char *by = settings->routing.by.value == RCM_GROUP_BEST ? "best" : "two best";
    if (b.kept)
        print_wrapped("Keep %" PRIu64 " of %" PRIu64 " groups of %" PRIu64
                      ", by their %s, for recall %s.",
                      b.kept, rcm_blocks_count(b), b.size, by, target);
    else
        print_wrapped("None of these reaches recall %s by their %s.", target, by);
}

/* ---- the answer */

static struct table *blocks_rows(const struct query *query, void *state)
{
    struct settings *settings = state;
    if (settings->routing.by.given)
        return groups_rows(query, settings);
    if (settings->kept.length)
        return given_rows(query, settings);
    struct table *table = table_of(&blocks_columns, KEYS);
    const struct selection rows = usual_rows(query, settings);
    for (size_t i = 0; i < rows.length; i++)
        add_row(table, blocks_of(query, settings, rows.kept[i]), rows.kept[i] == rows.answer);
    return table;
}

/* The only one of --blocks, or the fewest that reach --recall. 0: none, or it is not known. */
static struct rcm_blocks answer_to(const struct query *query, const struct settings *settings)
{
    struct rcm_blocks b = blocks_of(query, settings, 0);
    if (settings->kept.length == 1)
        b.kept = settings->kept.items[0];
    else
        b.kept = rcm_blocks_smallest(b, query->target.loss);
    return b;
}

static void blocks_text(const struct query *query, const struct table *table, void *state,
                        bool colour)
{
    const struct settings *settings = state;
    if (settings->routing.by.given) {
        const struct rcm_blocks drawn = drawn_groups(query, settings);
        groups_text(query, settings);
        table_print(table, stdout, colour);
        routing_print(&settings->routing, drawn);
        return;
    }
    const struct rcm_blocks b = answer_to(query, settings);
    char recall[32], target[32];
    format_styled(recall, sizeof recall, STYLE_RECALL, rcm_blocks_recall(b));
    format_decimal(target, sizeof target, query->recall_target);
    if (settings->kept.length == 1)
        print_wrapped("%" PRIu64 " of %" PRIu64 " blocks of %" PRIu64
                      ": recall %s in the mean, sd %.2g.",
                      b.kept, rcm_blocks_count(b), b.size, recall, rcm_blocks_sd(b));
    else
        print_wrapped("Keep %" PRIu64 " of %" PRIu64 " blocks of %" PRIu64
                      " for recall %s: %s in the mean, sd %.2g.",
                      b.kept, rcm_blocks_count(b), b.size, target, recall, rcm_blocks_sd(b));
    table_print(table, stdout, colour);
    if (b.n % b.size)
        print_wrapped("The last block has %" PRIu64 " keys.", b.n % b.size);
}

/* The answer, and the rows. */
static void blocks_json(json_t *object, const struct query *query, const struct table *rows,
                        void *state)
{
    const struct settings *settings = state;
    if (settings->routing.by.given) {
        const struct rcm_blocks drawn = drawn_groups(query, settings);
        set_real(object, "recall_target", decimal_value(query->recall_target));
        set_count(object, "block", settings->size);
        set_count(object, "blocks", settings->found.kept ? settings->found.kept : NO_COUNT);
        routing_json(object, &settings->routing, drawn);
        json_object_set_new(object, "rows", table_json(rows));
        return;
    }
    const struct rcm_blocks b = answer_to(query, state);
    set_real(object, "recall_target", decimal_value(query->recall_target));
    set_count(object, "block", b.size);
    set_count(object, "blocks", b.kept);
    set_count(object, "blocks_of_row", rcm_blocks_count(b));
    set_count(object, "candidates", rcm_blocks_candidates(b));
    set_real(object, "recall", rcm_blocks_recall(b));
    set_real(object, "recall_sd", rcm_blocks_sd(b));
    set_real(object, "loss", rcm_blocks_loss(b));
    json_object_set_new(object, "rows", table_json(rows));
}

/* ---- what must hold between the options */

struct left_out {
    size_t total, illegal;
    char first[RCM_STATUS_TEXT_MOST + 2];
};

static void check_one(struct left_out *out, const struct settings *settings, struct rcm_blocks b)
{
    const enum rcm_status status = rcm_blocks_check(b);
    char text[RCM_STATUS_TEXT_MOST] = "";
    out->total++;
    if (status == RCM_BAD_K) /* queries_build() says what is wrong with k */
        return;
    if (settings->routing.by.given)
        routing_wrong(&settings->routing, b, text);
    else if (status != RCM_OK)
        rcm_blocks_status_text(status, b, text, sizeof text);
    if (text[0] && out->illegal++ == 0)
        snprintf(out->first, sizeof out->first, "--%s", text);
}

/* Combinations that are not legal are left out, with one line; it is an error if none is left of
 * some n and k. */
static int check_blocks(void *state)
{
    const struct settings *settings = state;
    const struct question *question = &settings->question;
    struct left_out out = {.total = 0};
    if (settings->routing.scores == RCM_SCORES_UNIFORM && settings->routing.score_sd.given)
        return usage_error("--scores uniform has no logits; leave --score-sd out");
    for (size_t i = 0; i < question->n.length * question->k.length; i++) {
        struct rcm_blocks b = {.n = question->n.items[i / question->k.length],
                               .k = question->k.items[i % question->k.length],
                               .size = settings->size};
        const struct left_out before = out;
        const size_t given = settings->kept.length ? settings->kept.length : 1;
        for (size_t j = 0; j < given; j++) {
            b.kept = settings->kept.length ? settings->kept.items[j] : (b.k - 1) / b.size + 1;
            check_one(&out, settings, b);
        }
        if (out.illegal - before.illegal == given)
            return usage_error("%s", out.first);
    }
    if (out.illegal)
        fprintf(stderr, "recallmodel: left out %zu of %zu combinations; the first: %s\n",
                out.illegal, out.total, out.first);
    return STATUS_OK;
}

static const struct answer blocks_answer = {.rules = blocks_rules,
                                            .check = check_blocks,
                                            .shapes = SHAPES_NONE,
                                            .rows = blocks_rows,
                                            .text = blocks_text,
                                            .json = blocks_json};

static int run_blocks(int count, char **arguments)
{
    struct settings settings = {.question = QUESTION_DEFAULT, .size = SIZE_DEFAULT};
    const int status =
        answer_arguments(blocks_options, &blocks_answer, &settings.question, count, arguments);
    free(settings.kept.items);
    return status;
}

const struct command command_blocks = {
    .name = "blocks",
    .summary = "top-k in two levels: the recall of the exact top-k inside the best blocks",
    .example = "recallmodel blocks --n 1048576 --k 2048 --recall 0.95",
    .detail =
        "A row of n keys is cut into blocks of S neighbours. The blocks with the largest maxima "
        "are kept, and the exact top-k of the keys in them is the answer. Nothing is lost if k "
        "blocks are kept. Blocks that hold fewer than k keys in all are not shown.\n"
        "\n"
        "  candidates      keys in the blocks that are kept\n"
        "  recall          the expected recall, if the top-k lie anywhere in the row with equal "
        "probability\n"
        "  sd              the standard deviation of the recall of one row\n"
        "  bucketed        the recall of bucketed top-k with as many candidates, a bucket for each "
        "(k_b = 1)\n"
        "  by two best     with --by: of groups kept by the sum of their two best scores\n"
        "  weight lost     with --by: the share of the top k's expected weight, also by two best\n"
        "  *               marks the fewest blocks shown that reach --recall",
    .columns = &blocks_columns,
    .options = blocks_options,
    .run = run_blocks,
};
