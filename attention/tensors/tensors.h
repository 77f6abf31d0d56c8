/* tensors.h - keys, queries and values in .npy files, read a head at a time.
 *
 * A file holds [heads, n, d], one layer, or [layers, heads, n, d]. Several documents are several
 * files, alike but for n. The queries are those of the last n_q positions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TENSORS_H
#define TENSORS_H

#include <base/watch.h>
#include <sim/rows/row_file.h>

#include <attention/heads.h>
#include <attention/rope.h>

enum tensor {
    TENSOR_QUERIES,
    TENSOR_KEYS,
    TENSOR_VALUES,
    TENSOR_QUERIES_UNROPED,
    TENSOR_KEYS_UNROPED,
    TENSORS
};

const char *tensor_name(enum tensor tensor); /* queries .. */

/* The files of one option, one for each document. */
struct tensor_paths {
    char **items;
    size_t length;
};

struct tensors_spec {
    struct tensor_paths paths[TENSORS]; /* queries and keys are needed */
    enum sim_dtype dtype;               /* of all files; SIM_DTYPE_UNKNOWN: what they say */
    /* The numbers of the layers in the model: of four axes in the order of the file, default 0, 1,
     * ..; of three axes one for all files or one for each, default unknown. */
    const uint64_t *layers;
    size_t layers_length;
    const uint64_t *dense_layers; /* read in full */
    size_t dense_length;
    uint64_t last;           /* only the last queries; 0: all */
    const struct rope *rope; /* NULL: not known. Else what is not given before RoPE is computed */
    struct watch watch;      /* asked while a head is read, which then fails */
};

struct tensor_file {
    const char *path; /* NULL: not given */
    struct row_file file;
    uint32_t layers, heads, n, d;
    bool has_layers; /* four axes */
};

struct tensors {
    const struct tensors_spec *spec;
    size_t documents;
    struct tensor_file *files; /* [document][TENSORS] */
    uint32_t layers, key_heads, query_heads;
    struct head_shape *heads; /* by document, layer and key head */
    size_t length;
};

/* Opens the files and compares their shapes. Returns 0; or -1 with one line in `error` that names
 * the option, the file and the mend. tensors_close() in any case. */
int tensors_open(struct tensors *tensors, const struct tensors_spec *spec, struct message error);
void tensors_close(struct tensors *tensors);

/* Reads a head of `tensors`; has the type head_reader. A NaN, an infinity, or a number beyond those
 * of float is refused, with its file, head and position. */
int tensors_read(void *tensors, size_t index, const struct head_floats *to, struct message error);

#endif
