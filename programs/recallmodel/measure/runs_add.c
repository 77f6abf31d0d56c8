/* runs_add.c - see runs_add.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "runs_add.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <base/files/atomic_file.h>
#include <base/memory.h>
#include <base/text.h>
#include <calibrate/runs/runs.h>
#include <model/recallmodel/cost.h>
#include <programs/common/error.h>
#include <programs/common/runs_folder.h>

#include <programs/recallmodel/command.h>
#include "runs_check.h"

#define ENOUGH 8 /* runs for a profile */
#define ANSWER 200

/* FOLDER/FILE of a to z, 0 to 9 and -: what check_runs.py asks of a name. */
static bool is_name(const char *name)
{
    const char *slash = strchr(name, '/');
    if (!slash || slash == name || *name == '-' || !slash[1] || strchr(slash + 1, '/') ||
        strlen(name) > 60)
        return false;
    for (; *name; name++)
        if (!islower((unsigned char)*name) && !isdigit((unsigned char)*name) && *name != '-' &&
            *name != '/')
            return false;
    return true;
}

static bool has(const struct csv *csv, const char *column)
{
    return csv_column(csv, column) < csv->columns;
}

/* Of those that a run must have; NULL: none. */
static const char *missing_column(const struct csv *csv)
{
    return !has(csv, "n")                         ? "n"
           : !has(csv, "k")                       ? "k"
           : has(csv, "b") && !has(csv, "k_b")    ? "k_b"
           : has(csv, "k_b") && !has(csv, "b")    ? "b"
           : runs_time_column(csv) < csv->columns ? NULL
                                                  : "time_us_median";
}

/* What an option says, or else what is typed at a terminal. NULL after one line on stderr. */
static const char *said(const char *given, const char *option, const char *question,
                        char answer[ANSWER])
{
    if (given)
        return given;
    if (isatty(STDIN_FILENO)) {
        fprintf(stderr, "%s ", question);
        if (fgets(answer, ANSWER, stdin)) {
            answer[strcspn(answer, "\n")] = '\0';
            if (*answer)
                return answer;
        }
    }
    usage_error("--add needs %s: %s", option, question);
    return NULL;
}

/* ---- files */

/* A file that an addition writes: what it had, and what it gets. */
struct change {
    char path[RUNS_PATH + 100];
    bool was_there;
    char *old, *bytes;
    size_t old_length, length;
};

enum { ROWS, SOURCE, INDEX, CHANGES }; /* the index last: what it does not name was not added */

static int fail(const char *path)
{
    usage_error("--add: %.200s: %s; nothing was added", path, strerror(errno));
    return STATUS_FAILED;
}

/* Reads what the file has. Returns a status. */
static int read_old(struct change *change)
{
    FILE *file = fopen(change->path, "r");
    if (!file && errno != ENOENT)
        return fail(change->path);
    FILE *to = require_memory(open_memstream(&change->old, &change->old_length));
    change->was_there = file;
    for (int byte; file && (byte = getc(file)) != EOF;)
        putc(byte, to);
    if (file)
        fclose(file);
    fclose(to);
    return STATUS_OK;
}

/* What SOURCE has, and a section for this file unless an addition that was killed left it there. */
static void put_source(FILE *file, const struct change *change, const struct runs_add *add)
{
    char *section;
    size_t length;
    FILE *to = require_memory(open_memstream(&section, &length));
    fprintf(to, "%s on %s.\nSource      %s\nLicence     %s\n\n%s  %s\n", add->what, add->device,
            add->source, add->licence, strchr(add->name, '/') + 1, add->what);
    fclose(to);
    fwrite(change->old, 1, change->old_length, file);
    if (!strstr(change->old, section))
        fprintf(file, "%s%s", change->old_length > 0 ? "\n" : "", section);
    free(section);
}

/* The index as it is, and one line more. */
static void put_index(FILE *file, const struct runs_index *index, const struct csv *csv,
                      const struct runs_add *add)
{
    const char *const fields[RUNS_COLUMNS] = {
        [RUNS_NAME] = add->name,   [RUNS_WHAT] = add->what,       [RUNS_DEVICE] = add->device,
        [RUNS_DTYPE] = add->dtype, [RUNS_LICENCE] = add->licence, [RUNS_STATISTIC] = add->statistic,
        [RUNS_CACHE] = add->cache, [RUNS_LAUNCH] = add->launch};
    csv_write_rows(file, &index->csv);
    for (unsigned i = 0; i < RUNS_COLUMNS; i++) {
        if (i == RUNS_ROWS)
            fprintf(file, "%zu", csv->rows);
        else
            csv_write(file, fields[i] ? fields[i] : "");
        putc(i + 1 < RUNS_COLUMNS ? ',' : '\n', file);
    }
}

static int plan_changes(struct change changes[CHANGES], const struct runs_index *index,
                        const struct csv *csv, const struct runs_add *add)
{
    const int folder = (int)strcspn(add->name, "/");
    const size_t size = sizeof changes->path;
    snprintf(changes[ROWS].path, size, "%.3900s/%s.csv", index->folder, add->name);
    snprintf(changes[SOURCE].path, size, "%.3900s/%.*s/SOURCE", index->folder, folder, add->name);
    snprintf(changes[INDEX].path, size, "%.3900s/index.csv", index->folder);
    for (unsigned i = 0; i < CHANGES; i++) {
        if (read_old(&changes[i]) != STATUS_OK)
            return STATUS_FAILED;
        FILE *file = require_memory(open_memstream(&changes[i].bytes, &changes[i].length));
        if (i == ROWS)
            csv_write_rows(file, csv);
        else if (i == SOURCE)
            put_source(file, &changes[i], add);
        else
            put_index(file, index, csv, add);
        fclose(file);
    }
    return STATUS_OK;
}

/* Writes all files, or leaves all as they were. Returns a status. */
static int make_changes(struct change changes[CHANGES])
{
    unsigned i = 0;
    while (i < CHANGES &&
           atomic_file_write(changes[i].path, changes[i].bytes, changes[i].length) == 0)
        i++;
    if (i == CHANGES)
        return STATUS_OK;
    const int status = fail(changes[i].path);
    while (i-- > 0)
        if (!changes[i].was_there)
            unlink(changes[i].path);
        else if (atomic_file_write(changes[i].path, changes[i].old, changes[i].old_length) != 0)
            fail(changes[i].path);
    return status;
}

/* ---- the profile */

static int fit(const struct runs_add *add, const struct csv *csv, const char *profile)
{
    char name[80];
    snprintf(name, sizeof name, "%s", add->name);
    *strchr(name, '/') = '_';
    if (csv->rows < ENOUGH) {
        printf("%zu runs are too few for a profile; %d are enough\n", csv->rows, ENOUGH);
        return STATUS_OK;
    }
    if (command_calibrate.missing) {
        printf("No profile: %s\n", command_calibrate.missing);
        return STATUS_OK;
    }
    const char *arguments[] = {add->name,   "--kernel", has(csv, "b") ? "generic" : "exact",
                               "--name",    name,       "--device",
                               add->device, "--source", add->source,
                               "--dtype",   add->dtype, "-o",
                               profile};
    return command_calibrate.run((int)(sizeof arguments / sizeof *arguments), (char **)arguments);
}

/* Adds what is complete, unless there are runs with its name. Nobody else adds meanwhile. */
static int add_locked(const struct runs_index *index, const struct csv *csv,
                      const struct runs_add *add)
{
    struct change changes[CHANGES] = {0};
    char folder[RUNS_PATH], hint[RUNS_HINT];
    if (runs_index_find(index, add->name, hint) < index->csv.rows)
        return usage_error("--as %s exists already; give another name", add->name);
    snprintf(folder, sizeof folder, "%.3900s/%.*s", index->folder, (int)strcspn(add->name, "/"),
             add->name);
    const bool made = mkdir(folder, 0777) == 0;
    if (!made && errno != EEXIST)
        return fail(folder);
    int status = plan_changes(changes, index, csv, add);
    /* what an addition that was killed left is equal */
    const struct change *rows = &changes[ROWS];
    if (status == STATUS_OK)
        status = rows->was_there && (rows->old_length != rows->length ||
                                     memcmp(rows->old, rows->bytes, rows->length) != 0)
                     ? usage_error("--as %s: %.200s exists already; give another name", add->name,
                                   rows->path)
                     : make_changes(changes);
    for (unsigned i = 0; i < CHANGES; i++) {
        free(changes[i].old);
        free(changes[i].bytes);
    }
    if (status != STATUS_OK && made)
        rmdir(folder);
    return status;
}

static int add_to_folder(const struct csv *csv, const struct runs_add *add,
                         struct runs_index *index)
{
    char error[CSV_ERROR];
    if (runs_index_read(index, MESSAGE(error)) != 0)
        return usage_error("%s", error);
    const int lock = open(index->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int status = lock >= 0 && flock(lock, LOCK_EX) == 0 ? STATUS_OK : fail(index->folder);
    runs_index_free(index); /* another addition may have ended meanwhile */
    if (status == STATUS_OK)
        status = runs_index_read(index, MESSAGE(error)) == 0 ? add_locked(index, csv, add)
                                                             : usage_error("%s", error);
    if (lock >= 0)
        close(lock);
    return status;
}

static int add_complete(const struct csv *csv, const struct runs_add *add)
{
    char path[RUNS_PATH + 100];
    struct runs_index index = {0};
    const int status = add_to_folder(csv, add, &index);
    if (status == STATUS_OK) {
        printf("%s: %zu rows added to %s\n", add->name, csv->rows, index.folder);
        snprintf(path, sizeof path, "%.3900s/%s.profile", index.folder, add->name);
        if (fit(add, csv, path) != STATUS_OK)
            fputs("recallmodel: the runs were added, without a profile\n", stderr);
    }
    runs_index_free(&index);
    return status;
}

/* What the columns say was timed. */
static const char *what_of(const struct csv *csv)
{
    return has(csv, "b") ? "time of both stages" : "time of exact top-k";
}

/* One line each, without what a file of text cannot hold; and the type must be known. */
static int check_texts(const struct runs_add *add)
{
    const char *texts[] = {add->device,    add->source, add->licence, add->what,
                           add->statistic, add->cache,  add->launch};
    enum rcm_dtype dtype;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i] && (!text_is_plain(texts[i]) || strlen(texts[i]) > ANSWER))
            return usage_error(
                "--add: give texts of one line, in UTF-8 and of at most %d bytes each", ANSWER);
    if (add->statistic && *add->statistic && strcmp(add->statistic, "median") != 0 &&
        strcmp(add->statistic, "mean") != 0)
        return usage_error("--statistic '%.20s' is not known; give median or mean", add->statistic);
    return rcm_dtype_by_name(add->dtype, &dtype)
               ? STATUS_OK
               : usage_error("--add: the type '%.20s' is not known; give f32, f16 or bf16",
                             add->dtype);
}

/* Each row needs n, k and a time. Returns a status. */
static int check_filled(const struct runs_add *add, const struct csv *csv)
{
    const size_t columns[3] = {csv_column(csv, "n"), csv_column(csv, "k"), runs_time_column(csv)};
    for (size_t row = 0; row < csv->rows; row++)
        for (size_t i = 0; i < 3; i++)
            if (!*csv_field(csv, row, columns[i]))
                return usage_error("%.150s:%zu: n, k or the time is empty", add->file,
                                   csv->lines[row + 1]);
    return csv->rows ? STATUS_OK : usage_error("--add: %.150s has no rows", add->file);
}

/* Fills in what the columns say, and asks for what is still missing. Returns a status. */
static int complete(struct runs_add *add, const struct csv *csv, char answers[4][ANSWER])
{
    const char *missing = missing_column(csv);
    if (missing)
        return usage_error("--add: %.150s has no column %s; the columns of runs are those of "
                           "recallmodel runs keyetal/exact",
                           add->file, missing);
    if (has(csv, "dtype"))
        add->dtype = csv->rows ? csv_field(csv, 0, csv_column(csv, "dtype")) : "";
    add->what = add->what ? add->what : what_of(csv);
    const struct {
        const char **to, *option, *question;
    } needed[] = {
        {&add->dtype, "--dtype", "which type do the values have, such as f16?"},
        {&add->device, "--device", "which card, such as H100-SXM?"},
        {&add->source, "--source", "who measured it, where and with what?"},
        {&add->licence, "--licence", "under which licence, such as Apache-2.0?"},
    };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!(*needed[i].to =
                  said(*needed[i].to, needed[i].option, needed[i].question, answers[i])))
            return STATUS_USAGE;
    const int status = check_texts(add);
    if (status != STATUS_OK)
        return status;
    size_t others;
    const struct rcm_device *device = rcm_device_meant(add->device, NULL, 0, &others);
    if (others > 0)
        return usage_error("--device '%.60s' may mean several cards; give one of the names that "
                           "recallmodel devices lists",
                           add->device);
    add->device = device ? device->name : add->device;
    if (check_filled(add, csv) != STATUS_OK)
        return STATUS_USAGE;
    return runs_faults(csv, add->device, add->dtype, stderr) > 0
               ? usage_error("--add: %.150s has the faults above; nothing was added", add->file)
               : STATUS_OK;
}

int runs_add(const struct runs_add *given, const struct question *question)
{
    struct runs_add add = *given;
    struct question asked = *question;
    char answers[4][ANSWER], notes[TIMINGS_NOTES];
    struct csv csv;
    if (!is_name(add.name))
        return usage_error("--add needs a name, --as FOLDER/FILE, of a to z, 0 to 9 and -, such as "
                           "mine/exact-h100");
    asked.dtype.given = add.dtype && rcm_dtype_by_name(add.dtype, &asked.dtype.type);
    if (read_timings(add.file, &asked, &csv, notes) != STATUS_OK)
        return STATUS_USAGE;
    int status = complete(&add, &csv, answers);
    if (status == STATUS_OK)
        print_notes(add.file, notes);
    if (status == STATUS_OK)
        status = add_complete(&csv, &add);
    csv_free(&csv);
    return status;
}
