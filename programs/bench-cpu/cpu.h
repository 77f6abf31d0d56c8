/* cpu.h - the back end that runs topk/ on this CPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_H
#define CPU_H

#include <programs/bench/backend.h>

extern const struct backend cpu_backend;

/* Rows that are read, not made: `rows` of n numbers. read() returns 0, or -1 with errno, which is 0
 * if the file ends early. */
struct row_source {
    const char *name; /* in the column `input`: no commas */
    uint64_t rows, n;
    int (*read)(const void *from, uint64_t row, double *x);
    const void *from;
};

/* What INPUT_FILE means from now on, for as long as the source exists. Of its rows a cell takes the
 * first m, and others where calls take turns. float16 and bfloat16 are rounded. */
void cpu_use_rows(const struct row_source *source);

/* Reads the name of an instruction set, and uses it from now on. */
extern const struct value_kind kind_of_isa; /* const char * */

#endif
