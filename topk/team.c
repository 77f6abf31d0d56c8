/* team.c - a pool of helpers that sleep until a call has work.
 *
 * A call puts its job behind a door, wakes helpers, and takes pieces itself until none is left.
 * Then it closes the door, and waits for the helpers that are inside. A helper that wakes up late
 * finds it closed. No lock is held meanwhile: whoever has one may not be running. Helpers are never
 * more than the most that a call asked for, and stay.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "team.h"

enum {
    HELPERS_MOST = 1023,
    DOORS = 64,
    WELCOME = 1 << 16, /* of a door: a helper that may still enter; below, those inside */
};

struct job {
    topk_work *work;
    void *context;
    uint64_t pieces;
    _Atomic uint64_t next; /* the first piece that nobody has taken */
};

struct door {
    _Alignas(64) _Atomic bool taken;
    _Atomic unsigned state; /* WELCOME times the helpers that may enter, and who is inside */
    struct job *job;
    sem_t last_left;
};

static struct door doors[DOORS];
static sem_t work_is_there;
static _Atomic unsigned helpers;
static pthread_mutex_t hiring = PTHREAD_MUTEX_INITIALIZER;

/* The first piece that nobody has taken; if that is not below job->pieces, there is none. */
static uint64_t take_piece(struct job *job)
{
    return atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
}

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0)
        ; /* a signal came */
}

/* The number of this helper in the job, or 0: the door is closed, or enough have entered. */
static unsigned enter(struct door *door)
{
    unsigned state = atomic_load(&door->state);
    while (state >= WELCOME)
        if (atomic_compare_exchange_weak(&door->state, &state, state - WELCOME + 1))
            return state / WELCOME;
    return 0;
}

/* The caller is inside, too, until it has closed the door: was this the last one? */
static bool leave(struct door *door)
{
    return atomic_fetch_sub(&door->state, 1) == 1;
}

static void *help(void *unused)
{
    topk_affinity_of_process();
    for (;;) {
        for (struct door *door = doors; door < doors + DOORS; door++) {
            const unsigned member = enter(door);
            if (member == 0)
                continue;
            struct job *job = door->job;
            for (uint64_t i; (i = take_piece(job)) < job->pieces;)
                job->work(job->context, i, member);
            if (leave(door))
                sem_post(&door->last_left);
        }
        wait_for(&work_is_there);
    }
    return unused;
}

static bool open_semaphores(void)
{
    bool open = sem_init(&work_is_there, 0, 0) == 0;
    for (struct door *door = doors; door < doors + DOORS; door++)
        open = open && sem_init(&door->last_left, 0, 0) == 0;
    return open;
}

/* A child of fork() has this thread alone, and its copies say what others did. */
static void forget(void)
{
    static const pthread_mutex_t new_lock = PTHREAD_MUTEX_INITIALIZER;
    hiring = new_lock;
    helpers = 0;
    for (struct door *door = doors; door < doors + DOORS; door++) {
        door->taken = false;
        door->state = 0;
    }
    open_semaphores();
}

/* Starts what is missing to so many helpers, which take no signals. Not while another does. */
static void hire(unsigned count)
{
    static bool ready;
    if (helpers >= count || pthread_mutex_trylock(&hiring) != 0)
        return;
    ready = ready || (open_semaphores() && pthread_atfork(NULL, NULL, forget) == 0);
    pthread_attr_t detached;
    if (ready && pthread_attr_init(&detached) == 0) {
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
    pthread_mutex_unlock(&hiring);
}

/* The door behind which the job now is, or NULL: there is no helper, or no door is free. */
static struct door *offer(struct job *job, unsigned welcome)
{
    welcome = welcome < HELPERS_MOST ? welcome : HELPERS_MOST;
    hire(welcome);
    if (helpers == 0)
        return NULL;
    struct door *door = doors;
    while (door->taken || atomic_exchange(&door->taken, true))
        if (++door == doors + DOORS)
            return NULL;
    door->job = job;
    atomic_store(&door->state, welcome * WELCOME + 1);
    int called = 0; /* who has not begun to look for work; all of them are enough */
    sem_getvalue(&work_is_there, &called);
    for (unsigned i = 0; i < welcome && (unsigned)called + i < helpers; i++)
        sem_post(&work_is_there);
    return door;
}

/* The wait must not end with the thread, whose stack has the job: cancelling it waits, too. */
static void withdraw(struct door *door)
{
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    atomic_fetch_and(&door->state, WELCOME - 1);
    if (!leave(door))
        wait_for(&door->last_left);
    door->taken = false;
    pthread_setcancelstate(cancel, NULL);
}

void topk_team(unsigned threads, uint64_t pieces, topk_work *work, void *context)
{
    const unsigned most = pieces < threads ? (unsigned)pieces : threads;
    struct job job = {.work = work, .context = context, .pieces = pieces};
    struct door *door = NULL;
    for (uint64_t i; (i = take_piece(&job)) < pieces;) {
        if (!door && most > 1 && i + 1 < pieces)
            door = offer(&job, most - 1); /* or again after this piece */
        work(context, i, 0);
    }
    if (door)
        withdraw(door);
}
