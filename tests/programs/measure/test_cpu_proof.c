/* test_cpu_proof.c - the proofs of recallmodel bench: right results pass, each planted fault is
 * found, and a cell with a fault has no row. Right results are made here, by sorting.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include <programs/bench-cpu/check.h>
#include <programs/bench-cpu/cpu.h>
#include <programs/bench-cpu/device.h>
#include <programs/bench-cpu/inputs.h>
#include <programs/bench-cpu/keys.h>
#include <programs/bench-cpu/machine.h>
#include <programs/bench-cpu/plain.h>
#include <programs/bench/measure_cells.h>
#include <tests/test.h>

#define N_MAX 200

static uint64_t random_state = 1;
static uint64_t below(uint64_t bound)
{
    return next_random(&random_state) % bound;
}

/* ---- keys */

static int sign_of(double difference)
{
    return (difference > 0.0) - (difference < 0.0);
}

/* The library lies above the folders of the tests. */
static void find_library(void)
{
    char path[4200];
    const char *build = getenv("BUILD");
    snprintf(path, sizeof path, "%s/librecallmodel.so", build ? build : "build");
    setenv("RECALLMODEL_LIBRARY", path, 1);
}

START_TEST(keys_are_in_the_order_of_the_values)
{
    const float values[] = {NAN,    -INFINITY, -3e38f, -1.0f, -1e-45f, 0.0f,
                            1e-45f, 1.0f,      1.5f,   3e38f, INFINITY};
    enum { COUNT = sizeof values / sizeof *values };
    const float zeros[] = {-0.0f, 0.0f, -NAN, NAN};
    int64_t keys[COUNT], wide[COUNT];
    double doubles[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        doubles[i] = values[i];
    keys_of(DTYPE_F32, values, 0, COUNT, keys);
    keys_of(DTYPE_F64, doubles, 0, COUNT, wide);
    for (size_t i = 1; i < COUNT; i++) {
        ck_assert_int_lt(keys[i - 1], keys[i]);
        ck_assert_int_lt(wide[i - 1], wide[i]);
    }
    keys_of(DTYPE_F32, zeros, 0, 4, keys);
    ck_assert_int_eq(keys[0], keys[1]);
    ck_assert_int_eq(keys[2], INT64_MIN);
    ck_assert_int_eq(keys[3], INT64_MIN);
    /* the lowest of each integer type, and from the middle of an array */
    const int8_t bytes[] = {5, INT8_MIN, -1, INT8_MAX};
    keys_of(DTYPE_I8, bytes, 1, 3, keys);
    ck_assert_int_eq(keys[0], INT8_MIN);
    ck_assert_int_eq(keys[2], INT8_MAX);
    const uint16_t halves[] = {0xfc00, 0xbc00, 0x8000, 0x3c00, 0x7c00, 0x7c01};
    keys_of(DTYPE_F16, halves, 0, 6, keys);
    for (int i = 1; i < 5; i++)
        ck_assert_int_lt(keys[i - 1], keys[i]);
    ck_assert_int_eq(keys[5], INT64_MIN);
}
END_TEST

START_TEST(selection_is_that_of_a_sort)
{
    for (int repetition = 0; repetition < 3000; repetition++) {
        const size_t n = 1 + below(60), k = 1 + below(n);
        int64_t keys[60], sorted[60];
        for (size_t i = 0; i < n; i++)
            keys[i] = sorted[i] = (int64_t)below(repetition % 2 ? 5 : 1000) - 3;
        keys_sort(sorted, n);
        ck_assert_int_eq(keys_select(keys, n, k), sorted[k - 1]);
        keys_sort(keys, k);
        ck_assert_mem_eq(keys, sorted, k * sizeof *keys);
        ck_assert_uint_eq(keys_common(keys, k, sorted, n), k);
    }
}
END_TEST

/* ---- inputs */

START_TEST(inputs_of_the_types_are_the_same_values)
{
    static float f32[1000];
    static double f64[1000];
    static int32_t i32[1000];
    static int8_t i8[1000];
    static uint16_t bf16[1000];
    for (unsigned input = 0; cpu_input_name(input); input++) {
        cpu_fill(DTYPE_F32, input, 2, 500, 7, f32);
        cpu_fill(DTYPE_F64, input, 2, 500, 7, f64);
        cpu_fill(DTYPE_I32, input, 2, 500, 7, i32);
        cpu_fill(DTYPE_I8, input, 2, 500, 7, i8);
        cpu_fill(DTYPE_BF16, input, 2, 500, 7, bf16);
        for (size_t i = 0; i < 1000 && strcmp(cpu_input_name(input), "leading-bits") != 0; i++) {
            uint32_t bits = (uint32_t)bf16[i] << 16;
            float near;
            memcpy(&near, &bits, sizeof near);
            ck_assert_double_eq(f64[i], (double)f32[i]);
            ck_assert(near == f32[i] || fabsf(near - f32[i]) <= 0.004f * fabsf(f32[i]));
            if (isinf(f32[i])) {
                ck_assert_int_eq(i32[i], INT32_MIN);
                ck_assert_int_eq(i8[i], INT8_MIN);
            } else {
                ck_assert_int_eq(sign_of(i32[i] - rint(f64[i] * 16777216.0)), 0);
                ck_assert_double_eq(i8[i], fmax(-128.0, fmin(127.0, rint(f64[i] * 32.0))));
            }
        }
    }
    double sum = 0.0, squares = 0.0; /* of 1000 normals: five standard errors */
    cpu_fill(DTYPE_F32, INPUT_NORMAL, 2, 500, 7, f32);
    for (size_t i = 0; i < 1000; i++)
        sum += f32[i], squares += f32[i] * f32[i];
    ck_assert_double_lt(fabs(sum), 160.0);
    ck_assert_double_lt(fabs(squares - 1000.0), 230.0);
}
END_TEST

/* ---- right results, and faults */

static float x[2 * N_MAX], values[2 * N_MAX];
static int32_t indices[2 * N_MAX];
static int32_t order[N_MAX];

static int by_value(const void *a, const void *b)
{
    const float *row = x;
    const float p = row[*(const int32_t *)a], q = row[*(const int32_t *)b];
    return (p < q) - (p > q);
}

/* The bucket of an element by dealing all of them out. */
static uint64_t bucket_by_dealing(const struct cell *c, uint64_t wanted)
{
    uint64_t i = 0;
    for (uint64_t bucket = 0; bucket < c->b; bucket++)
        for (uint64_t at = 0; at < c->n / c->b + (bucket < c->n % c->b); at++, i++)
            if (c->assignment == RCM_CONTIGUOUS ? i == wanted : at * c->b + bucket == wanted)
                return bucket;
    return 0;
}

/* One row: fills `values` and `indices`, best first in each bucket, or overall. Returns the
 * length. */
static size_t make_right(const struct cell *c)
{
    size_t length = 0;
    uint64_t counts[N_MAX] = {0};
    int32_t kept[N_MAX];
    for (int32_t i = 0; i < (int32_t)c->n; i++)
        order[i] = i;
    qsort(order, c->n, sizeof *order, by_value);
    if (c->kernel->task == TASK_STAGE1) {
        for (uint64_t bucket = 0; bucket < c->b; bucket++)
            for (uint64_t i = 0, count = 0; i < c->n && count < c->k_b; i++)
                if (bucket_by_dealing(c, (uint64_t)order[i]) == bucket) {
                    kept[length++] = order[i];
                    count++;
                }
    } else {
        for (uint64_t i = 0; i < c->n && length < c->k; i++) {
            const uint64_t bucket = bucket_by_dealing(c, (uint64_t)order[i]);
            if (c->kernel->task == TASK_EXACT || counts[bucket]++ < c->k_b)
                kept[length++] = order[i];
        }
    }
    for (size_t i = 0; i < length; i++) {
        indices[i] = kept[i];
        values[i] = x[kept[i]];
    }
    return length;
}

static uint64_t total(struct verdict v)
{
    return v.invalid + v.repeated + v.misplaced + v.altered + v.missed + v.unsorted;
}

static struct cell random_cell(int repetition)
{
    static const char *const names[] = {"threshold-sorted", "auto", "auto-sorted"};
    static const enum task tasks[] = {TASK_EXACT, TASK_STAGE1, TASK_TWO_STAGE};
    const int what = repetition % 3;
    struct cell c = {.kernel = kernel_by_name(tasks[what], names[what]), .m = 1, .threads = 1};
    c.n = 2 + below(N_MAX - 1);
    c.assignment = below(2) ? RCM_CONTIGUOUS : RCM_INTERLEAVED;
    c.b = 1 + below(c.n);
    c.k_b = 1 + below((c.n - 1) / c.b + 1);
    c.k = 1 + below(candidates_of(c.n, c.b, c.k_b));
    if (c.kernel->task == TASK_EXACT) {
        c.b = 1;
        c.k_b = c.k;
    }
    for (uint64_t i = 0; i < c.n; i++)
        x[i] = repetition % 2 ? (float)below(1000000) : (float)below(4) - 1.0f;
    return c;
}

START_TEST(right_results_pass)
{
    for (int repetition = 0; repetition < 6000; repetition++) {
        const struct cell c = random_cell(repetition);
        ck_assert_uint_eq(make_right(&c), cell_results(&c));
        const struct verdict v = check_outputs(&c, true, x, values, indices);
        ck_assert_msg(total(v) == 0, "%s n %lu k %lu b %lu k_b %lu", task_name(c.kernel->task),
                      (unsigned long)c.n, (unsigned long)c.k, (unsigned long)c.b,
                      (unsigned long)c.k_b);
    }
}
END_TEST

/* Faults, each planted in a right result of distinct values: false where it has no place. */
typedef bool plant(const struct cell *cell, size_t length);

static void put_index(size_t at, int32_t index)
{
    indices[at] = index;
    values[at] = x[index];
}

static void swap_results(size_t a, size_t b)
{
    const int32_t index = indices[a];
    put_index(a, indices[b]);
    put_index(b, index);
}

static bool plant_invalid(const struct cell *c, size_t length)
{
    indices[below(length)] = below(2) ? (int32_t)c->n : -1;
    return true;
}

static bool plant_repeated(const struct cell *c, size_t length)
{
    const size_t at = below(length);
    (void)c;
    put_index(at, indices[(at + 1) % length]);
    return length > 1;
}

static bool plant_altered(const struct cell *c, size_t length)
{
    const size_t at = below(length);
    uint32_t bits;
    (void)c;
    memcpy(&bits, &values[at], sizeof bits);
    bits ^= 1u << below(32);
    memcpy(&values[at], &bits, sizeof bits);
    return true;
}

/* The worst that was kept, of a bucket in stage 1, gives way to a worse one. */
static bool plant_missed(const struct cell *c, size_t length)
{
    const bool stage1 = c->kernel->task == TASK_STAGE1;
    if (stage1 && c->k_b >= c->n / c->b)
        return false;
    const uint64_t bucket = below(c->b);
    const size_t last = stage1 ? (size_t)(bucket * c->k_b + c->k_b - 1) : length - 1;
    for (uint64_t i = 0; i < c->n; i++)
        if (x[i] < values[last] && (!stage1 || bucket_by_dealing(c, i) == bucket)) {
            put_index(last, (int32_t)i);
            return true;
        }
    return false;
}

static bool plant_misplaced(const struct cell *c, size_t length)
{
    if (c->kernel->task != TASK_STAGE1 || c->b < 2)
        return false;
    swap_results(0, c->k_b % length); /* the best of two buckets */
    return true;
}

static bool plant_unsorted(const struct cell *c, size_t length)
{
    if (length < 2 || values[length - 2] <= values[length - 1] ||
        (c->kernel->task == TASK_STAGE1 && c->b > 1))
        return false;
    swap_results(length - 2, length - 1);
    return true;
}

static const struct {
    plant *plant;
    size_t count; /* where the verdict counts it */
} faults[] = {
    {plant_invalid, offsetof(struct verdict, invalid)},
    {plant_repeated, offsetof(struct verdict, repeated)},
    {plant_altered, offsetof(struct verdict, altered)},
    {plant_missed, offsetof(struct verdict, missed)},
    {plant_misplaced, offsetof(struct verdict, misplaced)},
    {plant_unsorted, offsetof(struct verdict, unsorted)},
};
enum { FAULTS = sizeof faults / sizeof *faults };

START_TEST(each_fault_is_found)
{
    unsigned found[FAULTS] = {0};
    for (int repetition = 1; repetition < 12000; repetition += 2) {
        const struct cell c = random_cell(repetition);
        const size_t length = make_right(&c), fault = below(FAULTS);
        bool distinct = true;
        for (uint64_t i = 1; i < c.n; i++)
            distinct &= x[order[i - 1]] != x[order[i]];
        if (!distinct || !faults[fault].plant(&c, length))
            continue;
        const struct verdict v = check_outputs(&c, true, x, values, indices);
        ck_assert_msg(*(const uint64_t *)(const void *)((const char *)&v + faults[fault].count) > 0,
                      "fault %zu in %s, n %lu k %lu b %lu k_b %lu", fault,
                      task_name(c.kernel->task), (unsigned long)c.n, (unsigned long)c.k,
                      (unsigned long)c.b, (unsigned long)c.k_b);
        found[fault]++;
    }
    for (size_t fault = 0; fault < FAULTS; fault++)
        ck_assert_msg(found[fault] > 30, "fault %zu was planted %u times", fault, found[fault]);
}
END_TEST

START_TEST(hits_are_counted_by_value)
{
    int64_t best[N_MAX];
    for (int repetition = 0; repetition < 900; repetition++) {
        const struct cell c = random_cell(repetition);
        struct cell exact = c;
        make_right(&c);
        true_topk(&c, x, best);
        const uint64_t hits = count_hits(&c, best, values);
        /* the same by sorting both */
        int64_t all[N_MAX], ours[N_MAX];
        keys_of(DTYPE_F32, x, 0, c.n, all);
        keys_sort(all, c.n);
        ck_assert_mem_eq(all, best, c.k * sizeof *best);
        keys_of(DTYPE_F32, values, 0, cell_results(&c), ours);
        keys_sort(ours, cell_results(&c));
        ck_assert_uint_eq(hits, keys_common(all, c.k, ours, cell_results(&c)));
        /* the plain selection has them all */
        static char workspace[N_MAX * 16];
        exact.kernel = kernel_by_name(TASK_EXACT, "quickselect");
        ck_assert_uint_le(plain_workspace(exact.n), sizeof workspace);
        plain_topk(&exact, x, values, indices, workspace);
        ck_assert_uint_eq(total(check_outputs(&exact, false, x, values, indices)), 0);
        ck_assert_uint_eq(count_hits(&exact, best, values), c.k);
    }
}
END_TEST

/* ---- a fault in a measurement: the back end of the CPU, with a call that goes wrong */

static unsigned calls, wrong_from;

static enum rcm_top_k_status run_with_a_fault(struct device *device)
{
    const enum rcm_top_k_status status = cpu_run_cell(device);
    if (++calls >= wrong_from)
        ((int32_t *)device->indices.at)[0] ^= 1;
    return status;
}

static enum rcm_top_k_status run_nothing(struct device *device)
{
    (void)device;
    return ++calls >= wrong_from ? RCM_TOP_K_OK : cpu_run_cell(device);
}

static int measure_with(enum rcm_top_k_status (*run)(struct device *), unsigned from,
                        char text[4000])
{
    static const struct measuring how = {.rules = {.noise = 0.5, .seconds = 0.01, .least = 7}};
    char path[] = "/tmp/rcm-bench-XXXXXX", error[300];
    const struct cell cell = {.kernel = kernel_by_name(TASK_EXACT, "threshold"),
                              .n = 1000,
                              .k = 10,
                              .b = 1,
                              .k_b = 10,
                              .m = 1,
                              .threads = 1,
                              .warm = true};
    struct cell_list list = {0};
    struct results results;
    struct runner runner = {NULL, NULL};
    cell_list_add(&list, &cell);
    ck_assert_uint_eq(list.length, 1);
    close(mkstemp(path));
    ck_assert_int_eq(results_open(&results, path, "columns", 2, "# head git=x \n", error, 300), 0);
    find_library();
    ck_assert_int_eq(backend->open(&runner.device, 1), 0);
    runner.device->cell_work.run = run;
    calls = 0;
    wrong_from = from;
    const int status = measure_cells(&runner, &list, &results, &how);
    backend->close(runner.device);
    results_close(&results);
    cell_list_free(&list);
    FILE *file = fopen(path, "r");
    text[fread(text, 1, 3999, file)] = '\0';
    fclose(file);
    unlink(path);
    return status;
}

START_TEST(a_wrong_cell_has_no_row)
{
    char text[4000];
    ck_assert_int_eq(measure_with(run_with_a_fault, 1000000000, text), STATUS_OK);
    ck_assert_msg(strstr(text, "\nexact,threshold,float32,") != NULL, "%s", text);
    ck_assert_int_eq(measure_with(run_with_a_fault, 1, text), STATUS_FAILED);
    ck_assert_msg(strstr(text, "\nexact,") == NULL, "%s", text);
    ck_assert_msg(strstr(text, "# wrong exact,threshold,") != NULL, "%s", text);
    /* right in the first call, wrong in the timed ones */
    ck_assert_int_eq(measure_with(run_with_a_fault, 2, text), STATUS_FAILED);
    ck_assert_msg(strstr(text, "\nexact,") == NULL && strstr(text, "# wrong "), "%s", text);
    /* the timed calls write nothing: the outputs of the first one are poisoned before */
    ck_assert_int_eq(measure_with(run_nothing, 2, text), STATUS_FAILED);
    ck_assert_msg(strstr(text, "10 indices outside the row") != NULL, "%s", text);
}
END_TEST

START_TEST(levels_of_cache)
{
    const struct machine *m = machine();
    ck_assert_uint_gt(m->cores, 0);
    if (m->l1_bytes == 0 || m->l2_bytes <= m->l1_bytes || m->l3_bytes <= 2 * m->l2_bytes)
        return; /* this system does not say, or has no such levels */
    ck_assert_str_eq(machine_level((double)m->l1_bytes, 1), "L1");
    ck_assert_str_eq(machine_level((double)m->l1_bytes + 1.0, 1), "L2");
    ck_assert_str_eq(machine_level((double)m->l2_bytes + 1.0, 1), "L3");
    ck_assert_str_eq(machine_level((double)m->l2_bytes + 1.0, 2), "L2");
    ck_assert_str_eq(machine_level((double)m->l3_bytes + 1.0, 1), "memory");
}
END_TEST

__attribute__((constructor)) static void set_backend(void)
{
    backend = &cpu_backend;
}

TEST_MAIN("cpu_proof", keys_are_in_the_order_of_the_values, selection_is_that_of_a_sort,
          inputs_of_the_types_are_the_same_values, right_results_pass, each_fault_is_found,
          hits_are_counted_by_value, a_wrong_cell_has_no_row, levels_of_cache)
