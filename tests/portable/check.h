/* check.h - takes the place of Check's header where that library is not: with another C library,
 * and on another machine (deliver/packaging/portable.sh). It has what our tests use of it. A test
 * that fails ends its process. On a machine that is emulated (-DEMULATED) a test that needs more
 * than PORTABLE_SECONDS of CPU time is stopped, and named; it has not failed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef __wasm__
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#if defined EMULATED && !defined __wasm__
#define PORTABLE_SECONDS 1
#define PORTABLE_STOPPED(status) \
    (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
#include <signal.h>
#else
#define PORTABLE_STOPPED(status) ((status) != (status))
#endif

typedef struct {
    const char *name;
    void (*function)(int);
} TTest;

#define START_TEST(test) \
    static void test##_function(int); \
    static const TTest test##_test = {#test, test##_function}; \
    static const TTest *const test = &test##_test; \
    static void test##_function(int loop_) \
    { \
        (void)loop_; \
        {
#define END_TEST \
    } \
    }

/* ---- the runner: one suite, one case */

#define PORTABLE_TESTS_MOST 64
enum { CK_ENV };
typedef struct portable_suite {
    const char *name;
    const TTest *tests[PORTABLE_TESTS_MOST];
    int count, failed;
} Suite, TCase, SRunner;
static Suite portable_suite;

static inline Suite *suite_create(const char *name)
{
    portable_suite.name = name;
    return &portable_suite;
}
#define tcase_create(name) suite_create(name)
#define tcase_set_timeout(tcase, seconds) ((void)(seconds))
#define suite_add_tcase(suite, tcase) ((void)(suite))
#define srunner_create(suite) (suite)
#define srunner_ntests_failed(runner) ((runner)->failed)
#define srunner_free(runner) ((void)(runner))

static inline void tcase_add_test(TCase *tcase, const TTest *test)
{
    if (tcase->count == PORTABLE_TESTS_MOST)
        abort();
    tcase->tests[tcase->count++] = test;
}

#ifdef __wasm__ /* a process cannot start another one */
static inline int portable_run(const TTest *test)
{
    test->function(0);
    return 0;
}
#else
/* Runs a test in a process of its own. Returns the status of waitpid(). */
static inline int portable_run(const TTest *test)
{
    int status = -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
#ifdef EMULATED
        const struct rlimit limit = {PORTABLE_SECONDS, PORTABLE_SECONDS + 1};
        setrlimit(RLIMIT_CPU, &limit);
#endif
        test->function(0);
        exit(EXIT_SUCCESS);
    }
    if (child > 0)
        waitpid(child, &status, 0);
    return status;
}
#endif

static inline void srunner_run_all(SRunner *runner, int mode)
{
    int passed = 0, stopped = 0;
    (void)mode;
    for (int i = 0; i < runner->count; i++) {
        const int status = portable_run(runner->tests[i]);
        if (PORTABLE_STOPPED(status))
            printf("stopped: %s: %s\n", runner->name, runner->tests[i]->name);
        else if (status != 0)
            fprintf(stderr, "failed: %s: %s\n", runner->name, runner->tests[i]->name);
        passed += status == 0;
        stopped += PORTABLE_STOPPED(status);
    }
    runner->failed = runner->count - passed - stopped;
    printf("tests: %d passed, %d stopped, %d failed\n", passed, stopped, runner->failed);
}

/* ---- assertions */

#define PORTABLE_FAIL_AT (fflush(stdout), fprintf(stderr, "%s:%d: ", __FILE__, __LINE__))
#define ck_abort_msg(...) \
    (PORTABLE_FAIL_AT, fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(EXIT_FAILURE))
#define ck_assert_msg(holds, ...) \
    do { \
        if (!(holds)) \
            ck_abort_msg(__VA_ARGS__); \
    } while (0)
#define ck_assert(holds) ck_assert_msg(holds, "%s", #holds)

#define PORTABLE_COMPARE(type, format, a, op, b) \
    do { \
        type const a_ = (a); \
        type const b_ = (b); \
        ck_assert_msg(a_ op b_, "%s " #op " %s: " format ", " format, #a, #b, a_, b_); \
    } while (0)
#define ck_assert_int_eq(a, b) PORTABLE_COMPARE(intmax_t, "%jd", a, ==, b)
#define ck_assert_int_ge(a, b) PORTABLE_COMPARE(intmax_t, "%jd", a, >=, b)
#define ck_assert_int_gt(a, b) PORTABLE_COMPARE(intmax_t, "%jd", a, >, b)
#define ck_assert_uint_eq(a, b) PORTABLE_COMPARE(uintmax_t, "%ju", a, ==, b)
#define ck_assert_uint_ne(a, b) PORTABLE_COMPARE(uintmax_t, "%ju", a, !=, b)
#define ck_assert_uint_ge(a, b) PORTABLE_COMPARE(uintmax_t, "%ju", a, >=, b)
#define ck_assert_uint_gt(a, b) PORTABLE_COMPARE(uintmax_t, "%ju", a, >, b)
#define ck_assert_uint_le(a, b) PORTABLE_COMPARE(uintmax_t, "%ju", a, <=, b)
#define ck_assert_uint_lt(a, b) PORTABLE_COMPARE(uintmax_t, "%ju", a, <, b)
#define ck_assert_double_eq(a, b) PORTABLE_COMPARE(double, "%.17g", a, ==, b)
#define ck_assert_double_ge(a, b) PORTABLE_COMPARE(double, "%.17g", a, >=, b)
#define ck_assert_double_gt(a, b) PORTABLE_COMPARE(double, "%.17g", a, >, b)
#define ck_assert_double_le(a, b) PORTABLE_COMPARE(double, "%.17g", a, <=, b)
#define ck_assert_double_lt(a, b) PORTABLE_COMPARE(double, "%.17g", a, <, b)
#define ck_assert_double_nan(a) ck_assert(isnan((double)(a)))
#define ck_assert_double_eq_tol(a, b, tolerance) \
    do { \
        const double a_ = (a), b_ = (b), tolerance_ = (tolerance); \
        ck_assert_msg(fabs(a_ - b_) < tolerance_, "%s == %s to %g: %.17g, %.17g", #a, #b, \
                      tolerance_, a_, b_); \
    } while (0)

#define ck_assert_ptr_eq(a, b) \
    do { \
        const void *a_ = (a), *b_ = (b); \
        ck_assert_msg(a_ == b_, "%s == %s: %p, %p", #a, #b, (const void *)a_, (const void *)b_); \
    } while (0)
#define ck_assert_ptr_null(a) ck_assert((a) == NULL)
#define ck_assert_ptr_nonnull(a) ck_assert((a) != NULL)
#define ck_assert_mem_eq(a, b, size) ck_assert(memcmp(a, b, size) == 0)
#define ck_assert_str_eq(a, b) \
    do { \
        const char *a_ = (a), *b_ = (b); \
        ck_assert_msg(strcmp(a_, b_) == 0, "%s == %s: \"%s\", \"%s\"", #a, #b, a_, b_); \
    } while (0)
#define ck_assert_str_ne(a, b) \
    do { \
        const char *a_ = (a), *b_ = (b); \
        ck_assert_msg(strcmp(a_, b_) != 0, "%s != %s: \"%s\"", #a, #b, a_); \
    } while (0)
/* Either may be NULL. */
#define ck_assert_pstr_eq(a, b) \
    do { \
        const char *a_ = (a), *b_ = (b); \
        ck_assert_msg(a_ == b_ || (a_ && b_ && strcmp(a_, b_) == 0), "%s == %s: \"%s\", \"%s\"", \
                      #a, #b, a_ ? a_ : "(NULL)", b_ ? b_ : "(NULL)"); \
    } while (0)

#endif
