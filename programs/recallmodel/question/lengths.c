/* lengths.c - see lengths.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lengths.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>
#include <sim/rows/row_counts.h>

#define UNIFORM "uniform:"
#define UNIFORM_MOST 65536 /* lengths; of more integers as many at even steps */

struct numbers {
    uint64_t *items;
    size_t length, capacity;
};

static void add(struct numbers *to, uint64_t number)
{
    to->items = array_grow(to->items, to->length, &to->capacity, sizeof *to->items);
    to->items[to->length++] = number;
}

/* LOW:HIGH. Returns NULL or the fault. */
static const char *add_uniform(struct numbers *to, char *text)
{
    char *colon = strchr(text, ':');
    uint64_t low, high;
    if (!colon)
        return "without a highest length";
    *colon = '\0';
    const char *wrong = parse_count_or_zero(text, &low);
    if (!wrong)
        wrong = parse_count_or_zero(colon + 1, &high);
    if (!wrong && high < low)
        wrong = "a range that ends before it begins";
    const uint64_t steps = wrong ? 0 : high - low < UNIFORM_MOST ? high - low : UNIFORM_MOST - 1;
    for (uint64_t i = 0; i <= steps && !wrong; i++)
        add(to, steps == high - low
                    ? low + i
                    : low + (uint64_t)((double)(high - low) * (double)i / (double)steps));
    return wrong;
}

static const char *add_part(struct numbers *to, char *part)
{
    struct count_list list = {0};
    char item[ITEM_MAX];
    if (strncmp(part, UNIFORM, strlen(UNIFORM)) == 0)
        return add_uniform(to, part + strlen(UNIFORM));
    if (strcmp(part, "0") == 0) {
        add(to, 0);
        return NULL;
    }
    const char *wrong = parse_count_list(part, &list, item);
    for (size_t i = 0; i < list.length && !wrong; i++)
        add(to, list.items[i]);
    free(list.items);
    return wrong;
}

static int read_list(struct numbers *to, const char *option, const char *value)
{
    char *copy = text_copy(value);
    const char *wrong = NULL;
    for (char *part = copy, *next; part && !wrong; part = next) {
        next = strchr(part, ',');
        if (next)
            *next++ = '\0';
        wrong = add_part(to, part);
    }
    free(copy);
    return wrong ? usage_error("%s '%.*s' is %s; give lengths such as 512,1024, uniform:1:4096, or "
                               "a file, as ./NAME",
                               option, VALUE_SHOWN, value, wrong)
                 : STATUS_OK;
}

int lengths_take(struct lengths_question *question, const char *option, uint64_t *of_row,
                 size_t rows)
{
    lengths_free(question);
    question->of_row = of_row;
    question->rows = rows;
    return rcm_lengths_of(of_row, rows, &question->lengths) == 0
               ? STATUS_OK
               : usage_error("%s: %zu lengths take more memory than there is; give fewer", option,
                             rows);
}

/* What begins like a number or with "uniform:" is a list, and anything else a file. */
static int read_lengths(void *to, const char *option, const char *value)
{
    struct numbers numbers = {0};
    char reason[400];
    int status = STATUS_OK;
    if (isdigit((unsigned char)*value) || strncmp(value, UNIFORM, strlen(UNIFORM)) == 0)
        status = read_list(&numbers, option, value);
    else if (row_counts_read(value, &numbers.items, &numbers.length, MESSAGE(reason)) != 0)
        status = usage_error("%s %.150s %s", option, value, reason);
    if (status == STATUS_OK)
        return lengths_take(to, option, numbers.items, numbers.length);
    free(numbers.items);
    return status;
}

const struct value_kind kind_of_lengths = {.read = read_lengths, .endings = "npy txt"};

void lengths_free(struct lengths_question *question)
{
    free(question->of_row);
    rcm_lengths_free(&question->lengths);
    *question = (struct lengths_question){0};
}

static double mean_of(const struct rcm_lengths *lengths)
{
    double sum = 0.0;
    for (size_t i = 0; i < lengths->count; i++)
        sum += (double)lengths->rows[i] * (double)lengths->length[i];
    return sum / (double)lengths->all;
}

const char *lengths_text(char text[LENGTHS_TEXT], const struct rcm_lengths *lengths)
{
    *text = '\0';
    if (lengths)
        snprintf(text, LENGTHS_TEXT, ", lengths %" PRIu64 " to %" PRIu64 ", mean %.6g",
                 lengths->length[0], lengths->length[lengths->count - 1], mean_of(lengths));
    return text;
}

void lengths_json(json_t *object, const struct rcm_lengths *lengths)
{
    if (!lengths)
        return;
    json_t *of_rows = json_object();
    set_count(of_rows, "rows", lengths->all);
    set_count(of_rows, "least", lengths->length[0]);
    set_count(of_rows, "most", lengths->length[lengths->count - 1]);
    set_real(of_rows, "mean", mean_of(lengths));
    json_object_set_new(object, "lengths", of_rows);
}
