/* library.h - librecallmodel-topk, loaded when a command asks for it, so that the program is built
 * and starts without its kernels.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <stdbool.h>

#include <topk/topk.h>

/* Its functions, as topk.h has them. */
struct topk_library {
    __typeof__(rcm_top_k) *top_k;
    __typeof__(rcm_top_k_workspace) *workspace;
    __typeof__(rcm_top_k_stage1) *stage1;
    __typeof__(rcm_top_k_stage1_workspace) *stage1_workspace;
    __typeof__(rcm_top_k_merge) *merge;
    __typeof__(rcm_top_k_merge_workspace) *merge_workspace;
    __typeof__(rcm_top_k_max) *max;
    __typeof__(rcm_top_k_threads) *threads;
    __typeof__(rcm_top_k_message) *message;
    __typeof__(rcm_top_k_isa) *isa;
    __typeof__(rcm_top_k_isa_in_use) *isa_in_use;
    __typeof__(rcm_top_k_use_isa) *use_isa;
};

/* The library of this version: beside the file $RECALLMODEL_LIBRARY, beside the program, in build/
 * below it, in the folder above it, in lib/ beside its folder, or where the system looks. NULL:
 * there is none. Loaded once; not for several threads at first. */
const struct topk_library *topk_library(void);

/* STATUS_OK, or a status after one line on stderr that says how to get it. */
int topk_library_check(void);

#endif
