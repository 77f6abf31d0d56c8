/* backend.h - what runs the kernels, times them and proves their results: a GPU through CUDA, or a
 * CPU. The rest of a benchmark is the same for all: axes, cells, sampling, results, commands.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKEND_H
#define BACKEND_H

#include <programs/common/arguments.h>

#include <programs/bench/cells/cell.h>
#include <programs/bench/cells/grid.h>
#include "sampler.h"

/* MEASURED: all is well. SKIPPED: the cell cannot be run here (no memory, no library that it
 * needs). WRONG: a proof failed. FAILED: an error of the device. */
enum outcome { MEASURED, SKIPPED, WRONG, FAILED };

struct backend {
    const char *command; /* how a user calls it, such as "recallmodel-bench" */

    /* ---- what there is to measure */

    const struct kernel *kernels; /* of a task the default first; the last one has no name */
    const struct grid *grids;     /* the last one has no name */
    unsigned dtypes;              /* the first so many of enum dtype */
    name_at *input_name;          /* of an input; NULL past the last */
    uint64_t m;                   /* rows by default */
    bool has_threads;             /* are threads an axis? Then 1 by default */
    const char *(*refusal)(const struct cell *cell); /* why it cannot be run; NULL: it can */
    const char *axis_options; /* the options that a grid replaces, in words */

    /* ---- the CSV */

    const char *timings[2];  /* the names of a call by itself, and of several calls */
    const char *key_columns; /* more columns that tell cells apart, ",a,b"; or "" */
    unsigned key_column_count;
    const char *last_columns; /* the last ones of a row, ",a,b" */
    void (*put_key)(const struct cell *cell, char *text, size_t size); /* the values of both */
    void (*put_last)(const struct device *device, const struct cell *cell,
                     const struct timing *time, char *text, size_t size);
    const char *remark; /* how it is timed, for the head of the file */

    /* ---- the device */

    /* Returns a status, after one line on stderr if that is not STATUS_OK. */
    int (*open)(struct device **device, uint64_t seed);
    void (*close)(struct device *device); /* NULL is allowed */
    const char *(*name)(const struct device *device);
    void (*describe)(struct device *device, char *text, size_t size); /* "key=value key=value" */
    bool (*works)(struct device *device); /* after an error: does it still run anything? */

    /* ---- a cell. A function that does not return MEASURED leaves a reason. */

    const char *(*reason)(const struct device *device); /* one line without its end */
    /* Writes the reason for a status of the stopwatch. */
    enum outcome (*refuse)(struct device *device, int status, const char *what);
    /* Makes the inputs, poisons the outputs, and runs the cell, which must exist as long as the
     * calls below. */
    enum outcome (*run_once)(struct device *device, const struct cell *cell);
    int (*poison)(struct device *device); /* the outputs. Returns 0, or a status */
    /* Proves what the last call of the cell left in the outputs; `call` is its number. */
    enum outcome (*prove)(struct device *device, unsigned call);
    /* Counts how many values of the true top k of all rows are in the outputs of call 0. */
    enum outcome (*count_hits)(struct device *device, double *hits);
    bool (*make_room)(struct device *device); /* frees memory; false: that would not help */

    /* What is timed: the cell, and beside it moving the same bytes, in one of `roofs` ways. */
    const void *(*cell_work)(struct device *device);
    const void *(*roof_work)(struct device *device);
    unsigned roofs;
    const char *(*roof_name)(unsigned roof);
    void (*use_roof)(struct device *device, unsigned roof);
    const struct stopwatch *stopwatch;
};

/* The one in use. A program sets it before it reads its arguments. */
extern const struct backend *backend;

#endif
