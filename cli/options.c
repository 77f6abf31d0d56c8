/* options.c - see options.h. A new option is one row of the table.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <ctype.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One line, whatever the user typed: control characters become '?'. */
int usage_error(const char *format, ...)
{
    char line[1200] = "recallmodel: ";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + strlen(line), sizeof line - strlen(line), format, arguments);
    va_end(arguments);
    for (char *at = line; *at; at++)
        if (iscntrl((unsigned char)*at))
            *at = '?';
    fprintf(stderr, "%s\n", line);
    return STATUS_USAGE;
}

#define SHOWN 60 /* characters of a value that a message repeats */

/* Each sets what its option stands for, `offset` into the options, and returns a status. */
typedef int setter(struct options *options, size_t offset, const char *name, const char *value);

static int set_list(struct options *options, size_t offset, const char *name, const char *value)
{
    struct count_list *list = (struct count_list *)(void *)((char *)options + offset);
    char item[ITEM_MAX];
    free(list->items);
    const char *wrong = parse_count_list(value, list, item);
    if (wrong && strcmp(item, value) != 0)
        return usage_error("%s '%.*s': '%s' is %s; give a list such as 1,2,4 or 1..8", name, SHOWN, value, item, wrong);
    return wrong ? usage_error("%s '%s' is %s; give a whole number from 1 on, such as 262144, 2^18, 256Ki or 1e6", name, item, wrong)
                 : STATUS_OK;
}

static int set_sorted_list(struct options *options, size_t offset, const char *name, const char *value)
{
    int status = set_list(options, offset, name, value);
    if (status == STATUS_OK)
        sort_counts((struct count_list *)(void *)((char *)options + offset));
    return status;
}

static int set_count(struct options *options, size_t offset, const char *name, const char *value)
{
    const char *wrong = parse_count(value, (uint64_t *)(void *)((char *)options + offset));
    return wrong ? usage_error("%s '%.*s' is %s; give one whole number from 1 on, such as 4096, 2^12 or 4Ki", name, SHOWN, value, wrong)
                 : STATUS_OK;
}

static int set_targets(struct options *options, size_t offset, const char *name, const char *value)
{
    char item[ITEM_MAX];
    (void)offset;
    free(options->targets.items);
    const char *wrong = parse_decimal_list(value, &options->targets, item);
    if (wrong)
        return usage_error("%s '%.*s' is %s; give a decimal fraction such as 0.95, or for bounds a list: 0.8,0.9 or 0.8:0.05:0.95", name,
                           SHOWN, value, wrong);
    for (size_t i = 0; i < options->targets.length; i++) {
        struct decimal recall = options->targets.items[i];
        if (!(recall.digits > 0 && decimal_complement(recall) >= 0.0))
            return usage_error("%s '%.*s' is outside (0, 1]; write 0.95 for 95 %%", name, SHOWN, value);
    }
    return STATUS_OK;
}

static int set_assignment(struct options *options, size_t offset, const char *name, const char *value)
{
    (void)offset;
    if (strcmp(value, "interleaved") == 0)
        options->assignment = RCM_INTERLEAVED;
    else if (strcmp(value, "contiguous") == 0)
        options->assignment = RCM_CONTIGUOUS;
    else
        return usage_error("%s '%.60s' is not known; give interleaved or contiguous", name, value);
    return STATUS_OK;
}

static int set_dtype(struct options *options, size_t offset, const char *name, const char *value)
{
    (void)offset;
    if (strcmp(value, "f32") == 0)
        options->dtype = RCM_F32;
    else if (strcmp(value, "f16") == 0)
        options->dtype = RCM_F16;
    else if (strcmp(value, "bf16") == 0)
        options->dtype = RCM_BF16;
    else
        return usage_error("%s '%.60s' is not known; give f32, f16 or bf16", name, value);
    return STATUS_OK;
}

static int set_device(struct options *options, size_t offset, const char *name, const char *value)
{
    (void)offset;
    const struct rcm_device *known = rcm_device_by_name(value);
    char error[800];
    options->has_device = true;
    if (known) {
        options->device = (struct device_entry){.device = *known};
        return STATUS_OK;
    }
    if (strpbrk(value, "./")) {
        if (device_file_read(value, &options->device, error, sizeof error) == 0)
            return STATUS_OK;
        return usage_error("%s %s", name, error);
    }
    char names[300] = "";
    for (size_t i = 0; rcm_device(i); i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", rcm_device(i)->name);
    return usage_error("%s '%.60s' is not known; give one of %s, or the path of a device file (./my.device)", name, value, names);
}

static int set_divisors(struct options *options, size_t offset, const char *name, const char *value)
{
    (void)offset, (void)name, (void)value;
    options->divisors = true;
    return STATUS_OK;
}

static int set_help(struct options *options, size_t offset, const char *name, const char *value)
{
    (void)offset, (void)name, (void)value;
    options->help = true;
    return STATUS_OK;
}

static int set_output(struct options *options, enum output output)
{
    if (options->output != OUTPUT_TABLE && options->output != output)
        return usage_error("--json and --csv exclude each other; give one of them");
    options->output = output;
    return STATUS_OK;
}

static int set_json(struct options *options, size_t offset, const char *name, const char *value)
{
    (void)offset, (void)name, (void)value;
    return set_output(options, OUTPUT_JSON);
}

static int set_csv(struct options *options, size_t offset, const char *name, const char *value)
{
    (void)offset, (void)name, (void)value;
    return set_output(options, OUTPUT_CSV);
}

#define FOR_SHAPES (FOR_RECALL | FOR_RANKS | FOR_COST | FOR_BOUNDS)
#define FOR_BUCKETS (FOR_RECALL | FOR_RANKS | FOR_BOUNDS)
#define FOR_ALL (FOR_SHAPES | FOR_DEVICES)

#define AT(field) offsetof(struct options, field)

static const struct {
    const char *name, *value; /* value == NULL: a switch */
    int commands;
    setter *set;
    size_t offset;
    const char *help;
} table[] = {
    {"--n", "N", FOR_SHAPES, set_list, AT(n), "elements in a row; a list asks for each"},
    {"--k", "K", FOR_SHAPES, set_list, AT(k), "elements wanted; a list asks for each"},
    {"--kb", "LIST", FOR_BUCKETS, set_sorted_list, AT(k_b), "kept per bucket (default 1,2,3,4,6,8 as far as k allows)"},
    {"--b", "LIST", FOR_RECALL | FOR_RANKS, set_sorted_list, AT(b), "buckets (default: a choice between the fewest and n/kb)"},
    {"--m", "M", FOR_RECALL | FOR_COST, set_count, AT(m), "rows in the batch (default 1)"},
    {"--valid", "L", FOR_BUCKETS, set_count, AT(valid), "only the first L elements of a row exist, the rest is padding"},
    {"--assignment", "A", FOR_BUCKETS, set_assignment, 0, "interleaved (default) or contiguous; they differ only with --valid"},
    {"--recall", "R", FOR_BUCKETS, set_targets, 0, "expected recall to reach, within 1e-12 of the loss (default 0.95)"},
    {"--ranks", "LIST", FOR_RANKS, set_sorted_list, AT(ranks), "ranks to show (default 1, 2, 4, .. and k)"},
    {"--device", "D", FOR_RECALL | FOR_DEVICES, set_device, 0, "the roofline of a device: a name, or the path of a device file"},
    {"--dtype", "T", FOR_RECALL, set_dtype, 0, "f32 (default), f16 or bf16: bytes of a value in the roofline"},
    {"--align", "A", FOR_BUCKETS, set_count, AT(align), "take only multiples of A for b, where b is not given"},
    {"--divisors", NULL, FOR_BUCKETS, set_divisors, 0, "take only divisors of n for b, where b is not given"},
    {"--json", NULL, FOR_ALL, set_json, 0, "print JSON"},
    {"--csv", NULL, FOR_ALL, set_csv, 0, "print CSV"},
    {"--help", NULL, FOR_ALL, set_help, 0, "print this"},
};

#define TABLE_LENGTH (sizeof table / sizeof *table)

void options_describe(enum command_bit command)
{
    for (size_t i = 0; i < TABLE_LENGTH; i++)
        if (table[i].commands & (int)command) {
            char left[40];
            snprintf(left, sizeof left, "%s %s", table[i].name, table[i].value ? table[i].value : "");
            printf("  %-16s %s\n", left, table[i].help);
        }
}

static int unknown_option(const char *argument, size_t length, enum command_bit command)
{
    char names[300] = "";
    for (size_t i = 0; i < TABLE_LENGTH; i++)
        if (table[i].commands & (int)command)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? " " : "", table[i].name);
    return usage_error("unknown option '%.*s'; the options here are %s", (int)length, argument, names);
}

int options_parse(struct options *options, enum command_bit command, int count, char **arguments, int first)
{
    *options = (struct options){.m = 1, .align = 1, .dtype = RCM_F32};
    for (int a = first; a < count; a++) {
        const char *argument = arguments[a];
        if (strncmp(argument, "--", 2) != 0)
            return usage_error("'%.60s' is not an option; options begin with --, as in --n 262144", argument);
        size_t length = strcspn(argument, "=");
        size_t row = 0;
        while (row < TABLE_LENGTH && !((table[row].commands & (int)command) && strlen(table[row].name) == length &&
                                       strncmp(argument, table[row].name, length) == 0))
            row++;
        if (row == TABLE_LENGTH)
            return unknown_option(argument, length, command);
        const char *value = argument[length] == '=' ? argument + length + 1 : NULL;
        if (!table[row].value && value)
            return usage_error("%s takes no value, but was given '%s'", table[row].name, value);
        if (table[row].value && !value) {
            if (a + 1 == count || strncmp(arguments[a + 1], "--", 2) == 0)
                return usage_error("%s needs a value: %s %s", table[row].name, table[row].name, table[row].value);
            value = arguments[++a];
        }
        int status = table[row].set(options, table[row].offset, table[row].name, value);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

void options_free(struct options *options)
{
    free(options->n.items);
    free(options->k.items);
    free(options->b.items);
    free(options->k_b.items);
    free(options->ranks.items);
    free(options->targets.items);
}
