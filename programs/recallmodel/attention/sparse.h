/* sparse.h - the settings of sparse, and the report of what was measured.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SPARSE_H
#define SPARSE_H

#include <attention/evaluation/evaluate.h>
#include <attention/tensors/tensors.h>
#include <programs/common/progress.h>
#include <programs/common/table.h>

#include <programs/recallmodel/question/question.h>

#define SPARSE_METHODS_MAX 64

struct path_list {
    char *text; /* the paths, each ended by a zero */
    struct tensor_paths paths;
};

/* What is trained (sparse_train.h). */
struct train_settings {
    const char *index, *save; /* NULL: not given */
    struct path_list paths[TENSORS];
    uint64_t steps, width, sample;
    bool per_key_head, residual;
};

enum sparse_cache { CACHE_UNTIMED, CACHE_COLD, CACHE_WARM }; /* of --time */

struct sparse_settings {
    struct question question; /* output, plot and assignment */
    struct train_settings train;
    struct path_list paths[TENSORS];
    const struct method *methods[SPARSE_METHODS_MAX];
    size_t methods_length; /* 0: those that need no training */
    struct path_list needles;
    struct decimal_list budgets;
    struct count_list k;
    struct layer_list {
        bool given;
        size_t length;
        uint64_t *items;
    } layers, dense_layers;
    struct rope rope; /* theta 0: not given */
    /* clusters, iterations and components of 0: not given; --assignment is that of the question */
    struct method_options options;
    uint64_t last, threads;
    enum sim_dtype dtype;
    bool per_head, share;
    enum sparse_cache cache;
    const char *checkpoint;   /* NULL: not given */
    uint64_t multiprocessors; /* of --device; 0: not given */
    double launch_us;         /* the same; NaN: not given */
};

void sparse_settings_free(struct sparse_settings *settings);

extern const struct argument sparse_options[];
extern const struct argument_rule sparse_rules[];

/* What was measured. */
struct sparse_answer {
    const struct sparse_settings *settings;
    const struct tensors *tensors;
    const struct evaluation_spec *spec;
    const struct evaluation *evaluation;
    bool partial;                        /* stopped by Ctrl-C */
    const struct sparse_timing *timings; /* of the rows; NULL: not timed */
};

/* Reads the files of --needles, which tensors_open() has the documents of. Returns a status, after
 * one line on stderr; the caller frees *needles. */
int read_needles(const struct sparse_settings *settings, const struct tensors *tensors,
                 struct head_needle **needles, size_t *length);

/* Prints the answer in the form that was asked for, and draws it for --plot. A status. */
int report_sparse(const struct sparse_answer *answer);

int draw_sparse(const struct sparse_answer *answer);

extern const struct columns sparse_columns; /* of a row of the answer */

#endif
