/* plan.h - internal to topk: what the calls share: which rows are legal, where they lie, which
 * thread does what.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPK_PLAN_H
#define TOPK_PLAN_H

#include "topk.h"

enum rcm_top_k_status topk_check_rows(const struct rcm_top_k_rows *rows);

/* The threads of a call that asks for so many; 0: those that OpenMP would use. */
unsigned topk_threads_wanted(unsigned asked);

/* So many rows at a time, and so many threads for each: threads take a row each, or share each row
 * if rows are few. */
struct share {
    unsigned rows, threads;
};
struct share topk_share(const struct rcm_top_k_rows *rows, unsigned threads);

/* Where row r begins. */
const char *topk_row(const struct rcm_top_k_rows *rows, size_t bytes, uint64_t r);

#endif
