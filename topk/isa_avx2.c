/* isa_avx2.c - the kernels for AVX2. topk.mk gives the flags.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#if defined __AVX2__
#define TABLE topk_avx2
#include "isa.inc"
#else
typedef int topk_nothing_here;
#endif
