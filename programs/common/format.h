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

#endif
