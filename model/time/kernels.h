/* kernels.h - internal to model/: the kernels by name, so that profiles can point to them, and
 * the buckets of XLA's approx_max_k.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_H
#define KERNELS_H

#include <model/recallmodel/time.h>

extern const struct rcm_kernel kernel_any, kernel_ours, kernel_graphcore, kernel_xla;
extern const struct rcm_kernel kernel_graphcore_thread, kernel_graphcore_block, kernel_generic;
extern const struct rcm_kernel kernel_cpu, kernel_drtopk, kernel_helion, kernel_samaga;
extern const struct rcm_kernel kernel_exact, kernel_exact_once, kernel_torch_topk;

/* The tile T of XLA's approx_max_k: 128 for the rows of an array (m > 1), 1024 for a vector. */
uint64_t kernel_xla_tile(struct rcm_topk p);

/* The buckets that it takes if it halves the number of tiles g times: ceil(ceil(n/T) / 2^g) T. For
 * k = 1 it takes T, whatever g is.
 * Domain    1 <= g < 64; g = 0 would be a full sort. */
uint64_t kernel_xla_b(struct rcm_topk p, unsigned g);

#endif
