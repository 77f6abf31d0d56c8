/* answer.c - see answer.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sim/team.h>

void print_query(const struct query *query)
{
    const struct rcm_topk *p = &query->base;
    printf("n = %" PRIu64 ", k = %" PRIu64, p->n, p->k);
    char lengths[LENGTHS_TEXT];
    if (p->m > 1)
        printf(", m = %" PRIu64, p->m);
    if (p->lengths)
        printf("%s (%s)", lengths_text(lengths, p->lengths), assignment_name(p->assignment));
    if (p->valid)
        printf(", valid = %" PRIu64 " (%s)", p->valid, assignment_name(p->assignment));
    putchar('\n');
}

static const struct column query_items[] = {
    {FIELD(struct query_fields, n), .csv = "n"},
    {FIELD(struct query_fields, k), .csv = "k"},
    {FIELD(struct query_fields, m), .csv = "m"},
    {FIELD(struct query_fields, valid), .csv = "valid"},
    {FIELD(struct query_fields, assignment), .csv = "assignment"},
};
const struct columns query_columns = COLUMNS(struct query_fields, query_items);

static const struct column shape_items[] = {
    {FIELD(struct rcm_topk, n), EVERYWHERE("n")}, {FIELD(struct rcm_topk, k), EVERYWHERE("k")},
    {FIELD(struct rcm_topk, b), EVERYWHERE("b")}, {FIELD(struct rcm_topk, k_b), EVERYWHERE("k_b")},
    {FIELD(struct rcm_topk, m), EVERYWHERE("m")},
};
const struct columns shape_columns = COLUMNS(struct rcm_topk, shape_items);

struct query_fields fields_of(const struct query *query)
{
    const struct rcm_topk *p = &query->base;
    const uint64_t valid = p->lengths ? NO_COUNT : p->valid ? p->valid : p->n;
    return (struct query_fields){p->n, p->k, p->m, valid, assignment_name(p->assignment)};
}

bool colour_wanted(void)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && team_has_terminal() && !(no_colour && *no_colour) && terminal &&
           strcmp(terminal, "dumb") != 0;
}

json_t *query_json(const struct query *query)
{
    const struct rcm_topk *p = &query->base;
    json_t *object = object_with_version();
    set_count(object, "n", p->n);
    set_count(object, "k", p->k);
    set_count(object, "m", p->m);
    lengths_json(object, p->lengths);
    if (p->valid)
        set_count(object, "valid", p->valid);
    if (p->valid || p->lengths)
        set_text(object, "assignment", assignment_name(p->assignment));
    return object;
}

int print_json_answers(json_t *answers, const struct question *question)
{
    if (question->n.length * question->k.length != 1) {
        json_t *object = object_with_version();
        json_object_set_new(object, "queries", answers);
        return print_json(object);
    }
    json_t *only = json_incref(json_array_get(answers, 0));
    json_decref(answers);
    return print_json(only);
}

static json_t *json_of(const struct query *query, const struct table *rows,
                       const struct answer *answer, void *state)
{
    json_t *object = query_json(query);
    if (answer->json)
        answer->json(object, query, rows, state);
    else
        json_object_set_new(object, answer->json_key, table_json(rows));
    return object;
}

static void print_text(const struct query *query, const struct table *rows,
                       const struct answer *answer, void *state, bool first)
{
    if (!first)
        putchar('\n');
    print_query(query);
    if (answer->text)
        answer->text(query, rows, state, colour_wanted());
    else
        table_print(rows, stdout, colour_wanted());
}

/* What is printed after the last query. */
struct whole_answer {
    json_t *json;      /* the objects of all queries */
    struct table *all; /* their rows in one table, where the answer is one; NULL: none yet */
};

static void answer_query(const struct query *query, const struct question *question,
                         const struct answer *answer, void *state, struct whole_answer *whole,
                         bool first)
{
    struct table *rows = answer->rows(query, state);
    const bool in_one = answer->one_table && question->output == OUTPUT_TABLE;
    if (question->output == OUTPUT_JSON)
        json_array_append_new(whole->json, json_of(query, rows, answer, state));
    else if (question->output == OUTPUT_CSV)
        table_print_csv(rows, stdout, first);
    else if (!in_one)
        print_text(query, rows, answer, state, first);
    if (!in_one)
        table_free(rows);
    else if (whole->all)
        table_take(whole->all, rows);
    else
        whole->all = rows;
}

static int draw_answer(const struct query *query, const struct question *question,
                       const struct answer *answer, void *state)
{
    if (!question->plot || !answer->plot)
        return STATUS_OK;
    struct plot *plot = answer->plot(query, state);
    const int status = plot_draw(plot, question->plot);
    plot_free(plot);
    return status;
}

int answer_queries(const struct question *question, const struct answer *answer, void *state)
{
    struct query_list queries;
    struct whole_answer whole = {json_array(), NULL};
    int status = queries_build(&queries, question, answer->shapes);
    int drawn = STATUS_OK;
    for (size_t i = 0; i < queries.length && status == STATUS_OK; i++) {
        const struct query *query = &queries.items[i];
        answer_query(query, question, answer, state, &whole, i == 0);
        const int failed = draw_answer(query, question, answer, state);
        drawn = failed != STATUS_OK ? failed : drawn;
    }
    if (whole.all && status == STATUS_OK)
        answer->text(&queries.items[0], whole.all, state, colour_wanted());
    if (whole.all)
        table_free(whole.all);
    if (question->output == OUTPUT_JSON && status == STATUS_OK)
        status = print_json_answers(whole.json, question);
    else
        json_decref(whole.json);
    queries_free(&queries);
    return status == STATUS_OK ? drawn : status;
}

int answer_arguments(const struct argument *options, const struct answer *answer,
                     struct question *settings, int count, char **arguments)
{
    int status = arguments_read_ruled(options, answer->rules, NULL, settings, count, arguments);
    if (status == STATUS_OK)
        status = question_check(settings);
    if (status == STATUS_OK && answer->check)
        status = answer->check(settings);
    if (status == STATUS_OK)
        status = answer_queries(settings, answer, settings);
    question_free(settings);
    return status;
}
