/* checkpoint.c - see checkpoint.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/files/state_file.h>
#include <base/text.h>

/* Raised if the same spec would count something else than before. */
#define CHECKPOINT_VERSION 2

/* ---- the parameters, a line each: name and value */

static void print_shapes(FILE *file, const struct sim_spec *spec)
{
    fputs("shapes", file);
    for (size_t i = 0; i < spec->shapes; i++)
        fprintf(file, " %s:%" PRIu64 ":%" PRIu64, sim_assignment_name(spec->shape[i].assignment),
                spec->shape[i].b, spec->shape[i].k_b);
    if (spec->deal > 1)
        fprintf(file, " deal:%" PRIu64, spec->deal);
    fputc('\n', file);
}

/* A blank, and the number with the fewest digits from 15 on that read back as the same. */
static void print_real(FILE *file, double value)
{
    char text[48];
    for (int digits = 15; digits <= 17; digits++) {
        text_of_digits(text, digits, value);
        if (text_number(text) == value)
            break;
    }
    fprintf(file, " %s", text);
}

static void print_rope(FILE *file, const struct sim_rope *rope)
{
    fputs("rope", file);
    print_real(file, rope->theta);
    fprintf(file, " head_dim %u share", rope->head_dim);
    print_real(file, rope->share);
    fputs(rope->weights ? " weights" : " spread", file);
    for (size_t i = 0; i < rope->weights; i++)
        print_real(file, rope->weight[i]);
    if (!rope->weights)
        print_real(file, rope->spread);
    fputc('\n', file);
}

static void print_parameters(FILE *file, const struct sim_spec *spec)
{
    fprintf(file, "version %d\n", CHECKPOINT_VERSION);
    fprintf(file, "n %" PRIu64 "\nk %" PRIu64 "\nvalid %" PRIu64 "\n", spec->n, spec->k,
            spec->valid);
    if (spec->length)
        fprintf(
            file, "lengths %zu, fingerprint %016" PRIx64 "\n", spec->lengths,
            state_file_checksum((const char *)spec->length, spec->lengths * sizeof *spec->length));
    fprintf(file, "seed %" PRIu64 "\nrepetitions %" PRIu64 "\n", spec->seed, spec->repetitions);
    fprintf(file, "input %s\n", sim_input_name(spec->input));
    if (spec->input == SIM_FILE)
        fprintf(file, "file %s\nsize %" PRIu64 " bytes\ndtype %s\nfile written at %" PRIu64 " ns\n",
                spec->name ? spec->name : "", spec->file->size, sim_dtype_name(spec->file->dtype),
                spec->file->modified_ns);
    if (spec->input == SIM_FILE && spec->file->mask_below > -INFINITY) {
        fputs("mask_below", file);
        print_real(file, spec->file->mask_below);
        fputc('\n', file);
    }
    if (spec->input == SIM_ROPE)
        print_rope(file, spec->rope ? spec->rope : &sim_rope_default);
    if (spec->groups)
        fprintf(file, "groups %zu, fingerprint %016" PRIx64 "\n", spec->groups->groups,
                spec->groups->identity);
    fputs("rho", file);
    for (size_t i = 0; i < spec->rhos; i++)
        print_real(file, spec->rho[i]);
    fputs("\nshuffle", file);
    for (size_t i = 0; i < spec->shuffles; i++)
        fprintf(file, " %s", sim_shuffle_name(spec->shuffle[i]));
    fputs("\nranks", file);
    for (size_t i = 0; i < spec->ranks; i++)
        fprintf(file, " %" PRIu64, spec->rank[i]);
    fprintf(file, "\nreaching %s", spec->reaching ? "yes" : "no");
    fputs("\ntemperature", file);
    if (spec->weights)
        print_real(file, spec->temperature);
    else
        fputs(" none", file);
    if (spec->probabilities)
        fputs(" of probabilities", file);
    fputc('\n', file);
    print_shapes(file, spec);
}

/* ---- saving */

/* The whole checkpoint; the caller frees it. NULL if memory runs out. */
static char *checkpoint_text(const struct simulation *simulation, size_t *length)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, length);
    if (!file)
        return NULL;
    fputs("recallmodel checkpoint\n", file);
    print_parameters(file, &simulation->spec);
    fprintf(file, "done %" PRIx64 "\n", simulation->done);
    tallies_print(file, &simulation->total);
    if (fflush(file) == 0)
        fprintf(file, "checksum %016" PRIx64 "\n", state_file_checksum(text, *length));
    if (fclose(file) == 0)
        return text;
    free(text);
    return NULL;
}

int checkpoint_save(const struct simulation *simulation, struct message error)
{
    const char *path = simulation->spec.checkpoint;
    size_t length = 0;
    char *text = checkpoint_text(simulation, &length);
    if (!text)
        return message_set(error, "out of memory while the checkpoint was written");
    const int status = state_file_write(path, text, length);
    if (status != 0)
        message_set(error, MEMBER "checkpoint %s cannot be written: %s", path, strerror(errno));
    free(text);
    return status;
}

/* ---- loading */

/* Does the text behind the title begin with this version? If it begins with no version at all,
 * match_parameters() says so. */
static bool match_version(const char *text, const char *path, struct message error)
{
    static const char name[] = "version ";
    long theirs =
        strncmp(text, name, sizeof name - 1) == 0 ? strtol(text + sizeof name - 1, NULL, 10) : -1;
    if (theirs == CHECKPOINT_VERSION || theirs < 0)
        return true;
    message_set(error,
                MEMBER "checkpoint %s is of another version of recallmodel (format %ld, not %d); "
                       "remove it to start again",
                path, theirs, CHECKPOINT_VERSION);
    return false;
}

/* Moves *text behind the parameters if they are those of this simulation. Returns 0; otherwise one
 * line is in `error`: SIM_REFUSED if a parameter differs, -1 if memory runs out. */
static int match_parameters(const struct simulation *simulation, const char **text,
                            struct message error)
{
    char *own = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&own, &length);
    if (file)
        print_parameters(file, &simulation->spec);
    if (!file || fclose(file) != 0) {
        free(own);
        return message_set(error, "out of memory while the checkpoint was read");
    }
    char difference[STATE_DIFFERENCE];
    const bool same = state_file_match(own, text, difference);
    if (!same)
        message_set(error,
                    MEMBER "checkpoint %s is of another simulation: %s; give the same options, or "
                           "another file",
                    simulation->spec.checkpoint, difference);
    free(own);
    return same ? 0 : SIM_REFUSED;
}

/* Reads what was done and the tallies: all of the text up to `end`. */
static bool read_state(struct simulation *simulation, const char *text, const char *end)
{
    static const char done[] = "done ";
    char *at;
    if (strncmp(text, done, sizeof done - 1) != 0)
        return false;
    simulation->done = strtoull(text + sizeof done - 1, &at, 16);
    text = at + (*at == '\n');
    return simulation->done <= simulation->spec.repetitions &&
           tallies_add_text(&simulation->total, simulation->spec.k, &text) && text == end;
}

/* As checkpoint_load(), from the bytes of the file. */
static int read_checkpoint(struct simulation *simulation, const char *text, size_t length,
                           struct message error)
{
    static const char title[] = "recallmodel checkpoint\n", sum[] = "checksum ";
    const char *path = simulation->spec.checkpoint;
    const size_t last_line = sizeof sum + 16; /* "checksum ", 16 digits, newline */
    const size_t body = length >= last_line ? length - last_line : 0;
    char want[40];
    snprintf(want, sizeof want, "%s%016" PRIx64 "\n", sum, state_file_checksum(text, body));
    bool damaged = false;
    int status = SIM_REFUSED;
    if (length < sizeof title - 1 || strncmp(text, title, sizeof title - 1) != 0) {
        message_set(error,
                    MEMBER "checkpoint %s is not a checkpoint of recallmodel; give another file",
                    path);
    } else if (strncmp(text + body, want, last_line) != 0) {
        damaged = true;
    } else if (match_version(text + sizeof title - 1, path, error)) {
        const char *at = text + sizeof title - 1;
        status = match_parameters(simulation, &at, error);
        damaged = status == 0 && !read_state(simulation, at, text + body);
    }
    if (damaged)
        message_set(error, MEMBER "checkpoint %s is damaged; remove it to start again", path);
    return damaged ? SIM_REFUSED : status;
}

int checkpoint_load(struct simulation *simulation, struct message error)
{
    const char *path = simulation->spec.checkpoint;
    size_t length = 0;
    char *text = state_file_read(path, &length);
    if (!text && errno == ENOENT)
        return 0;
    if (!text) {
        const int status = errno == ENOMEM ? -1 : SIM_REFUSED;
        message_set(error, MEMBER "checkpoint %s cannot be read: %s", path,
                    errno == 0 ? "it is not a regular file" : strerror(errno));
        return status;
    }
    const int status = read_checkpoint(simulation, text, length, error);
    free(text);
    return status;
}
