/* wisdom.c - see wisdom.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "wisdom.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <base/files/atomic_file.h>
#include <base/files/text_file.h>
#include <base/memory.h>
#include <model/recallmodel.h>

#include "error.h"
#include "this_machine.h"

#define BYTES_MOST ((size_t)16 << 20)

const char *wisdom_path(const char *given)
{
    static char path[THIS_MACHINE_PATH];
    if (given)
        return given;
    if (this_machine_path("wisdom.csv", path))
        return path;
    usage_error("there is no folder for what was measured: set HOME, or give --wisdom FILE");
    return NULL;
}

/* All rows of a file, and how many of its lines are none. */
struct rows {
    struct rcm_measured *of;
    size_t count, capacity, others, first_other;
};

/* Returns 0; or -1 with errno, 0 where it is not a regular file. */
static int read_rows(const char *path, struct rows *rows)
{
    size_t length, line = 0;
    *rows = (struct rows){0};
    char *text = text_file_read(path, BYTES_MOST, &length);
    if (!text)
        return errno == ENOENT ? 0 : -1;
    for (char *at = text, *end; at < text + length; at = end + 1) {
        end = memchr(at, '\n', (size_t)(text + length - at));
        end = end ? end : text + length;
        *end = '\0';
        line++;
        if (at == end || *at == '#' || strcmp(at, RCM_MEASURED_COLUMNS) == 0)
            continue;
        rows->of = array_grow(rows->of, rows->count, &rows->capacity, sizeof *rows->of);
        if (strlen(at) == (size_t)(end - at) &&
            rcm_measured_read(at, &rows->of[rows->count]) == 0) {
            rows->count++;
        } else {
            rows->first_other = rows->others ? rows->first_other : line;
            rows->others++;
        }
    }
    free(text);
    return 0;
}

static int fail(const char *path)
{
    usage_error("%.200s: %s; what was measured is not kept (--wisdom FILE names another file)",
                path, errno ? strerror(errno) : "is not a regular file");
    return STATUS_FAILED;
}

/* ---- reading */

/* Says why nothing that was measured on a GPU, or on a CPU, counts. */
static void say_others(const char *path, const struct rows *rows, size_t used, bool gpu,
                       const char *machine)
{
    for (size_t i = rows->count; i > 0 && used == 0; i--) {
        const struct rcm_measured *row = &rows->of[i - 1];
        if ((row->threads == 0) != gpu)
            continue;
        if (strcmp(row->machine, machine) != 0)
            notice("what %.200s has was measured on %s; this is %s: recallmodel tune", path,
                   row->machine, machine);
        else
            notice("what %.200s has was measured by recallmodel %s; this is %s: recallmodel tune",
                   path, row->version, rcm_version());
        return;
    }
}

static size_t keep(struct rcm_measured *to, const struct rows *rows, bool gpu, const char *machine)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++)
        if (rcm_measured_here(&rows->of[i], gpu, machine))
            to[count++] = rows->of[i];
    return count;
}

int wisdom_read(const char *path, struct wisdom *wisdom)
{
    struct rows rows;
    char machine[RCM_MACHINE_TEXT];
    *wisdom = (struct wisdom){0};
    if (read_rows(path, &rows) != 0)
        return usage_error("%.200s: %s", path, errno ? strerror(errno) : "is not a regular file");
    if (rows.others)
        notice("%.200s:%zu: this is no measurement; it is left out", path, rows.first_other);
    wisdom->rows = require_memory(malloc((rows.count + 1) * sizeof *wisdom->rows));
    const bool has_gpu = rcm_this_machine(true, machine);
    if (has_gpu)
        wisdom->count = keep(wisdom->rows, &rows, true, machine);
    wisdom->gpu = wisdom->count > 0;
    if (has_gpu)
        say_others(path, &rows, wisdom->count, true, machine);
    if (!wisdom->gpu && rcm_this_machine(false, machine)) {
        wisdom->count = keep(wisdom->rows, &rows, false, machine);
        say_others(path, &rows, wisdom->count, false, machine);
    }
    free(rows.of);
    return STATUS_OK;
}

/* ---- writing */

bool wisdom_replaces(const struct rcm_measured *rows, size_t count, const struct rcm_measured *old)
{
    for (size_t i = 0; i < count; i++)
        if (rcm_same_measured(old, &rows[i]))
            return true;
    return false;
}

static void put_row(FILE *file, const struct rcm_measured *row)
{
    char line[RCM_MEASURED_LINE];
    if (rcm_measured_write(row, line) > 0)
        fprintf(file, "%s\n", line);
}

static int add_locked(const char *path, const struct rcm_measured *added, size_t count)
{
    struct rows rows;
    char *bytes;
    size_t length;
    if (read_rows(path, &rows) != 0)
        return fail(path);
    if (rows.count == 0 && rows.others > 0) {
        free(rows.of);
        return usage_error(
            "%.200s: no line of it is a measurement; it stays as it is, and what was "
            "measured is not kept (--wisdom FILE names another file)",
            path);
    }
    FILE *file = require_memory(open_memstream(&bytes, &length));
    fputs(RCM_MEASURED_COLUMNS "\n", file);
    for (size_t i = 0; i < rows.count; i++)
        if (!wisdom_replaces(added, count, &rows.of[i]))
            put_row(file, &rows.of[i]);
    for (size_t i = 0; i < count; i++)
        put_row(file, &added[i]);
    fclose(file);
    free(rows.of);
    const int failed = atomic_file_write(path, bytes, length);
    free(bytes);
    return failed ? fail(path) : STATUS_OK;
}

/* The folder of a file, open so that one can wait for it. */
static int open_folder(const char *path)
{
    char folder[THIS_MACHINE_PATH];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int wisdom_add(const char *path, const struct rcm_measured *rows, size_t count)
{
    char error[200], own[THIS_MACHINE_PATH];
    if (this_machine_path("wisdom.csv", own) && strcmp(path, own) == 0 &&
        this_machine_make_folder() != 0)
        return fail(path);
    char *target = atomic_file_target(path, MESSAGE(error));
    if (!target)
        return usage_error("--wisdom %.200s %s", path, error);
    const int folder = open_folder(target);
    int status =
        folder >= 0 && flock(folder, LOCK_EX) == 0 ? add_locked(target, rows, count) : fail(path);
    if (folder >= 0)
        close(folder);
    free(target);
    return status;
}
