/* sparse_train.c - see sparse_train.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "sparse_train.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <attention/training/train.h>
#include <base/files/atomic_file.h>
#include <base/memory.h>

#include <programs/recallmodel/command.h>

/* Is there a method that works on keys before (after) RoPE with a partition, or a model? */
static bool needs_partition(const struct evaluation_spec *spec, bool unroped)
{
    bool needs = false;
    for (size_t i = 0; i < spec->methods_length; i++)
        needs |= spec->methods[i]->partitioned && spec->methods[i]->unroped == unroped;
    return needs;
}

static bool needs_models(const struct evaluation_spec *spec, bool unroped)
{
    bool needs = false;
    for (size_t i = 0; i < spec->methods_length; i++)
        needs |= spec->methods[i]->trains_queries && spec->methods[i]->unroped == unroped;
    return needs;
}

/* Can a file be made there? Asked before the training, which may take hours. */
static int check_save(const char *path)
{
    char error[200];
    char *target = atomic_file_target(path, MESSAGE(error));
    if (!target)
        return usage_error("--save %.150s %s", path, error);
    char *slash = strrchr(target, '/');
    if (slash)
        slash[slash == target] = '\0';
    const bool writable = access(slash ? target : ".", W_OK | X_OK) == 0;
    free(target);
    return writable ? STATUS_OK
                    : usage_error("--save %.150s cannot be written: %s", path, strerror(errno));
}

static int check_settings(const struct train_settings *train)
{
    if (train->width > 1 << 20 || train->steps > 1 << 30 || train->sample > 1 << 30)
        return usage_error("--train-width is at most 2^20; --train-steps and --train-sample are at "
                           "most 2^30");
    return train->save ? check_save(train->save) : STATUS_OK;
}

/* A training that is shown, stopped and kept. */
struct shown {
    struct progress progress;
    uint64_t done, total;
    struct sparse_checkpoint *checkpoint;
    bool unkept; /* the checkpoint could not be written */
};

/* Query heads whose best keys are all near. */
static void note_untrained(const struct trained_head *head)
{
    for (uint32_t m = 0; head->models && m < head->query_heads; m++) {
        if (head->models[m])
            continue;
        fputs("note: ", stderr);
        if (head->layer != LAYER_UNKNOWN)
            fprintf(stderr, "layer %" PRIu32 " ", head->layer);
        fprintf(stderr,
                "query head %" PRIu32
                " has no query to train on, because the best key of each is within half of the "
                "window; its buckets are ranked as by kmeans\n",
                head->query_head + m);
    }
}

static void print_head(void *context, const struct train_progress *progress)
{
    struct shown *shown = context;
    const struct trained_head *head = progress->head;
    progress_end(&shown->progress);
    note_untrained(head);
    fprintf(stderr, "trained");
    if (head->layer != LAYER_UNKNOWN)
        fprintf(stderr, " layer %" PRIu32, head->layer);
    fprintf(stderr, " key head %" PRIu32 " %s RoPE%s", head->key_head,
            head->before ? "before" : "after",
            head->unroped && !head->before ? " (before is not known)" : "");
    if (progress->models)
        fprintf(stderr,
                ": %" PRIu64 " queries, %" PRIu32 " steps, %.1f s (products %.0f %%), divergence "
                "%.3f to %.3f, entropy %.3f",
                progress->queries, progress->training.steps, progress->training.seconds,
                100.0 * progress->training.product_seconds / progress->training.seconds,
                progress->training.first_loss, progress->training.last_loss, progress->entropy);
    fputc('\n', stderr);
    if (sparse_checkpoint_due(shown->checkpoint))
        shown->unkept = sparse_checkpoint_write(shown->checkpoint) != STATUS_OK;
}

static bool tick(void *context, uint64_t done, uint64_t total)
{
    struct shown *shown = context;
    if (total > 0) {
        shown->done = done;
        shown->total = total;
    }
    return progress_tick(&shown->progress, shown->done, shown->total) || shown->unkept;
}

/* Trains one kind of keys. A status. */
static int train_kind(const struct sparse_settings *s, struct tensors *tensors,
                      const struct evaluation_spec *spec, bool unroped, uint32_t held_back,
                      struct sparse_checkpoint *checkpoint, struct trained *trained)
{
    struct train_spec train = {.heads = tensors->heads,
                               .length = tensors->length,
                               .read = tensors_read,
                               .from = tensors,
                               .unroped = unroped,
                               .models = needs_models(spec, unroped),
                               .per_key_head = s->train.per_key_head,
                               .dense = spec->options.dense,
                               .clusters = spec->options.clusters,
                               .iterations = spec->options.iterations,
                               .spherical = spec->options.spherical,
                               .training = TRAINING_OPTIONS_DEFAULT,
                               .queries_at_most = (uint32_t)s->train.sample,
                               .held_back = held_back};
    char error[800];
    struct shown shown = {.total = 1, .checkpoint = checkpoint};
    const struct train_watch watch = {{tick, &shown}, print_head, &shown};
    train.training.width = (uint32_t)s->train.width;
    train.training.steps = (uint32_t)s->train.steps;
    train.training.residual = s->train.residual;
    train.training.seed = s->options.seed;
    progress_start(&shown.progress, train.models ? "steps" : "heads");
    progress_watch(&shown.progress);
    const int failed = train_heads(&train, &watch, trained, MESSAGE(error));
    progress_end(&shown.progress);
    if (failed < 0)
        return usage_error("%s", error);
    if (shown.unkept || sparse_checkpoint_write(checkpoint) != STATUS_OK)
        return STATUS_FAILED;
    return failed > 0 ? STATUS_INTERRUPTED : STATUS_OK;
}

static int train_kinds(const struct sparse_settings *s, struct tensors *tensors,
                       const struct evaluation_spec *spec, uint32_t held_back,
                       struct sparse_checkpoint *checkpoint, struct trained *trained)
{
    int status = STATUS_OK;
    for (int unroped = 0; unroped < 2 && status == STATUS_OK; unroped++)
        if (held_back ? needs_models(spec, unroped) : needs_partition(spec, unroped))
            status = train_kind(s, tensors, spec, unroped, held_back, checkpoint, trained);
    return status;
}

/* ---- the three sources */

static int train_elsewhere(const struct sparse_settings *s, const struct tensors_spec *like,
                           const struct evaluation_spec *spec, struct sparse_checkpoint *checkpoint,
                           struct trained *trained)
{
    struct tensors_spec train = *like;
    struct tensors tensors = {0};
    char error[800];
    train.last = 0;
    for (int i = 0; i < TENSORS; i++)
        train.paths[i] = s->train.paths[i].paths;
    int status = tensors_open(&tensors, &train, MESSAGE(error)) != 0
                     ? usage_error("%s (files of --train-keys and --train-queries)", error)
                     : STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < tensors.length; i++)
        if (needs_partition(spec, true) && spec->heads[0].unroped != tensors.heads[i].unroped)
            status = usage_error("keys before RoPE are known for only one of --keys and "
                                 "--train-keys; give --train-keys-unroped, or --rope-theta");
    if (status == STATUS_OK)
        status = train_kinds(s, &tensors, spec, 0, checkpoint, trained);
    tensors_close(&tensors);
    return status;
}

/* Trains on the first half of the queries and leaves the second half to be measured. */
static int train_on_first_half(const struct sparse_settings *s, struct tensors_spec *tensors_spec,
                               struct tensors *tensors, struct evaluation_spec *spec,
                               struct sparse_checkpoint *checkpoint, struct trained *trained)
{
    char error[800];
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < tensors->length; i++)
        least = tensors->heads[i].n_q < least ? tensors->heads[i].n_q : least;
    const uint32_t held_back = least - least / 2, group = tensors->heads[0].query_heads;
    if (least < 2)
        return usage_error("--queries has one query for each head, and methods that train models "
                           "need some to train on; give --train-keys and --train-queries");
    fprintf(stderr,
            "note: query models are trained on the earlier queries of the same documents, not "
            "held out by document; all methods are measured on the last %" PRIu32 "\n",
            held_back);
    const uint64_t few = (uint64_t)(least / 2) * (s->train.per_key_head ? group : 1);
    if (few < 10 * (uint64_t)spec->options.clusters)
        fprintf(stderr,
                "note: that is %" PRIu64 " queries of a document for a query model, fewer than 10 "
                "for each of %" PRIu32
                " clusters, so the model overfits; give --train-keys and --train-queries\n",
                few, spec->options.clusters);
    const int status = train_kinds(s, tensors, spec, held_back, checkpoint, trained);
    if (status != STATUS_OK)
        return status;
    tensors_close(tensors);
    tensors_spec->last = held_back;
    if (tensors_open(tensors, tensors_spec, MESSAGE(error)) != 0)
        return usage_error("%s", error);
    spec->heads = tensors->heads;
    spec->length = tensors->length;
    return STATUS_OK;
}

/* ---- what each head finds */

static int select_kind(const struct sparse_settings *s, struct evaluation_spec *spec, bool unroped,
                       struct sparse_trained *t)
{
    char error[400];
    const bool models = needs_models(spec, unroped);
    const struct trained_need need = {.unroped = unroped,
                                      .clusters = s->options.clusters,
                                      .iterations = s->options.iterations,
                                      .spherical = s->options.spherical,
                                      .rope = &s->rope};
    if (t->models_only ? !models : !needs_partition(spec, unroped))
        return STATUS_OK;
    t->partitions[unroped] = require_memory(calloc(spec->length + 1, sizeof(void *)));
    if (models)
        t->models[unroped] = require_memory(calloc(spec->length + 1, sizeof(void *)));
    if (trained_select(&t->trained, spec->heads, spec->length, &need, t->partitions[unroped],
                       t->models[unroped], MESSAGE(error)) != 0)
        return s->train.index ? usage_error("--index %s %s", s->train.index, error)
                              : usage_error("what --train-keys gave %s", error);
    spec->trained[unroped] =
        (struct trained_heads){t->partitions[unroped], t->models[unroped], t->models_only};
    return STATUS_OK;
}

int sparse_train(const struct sparse_settings *s, struct tensors_spec *tensors_spec,
                 struct tensors *tensors, struct evaluation_spec *spec,
                 struct sparse_checkpoint *checkpoint, struct sparse_trained *t)
{
    char error[800];
    *t = (struct sparse_trained){.models_only = false};
    int status = check_settings(&s->train);
    const bool elsewhere = s->train.paths[TENSOR_KEYS].paths.length > 0,
               trains = elsewhere || needs_models(spec, false) || needs_models(spec, true);
    if (status == STATUS_OK && s->train.save && !trains)
        status = usage_error("--save writes what was trained, but nothing is trained here; give "
                             "--train-keys, or --method saap");
    if (status == STATUS_OK && s->train.index &&
        trained_load(&t->trained, s->train.index, MESSAGE(error)) != 0)
        status = usage_error("--index %s", error);
    if (status == STATUS_OK)
        status = sparse_checkpoint_open(checkpoint, s, spec);
    if (status == STATUS_OK)
        status = sparse_checkpoint_start(checkpoint, s->train.index ? NULL : &t->trained);
    if (status != STATUS_OK || (!s->train.index && !trains))
        return status;
    if (!s->train.index && elsewhere) {
        status = train_elsewhere(s, tensors_spec, spec, checkpoint, &t->trained);
    } else if (!s->train.index) {
        t->models_only = true;
        status = train_on_first_half(s, tensors_spec, tensors, spec, checkpoint, &t->trained);
    }
    if (!s->train.index)
        t->trained.rope = s->rope;
    if (status == STATUS_OK && s->train.save &&
        trained_save(&t->trained, s->train.save, MESSAGE(error)) != 0)
        status = usage_error("--save %s", error);
    for (int unroped = 0; unroped < 2 && status == STATUS_OK; unroped++)
        status = select_kind(s, spec, unroped, t);
    return status;
}

void sparse_trained_free(struct sparse_trained *t)
{
    for (int i = 0; i < 2; i++) {
        free(t->partitions[i]);
        free(t->models[i]);
    }
    trained_free(&t->trained);
}
