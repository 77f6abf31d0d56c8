/* kernels.h - the kernels that the GPU can run, and which cells they take.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_H
#define KERNELS_H

#include <gpu/topk_gpu.h>
#include <programs/bench/cells/cell.h>

/* How products and their top k are computed: without writing the products, both stages or exact
 * top-k; by cuBLAS, then both stages; by cuBLAS, then exact top-k; or the product alone by cuBLAS.
 */
enum product { PRODUCT_FUSED, PRODUCT_FUSED_EXACT, PRODUCT_UNFUSED, PRODUCT_EXACT, PRODUCT_ALONE };

/* What the library must be told to run a kernel. */
struct how {
    enum rcm_gpu_stage1_kernel stage1;
    enum rcm_gpu_exact_kernel exact;
    unsigned bits, unroll;
    bool binary_search;
    enum product product;
    bool apart; /* the two stages are two calls: the second begins when the first has ended */
};

static inline const struct how *how_of(const struct cell *cell)
{
    return cell->kernel->how;
}

/* Are products selected from without being written, or exactly? */
static inline bool is_fused(const struct how *how)
{
    return how->product == PRODUCT_FUSED || how->product == PRODUCT_FUSED_EXACT;
}
static inline bool is_exact_product(const struct how *how)
{
    return how->product == PRODUCT_EXACT || how->product == PRODUCT_FUSED_EXACT;
}

/* Our kernels. The last one has no name. */
extern const struct kernel cuda_kernels[];

/* Adds the peers of every library NAME.so in the folder RECALLMODEL_PEERS, or peers beside this
 * program. One that cannot be loaded is said in a line on stderr. */
void load_peers(void);

/* Why a cell cannot be run; NULL if it can. */
const char *cuda_refusal(const struct cell *cell);

#endif
