/* threads.c - see threads.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "threads.h"

#ifdef _OPENMP
#include <omp.h>

unsigned threads_most(void)
{
    return (unsigned)omp_get_max_threads();
}

void threads_use(unsigned threads)
{
    omp_set_num_threads((int)threads);
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
