/* row_groups.c - see row_groups.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "row_groups.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/files/text_file.h>
#include <base/text.h>

#define MIX UINT64_C(0x100000001b3) /* FNV-1a */

static uint64_t mix_number(uint64_t hash, uint64_t value)
{
    return ((hash ^ value) * MIX) ^ (hash >> 32);
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * MIX;
    return mix_number(hash, 1);
}

/* ---- a file of labels */

/* A label and the row that has it. */
struct labelled {
    char *label;
    uint64_t row;
};

static int by_label(const void *a, const void *b)
{
    const struct labelled *x = a, *y = b;
    const int order = strcmp(x->label, y->label);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

static int by_row(const void *a, const void *b)
{
    const struct labelled *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

static uint64_t count_lines(const char *text, size_t length)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    return lines + (length > 0 && text[length - 1] != '\n');
}

/* Cuts the text into labels, one for each row. */
static int cut_lines(struct labelled *labels, char *text, uint64_t rows, struct message error)
{
    for (uint64_t row = 0; row < rows; row++) {
        char *end = text + strcspn(text, "\n");
        char *next = *end ? end + 1 : end;
        *end = '\0';
        labels[row] = (struct labelled){text_trimmed(text), row};
        if (*labels[row].label == '\0')
            return message_set(error, "has no label on line %" PRIu64, row + 1);
        if (!text_is_plain(labels[row].label))
            return message_set(error,
                               "has a label that is not UTF-8 without control characters, on line "
                               "%" PRIu64,
                               row + 1);
        text = next;
    }
    return 0;
}

/* Numbers the groups in the order of their first rows. */
static int number_groups(struct row_groups *groups, struct labelled *labels, struct message error)
{
    const uint64_t rows = groups->rows;
    qsort(labels, (size_t)rows, sizeof *labels, by_label);
    struct labelled *firsts = malloc((size_t)rows * sizeof *firsts);
    uint32_t *place = malloc((size_t)rows * sizeof *place); /* of a first row: its group */
    groups->of_row = malloc((size_t)rows * sizeof *groups->of_row);
    bool good = firsts && place && groups->of_row;
    for (uint64_t i = 0; i < rows && good; i++)
        if (i == 0 || strcmp(labels[i].label, labels[i - 1].label) != 0)
            firsts[groups->groups++] = labels[i];
    if (good)
        qsort(firsts, groups->groups, sizeof *firsts, by_row);
    groups->label = good ? malloc(groups->groups * sizeof *groups->label) : NULL;
    good = good && groups->label;
    for (size_t g = 0; g < groups->groups && good; g++) {
        groups->label[g] = firsts[g].label;
        place[firsts[g].row] = (uint32_t)g;
    }
    uint64_t first = 0;
    for (uint64_t i = 0; i < rows && good; i++) {
        if (i == 0 || strcmp(labels[i].label, labels[i - 1].label) != 0)
            first = labels[i].row;
        groups->of_row[labels[i].row] = place[first];
    }
    free(firsts);
    free(place);
    return good ? 0 : message_set(error, "cannot be read: out of memory");
}

static void set_identity(struct row_groups *groups)
{
    uint64_t hash = mix_number(UINT64_C(0xcbf29ce484222325), groups->rows);
    hash = mix_number(mix_number(hash, groups->groups), groups->block);
    for (uint64_t row = 0; row < groups->rows && groups->of_row; row++)
        hash = mix_number(hash, groups->of_row[row]);
    for (size_t g = 0; g < groups->groups && groups->label; g++)
        hash = mix_text(hash, groups->label[g]);
    groups->identity = hash;
}

int row_groups_read(struct row_groups *groups, const char *path, uint64_t rows,
                    struct message error)
{
    size_t length = 0;
    *groups = (struct row_groups){.rows = rows};
    groups->text = text_file_read(path, ROW_GROUPS_BYTES_MOST, &length);
    if (!groups->text)
        return message_set(error, "%s%s", errno ? "cannot be opened: " : "is not a regular file",
                           errno ? strerror(errno) : "");
    const char *instead = text_instead(groups->text, length);
    length = text_end(groups->text, length);
    groups->text[length] = '\0';
    const uint64_t lines = count_lines(groups->text, length);
    if (lines == 0)
        return message_set(error, "is empty; give one label a line, for each row");
    if (instead)
        return message_set(error, "is %s; give one label a line, for each row", instead);
    if (lines != rows)
        return message_set(error,
                           "has %" PRIu64 " label%s, but " MEMBER "file has %" PRIu64
                           " row%s; give one label a line, for each row",
                           lines, lines == 1 ? "" : "s", rows, rows == 1 ? "" : "s");
    if (rows > UINT32_MAX)
        return message_set(error, "has more than 2^32 - 1 labels");
    struct labelled *labels = malloc((size_t)rows * sizeof *labels);
    int status = labels ? cut_lines(labels, groups->text, rows, error)
                        : message_set(error, "cannot be read: out of memory");
    if (status == 0)
        status = number_groups(groups, labels, error);
    free(labels);
    if (status == 0 && groups->groups < 2)
        status = message_set(error, "puts all rows into one group, which says nothing about "
                                    "other groups; give two labels or more");
    set_identity(groups);
    return status;
}

/* ---- axes */

unsigned row_groups_usual_axes(const struct row_file *file)
{
    unsigned axes = 1;
    while (axes < file->axes && file->axis[axes - 1] == 1)
        axes++;
    return axes + 2 <= file->axes ? axes : 0;
}

int row_groups_of_axes(struct row_groups *groups, const struct row_file *file, unsigned axes,
                       struct message error)
{
    uint64_t count = 1;
    *groups = (struct row_groups){.rows = file->rows, .axes = axes};
    if (axes < 1 || axes >= file->axes)
        return message_set(error,
                           "has %u axes, of which the last is the row: %u of them cannot name a "
                           "group; give %u or less",
                           file->axes, axes, file->axes - 1);
    for (unsigned i = 0; i < axes; i++) {
        groups->axis[i] = file->axis[i];
        count *= file->axis[i];
    }
    if (count < 2 || count > UINT32_MAX)
        return message_set(error,
                           "has %" PRIu64 " group%s along %u ax%cs; give another number, or 0 for "
                           "independent rows",
                           count, count == 1 ? "" : "s", axes, axes == 1 ? 'i' : 'e');
    groups->groups = (size_t)count;
    groups->block = file->rows / count;
    set_identity(groups);
    return 0;
}

void row_group_label(const struct row_groups *groups, size_t group, char *label, size_t size)
{
    uint64_t rest = group, part[ROW_FILE_AXES];
    size_t length = 0;
    if (groups->label) {
        snprintf(label, size, "%s", groups->label[group]);
        return;
    }
    for (unsigned i = groups->axes; i-- > 0;) {
        part[i] = rest % groups->axis[i];
        rest /= groups->axis[i];
    }
    *label = '\0';
    for (unsigned i = 0; i < groups->axes && length < size; i++)
        length +=
            (size_t)snprintf(label + length, size - length, i ? ",%" PRIu64 : "%" PRIu64, part[i]);
}

void row_groups_free(struct row_groups *groups)
{
    free(groups->of_row);
    free(groups->label);
    free(groups->text);
    *groups = (struct row_groups){0};
}
