/* command_peers.c - lists the exact top-k of other projects that can be timed here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include <gpu/peers/peer.h>
#include <programs/bench/backend.h>
#include <programs/bench/peers.h>
#include <programs/bench/session.h>

#include "command.h"

static const struct argument peers_options[] = {{OPTIONS_END}};

static void print_peer(const struct rcm_peer *p)
{
    char types[64] = "";
    for (unsigned i = 0; i <= DTYPE_BF16; i++)
        if (p->dtypes >> i & 1)
            snprintf(types + strlen(types), sizeof types - strlen(types), "%s%s", *types ? " " : "",
                     dtype_name(i));
    printf("%s,%s,\"%s\",%s,%s,int%u,%s,%s\n", p->name, p->package, p->source, types,
           p->no_values ? "no" : "yes", 8 * p->index_bytes, p->sorted ? "yes" : "no",
           p->no_graph ? "no" : "yes");
}

static int run_peers(int count, char **arguments)
{
    const int status = arguments_read(peers_options, NULL, count, arguments);
    if (status != STATUS_OK)
        return status;
    puts("kernel,package,source,dtypes,values,indices,sorted,graph");
    for (unsigned i = 0; peer_kernel(i); i++)
        print_peer(peer_kernel(i)->peer);
    return STATUS_OK;
}

const struct command command_peers = {
    .name = "peers",
    .summary = "lists the kernels of other projects, as CSV; make gpu-peers builds them",
    .example = "recallmodel-bench peers",
    .options = peers_options,
    .no_numbers = true,
    .run = run_peers,
};
