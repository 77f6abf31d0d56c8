/* parts_rows.c - the choices of what each part of a row sends, and what each of them loses.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "parts_command.h"

#define WITH_LINK 1 /* bits of `when` */

/* Of more sizes than that, only what is asked for is computed. */
#define SIZES_QUICK 100000

static const struct column parts_items[] = {
    {PART(struct parts_row, query, query_columns)},
    {FIELD(struct parts_row, parts), EVERYWHERE("parts")},
    {FIELD(struct parts_row, goal), IN_DATA("goal")},
    {FIELD(struct parts_row, limit), IN_DATA("limit")},
    {FIELD(struct parts_row, asks), .heading = "asked"},
    {FIELD(struct parts_row, each), .heading = "each\nsends"},
    {FIELD(struct parts_row, k_part), IN_DATA("k_part")},
    {FIELD(struct parts_row, k_part_fewest), IN_DATA("k_part_fewest")},
    {FIELD(struct parts_row, k_part_most), IN_DATA("k_part_most")},
    {FIELD(struct parts_row, sent), HEADED("sent", "sent\nin all")},
    {FIELD(struct parts_row, sent_full), IN_DATA("sent_full")},
    {FIELD(struct parts_row, share), .heading = "of\nfull", .style = STYLE_PERCENT},
    {FIELD(struct parts_row, recall), EVERYWHERE("recall"), .style = STYLE_RECALL},
    {FIELD(struct parts_row, recall_sd), IN_DATA("recall_sd")},
    {FIELD(struct parts_row, loss), IN_DATA("loss")},
    {FIELD(struct parts_row, probability_lost), HEADED("probability_lost", "P(row\nloses)"),
     .style = STYLE_LOSS},
    {FIELD(struct parts_row, probability_unproved),
     HEADED("probability_unproved", "P(not\nproved)"), .style = STYLE_LOSS},
    {FIELD(struct parts_row, expected_sent), HEADED("expected_sent", "exact:\nsent"),
     .style = STYLE_COST},
    {FIELD(struct parts_row, time_us), HEADED("time_us", "link"), .style = STYLE_US,
     .when = WITH_LINK},
    {FIELD(struct parts_row, expected_us), HEADED("expected_us", "exact:\nlink"), .style = STYLE_US,
     .when = WITH_LINK},
};
const struct columns parts_columns = COLUMNS(struct parts_row, parts_items);

/* ---- the link */

static bool has_link(const struct parts_settings *settings)
{
    return settings->gather.gb_s > 0.0;
}

/* Elements that the link carries in a microsecond, each with its place in the row. */
static double elements_per_us(const struct parts_settings *settings, uint64_t n)
{
    const double index = n > UINT64_C(0x80000000) ? 8.0 : 4.0;
    return settings->gather.gb_s * 1e3 /
           (rcm_dtype_bytes(question_dtype(&settings->question)) + index);
}

static double gather_us(const struct parts_settings *settings, uint64_t n, double elements)
{
    return settings->gather.us + elements / elements_per_us(settings, n);
}

/* ---- a row of the table */

static struct rcm_parts parts_of(const struct query *query, const struct part_list *list)
{
    return (struct rcm_parts){query->base.k, list->of, list->length};
}

/* Of what a part sends, k count. */
static uint64_t sends(const struct rcm_parts *p, size_t i)
{
    return p->of[i].send < p->k ? p->of[i].send : p->k;
}

static void set_sends(struct parts_row *row, const struct rcm_parts *p)
{
    bool equal = true;
    row->k_part_fewest = UINT64_MAX;
    for (size_t i = 0; i < p->length; i++) {
        const uint64_t send = sends(p, i);
        row->k_part_most = send > row->k_part_most ? send : row->k_part_most;
        row->k_part_fewest = send < row->k_part_fewest ? send : row->k_part_fewest;
    }
    for (size_t i = 0; i < p->length; i++) /* what has fewer elements sends all */
        equal = equal && (sends(p, i) == row->k_part_most || p->of[i].send == p->of[i].size);
    row->k_part = equal ? row->k_part_most : NO_COUNT;
    if (row->k_part_fewest == row->k_part_most || equal)
        snprintf(row->each, sizeof row->each, "%" PRIu64, row->k_part_most);
    else
        snprintf(row->each, sizeof row->each, "%" PRIu64 "..%" PRIu64, row->k_part_fewest,
                 row->k_part_most);
}

static void set_asks(struct parts_row *row, enum parts_goal goal, const char *limit)
{
    static const char *const names[] = {"send", "exact", "lose_at_most", "recall", "full"};
    static const char *const texts[] = {"given", "exact, 2 rounds", "loses in ", "recall ", "full"};
    row->goal = names[goal];
    snprintf(row->asks, sizeof row->asks, "%s%s", texts[goal], limit ? limit : "");
}

static struct parts_row row_of(const struct query *query, const struct parts_settings *settings,
                               const struct part_list *list)
{
    const struct rcm_parts p = parts_of(query, list);
    struct parts_row row = {.query = fields_of(query),
                            .parts = part_count(list),
                            .limit = NAN,
                            .sent = rcm_parts_sent(p),
                            .sent_full = rcm_parts_sent_full(p),
                            .recall = rcm_parts_recall(p),
                            .recall_sd = rcm_parts_sd(p),
                            .loss = rcm_parts_loss(p),
                            .probability_lost = rcm_parts_probability_lost(p),
                            .probability_unproved = rcm_parts_probability_unproved(p)};
    set_sends(&row, &p);
    row.share = (double)row.sent / (double)row.sent_full;
    row.expected_sent = (double)row.sent + row.probability_unproved * (double)row.sent_full;
    if (has_link(settings)) {
        row.time_us = gather_us(settings, query->base.n, (double)row.sent);
        row.expected_us =
            row.time_us +
            row.probability_unproved * gather_us(settings, query->base.n, (double)row.sent_full);
    }
    return row;
}

/* ---- choices */

/* Fills in what is sent; false where that is not known. */
static bool choose(const struct query *query, const struct parts_settings *settings,
                   struct part_list *list, enum rcm_parts_goal goal, double at_most)
{
    list->length = rcm_parts_choose(query->base.k, list->of, list->length, goal, at_most,
                                    settings->least_sum ? RCM_PARTS_UNEQUAL : RCM_PARTS_EQUAL);
    return list->length > 0;
}

/* What a second round costs: all that it sends, and the time in which it begins. */
static double price_of_round(const struct query *query, const struct parts_settings *settings,
                             const struct part_list *list)
{
    const double all = (double)rcm_parts_sent_full(parts_of(query, list));
    return has_link(settings) ? all + settings->gather.us * elements_per_us(settings, query->base.n)
                              : all;
}

static bool choose_recall(const struct query *query, const struct parts_settings *settings,
                          struct part_list *list)
{
    if (!settings->confidence.given)
        return choose(query, settings, list, RCM_PARTS_LOSS, query->target.loss);
    struct rcm_selection s = {.p = query->base,
                              .target = query->target,
                              .confidence = decimal_value(settings->confidence.value),
                              .most_lost = decimal_most_lost(query->recall_target, query->base.k)};
    s.p.b = part_count(list);
    s.p.assignment = RCM_CONTIGUOUS;
    const uint64_t send = rcm_fewest_k_b(&s);
    for (size_t i = 0; i < list->length; i++)
        list->of[i].send = send < list->of[i].size ? send : list->of[i].size;
    return send > 0;
}

static void send_full(const struct query *query, struct part_list *list)
{
    for (size_t i = 0; i < list->length; i++)
        list->of[i].send = list->of[i].size < query->base.k ? list->of[i].size : query->base.k;
}

/* A choice as a row, or no row where it is not known. */
static struct parts_answer choice(const struct query *query, const struct parts_settings *settings,
                                  size_t i, enum parts_goal goal, struct decimal limit)
{
    struct parts_answer answer = {.goal = goal, .list = part_list_of(settings, query->base.n, i)};
    struct part_list *list = &answer.list;
    char text[32] = "";
    bool known = true;
    if (goal == GOAL_EXACT) {
        known =
            choose(query, settings, list, RCM_PARTS_COST, price_of_round(query, settings, list));
    } else if (goal == GOAL_LOSE_AT_MOST) {
        known = choose(query, settings, list, RCM_PARTS_LOST, decimal_value(limit));
    } else if (goal == GOAL_RECALL) {
        known = choose_recall(query, settings, list);
    } else if (goal == GOAL_FULL) {
        send_full(query, list);
    }
    if (!known) {
        list->length = 0;
        return answer;
    }
    answer.row = row_of(query, settings, list);
    if (goal == GOAL_LOSE_AT_MOST || goal == GOAL_RECALL) {
        answer.row.limit = decimal_value(limit);
        snprintf(text, sizeof text, "%g", answer.row.limit);
    }
    set_asks(&answer.row, goal, text);
    return answer;
}

static enum parts_goal asked(const struct parts_settings *settings)
{
    return settings->send.length               ? GOAL_GIVEN
           : settings->lose_at_most.length     ? GOAL_LOSE_AT_MOST
           : settings->question.targets.length ? GOAL_RECALL
                                               : GOAL_EXACT;
}

struct parts_answer parts_answer_of(const struct query *query,
                                    const struct parts_settings *settings, size_t i)
{
    const enum parts_goal goal = asked(settings);
    const struct decimal limit =
        goal == GOAL_LOSE_AT_MOST ? settings->lose_at_most.items[0] : query->recall_target;
    return choice(query, settings, i, goal, limit);
}

/* The first row that was asked for is the answer. */
static void add_choice(struct table *table, const struct query *query,
                       struct parts_settings *settings, size_t i, enum parts_goal goal,
                       struct decimal limit)
{
    const bool is_asked = goal == asked(settings);
    if (!is_asked && settings->sizes.length > SIZES_QUICK && goal != GOAL_FULL)
        return;
    const struct parts_answer answer = choice(query, settings, i, goal, limit);
    if (answer.list.length)
        table_add(table, &answer.row, is_asked);
    if (is_asked && !settings->found.list.of)
        settings->found = answer;
    else
        free(answer.list.of);
}

/* What the rules of others send, full k among them. */
static void add_rules(struct table *table, const struct query *query,
                      const struct parts_settings *settings, size_t i)
{
    const struct rcm_parts_rule *rule;
    struct part_list list = part_list_of(settings, query->base.n, i);
    for (size_t r = 0; (rule = rcm_parts_rule(r)); r++) {
        for (size_t j = 0; j < list.length; j++)
            list.of[j].send =
                rule->send(query->base.n, query->base.k, list.of[j].size, part_count(&list));
        struct parts_row row = row_of(query, settings, &list);
        row.goal = rule->name;
        snprintf(row.asks, sizeof row.asks, "%s", rule->name);
        table_add(table, &row, false);
    }
    free(list.of);
}

struct table *parts_rows(const struct query *query, void *state)
{
    struct parts_settings *settings = state;
    free(settings->found.list.of);
    settings->found = (struct parts_answer){.goal = asked(settings)};
    struct table *table = table_of(&parts_columns, has_link(settings) ? WITH_LINK : 0);
    struct decimal usual[3];
    static const char *const limits[3] = {"1e-3", "1e-6", "1e-9"};
    for (int j = 0; j < 3; j++)
        parse_decimal(limits[j], &usual[j]);
    const bool given = settings->lose_at_most.length > 0;
    const struct decimal *at_most = given ? settings->lose_at_most.items : usual;
    const size_t length = given ? settings->lose_at_most.length : 3;
    for (size_t i = 0; i < part_lists(settings); i++) {
        if (settings->send.length)
            add_choice(table, query, settings, i, GOAL_GIVEN, usual[0]);
        if (settings->question.targets.length)
            add_choice(table, query, settings, i, GOAL_RECALL, query->recall_target);
        add_choice(table, query, settings, i, GOAL_EXACT, usual[0]);
        for (size_t j = 0; j < length; j++)
            add_choice(table, query, settings, i, GOAL_LOSE_AT_MOST, at_most[j]);
        if (settings->rules)
            add_rules(table, query, settings, i);
        else
            add_choice(table, query, settings, i, GOAL_FULL, usual[0]);
    }
    return table;
}
