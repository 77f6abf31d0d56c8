/* kernels.c - see kernels.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gpu/peers/peer.h>
#include <programs/bench/peers.h>

#include "library.h"

#define HOW(...) (&(const struct how){__VA_ARGS__})

/* A row makes a kernel of ours exist. A number in a name: radix-8 has digits of 8 bits, histogram-4
 * loads 4 elements a thread at once. histogram-binary finds the bin of the threshold by binary
 * search. */
const struct kernel cuda_kernels[] = {
    {.task = TASK_STAGE1, .name = "auto", .how = HOW(0)},
    {.task = TASK_STAGE1, .name = "column", .how = HOW(.stage1 = RCM_GPU_STAGE1_COLUMN)},
    {.task = TASK_STAGE1,
     .name = "thread_per_bucket",
     .how = HOW(.stage1 = RCM_GPU_STAGE1_THREAD_PER_BUCKET)},
    {.task = TASK_STAGE1,
     .name = "block_per_bucket",
     .how = HOW(.stage1 = RCM_GPU_STAGE1_BLOCK_PER_BUCKET)},
    {.task = TASK_EXACT, .name = "radix", .how = HOW(.exact = RCM_GPU_EXACT_RADIX)},
    {.task = TASK_EXACT, .name = "radix-8", .how = HOW(.exact = RCM_GPU_EXACT_RADIX, .bits = 8)},
    {.task = TASK_EXACT, .name = "radix-9", .how = HOW(.exact = RCM_GPU_EXACT_RADIX, .bits = 9)},
    {.task = TASK_EXACT, .name = "radix-10", .how = HOW(.exact = RCM_GPU_EXACT_RADIX, .bits = 10)},
    {.task = TASK_EXACT, .name = "radix-11", .how = HOW(.exact = RCM_GPU_EXACT_RADIX, .bits = 11)},
    {.task = TASK_EXACT, .name = "histogram", .how = HOW(.exact = RCM_GPU_EXACT_HISTOGRAM)},
    {.task = TASK_EXACT,
     .name = "histogram-1",
     .how = HOW(.exact = RCM_GPU_EXACT_HISTOGRAM, .unroll = 1)},
    {.task = TASK_EXACT,
     .name = "histogram-4",
     .how = HOW(.exact = RCM_GPU_EXACT_HISTOGRAM, .unroll = 4)},
    {.task = TASK_EXACT,
     .name = "histogram-1-binary",
     .how = HOW(.exact = RCM_GPU_EXACT_HISTOGRAM, .unroll = 1, .binary_search = true)},
    {.task = TASK_EXACT,
     .name = "histogram-4-binary",
     .how = HOW(.exact = RCM_GPU_EXACT_HISTOGRAM, .unroll = 4, .binary_search = true)},
    {.task = TASK_EXACT,
     .name = "histogram-binary",
     .how = HOW(.exact = RCM_GPU_EXACT_HISTOGRAM, .binary_search = true)},
    {.task = TASK_EXACT, .name = "sort", .how = HOW(.exact = RCM_GPU_EXACT_SORT)},
    {.task = TASK_TWO_STAGE, .name = "auto", .how = HOW(0)},
    {.task = TASK_TWO_STAGE,
     .name = "thread_per_bucket",
     .how = HOW(.stage1 = RCM_GPU_STAGE1_THREAD_PER_BUCKET)},
    {.task = TASK_TWO_STAGE,
     .name = "block_per_bucket",
     .how = HOW(.stage1 = RCM_GPU_STAGE1_BLOCK_PER_BUCKET)},
    {.task = TASK_TWO_STAGE, .name = "two-calls", .how = HOW(.apart = true)},
    {.task = TASK_TWO_STAGE, .name = "histogram", .how = HOW(.exact = RCM_GPU_EXACT_HISTOGRAM)},
    {.task = TASK_FUSED, .name = "fused", .how = HOW(.product = PRODUCT_FUSED), .dtype = DTYPE_F32},
    {.task = TASK_FUSED,
     .name = "fused-exact",
     .how = HOW(.product = PRODUCT_FUSED_EXACT),
     .dtype = DTYPE_F32},
    {.task = TASK_FUSED,
     .name = "unfused-bf16",
     .how = HOW(.product = PRODUCT_UNFUSED),
     .dtype = DTYPE_BF16},
    {.task = TASK_FUSED,
     .name = "unfused-f32",
     .how = HOW(.product = PRODUCT_UNFUSED),
     .dtype = DTYPE_F32},
    {.task = TASK_FUSED,
     .name = "exact-bf16",
     .how = HOW(.product = PRODUCT_EXACT),
     .dtype = DTYPE_BF16},
    {.task = TASK_FUSED,
     .name = "exact-f32",
     .how = HOW(.product = PRODUCT_EXACT),
     .dtype = DTYPE_F32},
    {.task = TASK_FUSED,
     .name = "cublas-bf16",
     .how = HOW(.product = PRODUCT_ALONE),
     .dtype = DTYPE_BF16,
     .is_product_only = true},
    {.task = TASK_FUSED,
     .name = "cublas-f32",
     .how = HOW(.product = PRODUCT_ALONE),
     .dtype = DTYPE_F32,
     .is_product_only = true},
    {.name = NULL},
};

/* ---- peers */

static void load_library(const char *path)
{
    const struct rcm_peer *(*list)(void) = NULL;
    const size_t *bytes = NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library) {
        library_find(library, "rcm_peers", &list);
        bytes = dlsym(library, "rcm_peer_bytes");
    }
    if (list && bytes && *bytes == sizeof(struct rcm_peer))
        peers_add(list());
    else
        fprintf(stderr, "recallmodel-bench: %s was left out: %s\n", path,
                library ? "it is of another version; make gpu-peers" : dlerror());
}

void load_peers(void)
{
    char pattern[4200], self[4096] = "";
    const char *folder = getenv("RECALLMODEL_PEERS");
    glob_t found;
    if (folder) {
        snprintf(pattern, sizeof pattern, "%s/*.so", folder);
    } else {
        const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
        if (length <= 0 || !strrchr(self, '/') || strstr(self, "-emulated"))
            return; /* what runs on a GPU is nothing for the emulation */
        *strrchr(self, '/') = '\0';
        snprintf(pattern, sizeof pattern, "%s/peers/*.so", self);
    }
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        load_library(found.gl_pathv[i]);
    globfree(&found);
}

/* ---- what can be run */

const char *cuda_refusal(const struct cell *c)
{
    const uint64_t n_max = INT32_MAX;
    if (c->n > n_max || c->m > n_max)
        return "n and m must be below 2^31";
    if (c->k > c->n)
        return "k must be at most n";
    if (c->kernel->peer)
        return peer_refusal(c);
    if (c->kernel->task == TASK_EXACT)
        return how_of(c)->exact == RCM_GPU_EXACT_SORT && c->m * c->n > n_max
                   ? "sort needs m n below 2^31"
                   : NULL;
    if (c->b > c->n || c->k_b > 16 || c->k_b > (c->n - 1) / c->b + 1)
        return "b must be at most n, and kb at most 16 and at most the size of a bucket";
    if (cell_candidates(c) < c->k)
        return "b kb must be at least k";
    if (c->kernel->task == TASK_FUSED && (c->d != 64 && c->d != 128))
        return "d must be 64 or 128";
    if (c->kernel->task == TASK_FUSED && c->assignment != RCM_INTERLEAVED)
        return "a fused product needs interleaved buckets";
    return NULL;
}
