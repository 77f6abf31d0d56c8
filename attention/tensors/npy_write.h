/* npy_write.h - writes an array of float32 to a .npy file, piece by piece.
 *
 * The file is written under another name and renamed at the end, so that a reader sees all of it or
 * nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef NPY_WRITE_H
#define NPY_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include <base/files/atomic_file.h>

#define NPY_WRITE_AXES 4

struct npy_file {
    struct atomic_file file;
    char *target;  /* the file that is written, or NULL */
    uint64_t left; /* elements that are still to be appended */
};

/* Begins the file of an array [shape[0]][shape[1]].. of float32, little-endian, C order, version
 * 1.0, whose data begin at a multiple of 64 bytes.
 * Domain    1 <= axes <= NPY_WRITE_AXES; the product of the shape is below 2^56.
 * Returns   0; or -1 with a phrase in `error` that continues "PATH ..". */
int npy_write_open(struct npy_file *npy, const char *path, const uint64_t *shape, unsigned axes,
                   struct message error);

/* Appends `count` elements, at most as many as are left. Returns 0; or -1 as above. */
int npy_write_append(struct npy_file *npy, const float *values, size_t count, struct message error);

/* Ends the file, when all elements are appended. Returns 0; or -1 as above; then the file is as
 * before. */
int npy_write_close(struct npy_file *npy, struct message error);

/* Gives up a file that was opened. Does nothing after npy_write_close(), or if `npy` is zero. */
void npy_write_abandon(struct npy_file *npy);

#endif
