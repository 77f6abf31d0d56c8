/* arguments.c - see arguments.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nearest.h"
#include "wrap.h"

static const char help_option[] = "--help";

/* ---- the table */

static size_t rows_of(const struct argument *table)
{
    size_t count = 0;
    while (table[count].option)
        count++;
    return count;
}

/* "  --n N              elements in a row", in as many lines as it takes. */
static void describe(const char *option, const char *value, const char *help)
{
    char left[40];
    snprintf(left, sizeof left, "%s %s", option, value ? value : "");
    for (const char *end; (end = strchr(help, '\n')); help = end + 1, *left = '\0')
        print_wrapped("  %-18s %.*s", left, (int)(end - help), help);
    print_wrapped("  %-18s %s", left, help);
}

void arguments_describe(const struct argument *table)
{
    for (; table->option; table++)
        describe(table->option, table->value, table->help);
    describe(help_option, NULL, "print this help; also -h");
}

static int unknown_option(const struct argument *table, const char *typed, size_t length)
{
    char names[500] = "";
    struct nearest nearest = {.typed = typed, .length = length};
    for (; table->option; table++) {
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s ", table->option);
        nearest_try(&nearest, table->option);
    }
    nearest_try(&nearest, help_option);
    if (nearest.name)
        return usage_error("unknown option '%.*s'; did you mean %s?", (int)length, typed,
                           nearest.name);
    return usage_error("unknown option '%.*s'; the options here are %s%s", (int)length, typed,
                       names, help_option);
}

/* ---- reading a command line */

struct reading {
    const struct argument *table;
    void *settings;
    const char *bare; /* the option that the next bare argument is of; NULL: none */
    bool given[ARGUMENTS_MAX], help, bare_given; /* bare_given: without the name of its option */
    int count, at;                               /* arguments[at] is next */
    char **arguments;
};

size_t argument_row(const struct argument *table, const char *name, size_t length)
{
    size_t row = 0;
    while (table[row].option &&
           !(strlen(table[row].option) == length && strncmp(name, table[row].option, length) == 0))
        row++;
    return row;
}

static int read_into(const struct reading *r, size_t row, const char *value)
{
    const struct argument *argument = &r->table[row];
    return argument->kind->read((char *)r->settings + argument->at, argument->option, value);
}

/* Is the argument a value without the name of its option? */
static bool takes_bare(const struct reading *r, const char *argument)
{
    if (*argument == '-' || *argument == '\0' || !r->bare)
        return false;
    return !r->given[argument_row(r->table, r->bare, strlen(r->bare))];
}

static int read_option(struct reading *r, const char *argument)
{
    const size_t length = strcspn(argument, "=");
    const size_t row = argument_row(r->table, argument, length);
    const struct argument *option = &r->table[row];
    const char *value = argument[length] == '=' ? argument + length + 1 : NULL;
    const bool help = !option->option && length == strlen(help_option) &&
                      strncmp(argument, help_option, length) == 0;
    if (!option->option && !help)
        return unknown_option(r->table, argument, length);
    if ((help || !option->value) && value)
        return usage_error("%s takes no value, but was given '%s'",
                           help ? help_option : option->option, value);
    if (help ? r->help : r->given[row])
        return usage_error("%s is given twice; give it once%s", help ? help_option : option->option,
                           option->value && strcmp(option->value, "LIST") == 0
                               ? ", with a list such as 1,2,4"
                               : "");
    if (help) {
        r->help = true;
        return STATUS_OK;
    }
    if (option->value && !value) {
        if (r->at == r->count || strncmp(r->arguments[r->at], "--", 2) == 0)
            return usage_error("%s needs a value: %s %s", option->option, option->option,
                               option->value);
        value = r->arguments[r->at++];
    }
    r->given[row] = true;
    return read_into(r, row, value);
}

/* ---- what must hold between options */

static bool is_given(const struct reading *r, const char *name, size_t length)
{
    const size_t row = argument_row(r->table, name, length);
    if (!r->table[row].option)
        abort(); /* a rule about no option; every test of the command would end here */
    return r->given[row];
}

/* The first of some names that is given or is not. NULL: there is none. */
static const char *first_of(const struct reading *r, const char *names, bool given)
{
    for (const char *at = names ? names : ""; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (is_given(r, at, length) == given)
            return at;
        at += length;
    }
    return NULL;
}

/* An option as it was typed: "--n", or "FILE" for one whose name was left out. */
static const char *typed(const struct reading *r, const char *at)
{
    const size_t row = argument_row(r->table, at, strcspn(at, " "));
    const struct argument *option = &r->table[row];
    return r->bare_given && strcmp(option->option, r->bare) == 0 ? option->value : option->option;
}

static int check_rules(const struct reading *r, const struct argument_rule *rule)
{
    for (; rule && rule->options; rule++) {
        const char *option = first_of(r, rule->options, true);
        const char *missing = option ? first_of(r, rule->needs, false) : NULL,
                   *other = option ? first_of(r, rule->excludes, true) : NULL;
        const char *because = rule->why ? ", because " : "", *why = rule->why ? rule->why : "";
        if (other)
            return usage_error("%s and %s exclude each other%s%s; leave one of them out",
                               typed(r, option), typed(r, other), because, why);
        if (missing)
            return usage_error("%s needs %s%s%s; give both, or leave %s out", typed(r, option),
                               typed(r, missing), because, why, typed(r, option));
    }
    return STATUS_OK;
}

int arguments_read_ruled(const struct argument *table, const struct argument_rule *rules,
                         const char *bare, void *settings, int count, char **arguments)
{
    struct reading r = {
        .table = table, .settings = settings, .bare = bare, .count = count, .arguments = arguments};
    if (rows_of(table) > ARGUMENTS_MAX)
        abort(); /* a table that is too long; every test of the command would end here */
    while (r.at < r.count) {
        const char *argument = r.arguments[r.at++];
        int status;
        if (strcmp(argument, "-h") == 0)
            argument = help_option;
        if (takes_bare(&r, argument)) {
            const size_t row = argument_row(table, bare, strlen(bare));
            r.given[row] = r.bare_given = true;
            status = read_into(&r, row, argument);
        } else if (strncmp(argument, "--", 2) == 0 ||
                   table[argument_row(table, argument, strcspn(argument, "="))].option) {
            status = read_option(&r, argument);
        } else {
            status = usage_error("'%.60s' is not an option; options begin with --, as in "
                                 "--n 262144",
                                 argument);
        }
        if (status != STATUS_OK)
            return status;
    }
    return r.help ? STATUS_HELP : check_rules(&r, rules);
}

int arguments_read(const struct argument *table, void *settings, int count, char **arguments)
{
    return arguments_read_ruled(table, NULL, NULL, settings, count, arguments);
}

/* ---- readers */

int read_switch(void *to, const char *option, const char *value)
{
    (void)option, (void)value;
    *(bool *)to = true;
    return STATUS_OK;
}

int read_text(void *to, const char *option, const char *value)
{
    if (*value == '\0')
        return usage_error("%s is empty; give a value or leave it out", option);
    *(const char **)to = value;
    return STATUS_OK;
}

int read_count(void *to, const char *option, const char *value)
{
    const char *wrong = parse_count(value, to);
    return wrong ? usage_error("%s '%.*s' is %s; give one whole number from 1 on, such as 4096, "
                               "2^12 or 4Ki",
                               option, VALUE_SHOWN, value, wrong)
                 : STATUS_OK;
}

int read_seed(void *to, const char *option, const char *value)
{
    if (strcmp(value, "0") != 0)
        return read_count(to, option, value);
    *(uint64_t *)to = 0;
    return STATUS_OK;
}

int read_threads(void *to, const char *option, const char *value)
{
    const int status = read_count(to, option, value);
    return status == STATUS_OK && *(const uint64_t *)to > 4096
               ? usage_error("%s %.*s is too many; give at most 4096", option, VALUE_SHOWN, value)
               : status;
}

int read_us(void *to, const char *option, const char *value)
{
    struct decimal us;
    const char *wrong = parse_decimal(value, &us);
    *(double *)to = wrong ? 0.0 : decimal_value(us);
    return *(double *)to > 0.0
               ? STATUS_OK
               : usage_error("%s '%.*s' is %s; give a time in microseconds, such as 44.3", option,
                             VALUE_SHOWN, value, wrong ? wrong : "not above 0");
}

int read_counts(void *to, const char *option, const char *value)
{
    struct count_list *list = to;
    char item[ITEM_MAX];
    free(list->items);
    const char *wrong = parse_count_list(value, list, item);
    if (wrong && strcmp(item, value) != 0)
        return usage_error("%s '%.*s': '%s' is %s; give a list such as 1,2,4 or 1..8", option,
                           VALUE_SHOWN, value, item, wrong);
    return wrong ? usage_error("%s '%s' is %s; give a whole number from 1 on, such as 262144, "
                               "2^18, 256Ki or 1e6",
                               option, item, wrong)
                 : STATUS_OK;
}

int read_one_count(void *to, const char *option, const char *value)
{
    const int status = read_counts(to, option, value);
    return status == STATUS_OK && ((const struct count_list *)to)->length > 1
               ? usage_error("%s takes one value here; give one", option)
               : status;
}

int read_sorted_counts(void *to, const char *option, const char *value)
{
    const int status = read_counts(to, option, value);
    if (status == STATUS_OK)
        sort_counts(to);
    return status;
}

int read_decimals(void *to, const char *option, const char *value)
{
    struct decimal_list *list = to;
    char item[ITEM_MAX];
    free(list->items);
    const char *wrong = parse_decimal_list(value, list, item);
    return wrong ? usage_error("%s '%.*s' is %s; give a decimal such as 0.5, or a list: 0,0.5 or "
                               "0:0.1:0.9",
                               option, VALUE_SHOWN, value, wrong)
                 : STATUS_OK;
}

/* A decimal strictly between 0 and 1; `closed`: or 1. */
static int read_fraction(struct fraction *to, bool closed, const char *option, const char *value)
{
    struct decimal fraction;
    const char *wrong = parse_decimal(value, &fraction);
    if (wrong)
        return usage_error("%s '%.*s' is %s; give a decimal fraction such as 0.05", option,
                           VALUE_SHOWN, value, wrong);
    const double rest = decimal_complement(fraction), typed = decimal_value(fraction);
    const double percent = typed > 1.0 && typed < 100.0 ? typed : 5.0;
    if (!(fraction.digits > 0 && (closed ? rest >= 0.0 : rest > 0.0)))
        return usage_error("%s '%.*s' is outside (0, 1%c; write %.6g for %.6g %%", option,
                           VALUE_SHOWN, value, closed ? ']' : ')', percent / 100.0, percent);
    *to = (struct fraction){fraction, true};
    return STATUS_OK;
}

int read_probability(void *to, const char *option, const char *value)
{
    return read_fraction(to, false, option, value);
}

int read_recall(void *to, const char *option, const char *value)
{
    return read_fraction(to, true, option, value);
}

/* ---- names */

void append_name(char *names, size_t size, const char *name)
{
    snprintf(names + strlen(names), size - strlen(names), "%s%s", *names ? ", " : "", name);
}

const char *value_name(const struct value_kind *kind, unsigned i)
{
    if (kind->also && i-- == 0)
        return kind->also;
    return kind->names ? kind->names(i) : NULL;
}

/* The value is the first `length` characters of `typed`. */
static int unknown_of_list(const char *option, const char *typed, size_t length, name_at *name,
                           unsigned count)
{
    char names[800] = "";
    struct nearest nearest = {.typed = typed, .length = length};
    const int shown = (int)(length < VALUE_SHOWN ? length : VALUE_SHOWN);
    for (unsigned i = 0; i < count && name(i); i++) {
        append_name(names, sizeof names, name(i));
        nearest_try(&nearest, name(i));
    }
    return nearest.name
               ? usage_error("%s '%.*s' is not known; did you mean %s?", option, shown, typed,
                             nearest.name)
               : usage_error("%s '%.*s' is not known; give one of %s", option, shown, typed, names);
}

int unknown_name(const char *option, const char *value, name_at *name, unsigned count)
{
    return unknown_of_list(option, value, strlen(value), name, count);
}

#define NAMES_BYTES 600 /* of an error; recallmodel devices lists the rest */

int unclear_name(const char *option, const char *value, const char *several, name_at *name,
                 const char *also)
{
    char names[800] = "";
    if (*several)
        return usage_error("%s '%.*s' may mean %s; give %s", option, VALUE_SHOWN, value, several,
                           strchr(several, ',') ? "one of them" : "that");
    struct nearest nearest = {.typed = value, .length = strlen(value)};
    unsigned more = 0;
    for (unsigned i = 0; name(i); i++) {
        if (more == 0 && strlen(names) + strlen(name(i)) < NAMES_BYTES)
            append_name(names, sizeof names, name(i));
        else
            more++;
        nearest_try(&nearest, name(i));
    }
    if (more)
        snprintf(names + strlen(names), sizeof names - strlen(names),
                 " (and %u more: recallmodel devices)", more);
    return nearest.name ? usage_error("%s '%.*s' is not known; did you mean %s?", option,
                                      VALUE_SHOWN, value, nearest.name)
                        : usage_error("%s '%.*s' is not known; give one of %s, %s", option,
                                      VALUE_SHOWN, value, names, also);
}

int unknown_subcommand(const char *typed, name_at *name, unsigned count)
{
    char names[300] = "";
    struct nearest nearest = {.typed = typed, .length = strlen(typed)};
    for (unsigned i = 0; i < count && name(i); i++) {
        append_name(names, sizeof names, name(i));
        nearest_try(&nearest, name(i));
    }
    return nearest.name
               ? usage_error("unknown subcommand '%.60s'; did you mean '%s'?", typed, nearest.name)
               : usage_error("unknown subcommand '%.60s'; the subcommands are %s", typed, names);
}

int read_name(const char *option, const char *value, name_at *name, unsigned count, unsigned *found)
{
    for (*found = 0; *found < count && name(*found); ++*found)
        if (strcmp(value, name(*found)) == 0)
            return STATUS_OK;
    return unknown_name(option, value, name, count);
}

int read_names(const char *option, const char *value, name_at *name, unsigned count,
               unsigned *found, unsigned *length)
{
    *length = 0;
    for (const char *at = value;; at++) {
        const size_t letters = strcspn(at, ",");
        unsigned i = 0, j = 0;
        while (i < count && name(i) &&
               !(strlen(name(i)) == letters && strncmp(at, name(i), letters) == 0))
            i++;
        if (i == count || !name(i))
            return unknown_of_list(option, at, letters, name, count);
        while (j < *length && found[j] != i)
            j++;
        if (j == *length)
            found[(*length)++] = i;
        at += letters;
        if (*at == '\0')
            return STATUS_OK;
    }
}
