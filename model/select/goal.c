/* goal.c - a recall as it is written: the loss that it allows, and how many elements a row may
 * lose.
 *
 * This parser is not the one of base/decimal.h, which reads what people type on a command line. The
 * texts that rcm_goal accepts are part of the interface of the library: there is no _ between
 * digits, zeros at the end may exceed 18 digits, and the result does not depend on the locale of
 * the program. tests/model/select/test_contenders.c checks that both read the same numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <model/recallmodel/select.h>
#include <model/shape/wide.h>

#define SCALE_MOST 18 /* digits behind the point: 10^18 is below 2^63 */

struct written {
    uint64_t digits; /* the number is digits / 10^scale */
    int scale;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads digits with at most one point among them. NULL: there are none, or too many. */
static const char *read_digits(const char *at, struct written *w)
{
    bool any = false, point = false;
    for (; is_digit(*at) || (*at == '.' && !point); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        any = true;
        if (w->digits > (UINT64_MAX - 9) / 10)
            return NULL;
        w->digits = 10 * w->digits + (uint64_t)(*at - '0');
        w->scale += point;
    }
    return any ? at : NULL;
}

/* Reads an exponent such as e-2 or E+1, of at most three digits. NULL: it is not one. */
static const char *read_exponent(const char *at, struct written *w)
{
    const int sign = at[1] == '-' ? -1 : 1;
    at += at[1] == '-' || at[1] == '+' ? 2 : 1;
    int exponent = 0, length = 0;
    for (; is_digit(*at) && length < 4; at++, length++)
        exponent = 10 * exponent + (*at - '0');
    if (length == 0 || length == 4)
        return NULL;
    w->scale -= sign * exponent;
    return at;
}

static uint64_t power_of_ten(int exponent)
{
    uint64_t power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

/* digits / 10^scale, to the nearest double: strtod rounds correctly. The text has no point, which
 * would depend on the locale. */
static double value_of(uint64_t digits, int scale)
{
    char text[32];
    size_t length = sizeof text - 1;
    text[length] = '\0';
    for (int part = scale, first = 1; part > 0 || first; part /= 10, first = 0)
        text[--length] = (char)('0' + part % 10);
    text[--length] = '-';
    text[--length] = 'e';
    do
        text[--length] = (char)('0' + digits % 10);
    while (digits /= 10);
    return strtod(text + length, NULL);
}

/* Up to here c/k and (c + 1)/k are 8 units of the last place apart or more: 2^-50 is 8 2^-53. */
#define K_MOST_OF_DOUBLES (UINT64_C(1) << 50)

/* How many of k reach a recall: ceil(recall k) in integers. A recall within one unit of the last
 * place of c/k is c/k, so that one that an answer printed asks for no element more. */
static uint64_t fewest_kept(struct written w, double recall, uint64_t k)
{
    const uint128 whole = power_of_ten(w.scale), product = (uint128)w.digits * k;
    const uint64_t nearest = (uint64_t)((2 * product + whole) / (2 * whole));
    const double fraction = (double)nearest / (double)k;
    const double unit = nextafter(fraction, 2.0) - fraction;
    if (k <= K_MOST_OF_DOUBLES && nearest > 0 && fabs(recall - fraction) <= unit)
        return nearest;
    return (uint64_t)((product + whole - 1) / whole);
}

int rcm_goal(const char *recall, uint64_t k, struct rcm_goal *goal)
{
    struct written w = {0, 0};
    const char *at = read_digits(recall, &w);
    if (at && (*at == 'e' || *at == 'E'))
        at = read_exponent(at, &w);
    if (!at || *at || w.digits == 0 || k < 1 || k > RCM_N_MAX)
        return -1;
    while (w.scale > 0 && w.digits % 10 == 0) {
        w.digits /= 10;
        w.scale--;
    }
    for (; w.scale < 0 && w.digits < 10; w.scale++)
        w.digits *= 10;
    if (w.scale < 0 || w.scale > SCALE_MOST || w.digits > power_of_ten(w.scale))
        return -1;
    const double value = value_of(w.digits, w.scale);
    *goal = (struct rcm_goal){
        .recall = value,
        .loss = value_of(power_of_ten(w.scale) - w.digits, w.scale),
        .most_lost = k - fewest_kept(w, value, k),
    };
    return 0;
}
