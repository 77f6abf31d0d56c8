/* row_groups.h - which group each row of a file belongs to, such as its document or its head.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ROW_GROUPS_H
#define ROW_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "row_file.h"

/* Groups of the rows 0 .. rows - 1, numbered in the order of their first rows. */
struct row_groups {
    size_t groups;
    uint64_t rows;
    uint64_t block;   /* so many rows that follow each other make a group; 0: of_row says it */
    uint32_t *of_row; /* NULL if `block` says it */
    char **label;     /* of each group; NULL if the axes name it */
    char *text;       /* what the labels point into */
    unsigned axes;    /* if `block` says it: so many leading axes name a group .. */
    uint64_t axis[ROW_FILE_AXES]; /* .. of these lengths */
    uint64_t identity;            /* of which row belongs to which group, and of the labels */
};

/* Bytes of a file of labels, at most. */
#define ROW_GROUPS_BYTES_MOST (UINT64_C(1) << 30)

/* Reads one label a line: line i has that of row i. Blanks around a label do not belong to it; rows
 * with the same label are a group.
 * Returns   0, or -1 with one line in `error`, which does not name the file: it is no regular file,
 *           it has not `rows` lines, a label is empty or no plain UTF-8, all labels are the same,
 *           or memory runs out. row_groups_free() in any case. */
int row_groups_read(struct row_groups *groups, const char *path, uint64_t rows,
                    struct message error);

/* The `axes` leading axes of an array give the group of a row: its indices along them.
 * Domain    1 <= axes < file->axes.
 * Returns   0, or -1 with one line in `error`, which does not name the file. */
int row_groups_of_axes(struct row_groups *groups, const struct row_file *file, unsigned axes,
                       struct message error);

/* How many leading axes are taken where nobody says: those up to the first that is longer than 1,
 * if at least one axis of rows is left behind it and the row itself; otherwise 0, which is to say
 * that rows are independent. */
unsigned row_groups_usual_axes(const struct row_file *file);

/* The group of a row. */
static inline size_t row_group(const struct row_groups *groups, uint64_t row)
{
    return groups->block ? (size_t)(row / groups->block) : groups->of_row[row];
}

/* The label of a group: that of the file, or its indices such as "3" or "3,0". */
void row_group_label(const struct row_groups *groups, size_t group, char *label, size_t size);

void row_groups_free(struct row_groups *groups);

#endif
