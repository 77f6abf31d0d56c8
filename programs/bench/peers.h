/* peers.h - exact top-k of other projects, which a benchmark times beside its own kernels.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PEERS_H
#define PEERS_H

#include <programs/bench/cells/cell.h>

struct rcm_peer_call; /* gpu/peers/peer.h */

/* Adds the peers of a list that a name ends, for as long as it exists. One whose name was added
 * before is left out, and so is one behind the 64th. */
void peers_add(const struct rcm_peer *list);

/* In the order in which they were added; NULL past the last. */
const struct kernel *peer_kernel(unsigned i);

/* The call of a cell of a peer, without its pointers. */
struct rcm_peer_call peer_call(const struct cell *cell);

/* Why the peer of a cell cannot run it; NULL if it can. */
const char *peer_refusal(const struct cell *cell);

#endif
