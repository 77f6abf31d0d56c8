/* isa_generic.c - the kernels for any machine. The Makefile gives the flags.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define TABLE topk_generic
#include "isa.inc"
