/* buffers.c - memory of the benchmark: see device.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include "device.h"

static double held_bytes; /* by all buffers */

void cpu_release(struct buffer *b)
{
    held_bytes -= (double)b->bytes;
    free(b->at);
    *b = (struct buffer){NULL, 0};
}

void *cpu_reserve(struct buffer *b, size_t bytes)
{
    if (bytes == 0)
        bytes = 64;
    if (b->bytes < bytes) {
        void *at = NULL;
        cpu_release(b);
        if (held_bytes + (double)bytes > memory_limit_bytes() ||
            posix_memalign(&at, 4096, bytes) != 0)
            return NULL;
        memset(at, 0, bytes); /* so that no page is made while something is timed */
        held_bytes += (double)bytes;
        *b = (struct buffer){at, bytes};
    }
    return b->at;
}
