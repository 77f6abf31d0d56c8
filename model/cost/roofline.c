/* roofline.c - the roofline of Samaga et al. 2025, 2.3. Reading and sources: docs/models.md 10.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include <model/recallmodel/cost.h>
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

/* A search for the largest k_b at which p is memory-bound. */
struct bound_search {
    struct rcm_topk p;
    double value_bytes, ops_per_byte;
};

/* Memory-bound: 5 k_b - 2 <= ops_per_byte (e + min(b k_b/n, 1) (e + 4)). The right side is concave
 * in k_b, and the inequality holds at 0, so it holds up to one point and not beyond. */
static enum answer vector_bound(void *context, uint64_t k_b)
{
    struct bound_search *search = context;
    search->p.k_b = k_b;
    const double share = (double)rcm_candidates(search->p) / (double)search->p.n;
    const double bytes = search->value_bytes + share * (search->value_bytes + 4.0);
    return 5.0 * (double)k_b - 2.0 <= search->ops_per_byte * bytes ? NO : YES;
}

struct rcm_roofline rcm_roofline(const struct rcm_device *device, enum rcm_dtype dtype,
                                 struct rcm_topk p)
{
    struct rcm_roofline roof = {NAN, NAN, NAN, NAN, NAN, false, 0};
    if (rcm_check(p) != RCM_OK || !(device->bandwidth_bytes_per_s > 0.0))
        return roof;
    double m = shape_rows(p), e = rcm_dtype_bytes(dtype);
    roof.bytes = m * ((double)p.n * e + (double)rcm_candidates(p) * (e + 4.0));
    roof.operations = m * (double)p.n * (5.0 * (double)p.k_b - 2.0);
    roof.time_memory_us = roof.bytes / device->bandwidth_bytes_per_s * 1e6;
    roof.time_us = roof.time_memory_us;
    if (!(device->vector_rate_per_s > 0.0))
        return roof;
    roof.time_vector_us = roof.operations / device->vector_rate_per_s * 1e6;
    roof.memory_bound = roof.time_vector_us <= roof.time_memory_us;
    roof.time_us = roof.memory_bound ? roof.time_memory_us : roof.time_vector_us;

    struct bound_search search = {p, e, device->vector_rate_per_s / device->bandwidth_bytes_per_s};
    roof.k_b_max = bisect(1, shape_ceil_divide(p.n, p.b) + 1, vector_bound, &search) - 1;
    return roof;
}

/* The longest of the three times, and which one it is. */
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
    const double m = shape_rows(p), n = (double)p.n, e = rcm_dtype_bytes(dtype);
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
