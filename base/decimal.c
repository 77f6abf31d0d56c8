/* decimal.c - see decimal.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "decimal.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number_list.h"

static const char not_a_decimal[] = "not a decimal number";
static const char too_precise[] = "longer than 18 digits";
static const char no_range[] = "not a range first:step:last";
static const char no_step[] = "a range whose step is not positive";

static int64_t power_of_ten(unsigned exponent)
{
    int64_t value = 1;
    for (; exponent; exponent--)
        value *= 10;
    return value;
}

/* Reads the exponent of 5e-3 or 1e2, which moves the point. NULL: it is not one. */
static const char *read_exponent(const char *text, int64_t *exponent)
{
    const bool down = *text == '-';
    int64_t places = 0;
    text += down || *text == '+';
    if (!isdigit((unsigned char)*text))
        return NULL;
    for (; isdigit((unsigned char)*text); text++)
        places = places > power_of_ten(16) ? places : places * 10 + (*text - '0');
    *exponent += down ? -places : places;
    return text;
}

/* digits 10^exponent, without zeros behind the point. */
static const char *set_decimal(struct decimal *decimal, int64_t digits, int64_t exponent)
{
    *decimal = (struct decimal){0, 0};
    if (digits == 0)
        return NULL;
    for (; exponent < 0 && digits % 10 == 0; exponent++)
        digits /= 10;
    for (; exponent > 0 && digits < power_of_ten(17); exponent--)
        digits *= 10;
    if (exponent > 0 || exponent < -18)
        return too_precise;
    *decimal = (struct decimal){digits, (unsigned)-exponent};
    return NULL;
}

const char *parse_decimal(const char *text, struct decimal *decimal)
{
    const char *fault = number_refuse(text);
    if (fault)
        return fault;
    bool any = false, point = false;
    int64_t digits = 0, exponent = 0;
    for (; isdigit((unsigned char)*text) || (*text == '.' && !point) ||
           (any && number_separates(text));
         text++) {
        if (*text == '_')
            continue;
        if (*text == '.') {
            point = true;
            continue;
        }
        any = true;
        if (digits < power_of_ten(17)) {
            digits = digits * 10 + (*text - '0');
            exponent -= point;
        } else if (*text == '0') { /* at the end there may be any number of them */
            exponent += !point;
        } else {
            return too_precise;
        }
    }
    if (any && (*text == 'e' || *text == 'E'))
        text = read_exponent(text + 1, &exponent);
    return any && text && *text == '\0' ? set_decimal(decimal, digits, exponent) : not_a_decimal;
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

/* Through text, because strtod rounds once: 18 digits do not fit into a double, and the quotient of
 * two would be rounded three times. The text has no point, which would depend on the locale. */
double decimal_value(struct decimal decimal)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64 "e-%u", decimal.digits, decimal.scale);
    return strtod(text, NULL);
}

double decimal_complement(struct decimal decimal)
{
    int64_t left = power_of_ten(decimal.scale) - decimal.digits;
    double value = decimal_value((struct decimal){left < 0 ? -left : left, decimal.scale});
    return left < 0 ? -value : value;
}

/* Up to here c/k and (c + 1)/k are 8 units of the last place apart or more: 2^-50 is 8 2^-53. */
#define K_MOST_OF_DOUBLES (UINT64_C(1) << 50)

uint64_t decimal_most_lost(struct decimal recall, uint64_t k)
{
    /* recall k, from the last digit on: its whole part, and what stands behind the point. */
    uint64_t kept = 0, tenths = 0, digits = (uint64_t)recall.digits;
    bool more = false;
    for (unsigned i = 0; i < recall.scale; i++, digits /= 10) {
        kept += digits % 10 * k;
        tenths = kept % 10;
        more = more || tenths;
        kept /= 10;
    }
    kept += digits * k;
    const uint64_t nearest = kept + (tenths >= 5);
    const double fraction = (double)nearest / (double)k;
    const double unit = nextafter(fraction, 2.0) - fraction;
    if (k <= K_MOST_OF_DOUBLES && nearest > 0 && fabs(decimal_value(recall) - fraction) <= unit)
        return k - nearest;
    return k - kept - more;
}

static const char *add_decimal(struct decimal_list *list, struct decimal decimal)
{
    void *items = list->items;
    const char *fault = list_make_room(&items, list->length, sizeof *list->items);
    list->items = items;
    if (!fault)
        list->items[list->length++] = decimal;
    return fault;
}

/* Writes the same number at a larger scale. False where it would not fit into 18 digits. */
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
        const char *fault = parse_decimal(texts[i], &range[i]);
        if (fault)
            return fault;
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
        return list_backwards;
    for (struct decimal value = range[0]; value.digits <= range[2].digits;
         value.digits += range[1].digits) {
        const char *fault = add_decimal(list, value);
        if (fault)
            return fault;
    }
    return NULL;
}

const char *parse_decimal_list(const char *text, struct decimal_list *list, char item[ITEM_MAX])
{
    *list = (struct decimal_list){0, NULL};
    const char *fault = list_each_part(text, decimal_item, list, item);
    if (fault) {
        free(list->items);
        *list = (struct decimal_list){0, NULL};
    }
    return fault;
}
