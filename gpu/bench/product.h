/* product.h - the product of a matrix by cuBLAS, which is opened at run time: it is large, and the
 * program must start without it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRODUCT_H
#define PRODUCT_H

#include "gpu/topk_gpu.h"

struct multiplier;

/* NULL where there is no cuBLAS. */
struct multiplier *multiplier_open(void);
void multiplier_close(struct multiplier *multiplier);

/* products = queries database^T, m x n of type float32 or bfloat16, from m x d and n x d of
 * bfloat16, summed in float32. */
enum rcm_gpu_status multiply(struct multiplier *multiplier, const void *queries,
                             const void *database, uint64_t m, uint64_t n, uint64_t d,
                             void *products, enum rcm_gpu_dtype type, rcm_gpu_stream stream);

#endif
