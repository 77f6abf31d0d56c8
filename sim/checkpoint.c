/* checkpoint.c - the state of a simulation as a text file, written so that a kill at any moment
 * leaves the old or the new one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "simulation.h"

/* Raised when the same spec would count something else. */
#define CHECKPOINT_VERSION 2

static int fail(char *error, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int fail(char *error, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, size, format, arguments);
    va_end(arguments);
    return -1;
}

/* ---- the parameters, a line each: name and value */

static void print_shapes(FILE *file, const struct sim_spec *spec)
{
    fputs("shapes", file);
    for (size_t i = 0; i < spec->shapes; i++)
        fprintf(file, " %s:%" PRIu64 ":%" PRIu64, sim_assignment_name(spec->shape[i].assignment),
                spec->shape[i].b, spec->shape[i].k_b);
    fputc('\n', file);
}

/* A blank and the shortest decimal that reads back as the same. */
static void print_real(FILE *file, double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fprintf(file, " %s", text);
}

static void print_parameters(FILE *file, const struct sim_spec *spec)
{
    fprintf(file, "version %d\n", CHECKPOINT_VERSION);
    fprintf(file, "n %" PRIu64 "\nk %" PRIu64 "\nvalid %" PRIu64 "\n", spec->n, spec->k,
            spec->valid);
    fprintf(file, "seed %" PRIu64 "\nrepetitions %" PRIu64 "\n", spec->seed, spec->repetitions);
    fprintf(file, "input %s\n", sim_input_name(spec->input));
    if (spec->input == SIM_FILE)
        fprintf(file, "file %s\nsize %" PRIu64 " bytes\ndtype %s\nfile written at %" PRIu64 " ns\n",
                spec->name ? spec->name : "", spec->file->size, sim_dtype_name(spec->file->dtype),
                spec->file->modified_ns);
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
    fputc('\n', file);
    print_shapes(file, spec);
}

static uint64_t checksum(const char *bytes, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

void sums_print(FILE *file, const struct simulation *simulation, const struct sums *sums)
{
    for (size_t i = 0; i < simulation->spec.rhos; i++)
        row_tally_print(file, &sums->rows[i]);
    for (size_t i = 0; i < simulation->results; i++)
        tally_print(file, &sums->results[i], simulation->spec.ranks);
}

bool sums_add_text(const struct simulation *simulation, struct sums *sums, const char **text)
{
    bool good = true;
    for (size_t i = 0; i < simulation->spec.rhos && good; i++) {
        struct row_tally rows = {0};
        good = row_tally_parse(text, &rows);
        if (good)
            row_tally_merge(&sums->rows[i], &rows);
    }
    for (size_t i = 0; i < simulation->results && good; i++) {
        struct tally tally = {.survived = calloc(simulation->spec.ranks + 1, sizeof(uint64_t))};
        good = tally.survived &&
               tally_parse(text, &tally, simulation->spec.ranks, simulation->spec.k) &&
               tally_merge(&sums->results[i], &tally, simulation->spec.ranks);
        tally_free(&tally);
    }
    return good;
}

/* ---- saving */

/* The whole checkpoint; the caller frees it. NULL when memory runs out. */
static char *checkpoint_text(const struct simulation *simulation, size_t *length)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, length);
    if (!file)
        return NULL;
    fputs("recallmodel checkpoint\n", file);
    print_parameters(file, &simulation->spec);
    fprintf(file, "done %" PRIx64 "\n", simulation->done);
    sums_print(file, simulation, &simulation->total);
    if (fflush(file) == 0)
        fprintf(file, "checksum %016" PRIx64 "\n", checksum(text, *length));
    if (fclose(file) == 0)
        return text;
    free(text);
    return NULL;
}

/* Writes a new file, forces it to the disk, and gives it the name. */
static int replace_file(const char *path, const char *temporary, const char *text, size_t length)
{
    FILE *file = fopen(temporary, "w");
    if (!file)
        return -1;
    int failed =
        fwrite(text, 1, length, file) != length || fflush(file) != 0 || fsync(fileno(file)) != 0;
    int reason = errno;
    if (fclose(file) != 0 && !failed) {
        failed = 1;
        reason = errno;
    }
    if (!failed && rename(temporary, path) == 0)
        return 0;
    reason = failed ? reason : errno;
    unlink(temporary);
    errno = reason;
    return -1;
}

int checkpoint_save(const struct simulation *simulation, char *error, size_t size)
{
    const char *path = simulation->spec.checkpoint;
    size_t length = 0, temporary_size = strlen(path) + 8;
    char *text = checkpoint_text(simulation, &length), *temporary = malloc(temporary_size);
    int status = -1;
    if (!text || !temporary) {
        fail(error, size, "out of memory while the checkpoint was written");
    } else {
        snprintf(temporary, temporary_size, "%s.new", path);
        status = replace_file(path, temporary, text, length);
        if (status != 0)
            fail(error, size, "--checkpoint %s cannot be written: %s", path, strerror(errno));
    }
    free(text);
    free(temporary);
    return status;
}

/* ---- loading */

/* The file's bytes with a 0 behind; NULL with errno, which is EINVAL where it is no regular file.
 */
static char *read_file(const char *path, size_t *length)
{
    struct stat status;
    char *text = NULL;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe is not waited for */
    if (descriptor < 0)
        return NULL;
    errno = 0;
    if (fstat(descriptor, &status) == 0 && !S_ISREG(status.st_mode))
        errno = EINVAL;
    FILE *file = errno ? NULL : fdopen(descriptor, "r");
    if (file && (text = malloc((size_t)status.st_size + 1))) {
        *length = fread(text, 1, (size_t)status.st_size, file);
        text[*length] = '\0';
        if (ferror(file)) {
            free(text);
            text = NULL;
        }
    }
    int reason = errno;
    if (file)
        fclose(file);
    else
        close(descriptor);
    errno = reason;
    return text;
}

/* Is the checkpoint one of this version? */
static int check_version(const struct simulation *simulation, const char *text, char *error,
                         size_t size)
{
    static const char name[] = "version ";
    long theirs =
        strncmp(text, name, sizeof name - 1) == 0 ? strtol(text + sizeof name - 1, NULL, 10) : -1;
    if (theirs == CHECKPOINT_VERSION || theirs < 0)
        return 0;
    fail(error, size,
         "--checkpoint %s is of another version of recallmodel (format %ld, not %d); "
         "remove it to start again",
         simulation->spec.checkpoint, theirs, CHECKPOINT_VERSION);
    return SIM_REFUSED;
}

/* Passes the parameters where they are those of this simulation; otherwise says which is not. */
static int check_parameters(const struct simulation *simulation, const char **text, char *error,
                            size_t size)
{
    char *own = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&own, &length);
    const char *path = simulation->spec.checkpoint;
    if (!file)
        return fail(error, size, "out of memory while the checkpoint was read");
    print_parameters(file, &simulation->spec);
    if (fclose(file) != 0) {
        free(own);
        return fail(error, size, "out of memory while the checkpoint was read");
    }
    const char *ours = own, *theirs = *text;
    while (*ours) {
        size_t our_length = strcspn(ours, "\n"), their_length = strcspn(theirs, "\n");
        if (our_length != their_length || strncmp(ours, theirs, our_length) != 0) {
            /* Of a long line, the name and from a little before the difference on. */
            size_t name = strcspn(ours, " \n") + 1, from = 0;
            while (from < our_length && from < their_length && ours[from] == theirs[from])
                from++;
            from = from > name + 20 ? from - 20 : 0;
            const char *gap = from ? ".." : "";
            size_t ours_shown = our_length - from, theirs_shown = their_length - from;
            fail(error, size,
                 "--checkpoint %s is of another simulation: it has '%.*s%s%.*s', not '%.*s%s%.*s'; "
                 "give the same options, or another file",
                 path, from ? (int)name : 0, ours, gap, theirs_shown < 60 ? (int)theirs_shown : 60,
                 theirs + from, from ? (int)name : 0, ours, gap,
                 ours_shown < 60 ? (int)ours_shown : 60, ours + from);
            free(own);
            return SIM_REFUSED;
        }
        ours += our_length + 1;
        theirs += their_length + (theirs[their_length] == '\n');
    }
    free(own);
    *text = theirs;
    return 0;
}

int checkpoint_load(struct simulation *simulation, char *error, size_t size)
{
    static const char title[] = "recallmodel checkpoint\n", done[] = "done ", sum[] = "checksum ";
    const char *path = simulation->spec.checkpoint, *at;
    size_t length = 0;
    errno = 0;
    char *text = read_file(path, &length);
    if (!text && errno == ENOENT)
        return 0;
    int status = errno == ENOMEM ? -1 : SIM_REFUSED;
    if (!text) {
        fail(error, size, "--checkpoint %s cannot be read: %s", path,
             errno == EINVAL ? "it is not a regular file" : strerror(errno));
        return status;
    }
    status = SIM_REFUSED;
    size_t body = length >= sizeof sum + 16 ? length - (sizeof sum + 16)
                                            : 0; /* "checksum ", 16 digits, newline */
    if (length < sizeof title - 1 || strncmp(text, title, sizeof title - 1) != 0) {
        fail(error, size, "--checkpoint %s is no checkpoint of recallmodel; give another file",
             path);
    } else if (strncmp(text + body, sum, sizeof sum - 1) != 0 ||
               strtoull(text + body + sizeof sum - 1, NULL, 16) != checksum(text, body)) {
        fail(error, size, "--checkpoint %s is damaged; remove it to start again", path);
    } else {
        at = text + sizeof title - 1;
        status = check_version(simulation, at, error, size);
        if (status == 0)
            status = check_parameters(simulation, &at, error, size);
        if (status == 0) {
            char *end;
            status = SIM_REFUSED;
            if (strncmp(at, done, sizeof done - 1) == 0) {
                simulation->done = strtoull(at + sizeof done - 1, &end, 16);
                at = end + (*end == '\n');
                if (simulation->done <= simulation->spec.repetitions &&
                    sums_add_text(simulation, &simulation->total, &at) && at == text + body)
                    status = 0;
            }
            if (status != 0)
                fail(error, size, "--checkpoint %s is damaged; remove it to start again", path);
        }
    }
    free(text);
    return status;
}
