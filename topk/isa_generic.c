/* isa_generic.c - the kernels for any machine. topk.mk gives the flags.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define TABLE topk_generic
#include "isa.inc"
