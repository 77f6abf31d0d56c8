/* number.c - see number.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "number.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recallmodel.h"

static const char not_a_number[] = "not a number";
static const char not_a_decimal[] = "not a decimal number";
static const char empty[] = "empty";
static const char negative[] = "negative";
static const char zero[] = "zero";
static const char fractional[] = "not a whole number";
static const char hexadecimal[] = "hexadecimal";
static const char ambiguous[] = "not clear: k is 1000, Ki is 1024";
static const char too_large[] = "larger than 2^53 - 1 = 9007199254740991";
static const char too_precise[] = "longer than 18 digits";
static const char too_long[] = "a list of more than 65536 values";
static const char backwards[] = "a range that ends before it begins";
static const char no_range[] = "not a range first:step:last";
static const char no_step[] = "a range whose step is not positive";
static const char no_memory[] = "too long for the memory at hand";

/* What is wrong with text before any grammar is tried. */
static const char *refuse(const char *text)
{
    if (*text == '\0')
        return empty;
    if (*text == '-')
        return negative;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return hexadecimal;
    return NULL;
}

/* value * factor, saturating above the limit. */
static uint64_t times(uint64_t value, uint64_t factor)
{
    return factor && value > RCM_N_MAX / factor ? RCM_N_MAX + 1 : value * factor;
}

/* Is this a separator between two digits, as in 128_256? */
static bool separates(const char *at)
{
    return *at == '_' && isdigit((unsigned char)at[-1]) && isdigit((unsigned char)at[1]);
}

/* `at` is a digit. */
static const char *digits(const char *at, uint64_t *value)
{
    for (*value = 0; isdigit((unsigned char)*at) || separates(at); at++) {
        if (*at == '_')
            continue;
        *value = times(*value, 10) + (uint64_t)(*at - '0');
        if (*value > RCM_N_MAX)
            *value = RCM_N_MAX + 1;
    }
    return at;
}

static uint64_t power(uint64_t base, uint64_t exponent)
{
    uint64_t value = 1;
    if (base <= 1)
        return exponent ? base : 1;
    for (; exponent && value <= RCM_N_MAX; exponent--)
        value = times(value, base);
    return value;
}

/* What stands behind a number of tens: e6, or k, M, G, T, P. Moves `at` behind it; 0 where there is
 * nothing. */
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
        *at = digits(*at, exponent);
    } else if (**at == 'K' && (*at)[1] == '\0') {
        return ambiguous;
    } else if (prefix) {
        *exponent = 3 * (uint64_t)(prefix - prefixes + 1);
        ++*at;
    }
    return NULL;
}

/* The rest of a number whose digits before the point are `value`: a fraction, and a power of ten.
 * Digits behind the point are taken in as long as the power moves them before it. */
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
    const char *wrong = power_of_ten_at(&at, &exponent);
    if (wrong || *at)
        return wrong ? wrong : not_a_number;
    for (; fraction < fraction_end; fraction++) {
        if (exponent == 0) {
            if (*fraction != '0')
                return fractional;
            continue;
        }
        *value = times(*value, 10) + (uint64_t)(*fraction - '0');
        exponent--;
    }
    if (*value && *value <= RCM_N_MAX)
        *value = times(*value, power(10, exponent));
    return NULL;
}

const char *parse_count(const char *text, uint64_t *count)
{
    static const char prefixes[] = "KMGTP";
    const char *wrong = refuse(text);
    uint64_t value, exponent;
    if (wrong)
        return wrong;
    if (!isdigit((unsigned char)*text))
        return not_a_number;
    const char *at = digits(text, &value), *prefix = *at ? strchr(prefixes, *at) : NULL;
    if (*at == '^' && isdigit((unsigned char)at[1])) {
        wrong = *digits(at + 1, &exponent) ? not_a_number : NULL;
        value = power(value, exponent);
    } else if (prefix && at[1] == 'i') {
        wrong = at[2] ? not_a_number : NULL;
        value = times(value, UINT64_C(1) << 10 * (prefix - prefixes + 1));
    } else {
        wrong = decimal_rest(at, &value);
    }
    if (wrong)
        return wrong;
    if (value > RCM_N_MAX)
        return too_large;
    if (value == 0)
        return zero;
    *count = value;
    return NULL;
}

/* Calls parse() for each part between commas, each a string of its own; the last one is left in
 * `item`. */
static const char *each_part(const char *text, const char *(*parse)(char *part, void *list),
                             void *list, char item[ITEM_MAX])
{
    const char *wrong = *text ? NULL : empty;
    char *copy = malloc(strlen(text) + 1);
    *item = '\0';
    if (!copy)
        return no_memory;
    memcpy(copy, text, strlen(text) + 1);
    for (char *part = copy, *next; part && !wrong; part = next) {
        next = strchr(part, ',');
        if (next)
            *next++ = '\0';
        snprintf(item, ITEM_MAX, "%s", part);
        wrong = parse(part, list);
    }
    free(copy);
    return wrong;
}

/* Room for one more item of the size; doubles at powers of two. */
static const char *grow(void **items, size_t length, size_t size)
{
    if (length >= LIST_MAX)
        return too_long;
    if ((length & (length - 1)) == 0) {
        void *larger = realloc(*items, (length ? 2 * length : 1) * size);
        if (!larger)
            return no_memory;
        *items = larger;
    }
    return NULL;
}

static const char *add_count(struct count_list *list, uint64_t count)
{
    void *items = list->items;
    const char *wrong = grow(&items, list->length, sizeof *list->items);
    list->items = items;
    if (!wrong)
        list->items[list->length++] = count;
    return wrong;
}

static const char *count_item(char *part, void *list)
{
    uint64_t first, last;
    char *dots = strstr(part, "..");
    if (dots)
        *dots = '\0';
    const char *wrong = parse_count(part, &first);
    if (wrong || !dots)
        return wrong ? wrong : add_count(list, first);
    wrong = parse_count(dots + 2, &last);
    if (!wrong && last < first)
        wrong = backwards;
    if (!wrong && last - first >= LIST_MAX)
        wrong = too_long;
    for (uint64_t value = first; !wrong && value <= last; value++)
        wrong = add_count(list, value);
    return wrong;
}

const char *parse_count_list(const char *text, struct count_list *list, char item[ITEM_MAX])
{
    *list = (struct count_list){0, NULL};
    const char *wrong = each_part(text, count_item, list, item);
    if (wrong) {
        free(list->items);
        *list = (struct count_list){0, NULL};
    }
    return wrong;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void sort_counts(struct count_list *list)
{
    size_t kept = 0;
    if (list->length == 0)
        return;
    qsort(list->items, list->length, sizeof *list->items, compare);
    for (size_t i = 1; i < list->length; i++)
        if (list->items[i] != list->items[kept])
            list->items[++kept] = list->items[i];
    list->length = kept + 1;
}

static int64_t power_of_ten(unsigned exponent)
{
    int64_t value = 1;
    for (; exponent; exponent--)
        value *= 10;
    return value;
}

/* The exponent of 5e-3 or 1e2, behind the digits: it moves the point. Digits and scale stay within
 * 18 places. */
static const char *move_point(const char *text, struct decimal *decimal)
{
    const bool down = *text == '-';
    unsigned places = 0;
    text += down || *text == '+';
    if (!isdigit((unsigned char)*text))
        return not_a_decimal;
    for (; isdigit((unsigned char)*text); text++)
        places = places > 99 ? places : places * 10 + (unsigned)(*text - '0');
    if (*text != '\0')
        return not_a_decimal;
    if (down) {
        decimal->scale += places;
        return decimal->scale > 18 ? too_precise : NULL;
    }
    const unsigned out = places < decimal->scale ? places : decimal->scale;
    decimal->scale -= out;
    places -= out;
    if (places > 18 || decimal->digits >= power_of_ten(18) / power_of_ten(places))
        return too_precise;
    decimal->digits *= power_of_ten(places);
    return NULL;
}

const char *parse_decimal(const char *text, struct decimal *decimal)
{
    const char *wrong = refuse(text);
    if (wrong)
        return wrong;
    *decimal = (struct decimal){0, 0};
    bool any = false, point = false;
    unsigned length = 0;
    for (; isdigit((unsigned char)*text) || (*text == '.' && !point) || (any && separates(text));
         text++) {
        if (*text == '_')
            continue;
        if (*text == '.') {
            point = true;
            continue;
        }
        any = true;
        length += length > 0 || *text != '0' || point;
        if (length > 18)
            return too_precise;
        decimal->digits = decimal->digits * 10 + (*text - '0');
        decimal->scale += point;
    }
    if (any && (*text == 'e' || *text == 'E'))
        return move_point(text + 1, decimal);
    return any && *text == '\0' ? NULL : not_a_decimal;
}

const char *parse_amount(const char *text, double *amount)
{
    uint64_t count;
    struct decimal decimal;
    const char *wrong = parse_count(text, &count);
    if (!wrong) {
        *amount = (double)count;
        return NULL;
    }
    if (parse_decimal(text, &decimal))
        return wrong == fractional ? not_a_decimal : wrong;
    if (decimal.digits == 0)
        return zero;
    *amount = decimal_value(decimal);
    return NULL;
}

void format_decimal(char *buffer, size_t size, struct decimal decimal)
{
    while (decimal.scale > 0 && decimal.digits % 10 == 0) {
        decimal.digits /= 10;
        decimal.scale--;
    }
    int64_t one = power_of_ten(decimal.scale);
    if (decimal.scale == 0)
        snprintf(buffer, size, "%" PRId64, decimal.digits);
    else
        snprintf(buffer, size, "%" PRId64 ".%0*" PRId64, decimal.digits / one, (int)decimal.scale,
                 decimal.digits % one);
}

/* Through text, because strtod rounds once: 18 digits do not fit into a double, and a quotient of
 * two would round thrice. */
double decimal_value(struct decimal decimal)
{
    char text[32];
    format_decimal(text, sizeof text, decimal);
    return strtod(text, NULL);
}

double decimal_complement(struct decimal decimal)
{
    int64_t left = power_of_ten(decimal.scale) - decimal.digits;
    double value = decimal_value((struct decimal){left < 0 ? -left : left, decimal.scale});
    return left < 0 ? -value : value;
}

static const char *add_decimal(struct decimal_list *list, struct decimal decimal)
{
    void *items = list->items;
    const char *wrong = grow(&items, list->length, sizeof *list->items);
    list->items = items;
    if (!wrong)
        list->items[list->length++] = decimal;
    return wrong;
}

/* Digits of the same number at a larger scale; false where they would not fit into 18 digits. */
static bool rescale(struct decimal *decimal, unsigned scale)
{
    int64_t factor = power_of_ten(scale - decimal->scale);
    if (decimal->digits > power_of_ten(18) / factor)
        return false;
    *decimal = (struct decimal){decimal->digits * factor, scale};
    return true;
}

static const char *decimal_item(char *part, void *list)
{
    struct decimal range[3];
    char *texts[3] = {part, NULL, NULL};
    unsigned count = 1, scale = 0;
    for (char *colon = strchr(part, ':'); colon; colon = strchr(colon + 1, ':')) {
        if (count == 3)
            return no_range;
        *colon = '\0';
        texts[count++] = colon + 1;
    }
    if (count == 2)
        return no_range;
    for (unsigned i = 0; i < count; i++) {
        const char *wrong = parse_decimal(texts[i], &range[i]);
        if (wrong)
            return wrong;
        scale = range[i].scale > scale ? range[i].scale : scale;
    }
    if (count == 1)
        return add_decimal(list, range[0]);
    for (unsigned i = 0; i < 3; i++)
        if (!rescale(&range[i], scale))
            return too_precise;
    if (range[1].digits <= 0)
        return no_step;
    if (range[2].digits < range[0].digits)
        return backwards;
    for (struct decimal value = range[0]; value.digits <= range[2].digits;
         value.digits += range[1].digits) {
        const char *wrong = add_decimal(list, value);
        if (wrong)
            return wrong;
    }
    return NULL;
}

const char *parse_decimal_list(const char *text, struct decimal_list *list, char item[ITEM_MAX])
{
    *list = (struct decimal_list){0, NULL};
    const char *wrong = each_part(text, decimal_item, list, item);
    if (wrong) {
        free(list->items);
        *list = (struct decimal_list){0, NULL};
    }
    return wrong;
}
