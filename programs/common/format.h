/* format.h - numbers with few digits, for sentences and tables. CSV and JSON have all digits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FORMAT_H
#define FORMAT_H

#include <stddef.h>

/* 0.52 us, 71.6 us, 92 ms, 1.3 s: three digits. */
void format_us(char *buffer, size_t size, double us);

/* A recall from its loss, rounded, with as many nines as are true: 0.950, 0.99965, 1 - 5e-211; 1
 * only for a loss of 0. */
void format_recall(char *buffer, size_t size, double loss);

/* All rows but this share: "99 % of rows", "all but 1e-07 of rows". */
void format_rows(char *buffer, size_t size, double rest);

/* "1 element", "53 elements" */
void format_elements(char *buffer, size_t size, double count);

/* How a value looks in the aligned table (CSV and JSON always have all digits). */
enum style {
    STYLE_PLAIN,   /* integers, text, short reals */
    STYLE_GIVEN,   /* a number that was given: all its digits */
    STYLE_Z,       /* -1.23 */
    STYLE_RECALL,  /* 0.962956: cut, not rounded, but for 2e-12; -1.30e61 below 0 */
    STYLE_LOSS,    /* 3.70e-2 */
    STYLE_COST,    /* 786432 or 8.81e7 */
    STYLE_SPEEDUP, /* 42.0x */
    STYLE_TIME,    /* 12.3 */
    STYLE_US,      /* 54.6 us or 92 ms, of a value in us */
    STYLE_PERCENT, /* 4.0 % for 0.04 */
    STYLE_TERA,    /* 3.35 for 3.35e12 */
    STYLE_SHARE,   /* 0.9025: rounded to four digits; 1 only where it is */
};

/* A value as an aligned table shows it. */
void format_styled(char *buffer, size_t size, enum style style, double value);

/* The shortest decimal that reads back as the same double. */
void format_real(char *buffer, size_t size, double value);

#endif
