/* text.c - see text.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t text_mark(const char *text, size_t length)
{
    static const char mark[] = "\xEF\xBB\xBF";
    return length >= sizeof mark - 1 && memcmp(text, mark, sizeof mark - 1) == 0 ? sizeof mark - 1
                                                                                 : 0;
}

bool text_is_blank(char letter)
{
    return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\v' || letter == '\f';
}

const char *text_instead(const char *text, size_t length)
{
    if (!memchr(text, '\0', length))
        return NULL;
    const bool wide =
        length >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0 ||
                        (length % 2 == 0 && !text[0] != !text[1]));
    return wide ? "UTF-16; save it as UTF-8" : "not a text file";
}

size_t text_end(const char *text, size_t length)
{
    while (length > 0 && (text[length - 1] == '\n' || text_is_blank(text[length - 1])))
        length--;
    return length;
}

/* The length of the character that begins here; 0: it is not UTF-8. */
static size_t character_length(const char *text)
{
    const unsigned char *at = (const unsigned char *)text, first = *at;
    if (first < 0x80)
        return 1;
    size_t length = first >= 0xc2 && first <= 0xdf ? 2 : 0;
    if (first >= 0xe0 && first <= 0xf4)
        length = first < 0xf0 ? 3 : 4;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    const bool longer = (first == 0xe0 && at[1] < 0xa0) || (first == 0xf0 && at[1] < 0x90);
    const bool surrogate = first == 0xed && at[1] >= 0xa0, above = first == 0xf4 && at[1] >= 0x90;
    return longer || surrogate || above ? 0 : length;
}

/* U+0000 .. U+001F, U+007F .. U+009F */
static bool is_control(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    return at[0] < 0x20 || at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0);
}

bool text_is_utf8(const char *text)
{
    for (size_t length; *text; text += length)
        if ((length = character_length(text)) == 0)
            return false;
    return true;
}

bool text_is_plain(const char *text)
{
    if (!text_is_utf8(text))
        return false;
    for (; *text; text += character_length(text))
        if (is_control(text))
            return false;
    return true;
}

char *text_trimmed(char *text)
{
    while (text_is_blank(*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && text_is_blank(text[length - 1]))
        text[--length] = '\0';
    return text;
}

const char *text_shown(char to[TEXT_SHOWN], const char *text)
{
    size_t length = 0, next = 0;
    if (!text_is_plain(text))
        return "?";
    while (text[length] && (next = character_length(text + length)) <= TEXT_SHOWN - 4 - length)
        length += next;
    memcpy(to, text, length);
    strcpy(to + length, text[length] ? ".." : "");
    return to;
}

/* ---- numbers */

/* The longest line, with room for the decimal point of any locale. */
#define NUMBER_MAX 511 /* bytes; a decimal point may take a few more */
#define NUMBER_SIZE 544

/* Replaces the first `from` by `to`. */
static void replace_first(char *text, const char *from, const char *to)
{
    char *at = strstr(text, from);
    if (!at || strcmp(from, to) == 0)
        return;
    memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
    memcpy(at, to, strlen(to));
}

/* The decimal point of the locale. */
static void find_point(char point[16])
{
    char half[24];
    snprintf(half, sizeof half, "%.1f", 0.5);
    const size_t length = strlen(half);
    snprintf(point, 16, "%.*s", length > 2 ? (int)(length - 2) : 0, half + 1);
}

static const char *skip_digits(const char *text, size_t *count)
{
    const size_t length = strspn(text, "0123456789");
    *count += length;
    return text + length;
}

/* Is it a decimal number: 12, 3.35e12, -.5? No hexadecimal, no name, no blank. */
static bool is_decimal(const char *text)
{
    size_t mantissa = 0, exponent = 0;
    text = skip_digits(text + (*text == '-' || *text == '+'), &mantissa);
    if (*text == '.')
        text = skip_digits(text + 1, &mantissa);
    if (mantissa == 0)
        return false;
    if (*text != 'e' && *text != 'E')
        return !*text;
    text++;
    text = skip_digits(text + (*text == '-' || *text == '+'), &exponent);
    return exponent > 0 && !*text;
}

double text_number(const char *value)
{
    char text[NUMBER_SIZE], point[16];
    if (strlen(value) > NUMBER_MAX || !is_decimal(value))
        return NAN;
    find_point(point);
    snprintf(text, sizeof text, "%s", value);
    replace_first(text, ".", point);
    return strtod(text, NULL);
}

static void with_point(char text[48])
{
    char point[16];
    find_point(point);
    replace_first(text, point, ".");
}

void text_of_digits(char text[48], int count, double value)
{
    snprintf(text, 48, "%.*g", count, value);
    with_point(text);
}

void text_of_number(char text[48], int least, double value)
{
    for (int count = least; count <= 17; count++) {
        snprintf(text, 48, "%.*g", count, value);
        if (strtod(text, NULL) == value)
            break;
    }
    with_point(text);
}
