/* answer.h - how the commands answer: for each query a table of rows, printed as text, CSV or JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ANSWER_H
#define ANSWER_H

#include <programs/common/table.h>

#include <programs/recallmodel/output/colour.h>
#include <programs/common/json.h>
#include <programs/recallmodel/output/plot.h>
#include "query.h"

/* The parts of an answer. Each gets `state`, which is the command's own: its settings, and what
 * rows() found for the query, for the parts after it. */
struct answer {
    const struct argument_rule *rules; /* of the command's options; NULL: none */
    int (*check)(void *state);         /* what no rule says of the settings; a status. NULL */
    enum shapes shapes;                /* which shapes a query has */
    struct table *(*rows)(const struct query *query, void *state);

    /* The answer as text, below the line that repeats the query. NULL: the table of rows. */
    void (*text)(const struct query *query, const struct table *rows, void *state, bool colour);

    /* Puts the answer into the query's JSON object. NULL: the rows, as `json_key`. */
    void (*json)(json_t *object, const struct query *query, const struct table *rows, void *state);
    const char *json_key;

    /* The picture of --plot. NULL: the command takes no --plot. */
    struct plot *(*plot)(const struct query *query, void *state);

    /* As text the rows of all queries are one table, whose rows say which query they answer; text()
     * is called once, with the first query. */
    bool one_table;
};

/* Builds the queries and prints the answer to each. JSON: one object, or {"version": .., "queries":
 * [..]} where lists of n or k were given. Returns a status. */
int answer_queries(const struct question *question, const struct answer *answer, void *state);

/* Reads the arguments of a command into its settings, which begin with a question, and answers it.
 * The settings are the state of the answer. Frees what the question holds. Returns a status. */
int answer_arguments(const struct argument *options, const struct answer *answer,
                     struct question *settings, int count, char **arguments);

/* ---- the parts that commands with an answer of another form need, too */

/* n, k, m, valid and assignment, as a line, and as an object with the version. */
void print_query(const struct query *query);
json_t *query_json(const struct query *query);

/* What a row of CSV begins with. */
struct query_fields {
    uint64_t n, k, m, valid;
    const char *assignment;
};
extern const struct columns query_columns;
struct query_fields fields_of(const struct query *query);

/* n, k, b, k_b and m of a struct rcm_topk. */
extern const struct columns shape_columns;

/* Prints the answers, one for each query, as answer_queries() does, and frees them. A status. */
int print_json_answers(json_t *answers, const struct question *question);

#endif
