/* sglang_v2.cu - SGLang's newer exact top-k kernels of float32 rows, as DeepSeek's sparse attention
 * calls them: from its wheel (sglang 0.5.23), which has the sources that it compiles at run time.
 *
 * sglang_v2 is the form for prefill: one block for a row. sglang_v2_plan is the form for decoding:
 * clusters of blocks, where a plan, made once for the lengths of the rows, says which rows get
 * them. The headers of TVM FFI serve the types alone: nothing of it is linked.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gpu/peers/peer.h>

#include <sglang/kernels/jit/csrc/occupancy/cluster_probe.cuh>
#include <sglang/kernels/jit/csrc/deepseek_v4/topk_v2.cuh>

static thread_local cudaStream_t stream_of_call;

/* SGLang's launcher asks TVM FFI for the stream. */
extern "C" TVMFFIStreamHandle TVMFFIEnvGetStream(int32_t, int32_t)
{
    return stream_of_call;
}

namespace
{

using sglang::PlanItem;
using sglang::host::LaunchKernel;
using version_2 = sglang::TopKKernel<true>;

/* The plan has an item for the totals, and then one for each row that gets a cluster. */
struct buffers {
    PlanItem *plan;
    int *lengths, *zeros;
};

buffers buffers_of(const rcm_peer_call *call)
{
    PlanItem *plan = (PlanItem *)call->workspace;
    int *lengths = (int *)(plan + call->m + 1);
    return {plan, lengths, lengths + call->m};
}

size_t workspace(const rcm_peer_call *call)
{
    return (call->m + 1) * sizeof(PlanItem) + 2 * call->m * sizeof(int);
}

__global__ void write_lengths(buffers b, unsigned m, int n)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m) {
        b.lengths[row] = n;
        b.zeros[row] = 0;
    }
}

int prepare(const rcm_peer_call *call, void *stream)
{
    unsigned m = (unsigned)call->m;
    write_lengths<<<(m + 255) / 256, 256, 0, (cudaStream_t)stream>>>(buffers_of(call), m,
                                                                     (int)call->n);
    return cudaGetLastError();
}

int prepare_plan(const rcm_peer_call *call, void *stream)
{
    buffers b = buffers_of(call);
    unsigned m = (unsigned)call->m;
    int error = prepare(call, stream);
    /* The plan is read only for such a number of rows. */
    if (error || m <= sglang::kNumPersistentClusters || m > sglang::kClusterMaxBatch)
        return error;
    sglang::topk_plan_cluster<<<1, sglang::kBlockSize, 0, (cudaStream_t)stream>>>(
        (const uint32_t *)b.lengths, b.plan, m, -1);
    return cudaGetLastError();
}

template <typename F> int caught(F launch)
{
    try {
        launch();
        return cudaSuccess;
    } catch (const std::exception &) {
        cudaError_t error = cudaGetLastError();
        return error ? error : cudaErrorUnknown;
    }
}

int run_v2(const rcm_peer_call *call, void *stream)
{
    buffers b = buffers_of(call);
    sglang::TopKRaggedParams params = {
        (float *)call->x,     b.lengths,        nullptr,          b.zeros,
        (int *)call->indices, (int64_t)call->n, (uint32_t)call->k};
    return caught([&] {
        LaunchKernel((unsigned)call->m, sglang::kBlockSize, (cudaStream_t)stream)
            .config({.use_pdl = true})
            .launch(sglang::topk_ragged_kernel<true>, params);
    });
}

/* The rows that get a cluster of 16 blocks. SGLang asks the device before it compiles. */
unsigned rows_of_16()
{
    try {
        return sglang::get_max_active_clusters(16, 1);
    } catch (const std::exception &) {
        cudaGetLastError();
        return 0;
    }
}

int run_v2_plan(const rcm_peer_call *call, void *stream)
{
    static const unsigned most = rows_of_16();
    constexpr auto mode = sglang::TopKMode::INDICES;
    constexpr auto wide = sglang::topk_small_batch_cluster_kernel<true, mode, 16, 1>;
    static const int error =
        most ? cudaFuncSetAttribute(wide, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)
             : cudaSuccess;
    if (error)
        return error;
    buffers b = buffers_of(call);
    unsigned m = (unsigned)call->m, n = (unsigned)call->n, k = (unsigned)call->k;
    sglang::TopKPagedParams params = {};
    params.scores = (const float *)call->x;
    params.seq_lens = b.lengths;
    params.page_indices = (int *)call->indices;
    params.metadata = b.plan;
    params.score_stride = n;
    params.topk = params.out_cols = k;
    params.static_cluster_floor = version_2::get_static_cluster_floor(m);
    params.batch_size = m;
    params.out_stride = k;
    int device = 0;
    cudaGetDevice(&device);
    stream_of_call = (cudaStream_t)stream;
    return caught([&] {
        if (n > params.static_cluster_floor && m <= most)
            LaunchKernel({m, 16}, sglang::kBlockSize, stream_of_call)
                .config({.use_pdl = true, .cluster_dim = dim3{1, 16}})
                .launch(wide, params);
        else
            version_2::launch<mode>(params, n, {kDLCUDA, device});
    });
}

const char *refusal(const rcm_peer_call *call)
{
    if (call->n % 4)
        return "n must be a multiple of 4";
    return call->k <= sglang::kMaxTopK ? nullptr : "k must be at most 2048";
}

constexpr rcm_peer peer(const char *name, const char *source, decltype(rcm_peer::prepare) prepare,
                        decltype(rcm_peer::run) run)
{
    return {name,  "sglang 0.5.23", source,  1 << RCM_GPU_F32, 4,       true,
            false, false,           refusal, workspace,        prepare, run};
}

const rcm_peer peers[] = {
    peer("sglang_v2", "topk_v2: topk_ragged_kernel", prepare, run_v2),
    peer("sglang_v2_plan", "topk_v2: TopKKernel::launch", prepare_plan, run_v2_plan),
    {}};

} // namespace

RCM_PEERS(peers)
