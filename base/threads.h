/* threads.h - whether threads are to be had. libgomp ends the program where it cannot start one: at
 * a limit on processes, in a container. So whoever opens a parallel region asks here first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef THREADS_TO_BE_HAD_H
#define THREADS_TO_BE_HAD_H

#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

static inline void *wait_at_gate(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* Can so many threads beside this one run at once? It starts them, and ends them. */
static inline int can_start(unsigned count)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *threads = malloc(count * sizeof *threads);
    unsigned started = 0;
    if (!threads)
        return 0;
    pthread_mutex_lock(&gate);
    while (started < count && pthread_create(&threads[started], NULL, wait_at_gate, &gate) == 0)
        started++;
    pthread_mutex_unlock(&gate);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    return started == count;
}

/* `wanted`, 0 for all that OpenMP would use, if so many threads can be had, or else 1: for
 * num_threads(). A team that this thread had before is still there, so only a larger one is
 * tried. */
static inline int threads_to_be_had(unsigned wanted)
{
    static _Thread_local unsigned team = 1;
    wanted = wanted ? wanted : (unsigned)omp_get_max_threads();
    if (wanted == 1)
        return 1;
    if (wanted > team && !can_start(wanted - 1))
        return 1;
    team = wanted;
    return (int)wanted;
}

/* The number of this thread in its team. */
static inline unsigned this_thread(void)
{
    return (unsigned)omp_get_thread_num();
}
#else
static inline int threads_to_be_had(unsigned wanted)
{
    return wanted ? (int)wanted : 1;
}

static inline unsigned this_thread(void)
{
    return 0;
}
#endif

#endif
