/* parts_sizes.c - the parts of a row: as options give them, and as entries of equal parts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/files/text_file.h>
#include <base/memory.h>
#include <base/text.h>

#include "parts_command.h"

#define SIZES_BYTES_MOST ((size_t)24 * PARTS_MOST)

/* The numbers of a file, between blanks, line breaks or commas. Returns a status. */
static int read_sizes_file(struct count_list *list, const char *option, const char *path)
{
    static const char between[] = " \t\r\n,";
    size_t capacity = 0, length;
    FILE *file = fopen(path, "r"); /* or a pipe */
    char *text = file ? text_read(file, SIZES_BYTES_MOST, &length) : NULL, *rest = text;
    const char *instead = text ? text_instead(text, length) : NULL;
    int status = text ? STATUS_OK
                      : usage_error("%s %s: %s; give a list such as 100,80,80 or a file of such "
                                    "numbers",
                                    option, path, strerror(errno));
    if (instead)
        status = usage_error("%s %s: is %s", option, path, instead);
    for (char *word; status == STATUS_OK && (word = strtok_r(rest, between, &rest));) {
        list->items = array_grow(list->items, list->length, &capacity, sizeof *list->items);
        const char *wrong = parse_count(word, &list->items[list->length]);
        if (wrong)
            status = usage_error("%s %s: number %zu, '%.*s', is %s; give whole numbers from 1 on",
                                 option, path, list->length + 1, VALUE_SHOWN, word, wrong);
        else if (++list->length > PARTS_MOST)
            status = usage_error("%s %s: more than %d numbers; give at most that", option, path,
                                 PARTS_MOST);
    }
    if (status == STATUS_OK && list->length == 0)
        status = usage_error("%s %s: is no list of numbers; give a file of numbers such as "
                             "100,80,80",
                             option, path);
    free(text);
    if (file)
        fclose(file);
    return status;
}

static int read_sizes(void *to, const char *option, const char *value)
{
    struct count_list *list = to;
    if (isdigit((unsigned char)value[0]))
        return read_counts(to, option, value);
    free(list->items);
    *list = (struct count_list){0};
    return read_sizes_file(list, option, value);
}

const struct value_kind kind_of_sizes = {.read = read_sizes, .endings = "txt csv"};

size_t part_lists(const struct parts_settings *settings)
{
    return settings->parts.length ? settings->parts.length : 1;
}

uint64_t part_count(const struct part_list *list)
{
    uint64_t count = 0;
    for (size_t i = 0; i < list->length; i++)
        count += list->of[i].count;
    return count;
}

static int larger_first(const void *a, const void *b)
{
    const struct rcm_part *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? 1 : -1;
    return x->send < y->send ? 1 : x->send > y->send ? -1 : 0;
}

/* What a part of this size sends by --send: number i of a list, or the only one. */
static uint64_t given_send(const struct parts_settings *settings, size_t i, uint64_t size)
{
    const struct count_list *send = &settings->send;
    if (send->length == 0)
        return 0;
    const uint64_t one = send->items[send->length == 1 ? 0 : i];
    return one < size ? one : size;
}

/* Equal entries become one. */
static void join_entries(struct part_list *list)
{
    size_t length = 0;
    qsort(list->of, list->length, sizeof *list->of, larger_first);
    for (size_t i = 0; i < list->length; i++) {
        struct rcm_part *last = length ? &list->of[length - 1] : NULL;
        if (last && last->size == list->of[i].size && last->send == list->of[i].send)
            last->count += list->of[i].count;
        else
            list->of[length++] = list->of[i];
    }
    list->length = length;
}

struct part_list part_list_of(const struct parts_settings *settings, uint64_t n, size_t i)
{
    struct part_list list = {0};
    const uint64_t parts = settings->parts.length ? settings->parts.items[i] : 0;
    if (parts && settings->send.length <= 1) {
        list.of = require_memory(calloc(3, sizeof *list.of));
        if (n % parts)
            list.of[list.length++] = (struct rcm_part){n / parts + 1, 0, n % parts};
        list.of[list.length++] = (struct rcm_part){n / parts, 0, parts - n % parts};
        for (size_t j = 0; j < list.length; j++)
            list.of[j].send = given_send(settings, 0, list.of[j].size);
        return list;
    }
    list.length = parts ? (size_t)parts : settings->sizes.length;
    list.of = require_memory(calloc(list.length + 1, sizeof *list.of));
    for (size_t j = 0; j < list.length; j++) {
        const uint64_t size =
            parts ? n / parts + (j < n % parts ? 1 : 0) : settings->sizes.items[j];
        list.of[j] = (struct rcm_part){size, given_send(settings, j, size), 1};
    }
    join_entries(&list);
    return list;
}

/* The parts of one size take the entries of this size one after the other. */
static uint64_t take_send(struct rcm_part *of, size_t length, uint64_t size)
{
    size_t low = 0, high = length;
    while (low < high) { /* the first entry of this size; larger ones come before it */
        const size_t middle = (low + high) / 2;
        if (of[middle].size > size)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + 1 < length && of[low].count == 0)
        low++;
    of[low].count--;
    return of[low].send;
}

uint64_t *sends_in_order(const struct parts_settings *settings, const struct part_list *list)
{
    const size_t parts = (size_t)part_count(list);
    uint64_t *sends = require_memory(calloc(parts, sizeof *sends));
    struct rcm_part *left = require_memory(calloc(list->length, sizeof *left));
    memcpy(left, list->of, list->length * sizeof *left);
    size_t at = 0;
    if (settings->send.length > 1) { /* as they were given */
        for (size_t j = 0; j < parts; j++)
            sends[j] = settings->send.items[j];
    } else if (settings->sizes.length) {
        for (size_t j = 0; j < parts; j++)
            sends[j] = take_send(left, list->length, settings->sizes.items[j]);
    } else {
        for (size_t i = 0; i < list->length; i++)
            for (uint64_t j = 0; j < list->of[i].count; j++)
                sends[at++] = list->of[i].send;
    }
    free(left);
    return sends;
}

/* ---- what must hold between the options */

int read_shares(void *to, const char *option, const char *value)
{
    const int status = read_decimals(to, option, value);
    const struct decimal_list *list = to;
    for (size_t i = 0; status == STATUS_OK && i < list->length; i++)
        if (!(decimal_value(list->items[i]) > 0.0 && decimal_value(list->items[i]) < 1.0))
            return usage_error("%s '%.*s' is not between 0 and 1; give a share such as 1e-6",
                               option, VALUE_SHOWN, value);
    return status;
}

int read_rate(void *to, const char *option, const char *value)
{
    const char *wrong = parse_amount(value, to);
    return wrong ? usage_error("%s '%.*s' is %s; give a number above 0, such as 50", option,
                               VALUE_SHOWN, value, wrong)
                 : STATUS_OK;
}

static int check_sends(const struct parts_settings *settings, size_t parts, uint64_t n)
{
    const struct count_list *send = &settings->send;
    uint64_t largest = 0;
    if (send->length > 1 && send->length != parts)
        return usage_error(
            "--send has %zu numbers for %zu parts; give one for all, or one for each", send->length,
            parts);
    for (size_t j = 0; j < parts && (send->length || settings->sizes.length); j++) {
        const uint64_t size =
            settings->sizes.length ? settings->sizes.items[j] : n / parts + (j < n % parts ? 1 : 0);
        largest = size > largest ? size : largest;
        if (send->length > 1 && send->items[j] > size)
            return usage_error("--send: part %zu has %" PRIu64 " elements and cannot send %" PRIu64
                               "; give at most that",
                               j + 1, size, send->items[j]);
        if (send->length <= 1 && !settings->sizes.length)
            break; /* the first is the largest */
    }
    if (send->length == 1 && send->items[0] > largest)
        return usage_error("--send %" PRIu64 " is more than the largest part has, %" PRIu64
                           "; give at most that",
                           send->items[0], largest);
    return STATUS_OK;
}

static int check_sizes(struct parts_settings *settings)
{
    struct question *question = &settings->question;
    uint64_t sum = 0;
    for (size_t j = 0; j < settings->sizes.length; j++) {
        if (settings->sizes.items[j] > NUMBER_MAX - sum)
            return usage_error("--sizes add up to more than 2^53 - 1; give at most that");
        sum += settings->sizes.items[j];
    }
    if (question->n.length == 0) {
        question->n.items = require_memory(malloc(sizeof *question->n.items));
        question->n.items[question->n.length++] = sum;
    }
    for (size_t i = 0; i < question->n.length; i++)
        if (question->n.items[i] != sum)
            return usage_error("--sizes add up to %" PRIu64 ", and not to --n %" PRIu64
                               "; leave --n out or mend the sizes",
                               sum, question->n.items[i]);
    return check_sends(settings, settings->sizes.length, sum);
}

int check_parts(void *state)
{
    struct parts_settings *settings = state;
    const struct question *question = &settings->question;
    if (settings->parts.length == 0 && settings->sizes.length == 0)
        return usage_error("--parts is missing; for example --parts 8, or --sizes 100,80,80");
    if (settings->sizes.length)
        return check_sizes(settings);
    for (size_t j = 0; j < settings->parts.length; j++)
        for (size_t i = 0; i < question->n.length; i++) {
            const uint64_t parts = settings->parts.items[j], n = question->n.items[i];
            if (parts > n)
                return usage_error("--parts %" PRIu64 " is more than n = %" PRIu64
                                   " elements; give at most that",
                                   parts, n);
            if (parts > PARTS_MOST && (settings->least_sum || settings->send.length > 1))
                return usage_error("--parts %" PRIu64 " is more than %d, and each would have its "
                                   "own number; give at most that, or leave --least out",
                                   parts, PARTS_MOST);
            const int status = check_sends(settings, (size_t)parts, n);
            if (status != STATUS_OK)
                return status;
        }
    return STATUS_OK;
}
