/* plan.h - internal to topk: what the calls share: which rows are legal, where they lie, which
 * thread does what.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPK_PLAN_H
#define TOPK_PLAN_H

#include "team.h"
#include "topk.h"

enum rcm_top_k_status topk_check_rows(const struct rcm_top_k_rows *rows);

/* So many rows at a time, and so many threads for each: threads take a row each, or share each row
 * if rows are few. */
struct share {
    unsigned rows, threads;
};
struct share topk_share(const struct rcm_top_k_rows *rows, unsigned threads);

/* So many pieces of about so many bytes that the end of one is not long waited for, but at least
 * one for each thread; `threads` 1: one. */
uint64_t topk_pieces(uint64_t count, size_t bytes_each, unsigned threads);

enum rcm_top_k_status topk_check_outputs(const struct rcm_top_k_call *call, size_t bytes);

/* rcm_top_k_workspace() and rcm_top_k() of rows of different lengths (ragged.c). */
enum rcm_top_k_status topk_ragged_workspace(const struct rcm_top_k_call *call, size_t *bytes);
enum rcm_top_k_status topk_ragged(const struct rcm_top_k_call *call, char *workspace, size_t bytes);

/* Where row r begins. */
const char *topk_row(const struct rcm_top_k_rows *rows, size_t bytes, uint64_t r);

#endif
