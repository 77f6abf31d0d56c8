/* command_ranks.c - which elements are lost: survival by rank.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <programs/recallmodel/question/answer.h>
#include <programs/recallmodel/command.h>

struct settings {
    struct question question;
    struct count_list ranks;
};

static const struct argument ranks_options[] = {
    OPTIONS_REACHING,
    {"--ranks", "LIST", BY(read_sorted_counts), offsetof(struct settings, ranks),
     "ranks to show, of which 1 is the largest element (default 1, 2, 4, .. and k)"},
    OPTIONS_WEIGHTS("without --b, take the smallest b that loses at most this share of the softmax "
                    "mass on average, in place of --recall"),
    OPTIONS_RESTRICTION,
    OPTIONS_FORM,
};

struct rank_row {
    struct query_fields query;
    struct rcm_topk p;
    uint64_t rank;
    double survival, share;
};

static const struct column rank_items[] = {
    {PART(struct rank_row, query, query_columns)},
    {FIELD(struct rank_row, p.b), EVERYWHERE("b")},
    {FIELD(struct rank_row, p.k_b), EVERYWHERE("k_b")},
    {FIELD(struct rank_row, rank), EVERYWHERE("rank")},
    {FIELD(struct rank_row, survival), EVERYWHERE("survival"), .style = STYLE_RECALL},
    {FIELD(struct rank_row, share), HEADED("mass", "mass"), .style = STYLE_LOSS, .when = 1},
};
static const struct columns rank_columns = COLUMNS(struct rank_row, rank_items);

static struct table *ranks_rows(const struct query *query, void *state)
{
    const struct count_list *ranks = &((const struct settings *)state)->ranks;
    const struct rcm_weights *weights = &query->weights.weights;
    struct table *table = table_of(&rank_columns, weights->k > 0);
    for (size_t i = 0; i < query->length; i++) {
        struct rank_row row = {.query = fields_of(query), .p = query->shapes[i]};
        const uint64_t k = row.p.k;
        for (size_t j = 0; row.rank < k && (!ranks->length || j < ranks->length); j++) {
            const uint64_t power = j < 63 && UINT64_C(1) << j < k ? UINT64_C(1) << j : k;
            row.rank = ranks->length ? ranks->items[j] : power; /* ascending */
            if (row.rank > k)
                break;
            row.survival = rcm_survival(row.p, row.rank);
            row.share = weights->k > 0 ? weights->share[row.rank - 1] : NAN;
            table_add(table, &row, false);
        }
    }
    return table;
}

/* Ranks that some k has are right; those beyond each k are left out, with a line. */
static int check_ranks(void *state)
{
    const struct settings *settings = state;
    size_t left_out = 0;
    for (size_t i = 0; i < settings->ranks.length; i++)
        for (size_t j = 0; j < settings->question.k.length; j++) {
            uint64_t rank = settings->ranks.items[i], k = settings->question.k.items[j];
            if (rank > k && i == 0)
                return usage_error("--ranks %" PRIu64 " is larger than k = %" PRIu64
                                   "; give ranks from 1 to k",
                                   rank, k);
            left_out += rank > k;
        }
    if (left_out)
        fprintf(stderr, "recallmodel: left out %zu ranks that are larger than k\n", left_out);
    return STATUS_OK;
}

static const struct argument_rule ranks_rules[] = {WEIGHTS_RULES, {0}};

static const struct answer ranks_answer = {.rules = ranks_rules,
                                           .check = check_ranks,
                                           .shapes = SHAPES_SMALLEST_B,
                                           .rows = ranks_rows,
                                           .json_key = "ranks"};

static int run_ranks(int count, char **arguments)
{
    struct settings settings = {.question = QUESTION_DEFAULT};
    const int status =
        answer_arguments(ranks_options, &ranks_answer, &settings.question, count, arguments);
    free(settings.ranks.items);
    return status;
}

const struct command command_ranks = {
    .name = "ranks",
    .group = "How much recall, to the last digit?",
    .summary = "which elements are lost: the probability that each rank survives",
    .example = "recallmodel ranks --n 262144 --k 1024 --b 512 --kb 4",
    .columns = &rank_columns,
    .options = ranks_options,
    .run = run_ranks,
};
