/* gpu.h - what the tests of the GPU kernels share: rows of every kind, outputs filled with a
 * pattern, and what the bits of an element mean, written without the tricks of the kernels.
 * Linked with the emulated kernels or, by `make gpu`, with the real ones.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GPU_H
#define GPU_H

#include <gpu/host/device_memory.h>
#include <gpu/topk_gpu.h>
#include <tests/test.h>

/* ck_assert_msg writes to a file each time, also where the condition holds. */
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

/* ---- values */

static inline double value_of(enum rcm_gpu_dtype dtype, uint32_t bits)
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

static inline uint32_t bits_of(enum rcm_gpu_dtype dtype, float value)
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
    /* Truncated, not rounded: any element will do. */
    double fraction = frexp(fabs((double)value), &exponent);
    uint32_t sign = signbit(value) ? 0x8000 : 0;
    if (exponent > 16)
        return sign | 0x7bff;
    if (exponent < -13)
        return sign | (uint32_t)ldexp(fraction, exponent + 24);
    return sign | ((uint32_t)(exponent + 14) << 10) | ((uint32_t)ldexp(fraction, 11) & 1023);
}

static inline uint32_t element(const void *x, enum rcm_gpu_dtype dtype, uint64_t i)
{
    return dtype == RCM_GPU_F32 ? ((const uint32_t *)x)[i] : ((const uint16_t *)x)[i];
}

/* A number to sort by: largest (smallest) first, NaN last. */
static inline double merit(enum rcm_gpu_dtype dtype, uint32_t bits, bool smallest)
{
    double value = value_of(dtype, bits);
    return isnan(value) ? NAN : smallest ? -value : value;
}

static inline int by_merit(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x < y) - (x > y);
}

static inline bool same_merit(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b;
}

/* ---- rows */

enum kind { KINDS_OF_ROWS, KINDS };

static const char *const kind_names[] = {"normal",   "equal",        "few",       "rising",
                                         "falling",  "leading bits", "some -inf", "all -inf",
                                         "some NaN", "all NaN",      "zeros",     "any bits"};

static inline float normal(uint64_t *state)
{
    double u = ((double)(next_random(state) >> 11) + 0.5) * 0x1p-53,
           v = (double)(next_random(state) >> 11) * 0x1p-53;
    return (float)(sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v));
}

static inline uint32_t random_bits(enum rcm_gpu_dtype dtype, enum kind kind, uint64_t i, uint64_t n,
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
    case SOME_NAN: /* of both signs, and more often than values */
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
static inline struct batch make_batch(enum rcm_gpu_dtype dtype, enum kind kind, uint64_t m,
                                      uint64_t n, uint64_t stride, size_t offset, bool smallest,
                                      uint64_t *state)
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
            uint32_t bits = random_bits(dtype, kind, i, n, state);
            uint16_t low = (uint16_t)bits;
            memcpy(b.memory + b.offset + (r * stride + i) * b.bytes,
                   b.bytes == 4 ? (void *)&bits : (void *)&low, b.bytes);
        }
    b.device = rcm_gpu_allocate(b.size);
    ck_assert_ptr_nonnull(b.device);
    ck_assert_int_eq(rcm_gpu_to_device(b.device, b.memory, b.size), RCM_GPU_OK);
    return b;
}

/* At most m_most rows of n elements: aligned or not, with or without a stride, largest or smallest
 * first. */
static inline struct batch random_batch(enum rcm_gpu_dtype dtype, enum kind kind, uint64_t n,
                                        uint64_t m_most, uint64_t *state)
{
    uint64_t m = random_between(state, 1, m_most),
             stride = n + (next_random(state) % 3 == 0 ? next_random(state) % 9 : 0);
    return make_batch(dtype, kind, m, n, stride,
                      next_random(state) % 2 ? next_random(state) % 8 : 0,
                      next_random(state) % 3 == 0, state);
}

/* CASES=few: whether the l-th length is tested with this kind and type. */
static inline bool is_tested(size_t l, uint64_t n, unsigned kind, unsigned dtype)
{
    return !few_cases() || (kind % 4 == l % 4 && dtype == l % 3 && n <= 5000);
}

static inline struct rcm_gpu_rows rows_of(const struct batch *b)
{
    return (struct rcm_gpu_rows){
        (unsigned char *)b->device + b->offset, b->m, b->n, b->stride, b->dtype, b->smallest};
}

static inline const void *row_of(const struct batch *b, uint64_t r)
{
    return b->memory + b->offset + r * b->stride * b->bytes;
}

static inline void free_batch(struct batch *b)
{
    rcm_gpu_free(b->device);
    free(b->memory);
}

/* ---- outputs */

/* Outputs and workspace, filled with a pattern. There is room for indices of 8 bytes. */
struct output {
    void *device_values, *device_indices, *workspace;
    size_t count, workspace_bytes, bytes;
    unsigned char *values;
    int32_t *indices;
};

static inline struct output make_output(size_t count, size_t bytes, size_t workspace_bytes)
{
    struct output o = {rcm_gpu_allocate(count * bytes),
                       rcm_gpu_allocate(count * 8),
                       workspace_bytes ? rcm_gpu_allocate(workspace_bytes) : NULL,
                       count,
                       workspace_bytes,
                       bytes,
                       malloc(count * bytes),
                       malloc(count * 8)};
    ck_assert(o.device_values && o.device_indices && o.values && o.indices &&
              (o.workspace || !workspace_bytes));
    memset(o.values, 0xee, count * bytes);
    memset(o.indices, 0xee, count * 8);
    ck_assert_int_eq(rcm_gpu_to_device(o.device_values, o.values, count * bytes), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_to_device(o.device_indices, o.indices, count * 8), RCM_GPU_OK);
    if (workspace_bytes) {
        void *poison = malloc(workspace_bytes);
        memset(poison, 0xdd, workspace_bytes);
        ck_assert_int_eq(rcm_gpu_to_device(o.workspace, poison, workspace_bytes), RCM_GPU_OK);
        free(poison);
    }
    return o;
}

static inline void fetch_output(struct output *o)
{
    ck_assert_int_eq(rcm_gpu_wait(), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_from_device(o->values, o->device_values, o->count * o->bytes),
                     RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_from_device(o->indices, o->device_indices, o->count * 8), RCM_GPU_OK);
}

static inline void free_output(struct output *o)
{
    rcm_gpu_free(o->device_values);
    rcm_gpu_free(o->device_indices);
    rcm_gpu_free(o->workspace);
    free(o->values);
    free(o->indices);
}

/* Pretends that the device is a random one of five: few or many multiprocessors, with or without
 * clusters, little shared memory. A real device is used as if it had no more. */
static inline void pretend_device(uint64_t *state)
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

#endif
