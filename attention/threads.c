/* threads.c - see threads.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "threads.h"

#include <base/threads.h>

#ifdef _OPENMP
#include <omp.h>

unsigned threads_most(void)
{
    return (unsigned)omp_get_max_threads();
}

void threads_use(unsigned threads)
{
    omp_set_num_threads(threads_to_be_had(threads));
}
#else
unsigned threads_most(void)
{
    return 1;
}

void threads_use(unsigned threads)
{
    (void)threads;
}
#endif
