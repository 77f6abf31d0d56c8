/* train.c - see train.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "train.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include <attention/products.h>
#include "targets.h"
#include <attention/threads.h>

/* One head of keys in all documents that have it. */
struct head_documents {
    const struct head_shape *shape; /* the first document's */
    struct context *context;        /* of this head alone, one for each document */
    void **memory;                  /* what each of them points to */
    uint32_t **bucket;              /* of the keys of each document */
    uint32_t documents;
};

struct trainer {
    const struct train_spec *spec;
    const struct train_watch *watch;
    struct trained *trained;
    uint64_t steps_done, steps_total;
    uint64_t models; /* that were trained */
    bool stopped;
};

static bool same_head(const struct head_shape *a, const struct head_shape *b)
{
    return a->layer == b->layer && a->key_head == b->key_head;
}

/* Is head i the first with its layer and key head? */
static bool is_first(const struct train_spec *spec, size_t i)
{
    for (size_t before = 0; before < i; before++)
        if (same_head(&spec->heads[before], &spec->heads[i]))
            return false;
    return !spec->heads[i].dense;
}

/* For what is no step of a model. */
static bool stop_training(void *context, uint64_t part, uint64_t parts)
{
    struct trainer *trainer = context;
    (void)part, (void)parts;
    trainer->stopped = trainer->stopped || watch_stops(&trainer->watch->steps);
    return trainer->stopped;
}

/* ---- reading */

/* The queries without the last `held_back` of each head: moves the heads together. */
static void drop_queries(float *queries, const struct head_shape *shape, uint32_t held_back)
{
    const size_t row = (size_t)shape->n_q * shape->d,
                 kept = (size_t)(shape->n_q - held_back) * shape->d;
    for (uint32_t head = 1; queries && head < shape->query_heads; head++)
        memmove(queries + head * kept, queries + head * row, kept * sizeof *queries);
}

static int read_document(const struct train_spec *spec, struct head_documents *group, size_t index,
                         struct message error)
{
    const struct head_shape *shape = &spec->heads[index];
    struct head_floats to;
    if (spec->held_back >= shape->n_q)
        return message_set(error, "there are too few queries to train on; give more of them");
    group->memory[group->documents] = require_memory(head_floats_new(shape, &to));
    if (spec->read(spec->from, index, &to, error) != 0)
        return -1;
    drop_queries(to.queries, shape, spec->held_back);
    drop_queries(to.queries_unroped, shape, spec->held_back);
    group->context[group->documents++] = (struct context){.query_heads = shape->query_heads,
                                                          .key_heads = 1,
                                                          .n = shape->n - spec->held_back,
                                                          .n_q = shape->n_q - spec->held_back,
                                                          .d = shape->d,
                                                          .scale = 1.0f / sqrtf((float)shape->d),
                                                          .queries = to.queries,
                                                          .keys = to.keys,
                                                          .queries_unroped = to.queries_unroped,
                                                          .keys_unroped = to.keys_unroped};
    return 0;
}

static void group_free(struct head_documents *group)
{
    for (uint32_t i = 0; i <= group->documents; i++) { /* one that could not be read, too */
        free(group->memory[i]);
        free(group->bucket[i]);
    }
    free(group->memory);
    free(group->context);
    free(group->bucket);
}

/* All documents that have the head `first`. */
static int read_group(const struct train_spec *spec, size_t first, struct head_documents *group,
                      struct message error)
{
    *group = (struct head_documents){.shape = &spec->heads[first]};
    group->memory = require_memory(calloc(spec->length + 1, sizeof *group->memory));
    group->context = require_memory(calloc(spec->length + 1, sizeof *group->context));
    group->bucket = require_memory(calloc(spec->length + 1, sizeof *group->bucket));
    for (size_t i = first; i < spec->length; i++)
        if (same_head(&spec->heads[i], group->shape) && read_document(spec, group, i, error) != 0)
            return -1;
    return 0;
}

/* ---- the partition */

static const float *keys_of(const struct train_spec *spec, const struct context *context)
{
    return spec->unroped && context->keys_unroped ? context->keys_unroped : context->keys;
}

static uint64_t salt_of(const struct head_shape *shape)
{
    return (uint64_t)shape->layer << 32 | shape->key_head;
}

static struct partition *train_partition(struct trainer *trainer, struct head_documents *group,
                                         struct partition_report *report)
{
    const struct train_spec *spec = trainer->spec;
    const struct watch watch = {.stop = stop_training, .context = trainer};
    const uint32_t d = group->shape->d;
    uint32_t n = 0;
    double most = 0.0;
    for (uint32_t i = 0; i < group->documents; i++)
        most += group->context[i].n;
    float *keys = require_memory(malloc((size_t)most * d * sizeof *keys + 1));
    for (uint32_t i = 0; i < group->documents; i++) {
        const struct context *context = &group->context[i];
        const uint32_t first = spec->dense.sink < context->n ? spec->dense.sink : 0;
        memcpy(keys + (size_t)n * d, keys_of(spec, context) + (size_t)first * d,
               (size_t)(context->n - first) * d * sizeof *keys);
        n += context->n - first;
    }
    const struct partition_options options = {.clusters = spec->clusters,
                                              .iterations = spec->iterations,
                                              .spherical = spec->spherical,
                                              .seed = spec->training.seed,
                                              .salt = salt_of(group->shape)};
    struct partition *partition = partition_train(keys, n, d, &options, &watch, report);
    free(keys);
    for (uint32_t i = 0; i < group->documents; i++) {
        const struct context *context = &group->context[i];
        group->bucket[i] = require_memory(malloc(context->n * sizeof **group->bucket));
        partition_assign_watched(partition, keys_of(spec, context), context->n, group->bucket[i],
                                 &watch);
    }
    return partition;
}

/* ---- the models */

static bool count_step(void *context, uint64_t done, uint64_t total)
{
    struct trainer *trainer = context;
    if (total == 0)
        return stop_training(trainer, 0, 0);
    if (watch_step(&trainer->watch->steps, trainer->steps_done + done, trainer->steps_total))
        trainer->stopped = true;
    return trainer->stopped;
}

/* The targets of the query heads first .. last - 1 in a document, as one batch. */
static struct query_batch batch_of(struct trainer *trainer, const struct head_documents *group,
                                   uint32_t document, uint32_t first, uint32_t last)
{
    const struct train_spec *spec = trainer->spec;
    const struct watch watch = {.stop = stop_training, .context = trainer};
    struct query_batch *parts = require_memory(calloc(last - first, sizeof *parts));
    for (uint32_t head = first; head < last; head++)
        parts[head - first] =
            query_targets(&group->context[document], head, group->bucket[document], spec->clusters,
                          spec->dense, spec->unroped, spec->queries_at_most, &watch);
    const struct query_batch all =
        query_batch_join(parts, last - first, group->shape->d, spec->clusters);
    free(parts);
    return all;
}

/* The model of these query heads; NULL if there is nothing to train on, or if it was stopped
 * before.
 */
static struct query_model *train_model(struct trainer *trainer, const struct head_documents *group,
                                       const struct partition *partition, uint32_t first,
                                       uint32_t last, struct train_progress *progress)
{
    const struct train_spec *spec = trainer->spec;
    struct query_batch *batches = require_memory(calloc(group->documents, sizeof *batches));
    const struct watch steps = {count_step, trainer};
    struct training_options options = spec->training;
    struct query_model *model = NULL;
    options.salt = salt_of(group->shape) << 8 | first;
    progress->queries = 0;
    progress->entropy = 0.0;
    for (uint32_t i = 0; i < group->documents; i++) {
        batches[i] = batch_of(trainer, group, i, first, last);
        progress->queries += batches[i].rows;
        if (batches[i].rows > 0)
            progress->entropy += batches[i].rows * query_batch_entropy(&batches[i], spec->clusters);
    }
    if (progress->queries > 0)
        progress->entropy /= (double)progress->queries;
    if (progress->queries > 0 && !trainer->stopped)
        model = query_model_train(batches, group->documents, partition, group->context->scale,
                                  &options, &steps, &progress->training);
    for (uint32_t i = 0; i < group->documents; i++)
        query_batch_free(&batches[i]);
    free(batches);
    trainer->steps_done += options.steps;
    return model;
}

/* Adds a model that was trained. */
static void add_progress(struct train_progress *sum, const struct train_progress *one)
{
    sum->models++;
    sum->queries += one->queries;
    sum->entropy += one->entropy;
    sum->training.steps = one->training.steps;
    sum->training.first_loss += one->training.first_loss;
    sum->training.last_loss += one->training.last_loss;
    sum->training.seconds += one->training.seconds;
    sum->training.product_seconds += one->training.product_seconds;
}

/* From sums over the models to means. */
static void end_progress(struct train_progress *sum)
{
    sum->entropy /= sum->models;
    sum->training.first_loss /= sum->models;
    sum->training.last_loss /= sum->models;
}

static int train_models(struct trainer *trainer, const struct head_documents *group,
                        struct trained_head *head, struct train_progress *progress)
{
    const uint32_t heads = head->query_heads, models = trainer->spec->per_key_head ? 1 : heads;
    head->models = require_memory(calloc(heads, sizeof *head->models));
    for (uint32_t m = 0; m < models; m++) {
        struct train_progress one = {0};
        head->models[m] =
            train_model(trainer, group, head->partition, m, models == 1 ? heads : m + 1, &one);
        head->models_length++;
        if (head->models[m])
            add_progress(progress, &one);
        if (trainer->stopped)
            return 1;
    }
    if (progress->models > 0)
        end_progress(progress);
    trainer->models += progress->models;
    for (uint32_t m = models; m < heads; m++)
        head->models[m] = head->models[0];
    return 0;
}

static int train_group(struct trainer *trainer, size_t first, struct message error)
{
    const struct train_spec *spec = trainer->spec;
    struct head_documents group;
    struct train_progress progress = {0};
    int status = read_group(spec, first, &group, error);
    if (status != 0 && stop_training(trainer, 0, 0))
        status = 1;
    if (status == 0) {
        struct trained_head *head = trained_add(trainer->trained);
        head->layer = group.shape->layer;
        head->key_head = group.shape->key_head;
        head->query_head = group.shape->query_head;
        head->query_heads = group.shape->query_heads;
        head->unroped = spec->unroped;
        head->before = spec->unroped && group.shape->unroped;
        head->iterations = spec->iterations;
        head->partition = train_partition(trainer, &group, &progress.partition);
        progress.head = head;
        if (trainer->stopped)
            status = 1;
        else if (spec->models)
            status = train_models(trainer, &group, head, &progress);
        else if (watch_step(&trainer->watch->steps, ++trainer->steps_done, trainer->steps_total))
            status = 1;
        if (status == 0 && trainer->watch->head_done)
            trainer->watch->head_done(trainer->watch->context, &progress);
        if (status != 0)
            trained_drop_last(trainer->trained);
    }
    group_free(&group);
    return status;
}

/* What an earlier run has trained. */
static void pass_over(struct trainer *trainer, const struct trained_head *done)
{
    trainer->steps_done +=
        trainer->spec->models ? done->models_length * trainer->spec->training.steps : 1;
    for (uint32_t m = 0; m < done->models_length; m++)
        trainer->models += done->models[m] != NULL;
}

static int no_queries(struct message error)
{
    return message_set(
        error, "there is no query to train on: the best key of each is within half of the window; "
               "give longer documents or a smaller " MEMBER "window");
}

int train_heads(const struct train_spec *spec, const struct train_watch *watch,
                struct trained *trained, struct message error)
{
    static const struct train_watch nobody = {0};
    struct trainer trainer = {.spec = spec, .watch = watch ? watch : &nobody, .trained = trained};
    int status = products_ready(error) ? 0 : -1;
    threads_use(0);
    for (size_t i = 0; status == 0 && i < spec->length; i++)
        if (is_first(spec, i)) {
            const uint64_t models = spec->per_key_head ? 1 : spec->heads[i].query_heads;
            trainer.steps_total += spec->models ? models * spec->training.steps : 1;
        }
    for (size_t i = 0; i < spec->length && status == 0; i++)
        if (is_first(spec, i)) {
            const struct trained_head *done =
                trained_find(trained, spec->heads[i].layer, spec->heads[i].key_head, spec->unroped);
            if (done)
                pass_over(&trainer, done);
            else
                status = train_group(&trainer, i, error);
        }
    if (status == 0 && spec->models && trainer.models == 0)
        return no_queries(error);
    return status;
}
