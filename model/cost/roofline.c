/* roofline.c - the roofline of Samaga et al. 2025, 2.3. Reading and sources: docs/models.md 10.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include <model/recallmodel/cost.h>

#include "names.h"
#include <model/shape/bisect.h>
#include <model/shape/shape.h>

double rcm_ridge_memory(double vector_rate_per_s, double bandwidth_bytes_per_s)
{
    return vector_rate_per_s > 0.0 && bandwidth_bytes_per_s > 0.0
               ? vector_rate_per_s / (bandwidth_bytes_per_s / 4.0)
               : NAN;
}

double rcm_ridge_matrix(double vector_rate_per_s, double matrix_rate_per_s)
{
    return vector_rate_per_s > 0.0 && matrix_rate_per_s > 0.0
               ? vector_rate_per_s / (matrix_rate_per_s / 256.0)
               : NAN;
}

uint64_t rcm_ridge_k_b(double ridge)
{
    double k_b = floor((ridge + 2.0) / 5.0);
    return !(k_b >= 1.0) ? 0 : k_b < (double)RCM_N_MAX ? (uint64_t)k_b : RCM_N_MAX;
}

double rcm_dtype_bytes(enum rcm_dtype dtype)
{
    return dtype == RCM_F32 ? 4.0 : 2.0;
}

#define DTYPE_NAMES 5
static const char *const dtype_names[][DTYPE_NAMES] = {
    [RCM_F32] = {"f32", "float32", "fp32", "single", "torch.float"},
    [RCM_F16] = {"f16", "float16", "fp16", "half"},
    [RCM_BF16] = {"bf16", "bfloat16", "__nv_bfloat16"}};

const char *rcm_dtype_name(enum rcm_dtype dtype)
{
    return dtype_names[dtype][0];
}

bool rcm_dtype_by_name(const char *name, enum rcm_dtype *dtype)
{
    const char *point = strrchr(name, '.'), *alone = point ? point + 1 : name;
    for (size_t i = 0; i < sizeof dtype_names / sizeof *dtype_names; i++)
        for (size_t j = 0; j < DTYPE_NAMES && dtype_names[i][j]; j++)
            if (names_equal(dtype_names[i][j], name) || names_equal(dtype_names[i][j], alone)) {
                *dtype = (enum rcm_dtype)i;
                return true;
            }
    return false;
}

double rcm_bytes_to_memory(const struct rcm_device *device, double written)
{
    return device->on_chip_bytes > 0.0 ? fmax(0.0, written - device->on_chip_bytes) : 0.0;
}

static double candidate_bytes(struct rcm_topk p, double value_bytes)
{
    return shape_rows(p) * (double)rcm_candidates(p) * (value_bytes + 4.0);
}

static double stage1_bytes(const struct rcm_device *device, struct rcm_topk p, double value_bytes)
{
    return shape_rows(p) * (double)p.n * value_bytes +
           rcm_bytes_to_memory(device, candidate_bytes(p, value_bytes));
}

static double stage1_operations(struct rcm_topk p)
{
    return shape_rows(p) * (double)p.n * (5.0 * (double)p.k_b - 2.0);
}

/* A search for the largest k_b up to which p is memory-bound. */
struct bound_search {
    const struct rcm_device *device;
    struct rcm_topk p;
    double value_bytes;
};

static enum answer vector_bound(void *context, uint64_t k_b)
{
    struct bound_search *search = context;
    const struct rcm_device *device = search->device;
    search->p.k_b = k_b;
    const double bytes = stage1_bytes(device, search->p, search->value_bytes);
    return stage1_operations(search->p) / device->vector_rate_per_s <=
                   bytes / device->bandwidth_bytes_per_s
               ? NO
               : YES;
}

static enum answer leaves_chip(void *context, uint64_t k_b)
{
    struct bound_search *search = context;
    search->p.k_b = k_b;
    const double written = candidate_bytes(search->p, search->value_bytes);
    return rcm_bytes_to_memory(search->device, written) > 0.0 ? YES : NO;
}

/* Up to the k_b whose candidates fit on the chip the bytes are the same, and only the operations
 * grow. Beyond it the bytes are concave in k_b (they grow until every element is a candidate). So
 * if the first k_b beyond is memory-bound, it is memory-bound up to one point and not further. */
static uint64_t last_memory_bound(const struct rcm_device *device, struct rcm_topk p, double e)
{
    struct bound_search search = {device, p, e};
    const uint64_t end = shape_ceil_divide(p.n, p.b) + 1,
                   leaves = bisect(1, end, leaves_chip, &search),
                   first = bisect(1, leaves, vector_bound, &search);
    if (first < leaves || leaves == end || vector_bound(&search, leaves) == YES)
        return first - 1;
    return bisect(leaves, end, vector_bound, &search) - 1;
}

struct rcm_roofline rcm_roofline(const struct rcm_device *device, enum rcm_dtype dtype,
                                 struct rcm_topk p)
{
    struct rcm_roofline roof = {NAN, NAN, NAN, NAN, NAN, NAN, false, 0};
    if (rcm_check(p) != RCM_OK || !(device->bandwidth_bytes_per_s > 0.0))
        return roof;
    const double e = rcm_dtype_bytes(dtype);
    roof.bytes = stage1_bytes(device, p, e);
    roof.operations = stage1_operations(p);
    roof.time_memory_us = roof.bytes / device->bandwidth_bytes_per_s * 1e6;
    roof.time_us = roof.time_memory_us;
    roof.through_memory_us = (shape_rows(p) * (double)p.n * e + candidate_bytes(p, e)) /
                             device->bandwidth_bytes_per_s * 1e6;
    if (!(device->vector_rate_per_s > 0.0))
        return roof;
    roof.time_vector_us = roof.operations / device->vector_rate_per_s * 1e6;
    roof.through_memory_us = fmax(roof.through_memory_us, roof.time_vector_us);
    roof.memory_bound = roof.time_vector_us <= roof.time_memory_us;
    roof.time_us = roof.memory_bound ? roof.time_memory_us : roof.time_vector_us;
    roof.k_b_max = last_memory_bound(device, p, e);
    return roof;
}

double rcm_stage2_us(const struct rcm_device *device, enum rcm_dtype dtype, struct rcm_topk p)
{
    if (rcm_check(p) != RCM_OK || !(device->bandwidth_bytes_per_s > 0.0))
        return NAN;
    return rcm_candidates(p) > p.k
               ? candidate_bytes(p, rcm_dtype_bytes(dtype)) / device->bandwidth_bytes_per_s * 1e6
               : 0.0;
}

/* The longest of the three times, and which one it is. */
static double longest_us(double memory, double matrix, double vector, const char **bound)
{
    const double longest = fmax(memory, fmax(matrix, vector));
    *bound = longest == memory ? "memory" : longest == matrix ? "matrix" : "vector";
    return longest * 1e6;
}

/* What a kernel does beside the product in all rows: the elements that it multiplies, the vector
 * operations, and the bytes that it hands on. */
struct beside {
    double elements, operations, bytes;
};

static struct rcm_product product_with(const struct rcm_device *device, enum rcm_dtype dtype,
                                       struct rcm_topk p, uint64_t d, struct beside fused)
{
    struct rcm_product product = {NAN, NAN, NAN, NAN, NULL, NULL, NAN, NAN, NAN};
    if (d < 1 || !(device->bandwidth_bytes_per_s > 0.0) || !(device->matrix_rate_per_s > 0.0))
        return product;
    const double m = shape_rows(p), n = (double)p.n, e = rcm_dtype_bytes(dtype),
                 beta = device->bandwidth_bytes_per_s;
    const double vectors = e * (m + n) * (double)d, operations = 2.0 * m * n * (double)d,
                 matrix = operations / device->matrix_rate_per_s,
                 fused_operations = 2.0 * fused.elements * (double)d,
                 moved = vectors + rcm_bytes_to_memory(device, fused.bytes);
    const char *least_bound;
    product.product_us = longest_us((vectors + rcm_bytes_to_memory(device, e * m * n)) / beta,
                                    matrix, 0.0, &product.product_bound);
    product.least_us = longest_us(vectors / beta, matrix, 0.0, &least_bound);
    product.product_intensity = operations / (vectors + e * m * n);
    product.fused_intensity = fused_operations / moved;
    product.ridge = device->matrix_rate_per_s / beta;
    if (!(device->vector_rate_per_s > 0.0))
        return product;
    product.fused_us =
        longest_us(moved / beta, fused_operations / device->matrix_rate_per_s,
                   fused.operations / device->vector_rate_per_s, &product.fused_bound);
    product.fused_through_memory_us = fmax(product.fused_us, (vectors + fused.bytes) / beta * 1e6);
    return product;
}

struct rcm_product rcm_product(const struct rcm_device *device, enum rcm_dtype dtype,
                               struct rcm_topk p, uint64_t d)
{
    const bool ok = rcm_check(p) == RCM_OK;
    return product_with(device, dtype, p, ok ? d : 0,
                        (struct beside){shape_rows(p) * (double)p.n, stage1_operations(p),
                                        candidate_bytes(p, rcm_dtype_bytes(dtype))});
}

struct rcm_product rcm_product_above(const struct rcm_device *device, enum rcm_dtype dtype,
                                     struct rcm_topk p, uint64_t d, double sample, double survivors)
{
    p.b = p.k_b = 1;
    const bool ok = rcm_check(p) == RCM_OK && sample >= 0.0 && sample <= (double)p.n &&
                    survivors >= 0.0 && survivors <= (double)p.n;
    const double m = shape_rows(p), elements = m * ((double)p.n + sample);
    return product_with(
        device, dtype, p, ok ? d : 0,
        (struct beside){elements, elements, m * survivors * (rcm_dtype_bytes(dtype) + 4.0)});
}

double rcm_least_us(const struct rcm_device *device, enum rcm_dtype dtype, uint64_t n, uint64_t m)
{
    const double bytes = (double)n * (double)(m ? m : 1) * rcm_dtype_bytes(dtype),
                 cache = device->on_chip_bytes > 0.0 ? device->on_chip_bytes : RCM_CACHE_MOST,
                 kernel = device->shortest_kernel_us > 0.0 ? device->shortest_kernel_us
                          : !device->architecture          ? 0.0
                                                           : RCM_KERNEL_LEAST_US;
    if (!(device->bandwidth_bytes_per_s > 0.0))
        return 0.0;
    return fmax(kernel, 1e6 * (bytes - cache) / device->bandwidth_bytes_per_s);
}
