/* test_gpu.c - every GPU kernel against plain C, on every kind of row. Without a GPU the kernels
 * run under the emulation of gpu/emulate.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "gpu/check.h"
#include "gpu/inputs.h"
#include "gpu/memory.h"
#include "gpu/roof.h"
#include "gpu/topk_gpu.h"
#include "test.h"

/* ck_assert_msg writes to a file each time that it holds. */
#define REQUIRE(truth, ...) \
    do { \
        if (!(truth)) \
            ck_abort_msg(__VA_ARGS__); \
    } while (0)

/* Linked with the real kernels, this needs a GPU. */
__attribute__((constructor)) static void need_device(void)
{
    void *memory = rcm_gpu_allocate(1);
    if (!memory) {
        fprintf(stderr, "test_gpu: %s\n", rcm_gpu_message(RCM_GPU_NO_DEVICE));
        exit(3);
    }
    rcm_gpu_free(memory);
}

/* ---- values: what the bits of an element mean, written without the kernels' tricks */

static double value_of(enum rcm_gpu_dtype dtype, uint32_t bits)
{
    if (dtype == RCM_GPU_F32 || dtype == RCM_GPU_BF16) {
        uint32_t wide = dtype == RCM_GPU_F32 ? bits : bits << 16;
        float value;
        memcpy(&value, &wide, sizeof value);
        return (double)value;
    }
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023) / 1024.0, sign = bits & 0x8000 ? -1.0 : 1.0;
    if (exponent == 31)
        return fraction > 0.0 ? NAN : sign * INFINITY;
    return sign * (exponent == 0 ? ldexp(fraction, -14) : ldexp(1.0 + fraction, exponent - 15));
}

static uint32_t bits_of(enum rcm_gpu_dtype dtype, float value)
{
    uint32_t wide;
    memcpy(&wide, &value, sizeof wide);
    if (dtype == RCM_GPU_F32)
        return wide;
    if (dtype == RCM_GPU_BF16)
        return wide >> 16;
    if (isnan(value))
        return 0x7e00;
    if (isinf(value))
        return value > 0.0f ? 0x7c00 : 0xfc00;
    int exponent;
    double fraction =
        frexp(fabs((double)value), &exponent); /* cut off, not rounded: any element will do */
    uint32_t sign = signbit(value) ? 0x8000 : 0;
    if (exponent > 16)
        return sign | 0x7bff;
    if (exponent < -13)
        return sign | (uint32_t)ldexp(fraction, exponent + 24);
    return sign | ((uint32_t)(exponent + 14) << 10) | ((uint32_t)ldexp(fraction, 11) & 1023);
}

static uint32_t element(const void *x, enum rcm_gpu_dtype dtype, uint64_t i)
{
    return dtype == RCM_GPU_F32 ? ((const uint32_t *)x)[i] : ((const uint16_t *)x)[i];
}

/* Largest (smallest) first, NaN last: a number to sort by. */
static double merit(enum rcm_gpu_dtype dtype, uint32_t bits, bool smallest)
{
    double value = value_of(dtype, bits);
    return isnan(value) ? NAN : smallest ? -value : value;
}

static int by_merit(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x < y) - (x > y);
}

static bool same_merit(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b;
}

/* ---- rows */

enum kind {
    NORMAL,
    EQUAL,
    FEW,
    RISING,
    FALLING,
    LEADING_BITS,
    SOME_INFINITE,
    ALL_INFINITE,
    SOME_NAN,
    ALL_NAN,
    ZEROS,
    ANY_BITS,
    KINDS
};
static const char *const kind_names[] = {"normal",   "equal",        "few",       "rising",
                                         "falling",  "leading bits", "some -inf", "all -inf",
                                         "some NaN", "all NaN",      "zeros",     "any bits"};

static float normal(uint64_t *state)
{
    double u = ((double)(next_random(state) >> 11) + 0.5) * 0x1p-53,
           v = (double)(next_random(state) >> 11) * 0x1p-53;
    return (float)(sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v));
}

static uint32_t draw(enum rcm_gpu_dtype dtype, enum kind kind, uint64_t i, uint64_t n,
                     uint64_t *state)
{
    float value = normal(state);
    uint64_t any = next_random(state);
    switch (kind) {
    case EQUAL:
        return bits_of(dtype, 1.5f);
    case FEW:
        return bits_of(dtype, (float)(any % 3) - 1.0f);
    case RISING:
        return bits_of(dtype, (float)i / (float)n - 0.5f);
    case FALLING:
        return bits_of(dtype, 0.5f - (float)i / (float)n);
    case LEADING_BITS: /* all but the last few bits agree */
        return bits_of(dtype, 1.0f) | (uint32_t)(any % 16);
    case SOME_INFINITE:
        return bits_of(dtype, any % 10 == 0 ? -INFINITY : any % 97 == 1 ? INFINITY : value);
    case ALL_INFINITE:
        return bits_of(dtype, -INFINITY);
    case SOME_NAN: /* of both signs, and more than there are values */
        if (any % 3 > 0)
            return dtype == RCM_GPU_F32
                       ? (any % 3 == 1 ? 0x7fc00000u : 0xffffffffu) - (any % 7 == 0)
                       : (any % 3 == 1 ? 0x7fffu : 0xffffu);
        return bits_of(dtype, any % 5 == 0 ? -INFINITY : value);
    case ALL_NAN:
        return dtype == RCM_GPU_F32 ? (any % 2 ? 0x7f800001u : 0x7fc00000u)
                                    : (any % 2 ? 0x7fffu : 0xfff0u);
    case ZEROS:
        return bits_of(dtype, any % 2 ? 0.0f : -0.0f);
    case ANY_BITS:
        return (uint32_t)any & (dtype == RCM_GPU_F32 ? 0xffffffffu : 0xffffu);
    default:
        return bits_of(dtype, value);
    }
}

struct batch {
    enum rcm_gpu_dtype dtype;
    enum kind kind;
    uint64_t m, n, stride;
    bool smallest;
    size_t bytes;
    unsigned char *memory; /* on the host */
    void *device;
    size_t offset, size;
};

/* `offset` elements past an aligned address. */
static struct batch make_batch(enum rcm_gpu_dtype dtype, enum kind kind, uint64_t m, uint64_t n,
                               uint64_t stride, size_t offset, bool smallest, uint64_t *state)
{
    struct batch b = {dtype, kind, m, n, stride, smallest, rcm_gpu_dtype_bytes(dtype),
                      NULL,  NULL, 0, 0};
    b.offset = offset * b.bytes;
    b.size = b.offset + ((m - 1) * stride + n) * b.bytes;
    b.memory = malloc(b.size);
    ck_assert_ptr_nonnull(b.memory);
    memset(b.memory, 0x5a, b.size);
    for (uint64_t r = 0; r < m; r++)
        for (uint64_t i = 0; i < n; i++) {
            uint32_t bits = draw(dtype, kind, i, n, state);
            uint16_t low = (uint16_t)bits;
            memcpy(b.memory + b.offset + (r * stride + i) * b.bytes,
                   b.bytes == 4 ? (void *)&bits : (void *)&low, b.bytes);
        }
    b.device = rcm_gpu_allocate(b.size);
    ck_assert_ptr_nonnull(b.device);
    ck_assert_int_eq(rcm_gpu_to_device(b.device, b.memory, b.size), RCM_GPU_OK);
    return b;
}

static struct rcm_gpu_rows rows_of(const struct batch *b)
{
    return (struct rcm_gpu_rows){
        (unsigned char *)b->device + b->offset, b->m, b->n, b->stride, b->dtype, b->smallest};
}

static const void *row_of(const struct batch *b, uint64_t r)
{
    return b->memory + b->offset + r * b->stride * b->bytes;
}

static void free_batch(struct batch *b)
{
    rcm_gpu_free(b->device);
    free(b->memory);
}

/* Outputs and workspace, poisoned. */
struct output {
    void *device_values, *device_indices, *workspace;
    size_t count, workspace_bytes, bytes;
    unsigned char *values;
    int32_t *indices;
};

static struct output make_output(size_t count, size_t bytes, size_t workspace_bytes)
{
    struct output o = {rcm_gpu_allocate(count * bytes),
                       rcm_gpu_allocate(count * 4),
                       workspace_bytes ? rcm_gpu_allocate(workspace_bytes) : NULL,
                       count,
                       workspace_bytes,
                       bytes,
                       malloc(count * bytes),
                       malloc(count * 4)};
    ck_assert(o.device_values && o.device_indices && o.values && o.indices &&
              (o.workspace || !workspace_bytes));
    memset(o.values, 0xee, count * bytes);
    memset(o.indices, 0xee, count * 4);
    ck_assert_int_eq(rcm_gpu_to_device(o.device_values, o.values, count * bytes), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_to_device(o.device_indices, o.indices, count * 4), RCM_GPU_OK);
    if (workspace_bytes) {
        void *poison = malloc(workspace_bytes);
        memset(poison, 0xdd, workspace_bytes);
        ck_assert_int_eq(rcm_gpu_to_device(o.workspace, poison, workspace_bytes), RCM_GPU_OK);
        free(poison);
    }
    return o;
}

static void fetch(struct output *o)
{
    ck_assert_int_eq(rcm_gpu_wait(), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_from_device(o->values, o->device_values, o->count * o->bytes),
                     RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_from_device(o->indices, o->device_indices, o->count * 4), RCM_GPU_OK);
}

static void free_output(struct output *o)
{
    rcm_gpu_free(o->device_values);
    rcm_gpu_free(o->device_indices);
    rcm_gpu_free(o->workspace);
    free(o->values);
    free(o->indices);
}

#define CASE_FMT \
    "%s%s, m %" PRIu64 " n %" PRIu64 " stride %" PRIu64 " offset %zu, dtype %d, %s, row %" PRIu64
#define CASE_ARG(b, r) \
    kind_names[(b)->kind], (b)->smallest ? " smallest" : "", (b)->m, (b)->n, (b)->stride, \
        (b)->offset, (int)(b)->dtype, what, r

/* ---- stage 1 */

static uint64_t first_of(enum rcm_gpu_assignment assignment, uint64_t n, uint64_t b, uint64_t q)
{
    return assignment == RCM_GPU_INTERLEAVED ? q : q * (n / b) + (q < n % b ? q : n % b);
}

static void check_stage1(const struct batch *batch, const struct rcm_gpu_stage1 *call,
                         const struct output *o, const char *what)
{
    uint64_t n = batch->n, b = call->b, candidates = rcm_gpu_candidates(n, b, call->k_b);
    double *bucket = malloc((n / b + 1) * sizeof *bucket);
    bool *seen = malloc(n);
    for (uint64_t r = 0; r < batch->m; r++) {
        const void *row = row_of(batch, r);
        uint64_t at = r * candidates;
        memset(seen, 0, n);
        for (uint64_t q = 0; q < b; q++) {
            uint64_t size = n / b + (q < n % b),
                     step = call->assignment == RCM_GPU_INTERLEAVED ? b : 1,
                     first = first_of(call->assignment, n, b, q);
            for (uint64_t j = 0; j < size; j++)
                bucket[j] = merit(batch->dtype, element(row, batch->dtype, first + j * step),
                                  batch->smallest);
            qsort(bucket, size, sizeof *bucket, by_merit);
            for (uint64_t j = 0; j < call->k_b && j < size; j++, at++) {
                int64_t index = o->indices[at];
                uint32_t bits = element(o->values, batch->dtype, at);
                REQUIRE(index >= 0 && (uint64_t)index < n && !seen[index],
                        CASE_FMT ": b %" PRIu64 " k_b %" PRIu64 " bucket %" PRIu64 " entry %" PRIu64
                                 ": index %" PRId64 " is not valid or not new",
                        CASE_ARG(batch, r), b, call->k_b, q, j, index);
                seen[index] = true;
                REQUIRE((uint64_t)index >= first && ((uint64_t)index - first) % step == 0 &&
                            ((uint64_t)index - first) / step < size,
                        CASE_FMT ": b %" PRIu64 " k_b %" PRIu64 ": index %" PRId64
                                 " is not of bucket %" PRIu64,
                        CASE_ARG(batch, r), b, call->k_b, index, q);
                REQUIRE(element(row, batch->dtype, (uint64_t)index) == bits,
                        CASE_FMT ": b %" PRIu64 " k_b %" PRIu64
                                 ": value %x is not that at index %" PRId64,
                        CASE_ARG(batch, r), b, call->k_b, bits, index);
                REQUIRE(same_merit(merit(batch->dtype, bits, batch->smallest), bucket[j]),
                        CASE_FMT ": b %" PRIu64 " k_b %" PRIu64 " bucket %" PRIu64 " entry %" PRIu64
                                 ": got %g want %g",
                        CASE_ARG(batch, r), b, call->k_b, q, j, value_of(batch->dtype, bits),
                        bucket[j]);
            }
        }
        ck_assert_uint_eq(at, (r + 1) * candidates);
    }
    free(bucket);
    free(seen);
}

/* What the check on the device says of outputs that lie there. `exact` or `stage1` is given. */
static struct rcm_gpu_verdict verdict_of(const struct rcm_gpu_stage1 *stage1,
                                         const struct rcm_gpu_exact *exact)
{
    struct rcm_gpu_verdict verdict, *on_device = rcm_gpu_allocate(sizeof verdict);
    const struct rcm_gpu_rows *rows = stage1 ? &stage1->rows : &exact->rows;
    void *workspace =
        rcm_gpu_allocate(rcm_gpu_check_workspace(rows->m, rows->n, stage1 ? stage1->b : 1));
    ck_assert(on_device && workspace);
    ck_assert_int_eq(stage1 ? rcm_gpu_check_stage1(stage1, on_device, workspace, NULL)
                            : rcm_gpu_check_exact(exact, on_device, workspace, NULL),
                     RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_wait(), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_from_device(&verdict, on_device, sizeof verdict), RCM_GPU_OK);
    rcm_gpu_free(on_device);
    rcm_gpu_free(workspace);
    return verdict;
}

static bool proved(struct rcm_gpu_verdict v)
{
    return v.invalid == 0 && v.repeated == 0 && v.misplaced == 0 && v.altered == 0 && v.missed == 0;
}

/* Returns whether it needed a workspace: then blocks shared a strip's steps without being a
 * cluster. */
static bool run_stage1(const struct batch *batch, uint64_t b, uint64_t k_b,
                       enum rcm_gpu_assignment assignment, enum rcm_gpu_stage1_kernel kernel)
{
    struct rcm_gpu_stage1 call = {rows_of(batch), b, k_b, assignment, kernel, NULL, NULL};
    size_t workspace_bytes;
    ck_assert_int_eq(rcm_gpu_stage1_workspace(&call, &workspace_bytes), RCM_GPU_OK);
    struct output o =
        make_output(batch->m * rcm_gpu_candidates(batch->n, b, k_b), batch->bytes, workspace_bytes);
    call.values = o.device_values;
    call.indices = o.device_indices;
    ck_assert_int_eq(rcm_gpu_stage1(&call, o.workspace, workspace_bytes, NULL), RCM_GPU_OK);
    fetch(&o);
    char what[64];
    snprintf(what, sizeof what, "%s %s", rcm_gpu_stage1_kernel_name(kernel),
             assignment == RCM_GPU_INTERLEAVED ? "interleaved" : "contiguous");
    check_stage1(batch, &call, &o, what);
    if (batch->m * batch->n < 5000)
        ck_assert(proved(verdict_of(&call, NULL)));
    free_output(&o);
    return workspace_bytes > 0;
}

/* Devices to play: few and many multiprocessors, with and without clusters, little shared memory. A
 * real one is planned for as if it were no more than that. */
static void play(uint64_t *state)
{
    static const struct {
        int multiprocessors;
        size_t shared_bytes;
        unsigned cluster_max;
    } devices[] = {{1, 227 * 1024, 8},
                   {8, 227 * 1024, 8},
                   {8, 163 * 1024, 1},
                   {132, 227 * 1024, 8},
                   {40, 99 * 1024, 1}};
    unsigned which = (unsigned)(next_random(state) % (sizeof devices / sizeof *devices));
    rcm_gpu_pretend((unsigned)(next_random(state) % 5), devices[which].multiprocessors,
                    devices[which].shared_bytes, devices[which].cluster_max);
}

START_TEST(stage1)
{
    static const uint64_t lengths[] = {1, 2, 3, 16, 31, 97, 128, 1000, 1021, 4096, 5000, 20000};
    uint64_t state = 1, cases = 0, shared = 0;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (unsigned kind = 0; kind < KINDS; kind++)
            for (unsigned dtype = 0; dtype < 3; dtype++) {
                if (few_cases() && (kind % 4 != l % 4 || dtype != l % 3 || lengths[l] > 5000))
                    continue;
                uint64_t n = lengths[l], m = random_between(&state, 1, n > 2000 ? 2 : 5),
                         stride = n + (next_random(&state) % 3 == 0 ? next_random(&state) % 9 : 0);
                struct batch batch =
                    make_batch(dtype, kind, m, n, stride,
                               next_random(&state) % 2 ? next_random(&state) % 8 : 0,
                               next_random(&state) % 3 == 0, &state);
                for (unsigned repeat = 0; repeat < (few_cases() ? 2 : 4); repeat++) {
                    uint64_t b = random_scale(&state, 1, n), most = ceil_divide(n, b),
                             k_b = random_scale(&state, 1, most < 16 ? most : 16);
                    for (unsigned kernel = RCM_GPU_STAGE1_AUTO; kernel < RCM_GPU_STAGE1_KERNELS;
                         kernel++) {
                        if (kernel == RCM_GPU_STAGE1_BLOCK_PER_BUCKET && b * m > 500)
                            continue; /* 64 emulated threads a bucket */
                        play(&state);
                        shared += run_stage1(&batch, b, k_b,
                                             (enum rcm_gpu_assignment)(next_random(&state) % 2),
                                             (enum rcm_gpu_stage1_kernel)kernel);
                        cases++;
                    }
                }
                free_batch(&batch);
            }
    printf("stage 1: %" PRIu64 " runs agree with plain C, %" PRIu64
           " of them through the workspace\n",
           cases, shared);
    if (!few_cases())
        ck_assert_uint_gt(shared, 100); /* the devices without clusters are really played */
}
END_TEST

/* Long columns of long queues, on a device so small that a few rows fill it: elements are tested
 * first, by several warps of a block. */
START_TEST(long_columns)
{
    static const enum kind kinds[] = {NORMAL, RISING, FEW, SOME_NAN};
    uint64_t state = 5;
    for (unsigned i = 0; i < (few_cases() ? 2 : 24); i++) {
        static const uint64_t queues[] = {8, 5, 16};
        struct batch batch =
            make_batch((enum rcm_gpu_dtype)(i % 3), kinds[i / 3 % 4], few_cases() ? 2 : 4,
                       few_cases() ? 9001 : 40001, 40004, i % 5, i % 2, &state);
        rcm_gpu_pretend(i % 4, 1, 227 * 1024, i % 2 ? 8 : 1);
        run_stage1(&batch, 4 + 12 * (i % 2), queues[i / 2 % 3],
                   i % 7 ? RCM_GPU_INTERLEAVED : RCM_GPU_CONTIGUOUS, RCM_GPU_STAGE1_COLUMN);
        free_batch(&batch);
    }
}
END_TEST

/* ---- exact */

static void check_exact(const struct batch *batch, uint64_t k, const struct output *o,
                        bool in_order, const char *what)
{
    double *sorted = malloc(batch->n * sizeof *sorted), *got = malloc(k * sizeof *got);
    bool *seen = malloc(batch->n);
    for (uint64_t r = 0; r < batch->m; r++) {
        const void *row = row_of(batch, r);
        memset(seen, 0, batch->n);
        for (uint64_t i = 0; i < batch->n; i++)
            sorted[i] = merit(batch->dtype, element(row, batch->dtype, i), batch->smallest);
        for (uint64_t j = 0; j < k; j++) {
            int64_t index = o->indices[r * k + j];
            uint32_t bits = element(o->values, batch->dtype, r * k + j);
            REQUIRE(index >= 0 && (uint64_t)index < batch->n && !seen[index],
                    CASE_FMT ": k %" PRIu64 " entry %" PRIu64 ": index %" PRId64
                             " is not valid or not new",
                    CASE_ARG(batch, r), k, j, index);
            seen[index] = true;
            REQUIRE(element(row, batch->dtype, (uint64_t)index) == bits,
                    CASE_FMT ": k %" PRIu64 ": value %x is not that at index %" PRId64,
                    CASE_ARG(batch, r), k, bits, index);
            REQUIRE(!in_order || j == 0 || index > o->indices[r * k + j - 1],
                    CASE_FMT ": k %" PRIu64 " entry %" PRIu64 ": not in the order of indices",
                    CASE_ARG(batch, r), k, j);
            got[j] = sorted[index];
        }
        double last =
            NAN; /* the worst that is taken, and the first element that is as good and is not */
        uint64_t passed_over = batch->n;
        qsort(got, k, sizeof *got, by_merit);
        last = got[k - 1];
        for (uint64_t i = 0; i < batch->n; i++)
            if (!seen[i] && same_merit(sorted[i], last) && passed_over == batch->n)
                passed_over = i;
        if (in_order && batch->kind != ZEROS && batch->kind != ANY_BITS &&
            batch->kind != SOME_NAN && batch->kind != ALL_NAN) /* -0 is below +0, and NaN differ */
            for (uint64_t i = passed_over; i < batch->n; i++)
                REQUIRE(!seen[i] || !same_merit(sorted[i], last),
                        CASE_FMT ": k %" PRIu64 ": takes %" PRIu64 ", not the equal %" PRIu64,
                        CASE_ARG(batch, r), k, i, passed_over);
        qsort(sorted, batch->n, sizeof *sorted, by_merit);
        for (uint64_t j = 0; j < k; j++)
            REQUIRE(same_merit(got[j], sorted[j]),
                    CASE_FMT ": k %" PRIu64 ": number %" PRIu64 " is %g, want %g",
                    CASE_ARG(batch, r), k, j, got[j], sorted[j]);
    }
    free(sorted);
    free(got);
    free(seen);
}

START_TEST(exact)
{
    static const uint64_t lengths[] = {1, 2, 33, 100, 1000, 4099, 5000, 17000, 40000};
    uint64_t state = 2, cases = 0;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (unsigned kind = 0; kind < KINDS; kind++)
            for (unsigned dtype = 0; dtype < 3; dtype++) {
                if (few_cases() && (kind % 4 != l % 4 || dtype != l % 3 || lengths[l] > 5000))
                    continue;
                uint64_t n = lengths[l], m = random_between(&state, 1, n > 2000 ? 2 : 4),
                         stride = n + (next_random(&state) % 3 == 0 ? next_random(&state) % 9 : 0);
                struct batch batch =
                    make_batch(dtype, kind, m, n, stride,
                               next_random(&state) % 2 ? next_random(&state) % 8 : 0,
                               next_random(&state) % 3 == 0, &state);
                for (unsigned kernel = RCM_GPU_EXACT_AUTO; kernel < RCM_GPU_EXACT_KERNELS; kernel++)
                    for (unsigned repeat = 0; repeat < (n > 10000 || few_cases() ? 1 : 2);
                         repeat++) {
                        static const unsigned unrolls[] = {0, 1, 4, 8};
                        uint64_t k = random_scale(&state, 1, n);
                        struct rcm_gpu_exact call = {
                            .rows = rows_of(&batch),
                            .k = k,
                            .kernel = (enum rcm_gpu_exact_kernel)kernel,
                            .deterministic = next_random(&state) % 2,
                            .bits = next_random(&state) % 2
                                        ? 0
                                        : 8 + (unsigned)(next_random(&state) % 4),
                            .unroll = unrolls[next_random(&state) % 4],
                            .binary_search = next_random(&state) % 2};
                        size_t workspace_bytes;
                        play(&state);
                        ck_assert_int_eq(rcm_gpu_exact_workspace(&call, &workspace_bytes),
                                         RCM_GPU_OK);
                        struct output o = make_output(m * k, batch.bytes, workspace_bytes);
                        call.values = o.device_values;
                        call.indices = o.device_indices;
                        ck_assert_int_eq(rcm_gpu_exact(&call, o.workspace, workspace_bytes, NULL),
                                         RCM_GPU_OK);
                        fetch(&o);
                        char what[64];
                        snprintf(what, sizeof what, "%s bits %u unroll %u%s%s",
                                 rcm_gpu_exact_kernel_name(call.kernel), call.bits, call.unroll,
                                 call.binary_search ? " binary" : "",
                                 call.deterministic ? " deterministic" : "");
                        check_exact(&batch, k, &o,
                                    call.deterministic && kernel != RCM_GPU_EXACT_SORT, what);
                        if (m * n < 5000)
                            ck_assert(proved(verdict_of(NULL, &call)));
                        free_output(&o);
                        cases++;
                    }
                free_batch(&batch);
            }
    printf("exact top-k: %" PRIu64 " runs agree with plain C\n", cases);
}
END_TEST

/* ---- the check on the device: it accepts what is right (above), and each kind of wrong shows in
 * its own counter */

static void spoil(const struct rcm_gpu_stage1 *stage1, const struct rcm_gpu_exact *exact,
                  struct output *o, size_t entry, int32_t index, uint32_t value,
                  struct rcm_gpu_verdict want)
{
    int32_t indices[64];
    uint32_t values[64];
    memcpy(indices, o->indices, o->count * 4);
    memcpy(values, o->values, o->count * 4);
    indices[entry] = index;
    values[entry] = value;
    ck_assert_int_eq(rcm_gpu_to_device(o->device_indices, indices, o->count * 4), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_to_device(o->device_values, values, o->count * 4), RCM_GPU_OK);
    struct rcm_gpu_verdict got = verdict_of(stage1, exact);
    ck_assert_msg(got.invalid == want.invalid && got.repeated == want.repeated &&
                      got.misplaced == want.misplaced && got.altered == want.altered &&
                      got.missed == want.missed,
                  "entry %zu index %d: invalid %" PRIu64 " repeated %" PRIu64 " misplaced %" PRIu64
                  " altered %" PRIu64 " missed %" PRIu64,
                  entry, index, got.invalid, got.repeated, got.misplaced, got.altered, got.missed);
}

START_TEST(device_check)
{
    /* Two rows of 12 values i and 100 + i, in 4 buckets of which 2 are kept: 8 of each row. Value i
     * at index i: bucket 0 keeps 8 and 4. */
    float x[24];
    uint32_t bits[24];
    for (int i = 0; i < 24; i++)
        x[i] = (float)(i < 12 ? i : 100 + i - 12);
    memcpy(bits, x, sizeof x);
    void *device = rcm_gpu_allocate(sizeof x);
    ck_assert_int_eq(rcm_gpu_to_device(device, x, sizeof x), RCM_GPU_OK);
    struct output o = make_output(16, 4, 0);
    struct rcm_gpu_stage1 stage1 = {{device, 2, 12, 0, RCM_GPU_F32, false},
                                    4,
                                    2,
                                    RCM_GPU_INTERLEAVED,
                                    RCM_GPU_STAGE1_COLUMN,
                                    o.device_values,
                                    o.device_indices};
    ck_assert_int_eq(rcm_gpu_stage1(&stage1, NULL, 0, NULL), RCM_GPU_OK);
    fetch(&o);
    ck_assert_int_eq(o.indices[0], 8);
    ck_assert_int_eq(o.indices[9], 4);
    spoil(&stage1, NULL, &o, 0, 8, bits[8], (struct rcm_gpu_verdict){0});
    spoil(&stage1, NULL, &o, 0, -1, bits[8],
          (struct rcm_gpu_verdict){.invalid = 1, .missed = 1}); /* 8 is left out */
    spoil(&stage1, NULL, &o, 0, 12, bits[8], (struct rcm_gpu_verdict){.invalid = 1, .missed = 1});
    spoil(&stage1, NULL, &o, 0, 4, bits[4], (struct rcm_gpu_verdict){.repeated = 1, .missed = 1});
    spoil(&stage1, NULL, &o, 0, 11, bits[11],
          (struct rcm_gpu_verdict){.misplaced = 1, .repeated = 1, .missed = 1});
    spoil(&stage1, NULL, &o, 0, 8, bits[8] + 1, (struct rcm_gpu_verdict){.altered = 1});
    spoil(&stage1, NULL, &o, 0, 0, bits[0], (struct rcm_gpu_verdict){.missed = 1});
    spoil(&stage1, NULL, &o, 9, 0, bits[12], (struct rcm_gpu_verdict){.missed = 1});
    free_output(&o);

    struct rcm_gpu_exact exact = {.rows = stage1.rows, .k = 3};
    o = make_output(6, 4, 0);
    exact.values = o.device_values;
    exact.indices = o.device_indices;
    exact.deterministic = true;
    ck_assert_int_eq(rcm_gpu_exact(&exact, NULL, 0, NULL), RCM_GPU_OK);
    fetch(&o);
    ck_assert_int_eq(o.indices[2], 11);
    spoil(NULL, &exact, &o, 2, 11, bits[11], (struct rcm_gpu_verdict){0});
    spoil(NULL, &exact, &o, 2, 8, bits[8],
          (struct rcm_gpu_verdict){.missed = 1}); /* 11; 8 is the worst now, and 9, 10 are kept */
    spoil(NULL, &exact, &o, 2, 3, bits[3],
          (struct rcm_gpu_verdict){.missed = 6}); /* 4 to 8 and 11 */
    spoil(NULL, &exact, &o, 2, 9, bits[9], (struct rcm_gpu_verdict){.repeated = 1, .missed = 1});
    free_output(&o);
    rcm_gpu_free(device);
}
END_TEST

/* Recall by value: equal values count as often as they occur. */
START_TEST(hits)
{
    static const float exact[2][3] = {{5.0f, 4.0f, 4.0f}, {-0.0f, 1.0f, NAN}},
                       kept[2][4] = {{4.0f, 5.0f, 3.0f, 4.0f}, {0.0f, NAN, NAN, -1.0f}};
    static const float fewer[2][4] = {{4.0f, 1.0f, 0.0f, 3.0f}, {1.0f, 2.0f, 2.0f, NAN}};
    uint32_t got[2], *device_hits = rcm_gpu_allocate(sizeof got);
    void *device_exact = rcm_gpu_allocate(sizeof exact),
         *device_kept = rcm_gpu_allocate(sizeof kept);
    ck_assert_int_eq(rcm_gpu_to_device(device_exact, exact, sizeof exact), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_to_device(device_kept, kept, sizeof kept), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_count_hits(RCM_GPU_F32, false, 2, device_exact, 3, device_kept, 4,
                                        device_hits, NULL),
                     RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_wait(), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_from_device(got, device_hits, sizeof got), RCM_GPU_OK);
    ck_assert_uint_eq(got[0], 3);
    ck_assert_uint_eq(
        got[1],
        3); /* 0, NaN and -1: all that is better than the worst, which is NaN, and one of those */
    ck_assert_int_eq(rcm_gpu_to_device(device_kept, fewer, sizeof fewer), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_count_hits(RCM_GPU_F32, false, 1, device_exact, 3, device_kept, 4,
                                        device_hits, NULL),
                     RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_from_device(got, device_hits, sizeof got), RCM_GPU_OK);
    ck_assert_uint_eq(got[0], 1);
    rcm_gpu_free(device_hits);
    rcm_gpu_free(device_exact);
    rcm_gpu_free(device_kept);
}
END_TEST

/* ---- both stages: the top k of what stage 1 keeps */

static void check_two_stage(const struct batch *batch, uint64_t k, uint64_t b, uint64_t k_b,
                            enum rcm_gpu_assignment assignment, const struct output *o,
                            const char *what)
{
    const enum rcm_gpu_dtype dtype = batch->dtype;
    const uint64_t n = batch->n, candidates = rcm_gpu_candidates(n, b, k_b);
    double *bucket = malloc((n / b + 1) * sizeof *bucket),
           *kept = malloc(candidates * sizeof *kept), *got = malloc(k * sizeof *got);
    bool *seen = malloc(n);
    for (uint64_t r = 0; r < batch->m; r++) {
        const void *row = row_of(batch, r);
        uint64_t count = 0;
        for (uint64_t q = 0; q < b; q++) {
            uint64_t size = n / b + (q < n % b), step = assignment == RCM_GPU_INTERLEAVED ? b : 1;
            for (uint64_t j = 0; j < size; j++)
                bucket[j] =
                    merit(dtype, element(row, dtype, first_of(assignment, n, b, q) + j * step),
                          batch->smallest);
            qsort(bucket, size, sizeof *bucket, by_merit);
            for (uint64_t j = 0; j < k_b && j < size; j++)
                kept[count++] = bucket[j];
        }
        ck_assert_uint_eq(count, candidates);
        qsort(kept, count, sizeof *kept, by_merit);
        memset(seen, 0, n);
        for (uint64_t j = 0; j < k; j++) {
            int64_t index = o->indices[r * k + j];
            uint32_t bits = element(o->values, dtype, r * k + j);
            REQUIRE(index >= 0 && (uint64_t)index < n && !seen[index] &&
                        element(row, dtype, (uint64_t)index) == bits,
                    CASE_FMT ": k %" PRIu64 " b %" PRIu64 " k_b %" PRIu64 " entry %" PRIu64
                             ": index %" PRId64 " is not valid, not new, or has another value",
                    CASE_ARG(batch, r), k, b, k_b, j, index);
            seen[index] = true;
            got[j] = merit(dtype, bits, batch->smallest);
        }
        qsort(got, k, sizeof *got, by_merit);
        for (uint64_t j = 0; j < k; j++)
            REQUIRE(same_merit(got[j], kept[j]),
                    CASE_FMT ": k %" PRIu64 " b %" PRIu64 " k_b %" PRIu64 ": number %" PRIu64
                             " is %g, want %g",
                    CASE_ARG(batch, r), k, b, k_b, j, got[j], kept[j]);
    }
    free(bucket);
    free(kept);
    free(got);
    free(seen);
}

START_TEST(two_stage)
{
    uint64_t state = 3, cases = 0;
    for (unsigned kind = 0; kind < KINDS; kind++)
        for (unsigned repeat = 0; repeat < (few_cases() ? 1 : 12); repeat++) {
            enum rcm_gpu_dtype dtype = (enum rcm_gpu_dtype)(next_random(&state) % 3);
            uint64_t n = random_scale(&state, 1, 6000), m = random_between(&state, 1, 3),
                     b = random_scale(&state, 1, n), most = ceil_divide(n, b),
                     k_b = random_scale(&state, 1, most < 16 ? most : 16);
            uint64_t candidates = rcm_gpu_candidates(n, b, k_b),
                     k = next_random(&state) % 3 ? random_scale(&state, 1, candidates) : candidates;
            struct batch batch = make_batch(dtype, kind, m, n, n, next_random(&state) % 4,
                                            next_random(&state) % 2, &state);
            play(&state);
            struct rcm_gpu_two_stage call = {
                rows_of(&batch),
                k,
                b,
                k_b,
                (enum rcm_gpu_assignment)(next_random(&state) % 2),
                RCM_GPU_STAGE1_AUTO,
                (enum rcm_gpu_exact_kernel)(next_random(&state) % RCM_GPU_EXACT_KERNELS),
                next_random(&state) % 2,
                NULL,
                NULL};
            size_t workspace_bytes;
            ck_assert_int_eq(rcm_gpu_two_stage_workspace(&call, &workspace_bytes), RCM_GPU_OK);
            struct output o = make_output(m * k, batch.bytes, workspace_bytes);
            call.values = o.device_values;
            call.indices = o.device_indices;
            ck_assert_int_eq(rcm_gpu_two_stage(&call, o.workspace, workspace_bytes, NULL),
                             RCM_GPU_OK);
            fetch(&o);
            check_two_stage(&batch, k, b, k_b, call.assignment, &o, "two-stage");
            free_output(&o);
            free_batch(&batch);
            cases++;
        }
    printf("two-stage: %" PRIu64 " runs agree with plain C\n", cases);
}
END_TEST

/* ---- fused with the product */

/* m rows of d components: multiples of 1/16 below 8, whose products sum to the same float32 in any
 * order; or what `kind` says. */
static void draw_vectors(uint16_t *to, uint64_t m, uint64_t d, enum kind kind, uint64_t *state)
{
    for (uint64_t r = 0; r < m; r++)
        for (uint64_t i = 0; i < d; i++) {
            float value = roundf(16.0f * normal(state)) / 16.0f;
            if (kind == EQUAL || kind == FEW)
                value = kind == EQUAL ? 0.5f : (float)(next_random(state) % 3) - 1.0f;
            if (kind == RISING || kind == FALLING) /* for queries that are mostly of one sign */
                value = roundf(64.0f * (float)(kind == RISING ? r : m - r) / (float)m) / 16.0f;
            if (kind == SOME_INFINITE && i == 3 && r % 10 == 0)
                value = -INFINITY;
            if (kind == SOME_NAN && i == 1 && r % 3 > 0)
                value = NAN;
            to[r * d + i] = (uint16_t)bits_of(RCM_GPU_BF16, value);
        }
}

static struct batch products_of(const uint16_t *queries, const uint16_t *database, enum kind kind,
                                uint64_t m, uint64_t n, uint64_t d)
{
    struct batch b = {RCM_GPU_F32, kind, m, n, n, false, 4, malloc(m * n * 4), NULL, 0, m * n * 4};
    ck_assert_ptr_nonnull(b.memory);
    for (uint64_t r = 0; r < m; r++)
        for (uint64_t j = 0; j < n; j++) {
            float sum = 0.0f;
            for (uint64_t i = 0; i < d; i++)
                sum += (float)value_of(RCM_GPU_BF16, queries[r * d + i]) *
                       (float)value_of(RCM_GPU_BF16, database[j * d + i]);
            uint32_t bits = 0x7fffffff; /* what a NaN comes out as */
            if (!isnan(sum))
                memcpy(&bits, &sum, 4);
            memcpy(b.memory + (r * n + j) * 4, &bits, 4);
        }
    return b;
}

START_TEST(fused)
{
    static const enum kind kinds[] = {NORMAL,  NORMAL,        EQUAL,    FEW,    RISING,
                                      FALLING, SOME_INFINITE, SOME_NAN, ALL_NAN};
    uint64_t state = 6, cases = 0, replicated = 0;
    for (unsigned i = 0; i < (few_cases() ? 6 : 90); i++) {
        enum kind kind = kinds[i % (sizeof kinds / sizeof *kinds)];
        uint64_t d = i % 4 ? 128 : 64, m = random_scale(&state, 1, few_cases() ? 20 : 300),
                 n = random_scale(&state, i % 4 == 1 ? 500 : 1, m > 50 ? 1000 : 4000);
        uint64_t b = random_scale(&state, 1, i % 4 == 1 ? ceil_divide(n, 70) : n),
                 most = ceil_divide(n, b), k_b = random_scale(&state, 1, most < 16 ? most : 16);
        uint64_t candidates = rcm_gpu_candidates(n, b, k_b),
                 k = i % 3 ? candidates : random_scale(&state, 1, candidates);
        uint16_t *queries = malloc(m * d * 2), *database = malloc(n * d * 2);
        draw_vectors(queries, m, d, kind == RISING || kind == FALLING ? EQUAL : NORMAL, &state);
        draw_vectors(database, n, d, kind, &state);
        for (uint64_t j = 0; j < n && kind == ALL_NAN; j++)
            database[j * d] = 0x7fc0;
        struct batch products = products_of(queries, database, kind, m, n, d);
        void *on_device[2] = {rcm_gpu_allocate(m * d * 2), rcm_gpu_allocate(n * d * 2)};
        ck_assert(on_device[0] && on_device[1]);
        ck_assert_int_eq(rcm_gpu_to_device(on_device[0], queries, m * d * 2), RCM_GPU_OK);
        ck_assert_int_eq(rcm_gpu_to_device(on_device[1], database, n * d * 2), RCM_GPU_OK);
        play(&state);
        struct rcm_gpu_fused call = {.queries = on_device[0],
                                     .database = on_device[1],
                                     .m = m,
                                     .n = n,
                                     .d = d,
                                     .k = k,
                                     .b = b,
                                     .k_b = k_b,
                                     .deterministic = i % 2};
        size_t workspace_bytes;
        ck_assert_int_eq(rcm_gpu_fused_workspace(&call, &workspace_bytes), RCM_GPU_OK);
        struct output o = make_output(m * k, 4, workspace_bytes);
        call.values = o.device_values;
        call.indices = o.device_indices;
        ck_assert_int_eq(rcm_gpu_fused(&call, o.workspace, workspace_bytes, NULL), RCM_GPU_OK);
        fetch(&o);
        if (k == candidates) {
            struct rcm_gpu_stage1 same = {.b = b, .k_b = k_b, .assignment = RCM_GPU_INTERLEAVED};
            check_stage1(&products, &same, &o, "fused");
            replicated += workspace_bytes > 0;
        } else {
            check_two_stage(&products, k, b, k_b, RCM_GPU_INTERLEAVED, &o, "fused");
        }
        free_output(&o);
        free_batch(&products);
        rcm_gpu_free(on_device[0]);
        rcm_gpu_free(on_device[1]);
        free(queries);
        free(database);
        cases++;
    }
    printf("fused: %" PRIu64 " runs agree with plain C, %" PRIu64
           " of them with replicas of buckets\n",
           cases, replicated);
    if (!few_cases())
        ck_assert_uint_gt(replicated, 10);
}
END_TEST

/* ---- what the benchmark stands on */

static double mean_of(const double *x, uint64_t n)
{
    double sum = 0.0;
    for (uint64_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

START_TEST(inputs)
{
    enum { M = 7, N = 5001, COUNT = M * N };
    double *x = malloc(COUNT * sizeof *x), *squares = malloc(COUNT * sizeof *x);
    for (unsigned dtype = 0; dtype < 3; dtype++)
        for (unsigned input = 0; input < RCM_GPU_INPUTS; input++) {
            size_t bytes = rcm_gpu_dtype_bytes((enum rcm_gpu_dtype)dtype);
            unsigned char *host = malloc(2 * COUNT * bytes);
            void *device = rcm_gpu_allocate(COUNT * bytes);
            for (unsigned seed = 0; seed < 2; seed++) {
                ck_assert_int_eq(rcm_gpu_fill((enum rcm_gpu_dtype)dtype, (enum rcm_gpu_input)input,
                                              M, N, seed, device, NULL),
                                 RCM_GPU_OK);
                ck_assert_int_eq(
                    rcm_gpu_from_device(host + seed * COUNT * bytes, device, COUNT * bytes),
                    RCM_GPU_OK);
            }
            bool random = input == RCM_GPU_INPUT_NORMAL || input == RCM_GPU_INPUT_FEW ||
                          input == RCM_GPU_INPUT_LEADING_BITS || input == RCM_GPU_INPUT_MASKED_10;
            ck_assert(random == (memcmp(host, host + COUNT * bytes, COUNT * bytes) != 0));
            uint64_t infinite = 0, distinct = 1;
            for (uint64_t i = 0; i < COUNT; i++) {
                x[i] = value_of((enum rcm_gpu_dtype)dtype,
                                element(host, (enum rcm_gpu_dtype)dtype, i));
                squares[i] = x[i] * x[i];
                infinite += isinf(x[i]) != 0;
                if (input == RCM_GPU_INPUT_RISING || input == RCM_GPU_INPUT_FALLING)
                    ck_assert(i % N == 0 || (input == RCM_GPU_INPUT_RISING ? x[i] >= x[i - 1]
                                                                           : x[i] <= x[i - 1]));
                distinct += x[i] != x[0];
            }
            /* Of 35,007 normals: 5 standard errors of mean and variance. */
            if (input == RCM_GPU_INPUT_NORMAL) {
                ck_assert_double_eq_tol(mean_of(x, COUNT), 0.0, 5.0 / sqrt(COUNT));
                ck_assert_double_eq_tol(mean_of(squares, COUNT), 1.0, 5.0 * sqrt(2.0 / COUNT));
            }
            if (input == RCM_GPU_INPUT_EQUAL || input == RCM_GPU_INPUT_MASKED_100)
                ck_assert_uint_eq(distinct, 1);
            double masked = input == RCM_GPU_INPUT_MASKED_100  ? 1.0
                            : input == RCM_GPU_INPUT_MASKED_10 ? 0.1
                                                               : 0.0;
            double off = fabs((double)infinite / COUNT - masked);
            ck_assert(off <= 5.0 * sqrt(masked * (1.0 - masked) / COUNT));
            rcm_gpu_free(device);
            free(host);
        }
    ck_assert_ptr_null(rcm_gpu_input_name(RCM_GPU_INPUTS));
    /* float16 of the same normals is what plain rounding gives. */
    float *wide = malloc(COUNT * 4);
    uint16_t *narrow = malloc(COUNT * 2);
    void *device = rcm_gpu_allocate(COUNT * 4);
    ck_assert_int_eq(rcm_gpu_fill(RCM_GPU_F32, RCM_GPU_INPUT_NORMAL, M, N, 3, device, NULL),
                     RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_from_device(wide, device, COUNT * 4), RCM_GPU_OK);
    for (unsigned dtype = 1; dtype < 3; dtype++) {
        ck_assert_int_eq(
            rcm_gpu_fill((enum rcm_gpu_dtype)dtype, RCM_GPU_INPUT_NORMAL, M, N, 3, device, NULL),
            RCM_GPU_OK);
        ck_assert_int_eq(rcm_gpu_from_device(narrow, device, COUNT * 2), RCM_GPU_OK);
        for (uint64_t i = 0; i < COUNT; i++) { /* no neighbour is nearer */
            double off = fabs(value_of((enum rcm_gpu_dtype)dtype, narrow[i]) - (double)wide[i]);
            for (int step = -1; step <= 1; step += 2) {
                double neighbour =
                    value_of((enum rcm_gpu_dtype)dtype, (uint32_t)(narrow[i] + step) & 0xffffu);
                REQUIRE(isnan(neighbour) || off <= fabs(neighbour - (double)wide[i]),
                        "dtype %u: %.9g became %.9g", dtype, (double)wide[i],
                        value_of((enum rcm_gpu_dtype)dtype, narrow[i]));
            }
        }
    }
    ck_assert_int_eq(rcm_gpu_fill_vectors(COUNT, 5, device, NULL), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_from_device(narrow, device, COUNT * 2), RCM_GPU_OK);
    for (uint64_t i = 0; i < COUNT; i++) {
        x[i] = value_of(RCM_GPU_BF16, narrow[i]);
        squares[i] = x[i] * x[i];
        REQUIRE(fabs(x[i]) <= 8.0 && 16.0 * x[i] == round(16.0 * x[i]), "a component is %.9g",
                x[i]);
    }
    ck_assert_double_eq_tol(mean_of(squares, COUNT), 1.0 + 1.0 / (12.0 * 256.0),
                            5.0 * sqrt(2.0 / COUNT));
    rcm_gpu_free(device);
    free(wide);
    free(narrow);
    free(x);
    free(squares);
}
END_TEST

/* The kernels that others are held against do what they say: no byte too few, none too many. */
START_TEST(roofs)
{
    enum { ROOM = 1 << 16 };
    static const size_t sizes[][2] = {{0, 0},         {16, 0},        {ROOM, 0},  {ROOM, 16},
                                      {40000, 10000}, {32768, 32768}, {16, ROOM}, {0, 48}};
    unsigned char *host = malloc(ROOM + 16), *from = rcm_gpu_allocate(ROOM),
                  *to = rcm_gpu_allocate(ROOM + 16);
    rcm_gpu_pretend(0, 8, 227 * 1024, 8);
    for (uint32_t i = 0; i < ROOM / 4; i++)
        memcpy(host + 4 * i, &(uint32_t){i * 2654435761u}, 4);
    ck_assert_int_eq(rcm_gpu_to_device(from, host, ROOM), RCM_GPU_OK);
    for (unsigned variant = 0; variant < RCM_GPU_MOVE_VARIANTS; variant++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            ck_assert_int_eq(rcm_gpu_set_bytes(to, 0x77, ROOM + 16), RCM_GPU_OK);
            ck_assert_int_eq(rcm_gpu_move(from, sizes[s][0], to, sizes[s][1], variant, NULL),
                             RCM_GPU_OK);
            ck_assert_int_eq(rcm_gpu_wait(), RCM_GPU_OK);
            ck_assert_int_eq(rcm_gpu_from_device(host, to, ROOM + 16), RCM_GPU_OK);
            for (size_t i = 0; i < ROOM + 16;
                 i += 16) { /* each 16 bytes have their number in them */
                uint32_t word;
                memcpy(&word, host + i + 4, 4);
                REQUIRE(i < sizes[s][1] ? word == i / 16 : word == 0x77777777,
                        "variant %u, %zu read, %zu written: byte %zu", variant, sizes[s][0],
                        sizes[s][1], i);
            }
        }
    ck_assert_int_eq(rcm_gpu_move(from, 16, to, 16, RCM_GPU_MOVE_VARIANTS, NULL), RCM_GPU_BAD_TYPE);
    ck_assert_ptr_null(rcm_gpu_move_variant_name(RCM_GPU_MOVE_VARIANTS));
    ck_assert_int_eq(rcm_gpu_flush(from, ROOM, NULL), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_nothing(NULL), RCM_GPU_OK);

    static const uint32_t begin[4] = {3, 5, 7, 11};
    for (unsigned program = 0; program < RCM_GPU_VECTOR_PROGRAMS; program++)
        for (unsigned operations = 2; operations < 60; operations += 6) {
            uint32_t want[4], got[8];
            memcpy(want, begin, sizeof want);
            for (unsigned i = 0; i < operations; i++) /* one operation into each of the four */
                for (unsigned j = 0; j < 4; j += 2) {
                    uint32_t *p = &want[j], *q = &want[j + 1], x = *p, y = *q;
                    if (program == RCM_GPU_ADDITIONS)
                        *p = x + y, *q = x + 2 * y;
                    else if (program == RCM_GPU_MULTIPLICATIONS)
                        *p = x * x, *q = y * y;
                    else if (i % 2 == 0)
                        *p = x < y ? y : x, *q = x < y ? x : y;
                    else {
                        p = &want[j + 1], q = &want[(j + 2) % 4], x = *p, y = *q;
                        *p = x < y ? y : x, *q = x < y ? x : y;
                    }
                }
            memcpy(got, begin, sizeof begin);
            memcpy(got + 4, begin, sizeof begin);
            ck_assert_int_eq(rcm_gpu_to_device(to, got, sizeof got), RCM_GPU_OK);
            ck_assert_int_eq(rcm_gpu_vector((enum rcm_gpu_vector_program)program, operations,
                                            (int32_t *)to, 8, NULL),
                             RCM_GPU_OK);
            ck_assert_int_eq(rcm_gpu_wait(), RCM_GPU_OK);
            ck_assert_int_eq(rcm_gpu_from_device(got, to, sizeof got), RCM_GPU_OK);
            for (unsigned i = 0; i < 8; i++)
                REQUIRE(got[i] == want[i % 4],
                        "program %u, %u operations: element %u is %u, want %u", program, operations,
                        i, got[i], want[i % 4]);
        }
    free(host);
    rcm_gpu_free(from);
    rcm_gpu_free(to);
}
END_TEST

START_TEST(products)
{
    enum { M = 5, N = 77, D = 64 };
    uint64_t state = 8, different;
    uint16_t *queries = malloc(M * D * 2), *database = malloc(N * D * 2);
    draw_vectors(queries, M, D, NORMAL, &state);
    draw_vectors(database, N, D, NORMAL, &state);
    struct batch want = products_of(queries, database, NORMAL, M, N, D);
    void *q = rcm_gpu_allocate(M * D * 2), *x = rcm_gpu_allocate(N * D * 2),
         *got = rcm_gpu_allocate(M * N * 4), *expected = rcm_gpu_allocate(M * N * 4),
         *count = rcm_gpu_allocate(8);
    ck_assert_int_eq(rcm_gpu_to_device(q, queries, M * D * 2), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_to_device(x, database, N * D * 2), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_multiply(q, x, M, N, D, got, NULL), RCM_GPU_OK);
    for (unsigned wrong = 0; wrong < 4; wrong++) { /* and so many are seen to differ */
        if (wrong > 0)
            want.memory[4 * (wrong * 97)] ^= 1;
        ck_assert_int_eq(rcm_gpu_to_device(expected, want.memory, M * N * 4), RCM_GPU_OK);
        ck_assert_int_eq(rcm_gpu_count_different(got, expected, M * N, count, NULL), RCM_GPU_OK);
        ck_assert_int_eq(rcm_gpu_wait(), RCM_GPU_OK);
        ck_assert_int_eq(rcm_gpu_from_device(&different, count, 8), RCM_GPU_OK);
        ck_assert_uint_eq(different, wrong);
    }
    void *all[] = {q, x, got, expected, count};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        rcm_gpu_free(all[i]);
    free_batch(&want);
    free(queries);
    free(database);
}
END_TEST

/* The same call twice gives the same bits: stage 1 always, exact top-k if it is asked to. Other
 * orders of threads and blocks are played, on the same device. */
START_TEST(repeatable)
{
    uint64_t state = 4;
    for (unsigned repeat = 0; repeat < (few_cases() ? 4 : 40); repeat++) {
        enum rcm_gpu_dtype dtype = (enum rcm_gpu_dtype)(repeat % 3);
        uint64_t n = random_scale(&state, 100, 5000), b = random_scale(&state, 1, n / 8),
                 k_b = random_between(&state, 1, 8), k = random_between(&state, 1, n);
        struct batch batch =
            make_batch(dtype, repeat % 2 ? FEW : SOME_INFINITE, 2, n, n, 1, false, &state);
        size_t candidates = rcm_gpu_candidates(n, b, k_b), bytes;
        struct output first[2], second[2];
        for (unsigned time = 0; time < 2; time++) {
            rcm_gpu_pretend(time * 3, 8, 100 * 1024, repeat % 4 < 2 ? 8 : 1);
            struct rcm_gpu_stage1 stage1 = {
                rows_of(&batch),       b,    k_b, (enum rcm_gpu_assignment)(repeat % 2),
                RCM_GPU_STAGE1_COLUMN, NULL, NULL};
            ck_assert_int_eq(rcm_gpu_stage1_workspace(&stage1, &bytes), RCM_GPU_OK);
            first[time] = make_output(2 * candidates, batch.bytes, bytes);
            stage1.values = first[time].device_values;
            stage1.indices = first[time].device_indices;
            ck_assert_int_eq(rcm_gpu_stage1(&stage1, first[time].workspace, bytes, NULL),
                             RCM_GPU_OK);
            fetch(&first[time]);
            struct rcm_gpu_exact exact = {.rows = rows_of(&batch),
                                          .k = k,
                                          .kernel = repeat % 3 ? RCM_GPU_EXACT_RADIX
                                                               : RCM_GPU_EXACT_HISTOGRAM,
                                          .deterministic = true};
            second[time] = make_output(2 * k, batch.bytes, 0);
            exact.values = second[time].device_values;
            exact.indices = second[time].device_indices;
            ck_assert_int_eq(rcm_gpu_exact(&exact, NULL, 0, NULL), RCM_GPU_OK);
            fetch(&second[time]);
        }
        ck_assert_mem_eq(first[0].indices, first[1].indices, 2 * candidates * sizeof(int32_t));
        ck_assert_mem_eq(second[0].indices, second[1].indices, 2 * k * sizeof(int32_t));
        for (unsigned time = 0; time < 2; time++) {
            free_output(&first[time]);
            free_output(&second[time]);
        }
        free_batch(&batch);
    }
}
END_TEST

/* ---- calls that are refused */

START_TEST(refusals)
{
    float x[64] = {0}, values[64];
    int32_t indices[64];
    size_t bytes;
    struct rcm_gpu_stage1 good = {{x, 2, 32, 0, RCM_GPU_F32, false},
                                  4,
                                  2,
                                  RCM_GPU_INTERLEAVED,
                                  RCM_GPU_STAGE1_THREAD_PER_BUCKET,
                                  values,
                                  indices},
                          call;
#define STAGE1(change, want) \
    do { \
        call = good; \
        change; \
        ck_assert_int_eq(rcm_gpu_stage1(&call, NULL, 0, NULL), want); \
    } while (0)
    STAGE1(call.rows.n = 0, RCM_GPU_BAD_SHAPE);
    STAGE1(call.rows.n = UINT64_C(1) << 31, RCM_GPU_BAD_SHAPE);
    STAGE1(call.rows.m = 0, RCM_GPU_BAD_SHAPE);
    STAGE1(call.rows.stride = 31, RCM_GPU_BAD_SHAPE);
    STAGE1(call.rows.dtype = (enum rcm_gpu_dtype)9, RCM_GPU_BAD_TYPE);
    STAGE1(call.rows.x = NULL, RCM_GPU_BAD_POINTER);
    STAGE1(call.rows.x = (char *)x + 2, RCM_GPU_BAD_POINTER);
    STAGE1(call.b = 0, RCM_GPU_BAD_SHAPE);
    STAGE1(call.b = 33, RCM_GPU_BAD_SHAPE);
    STAGE1(call.k_b = 0, RCM_GPU_BAD_SHAPE);
    STAGE1(call.k_b = 9, RCM_GPU_BAD_SHAPE); /* a bucket has 8 */
    STAGE1((call.b = 1, call.k_b = 17), RCM_GPU_BAD_SHAPE);
    STAGE1(call.kernel = (enum rcm_gpu_stage1_kernel)9, RCM_GPU_BAD_TYPE);
    STAGE1(call.assignment = (enum rcm_gpu_assignment)9, RCM_GPU_BAD_TYPE);
    STAGE1(call.values = NULL, RCM_GPU_BAD_POINTER);
    STAGE1(call.indices = NULL, RCM_GPU_BAD_POINTER);
    struct rcm_gpu_exact exact = {.rows = good.rows,
                                  .k = 3,
                                  .kernel = RCM_GPU_EXACT_SORT,
                                  .values = values,
                                  .indices = indices};
    ck_assert_int_eq(rcm_gpu_exact_workspace(&exact, &bytes), RCM_GPU_OK);
    ck_assert_uint_gt(bytes, 0);
    ck_assert_int_eq(rcm_gpu_exact(&exact, NULL, bytes, NULL), RCM_GPU_BAD_WORKSPACE);
    ck_assert_int_eq(rcm_gpu_exact(&exact, (void *)256, bytes - 1, NULL), RCM_GPU_BAD_WORKSPACE);
    ck_assert_int_eq(rcm_gpu_exact(&exact, (void *)257, bytes, NULL), RCM_GPU_BAD_WORKSPACE);
    exact.k = 33;
    ck_assert_int_eq(rcm_gpu_exact(&exact, NULL, 0, NULL), RCM_GPU_BAD_SHAPE);
    exact.k = 3;
    exact.bits = 12;
    ck_assert_int_eq(rcm_gpu_exact(&exact, NULL, 0, NULL), RCM_GPU_BAD_TYPE);
    exact.bits = 0;
    exact.unroll = 2;
    ck_assert_int_eq(rcm_gpu_exact(&exact, NULL, 0, NULL), RCM_GPU_BAD_TYPE);
    struct rcm_gpu_two_stage both = {
        .rows = good.rows, .k = 9, .b = 4, .k_b = 2, .values = values, .indices = indices};
    ck_assert_int_eq(rcm_gpu_two_stage_workspace(&both, &bytes),
                     RCM_GPU_BAD_SHAPE); /* 8 candidates */
    struct rcm_gpu_fused fused = {(void *)256, (void *)256,        4,     64,     64,     8, 8,
                                  2,           RCM_GPU_EXACT_AUTO, false, values, indices},
                         other;
#define FUSED(change, want) \
    do { \
        other = fused; \
        change; \
        ck_assert_int_eq(rcm_gpu_fused_workspace(&other, &bytes), want); \
        if (want != RCM_GPU_OK) \
            ck_assert_int_eq(rcm_gpu_fused(&other, NULL, 0, NULL), want); \
    } while (0)
    FUSED(other.d = 64, RCM_GPU_OK);
    FUSED(other.d = 96, RCM_GPU_BAD_SHAPE);
    FUSED(other.m = 0, RCM_GPU_BAD_SHAPE);
    FUSED(other.k = 17, RCM_GPU_BAD_SHAPE); /* 16 candidates */
    FUSED(other.k_b = 9, RCM_GPU_BAD_SHAPE);
    FUSED(other.b = 65, RCM_GPU_BAD_SHAPE);
    FUSED(other.queries = (void *)258, RCM_GPU_BAD_POINTER);
    FUSED(other.database = NULL, RCM_GPU_BAD_POINTER);
    ck_assert_int_eq(rcm_gpu_fused(&fused, NULL, 0, NULL), RCM_GPU_BAD_WORKSPACE);
    fused.values = NULL;
    ck_assert_int_eq(rcm_gpu_fused(&fused, NULL, 0, NULL), RCM_GPU_BAD_POINTER);
    for (int status = RCM_GPU_OK; status <= RCM_GPU_ERROR; status++)
        ck_assert_str_ne(rcm_gpu_message((enum rcm_gpu_status)status), "unknown status");
    ck_assert_str_eq(rcm_gpu_message((enum rcm_gpu_status)99), "unknown status");
    for (int kernel = 0; kernel < RCM_GPU_STAGE1_KERNELS; kernel++)
        ck_assert_ptr_nonnull(rcm_gpu_stage1_kernel_name((enum rcm_gpu_stage1_kernel)kernel));
    ck_assert_ptr_null(rcm_gpu_stage1_kernel_name(RCM_GPU_STAGE1_KERNELS));
    ck_assert_ptr_null(rcm_gpu_exact_kernel_name(RCM_GPU_EXACT_KERNELS));
}
END_TEST

TEST_MAIN("gpu", stage1, long_columns, exact, device_check, hits, two_stage, fused, inputs, roofs,
          products, repeatable, refusals)
