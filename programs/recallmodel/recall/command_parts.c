/* command_parts.c - how many of its best must each part of a row send?
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>
#include <programs/common/wrap.h>

#include <programs/recallmodel/command.h>
#include "parts_command.h"

static const char *least_name(unsigned i)
{
    static const char *const names[] = {"largest", "sum", NULL};
    return names[i < 2 ? i : 2];
}

static int read_least(void *to, const char *option, const char *value)
{
    unsigned found = 0;
    const int status = read_name(option, value, least_name, 2, &found);
    *(bool *)to = found == 1;
    return status;
}

/* Numbers, and "runs", which is 0. */
static int read_deals(void *to, const char *option, const char *value)
{
    struct count_list *list = to;
    static const char runs[] = "runs";
    const size_t length = strlen(value);
    const bool alone = strcmp(value, runs) == 0,
               last = length > 5 && strcmp(value + length - 5, ",runs") == 0;
    int status = STATUS_OK;
    if (!alone) {
        char *numbers = text_copy(value);
        if (last)
            numbers[length - 5] = '\0';
        status = read_sorted_counts(to, option, numbers);
        free(numbers);
    }
    if (status != STATUS_OK || !(alone || last))
        return status;
    list->items = require_memory(realloc(list->items, (list->length + 1) * sizeof *list->items));
    list->items[list->length++] = 0;
    return status;
}

static int read_call(void *to, const char *option, const char *value)
{
    struct call_option *call = to;
    call->given = true;
    return read_name(option, value, parts_call_name, UNTIL_NULL, &call->which);
}

#define AT(member) offsetof(struct parts_settings, member)

static const struct argument parts_options[] = {
    OPTIONS_ROW,
    {"--parts", "LIST", BY(read_sorted_counts), AT(parts),
     "equal parts; the first n mod P of them have one element more"},
    {"--sizes", "LIST", &kind_of_sizes, AT(sizes),
     "elements of each part: a list, or a file of up to 10^6 numbers"},
    {"--send", "LIST", BY(read_counts), AT(send),
     "what the parts send: one number for all, or one for each part"},
    {"--lose-at-most", "Q", BY(read_shares), AT(lose_at_most),
     "the share of rows that may lose anything, or a list (1e-3,1e-6,1e-9 are shown)"},
    {OPTION_RECALL},
    {"--confidence", "P", BY(read_probability), AT(confidence),
     "the probability with which a row must reach --recall (default: in the mean)"},
    {"--least", "WHAT", KIND(read_least, .names = least_name), AT(least_sum),
     "largest: one number for all parts, the least; sum: a number for each, of the least sum "
     "(default largest)"},
    {"--rules", NULL, BY(read_switch), AT(rules),
     "add what the rules of others send, for elements with a score"},
    {"--link-gb-s", "G", BY(read_rate), AT(gather.gb_s),
     "the rate, in 10^9 bytes a second, at which the merge receives all parts"},
    {"--link-us", "T", BY(read_us), AT(gather.us), "the time that a round takes without any bytes"},
    {"--dtype", "T", &kind_of_dtype, IN_QUESTION(dtype),
     "the type of the values that are sent (default f32)"},
    {"--call", "NAME", KIND(read_call, .names = parts_call_name), AT(call),
     "print exact top-k over the parts, whole: torch, mpi4py, jax or faiss"},
    {"--file", "ROWS", KIND(read_text, .endings = "npy safetensors"), AT(file),
     "measure the rows of a .npy or .safetensors file (its last axis), dealt out to the parts"},
    OPTION_MASK_BELOW(AT(as.mask)),
    {"--input", "I", &kind_of_made_input, AT(input),
     "measure generated rows: iid, ar1, lognormal, uniform, ties, sorted, constant or rope"},
    {"--rho", "R", BY(read_rho), AT(rho), "correlation of neighbours in ar1 (default 0.5)"},
    {"--deal", "LIST", BY(read_deals), AT(deal),
     "how many neighbours go to a part at a time; 1: one by one; runs: each part is a run (default "
     "1,16,64,256,runs)"},
    {"--groups", "FILE", BY(read_text), AT(groups),
     "a text file with a label for each row: --csv and --json have each group"},
    {"--group-axes", "N", BY(read_seed), AT(group_axes),
     "the N leading axes of --file give the group of a row (default: 1 if there are more than two "
     "axes)"},
    {"--rows", "R", BY(read_count), AT(rows), "rows to measure (default 1000; with --file all)"},
    {"--seed", "S", BY(read_seed), AT(seed), "seed of generated rows (default 1)"},
    {"--threads", "T", BY(read_threads), AT(threads), "threads (default: all)"},
    OPTIONS_FORM,
};

static const struct argument_rule parts_rules[] = {
    {.options = "--parts", .excludes = "--sizes"},
    {.options = "--confidence", .needs = "--recall --parts"},
    {.options = "--confidence",
     .excludes = "--least",
     .why = "the distribution of what a row loses is known for one number"},
    {.options = "--link-us", .needs = "--link-gb-s"},
    {.options = "--dtype", .needs = "--link-gb-s"},
    {.options = "--send", .excludes = "--least"},
    {.options = "--file", .excludes = "--input --rho --seed"},
    {.options = "--groups --group-axes --mask-below", .needs = "--file"},
    {.options = "--groups", .excludes = "--group-axes"},
    {.options = "--rho --seed", .needs = "--input"},
    {.options = "--file --input", .excludes = "--link-gb-s --call --rules"},
    {.options = "--call", .excludes = "--sizes --least", .why = "a call has one number to send"},
    {0},
};

/* ---- the answer as text */

/* "once in 514 rows", "in 9.6 % of rows", "in no row". */
static void format_often(char *text, size_t size, double probability)
{
    if (isnan(probability))
        snprintf(text, size, "nobody knows how often");
    else if (probability == 0.0)
        snprintf(text, size, "in no row");
    else if (probability > 0.05)
        snprintf(text, size, "in %.3g %% of rows", 100.0 * probability);
    else if (probability > 1e-5)
        snprintf(text, size, "once in %.0f rows", 1.0 / probability);
    else
        snprintf(text, size, "once in %.2g rows", 1.0 / probability);
}

static void print_answer(const struct parts_answer *answer)
{
    const struct parts_row *row = &answer->row;
    char lost[60], unproved[60];
    format_often(lost, sizeof lost, row->probability_lost);
    format_often(unproved, sizeof unproved, row->probability_unproved);
    print_wrapped("Each of %" PRIu64 " parts sends its best %s: %" PRIu64 " elements in place of "
                  "%" PRIu64 "%s.",
                  row->parts, row->each, row->sent, row->sent_full,
                  row->sent < row->sent_full ? "" : ", which is all");
    print_wrapped("  without a second round   something is lost %s", lost);
    print_wrapped("  with one, exact          needed %s; then %.6g elements a row in the mean",
                  unproved, row->expected_sent);
}

/* Of the answer; the first, if there are several. */
static void print_call(const struct parts_settings *settings)
{
    const struct parts_answer *answer = &settings->found;
    char text[PARTS_CALL_LENGTH];
    if (!settings->call.given || !answer->list.length || answer->row.k_part == NO_COUNT)
        return;
    parts_call(text, settings->call.which, &answer->row);
    printf("\n%s", text);
}

static void print_rules(void)
{
    const struct rcm_parts_rule *rule;
    putchar('\n');
    for (size_t r = 0; (rule = rcm_parts_rule(r)); r++)
        print_wrapped("  %-14s  %s; %s", rule->name, rule->formula, rule->source);
}

void parts_text(const struct query *query, const struct table *table, void *state, bool colour)
{
    const struct parts_settings *settings = state;
    (void)query;
    if (part_lists(settings) == 1) {
        if (settings->found.list.length)
            print_answer(&settings->found);
        else
            print_wrapped(
                "Not known: the distribution of what a row loses would take too long here.");
        putchar('\n');
    }
    table_print(table, stdout, colour);
    if (settings->rules)
        print_rules();
    print_call(settings);
    print_wrapped(
        "\nA merge is proved where the last element that each part sent comes after its k-th. This "
        "holds if the top k lie anywhere with equal probability: deal elements out one by one. If "
        "neighbours stay together, measure: recallmodel parts --file ROWS.npy (docs/models.md "
        "22).");
}

/* ---- as JSON */

static void put_answer(json_t *object, const struct parts_settings *settings)
{
    const struct parts_answer *answer = &settings->found;
    if (!answer->list.length)
        return;
    struct table *table = table_of(&parts_columns, settings->gather.gb_s > 0.0);
    table_add(table, &answer->row, false);
    json_t *row = row_as_json(table);
    if (answer->row.k_part == NO_COUNT) {
        uint64_t *sends = sends_in_order(settings, &answer->list);
        json_t *list = json_array();
        for (uint64_t i = 0; i < answer->row.parts; i++)
            json_array_append_new(list, json_count(sends[i]));
        json_object_set_new(row, "k_parts", list);
        free(sends);
    } else if (settings->call.given) {
        char text[PARTS_CALL_LENGTH];
        parts_call(text, settings->call.which, &answer->row);
        set_text(object, "usage", text);
    }
    json_object_update(object, row);
    json_decref(row);
}

void parts_json(json_t *object, const struct query *query, const struct table *rows, void *state)
{
    const struct parts_settings *settings = state;
    (void)query;
    if (part_lists(settings) == 1)
        put_answer(object, settings);
    json_object_set_new(object, "rows", table_json(rows));
}

static const struct answer parts_answer = {
    .shapes = SHAPES_NONE, .rows = parts_rows, .text = parts_text, .json = parts_json};

/* The calls gather arrays of one shape. */
static int check_call(const struct parts_settings *settings)
{
    const struct count_list *n = &settings->question.n, *parts = &settings->parts;
    const char *name = parts_call_name(settings->call.which);
    for (size_t i = 0; i < n->length && strcmp(name, "faiss") != 0; i++)
        if (n->items[i] % parts->items[0])
            return usage_error("--call %s needs equal parts; give an --n that --parts %" PRIu64
                               " divides, such as %" PRIu64 ", and fill the row with -inf",
                               name, parts->items[0],
                               (n->items[i] / parts->items[0] + 1) * parts->items[0]);
    return STATUS_OK;
}

static int run_parts(int count, char **arguments)
{
    struct parts_settings settings = {
        .question = QUESTION_DEFAULT, .group_axes = GROUP_AXES_USUAL, .seed = 1};
    int status =
        arguments_read_ruled(parts_options, parts_rules, NULL, &settings, count, arguments);
    if (status == STATUS_OK)
        status = check_rho(&settings.rho, settings.input.kind, false);
    if (status == STATUS_OK && (settings.file || settings.input.given))
        status = measure_parts(&settings);
    else if (status == STATUS_OK)
        status = check_parts(&settings);
    if (status == STATUS_OK && settings.call.given)
        status = check_call(&settings);
    if (status == STATUS_OK && !settings.file && !settings.input.given)
        status = answer_queries(&settings.question, &parts_answer, &settings);
    question_free(&settings.question);
    free(settings.rho.items);
    free(settings.deal.items);
    free(settings.parts.items);
    free(settings.sizes.items);
    free(settings.send.items);
    free(settings.lose_at_most.items);
    free(settings.found.list.of);
    return status;
}

const struct command command_parts = {
    .name = "parts",
    .summary = "how many of its best each part of a row (shard, rank, segment) must send",
    .example = "recallmodel parts --n 1048576 --k 2048 --parts 8\n"
               "  recallmodel parts --k 10000 --sizes segments.txt --least sum --lose-at-most 1e-6",
    .detail =
        "Each part of a row sends its best elements, and the merge takes the k best of them. If "
        "every part sends k, nothing is lost, but nearly all of it is thrown away.\n"
        "\n"
        "  each sends      the best elements of each part; a part that has fewer sends them all\n"
        "  of full         what is sent, beside min(k, elements) from each part\n"
        "  P(row loses)    the probability that a row loses anything: some part has more of the "
        "top k than it sends\n"
        "  P(not proved)   the probability that the merge cannot prove its answer: some part sent "
        "nothing that comes after the k-th\n"
        "  exact           elements a row in the mean, if what is not proved is followed by a "
        "second round in which each part sends k\n"
        "  link            a round over the link: --link-us and the bytes at --link-gb-s\n"
        "  *               marks the answer (of more than 100,000 sizes it stands alone): --send, "
        "--lose-at-most, --recall, or the least with a "
        "second round",
    .columns = &parts_columns,
    .options = parts_options,
    .run = run_parts,
};
