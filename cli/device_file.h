/* device_file.h - a device of one's own, from a small text file:
 *
 *     # anything behind a hash
 *     name = My GPU
 *     bandwidth_bytes_per_s = 3.35e12
 *     vector_rate_per_s = 16.7e12
 *     fma_rate_per_s = 67e12          # may be left out
 *     matrix_rate_per_s = 989.4e12    # may be left out
 *     source = measured on 2026-11-21 with ...
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DEVICE_FILE_H
#define DEVICE_FILE_H

#include <stddef.h>

#include "recallmodel.h"

struct device_entry {
    struct rcm_device device;
    char name[40], source[200]; /* what a device from a file points to: do not copy the entry */
};

/* Reads it. Returns 0, or -1 with what is wrong ("FILE:3: ...") in `error`. */
int device_file_read(const char *path, struct device_entry *entry, char *error, size_t error_size);

#endif
