/* results.c - see results.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <base/memory.h>

static const char failed_mark[] = "# failed ";

/* Cuts a line, in place, after its first columns. */
static char *key_of(char *line, unsigned columns)
{
    char *at = line;
    for (unsigned i = 0; i < columns; i++) {
        at = strpbrk(at, ",\n");
        if (!at || *at == '\n' || i + 1 == columns)
            break;
        at++;
    }
    if (at)
        *at = '\0';
    return line;
}

static long other_table(const struct results *r, char *error, size_t error_size)
{
    snprintf(error, error_size, "%s has other columns than this command writes; give another file",
             r->path);
    return -1;
}

/* Reads the rows of the file. Returns where the last whole line ends; -1 after an error. */
static long read_rows(struct results *r, const char *columns, const char *remark, bool *empty,
                      char *error, size_t error_size)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    long end = 0;
    *empty = true;
    while ((length = getline(&line, &size, r->file)) > 0 && line[length - 1] == '\n') {
        if (*line != '#' && *empty) {
            line[strcspn(line, "\n")] = '\0';
            if (strcmp(line, columns) != 0) {
                free(line);
                return other_table(r, error, error_size);
            }
            *empty = false;
        } else if (*line != '#' || strncmp(line, failed_mark, strlen(failed_mark)) == 0) {
            r->keys = array_grow(r->keys, r->length, &r->capacity, sizeof *r->keys);
            r->keys[r->length++] =
                text_copy(key_of(*line == '#' ? line + strlen(failed_mark) : line, r->key_columns));
        } else {
            const char *then = strstr(line, " git="), *now = strstr(remark, " git=");
            r->other_git |= then && now &&
                            (strcspn(then + 1, " ") != strcspn(now + 1, " ") ||
                             strncmp(then, now, strcspn(now + 1, " ") + 1) != 0);
        }
        end = ftell(r->file);
    }
    const bool failed = ferror(r->file);
    /* the unfinished line of a killed run is cut off, that of something else is not */
    const bool foreign =
        length > 0 && *empty && *line != '#' && strncmp(line, columns, (size_t)length) != 0;
    free(line);
    if (foreign)
        return other_table(r, error, error_size);
    if (failed || end < 0) {
        snprintf(error, error_size, "%s: %s", r->path, strerror(errno));
        return -1;
    }
    return end;
}

/* Reads the rows of a file that was opened, and cuts off an unfinished last line. What is not a
 * regular file has no rows: /dev/full would be read for ever. Returns 0, or -1 with a line in
 * `error`. */
static int continue_file(struct results *r, const char *columns, const char *remark, bool *empty,
                         char *error, size_t error_size)
{
    struct stat about;
    if (fstat(fileno(r->file), &about) == 0 && !S_ISREG(about.st_mode))
        return 0;
    rewind(r->file);
    const long end = read_rows(r, columns, remark, empty, error, error_size);
    if (end < 0)
        return -1;
    if (ftruncate(fileno(r->file), end) != 0 || fseek(r->file, 0, SEEK_END) != 0) {
        snprintf(error, error_size, "%s: %s", r->path, strerror(errno));
        return -1;
    }
    return 0;
}

/* What did not fit is taken back: the file is as it was, or is not there. */
static void take_back(const char *path, bool is_new, off_t before)
{
    if (is_new && before == 0)
        unlink(path);
    else if (before >= 0 && truncate(path, before) != 0)
        perror(path);
}

int results_open(struct results *r, const char *path, const char *columns, unsigned key_columns,
                 const char *remark, char *error, size_t error_size)
{
    bool empty = true;
    const bool is_new = path && access(path, F_OK) != 0;
    off_t before = -1; /* its length, if it is a regular file */
    *r = (struct results){.file = stdout, .path = path, .key_columns = key_columns};
    if (path) {
        r->file = fopen(path, "a+");
        if (!r->file) {
            snprintf(error, error_size, "%s: %s", path, strerror(errno));
            return -1;
        }
        if (continue_file(r, columns, remark, &empty, error, error_size) != 0) {
            results_close(r);
            return -1;
        }
    }
    struct stat about;
    if (path && fstat(fileno(r->file), &about) == 0 && S_ISREG(about.st_mode))
        before = about.st_size;
    fputs(remark, r->file);
    if (empty)
        fprintf(r->file, "%s\n", columns);
    if (fflush(r->file) != 0) {
        snprintf(error, error_size, "%s: %s", path ? path : "output", strerror(errno));
        results_close(r);
        take_back(path, is_new, before);
        return -1;
    }
    return 0;
}

bool results_have(const struct results *r, const char *key)
{
    for (size_t i = 0; i < r->length; i++)
        if (strcmp(r->keys[i], key) == 0)
            return true;
    return false;
}

int results_begin(struct results *r, const char *key)
{
    if (!r->path || fseek(r->file, 0, SEEK_END) != 0)
        return 0;
    r->begun = ftell(r->file);
    return fprintf(r->file, "%s%s,the program ended in this cell\n", failed_mark, key) < 0 ||
                   fflush(r->file) != 0
               ? -1
               : 0;
}

int results_end(struct results *r)
{
    const long begun = r->begun;
    r->begun = 0;
    return begun > 0 ? ftruncate(fileno(r->file), begun) : 0;
}

int results_note(struct results *r, const char *key, const char *why, bool again)
{
    return r->file &&
                   (results_end(r) != 0 ||
                    fprintf(r->file, "%s%s,%s\n", again ? "# wrong " : failed_mark, key, why) < 0 ||
                    fflush(r->file) != 0)
               ? -1
               : 0;
}

int results_remark(struct results *r, const char *text)
{
    return r->file && (fprintf(r->file, "# %s\n", text) < 0 || fflush(r->file) != 0) ? -1 : 0;
}

int results_add(struct results *r, const char *row)
{
    return r->file && (results_end(r) != 0 || fputs(row, r->file) < 0 || fflush(r->file) != 0) ? -1
                                                                                               : 0;
}

int results_close(struct results *r)
{
    int failed = 0;
    if (r->file && r->file != stdout)
        failed = fclose(r->file) != 0;
    for (size_t i = 0; i < r->length; i++)
        free(r->keys[i]);
    free(r->keys);
    *r = (struct results){0};
    return failed ? -1 : 0;
}
