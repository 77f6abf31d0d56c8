/* number.c - see number.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "number.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "number_list.h"

static const char not_a_number[] = "not a number";
static const char not_a_decimal[] = "not a decimal number";
static const char zero[] = "zero";
static const char fractional[] = "not a whole number";
static const char ambiguous[] = "not clear: k is 1000, Ki is 1024";
static const char zero_in_front[] = "begun with 0 (131,072 is a list; write 131072)";
static const char too_large[] = "larger than 2^53 - 1 = 9007199254740991";

/* value * factor; anything above the limit becomes the limit + 1. */
static uint64_t multiply(uint64_t value, uint64_t factor)
{
    return factor && value > NUMBER_MAX / factor ? NUMBER_MAX + 1 : value * factor;
}

/* Reads digits from `at` on, which is one. Returns where they end. */
static const char *read_digits(const char *at, uint64_t *value)
{
    for (*value = 0; isdigit((unsigned char)*at) || number_separates(at); at++) {
        if (*at == '_')
            continue;
        *value = multiply(*value, 10) + (uint64_t)(*at - '0');
        if (*value > NUMBER_MAX)
            *value = NUMBER_MAX + 1;
    }
    return at;
}

static uint64_t power(uint64_t base, uint64_t exponent)
{
    uint64_t value = 1;
    if (base <= 1)
        return exponent ? base : 1;
    for (; exponent && value <= NUMBER_MAX; exponent--)
        value = multiply(value, base);
    return value;
}

/* Reads the power of ten at the end of a number: e6, or k, M, G, T, P. Moves `at` behind it. The
 * exponent is 0 where there is none. */
static const char *power_of_ten_at(const char **at, uint64_t *exponent)
{
    static const char prefixes[] = "kMGTP";
    const char *prefix = **at ? strchr(prefixes, **at) : NULL;
    *exponent = 0;
    if (**at == 'e' || **at == 'E') {
        *at += (*at)[1] == '+' ? 2 : 1;
        if (**at == '-' && isdigit((unsigned char)(*at)[1]))
            return fractional;
        if (!isdigit((unsigned char)**at))
            return not_a_number;
        *at = read_digits(*at, exponent);
    } else if (**at == 'K' && (*at)[1] == '\0') {
        return ambiguous;
    } else if (prefix) {
        *exponent = 3 * (uint64_t)(prefix - prefixes + 1);
        ++*at;
    }
    return NULL;
}

/* Reads the rest of a number whose digits before the point are `value`: a fraction, and a power of
 * ten. The power moves digits behind the point before it; any that remain must be zeros. */
static const char *decimal_rest(const char *at, uint64_t *value)
{
    const char *fraction = at, *fraction_end = at;
    uint64_t exponent;
    if (*at == '.') {
        fraction = at + 1;
        for (fraction_end = fraction; isdigit((unsigned char)*fraction_end); fraction_end++)
            ;
        if (fraction_end == fraction)
            return not_a_number;
        at = fraction_end;
    }
    const char *fault = power_of_ten_at(&at, &exponent);
    if (fault || *at)
        return fault ? fault : not_a_number;
    for (; fraction < fraction_end; fraction++) {
        if (exponent == 0) {
            if (*fraction != '0')
                return fractional;
            continue;
        }
        *value = multiply(*value, 10) + (uint64_t)(*fraction - '0');
        exponent--;
    }
    if (*value && *value <= NUMBER_MAX)
        *value = multiply(*value, power(10, exponent));
    return NULL;
}

const char *parse_count(const char *text, uint64_t *count)
{
    static const char prefixes[] = "KMGTP";
    const char *fault = number_refuse(text);
    uint64_t value, exponent;
    if (fault)
        return fault;
    if (!isdigit((unsigned char)*text))
        return not_a_number;
    const char *at = read_digits(text, &value), *prefix = *at ? strchr(prefixes, *at) : NULL;
    if (*at == '^' && isdigit((unsigned char)at[1])) {
        fault = *read_digits(at + 1, &exponent) ? not_a_number : NULL;
        value = power(value, exponent);
    } else if (prefix && at[1] == 'i') {
        fault = at[2] ? not_a_number : NULL;
        value = multiply(value, UINT64_C(1) << 10 * (prefix - prefixes + 1));
    } else {
        fault = decimal_rest(at, &value);
    }
    if (fault)
        return fault;
    if (value > NUMBER_MAX)
        return too_large;
    if (value == 0)
        return zero;
    *count = value;
    return NULL;
}

const char *parse_count_or_zero(const char *text, uint64_t *count)
{
    *count = 0;
    return strcmp(text, "0") == 0 ? NULL : parse_count(text, count);
}

const char *parse_amount(const char *text, double *amount)
{
    uint64_t count;
    struct decimal decimal;
    const char *fault = parse_count(text, &count);
    if (!fault) {
        *amount = (double)count;
        return NULL;
    }
    if (parse_decimal(text, &decimal))
        return fault == fractional ? not_a_decimal : fault;
    if (decimal.digits == 0)
        return zero;
    *amount = decimal_value(decimal);
    return NULL;
}

static const char *add_count(struct count_list *list, uint64_t count)
{
    void *items = list->items;
    const char *fault = list_make_room(&items, list->length, sizeof *list->items);
    list->items = items;
    if (!fault)
        list->items[list->length++] = count;
    return fault;
}

static const char *count_item(char *part, void *list)
{
    uint64_t first, last;
    char *dots = strstr(part, "..");
    if (dots)
        *dots = '\0';
    const char *fault =
        *part == '0' && isdigit((unsigned char)part[1]) ? zero_in_front : parse_count(part, &first);
    if (fault || !dots)
        return fault ? fault : add_count(list, first);
    fault = parse_count(dots + 2, &last);
    if (!fault && last < first)
        fault = list_backwards;
    if (!fault && last - first >= LIST_MAX)
        fault = list_too_long;
    for (uint64_t value = first; !fault && value <= last; value++)
        fault = add_count(list, value);
    return fault;
}

const char *parse_count_list(const char *text, struct count_list *list, char item[ITEM_MAX])
{
    *list = (struct count_list){0, NULL};
    const char *fault = list_each_part(text, count_item, list, item);
    if (fault) {
        free(list->items);
        *list = (struct count_list){0, NULL};
    }
    return fault;
}

static int compare_counts(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void sort_counts(struct count_list *list)
{
    size_t kept = 0;
    if (list->length == 0)
        return;
    qsort(list->items, list->length, sizeof *list->items, compare_counts);
    for (size_t i = 1; i < list->length; i++)
        if (list->items[i] != list->items[kept])
            list->items[++kept] = list->items[i];
    list->length = kept + 1;
}
