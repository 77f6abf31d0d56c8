/* multiplier.h - products of matrices by cuBLAS. The library is opened at run time: it is large,
 * and the program must start without it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MULTIPLIER_H
#define MULTIPLIER_H

#include <gpu/topk_gpu.h>

struct multiplier;

/* NULL if cuBLAS is not found. */
struct multiplier *multiplier_open(void);
void multiplier_close(struct multiplier *multiplier);

/* Computes products = queries database^T. The queries are m x d and the database n x d, of
 * bfloat16; the products are m x n of `type`, float32 or bfloat16, summed in float32. All are on
 * the device. */
enum rcm_gpu_status multiply(struct multiplier *multiplier, const void *queries,
                             const void *database, uint64_t m, uint64_t n, uint64_t d,
                             void *products, enum rcm_gpu_dtype type, rcm_gpu_stream stream);

#endif
