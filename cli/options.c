/* options.c - see options.h. A new option is one row of the table.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int usage_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("recallmodel: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return STATUS_USAGE;
}

/* Each sets what its option stands for and returns a status. `name` is the option as the user knows it. */
typedef int setter(struct options *options, const char *name, const char *value);

static int set_count_list(struct count_list *list, const char *name, const char *value)
{
    free(list->items);
    const char *wrong = parse_count_list(value, list);
    return wrong ? usage_error("%s '%s' is %s", name, value, wrong) : STATUS_OK;
}

static int set_n(struct options *options, const char *name, const char *value)
{
    return set_count_list(&options->n, name, value);
}

static int set_k(struct options *options, const char *name, const char *value)
{
    return set_count_list(&options->k, name, value);
}

static int set_k_b(struct options *options, const char *name, const char *value)
{
    return set_count_list(&options->k_b, name, value);
}

static int set_b(struct options *options, const char *name, const char *value)
{
    return set_count_list(&options->b, name, value);
}

static int set_ranks(struct options *options, const char *name, const char *value)
{
    return set_count_list(&options->ranks, name, value);
}

static int set_count(uint64_t *count, const char *name, const char *value)
{
    const char *wrong = parse_count(value, count);
    return wrong ? usage_error("%s '%s' is %s", name, value, wrong) : STATUS_OK;
}

static int set_m(struct options *options, const char *name, const char *value)
{
    return set_count(&options->m, name, value);
}

static int set_valid(struct options *options, const char *name, const char *value)
{
    return set_count(&options->valid, name, value);
}

static int set_align(struct options *options, const char *name, const char *value)
{
    return set_count(&options->align, name, value);
}

static int set_targets(struct options *options, const char *name, const char *value)
{
    free(options->targets.items);
    const char *wrong = parse_decimal_list(value, &options->targets);
    if (wrong)
        return usage_error("%s '%s' is %s", name, value, wrong);
    for (size_t i = 0; i < options->targets.length; i++) {
        double recall = decimal_value(options->targets.items[i]);
        if (!(recall > 0.0 && recall <= 1.0))
            return usage_error("%s '%s' is outside (0, 1]; write 0.95 for 95 %%", name, value);
    }
    return STATUS_OK;
}

static int set_assignment(struct options *options, const char *name, const char *value)
{
    if (strcmp(value, "interleaved") == 0)
        options->assignment = RCM_INTERLEAVED;
    else if (strcmp(value, "contiguous") == 0)
        options->assignment = RCM_CONTIGUOUS;
    else
        return usage_error("%s '%s' is not known; give interleaved or contiguous", name, value);
    return STATUS_OK;
}

static int set_dtype(struct options *options, const char *name, const char *value)
{
    if (strcmp(value, "f32") == 0)
        options->dtype = RCM_F32;
    else if (strcmp(value, "f16") == 0)
        options->dtype = RCM_F16;
    else if (strcmp(value, "bf16") == 0)
        options->dtype = RCM_BF16;
    else
        return usage_error("%s '%s' is not known; give f32, f16 or bf16", name, value);
    return STATUS_OK;
}

static int set_device(struct options *options, const char *name, const char *value)
{
    const struct rcm_device *known = rcm_device_by_name(value);
    char error[800];
    options->has_device = true;
    if (known) {
        options->device = (struct device_entry){.device = *known};
        return STATUS_OK;
    }
    if (strpbrk(value, "./") && *value) {
        if (device_file_read(value, &options->device, error, sizeof error) == 0)
            return STATUS_OK;
        return usage_error("%s %s", name, error);
    }
    char names[300] = "";
    for (size_t i = 0; rcm_device(i); i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", rcm_device(i)->name);
    return usage_error("%s '%s' is not known; give one of %s, or the path of a device file (./my.device)", name, value, names);
}

static int set_divisors(struct options *options, const char *name, const char *value)
{
    (void)name, (void)value;
    options->divisors = true;
    return STATUS_OK;
}

static int set_help(struct options *options, const char *name, const char *value)
{
    (void)name, (void)value;
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

static int set_json(struct options *options, const char *name, const char *value)
{
    (void)name, (void)value;
    return set_output(options, OUTPUT_JSON);
}

static int set_csv(struct options *options, const char *name, const char *value)
{
    (void)name, (void)value;
    return set_output(options, OUTPUT_CSV);
}

#define FOR_SHAPES (FOR_RECALL | FOR_RANKS | FOR_COST | FOR_BOUNDS)
#define FOR_BUCKETS (FOR_RECALL | FOR_RANKS | FOR_BOUNDS)
#define FOR_ALL (FOR_SHAPES | FOR_DEVICES)

static const struct {
    const char *name, *value; /* value == NULL: a switch */
    int commands;
    setter *set;
    const char *help;
} table[] = {
    {"--n", "N", FOR_SHAPES, set_n, "elements in a row; a list asks for each"},
    {"--k", "K", FOR_SHAPES, set_k, "elements wanted; a list asks for each"},
    {"--kb", "LIST", FOR_BUCKETS, set_k_b, "kept per bucket (default 1,2,3,4,6,8 as far as k allows)"},
    {"--b", "LIST", FOR_RECALL | FOR_RANKS, set_b, "buckets (default: a choice between the fewest and n/kb)"},
    {"--m", "M", FOR_RECALL | FOR_COST, set_m, "rows in the batch (default 1)"},
    {"--valid", "L", FOR_BUCKETS, set_valid, "only the first L elements of a row exist, the rest is padding"},
    {"--assignment", "A", FOR_BUCKETS, set_assignment, "interleaved (default) or contiguous; they differ only with --valid"},
    {"--recall", "R", FOR_BUCKETS, set_targets, "expected recall to reach (default 0.95)"},
    {"--ranks", "LIST", FOR_RANKS, set_ranks, "ranks to show (default 1, 2, 4, .. and k)"},
    {"--device", "D", FOR_RECALL | FOR_DEVICES, set_device, "adds the roofline of a device: a name or a file (see devices)"},
    {"--dtype", "T", FOR_RECALL, set_dtype, "f32 (default), f16 or bf16: bytes of a value in the roofline"},
    {"--align", "A", FOR_BUCKETS, set_align, "take only multiples of A for b, where b is not given"},
    {"--divisors", NULL, FOR_BUCKETS, set_divisors, "take only divisors of n for b, where b is not given"},
    {"--json", NULL, FOR_ALL, set_json, "print JSON"},
    {"--csv", NULL, FOR_ALL, set_csv, "print CSV"},
    {"--help", NULL, FOR_ALL, set_help, "print this"},
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
            return usage_error("'%s' is not an option; options begin with --, as in --n 262144", argument);
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
        int status = table[row].set(options, table[row].name, value);
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
