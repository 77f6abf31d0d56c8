/* team.c - what OpenMP does for topk/, in plain threads. Linked in place of it under
 * ThreadSanitizer, which cannot see the barriers of GCC's OpenMP and would report each as a race.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>

enum { MOST = 8 };

struct member {
    pthread_t thread;
    unsigned number, count;
    pthread_barrier_t *barrier;
    void (*work)(void *);
    void *data;
};

static _Thread_local const struct member *me;

/* The names that GCC calls. */
void GOMP_parallel(void (*work)(void *), void *data, unsigned count, unsigned flags);
void GOMP_barrier(void);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_in_parallel(void);

static void *run_member(void *context)
{
    const struct member *before = me;
    me = context;
    me->work(me->data);
    me = before;
    return NULL;
}

/* A team inside a team has one member, as with OpenMP. */
void GOMP_parallel(void (*work)(void *), void *data, unsigned count, unsigned flags)
{
    (void)flags;
    pthread_barrier_t barrier;
    struct member members[MOST];
    if (me)
        count = 1;
    else if (count == 0 || count > MOST)
        count = count == 0 ? 3 : MOST;
    pthread_barrier_init(&barrier, NULL, count);
    for (unsigned i = 0; i < count; i++)
        members[i] = (struct member){0, i, count, &barrier, work, data};
    for (unsigned i = 1; i < count; i++)
        if (pthread_create(&members[i].thread, NULL, run_member, &members[i]) != 0)
            abort();
    run_member(&members[0]);
    for (unsigned i = 1; i < count; i++)
        pthread_join(members[i].thread, NULL);
    pthread_barrier_destroy(&barrier);
}

void GOMP_barrier(void)
{
    if (me)
        pthread_barrier_wait(me->barrier);
}

int omp_get_thread_num(void)
{
    return me ? (int)me->number : 0;
}

int omp_get_num_threads(void)
{
    return me ? (int)me->count : 1;
}

int omp_get_max_threads(void)
{
    return 3;
}

int omp_in_parallel(void)
{
    return me && me->count > 1;
}
