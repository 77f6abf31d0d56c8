/* outputs.c - see outputs.h. It runs the evaluation with a reader that copies from the context.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "outputs.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attention/methods/all.h>
#include <base/memory.h>

#include <attention/full.h>
#include <attention/products.h>
#include <attention/threads.h>
#include <attention/training/trained.h>
#include <attention/watch_loop.h>

/* Of the method full: queries times keys of a block, which take one thread a second at most;
 * and the queries of a block. */
enum { BLOCK_LOGITS = 1 << 24, BLOCK_LEAST = 64, BLOCK_MOST = 256 };

#define FINITE_FAULT "%s has a number that is not finite; give finite numbers"

static bool all_finite(const float *x, size_t length)
{
    int other = 0;
#pragma omp simd reduction(| : other)
    for (size_t i = 0; i < length; i++)
        other |= !(fabsf(x[i]) <= FLT_MAX);
    return !other;
}

static int copy_finite(float *to, const float *from, size_t length, const char *name,
                       struct message error)
{
    if (!all_finite(from, length))
        return message_set(error, FINITE_FAULT, name);
    memcpy(to, from, length * sizeof *to);
    return 0;
}

/* A head_reader of key head `index` of a context. */
static int read_context(void *from, size_t index, const struct head_floats *to,
                        struct message error)
{
    const struct context *c = from;
    const size_t queries = (size_t)(c->query_heads / c->key_heads) * c->n_q * c->d,
                 keys = (size_t)c->n * c->d, values = (size_t)c->n * c->d_v;
    const struct {
        float *to;
        const float *from;
        size_t length;
        const char *name;
    } parts[] = {{to->queries, c->queries, queries, "queries"},
                 {to->queries_unroped, c->queries_unroped, queries, "queries_unroped"},
                 {to->keys, c->keys, keys, "keys"},
                 {to->keys_unroped, c->keys_unroped, keys, "keys_unroped"},
                 {to->values, c->values, values, "values"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].to && copy_finite(parts[i].to, parts[i].from + index * parts[i].length,
                                       parts[i].length, parts[i].name, error) != 0)
            return -1;
    return 0;
}

static const char *context_fault(const struct context *c)
{
    if (c->key_heads < 1 || c->query_heads < 1 || c->query_heads % c->key_heads != 0)
        return "the number of query heads is not a multiple of that of key heads; give a whole "
               "number of query heads for each key head";
    if (c->n_q < 1 || c->n_q > c->n)
        return "there must be at least one query and at most as many as keys; the queries are "
               "those of the last positions";
    if (c->d < 1 || c->d_v < 1 || !c->queries || !c->keys || !c->values)
        return "queries, keys and values must have at least one component";
    if (!c->queries_unroped != !c->keys_unroped)
        return "queries_unroped and keys_unroped belong together; give both or none";
    if (c->scale != 0 && fabsf(c->scale * sqrtf((float)c->d) - 1) > 1e-6f)
        return "the scale must be 1 / sqrt(d); multiply the queries by the factor of yours over "
               "that";
    return NULL;
}

static const char *method_fault(const struct outputs_spec *spec)
{
    const struct context *c = &spec->context;
    const struct method *method = spec->method;
    if (!(spec->budget > 0 && spec->budget <= 1))
        return MEMBER "budget must be in (0, 1]; give a share of the keys, such as 0.05";
    if (method->trains_queries && !spec->index && !spec->trained[method->unroped].models)
        return MEMBER
            "method: this method needs query models, which were not given; give an index that "
            "has them, or take kmeans-unroped, which needs none";
    if (method->hashes_queries && c->n_q < c->n)
        return MEMBER
            "method: this method needs the queries of all positions; give as many queries as "
            "keys";
    if (method->reads_layers)
        return MEMBER "method: this method needs the layer before, and one layer was given; take "
                      "another";
    return NULL;
}

/* What a file holds, and which of it each key head uses. */
struct opened {
    struct trained trained;
    const struct partition **partitions;
    const struct query_model *const **models;
};

static void close_index(struct opened *o)
{
    trained_free(&o->trained);
    free(o->partitions);
    free(o->models);
}

/* Replaces what was trained for the method by what is in the file. close_index() in any case. */
static int open_index(struct outputs_spec *spec, const struct head_shape *shapes, struct opened *o,
                      struct message error)
{
    const struct method *method = spec->method;
    const uint32_t length = spec->context.key_heads;
    const struct trained_need need = {.unroped = method->unroped};
    char phrase[300];
    if (trained_load(&o->trained, spec->index, error) != 0)
        return -1;
    o->partitions = require_memory(calloc(length, sizeof *o->partitions));
    if (method->trains_queries)
        o->models = require_memory(calloc(length, sizeof *o->models));
    if (trained_select(&o->trained, shapes, length, &need, o->partitions, o->models,
                       MESSAGE(phrase)) != 0)
        return message_set(error, "%s %s", spec->index, phrase);
    spec->trained[method->unroped] = (struct trained_heads){o->partitions, o->models, false};
    return 0;
}

static struct head_shape *shapes_of(const struct outputs_spec *spec)
{
    const struct context *c = &spec->context;
    const uint32_t group = c->query_heads / c->key_heads;
    struct head_shape *shapes = require_memory(calloc(c->key_heads, sizeof *shapes));
    for (uint32_t h = 0; h < c->key_heads; h++)
        shapes[h] = (struct head_shape){.layer = spec->layer,
                                        .key_head = h,
                                        .query_head = h * group,
                                        .query_heads = group,
                                        .n = c->n,
                                        .n_q = c->n_q,
                                        .d = c->d,
                                        .d_v = c->d_v,
                                        .unroped = c->keys_unroped != NULL};
    return shapes;
}

static int run_evaluation(const struct outputs_spec *spec, const struct head_shape *shapes,
                          float *const *outputs, struct outputs_report *report,
                          struct message error)
{
    struct context context = spec->context;
    const struct evaluation_spec evaluated = {.heads = shapes,
                                              .length = context.key_heads,
                                              .read = read_context,
                                              .from = &context,
                                              .methods = &spec->method,
                                              .methods_length = 1,
                                              .budgets = &spec->budget,
                                              .budgets_length = 1,
                                              .options = spec->options,
                                              .share = spec->share,
                                              .threads = spec->threads,
                                              .trained = {spec->trained[0], spec->trained[1]},
                                              .outputs = outputs};
    struct evaluation evaluation;
    const int status = evaluation_run(&evaluated, &spec->watch, &evaluation, error);
    if (status == 0 && evaluation.length)
        *report = (struct outputs_report){.knob = evaluation.rows->knob,
                                          .visited = evaluation.rows->visited,
                                          .selectivity = evaluation.rows->selectivity,
                                          .bytes_read = evaluation.rows->bytes_read,
                                          .index_bytes = evaluation.rows->index_bytes};
    evaluation_free(&evaluation);
    return status;
}

/* ---- all keys */

/* The report of the evaluation: means over the queries, added up by head. */
static struct outputs_report report_full(const struct outputs_spec *spec)
{
    const struct context *c = &spec->context;
    const double n = c->n, pair = (double)c->d + c->d_v,
                 count = spec->share ? c->query_heads / c->key_heads : 1; /* that read together */
    double visited = 0, selectivity = 0, bytes = 0;
    for (uint32_t h = 0; h < c->query_heads; h++) {
        double of_head[3] = {0};
        for (uint32_t position = c->n - c->n_q; position < c->n; position++) {
            const struct key_range open = open_keys(spec->options.dense, position);
            of_head[0] += (open.last - open.first) / n;
            of_head[1] += (position + 1.0) / n;
            of_head[2] += (position + 1.0) * pair * spec->options.element_bytes / count;
        }
        visited += of_head[0];
        selectivity += of_head[1];
        bytes += of_head[2];
    }
    const double queries = (double)c->query_heads * c->n_q;
    return (struct outputs_report){.knob = KNOB_NONE,
                                   .visited = visited / queries,
                                   .selectivity = selectivity / queries,
                                   .bytes_read = bytes / queries};
}

struct full_run {
    const struct outputs_spec *spec;
    uint64_t done, total; /* blocks */
    bool stopped;
};

/* Asked on the thread of the caller alone. Once it is true, it stays so. */
static bool stop_full(void *context, uint64_t part, uint64_t parts)
{
    (void)part, (void)parts;
    struct full_run *run = context;
    uint64_t done;
#pragma omp atomic read
    done = run->done;
    run->stopped = run->stopped || watch_step(&run->spec->watch, done, run->total);
    return run->stopped;
}

/* The queries `first` to `last` - 1 of a head, of which none sees a key behind the last's. */
static void attend_block(const struct context *c, uint32_t head, uint32_t first, uint32_t last,
                         float *out)
{
    const size_t at = (size_t)head * c->n_q + first,
                 keys_at = (size_t)(head / (c->query_heads / c->key_heads)) * c->n;
    full_attention(out + at * c->d_v, c->queries + at * c->d, last - first, last - first,
                   c->keys + keys_at * c->d, c->values + keys_at * c->d_v, c->n - c->n_q + last,
                   c->d, c->d_v, 1.0f / sqrtf((float)c->d));
}

/* Threads share the blocks of all heads; where there are few, those within full_attention() share
 * the keys. Returns whether it came to the end. */
static bool attend_blocks(const struct outputs_spec *spec, float *out)
{
    const struct context *c = &spec->context;
    const uint32_t fit = BLOCK_LOGITS / c->n,
                   rows = fit < BLOCK_LEAST  ? BLOCK_LEAST
                          : fit > BLOCK_MOST ? BLOCK_MOST
                                             : fit,
                   blocks = c->n_q / rows + (c->n_q % rows > 0);
    const uint64_t all = (uint64_t)c->query_heads * blocks;
    struct full_run run = {.spec = spec, .total = all};
    const struct watch watch = {.stop = stop_full, .context = &run};
    bool stopped = watch_stops(&watch);
#pragma omp parallel for schedule(dynamic) if (all >= threads_most())
    for (uint64_t i = 0; i < all; i++) {
        if (watch_skips(&watch, &stopped))
            continue;
        const uint32_t first = (uint32_t)(i % blocks) * rows, rest = c->n_q - first;
        attend_block(c, (uint32_t)(i / blocks), first, first + (rest < rows ? rest : rows), out);
#pragma omp atomic
        run.done++;
    }
    return !stopped;
}

/* Every query reads all keys: by blocks, with nothing kept for each query. */
static int full_outputs(const struct outputs_spec *spec, float *out, struct outputs_report *report,
                        struct message error)
{
    const struct context *c = &spec->context;
    const size_t queries = (size_t)c->n_q * c->d, outputs = (size_t)c->n_q * c->d_v;
    const char *fault = !all_finite(c->queries, c->query_heads * queries)              ? "queries"
                        : !all_finite(c->keys, (size_t)c->key_heads * c->n * c->d)     ? "keys"
                        : !all_finite(c->values, (size_t)c->key_heads * c->n * c->d_v) ? "values"
                                                                                       : NULL;
    if (fault)
        return message_set(error, FINITE_FAULT, fault);
    if (!products_ready(error))
        return -1;
    const unsigned before = threads_most();
    threads_use(spec->threads);
    const bool whole = attend_blocks(spec, out);
    threads_use(before);
    if (!whole)
        return 1;
    if (!all_finite(out, c->query_heads * outputs))
        return message_set(error, "the products of " MEMBER "queries and " MEMBER
                                  "keys overflow; scale the tensors down");
    *report = report_full(spec);
    return 0;
}

int sparse_outputs(const struct outputs_spec *spec, float *out, struct outputs_report *report,
                   struct message error)
{
    const struct context *c = &spec->context;
    const char *fault = context_fault(c);
    fault = fault ? fault : method_fault(spec);
    if (fault)
        return message_set(error, "%s", fault);
    if (method_options_check(&spec->options, spec->method, c->d, error) != 0)
        return -1;
    if (spec->method == &method_full && !spec->options.int8_keys)
        return full_outputs(spec, out, report, error);
    struct head_shape *shapes = shapes_of(spec);
    float **outputs = require_memory(calloc(c->key_heads, sizeof *outputs));
    for (uint32_t h = 0; h < c->key_heads; h++)
        outputs[h] = out + (size_t)shapes[h].query_head * c->n_q * c->d_v;
    struct outputs_spec used = *spec;
    struct opened opened = {.models = NULL};
    int status = 0;
    if (spec->index && spec->method->partitioned)
        status = open_index(&used, shapes, &opened, error);
    if (status == 0)
        status = run_evaluation(&used, shapes, outputs, report, error);
    close_index(&opened);
    free(outputs);
    free(shapes);
    return status;
}
