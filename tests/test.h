/* test.h - what all tests share. Tests run from the top folder of the repository.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_H
#define TEST_H

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <model/recallmodel.h>

/* Check's own notes each assertion that holds, for the case that the test crashes before the next.
 * That is a message to another process, which took most of the time of tests with millions. */
#ifdef CHECK_MAJOR_VERSION
#undef ck_assert_msg
#define ck_assert_msg(expr, ...) \
    ((expr) ? (void)0 \
            : _ck_assert_failed(__FILE__, __LINE__, "Assertion '" #expr "' failed", __VA_ARGS__))
#endif

/* Every failure prints the whole shape. */
#define TOPK_FMT "n %" PRIu64 " k %" PRIu64 " b %" PRIu64 " k_b %" PRIu64 " valid %" PRIu64 "%s"
#define TOPK_ARG(p) \
    (p).n, (p).k, (p).b, (p).k_b, (p).valid, \
        (p).assignment == RCM_CONTIGUOUS         ? " contiguous" \
        : (p).assignment == RCM_CONTIGUOUS_FLOOR ? " contiguous-floor" \
                                                 : ""

/* A test has one thread where it asks for no more: others run beside it, and threads of OpenMP spin
 * while they wait for one that does not run. */
static inline void start_with_one_thread(void)
{
#ifdef _OPENMP
    omp_set_num_threads(1);
#endif
}

/* Runs the tests given as START_TEST names. Exit status 1 if one fails. */
#define TEST_MAIN(name, ...) \
    int main(void) \
    { \
        start_with_one_thread(); \
        const TTest *const tests[] = {__VA_ARGS__}; \
        Suite *suite = suite_create(name); \
        TCase *tcase = tcase_create(name); \
        tcase_set_timeout(tcase, 300); \
        for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) \
            tcase_add_test(tcase, tests[i]); \
        suite_add_tcase(suite, tcase); \
        SRunner *runner = srunner_create(suite); \
        srunner_run_all(runner, CK_ENV); \
        int failed = srunner_ntests_failed(runner); \
        srunner_free(runner); \
        return failed ? EXIT_FAILURE : EXIT_SUCCESS; \
    }

/* CASES=few: the short form of a test, for `make check` and for checkers that make a run hundreds
 * of times slower. The tests that call it have one (tests/tests.mk). */
static inline bool few_cases(void)
{
    const char *cases = getenv("CASES");
    return cases && strcmp(cases, "few") == 0;
}

/* CPU seconds of this process: a limit on them holds on a busy machine, too. -DEMULATED: always 0,
 * for the seconds of an emulated machine say nothing. */
/* Makes a file of these bytes. */
static inline void write_bytes(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    if (length > 0)
        ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
}

static inline double cpu_seconds(void)
{
#ifdef EMULATED
    return 0.0;
#else
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#endif
}

/* The kinds of rows that top-k is tried on, on a CPU and a GPU. */
#define KINDS_OF_ROWS \
    NORMAL, EQUAL, FEW, RISING, FALLING, LEADING_BITS, SOME_INFINITE, ALL_INFINITE, SOME_NAN, \
        ALL_NAN, ZEROS, ANY_BITS

static inline double relative_error(double got, double want)
{
    return want == got ? 0.0 : fabs(got - want) / fabs(want);
}

/* Random shapes: Steele, Lea and Flood's splitmix64. */
static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint64_t random_between(uint64_t *state, uint64_t low, uint64_t high)
{
    return low + next_random(state) % (high - low + 1);
}

/* Uniform in the logarithm, and each end one time in eight. */
static inline uint64_t random_scale(uint64_t *state, uint64_t low, uint64_t high)
{
    uint64_t choice = next_random(state) % 8;
    if (choice < 2)
        return choice ? high : low;
    double u = (double)(next_random(state) >> 11) * 0x1p-53;
    double value = (double)low * pow((double)high / (double)low, u);
    return value < (double)low ? low : value > (double)high ? high : (uint64_t)value;
}

static inline uint64_t ceil_divide(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* A random legal shape with n up to n_max, biased to the corners. */
static inline struct rcm_topk random_shape(uint64_t *state, uint64_t n_max)
{
    struct rcm_topk p = {.n = random_scale(state, 1, n_max)};
    do {
        p.k = random_scale(state, 1, p.n);
        p.k_b = random_scale(state, 1, p.k < 64 ? p.k : 64);
        struct rcm_range range = rcm_deployable_b(p);
        if (range.low == 0)
            continue;
        p.b = random_scale(state, range.low, range.high);
    } while (rcm_check_deployable(p) != RCM_OK);
    return p;
}

/* Reads the next line of a CSV file into at most `most` fields, in place. Returns how many. */
static inline int csv_fields(FILE *file, char *line, int size, char **fields, int most)
{
    int count = 0;
    if (!fgets(line, size, file))
        return 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; count < most; at++) {
        fields[count++] = at;
        at = strchr(at, ',');
        if (!at)
            break;
        *at = '\0';
    }
    return count;
}

static inline uint64_t to_count(const char *text)
{
    return strtoull(text, NULL, 10);
}

#endif
