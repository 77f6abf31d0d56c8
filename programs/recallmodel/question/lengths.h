/* lengths.h - rows of different lengths: --lengths.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LENGTHS_H
#define LENGTHS_H

#include <model/recallmodel.h>
#include <programs/common/arguments.h>
#include <programs/common/json.h>

struct lengths_question {
    uint64_t *of_row; /* NULL: not given */
    size_t rows;
    struct rcm_lengths lengths; /* the same, for the model */
};

extern const struct value_kind kind_of_lengths; /* struct lengths_question */

#define OPTION_LENGTHS \
    "--lengths", "LIST", &kind_of_lengths, IN_QUESTION(lengths), \
        "rows have these lengths, in place of n or --valid: numbers such as 512,1024 or 1..8, " \
        "each for as many rows; uniform:LOW:HIGH; or a file with the length of each row, text or " \
        ".npy. The recall is the mean over rows; one of at most k elements comes back whole"

/* The rule of a command with that option, which `also` excludes what asks about one length. */
#define LENGTHS_RULE(also) \
    { \
        .options = "--lengths", .excludes = "--valid " also, \
        .why = "it is about rows of one length" \
    }
#define LENGTHS_NO_WEIGHTS "--lost-mass --score-sd --weights"

/* Takes the numbers over, which the question then frees. Returns a status. */
int lengths_take(struct lengths_question *question, const char *option, uint64_t *of_row,
                 size_t rows);
void lengths_free(struct lengths_question *question);

/* ", lengths 0 to 4096, mean 2048", or nothing; and the member `lengths` of the JSON. */
#define LENGTHS_TEXT 100
const char *lengths_text(char text[LENGTHS_TEXT], const struct rcm_lengths *lengths);
void lengths_json(json_t *object, const struct rcm_lengths *lengths);

#endif
