/* calls.c - the calls of the library for a cell.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "device.h"
#include "library.h"
#include "plain.h"

static struct rcm_top_k_call call_of(const struct cell *c, const void *x, void *values,
                                     void *indices)
{
    return (struct rcm_top_k_call){
        .rows = {.x = x, .m = c->m, .n = c->n, .type = cpu_type(c->dtype)},
        .k = c->k,
        .method = c->kernel->task == TASK_EXACT ? RCM_TOP_K_EXACT : RCM_TOP_K_BUCKETED,
        .b = c->b,
        .k_b = c->k_b,
        .assignment = c->assignment,
        .sorted = how_of(c).sorted,
        .threads = (unsigned)c->threads,
        .values = values,
        .indices = indices};
}

struct rcm_peer_call cpu_peer_call(const struct device *r, const void *x)
{
    struct rcm_peer_call call = peer_call(r->cell);
    call.x = x;
    call.values = r->values.at;
    call.indices = r->indices.at;
    call.workspace = r->workspace.at;
    call.workspace_bytes = r->workspace.bytes;
    return call;
}

enum rcm_top_k_status cpu_workspace(const struct cell *c, size_t *bytes)
{
    /* Not read, but it must not be NULL. */
    static const char anything;
    const struct rcm_top_k_call call = call_of(c, &anything, NULL, NULL);
    const struct rcm_peer *peer = c->kernel->peer;
    if (peer) {
        const struct rcm_peer_call peers = peer_call(c);
        *bytes = peer->workspace ? peer->workspace(&peers) : 0;
        return RCM_TOP_K_OK;
    }
    if (how_of(c).plain) {
        *bytes = plain_workspace(c->n);
        return RCM_TOP_K_OK;
    }
    return c->kernel->task == TASK_STAGE1 ? topk_library()->stage1_workspace(&call, bytes)
                                          : topk_library()->workspace(&call, bytes);
}

const void *cpu_rows(const struct device *r, unsigned set)
{
    return (const char *)r->x.at + set * cell_bytes_read(r->cell);
}

enum rcm_top_k_status cpu_run_cell(struct device *r)
{
    const struct cell *c = r->cell;
    const void *x = cpu_rows(r, r->call++ % r->sets);
    if (c->kernel->peer) {
        const struct rcm_peer_call peers = cpu_peer_call(r, x);
        return c->kernel->peer->run(&peers, NULL) == 0 ? RCM_TOP_K_OK : CPU_PEER_FAILED;
    }
    const struct rcm_top_k_call call = call_of(c, x, r->values.at, r->indices.at);
    if (how_of(c).plain) {
        plain_topk(c, x, r->values.at, r->indices.at, r->workspace.at);
        return RCM_TOP_K_OK;
    }
    return c->kernel->task == TASK_STAGE1
               ? topk_library()->stage1(&call, r->workspace.at, r->workspace.bytes)
               : topk_library()->top_k(&call, r->workspace.at, r->workspace.bytes);
}

enum rcm_top_k_status cpu_run_roof(struct device *r)
{
    const void *x = cpu_rows(r, r->roof_call++ % r->sets);
    const struct rcm_top_k_call call = call_of(r->cell, x, NULL, NULL);
    return topk_library()->max(&call.rows, call.threads, r->roof.at);
}
