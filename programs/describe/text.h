/* text.h - the parts of a text as --help prints it: paragraphs, items, lines of code.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* TEXT_ITEM: a line with two blanks before a name, and behind it two blanks, or ": ", before what
 * it is. TEXT_CODE: a line with four blanks before it. TEXT_GAP: an empty line. */
enum text_kind { TEXT_END, TEXT_GAP, TEXT_PARAGRAPH, TEXT_ITEM, TEXT_CODE };

/* A part of the text, which it points into. */
struct text_part {
    enum text_kind kind;
    const char *name, *text; /* name: of an item */
    size_t name_length, length;
};

/* The part at *text, and *text then behind it. */
struct text_part text_part(const char **text);

/* Whether an option begins at `at` in a text, as "--n" or "-o", and how long it is; 0: none does.
 */
size_t option_at(const char *text, const char *at);

/* The next line of an example, without the blanks before it; NULL: there is none. */
const char *example_line(const char **example, size_t *length);

#endif
