/* roofline.c - the roofline of Samaga et al. 2025, 2.3. Reading and sources: docs/models.md 10.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "shape.h"

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

static const char *const dtype_names[][2] = {[RCM_F32] = {"f32", "float32"},
                                             [RCM_F16] = {"f16", "float16"},
                                             [RCM_BF16] = {"bf16", "bfloat16"}};

const char *rcm_dtype_name(enum rcm_dtype dtype)
{
    return dtype_names[dtype][0];
}

bool rcm_dtype_by_name(const char *name, enum rcm_dtype *dtype)
{
    for (size_t i = 0; i < sizeof dtype_names / sizeof *dtype_names; i++)
        if (strcmp(name, dtype_names[i][0]) == 0 || strcmp(name, dtype_names[i][1]) == 0) {
            *dtype = (enum rcm_dtype)i;
            return true;
        }
    return false;
}

struct rcm_roofline rcm_roofline(const struct rcm_device *device, enum rcm_dtype dtype,
                                 struct rcm_topk p)
{
    struct rcm_roofline roof = {NAN, NAN, NAN, NAN, NAN, false, 0};
    if (rcm_check(p) != RCM_OK || !(device->bandwidth_bytes_per_s > 0.0))
        return roof;
    double m = p.m ? (double)p.m : 1.0, e = rcm_dtype_bytes(dtype);
    roof.bytes = m * ((double)p.n * e + (double)rcm_candidates(p) * (e + 4.0));
    roof.operations = m * (double)p.n * (5.0 * (double)p.k_b - 2.0);
    roof.time_memory_us = roof.bytes / device->bandwidth_bytes_per_s * 1e6;
    roof.time_us = roof.time_memory_us;
    if (!(device->vector_rate_per_s > 0.0))
        return roof;
    roof.time_vector_us = roof.operations / device->vector_rate_per_s * 1e6;
    roof.memory_bound = roof.time_vector_us <= roof.time_memory_us;
    roof.time_us = roof.memory_bound ? roof.time_memory_us : roof.time_vector_us;

    /* 5 k_b - 2 <= ops_per_byte (e + min(b k_b/n, 1) (e + 4)): the right side is concave in k_b,
     * and it holds at 0, so it holds up to one point and not beyond: bisect. */
    double ops_per_byte = device->vector_rate_per_s / device->bandwidth_bytes_per_s;
    uint64_t low = 0, high = shape_ceil_divide(p.n, p.b) + 1;
    while (high - low > 1) {
        p.k_b = low + (high - low) / 2;
        double share = (double)rcm_candidates(p) / (double)p.n;
        if (5.0 * (double)p.k_b - 2.0 <= ops_per_byte * (e + share * (e + 4.0)))
            low = p.k_b;
        else
            high = p.k_b;
    }
    roof.k_b_max = low;
    return roof;
}

/* The longest of the three, and which it was. */
static double longest_us(double memory, double matrix, double vector, const char **bound)
{
    const double longest = fmax(memory, fmax(matrix, vector));
    *bound = longest == memory ? "memory" : longest == matrix ? "matrix" : "vector";
    return longest * 1e6;
}

struct rcm_product rcm_product(const struct rcm_device *device, enum rcm_dtype dtype,
                               struct rcm_topk p, uint64_t d)
{
    struct rcm_product product = {NAN, NAN, NULL, NULL};
    if (rcm_check(p) != RCM_OK || d < 1 || !(device->bandwidth_bytes_per_s > 0.0) ||
        !(device->matrix_rate_per_s > 0.0))
        return product;
    const double m = p.m ? (double)p.m : 1.0, n = (double)p.n, e = rcm_dtype_bytes(dtype);
    const double vectors = e * (m + n) * (double)d,
                 matrix = 2.0 * m * n * (double)d / device->matrix_rate_per_s;
    product.product_us = longest_us((vectors + e * m * n) / device->bandwidth_bytes_per_s, matrix,
                                    0.0, &product.product_bound);
    if (!(device->vector_rate_per_s > 0.0))
        return product;
    product.fused_us = longest_us(
        (vectors + m * (double)rcm_candidates(p) * (e + 4.0)) / device->bandwidth_bytes_per_s,
        matrix, m * n * (5.0 * (double)p.k_b - 2.0) / device->vector_rate_per_s,
        &product.fused_bound);
    return product;
}
