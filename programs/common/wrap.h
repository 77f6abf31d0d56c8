/* wrap.h - text in lines that fit the page.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef WRAP_H
#define WRAP_H

#define LINE_WIDTH 100

/* Prints a text on stdout, broken between words into lines of at most LINE_WIDTH bytes; only a word
 * that is longer by itself makes a longer line. A '\n' in the text ends a line. The text ends with
 * a line break, whether or not it has one.
 *
 * A line that begins with two blanks is an item: "  name   what it is". If it is broken, the next
 * line is indented to "what it is", which begins within the first 24 bytes after at least two
 * blanks.
 *
 * Returns how many lines it printed. */
unsigned print_wrapped(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
