/* text.h - internal to model/: words and numbers in a text, the same in every locale: blanks and
 * control characters are those of ASCII and UTF-8, and the decimal point of strtod and snprintf is
 * exchanged for a point.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEXT_H
#define TEXT_H

#include "recallmodel.h"

bool text_is_blank(char letter);

/* Cuts the blanks off both ends, in place. */
char *text_trimmed(char *text);

/* What of a text a message shows, which may go to a terminal: its beginning; ? if it is not plain.
 */
#define TEXT_SHOWN 44
const char *text_shown(char to[TEXT_SHOWN], const char *text);

/* The decimal number that the text is, of at most 511 bytes: 12, 3.35e12, -.5. NaN: it is none. */
double text_number(const char *text);

/* A number as text: with so many digits; with the fewest from 6 on that are read as the same. */
void text_of_digits(char text[48], int count, double value);
void text_of_number(char text[48], double value);

#endif
