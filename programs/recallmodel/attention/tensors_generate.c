/* tensors_generate.c - `recallmodel tensors --generate`: the files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <attention/tensors/npy_write.h>
#include <base/memory.h>
#include <programs/common/progress.h>

#include <programs/recallmodel/command.h>
#include "tensors_command.h"

enum { KEYS, KEYS_UNROPED, VALUES, QUERIES, QUERIES_UNROPED, FILES };

static const char *const file_names[FILES] = {"keys", "keys-unroped", "values", "queries",
                                              "queries-unroped"};

struct generation {
    const struct tensors_settings *settings;
    struct generator generator;
    struct npy_file files[FILES];
    char *paths[FILES], *needles_path;
    char *needles; /* the text of needles.csv */
    size_t needles_length;
    FILE *needles_stream;
    struct progress progress;
    uint32_t head;
};

static char *path_of(const char *folder, const char *name, const char *ending)
{
    const size_t size = strlen(folder) + strlen(name) + strlen(ending) + 2;
    char *path = require_memory(malloc(size));
    snprintf(path, size, "%s/%s%s", folder, name, ending);
    return path;
}

/* The number of an option, or its default. */
static uint32_t number_or(uint64_t given, uint32_t otherwise)
{
    return given ? (uint32_t)given : otherwise;
}

static struct generator generator_of(const struct tensors_settings *settings)
{
    struct generator g = settings->generator;
    const struct generator usual = GENERATOR_DEFAULT;
    for (const struct generator_knob *knob = generator_knobs; knob->option; knob++) {
        double *value = (double *)((char *)&g + knob->at);
        if (*value != *value)
            *value = knob->value;
    }
    g.seed = settings->seed;
    g.n = number_or(settings->n, usual.n);
    g.n_q = number_or(settings->n_q, usual.n_q < g.n ? usual.n_q : g.n / 2);
    g.d = number_or(settings->d, usual.d);
    g.key_heads = number_or(settings->key_heads, usual.key_heads);
    g.query_heads = number_or(settings->query_heads, g.key_heads);
    g.theta = settings->theta > 0 ? settings->theta : usual.theta;
    return g;
}

/* Is the folder there, or can it be made? */
static int make_folder(const char *folder)
{
    struct stat status;
    if (mkdir(folder, 0777) == 0)
        return STATUS_OK;
    const int reason = errno;
    if (reason == EEXIST && stat(folder, &status) == 0 && S_ISDIR(status.st_mode))
        return STATUS_OK;
    return usage_error("--generate %.200s is not a folder and cannot be made: %s; give another",
                       folder, strerror(reason));
}

static int file_error(const char *path, const char *error)
{
    usage_error("--generate: %.300s %s", path, error);
    return STATUS_FAILED;
}

static int open_files(struct generation *generation)
{
    const struct generator *g = &generation->generator;
    char error[300];
    for (int i = 0; i < FILES; i++) {
        const bool queries = i == QUERIES || i == QUERIES_UNROPED;
        const uint64_t shape[] = {queries ? g->query_heads : g->key_heads, queries ? g->n_q : g->n,
                                  g->d};
        generation->paths[i] = path_of(generation->settings->folder, file_names[i], ".npy");
        if (npy_write_open(&generation->files[i], generation->paths[i], shape, 3, MESSAGE(error)) !=
            0)
            return file_error(generation->paths[i], error);
    }
    generation->needles_path = path_of(generation->settings->folder, "needles", ".csv");
    generation->needles_stream =
        require_memory(open_memstream(&generation->needles, &generation->needles_length));
    fputs("key_head,key,query_head,query,mass\n", generation->needles_stream);
    return STATUS_OK;
}

static int write_head(struct generation *generation, const struct generated_head *head)
{
    const struct generator *g = &generation->generator;
    const size_t keys = (size_t)g->n * g->d,
                 queries = (size_t)(g->query_heads / g->key_heads) * g->n_q * g->d;
    const float *const parts[FILES] = {head->keys, head->keys_unroped, head->values, head->queries,
                                       head->queries_unroped};
    char error[300];
    for (int i = 0; i < FILES; i++)
        if (npy_write_append(&generation->files[i], parts[i],
                             i == QUERIES || i == QUERIES_UNROPED ? queries : keys,
                             MESSAGE(error)) != 0)
            return file_error(generation->paths[i], error);
    for (size_t i = 0; i < head->needle_count; i++)
        fprintf(generation->needles_stream,
                "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%.6g\n", generation->head,
                head->needles[i].key, head->needles[i].query_head, head->needles[i].query,
                head->needles[i].mass);
    return STATUS_OK;
}

static bool tick(void *state, uint64_t done, uint64_t total)
{
    struct generation *generation = state;
    return progress_tick(&generation->progress, generation->head * total + done,
                         generation->generator.key_heads * total);
}

static int make_heads(struct generation *generation, struct measured_heads *measured)
{
    const struct generator *g = &generation->generator;
    const struct watch watch = {tick, generation};
    struct generated_head *head = generated_head_new(g);
    int status = STATUS_OK;
    for (uint32_t i = 0; i < g->key_heads && status == STATUS_OK; i++) {
        generation->head = i;
        if (generate_head(g, i, head, &watch) != 0)
            status = STATUS_INTERRUPTED;
        if (status == STATUS_OK)
            status = write_head(generation, head);
        if (status != STATUS_OK)
            break;
        const struct context context = generated_context(g, head);
        properties_of_head(&context, tensors_dense(generation->settings), ROPE_HALF,
                           measured_head(measured));
    }
    generated_head_free(head);
    return status;
}

/* Ends all files, each of which is then whole. */
static int close_files(struct generation *generation)
{
    char error[300];
    for (int i = 0; i < FILES; i++)
        if (npy_write_close(&generation->files[i], MESSAGE(error)) != 0)
            return file_error(generation->paths[i], error);
    if (generation->generator.needles == 0)
        return STATUS_OK;
    fflush(generation->needles_stream);
    char *target = atomic_file_target(generation->needles_path, MESSAGE(error));
    if (!target)
        return file_error(generation->needles_path, error);
    const int failed = atomic_file_write(target, generation->needles, generation->needles_length);
    free(target);
    return failed ? file_error(generation->needles_path, strerror(errno)) : STATUS_OK;
}

static void generation_free(struct generation *generation)
{
    for (int i = 0; i < FILES; i++) {
        npy_write_abandon(&generation->files[i]);
        free(generation->paths[i]);
    }
    if (generation->needles_stream)
        fclose(generation->needles_stream);
    free(generation->needles);
    free(generation->needles_path);
}

int tensors_generate(const struct tensors_settings *settings, struct measured_heads *measured)
{
    struct generation generation = {.settings = settings, .generator = generator_of(settings)};
    const struct generator *g = &generation.generator;
    char error[300];
    const struct {
        const char *option;
        uint64_t number;
    } numbers[] = {{"--n", settings->n},
                   {"--n-q", settings->n_q},
                   {"--d", settings->d},
                   {"--heads", settings->key_heads},
                   {"--query-heads", settings->query_heads}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].number > 1u << 30)
            return usage_error("%s %" PRIu64 " is too large; give at most 2^30", numbers[i].option,
                               numbers[i].number);
    if (generator_check(g, MESSAGE(error)) != 0)
        return usage_error("%s", error);
    if (!memory_fits(generated_head_bytes(g), "--n", "give fewer keys, or a smaller --d",
                     MESSAGE(error)))
        return usage_error("%s", error);
    int status = make_folder(settings->folder);
    if (status == STATUS_OK) {
        progress_start(&generation.progress, "keys");
        progress_watch(&generation.progress);
        status = open_files(&generation);
        if (status == STATUS_OK)
            status = make_heads(&generation, measured);
        if (status == STATUS_OK)
            status = close_files(&generation);
        progress_end(&generation.progress);
    }
    if (status == STATUS_INTERRUPTED)
        fputs("recallmodel: interrupted; nothing was written\n", stderr);
    generation_free(&generation);
    measured->n = g->n;
    measured->n_q = g->n_q;
    measured->d = g->d;
    measured->query_heads = g->query_heads;
    return status;
}
