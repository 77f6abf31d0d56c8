/* bench_rows.h - recallmodel bench --rows: the rows of a .npy file as inputs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include <programs/bench-cpu/cpu.h>
#include <programs/bench/bench_command.h>
#include <sim/rows/row_file.h>

struct bench_rows {
    struct row_file file;
    void *buffer; /* a row as it is in the file */
    char name[40];
    struct row_source source;
};

/* Opens the file for the cells of the settings, whose n, and unless it was given m, become those of
 * the file. Returns a status, after one line on stderr if that is not STATUS_OK. bench_rows_close()
 * in any case. */
int bench_rows_open(struct bench_rows *rows, const char *path, struct bench_settings *settings);
void bench_rows_close(struct bench_rows *rows);

#endif
