/* isa.h - internal to topk: which instruction set runs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPK_ISA_H
#define TOPK_ISA_H

#include "kernels.h"

/* The kernels of a type for the instruction set in use. */
const struct kernels *topk_kernels(enum rcm_top_k_type type);

#endif
