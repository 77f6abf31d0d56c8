/* row_counts.c - see row_counts.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "row_counts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <base/files/text_file.h>
#include <base/number.h>
#include <base/text.h>

#include "formats.h"

#define BYTES_MOST (UINT64_C(1) << 30)

static int no_memory(struct message error)
{
    return message_set(error, "cannot be read: out of memory");
}

/* All numbers of a .npy file as one row. */
static int read_npy(const char *path, uint64_t **counts, size_t *length, struct message error)
{
    struct row_file file;
    if (row_file_open(&file, path, SIM_I64, 0, error) != 0)
        return -1;
    if (file.whole) {
        row_file_close(&file);
        return message_set(error, "is in Fortran order; save numpy.ravel(x)");
    }
    file.row *= file.rows;
    double *x = malloc((size_t)file.row * sizeof *x);
    *counts = malloc((size_t)file.row * sizeof **counts);
    int status = x && *counts ? row_file_get(&file, 0, x, *counts, error) : no_memory(error);
    *length = (size_t)file.row;
    for (size_t i = 0; i < *length && status == 0; i++) {
        if (!(x[i] >= 0.0 && x[i] <= (double)NUMBER_MAX))
            status =
                message_set(error, "has %.17g at %zu; give numbers from 0 to 2^53 - 1", x[i], i);
        else
            (*counts)[i] = (uint64_t)x[i];
    }
    free(x);
    row_file_close(&file);
    return status;
}

static int read_lines(char *text, uint64_t **counts, size_t *length, struct message error)
{
    size_t lines = 1;
    text[text_end(text, strlen(text))] = '\0';
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    *counts = malloc(lines * sizeof **counts);
    if (!*counts)
        return no_memory(error);
    for (char *line = text, *next; *line; line = next) {
        char *end = line + strcspn(line, "\n"), shown[TEXT_SHOWN];
        next = *end ? end + 1 : end;
        *end = '\0';
        char *number = text_trimmed(line);
        uint64_t *count = &(*counts)[*length];
        const char *wrong = parse_count_or_zero(number, count);
        ++*length;
        if (wrong)
            return message_set(error,
                               "has '%s' on line %zu, which is %s; give one whole number a "
                               "line, from 0 on",
                               text_shown(shown, number), *length, wrong);
    }
    return *length ? 0 : message_set(error, "is empty; give one number a line, for each row");
}

int row_counts_read(const char *path, uint64_t **counts, size_t *length, struct message error)
{
    size_t bytes;
    *counts = NULL;
    *length = 0;
    char *text = text_file_read(path, BYTES_MOST, &bytes);
    if (!text)
        return message_set(error, "%s%s", errno ? "cannot be opened: " : "is not a regular file",
                           errno ? strerror(errno) : "");
    int status;
    if (npy_format.begins((const unsigned char *)text, bytes))
        status = read_npy(path, counts, length, error);
    else if (text_instead(text, bytes))
        status =
            message_set(error, "is %s; give a text file or a .npy file", text_instead(text, bytes));
    else
        status = read_lines(text, counts, length, error);
    free(text);
    if (status != 0) {
        free(*counts);
        *counts = NULL;
    }
    return status;
}
