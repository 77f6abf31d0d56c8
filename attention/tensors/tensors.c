/* tensors.c - see tensors.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tensors.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#define SIDE_MAX (UINT32_C(1) << 30) /* of an axis */

const char *tensor_name(enum tensor tensor)
{
    static const char *const names[] = {"queries", "keys", "values", "queries_unroped",
                                        "keys_unroped"};
    return names[tensor];
}

static struct tensor_file *file_of(const struct tensors *t, size_t document, enum tensor tensor)
{
    return &t->files[document * TENSORS + tensor];
}

/* ---- one file */

static int open_one(struct tensor_file *f, enum tensor tensor, enum sim_dtype dtype,
                    struct message error)
{
    char reason[500];
    const char *option = tensor_name(tensor);
    struct row_file *file = &f->file;
    if (row_file_open(file, f->path, dtype, 0, MESSAGE(reason)) != 0)
        return message_set(error, MEMBER "%s %.150s %s", option, f->path, reason);
    if (file->axes != 3 && file->axes != 4)
        return message_set(
            error, MEMBER "%s %.150s has %u axes; give [heads, n, d] or [layers, heads, n, d]",
            option, f->path, file->axes);
    for (unsigned i = 0; i < file->axes; i++)
        if (file->axis[i] == 0 || file->axis[i] > SIDE_MAX)
            return message_set(error,
                               MEMBER "%s %.150s has an axis of length %" PRIu64
                                      "; give lengths from 1 to 2^30",
                               option, f->path, file->axis[i]);
    f->has_layers = file->axes == 4;
    const uint64_t *axis = file->axis + f->has_layers;
    f->layers = f->has_layers ? (uint32_t)file->axis[0] : 1;
    f->heads = (uint32_t)axis[0];
    f->n = (uint32_t)axis[1];
    f->d = (uint32_t)axis[2];
    return 0;
}

static int open_all(struct tensors *t, struct message error)
{
    const struct tensors_spec *spec = t->spec;
    for (size_t document = 0; document < t->documents; document++)
        for (int i = 0; i < TENSORS; i++)
            if (spec->paths[i].length) {
                struct tensor_file *f = file_of(t, document, (enum tensor)i);
                f->path = spec->paths[i].items[document];
                if (open_one(f, (enum tensor)i, spec->dtype, error) != 0)
                    return -1;
            }
    return 0;
}

/* ---- what must hold between files */

/* Have two files the same of some length? */
static int compare(const struct tensor_file *a, enum tensor of_a, uint32_t length_a,
                   const struct tensor_file *b, enum tensor of_b, uint32_t length_b,
                   const char *what, struct message error)
{
    if (length_a == length_b)
        return 0;
    return message_set(error,
                       MEMBER "%s %.150s has %" PRIu32 " %s, and " MEMBER "%s %.150s has %" PRIu32
                              "; give files that match",
                       tensor_name(of_a), a->path, length_a, what, tensor_name(of_b), b->path,
                       length_b);
}

/* Is file a shaped like file b, in layers, heads, n, d as far as `parts` has their letters? */
static int alike(const struct tensors *t, size_t document_a, enum tensor of_a, size_t document_b,
                 enum tensor of_b, const char *parts, struct message error)
{
    const struct tensor_file *a = file_of(t, document_a, of_a), *b = file_of(t, document_b, of_b);
    int failed = 0;
    if (!a->path || !b->path)
        return 0;
    for (const char *part = parts; *part && !failed; part++) {
        if (*part == 'l')
            failed = compare(a, of_a, a->layers, b, of_b, b->layers, "layers", error);
        if (*part == 'a')
            failed = compare(a, of_a, a->has_layers ? 4 : 3, b, of_b, b->has_layers ? 4 : 3, "axes",
                             error);
        if (*part == 'h')
            failed = compare(a, of_a, a->heads, b, of_b, b->heads, "heads", error);
        if (*part == 'n')
            failed = compare(a, of_a, a->n, b, of_b, b->n, "positions", error);
        if (*part == 'd')
            failed = compare(a, of_a, a->d, b, of_b, b->d, "components in its last axis", error);
    }
    return failed;
}

static int check_document(const struct tensors *t, size_t i, struct message error)
{
    const struct tensor_file *queries = file_of(t, i, TENSOR_QUERIES),
                             *keys = file_of(t, i, TENSOR_KEYS);
    if (alike(t, i, TENSOR_QUERIES, i, TENSOR_KEYS, "ald", error) != 0 ||
        alike(t, i, TENSOR_VALUES, i, TENSOR_KEYS, "alhn", error) != 0 ||
        alike(t, i, TENSOR_KEYS_UNROPED, i, TENSOR_KEYS, "alhnd", error) != 0 ||
        alike(t, i, TENSOR_QUERIES_UNROPED, i, TENSOR_QUERIES, "alhnd", error) != 0)
        return -1;
    if (queries->heads % keys->heads != 0)
        return message_set(
            error,
            MEMBER "queries %.150s has %" PRIu32 " heads, which is not a multiple of the "
                   "%" PRIu32 " of " MEMBER "keys %.150s; give the same number of query heads for "
                   "each key head",
            queries->path, queries->heads, keys->heads, keys->path);
    if (queries->n > keys->n)
        return message_set(error,
                           MEMBER "queries %.150s has %" PRIu32 " positions, more than the %" PRIu32
                                  " of " MEMBER
                                  "keys %.150s; give the queries of the last positions",
                           queries->path, queries->n, keys->n, keys->path);
    if (t->spec->last > queries->n)
        return message_set(error,
                           MEMBER "last %" PRIu64 " is more than the %" PRIu32
                                  " queries of %.150s; give at most that",
                           t->spec->last, queries->n, queries->path);
    /* All documents are of one model. */
    for (int k = 0; k < TENSORS; k++)
        if (alike(t, i, (enum tensor)k, 0, (enum tensor)k, "alhd", error) != 0)
            return -1;
    return 0;
}

static int check_paths(const struct tensors_spec *spec, struct message error)
{
    for (int i = TENSOR_QUERIES; i <= TENSOR_KEYS; i++)
        if (spec->paths[i].length == 0)
            return message_set(error, MEMBER "%s is missing; give a .npy file, [heads, n, d]",
                               tensor_name((enum tensor)i));
    for (int i = 0; i < TENSORS; i++) {
        const size_t length = spec->paths[i].length, keys = spec->paths[TENSOR_KEYS].length;
        if (length && length != keys)
            return message_set(error,
                               MEMBER "%s has %zu files, and " MEMBER
                                      "keys has %zu; give one for each document",
                               tensor_name((enum tensor)i), length, keys);
    }
    const bool keys = spec->paths[TENSOR_KEYS_UNROPED].length > 0,
               queries = spec->paths[TENSOR_QUERIES_UNROPED].length > 0;
    if (keys != queries && !spec->rope)
        return message_set(
            error, MEMBER "%s is given without " MEMBER "%s; give both, or " MEMBER "rope_theta",
            tensor_name(keys ? TENSOR_KEYS_UNROPED : TENSOR_QUERIES_UNROPED),
            tensor_name(keys ? TENSOR_QUERIES_UNROPED : TENSOR_KEYS_UNROPED));
    return 0;
}

static int check_layers(const struct tensors *t, struct message error)
{
    const struct tensors_spec *spec = t->spec;
    const char *rope = spec->rope ? rope_fault(spec->rope, t->files[TENSOR_KEYS].d) : NULL;
    const bool one_each = !t->files[TENSOR_KEYS].has_layers && spec->layers_length == t->documents;
    if (spec->layers_length && spec->layers_length != t->layers && !one_each)
        return message_set(error,
                           MEMBER "layers has %zu numbers, and the files have %" PRIu32
                                  " layers; give one number for each",
                           spec->layers_length, t->layers);
    for (size_t i = 0; i < spec->layers_length; i++)
        if (spec->layers[i] >= LAYER_UNKNOWN)
            return message_set(error,
                               MEMBER "layers %" PRIu64 " is too large; layers are counted from 0",
                               spec->layers[i]);
    for (size_t i = 1; i < spec->layers_length && t->files[TENSOR_KEYS].has_layers; i++)
        for (size_t j = 0; j < i; j++)
            if (spec->layers[i] == spec->layers[j])
                return message_set(
                    error, MEMBER "layers has %" PRIu64 " twice; give each layer its own number",
                    spec->layers[i]);
    return rope ? message_set(error, MEMBER "rope_theta: RoPE %s", rope) : 0;
}

/* ---- the heads */

/* Files of three axes are each one layer, which --layers names for all or for each of them. */
static uint32_t layer_number(const struct tensors *t, size_t document, uint32_t layer)
{
    const struct tensors_spec *spec = t->spec;
    const bool has_layers = t->files[TENSOR_KEYS].has_layers;
    if (spec->layers_length)
        return (uint32_t)spec->layers[has_layers || spec->layers_length == 1 ? layer : document];
    return has_layers ? layer : LAYER_UNKNOWN;
}

static bool is_dense(const struct tensors_spec *spec, uint32_t layer)
{
    for (size_t i = 0; i < spec->dense_length; i++)
        if (layer != LAYER_UNKNOWN && spec->dense_layers[i] == layer)
            return true;
    return false;
}

static void make_heads(struct tensors *t)
{
    const struct tensors_spec *spec = t->spec;
    const bool given =
        spec->paths[TENSOR_QUERIES_UNROPED].length && spec->paths[TENSOR_KEYS_UNROPED].length;
    const uint32_t group = t->query_heads / t->key_heads;
    t->heads =
        require_memory(calloc(t->documents * t->layers * t->key_heads + 1, sizeof *t->heads));
    for (size_t document = 0; document < t->documents; document++) {
        const struct tensor_file *keys = file_of(t, document, TENSOR_KEYS),
                                 *values = file_of(t, document, TENSOR_VALUES),
                                 *queries = file_of(t, document, TENSOR_QUERIES);
        for (uint32_t layer = 0; layer < t->layers; layer++)
            for (uint32_t head = 0; head < t->key_heads; head++)
                t->heads[t->length++] =
                    (struct head_shape){.document = (uint32_t)document,
                                        .layer = layer_number(t, document, layer),
                                        .key_head = head,
                                        .query_head = head * group,
                                        .query_heads = group,
                                        .n = keys->n,
                                        .n_q = spec->last ? (uint32_t)spec->last : queries->n,
                                        .d = keys->d,
                                        .d_v = values->path ? values->d : 0,
                                        .unroped = given || spec->rope,
                                        .dense = is_dense(spec, layer_number(t, document, layer))};
    }
}

int tensors_open(struct tensors *t, const struct tensors_spec *spec, struct message error)
{
    *t = (struct tensors){.spec = spec};
    if (check_paths(spec, error) != 0)
        return -1;
    t->documents = spec->paths[TENSOR_KEYS].length;
    t->files = require_memory(calloc(t->documents * TENSORS, sizeof *t->files));
    for (size_t i = 0; i < t->documents * TENSORS; i++)
        t->files[i].file.descriptor = -1;
    if (open_all(t, error) != 0)
        return -1;
    for (size_t i = 0; i < t->documents; i++)
        if (check_document(t, i, error) != 0)
            return -1;
    t->layers = t->files[TENSOR_KEYS].layers;
    t->key_heads = t->files[TENSOR_KEYS].heads;
    t->query_heads = t->files[TENSOR_QUERIES].heads;
    if (check_layers(t, error) != 0)
        return -1;
    make_heads(t);
    return 0;
}

void tensors_close(struct tensors *t)
{
    for (size_t i = 0; i < t->documents * TENSORS && t->files; i++)
        row_file_close(&t->files[i].file);
    free(t->files);
    free(t->heads);
    *t = (struct tensors){0};
}

/* ---- numbers */

/* One head of a file, from position `first` on, `rows` of them. */
struct slice {
    const struct tensor_file *f;
    enum tensor tensor;
    uint32_t layer, head, first, rows;
    const struct watch *watch;
};

#define ROWS_UNASKED 4096 /* read between two questions whether to stop */

static int read_slice(const struct slice *s, float *to, struct message error)
{
    const struct tensor_file *f = s->f;
    const uint64_t start = ((uint64_t)s->layer * f->heads + s->head) * f->n + s->first;
    double *row = require_memory(malloc((size_t)f->d * sizeof *row)),
           *buffer = require_memory(malloc((size_t)f->d * sizeof *buffer));
    int failed = 0;
    for (uint32_t i = 0; i < s->rows && !failed; i++) {
        if (i % ROWS_UNASKED == 0 && watch_stops(s->watch)) {
            failed = message_set(error, "stopped while %.150s was read", f->path);
            break;
        }
        if (row_file_read(&f->file, start + i, row, buffer) != 0)
            failed =
                message_set(error, MEMBER "%s %.150s cannot be read: %s", tensor_name(s->tensor),
                            f->path, errno ? strerror(errno) : "it ends early");
        for (uint32_t c = 0; c < f->d && !failed; c++) {
            const float x = (float)row[c];
            to[(size_t)i * f->d + c] = x;
            if (isfinite(x))
                continue;
            char layer[32] = "";
            if (f->has_layers)
                snprintf(layer, sizeof layer, "layer %" PRIu32 " of the file, ", s->layer);
            failed = message_set(error,
                                 MEMBER "%s %.150s: %shead %" PRIu32 ", position %" PRIu32
                                        " has %s; give finite numbers",
                                 tensor_name(s->tensor), f->path, layer, s->head, s->first + i,
                                 isnan(x)             ? "a NaN"
                                 : isinf(row[c]) != 0 ? "an infinity"
                                                      : "a number beyond those of float32");
        }
    }
    free(row);
    free(buffer);
    return failed;
}

/* What a head needs of its document. */
struct reading {
    const struct tensors *t;
    const struct head_shape *shape;
    uint32_t layer; /* in the files */
};

static int read_keys(const struct reading *r, enum tensor tensor, float *to, struct message error)
{
    const struct tensor_file *f = file_of(r->t, r->shape->document, tensor);
    const struct slice s = {f, tensor, r->layer, r->shape->key_head, 0, f->n, &r->t->spec->watch};
    return read_slice(&s, to, error);
}

static int read_queries(const struct reading *r, enum tensor tensor, float *to,
                        struct message error)
{
    const struct tensor_file *f = file_of(r->t, r->shape->document, tensor);
    const size_t one = (size_t)r->shape->n_q * f->d;
    for (uint32_t h = 0; h < r->shape->query_heads; h++) {
        const struct slice s = {f,
                                tensor,
                                r->layer,
                                r->shape->query_head + h,
                                f->n - r->shape->n_q,
                                r->shape->n_q,
                                &r->t->spec->watch};
        if (read_slice(&s, to + h * one, error) != 0)
            return -1;
    }
    return 0;
}

/* Keys and queries before RoPE: from their files, or by removing it. */
static int read_unroped(const struct reading *r, const struct head_floats *to, struct message error)
{
    const struct head_shape *shape = r->shape;
    const struct rope *rope = r->t->spec->rope;
    const size_t queries = (size_t)shape->n_q * shape->d, keys = (size_t)shape->n * shape->d;
    if (file_of(r->t, shape->document, TENSOR_KEYS_UNROPED)->path) {
        if (read_keys(r, TENSOR_KEYS_UNROPED, to->keys_unroped, error) != 0)
            return -1;
    } else {
        memcpy(to->keys_unroped, to->keys, keys * sizeof *to->keys);
        rope_remove(rope, to->keys_unroped, shape->n, shape->d, 0);
    }
    if (file_of(r->t, shape->document, TENSOR_QUERIES_UNROPED)->path)
        return read_queries(r, TENSOR_QUERIES_UNROPED, to->queries_unroped, error);
    memcpy(to->queries_unroped, to->queries, queries * shape->query_heads * sizeof *to->queries);
    for (uint32_t h = 0; h < shape->query_heads; h++)
        rope_remove(rope, to->queries_unroped + h * queries, shape->n_q, shape->d,
                    shape->n - shape->n_q);
    return 0;
}

int tensors_read(void *from, size_t index, const struct head_floats *to, struct message error)
{
    const struct tensors *t = from;
    const struct reading r = {t, &t->heads[index], (uint32_t)(index / t->key_heads % t->layers)};
    if (read_keys(&r, TENSOR_KEYS, to->keys, error) != 0 ||
        read_queries(&r, TENSOR_QUERIES, to->queries, error) != 0)
        return -1;
    if (r.shape->d_v && read_keys(&r, TENSOR_VALUES, to->values, error) != 0)
        return -1;
    return r.shape->unroped ? read_unroped(&r, to, error) : 0;
}
