/* parts_command.h - what the files of `recallmodel parts` share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PARTS_COMMAND_H
#define PARTS_COMMAND_H

#include <sim/rows/row.h>

#include <programs/recallmodel/question/answer.h>
#include <programs/recallmodel/question/input.h>

/* Of the elements that are sent: each carries its value and its place. */
struct gather_link {
    double gb_s, us; /* NaN: not given */
};

/* The parts of a row, by entries of equal parts. */
struct part_list {
    struct rcm_part *of; /* room for length + 1 */
    size_t length;
};

/* A choice of what to send. */
enum parts_goal { GOAL_GIVEN, GOAL_EXACT, GOAL_LOSE_AT_MOST, GOAL_RECALL, GOAL_FULL };

struct parts_row {
    struct query_fields query;
    uint64_t parts, k_part, k_part_fewest, k_part_most, sent, sent_full;
    const char *goal;
    double limit; /* of the goal; NaN: it has none */
    char asks[40], each[48];
    double share, recall, recall_sd, loss, probability_lost, probability_unproved, expected_sent,
        time_us, expected_us;
};
/* The row that answers the question, and the parts of it; what a choice needs may not be known:
 * then list.length is 0. The caller frees list.of. */
struct parts_answer {
    enum parts_goal goal;
    struct parts_row row;
    struct part_list list;
};
struct parts_settings {
    struct question question;
    struct count_list parts; /* numbers of equal parts; empty: `sizes` */
    struct count_list sizes; /* of all parts, in their order */
    struct count_list send;  /* one for all, or one for each part; empty: not given */
    struct decimal_list lose_at_most;
    struct fraction confidence;
    bool least_sum, rules;
    struct gather_link gather;
    struct call_option {
        bool given;
        unsigned which;
    } call;
    struct parts_answer found; /* by parts_rows(), for the parts of the answer after it */
    /* of rows that are measured */
    const char *file, *groups; /* NULL: none */
    struct rows_as as;         /* of parts that have no weights: scores */
    struct input_option input;
    struct decimal_list rho;
    struct count_list deal;                   /* 0 is runs */
    uint64_t group_axes, rows, seed, threads; /* group_axes: GROUP_AXES_USUAL; 0: not given */
};

#define PARTS_MOST 1000000 /* in a list of sizes, and where each part has its own number */

/* Of the i-th number of --parts, or of --sizes; the caller frees `of`. With --send the entries have
 * what they send. */
struct part_list part_list_of(const struct parts_settings *settings, uint64_t n, size_t i);
size_t part_lists(const struct parts_settings *settings);
uint64_t part_count(const struct part_list *list);

/* What each part sends, in the order of the parts; an array that the caller frees. */
uint64_t *sends_in_order(const struct parts_settings *settings, const struct part_list *list);

extern const struct columns parts_columns;

struct parts_answer parts_answer_of(const struct query *query,
                                    const struct parts_settings *settings, size_t i);

/* All rows: those of the answer, of other choices, and of full k. */
struct table *parts_rows(const struct query *query, void *state);

void parts_text(const struct query *query, const struct table *table, void *state, bool colour);
void parts_json(json_t *object, const struct query *query, const struct table *rows, void *state);

/* The names of the frameworks of --call, until NULL; and the call for an answer with one number for
 * all parts. */
const char *parts_call_name(unsigned i);
#define PARTS_CALL_LENGTH 4000
void parts_call(char text[PARTS_CALL_LENGTH], unsigned which, const struct parts_row *row);

/* Measures rows: those of --file, or of --input. Returns a status. */
int measure_parts(struct parts_settings *settings);

/* --sizes: struct count_list, a list or the name of a file of numbers. */
extern const struct value_kind kind_of_sizes;
argument_reader read_shares; /* struct decimal_list, each in (0, 1) */
argument_reader read_rate;   /* double, above 0 */

/* What must hold between the options. */
int check_parts(void *state);

#endif
