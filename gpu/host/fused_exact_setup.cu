/* fused_exact_setup.cu - plans exact top-k of products, lays out its workspace, and launches it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fused_exact_setup.cuh"

#include <gpu/products/product_sample.h>

namespace
{

/* Gives out a workspace, or with NULL finds its size. */
class pieces
{
    unsigned char *const begin;
    size_t bytes = 0;

  public:
    explicit pieces(void *workspace) : begin(static_cast<unsigned char *>(workspace))
    {
    }
    template <class T> T *take(uint64_t count)
    {
        unsigned char *at = begin ? begin + bytes : nullptr;
        bytes += round_up<size_t>(count * sizeof(T), 256);
        return reinterpret_cast<T *>(at);
    }
    size_t taken() const
    {
        return bytes;
    }
};

/* Sets the pointers into the workspace, and returns its size. The sample and its largest products
 * lie where rows are counted later. */
size_t lay_out(fused_exact_setup *s, void *workspace)
{
    fused_exact_args &a = s->args;
    pieces all(workspace), before(workspace);
    a.digits = all.take<uint32_t>(a.m * product_digits);
    a.sample = before.take<float>(a.m * a.sample_size);
    a.sample_top = before.take<float>(a.m * a.sample_rank);
    int32_t *places = before.take<int32_t>(a.m * a.sample_rank);
    if (before.taken() > all.taken())
        all.take<unsigned char>(before.taken() - all.taken());
    a.values = all.take<float>(a.m * a.list);
    a.labels = all.take<int32_t>(a.m * a.list);
    a.thresholds = all.take<float>(a.m);
    a.listed = all.take<uint32_t>(a.m);
    a.counts = all.take<product_count>(a.m);
    a.arrived = all.take<uint32_t>(std::max(s->plan.list.query_tiles, s->plan.count.query_tiles));
    a.counted = all.take<uint32_t>(1);
    if (workspace) {
        general_args &sample = s->of_sample.args, &lists = s->of_lists.args;
        sample.x = reinterpret_cast<unsigned char *>(a.sample);
        sample.values = a.sample_top;
        sample.indices = places;
        lists.x = reinterpret_cast<unsigned char *>(a.values);
        lists.labels = a.labels;
        lists.extents.lengths = reinterpret_cast<int32_t *>(a.listed);
    }
    return all.taken();
}

/* Of the n products of a row, the k largest. */
struct rcm_gpu_exact largest_of(const struct rcm_gpu_fused &call, uint64_t n, uint64_t k)
{
    struct rcm_gpu_exact e = {};
    e.rows = {call.database, call.m, n, 0, RCM_GPU_F32, false};
    e.k = k;
    return e;
}

} // namespace

enum rcm_gpu_status set_up(const struct rcm_gpu_fused *call, fused_exact_setup *to)
{
    *to = {};
    if (call->k < 1 || call->k > call->n)
        return RCM_GPU_BAD_SHAPE;
    if ((uintptr_t)call->reread % sizeof *call->reread != 0)
        return RCM_GPU_BAD_POINTER;
    if (call->deterministic)
        return RCM_GPU_BAD_TYPE;
    fused_exact_args &a = to->args;
    a.queries = static_cast<const unsigned char *>(call->queries);
    a.database = static_cast<const unsigned char *>(call->database);
    a.m = call->m;
    a.d = (uint32_t)call->d;
    a.n = (uint32_t)call->n;
    a.k = (uint32_t)call->k;
    a.order = key_order_of(RCM_GPU_F32, false);
    a.reread = call->reread;
    const struct rcm_gpu_product_sample sample = rcm_gpu_product_sample_of(a.n, a.k);
    a.sample_size = sample.size;
    a.sample_rank = sample.rank;
    a.list = sample.list;
    if (a.m > (UINT64_C(1) << 58) / std::max(a.list, product_digits)) /* no such workspace */
        return RCM_GPU_BAD_TYPE;
    device_limits device;
    enum rcm_gpu_status status = device_limits_of_current(&device);
    if (status == RCM_GPU_OK)
        status = plan_fused_exact(a, device, &to->plan);
    if (status == RCM_GPU_OK && a.sample_size > 0) {
        const struct rcm_gpu_exact of_sample = largest_of(*call, a.sample_size, a.sample_rank);
        status = set_up(&of_sample, &to->of_sample);
    }
    if (status != RCM_GPU_OK)
        return status;
    struct rcm_gpu_exact of_lists = largest_of(*call, a.list, a.k);
    of_lists.kernel = call->stage2;
    of_lists.values = call->values;
    of_lists.indices = call->indices;
    status = set_up(&of_lists, &to->of_lists);
    to->of_lists.args.general = true; /* each list has a length */
    to->workspace_bytes = lay_out(to, nullptr) + to->of_lists.workspace_bytes;
    return status;
}

enum rcm_gpu_status start(fused_exact_setup s, void *workspace, rcm_gpu_stream stream)
{
    unsigned char *rest = static_cast<unsigned char *>(workspace) + lay_out(&s, workspace);
    enum rcm_gpu_status status = RCM_GPU_OK;
    if (s.args.sample_size > 0) {
        status = fused_exact_sample(s.args, s.plan, stream);
        if (status == RCM_GPU_OK)
            status = start(s.of_sample, nullptr, stream);
    }
    if (status == RCM_GPU_OK)
        status = fused_exact_list(s.args, s.plan, stream);
    return status == RCM_GPU_OK ? start(s.of_lists, rest, stream) : status;
}
