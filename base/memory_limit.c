/* memory_limit.c - how much memory there is, as the system says; the rest of memory.h is memory.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <math.h>
#include <sys/resource.h>
#include <unistd.h>

double memory_limit_bytes(void)
{
    struct rlimit limit;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    double bytes = pages > 0 && page > 0 ? (double)pages * (double)page : INFINITY;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        bytes = fmin(bytes, (double)limit.rlim_cur);
    return bytes;
}
