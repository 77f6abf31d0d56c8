/* runs_folder.c - see runs_folder.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "runs_folder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nearest.h"

#define FOLDERS_UP 3 /* build/recallmodel, build/sanitize/recallmodel, build/gpu/tests/.. */

const char *const runs_index_columns[RUNS_COLUMNS] = {"name",   "rows",    "what",      "device",
                                                      "dtype",  "licence", "statistic", "cache",
                                                      "launch", "lengths"};

/* ---- the folder */

/* Joins the parts of a path. False if it is too long. */
static bool join(char path[RUNS_PATH], const char *folder, const char *rest)
{
    const int length = snprintf(path, RUNS_PATH, "%s/%s", folder, rest);
    return length > 0 && length < RUNS_PATH;
}

/* Is there an index in DIRECTORY/REST? Then that is the folder. */
static bool has_index(const char *directory, const char *rest, char folder[RUNS_PATH])
{
    char path[RUNS_PATH];
    return join(folder, directory, rest) && join(path, folder, "index.csv") &&
           access(path, F_OK) == 0;
}

/* Cuts the last part of a path off. False if none is left. */
static bool cut_last(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return false;
    *slash = '\0';
    return true;
}

/* The folder of the program that runs. */
static bool program_folder(char path[RUNS_PATH])
{
    const ssize_t length = readlink("/proc/self/exe", path, RUNS_PATH - 1);
    if (length <= 0 || length >= RUNS_PATH - 1)
        return false;
    path[length] = '\0';
    return cut_last(path);
}

/* Looks around the program. */
static bool folder_of_program(char folder[RUNS_PATH])
{
    char at[RUNS_PATH], above[RUNS_PATH];
    if (!program_folder(at))
        return false;
    if (has_index(at, "runs", folder))
        return true;
    memcpy(above, at, sizeof above);
    if (cut_last(above) && has_index(above, "share/recallmodel/runs", folder))
        return true;
    for (int up = 0; up < FOLDERS_UP && cut_last(at); up++)
        if (has_index(at, "runs", folder))
            return true;
    return false;
}

static int find_folder(char folder[RUNS_PATH], struct message error)
{
    const char *given = getenv(RUNS_FOLDER_VARIABLE);
    char path[RUNS_PATH];
    if (given && *given) {
        if (strlen(given) < RUNS_PATH && join(path, given, "index.csv") &&
            access(path, F_OK) == 0) {
            snprintf(folder, RUNS_PATH, "%s", given);
            return 0;
        }
        return message_set(error,
                           "%s: there is no index.csv in '%.150s'; give the folder of the "
                           "measured runs",
                           RUNS_FOLDER_VARIABLE, given);
    }
    if (folder_of_program(folder))
        return 0;
    return message_set(
        error,
        "the measured runs were not found, neither in runs/ beside the program nor in "
        "../share/recallmodel/runs; set %s to their folder",
        RUNS_FOLDER_VARIABLE);
}

/* ---- the index */

int runs_index_read(struct runs_index *index, struct message error)
{
    char path[RUNS_PATH];
    *index = (struct runs_index){0};
    if (find_folder(index->folder, error) != 0)
        return -1;
    if (!join(path, index->folder, "index.csv"))
        return message_set(
            error,
            "the path of the measured runs is too long; set RECALLMODEL_RUNS to a shorter one");
    if (csv_read(path, &index->csv, error) != 0)
        return -1;
    for (unsigned i = 0; i < RUNS_COLUMNS; i++)
        if (csv_column(&index->csv, runs_index_columns[i]) != i) {
            message_set(error, "%.150s: column %u must be %s", path, i + 1, runs_index_columns[i]);
            runs_index_free(index);
            return -1;
        }
    return 0;
}

void runs_index_free(struct runs_index *index)
{
    csv_free(&index->csv);
}

const char *runs_index_field(const struct runs_index *index, size_t row, unsigned column)
{
    return csv_field(&index->csv, row, column);
}

size_t runs_index_find(const struct runs_index *index, const char *name, char hint[RUNS_HINT])
{
    struct nearest nearest = {.typed = name, .length = strlen(name)};
    for (size_t row = 0; row < index->csv.rows; row++) {
        const char *known = runs_index_field(index, row, RUNS_NAME);
        if (strcmp(known, name) == 0)
            return row;
        nearest_try(&nearest, known);
    }
    if (nearest.name)
        snprintf(hint, RUNS_HINT, "did you mean '%.60s'?", nearest.name);
    else
        snprintf(hint, RUNS_HINT, "recallmodel runs lists the names");
    return index->csv.rows;
}

bool runs_index_path(const struct runs_index *index, size_t row, const char *other,
                     char path[RUNS_PATH])
{
    const char *name = runs_index_field(index, row, RUNS_NAME);
    const char *slash = strrchr(name, '/');
    const int folder = other && slash ? (int)(slash - name) : (int)strlen(name);
    const int length = snprintf(path, RUNS_PATH, "%s/%.*s%s%s", index->folder, folder, name,
                                other ? "/" : ".csv", other ? other : "");
    return length > 0 && length < RUNS_PATH;
}

/* ---- a file or a name */

bool runs_is_path(const char *given)
{
    return access(given, F_OK) == 0 || *given == '/' || strchr(given, '.');
}

int runs_file(const char *given, char path[RUNS_PATH], struct message error)
{
    if (strlen(given) >= RUNS_PATH)
        return message_set(error, "%.150s: the path is too long", given);
    if (runs_is_path(given)) {
        snprintf(path, RUNS_PATH, "%s", given);
        return 0;
    }
    struct runs_index index;
    char reason[CSV_ERROR], hint[RUNS_HINT];
    if (runs_index_read(&index, MESSAGE(reason)) != 0)
        return message_set(error, "there is no file '%.60s', and %.200s", given, reason);
    int status = 0;
    const size_t row = runs_index_find(&index, given, hint);
    if (row == index.csv.rows)
        status =
            message_set(error, "there is no file '%.60s', and no measured runs have that name; %s",
                        given, hint);
    else if (!runs_index_path(&index, row, NULL, path))
        status = message_set(error, "%.60s: the path of these runs is too long", given);
    runs_index_free(&index);
    return status;
}
