/* npy_write.c - see npy_write.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "npy_write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX 10    /* the magic, the version, and the length of the dictionary */
#define ALIGNMENT 64 /* of the data, as NumPy has it */

static int failed(const char *what, struct message error)
{
    return message_set(error, "%s: %s", what, strerror(errno));
}

static int write_header(struct npy_file *npy, const uint64_t *shape, unsigned axes)
{
    char header[PREFIX + 256] = "\x93NUMPY\x01";
    int length = PREFIX;
    length += snprintf(header + length, sizeof header - (size_t)length,
                       "{'descr': '<f4', 'fortran_order': False, 'shape': (");
    for (unsigned i = 0; i < axes; i++)
        length +=
            snprintf(header + length, sizeof header - (size_t)length, "%" PRIu64 ", ", shape[i]);
    length += snprintf(header + length, sizeof header - (size_t)length, "), }");
    while ((length + 1) % ALIGNMENT)
        header[length++] = ' ';
    header[length++] = '\n';
    header[8] = (char)((length - PREFIX) & 0xff);
    header[9] = (char)((length - PREFIX) >> 8);
    return atomic_file_append(&npy->file, header, (size_t)length);
}

int npy_write_open(struct npy_file *npy, const char *path, const uint64_t *shape, unsigned axes,
                   struct message error)
{
    *npy = (struct npy_file){.left = 1};
    for (unsigned i = 0; i < axes; i++)
        npy->left *= shape[i];
    npy->target = atomic_file_target(path, error);
    if (!npy->target)
        return -1;
    if (atomic_file_open(&npy->file, npy->target) == 0 && write_header(npy, shape, axes) == 0)
        return 0;
    failed("cannot be written", error);
    npy_write_abandon(npy);
    return -1;
}

int npy_write_append(struct npy_file *npy, const float *values, size_t count, struct message error)
{
    if (count > npy->left)
        return message_set(error, "would get more elements than its shape has");
    npy->left -= count;
    if (atomic_file_append(&npy->file, values, count * sizeof *values) == 0)
        return 0;
    return failed("could not be written in full", error);
}

int npy_write_close(struct npy_file *npy, struct message error)
{
    int status = -1;
    if (npy->left > 0) {
        message_set(error, "is not complete: %" PRIu64 " elements are missing", npy->left);
    } else {
        status = atomic_file_commit(&npy->file);
        if (status != 0)
            failed("could not be written in full", error);
    }
    npy_write_abandon(npy);
    return status;
}

void npy_write_abandon(struct npy_file *npy)
{
    atomic_file_abandon(&npy->file);
    free(npy->target);
    npy->target = NULL;
}
