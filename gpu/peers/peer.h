/* peer.h - what an adaptor of another project's exact top-k tells a benchmark.
 *
 *   static const struct rcm_peer peers[] = {{.name = "cub", .run = run_cub, ..}, {NULL}};
 *   RCM_PEERS(peers)
 *
 * A library build/gpu/peers/NAME.so has one function, rcm_peers(). Its peers are kernels of
 * `recallmodel-bench exact`, which makes the rows, times the calls and proves the results, by the
 * rules that it has for our own. So does `recallmodel bench exact` with peers that run on a CPU:
 * then device memory is memory, and there is no stream.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_PEER_H
#define RCM_PEER_H

#include <gpu/topk_gpu.h>

/* One call: the top k of m rows of n elements, one row after the other. All in device memory. */
struct rcm_peer_call {
    const void *x;
    uint64_t m, n, k;
    int dtype;       /* enum rcm_gpu_dtype; a CPU also has 3: float64, 4: int8 and 5: int32 */
    void *values;    /* m x k of the type */
    void *indices;   /* m x k of `index_bytes` each */
    void *workspace; /* at a multiple of 256 bytes */
    size_t workspace_bytes;
    unsigned threads; /* that a call on a CPU may use; 0: on a GPU */
};

struct rcm_peer {
    const char *name;    /* as --kernel takes it; NULL ends a list */
    const char *package; /* where it came from: "nvidia-cuda-cccl 13.3.5" */
    const char *source;  /* the function: "cub::DeviceBatchedTopK" */
    unsigned dtypes;     /* the types that it takes: bits 1 << dtype of a call */
    unsigned index_bytes;
    bool no_values; /* it gives indices alone */
    bool sorted;    /* it promises the order of the values, best first */
    bool no_graph;  /* a CUDA graph cannot hold a call */
    /* Why a call cannot be made; NULL: it can, or NULL as the function: any can. Pointers of the
     * call are not set. */
    const char *(*refusal)(const struct rcm_peer_call *call);
    /* The bytes of workspace of a call; NULL: none. */
    size_t (*workspace)(const struct rcm_peer_call *call);
    /* What a server does once for many calls (lengths of rows, a plan), into the workspace. It is
     * not timed. NULL: nothing. Returns 0, or the error. */
    int (*prepare)(const struct rcm_peer_call *call, void *stream);
    /* Launches a call and does not wait. Returns 0, or an error: cudaError_t, or its own. */
    int (*run)(const struct rcm_peer_call *call, void *stream);
    /* Copies the results of the last call into values and indices, where run() leaves them
     * elsewhere. It is not timed. NULL: they are there. Returns 0, or the error. */
    int (*collect)(const struct rcm_peer_call *call, void *stream);
    /* The microseconds that the host takes to launch a call, at most; 0: 100. The GPU waits for so
     * long before a call that is timed, so that all its launches are queued when it begins. */
    unsigned launch_us;
};

#ifdef __cplusplus
/* Also says of which struct the library was made: one of another is left out. */
#define RCM_PEERS(list) \
    extern "C" __attribute__((visibility("default"))) const size_t rcm_peer_bytes = \
        sizeof(struct rcm_peer); \
    extern "C" __attribute__((visibility("default"))) const struct rcm_peer *rcm_peers(void) \
    { \
        return list; \
    }
#endif

#endif
