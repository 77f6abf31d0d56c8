/* text.h - words and numbers in a text, the same in every locale: blanks and control characters are
 * those of ASCII and UTF-8, and the decimal point is always a point.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* The bytes of the byte order mark with which a text begins, as some editors write it; 0: none. */
size_t text_mark(const char *text, size_t length);

bool text_is_blank(char letter);

/* Is it UTF-8: no surrogates, no character in more bytes than it needs, none above U+10FFFF? */
bool text_is_utf8(const char *text);

/* Is it UTF-8 without control characters, so that it can stand on one line, on a terminal and in
 * JSON? */
bool text_is_plain(const char *text);

/* Cuts the blanks off both ends, in place. Returns where the rest begins. */
char *text_trimmed(char *text);

/* The part of a text that a message shows, which may go to a terminal: its beginning; ? if it is
 * not plain. */
#define TEXT_SHOWN 44
const char *text_shown(char to[TEXT_SHOWN], const char *text);

/* NULL if there is no zero byte among these, or what they are instead, with the mend. */
const char *text_instead(const char *text, size_t length);

/* The length without blanks and line breaks at the end. */
size_t text_end(const char *text, size_t length);

/* The value of a decimal number of at most 511 bytes: 12, 3.35e12, -.5. NaN for any other text. */
double text_number(const char *text);

/* A number as text: with `count` digits; with the fewest digits, from `least` on, that are read as
 * the same number. */
void text_of_digits(char text[48], int count, double value);
void text_of_number(char text[48], int least, double value);

#endif
