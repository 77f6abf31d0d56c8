/* product_sample.h - the sample of a database from which fused_exact.cu takes the threshold of each
 * query, and how far it can be trusted. It is C too, for the tests, which mislead it.
 *
 * The database is cut into `size` runs of neighbours, and one element of each is drawn. So whether
 * the k largest products of a query lie together or apart, the number of them in the sample is a
 * sum of independent 0 or 1, of mean at most mu = k / shortest run. With c = 14, by Bernstein,
 *
 *     P(at least mu + t) <= exp(-t^2 / (2 mu + 2 t / 3)) = e^-c,  t = c/3 + sqrt(c^2/9 + 2 c mu)
 *     P(at most nu - t) <= exp(-t^2 / (2 nu)) = e^-c,             t = sqrt(2 c nu)
 *
 * The threshold has rank r = ceil(mu + t) in the sample. Fewer than k products reach it only if r
 * of the sample are among the k largest: probability e^-14 < 1e-6. More than L reach it only if at
 * most r - 1 of the sample are among the L + 1 largest, which have the mean nu >= L / longest run:
 * again e^-14, if nu - sqrt(2 c nu) >= r - 1. Rows that fail are counted anew; they cost time only.
 * All queries share the sample, so that queries that are alike fail together.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_GPU_PRODUCT_SAMPLE_H
#define RCM_GPU_PRODUCT_SAMPLE_H

#include <math.h>

#include <gpu/kernels/sample.h>

struct rcm_gpu_product_sample {
    uint32_t size; /* elements of the database; 0: no sample, and no threshold */
    uint32_t rank; /* of the threshold in the sample, from the largest */
    uint32_t list; /* elements that the list of a row must hold, k or more and n at most */
};

/* A sample of 1/64 of the database, but of 2048 to 65536 elements: then a list is short, and sample
 * and list together take little of the time of the products. A database of twice the least sample
 * is listed whole, and so is one that leaves a sample nothing to exclude. */
static inline struct rcm_gpu_product_sample rcm_gpu_product_sample_of(uint32_t n, uint32_t k)
{
    const uint32_t least = 2048, most = 65536, size = n / 64 / 64 * 64;
    struct rcm_gpu_product_sample s = {size < least ? least : size < most ? size : most, 0, n};
    if (n > 2 * least) {
        const uint32_t shortest = n / s.size, longest = (n - 1) / s.size + 1;
        const double c = 14, mu = (double)k / shortest,
                     rank = ceil(mu + c / 3 + sqrt(c * c / 9 + 2 * c * mu));
        const double root = sqrt(c / 2) + sqrt(c / 2 + rank - 1),
                     list = ceil(root * root * longest);
        if (rank < s.size && list < n) {
            s.rank = (uint32_t)rank;
            s.list = (uint32_t)list;
            return s;
        }
    }
    s.size = 0;
    return s;
}

/* Element j of a sample of the database: one of run j. */
RCM_GPU_SAMPLE uint32_t rcm_gpu_product_sample_at(uint32_t j, uint32_t size, uint32_t n)
{
    const uint32_t first = (uint32_t)((uint64_t)j * n / size),
                   run = (uint32_t)((uint64_t)(j + 1) * n / size) - first;
    return first + (uint32_t)((uint64_t)rcm_gpu_sample_mixed(j + 1) * run >> 32);
}

#endif
