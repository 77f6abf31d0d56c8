/* isa_avx512.c - the kernels for AVX-512. topk.mk gives the flags.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#if defined __AVX512VBMI2__
#define TABLE topk_avx512
#include "isa.inc"
#else
typedef int topk_nothing_here;
#endif
