/* memory_limit.c - how much memory the page may take.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <base/memory.h>

/* PAGE_MEMORY is also what the module may grow to, page.mk. */
double memory_limit_bytes(void)
{
    return PAGE_MEMORY;
}
