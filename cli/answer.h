/* answer.h - what the subcommands have in common: for each query a table of rows, printed as text,
 * CSV or JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ANSWER_H
#define ANSWER_H

#include <jansson.h>

#include "plot.h"
#include "query.h"
#include "table.h"

struct answer {
    enum shapes shapes;
    struct table *(*rows)(const struct query *, const struct options *);
    void (*text)(const struct query *, const struct table *rows, const struct options *,
                 bool colour); /* NULL: title and table */
    void (*json)(json_t *object, const struct query *, const struct table *rows,
                 const struct options *);                               /* NULL: only: */
    const char *json_key;                                               /* the rows */
    struct plot *(*plot)(const struct query *, const struct options *); /* for --plot; NULL: none */
};

/* Builds the queries and prints the answer to each. JSON: one object, or {"version": .., "queries":
 * [..]} where lists of n or k were given. Returns a status. */
int answer_queries(const struct options *options, const struct answer *answer);

/* n, k, m, valid and assignment, as a line, and as an object with the version. */
void print_query(const struct query *query);
json_t *query_json(const struct query *query);

/* Prints the answers, one to each query, and gives them up: one object, or {"version": ..,
 * "queries": [..]}. A status. */
int print_json_answers(json_t *answers, const struct options *options);
/* The same, but as text the rows of all queries are one table, without titles: the rows say which
 * query they answer. `text` is called once, with the first query. */
int answer_in_one_table(const struct options *options, const struct answer *answer);

/* Puts n, k, m, valid and assignment in front of a CSV row. */
void put_query(struct table *table, const struct query *query);

/* Is stdout a terminal that wants colours? */
bool colour_wanted(void);

/* Prints it, indented, and gives it up. Returns a status. */
int print_json(json_t *value);

#endif
