/* kernels.h - the methods that a CPU can run, and which cells they take.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_KERNELS_H
#define CPU_KERNELS_H

#include <gpu/peers/peer.h>
#include <programs/bench/peers.h>
#include <topk/topk.h>

/* What a kernel calls: the library, or a plain selection written for comparison. */
struct how {
    bool sorted; /* the top k comes out best first */
    bool plain;  /* plain.h */
};

/* A peer says itself whether it sorts. */
static inline struct how how_of(const struct cell *cell)
{
    const struct rcm_peer *peer = cell->kernel->peer;
    return peer ? (struct how){.sorted = peer->sorted} : *(const struct how *)cell->kernel->how;
}

/* The registry: a row makes a kernel exist. The last one has no name. */
extern const struct kernel cpu_kernels[];

/* Why a cell cannot be run; NULL if it can. */
const char *cpu_refusal(const struct cell *cell);

/* The type of the library for a type of the bench. */
enum rcm_top_k_type cpu_type(unsigned dtype);

#endif
