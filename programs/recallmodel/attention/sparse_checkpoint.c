/* sparse_checkpoint.c - see sparse_checkpoint.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "sparse_checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <base/clock.h>
#include <base/memory.h>
#include <base/files/state_file.h>

#define CHECKPOINT_VERSION 2 /* raised if the same lines would give another state */
#define SECONDS 2            /* from one write to the next, and .. */
#define SHARE 20             /* .. so many times as long as a write takes */

static const char title[] = "recallmodel sparse checkpoint\n", sum[] = "checksum ";
#define LAST_LINE (sizeof sum + 16) /* "checksum ", 16 digits, newline */

/* ---- the lines */

static void print_paths(FILE *file, const char *name, const struct tensor_paths *paths)
{
    for (size_t i = 0; i < paths->length; i++) {
        struct stat s = {0};
        stat(paths->items[i], &s);
        fprintf(file, "%s %s, %jd bytes, written at %jd.%09ld\n", name, paths->items[i],
                (intmax_t)s.st_size, (intmax_t)s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
    }
}

static void print_numbers(FILE *file, const char *name, const struct layer_list *list)
{
    fprintf(file, "%s%s", name, list->given ? "" : " default");
    for (size_t i = 0; i < list->length; i++)
        fprintf(file, " %" PRIu64, list->items[i]);
    fputc('\n', file);
}

static void print_options(FILE *file, const struct method_options *o)
{
    fprintf(file, "seed %" PRIu64 "\nsink %" PRIu32 "\nwindow %" PRIu32 "\n", o->seed,
            o->dense.sink, o->dense.window);
    fprintf(file, "assignment %d\n", (int)o->assignment);
    for (const struct method_option *row = method_option_rows; row->name; row++)
        fprintf(file, "%s %.17g\n", row->option + 2, method_option_value(o, row));
}

static void print_training(FILE *file, const struct train_settings *t)
{
    char *index[] = {(char *)t->index};
    fprintf(file, "train-steps %" PRIu64 "\ntrain-width %" PRIu64 "\ntrain-sample %" PRIu64 "\n",
            t->steps, t->width, t->sample);
    fprintf(file, "train-per %s\ntrain-residual %d\n", t->per_key_head ? "key" : "query",
            t->residual);
    for (int i = 0; i < TENSORS; i++)
        print_paths(file, "trained on", &t->paths[i].paths);
    print_paths(file, "index", &(struct tensor_paths){index, t->index != NULL});
}

static void print_parameters(FILE *file, const struct sparse_settings *s,
                             const struct evaluation_spec *spec)
{
    fprintf(file, "version %d\nmethods", CHECKPOINT_VERSION);
    for (size_t i = 0; i < spec->methods_length; i++)
        fprintf(file, " %s", spec->methods[i]->name);
    fputs("\nbudgets", file);
    for (size_t i = 0; i < spec->budgets_length; i++)
        fprintf(file, " %.17g", spec->budgets[i]);
    fputs("\nk", file);
    for (size_t i = 0; i < spec->k_length; i++)
        fprintf(file, " %" PRIu32, spec->k[i]);
    fputc('\n', file);
    print_options(file, &spec->options);
    fprintf(file, "per-head %d\nshare %d\nlast %" PRIu64 "\ndtype %d\n", s->per_head, s->share,
            s->last, (int)s->dtype);
    fprintf(file, "rope %.17g %d %d %.17g %.17g %.17g %.17g %.17g\n", s->rope.theta,
            (int)s->rope.pairing, (int)s->rope.scaling, s->rope.factor, s->rope.low, s->rope.high,
            s->rope.original, s->rope.attention_factor);
    print_numbers(file, "layers", &s->layers);
    print_numbers(file, "dense-layers", &s->dense_layers);
    for (int i = 0; i < TENSORS; i++)
        print_paths(file, tensor_name((enum tensor)i), &s->paths[i].paths);
    print_paths(file, "needles", &s->needles.paths);
    print_training(file, &s->train);
}

/* ---- reading */

/* A line "name LENGTH", and so many bytes. Moves *at behind them. */
static bool read_part(const char **at, const char *end, const char *name, const char **bytes,
                      size_t *length)
{
    const size_t letters = strlen(name);
    char *after;
    if ((size_t)(end - *at) < letters || strncmp(*at, name, letters) != 0)
        return false;
    *length = strtoull(*at + letters, &after, 10);
    if (after >= end || *after != '\n' || *length > (size_t)(end - after - 1))
        return false;
    *bytes = *length ? after + 1 : NULL;
    *at = after + 1 + *length;
    return true;
}

/* Is the file that was read one of this run? A status. */
static int check_file(struct sparse_checkpoint *c)
{
    static const char other[] = "recallmodel checkpoint\n";
    char difference[STATE_DIFFERENCE];
    const size_t body = c->length >= LAST_LINE ? c->length - LAST_LINE : 0;
    const char *at = c->file + sizeof title - 1, *end = c->file + body;
    if (c->length >= sizeof other - 1 && strncmp(c->file, other, sizeof other - 1) == 0)
        return usage_error("--checkpoint %s is one of simulate; give another file", c->path);
    if (c->length < sizeof title - 1 || strncmp(c->file, title, sizeof title - 1) != 0)
        return usage_error("--checkpoint %s is not a checkpoint of recallmodel sparse; give "
                           "another file",
                           c->path);
    if (body < sizeof title - 1 || strncmp(end, sum, sizeof sum - 1) != 0 ||
        strtoull(end + sizeof sum - 1, NULL, 16) != state_file_checksum(c->file, body))
        return usage_error("--checkpoint %s is damaged; remove it to start again", c->path);
    if (!state_file_match(c->parameters, &at, difference))
        return usage_error("--checkpoint %s is of another run: %s; give the same options, or "
                           "another file",
                           c->path, difference);
    if (!read_part(&at, end, "trained ", &c->trained, &c->trained_length) ||
        !read_part(&at, end, "state ", &c->state, &c->state_length) || at != end)
        return usage_error("--checkpoint %s is damaged; remove it to start again", c->path);
    return STATUS_OK;
}

int sparse_checkpoint_open(struct sparse_checkpoint *c, const struct sparse_settings *settings,
                           const struct evaluation_spec *spec)
{
    *c = (struct sparse_checkpoint){.path = settings->checkpoint};
    if (!c->path)
        return STATUS_OK;
    size_t length;
    FILE *lines = require_memory(open_memstream(&c->parameters, &length));
    print_parameters(lines, settings, spec);
    if (fclose(lines) != 0)
        require_memory(NULL);
    c->file = state_file_read(c->path, &c->length);
    if (c->file)
        return check_file(c);
    if (errno == ENOENT)
        return STATUS_OK;
    return usage_error("--checkpoint %s cannot be read: %s", c->path,
                       errno == 0 ? "it is not a regular file" : strerror(errno));
}

void sparse_checkpoint_close(struct sparse_checkpoint *c)
{
    free(c->parameters);
    free(c->file);
    *c = (struct sparse_checkpoint){0};
}

/* ---- writing */

/* All of the file but its last line. The caller frees it. */
static char *file_of(const struct sparse_checkpoint *c, const void *state, size_t state_length,
                     size_t *length)
{
    char *bytes = NULL, *trained = NULL;
    size_t trained_length = 0;
    if (c->keeps)
        trained = trained_bytes(c->keeps, &trained_length);
    FILE *file = require_memory(open_memstream(&bytes, length));
    fprintf(file, "%s%strained %zu\n", title, c->parameters, trained_length);
    if (trained)
        fwrite(trained, 1, trained_length, file);
    fprintf(file, "state %zu\n", state_length);
    if (state_length)
        fwrite(state, 1, state_length, file);
    if (fflush(file) == 0)
        fprintf(file, "%s%016" PRIx64 "\n", sum, state_file_checksum(bytes, *length));
    if (fclose(file) != 0)
        require_memory(NULL);
    free(trained);
    return bytes;
}

static int write_bytes(struct sparse_checkpoint *c, const char *bytes, size_t length,
                       struct message error)
{
    const double start = clock_seconds();
    const int status = state_file_write(c->path, bytes, length);
    if (status != 0)
        message_set(error, "--checkpoint %s cannot be written: %s", c->path, strerror(errno));
    const double now = clock_seconds(), pause = SHARE * (now - start);
    c->next = now + (pause > SECONDS ? pause : SECONDS);
    return status;
}

/* A keeper of evaluate.h. */
static int keep(void *context, const void *state, size_t length, struct message error)
{
    struct sparse_checkpoint *c = context;
    size_t all;
    char *bytes = file_of(c, state, length, &all);
    const int status = write_bytes(c, bytes, all, error);
    free(bytes);
    return status;
}

static bool is_due(void *context)
{
    return sparse_checkpoint_due(context);
}

bool sparse_checkpoint_due(const struct sparse_checkpoint *c)
{
    return c->path && clock_seconds() >= c->next;
}

int sparse_checkpoint_write(struct sparse_checkpoint *c)
{
    char error[800];
    if (!c->path || keep(c, c->state, c->state_length, MESSAGE(error)) == 0)
        return STATUS_OK;
    usage_error("%s", error);
    return STATUS_FAILED;
}

int sparse_checkpoint_start(struct sparse_checkpoint *c, struct trained *trained)
{
    char error[800];
    if (!c->path)
        return STATUS_OK;
    if (c->trained && trained_parse(trained, c->trained, c->trained_length, MESSAGE(error)) != 0)
        return usage_error("--checkpoint %s: what was trained %s", c->path, error);
    c->keeps = trained;
    if (!c->file)
        return sparse_checkpoint_write(c);
    if (write_bytes(c, c->file, c->length, MESSAGE(error)) == 0)
        return STATUS_OK;
    usage_error("%s", error);
    return STATUS_FAILED;
}

const struct evaluation_keeper *sparse_checkpoint_keeper(struct sparse_checkpoint *c)
{
    c->keeper = (struct evaluation_keeper){
        .state = c->state, .length = c->state_length, .due = is_due, .keep = keep, .context = c};
    return c->path ? &c->keeper : NULL;
}
