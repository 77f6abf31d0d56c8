/* test_checkpoint.c - checkpoints: a simulation that is killed at any moment and started again
 * ends with the same bits. It rejects a file that is not a checkpoint of it.
 *
 * Against: the same simulation without interruption, bit for bit.
 *
 * Slow: 5 s.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sim/simulate.h>
#include <tests/test.h>

enum { SHAPES = 4, RHOS = 2, SHUFFLES = 2, RANKS = 2, RESULTS = RHOS * SHUFFLES * SHAPES };

static const double rhos[RHOS] = {0.2, 0.7};
static const enum sim_shuffle shuffles[SHUFFLES] = {SIM_SHUFFLE_NONE, SIM_SHUFFLE_ROW};
static const struct sim_shape shapes[SHAPES] = {{64, 1, 0}, {32, 2, 1}, {13, 5, 2}, {8, 8, 0}};
static const uint64_t ranks[RANKS] = {3, 60};

/* All results of a simulation, without pointers. */
struct answer {
    bool finished;
    int status;
    char error[300];
    uint64_t done;
    struct sim_result results[RESULTS];
    uint64_t survived[RESULTS][RANKS];
    struct sim_rows rows[RHOS];
};

static struct sim_spec small_spec(const char *checkpoint)
{
    return (struct sim_spec){.n = 500,
                             .k = 64,
                             .valid = 450,
                             .input = SIM_AR1,
                             .rho = rhos,
                             .rhos = RHOS,
                             .shuffle = shuffles,
                             .shuffles = SHUFFLES,
                             .shape = shapes,
                             .shapes = SHAPES,
                             .rank = ranks,
                             .ranks = RANKS,
                             .reaching = true,
                             .weights = true,
                             .temperature = 0.7,
                             .seed = 3,
                             .repetitions = 6000,
                             .threads = 2,
                             .checkpoint = checkpoint,
                             .checkpoint_seconds = 1e-3};
}

static struct answer *shared_answer(void)
{
    FILE *file = tmpfile();
    ck_assert(file && ftruncate(fileno(file), sizeof(struct answer)) == 0);
    void *memory =
        mmap(NULL, sizeof(struct answer), PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    fclose(file);
    ck_assert(memory != MAP_FAILED);
    return memory;
}

static bool stop_soon(void *context, uint64_t done, uint64_t total)
{
    static int blocks; /* of this process */
    (void)context, (void)done, (void)total;
    return ++blocks == 4;
}

static rlim_t largest_file; /* that a run may write; 0: any */

/* Runs in a process of its own, because the test may kill it. Fills the answer when it ends by
 * itself. */
static pid_t start(const struct sim_spec *spec, struct answer *answer, watch_stop *tick)
{
    memset(answer, 0, sizeof *answer);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child > 0)
        return child;
    if (largest_file) {
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){largest_file, largest_file});
    }
    struct simulation *s = simulation_new(spec, MESSAGE(answer->error));
    answer->status = simulation_run(s, tick, NULL, MESSAGE(answer->error));
    answer->done = simulation_done(s);
    for (size_t i = 0; i < RESULTS && answer->status == 0; i++) {
        struct sim_result *r = &answer->results[i];
        *r = simulation_result(s, i / SHAPES / SHUFFLES, i / SHAPES % SHUFFLES, i % SHAPES);
        for (size_t j = 0; j < spec->ranks; j++)
            answer->survived[i][j] = r->survived[j];
        r->survived = NULL;
        r->lost.count = NULL;
    }
    for (size_t i = 0; i < RHOS && answer->status == 0; i++)
        answer->rows[i] = simulation_rows(s, i);
    simulation_free(s);
    answer->finished = true;
    _exit(0);
}

static void run(const struct sim_spec *spec, struct answer *answer, watch_stop *tick)
{
    int status;
    pid_t child = start(spec, answer, tick);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && answer->finished);
}

static bool same(const struct answer *a, const struct answer *b)
{
    return memcmp(a->results, b->results, sizeof a->results) == 0 &&
           memcmp(a->survived, b->survived, sizeof a->survived) == 0 &&
           memcmp(a->rows, b->rows, sizeof a->rows) == 0 && a->done == b->done;
}

static char folder[] = "/tmp/recallmodel-test-XXXXXX", path[sizeof folder + 16],
            other[sizeof folder + 16];

static void make_folder(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/checkpoint", folder);
    snprintf(other, sizeof other, "%s/checkpoint.new", folder);
}

static void remove_folder(void)
{
    unlink(path);
    unlink(other);
    ck_assert_int_eq(rmdir(folder), 0);
}

START_TEST(threads_do_not_matter)
{
    struct answer *one = shared_answer(), *many = shared_answer();
    struct sim_spec spec = small_spec(NULL);
    spec.threads = 1;
    spec.repetitions = few_cases() ? 1500 : spec.repetitions;
    run(&spec, one, NULL);
    ck_assert_uint_eq(one->done, spec.repetitions);
    for (unsigned threads = 2; threads <= 8; threads += 3) {
        spec.threads = threads;
        run(&spec, many, NULL);
        ck_assert_msg(same(one, many), "%u threads", threads);
    }
    spec.seed++;
    run(&spec, many, NULL);
    ck_assert(!same(one, many));
}
END_TEST

START_TEST(killed_at_random_moments)
{
    struct answer *whole = shared_answer(), *parts = shared_answer();
    struct sim_spec spec = small_spec(NULL);
    spec.repetitions = few_cases() ? 1500 : spec.repetitions;
    uint64_t state = (uint64_t)time(NULL); /* the moments differ from run to run anyway */
    unsigned killed = 0, continued = 0;
    struct timespec before, after;
    make_folder();
    clock_gettime(CLOCK_MONOTONIC, &before);
    run(&spec, whole, NULL);
    clock_gettime(CLOCK_MONOTONIC, &after);
    uint64_t whole_us = (uint64_t)(after.tv_sec - before.tv_sec) * 1000000 +
                        (uint64_t)(after.tv_nsec / 1000 - before.tv_nsec / 1000);
    spec.checkpoint = path;
    while (killed < 10) {
        int status = 0;
        pid_t child = start(&spec, parts, NULL);
        uint64_t pause_us = random_between(&state, 0, whole_us / 4);
        nanosleep(&(struct timespec){.tv_sec = (time_t)(pause_us / 1000000),
                                     .tv_nsec = (long)(pause_us % 1000000) * 1000},
                  NULL);
        kill(child, SIGKILL);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        killed += WIFSIGNALED(status);
        continued += access(path, F_OK) == 0;
        if (WIFEXITED(status) && parts->finished) { /* it was done before the kill: begin again */
            ck_assert_msg(same(whole, parts), "after %u kills", killed);
            unlink(path);
        }
    }
    run(&spec, parts, NULL);
    ck_assert_msg(parts->status == 0, "%s", parts->error);
    ck_assert(same(whole, parts));
    run(&spec, parts, NULL); /* done: the answer at once */
    ck_assert(same(whole, parts));
    ck_assert_uint_gt(continued, 0);
    printf("killed %u times, a checkpoint was there %u times; whole run %.0f ms\n", killed,
           continued, (double)whole_us / 1e3);
    remove_folder();
}
END_TEST

/* The repetitions that it measured before the stop are the first of the whole. */
START_TEST(stopped_and_continued)
{
    struct answer *whole = shared_answer(), *part = shared_answer(), *prefix = shared_answer();
    struct sim_spec spec = small_spec(NULL);
    spec.repetitions = few_cases() ? 1500 : spec.repetitions;
    make_folder();
    run(&spec, whole, NULL);
    spec.checkpoint = path;
    run(&spec, part, stop_soon);
    ck_assert(part->done > 0 && part->done < spec.repetitions);
    struct sim_spec first = small_spec(NULL);
    first.repetitions = part->done;
    run(&first, prefix, NULL);
    ck_assert(same(part, prefix));
    for (int i = 0; part->done < spec.repetitions && i < 1000; i++)
        run(&spec, part, stop_soon);
    ck_assert(same(whole, part));
    remove_folder();
}
END_TEST

static void refuse(const struct sim_spec *spec, const char *reason)
{
    struct answer *answer = shared_answer();
    run(spec, answer, NULL);
    ck_assert_msg(answer->status != 0, "accepted, where '%s' was expected", reason);
    bool unwritable = strcmp(reason, "cannot be written") == 0;
    ck_assert_msg((answer->status == SIM_REFUSED) == !unwritable, "%s: status %d", reason,
                  answer->status);
    ck_assert_msg(strstr(answer->error, reason), "'%s' does not say '%s'", answer->error, reason);
    munmap(answer, sizeof *answer);
}

/* A valid file that an older version wrote. */
static void write_version_1(const char *text, size_t length)
{
    static char old[200000];
    memcpy(old, text, length);
    char *version = strstr(old, "version ");
    ck_assert_ptr_nonnull(version);
    version[strlen("version ")] = '1';
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a of all but the line with the checksum */
    size_t body = length - strlen("checksum 0123456789abcdef\n");
    for (size_t i = 0; i < body; i++)
        hash = (hash ^ (unsigned char)old[i]) * UINT64_C(0x100000001b3);
    FILE *file = fopen(path, "w");
    ck_assert_uint_eq(fwrite(old, 1, body, file), body);
    fprintf(file, "checksum %016" PRIx64 "\n", hash);
    ck_assert_int_eq(fclose(file), 0);
}

/* Makes the folder and a checkpoint of a stopped simulation. Returns its length. */
static size_t make_checkpoint(char *text, size_t size)
{
    struct answer *answer = shared_answer();
    make_folder();
    struct sim_spec spec = small_spec(path);
    run(&spec, answer, stop_soon);
    ck_assert(answer->status == 0);
    FILE *file = fopen(path, "r");
    size_t length = fread(text, 1, size, file);
    fclose(file);
    return length;
}

/* Other parameters, each by its name; another version. */
START_TEST(what_is_refused)
{
    struct sim_spec spec;
    static char text[200000];
    const size_t length = make_checkpoint(text, sizeof text);
    const double more_rhos[] = {0.2, 0.8};
    const struct sim_shape more_shapes[] = {{64, 1, 0}, {32, 2, 1}, {13, 5, 2}, {8, 7, 0}};
    const uint64_t more_ranks[] = {3, 61};
    const enum sim_shuffle more_shuffles[] = {SIM_SHUFFLE_NONE, SIM_SHUFFLE_ONCE};
#define WITH(field, value, reason) \
    do { \
        spec = small_spec(path); \
        spec.field = value; \
        refuse(&spec, reason); \
    } while (0)
    WITH(n, 501, "'n 500', not 'n 501'");
    WITH(k, 63, "'k 64'");
    WITH(valid, 451, "'valid 450'");
    WITH(seed, 4, "'seed 3'");
    WITH(repetitions, 7000, "'repetitions 6000'");
    WITH(input, SIM_IID, "'input ar1'");
    WITH(rho, more_rhos, "'rho 0.2");
    WITH(rhos, 1, "'rho 0.2");
    WITH(shape, more_shapes, "'shapes ");
    WITH(rank, more_ranks, "'ranks 3 60'");
    WITH(shuffle, more_shuffles, "'shuffle none row'");
    WITH(temperature, 0.8, "'temperature 0.7");
    WITH(weights, false, "'temperature 0.7");
    WITH(reaching, false, "'reaching yes'");
    write_version_1(text, length);
    spec = small_spec(path);
    refuse(&spec, "of another version of recallmodel (format 1, not 2)");
    remove_folder();
}
END_TEST

/* Damage: cut off, or any byte changed. */
START_TEST(damage_is_refused)
{
    static char text[200000];
    const size_t length = make_checkpoint(text, sizeof text);
    struct sim_spec spec = small_spec(path);
    uint64_t state = 1;
    for (int i = 0; i < 60; i++) {
        size_t at = i < 20 ? length * (size_t)i / 20 : random_between(&state, 0, length - 1);
        char was = text[at];
        FILE *file = fopen(path, "w");
        if (i >= 20)
            text[at] = (char)(was ^ (1 << i % 7));
        ck_assert_uint_eq(fwrite(text, 1, i < 20 ? at : length, file), i < 20 ? at : length);
        fclose(file);
        text[at] = was;
        refuse(&spec, at < 23 ? "not a checkpoint" : "damaged");
    }
    unlink(path);
    mkdir(path, 0700);
    refuse(&spec, "cannot be read");
    rmdir(path);
    remove_folder();
}
END_TEST

/* A checkpoint that cannot be written is an error, and it is reported. */
START_TEST(what_cannot_be_written)
{
    static char text[200000], after[sizeof text];
    const size_t length = make_checkpoint(text, sizeof text);
    struct sim_spec spec = small_spec(path);
    spec.checkpoint = "/nowhere/checkpoint";
    refuse(&spec, "cannot be written");
    /* As on a full disk: no file may grow beyond 2000 bytes. The old checkpoint stays. */
    spec = small_spec(path);
    FILE *file = fopen(path, "w");
    ck_assert_uint_eq(fwrite(text, 1, length, file), length);
    fclose(file);
    largest_file = 2000;
    refuse(&spec, "cannot be written");
    largest_file = 0;
    file = fopen(path, "r");
    ck_assert_uint_eq(fread(after, 1, sizeof after, file), length);
    fclose(file);
    ck_assert_int_eq(memcmp(text, after, length), 0);
    ck_assert_int_ne(access(other, F_OK), 0);
    remove_folder();
}
END_TEST

TEST_MAIN("checkpoint", threads_do_not_matter, killed_at_random_moments, stopped_and_continued,
          what_is_refused, damage_is_refused, what_cannot_be_written)
