/* runs_add.c - see runs_add.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "runs_add.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <base/files/atomic_file.h>
#include <base/memory.h>
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

/* A text that grows: the whole of a file. */
struct text {
    char *bytes;
    size_t length;
};

static int write_text(const char *path, const struct text *text)
{
    return atomic_file_write(path, text->bytes, text->length) == 0
               ? STATUS_OK
               : usage_error("--add: %.200s cannot be written: %s", path, strerror(errno));
}

static int write_rows(const char *path, const struct csv *csv)
{
    struct text text = {0};
    FILE *file = require_memory(open_memstream(&text.bytes, &text.length));
    for (size_t row = 0; row <= csv->rows; row++)
        for (size_t i = 0; i < csv->columns; i++) {
            csv_write(file, csv->fields[row * csv->columns + i]);
            putc(i + 1 < csv->columns ? ',' : '\n', file);
        }
    fclose(file);
    const int status = write_text(path, &text);
    free(text.bytes);
    return status;
}

/* What is there, and a section for this file. */
static int write_source(const char *path, const struct runs_add *add)
{
    struct text text = {0};
    FILE *file = require_memory(open_memstream(&text.bytes, &text.length)), *old = fopen(path, "r");
    for (int byte; old && (byte = getc(old)) != EOF;)
        putc(byte, file);
    fprintf(file, "%s%s on %s.\nSource      %s\nLicence     %s\n\n%s  %s\n", old ? "\n" : "",
            add->what, add->device, add->source, add->licence, strchr(add->name, '/') + 1,
            add->what);
    if (old)
        fclose(old);
    fclose(file);
    const int status = write_text(path, &text);
    free(text.bytes);
    return status;
}

/* The index as it is, and one line more. */
static int write_index(const struct runs_index *index, const struct csv *csv,
                       const struct runs_add *add)
{
    char path[RUNS_PATH + 16];
    struct text text = {0};
    FILE *file = require_memory(open_memstream(&text.bytes, &text.length));
    for (size_t i = 0; i < (index->csv.rows + 1) * index->csv.columns; i++) {
        csv_write(file, index->csv.fields[i]);
        putc((i + 1) % index->csv.columns ? ',' : '\n', file);
    }
    const char *const fields[RUNS_COLUMNS] = {
        [RUNS_NAME] = add->name,   [RUNS_WHAT] = add->what,       [RUNS_DEVICE] = add->device,
        [RUNS_DTYPE] = add->dtype, [RUNS_LICENCE] = add->licence, [RUNS_STATISTIC] = add->statistic,
        [RUNS_CACHE] = add->cache, [RUNS_LAUNCH] = add->launch};
    for (unsigned i = 0; i < RUNS_COLUMNS; i++) {
        if (i == RUNS_ROWS)
            fprintf(file, "%zu", csv->rows);
        else
            csv_write(file, fields[i] ? fields[i] : "");
        putc(i + 1 < RUNS_COLUMNS ? ',' : '\n', file);
    }
    fclose(file);
    snprintf(path, sizeof path, "%s/index.csv", index->folder);
    const int status = write_text(path, &text);
    free(text.bytes);
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

static int add_checked(const struct runs_index *index, const struct csv *csv,
                       const struct runs_add *add)
{
    char folder[RUNS_PATH], path[RUNS_PATH + 100];
    const size_t length = strcspn(add->name, "/");
    snprintf(folder, sizeof folder, "%.3900s/%.*s", index->folder, (int)length, add->name);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return usage_error("--add: %.200s: %s", folder, strerror(errno));
    snprintf(path, sizeof path, "%.3900s/%s.csv", index->folder, add->name);
    if (access(path, F_OK) == 0)
        return usage_error("--as %s: %.200s exists already; give another name", add->name, path);
    int status = write_rows(path, csv);
    snprintf(path, sizeof path, "%s/SOURCE", folder);
    if (status == STATUS_OK)
        status = write_source(path, add);
    if (status == STATUS_OK)
        status = write_index(index, csv, add);
    if (status != STATUS_OK)
        return status;
    printf("%s: %zu rows added to %s\n", add->name, csv->rows, index->folder);
    snprintf(path, sizeof path, "%.3900s/%s.profile", index->folder, add->name);
    if (fit(add, csv, path) != STATUS_OK)
        fputs("recallmodel: the runs were added, without a profile\n", stderr);
    return STATUS_OK;
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
        for (const char *at = texts[i] ? texts[i] : ""; *at; at++)
            if (iscntrl((unsigned char)*at) || at - texts[i] >= ANSWER)
                return usage_error("--add: give texts of one line and at most %d bytes each",
                                   ANSWER);
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

/* Adds what is complete, unless there are runs with its name. */
static int add_complete(const struct runs_add *add, const struct csv *csv)
{
    char error[CSV_ERROR], hint[RUNS_HINT];
    struct runs_index index;
    if (runs_index_read(&index, MESSAGE(error)) != 0)
        return usage_error("%s", error);
    const int status = runs_index_find(&index, add->name, hint) < index.csv.rows
                           ? usage_error("--as %s exists already; give another name", add->name)
                           : add_checked(&index, csv, add);
    runs_index_free(&index);
    return status;
}

int runs_add(const struct runs_add *given)
{
    struct runs_add add = *given;
    char error[CSV_ERROR], answers[4][ANSWER];
    struct csv csv;
    if (!is_name(add.name))
        return usage_error("--add needs a name, --as FOLDER/FILE, of a to z, 0 to 9 and -, such as "
                           "mine/exact-h100");
    if (csv_read(add.file, &csv, MESSAGE(error)) != 0)
        return usage_error("%s", error);
    int status = complete(&add, &csv, answers);
    if (status == STATUS_OK)
        status = add_complete(&add, &csv);
    csv_free(&csv);
    return status;
}
