/* recallmodel/blocks.h - keep the best blocks of a row, then take the top-k inside them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_BLOCKS_H
#define RECALLMODEL_BLOCKS_H

#include "shape.h"

RCM_BEGIN

/* A row of n keys is cut into ceil(n/size) blocks of `size` neighbours; the last one has what is
 * left. The `kept` blocks with the largest maxima are kept. The answer is the top-k of the keys in
 * them, or all of these where they are fewer than k (the short block may be among them).
 *
 * In every function, the top-k keys lie anywhere in the row with equal probability.
 *
 * Domain of every function that takes it: 1 <= n <= RCM_N_MAX, 1 <= size <= RCM_N_MAX,
 * 1 <= kept <= number of blocks, 1 <= k <= min(kept size, n), the most that the selection can hold.
 * (If the last block is short and kept, it holds fewer.) Otherwise NaN, or 0 for an integer. */
struct rcm_blocks {
    uint64_t n, k, size, kept;
};

/* RCM_OK; RCM_BAD_N; RCM_BAD_K: not 1 <= k <= n; RCM_BAD_B: the size; RCM_BAD_K_B: not 1 <= kept <=
 * number of blocks; RCM_TOO_FEW: k is more than the keys in `kept` whole blocks. */
enum rcm_status rcm_blocks_check(struct rcm_blocks b);

/* What a status says about its b, as rcm_status_text does; size and kept are called block and
 * blocks. */
size_t rcm_blocks_status_text(enum rcm_status status, struct rcm_blocks b, char *buffer,
                              size_t size);

/* The number of blocks, and the keys in `kept` of them, min(kept size, n): fewer if the short one
 * is among these. Neither reads k, and the first does not read kept. */
uint64_t rcm_blocks_count(struct rcm_blocks b);
uint64_t rcm_blocks_candidates(struct rcm_blocks b);

/* Bounds on the relative error; the tests assert them. */
#define RCM_BLOCKS_LOSS_MAX_RELERR 1e-12 /* loss >= 1e-290 */
#define RCM_BLOCKS_SD_MAX_RELERR 1e-9

/* Expected loss: the share of the true top-k that lies in other blocks.
 * Returns   a fraction in [0, 1]; exactly 0 if k <= kept, or if all blocks are kept. Below 1e-290
 *           it loses digits, and then it underflows to 0.
 * Accuracy  relative error <= RCM_BLOCKS_LOSS_MAX_RELERR.
 * Time      1 ms for n = 2^20, k = 2048 and blocks of 8; up to 0.2 s for large blocks and huge n.
 * Source    docs/models.md 17. */
double rcm_blocks_loss(struct rcm_blocks b);

/* Expected recall, 1 - loss.
 * Returns   a fraction in [0, 1]; exactly 1 if k <= kept, or if all blocks are kept.
 * Accuracy  absolute error <= 1.2e-16 + the error of the loss. */
double rcm_blocks_recall(struct rcm_blocks b);

/* Standard deviation of the recall of one row.
 * Accuracy  relative error <= RCM_BLOCKS_SD_MAX_RELERR, for sd >= 1e-140. */
double rcm_blocks_sd(struct rcm_blocks b);

/* The smallest number of blocks to keep whose loss is at most `loss` (1 + 1e-12), 0 <= loss <= 1;
 * b.kept is not read. Recall does not fall with the blocks kept, so bisection finds it. There is
 * always one, as min(k, number of blocks) lose nothing. */
uint64_t rcm_blocks_smallest(struct rcm_blocks b, double loss);

RCM_END

#endif
