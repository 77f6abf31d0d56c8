/* answer.c - see answer.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "sim/team.h"

void print_query(const struct query *query)
{
    const struct rcm_topk *p = &query->base;
    printf("n = %" PRIu64 ", k = %" PRIu64, p->n, p->k);
    if (p->m > 1)
        printf(", m = %" PRIu64, p->m);
    if (p->valid)
        printf(", valid = %" PRIu64 " (%s)", p->valid, assignment_name(p->assignment));
    putchar('\n');
}

void put_query(struct table *table, const struct query *query)
{
    table_count(table, (struct column){.csv = "n"}, query->base.n);
    table_count(table, (struct column){.csv = "k"}, query->base.k);
    table_count(table, (struct column){.csv = "m"}, query->base.m);
    table_count(table, (struct column){.csv = "valid"},
                query->base.valid ? query->base.valid : query->base.n);
    table_text(table, (struct column){.csv = "assignment"},
               assignment_name(query->base.assignment));
}

bool colour_wanted(void)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && team_has_terminal() && !(no_colour && *no_colour) && terminal &&
           strcmp(terminal, "dumb") != 0;
}

int print_json(json_t *value)
{
    int failed = json_dumpf(value, stdout, JSON_INDENT(2));
    json_decref(value);
    putchar('\n');
    if (failed && !ferror(stdout))
        fputs("recallmodel: JSON could not be made; ask for fewer values at once\n", stderr);
    return failed ? STATUS_FAILED : STATUS_OK;
}

json_t *query_json(const struct query *query)
{
    const struct rcm_topk *p = &query->base;
    json_t *object = checked(json_object());
    json_object_set_new(object, "version", json_string(rcm_version()));
    json_object_set_new(object, "n", json_integer((json_int_t)p->n));
    json_object_set_new(object, "k", json_integer((json_int_t)p->k));
    json_object_set_new(object, "m", json_integer((json_int_t)p->m));
    if (p->valid) {
        json_object_set_new(object, "valid", json_integer((json_int_t)p->valid));
        json_object_set_new(object, "assignment", json_string(assignment_name(p->assignment)));
    }
    return object;
}

int print_json_answers(json_t *answers, const struct options *options)
{
    if (options->n.length * options->k.length != 1)
        return print_json(json_pack("{s:s, s:o}", "version", rcm_version(), "queries", answers));
    json_t *only = json_incref(json_array_get(answers, 0));
    json_decref(answers);
    return print_json(only);
}

static json_t *json_of(const struct query *query, const struct table *rows,
                       const struct options *options, const struct answer *answer)
{
    json_t *object = query_json(query);
    if (answer->json)
        answer->json(object, query, rows, options);
    else
        json_object_set_new(object, answer->json_key, table_json(rows));
    return object;
}

static int answer_all(const struct options *options, const struct answer *answer, bool one_table)
{
    struct query_list queries;
    int status = queries_build(&queries, options, answer->shapes);
    int failed = STATUS_OK; /* of what is drawn beside the answer */
    json_t *answers = checked(json_array());
    struct table *all = one_table ? table_new() : NULL;
    for (size_t i = 0; i < queries.length && status == STATUS_OK; i++) {
        const struct query *query = &queries.items[i];
        struct table *rows = answer->rows(query, options);
        switch (options->output) {
        case OUTPUT_TABLE:
            if (all) {
                table_take(all, rows);
                rows = NULL;
                break;
            }
            if (i)
                putchar('\n');
            print_query(query);
            if (answer->text)
                answer->text(query, rows, options, colour_wanted());
            else
                table_print(rows, stdout, colour_wanted());
            break;
        case OUTPUT_CSV:
            table_print_csv(rows, stdout, i == 0);
            break;
        case OUTPUT_JSON:
            json_array_append_new(answers, json_of(query, rows, options, answer));
            break;
        }
        if (rows)
            table_free(rows);
        if (options->plot && answer->plot) {
            struct plot *plot = answer->plot(query, options);
            const int drawn = plot_draw(plot, options);
            failed = drawn != STATUS_OK ? drawn : failed;
            plot_free(plot);
        }
    }
    if (all && options->output == OUTPUT_TABLE && status == STATUS_OK)
        answer->text(&queries.items[0], all, options, colour_wanted());
    if (all)
        table_free(all);
    if (options->output == OUTPUT_JSON && status == STATUS_OK)
        status = print_json_answers(answers, options);
    else
        json_decref(answers);
    queries_free(&queries);
    return status == STATUS_OK ? failed : status;
}

int answer_queries(const struct options *options, const struct answer *answer)
{
    return answer_all(options, answer, false);
}

int answer_in_one_table(const struct options *options, const struct answer *answer)
{
    return answer_all(options, answer, true);
}
