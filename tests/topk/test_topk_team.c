/* test_topk_team.c - helpers: each piece once, by members that differ, for 1 to 100 callers; no
 * wait for one that has not begun; a cancelled caller; fork; affinity; how many threads pay.
 *
 * Against: counts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* CPU_SET */
#include <check.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <topk/plan.h>
#include <topk/team.h>

#include "run.h"

enum { CALLERS = 8, CALLERS_MANY = 100, PIECES = 3000, MEMBERS = 4 };

struct count {
    _Atomic unsigned done[PIECES], busy[MEMBERS], wrong;
};

static void count_piece(void *context, uint64_t i, unsigned member)
{
    struct count *count = context;
    if (member >= MEMBERS || atomic_fetch_add(&count->busy[member], 1) != 0)
        atomic_fetch_add(&count->wrong, 1);
    atomic_fetch_add(&count->done[i], 1);
    if (member < MEMBERS)
        atomic_fetch_sub(&count->busy[member], 1);
}

/* The pieces that were not done exactly once when the call ended, and members that met. */
static unsigned wrong_pieces(void)
{
    struct count count = {0};
    topk_team(MEMBERS, PIECES, count_piece, &count);
    unsigned wrong = count.wrong;
    for (unsigned i = 0; i < PIECES; i++)
        wrong += count.done[i] != 1;
    return wrong;
}

static void *call_often(void *wrong)
{
    for (unsigned i = 0; i < (few_cases() ? 50 : 500); i++)
        *(unsigned *)wrong += wrong_pieces();
    return NULL;
}

static void check_callers(unsigned callers)
{
    pthread_t threads[CALLERS];
    unsigned wrong[CALLERS] = {0};
    for (unsigned i = 0; i < callers; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, call_often, &wrong[i]), 0);
    for (unsigned i = 0; i < callers; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert_uint_eq(wrong[i], 0);
    }
}

START_TEST(each_piece_once)
{
    check_callers(1);
    check_callers(2);
    check_callers(CALLERS);
    topk_team(MEMBERS, 0, count_piece, NULL);
}
END_TEST

static void sleep_and_count(void *done, uint64_t i, unsigned member)
{
    (void)i;
    usleep(member > 0 ? 50000 : 1000);
    atomic_fetch_add((_Atomic unsigned *)done, 1);
}

START_TEST(helpers_are_slower)
{
    _Atomic unsigned done = 0;
    topk_team(MEMBERS, 100, sleep_and_count, &done);
    ck_assert_uint_eq(done, 100);
}
END_TEST

/* Pieces that wait until the gate opens: the caller and the only helper are in one each. */
struct gate {
    _Atomic unsigned inside, open;
};

static void wait_at_gate(void *context, uint64_t i, unsigned member)
{
    (void)i, (void)member;
    struct gate *gate = context;
    atomic_fetch_add(&gate->inside, 1);
    while (!gate->open)
        usleep(1000);
}

static void *call_at_gate(void *gate)
{
    topk_team(2, 2, wait_at_gate, gate);
    return NULL;
}

START_TEST(no_helper_is_free)
{
    struct gate gate = {0};
    pthread_t caller;
    ck_assert_int_eq(pthread_create(&caller, NULL, call_at_gate, &gate), 0);
    while (gate.inside < 2)
        usleep(1000);
    struct count count = {0};
    topk_team(2, PIECES, count_piece, &count); /* ends, or the limit of the test is reached */
    for (unsigned i = 0; i < PIECES; i++)
        ck_assert_uint_eq(count.done[i], 1);
    gate.open = 1;
    ck_assert_int_eq(pthread_join(caller, NULL), 0);
}
END_TEST

/* Two pieces are in hand at once: by the caller and by a helper. */
static void meet(void *context, uint64_t i, unsigned member)
{
    (void)i, (void)member;
    struct gate *gate = context;
    atomic_fetch_add(&gate->inside, 1);
    for (unsigned ms = 0; gate->inside < 2 && ms < 5000; ms++)
        usleep(1000);
    gate->open += gate->inside >= 2;
}

/* More than the pool can hold: all are in their first piece. */
START_TEST(many_callers)
{
    struct gate gate = {0}, met = {0};
    pthread_t callers[CALLERS_MANY];
    for (unsigned i = 0; i < CALLERS_MANY; i++)
        ck_assert_int_eq(pthread_create(&callers[i], NULL, call_at_gate, &gate), 0);
    while (gate.inside < CALLERS_MANY)
        usleep(1000);
    ck_assert_uint_eq(wrong_pieces(), 0);
    gate.open = 1;
    for (unsigned i = 0; i < CALLERS_MANY; i++)
        ck_assert_int_eq(pthread_join(callers[i], NULL), 0);
    topk_team(2, 2, meet, &met);
    ck_assert_uint_eq(met.open, 2);
}
END_TEST

/* The caller waits for its helper when its thread is cancelled. */
struct cancelled {
    struct gate gate;
    _Atomic unsigned returned;
};

static void hold_helper(void *context, uint64_t i, unsigned member)
{
    struct gate *gate = context;
    if (member > 0)
        wait_at_gate(gate, i, member);
    while (gate->inside == 0)
        sched_yield(); /* no place where a thread is cancelled */
}

static void *call_and_return(void *context)
{
    struct cancelled *cancelled = context;
    topk_team(2, 2, hold_helper, &cancelled->gate);
    cancelled->returned = 1;
    return NULL;
}

START_TEST(caller_is_cancelled)
{
    static struct cancelled cancelled;
    pthread_t caller;
    ck_assert_int_eq(pthread_create(&caller, NULL, call_and_return, &cancelled), 0);
    while (cancelled.gate.inside == 0)
        usleep(1000);
    usleep(50000);
    ck_assert_int_eq(pthread_cancel(caller), 0);
    usleep(50000);
    ck_assert_uint_eq(cancelled.returned, 0);
    cancelled.gate.open = 1;
    ck_assert_int_eq(pthread_join(caller, NULL), 0);
    ck_assert_uint_eq(cancelled.returned, 1);
    ck_assert_uint_eq(wrong_pieces(), 0);
}
END_TEST

/* ---- fork and affinity */

/* A child starts helpers of its own. */
static void check_child(void)
{
    const pid_t child = fork();
    if (child == 0) {
        struct gate gate = {0};
        alarm(20);
        topk_team(2, 2, meet, &gate);
        _exit(gate.open == 2 ? 7 : 1);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

static _Atomic bool enough;

static void *call_until_enough(void *wrong)
{
    while (!enough)
        *(unsigned *)wrong += wrong_pieces();
    return NULL;
}

START_TEST(child_of_fork)
{
    ck_assert_uint_eq(wrong_pieces(), 0);
#ifdef __SANITIZE_THREAD__ /* it ends a child that starts threads */
    return;
#endif
#ifdef __SANITIZE_ADDRESS__ /* a child has its locks as other threads held them, helpers too */
    return;
#endif
    check_child();
    pthread_t threads[CALLERS];
    unsigned wrong[CALLERS] = {0};
    for (unsigned i = 0; i < CALLERS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, call_until_enough, &wrong[i]), 0);
    for (unsigned i = 0; i < (few_cases() ? 10 : 100); i++)
        check_child(); /* of a process whose threads are inside calls */
    enough = true;
    for (unsigned i = 0; i < CALLERS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert_uint_eq(wrong[i], 0);
    }
}
END_TEST

/* The first processor that this thread may use. */
static cpu_set_t one_processor(void)
{
    cpu_set_t all, one;
    ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    return one;
}

struct affinity {
    struct gate gate;
    cpu_set_t of_helper;
};

static void meet_and_look(void *context, uint64_t i, unsigned member)
{
    struct affinity *affinity = context;
    if (member > 0)
        sched_getaffinity(0, sizeof affinity->of_helper, &affinity->of_helper);
    meet(&affinity->gate, i, member);
}

static void *call_on_one_processor(void *context)
{
    const cpu_set_t one = one_processor();
    if (sched_setaffinity(0, sizeof one, &one) == 0)
        topk_team(2, 2, meet_and_look, context);
    return NULL;
}

/* A helper stays for callers that may run elsewhere than the one that started it. */
START_TEST(affinity_of_helpers)
{
    static struct affinity affinity;
    cpu_set_t all;
    pthread_t caller;
    ck_assert_int_eq(pthread_create(&caller, NULL, call_on_one_processor, &affinity), 0);
    ck_assert_int_eq(pthread_join(caller, NULL), 0);
    ck_assert_uint_eq(affinity.gate.open, 2);
    ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
    ck_assert(CPU_EQUAL(&all, &affinity.of_helper));
}
END_TEST

START_TEST(all_on_one_processor)
{
    const cpu_set_t one = one_processor();
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    check_callers(CALLERS);
    struct gate gate = {0};
    topk_team(2, 2, meet, &gate);
    ck_assert_uint_eq(gate.open, 2);
}
END_TEST

/* ---- how many */

START_TEST(processors)
{
    cpu_set_t all;
    const unsigned before = topk_processors();
    ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
    ck_assert_uint_ge(before, 1);
    ck_assert_uint_le(before, (unsigned)CPU_COUNT(&all));
    const cpu_set_t one = one_processor();
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    ck_assert_uint_eq(topk_processors(), 1);
}
END_TEST

START_TEST(omp_num_threads)
{
    ck_assert_int_eq(setenv("OMP_NUM_THREADS", "1,4", 1), 0);
    ck_assert_uint_eq(topk_processors(), 1);
}
END_TEST

static void put(const char *folder, const char *name, const char *text)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    REQUIRE(file, "cannot write %s", path);
    fputs(text, file);
    fclose(file);
}

START_TEST(quota)
{
    char folder[] = "/tmp/quota-XXXXXX", groups[PATH_MAX], command[PATH_MAX + 20];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(command, sizeof command, "mkdir -p %s/a/b", folder);
    ck_assert_int_eq(system(command), 0);
    snprintf(groups, sizeof groups, "%s/groups", folder);
    ck_assert_uint_eq(topk_quota(groups, folder), UINT_MAX); /* no such file */
    put(folder, "groups", "4:memory:/c\n0::/a/b\n");
    ck_assert_uint_eq(topk_quota(groups, folder), UINT_MAX); /* no limit */
    put(folder, "a/b/cpu.max", "max 100000\n");
    ck_assert_uint_eq(topk_quota(groups, folder), UINT_MAX);
    put(folder, "cpu.max", "700000 100000\n");
    ck_assert_uint_eq(topk_quota(groups, folder), 7);
    put(folder, "a/cpu.max", "350000 100000\n");
    ck_assert_uint_eq(topk_quota(groups, folder), 3);
    put(folder, "a/b/cpu.max", "50000 100000\n");
    ck_assert_uint_eq(topk_quota(groups, folder), 1);
    put(folder, "groups", "0::/\n");
    ck_assert_uint_eq(topk_quota(groups, folder), 7);
    put(folder, "groups", "3:cpuset:/a\n1:cpuset,cpu,cpuacct:/a:b\n0::/\n");
    ck_assert_uint_eq(topk_quota(groups, folder), 7);
    snprintf(command, sizeof command, "mkdir -p %s/cpu/a:b %s/cpu/a", folder, folder);
    ck_assert_int_eq(system(command), 0);
    put(folder, "cpu/cpu.cfs_period_us", "100000\n");
    put(folder, "cpu/cpu.cfs_quota_us", "-1\n");
    put(folder, "cpu/a/cpu.cfs_period_us", "100000\n");
    put(folder, "cpu/a/cpu.cfs_quota_us", "100000\n"); /* of a group that is not named */
    ck_assert_uint_eq(topk_quota(groups, folder), 7);
    put(folder, "cpu/cpu.cfs_quota_us", "640000\n");
    ck_assert_uint_eq(topk_quota(groups, folder), 6);
    put(folder, "cpu/a:b/cpu.cfs_quota_us", "100000\n");
    ck_assert_uint_eq(topk_quota(groups, folder), 6); /* no period */
    put(folder, "cpu/a:b/cpu.cfs_period_us", "50000\n");
    ck_assert_uint_eq(topk_quota(groups, folder), 2);
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(threads_that_pay)
{
    const unsigned all = topk_processors();
    struct rcm_top_k_rows rows = {.m = 1, .n = (1 << 21) - 1, .type = RCM_TOP_K_F32};
    ck_assert_uint_eq(rcm_top_k_threads(&rows, 0), 1); /* less than twice 4 MiB */
    ck_assert_uint_eq(rcm_top_k_threads(&rows, 2), 2);
    rows.n++;
    ck_assert_uint_eq(rcm_top_k_threads(&rows, 0), all < 2 ? all : 2);
    rows.n = 1 << 15;
    ck_assert_uint_eq(rcm_top_k_threads(&rows, 2), 1);
    rows.m = 2;
    ck_assert_uint_eq(rcm_top_k_threads(&rows, 2), 2);
}
END_TEST

TEST_MAIN("topk team", each_piece_once, helpers_are_slower, no_helper_is_free, many_callers,
          caller_is_cancelled, child_of_fork, affinity_of_helpers, all_on_one_processor, processors,
          omp_num_threads, quota, threads_that_pay)
