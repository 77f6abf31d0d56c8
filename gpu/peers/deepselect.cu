/* deepselect.cu - DeepSeek's DeepSelect: exact top-k of bfloat16 and float32 rows, from the copy of
 * its sources in SGLang's wheel (sglang 0.5.23; its own packages have no sources). CUTLASS's
 * headers come from the package nvidia-cutlass.
 *
 * One block takes a row, by TMA; of bfloat16 rows longer than 16384 a cluster of blocks, if all
 * rows get theirs at once. The choice and the tuning are those of SGLang's wrapper for indices
 * alone, in no order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gpu/peers/peer.h>

#include <sgl_kernel/utils.h>
#include <sgl_kernel/utils.cuh>
#include <sglang/kernels/jit/csrc/occupancy/cluster_probe.cuh>

#include <cuda_kernels/v3/topk_select.cuh>
#include <cuda_kernels/v3_cluster/topk_select.cuh>
#include <cuda_kernels/v3_fp32/topk_select.cuh>

namespace
{

using bf16 = nv_bfloat16;

template <typename T, unsigned MAX_K, unsigned THREADS, unsigned BLOCKS_PER_SM, unsigned DEPTH,
          unsigned CLUSTER = 1>
using config = TopkSelectConfig<T, int, false, false, false, MAX_K, THREADS, BLOCKS_PER_SM,
                                16 * THREADS, 4096, DEPTH, 512, CLUSTER>;

constexpr unsigned cluster_sizes[] = {16, 8, 4, 3, 2};
constexpr unsigned cluster_min_n = 16384, cluster_max_k = 1024;

struct device_facts {
    int multiprocessors, shared;
    unsigned most_rows[5]; /* of a size of cluster, at once */
};

device_facts ask_device()
{
    device_facts facts = {};
    int device = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&facts.multiprocessors, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&facts.shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    for (int i = 0; i < 5; i++) {
        try {
            facts.most_rows[i] = sglang::get_max_active_clusters(cluster_sizes[i], 1);
        } catch (const std::exception &) {
            cudaGetLastError();
        }
    }
    return facts;
}

void launch_f32(const TopkSelectArgs &a)
{
    using topk_select_fp32::run_topk_select_kernel;
    if (a.topk <= 512)
        run_topk_select_kernel<config<float, 512, 512, 1, 3>>(a);
    else if (a.topk <= 1024)
        run_topk_select_kernel<config<float, 1024, 512, 1, 3>>(a);
    else
        run_topk_select_kernel<config<float, 4096, 256, 1, 3>>(a);
}

template <unsigned SIZE> void launch_cluster(const TopkSelectArgs &a)
{
    topk_select_bf16_cluster::run_topk_select_kernel<config<bf16, 1024, 512, 1, 5, SIZE>>(a);
}

void launch_bf16(const TopkSelectArgs &a, const device_facts &facts)
{
    using topk_select_bf16_normal::run_topk_select_kernel;
    if (a.vocab_size > cluster_min_n && a.topk <= cluster_max_k) {
        static constexpr decltype(&launch_cluster<2>) launch[] = {
            launch_cluster<16>, launch_cluster<8>, launch_cluster<4>, launch_cluster<3>,
            launch_cluster<2>};
        for (int i = 0; i < 5; i++)
            if (a.batch_size <= facts.most_rows[i])
                return launch[i](a);
    }
    bool one_wave = a.batch_size <= (unsigned)facts.multiprocessors;
    if (a.topk <= 512)
        one_wave ? run_topk_select_kernel<config<bf16, 512, 512, 1, 5>>(a)
                 : run_topk_select_kernel<config<bf16, 512, 256, 2, 4>>(a);
    else if (a.topk <= 1024)
        one_wave ? run_topk_select_kernel<config<bf16, 1024, 512, 1, 5>>(a)
                 : run_topk_select_kernel<config<bf16, 1024, 256, 2, 3>>(a);
    else
        run_topk_select_kernel<config<bf16, 4096, 512, 1, 3>>(a);
}

int run(const rcm_peer_call *call, void *stream)
{
    static const device_facts facts = ask_device();
    TopkSelectArgs a = {};
    a.batch_size = (uint32_t)call->m;
    a.vocab_size = (uint32_t)call->n;
    a.topk = (uint32_t)call->k;
    a.input = (void *)call->x;
    a.output_index = call->indices;
    a.stride_input_batch = call->n;
    a.stride_output_index_batch = call->k;
    a.idx_oob_fill_value = INT32_MAX;
    a.value_oob_fill_value = -INFINITY;
    a.shared_memory_size_per_sm = (uint64_t)facts.shared;
    a.stream = (cudaStream_t)stream;
    try {
        if (call->dtype == RCM_GPU_F32)
            launch_f32(a);
        else
            launch_bf16(a, facts);
        return cudaSuccess;
    } catch (const std::exception &) {
        cudaError_t error = cudaGetLastError();
        return error ? error : cudaErrorInvalidValue;
    }
}

const char *refusal(const rcm_peer_call *call)
{
    size_t bytes = call->dtype == RCM_GPU_F32 ? 4 : 2;
    if (call->k > 4096 || call->k % 8)
        return "k must be a multiple of 8, at most 4096";
    if (call->n * bytes % 128)
        return "a row must be a multiple of 128 bytes";
    return call->n < MAX_VOCAB_SIZE ? nullptr : "n must be below 2^23";
}

const rcm_peer peers[] = {{"deepselect", "sglang 0.5.23", "deep_select: run_topk_select_kernel",
                           1 << RCM_GPU_F32 | 1 << RCM_GPU_BF16, 4, true, false, false, refusal,
                           nullptr, nullptr, run, nullptr, 0},
                          {}};

} // namespace

RCM_PEERS(peers)
