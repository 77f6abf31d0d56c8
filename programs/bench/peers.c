/* peers.c - see peers.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "peers.h"

#include <string.h>

#include <gpu/peers/peer.h>

#define PEERS_MAX 64

static struct kernel peers[PEERS_MAX];
static unsigned count;

void peers_add(const struct rcm_peer *list)
{
    for (; list->name && count < PEERS_MAX; list++) {
        bool known = false;
        for (unsigned i = 0; i < count; i++)
            known |= strcmp(peers[i].name, list->name) == 0;
        if (!known)
            peers[count++] = (struct kernel){.task = TASK_EXACT, .name = list->name, .peer = list};
    }
}

const struct kernel *peer_kernel(unsigned i)
{
    return i < count ? &peers[i] : NULL;
}

struct rcm_peer_call peer_call(const struct cell *c)
{
    return (struct rcm_peer_call){
        .m = c->m, .n = c->n, .k = c->k, .dtype = (int)c->dtype, .threads = (unsigned)c->threads};
}

const char *peer_refusal(const struct cell *c)
{
    const struct rcm_peer *peer = c->kernel->peer;
    const struct rcm_peer_call call = peer_call(c);
    if (!(peer->dtypes >> c->dtype & 1))
        return "the peer does not take this type";
    if (c->graph && peer->no_graph)
        return "a CUDA graph cannot hold a call of this peer";
    return peer->refusal ? peer->refusal(&call) : NULL;
}
