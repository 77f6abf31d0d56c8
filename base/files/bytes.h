/* bytes.h - bytes that are written behind each other into memory, and read from there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BYTES_H
#define BYTES_H

#include <stdbool.h>
#include <stddef.h>

/* Starts as all 0; the caller frees `items`. */
struct bytes {
    char *items;
    size_t length, capacity;
};

/* Calls the handler of memory.h if memory runs out. */
void bytes_put(struct bytes *to, const void *from, size_t length);

struct byte_reader {
    const char *at;
    size_t left;
};

/* Returns false, and reads nothing, where fewer bytes are left. */
bool bytes_get(struct byte_reader *from, void *to, size_t length);

#endif
