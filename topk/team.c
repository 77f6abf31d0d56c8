/* team.c - a pool of helpers that sleep until a call has work.
 *
 * A call puts its job on a list, wakes helpers, and takes pieces itself until none is left. Then it
 * takes the job off the list, and waits for the helpers that are inside. A helper that wakes up
 * late finds no job. Helpers are never more than the most that a call asked for, and stay.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "team.h"

enum { HELPERS_MOST = 1023 };

struct job {
    topk_work *work;
    void *context;
    uint64_t pieces;
    _Atomic uint64_t next; /* the first piece that nobody has taken */
    /* under the lock */
    unsigned welcome;         /* helpers that may still come */
    unsigned members, inside; /* who came, and who is there, but for the caller */
    struct job *other;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_is_there = PTHREAD_COND_INITIALIZER,
                      helper_left = PTHREAD_COND_INITIALIZER;
static struct job *jobs;
static unsigned helpers;

/* The first piece that nobody has taken; if that is not below job->pieces, there is none. */
static uint64_t take_piece(struct job *job)
{
    return atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
}

static void work_on(struct job *job, unsigned member)
{
    for (uint64_t i; (i = take_piece(job)) < job->pieces;)
        job->work(job->context, i, member);
}

static struct job *job_that_waits(void)
{
    struct job *job = jobs;
    while (job && job->welcome == 0)
        job = job->other;
    return job;
}

static void *help(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        struct job *job = job_that_waits();
        if (!job) {
            pthread_cond_wait(&work_is_there, &lock);
            continue;
        }
        job->welcome--;
        job->inside++;
        const unsigned member = ++job->members;
        pthread_mutex_unlock(&lock);
        work_on(job, member);
        pthread_mutex_lock(&lock);
        if (--job->inside == 0)
            pthread_cond_broadcast(&helper_left);
    }
    return unused;
}

/* A child of fork() has this thread alone, and its copy of the lock may be held by another. */
static void forget(void)
{
    static const pthread_mutex_t new_lock = PTHREAD_MUTEX_INITIALIZER;
    static const pthread_cond_t new_condition = PTHREAD_COND_INITIALIZER;
    lock = new_lock;
    work_is_there = helper_left = new_condition;
    jobs = NULL;
    helpers = 0;
}

/* Starts what is missing to so many helpers. They take no signals. */
static void hire(unsigned count)
{
    static bool forks;
    if (!forks)
        forks = pthread_atfork(NULL, NULL, forget) == 0;
    pthread_attr_t detached;
    if (!forks || helpers >= count || pthread_attr_init(&detached) != 0)
        return;
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (pthread_t helper; helpers < count; helpers++)
        if (pthread_create(&helper, &detached, help, NULL) != 0)
            break;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&detached);
}

/* Not if another thread has the lock, which may not be running. */
static bool offer(struct job *job)
{
    if (pthread_mutex_trylock(&lock) != 0)
        return false;
    hire(job->welcome < HELPERS_MOST ? job->welcome : HELPERS_MOST);
    job->other = jobs;
    jobs = job;
    for (unsigned i = 0; i < job->welcome && i < helpers; i++)
        pthread_cond_signal(&work_is_there);
    pthread_mutex_unlock(&lock);
    return true;
}

/* The wait must not end with the thread, whose stack has the job: cancelling it waits, too. */
static void withdraw(struct job *job)
{
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_mutex_lock(&lock);
    struct job **at = &jobs;
    while (*at != job)
        at = &(*at)->other;
    *at = job->other;
    while (job->inside > 0)
        pthread_cond_wait(&helper_left, &lock);
    pthread_mutex_unlock(&lock);
    pthread_setcancelstate(cancel, NULL);
}

void topk_team(unsigned threads, uint64_t pieces, topk_work *work, void *context)
{
    const unsigned most = pieces < threads ? (unsigned)pieces : threads;
    struct job job = {
        .work = work, .context = context, .pieces = pieces, .welcome = most > 1 ? most - 1 : 0};
    bool offered = false;
    for (uint64_t i; (i = take_piece(&job)) < pieces;) {
        if (!offered && most > 1 && i + 1 < pieces)
            offered = offer(&job); /* or again after this piece */
        work(context, i, 0);
    }
    if (offered)
        withdraw(&job);
}
