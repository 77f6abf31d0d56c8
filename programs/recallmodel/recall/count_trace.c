/* count_trace.c - the passes of the compacting radix select on a row of a file, as the note on
 * radix top-k prints them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>
#include <sim/rows/row_file.h>

#include <programs/common/wrap.h>

#include <programs/recallmodel/command.h>
#include "count.h"

#define TRACE_N 1024
#define TRACE_DIGIT 8

struct pass_row {
    uint64_t pass, elements;
    char *counts; /* allocated */
    const char *indices, *values;
};

static const struct column pass_columns[] = {
    {FIELD(struct pass_row, pass), EVERYWHERE("pass")},
    {FIELD(struct pass_row, elements), EVERYWHERE("elements")},
    {FIELD(struct pass_row, counts), EVERYWHERE("counts")},
    {FIELD(struct pass_row, indices), EVERYWHERE("indices")},
    {FIELD(struct pass_row, values), EVERYWHERE("values")},
};
static const struct columns pass_columns_all = COLUMNS(struct pass_row, pass_columns);

struct trace {
    bool smallest;
    struct pass_row passes[32];
    size_t length;
};

/* Numbers with a space between them; with `at`, those at these indices. */
static char *numbers_text(const uint32_t *number, const uint32_t *at, size_t length)
{
    char *text = NULL;
    size_t size;
    FILE *file = require_memory(open_memstream(&text, &size));
    for (size_t i = 0; i < length; i++)
        fprintf(file, "%s%" PRIu32, i ? " " : "", number[at ? at[i] : i]);
    fclose(file);
    return text;
}

/* The count of each digit, the smallest digit of the values first. */
static void note_pass(void *to, const size_t *count, uint32_t values)
{
    struct trace *trace = to;
    uint32_t counts[1 << TRACE_DIGIT];
    struct pass_row *row = &trace->passes[trace->length++];
    *row = (struct pass_row){.pass = trace->length};
    for (uint32_t i = 0; i < values; i++) {
        counts[i] = (uint32_t)count[trace->smallest ? values - 1 - i : i];
        row->elements += counts[i];
    }
    row->counts = numbers_text(counts, NULL, values);
}

/* The first row of the file as unsigned numbers. Returns a status. */
static int read_numbers(const char *path, uint32_t number[TRACE_N], size_t *n)
{
    struct row_file file;
    char reason[500];
    double x[TRACE_N], buffer[TRACE_N];
    if (row_file_open(&file, path, SIM_DTYPE_UNKNOWN, 0, MESSAGE(reason)) != 0)
        return usage_error("--file %.150s %s", path, reason);
    const bool fits = file.row <= TRACE_N;
    const bool good = fits && row_file_read(&file, 0, x, buffer) == 0;
    *n = (size_t)file.row;
    row_file_close(&file);
    if (!good)
        return fits ? usage_error("--file %.150s cannot be read: %s", path, strerror(errno))
                    : usage_error("--file %.150s has rows of %zu elements; give at most %d for "
                                  "--trace",
                                  path, *n, TRACE_N);
    for (size_t i = 0; i < *n; i++) {
        if (!(x[i] >= 0.0 && x[i] < 0x1p32 && x[i] == floor(x[i])))
            return usage_error("--file %.150s has %g; --trace takes whole numbers from 0 to 2^32 "
                               "- 1",
                               path, x[i]);
        number[i] = (uint32_t)x[i];
    }
    return STATUS_OK;
}

static int print_passes(const struct count_settings *settings, const struct trace *trace)
{
    struct table *table = table_of(&pass_columns_all, ~0U);
    for (size_t i = 0; i < trace->length; i++)
        table_add(table, &trace->passes[i], false);
    int status = STATUS_OK;
    if (settings->question.output == OUTPUT_JSON) {
        json_t *object = object_with_version();
        json_object_set_new(object, "passes", table_json(table));
        status = print_json(object);
    } else if (settings->question.output == OUTPUT_CSV) {
        table_print_csv(table, stdout, true);
    } else {
        table_print(table, stdout, false);
        print_wrapped("\ncounts: the elements left, by their digit, the smallest digit first; "
                      "indices and values: the result.");
    }
    table_free(table);
    return status;
}

static const struct sim_algorithm *compacting(void)
{
    size_t i = 0;
    while (strcmp(sim_algorithm(i)->name, "compacting_radix") != 0)
        i++;
    return sim_algorithm(i);
}

int trace_count(const struct count_settings *settings)
{
    uint32_t number[TRACE_N], key[TRACE_N], out[TRACE_N], largest = 1;
    size_t n = 0;
    struct trace trace = {.smallest = settings->smallest};
    const struct pass_observer observer = {note_pass, &trace};
    const unsigned digit = settings->digits.length ? (unsigned)settings->digits.items[0] : 4;
    const int status = read_numbers(settings->file, number, &n);
    if (status != STATUS_OK)
        return status;
    if (settings->question.k.length != 1 || settings->question.k.items[0] > n)
        return usage_error("--trace needs a --k of at most the %zu elements of the row", n);
    if (settings->digits.length > 1 || digit > TRACE_DIGIT)
        return usage_error("--digits takes one value up to %d with --trace", TRACE_DIGIT);
    for (size_t i = 0; i < n; i++)
        largest = largest > number[i] ? largest : number[i];
    const unsigned bits = 32 - (unsigned)__builtin_clz(largest);
    const uint32_t flip = settings->smallest ? UINT32_MAX >> (32 - bits) : 0;
    for (size_t i = 0; i < n; i++)
        key[i] = number[i] ^ flip;
    const struct keys keys = {key, n, (size_t)settings->question.k.items[0], bits, false};
    struct operations cost = {.observer = &observer};
    if (!compacting()->run(&keys, digit, out, &cost))
        return usage_error("out of memory; give a shorter row");
    char *indices = numbers_text(out, NULL, keys.k), *values = numbers_text(number, out, keys.k);
    trace.passes[trace.length - 1].indices = indices;
    trace.passes[trace.length - 1].values = values;
    const int printed = print_passes(settings, &trace);
    for (size_t i = 0; i < trace.length; i++)
        free(trace.passes[i].counts);
    free(indices);
    free(values);
    return printed;
}
