/* exact_setup.cu - checks a call of exact top-k, plans its workspace, and launches its kernels.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <atomic>
#include <chrono>

#include "exact_setup.cuh"

enum rcm_gpu_status check_rows(const struct rcm_gpu_rows &rows)
{
    size_t bytes = rcm_gpu_dtype_bytes(rows.dtype);
    if (bytes == 0)
        return RCM_GPU_BAD_TYPE;
    if (rows.n < 1 || rows.n > n_max || rows.m < 1 || rows.m > n_max ||
        (rows.stride != 0 && rows.stride < rows.n))
        return RCM_GPU_BAD_SHAPE;
    if (!rows.x || (uintptr_t)rows.x % bytes != 0)
        return RCM_GPU_BAD_POINTER;
    return RCM_GPU_OK;
}

namespace
{

/* The bits of the worst value: -inf, or +inf if the smallest are wanted. */
uint32_t worst_bits(enum rcm_gpu_dtype dtype, bool smallest)
{
    if (dtype == RCM_GPU_F32)
        return smallest ? 0x7f800000u : 0xff800000u;
    return (dtype == RCM_GPU_F16 ? 0x7c00u : 0x7f80u) | (smallest ? 0 : 0x8000u);
}

/* Another number, not 0, at each call: so nobody can choose rows that always mislead a sample. The
 * emulation repeats itself. */
uint32_t another_seed()
{
#ifdef __CUDACC__
    static const uint32_t first =
        (uint32_t)std::chrono::steady_clock::now().time_since_epoch().count();
#else
    const uint32_t first = 0;
#endif
    static std::atomic<uint32_t> calls;
    return (first + calls++) | 1u << 31;
}

enum rcm_gpu_status check_exact(const struct rcm_gpu_exact *call)
{
    enum rcm_gpu_status status = check_rows(call->rows);
    if (status != RCM_GPU_OK)
        return status;
    if (call->k < 1 || call->k > call->rows.n)
        return RCM_GPU_BAD_SHAPE;
    if ((uintptr_t)call->labels % sizeof *call->labels != 0 ||
        (uintptr_t)call->reread % sizeof *call->reread != 0 ||
        (uintptr_t)call->lengths % sizeof *call->lengths != 0 ||
        (uintptr_t)call->starts % sizeof *call->starts != 0 ||
        (uintptr_t)call->pages % sizeof *call->pages != 0)
        return RCM_GPU_BAD_POINTER;
    const bool fills = call->lengths || call->starts;
    if ((call->index_bytes != 0 && call->index_bytes != 4 && call->index_bytes != 8) ||
        (fills && call->index_bytes != 8 && call->fill != (int32_t)call->fill) ||
        (call->pages && (call->labels || call->page_size < 1 || call->page_size > 1u << 30 ||
                         (call->page_size & (call->page_size - 1)) != 0)))
        return RCM_GPU_BAD_TYPE;
    return RCM_GPU_OK;
}

} // namespace

enum rcm_gpu_status set_up(const struct rcm_gpu_exact *call, exact_setup *to)
{
    const struct rcm_gpu_rows &rows = call->rows;
    enum rcm_gpu_status status = check_exact(call);
    if (status != RCM_GPU_OK)
        return status;
    *to = {};
    general_args &a = to->args;
    to->bytes = (int)rcm_gpu_dtype_bytes(rows.dtype);
    a.x = static_cast<const unsigned char *>(rows.x);
    a.labels = call->labels;
    a.values = call->values;
    a.indices = call->indices;
    a.m = rows.m;
    a.stride = stride_of(rows);
    a.n = (uint32_t)rows.n;
    a.k = a.pitch = (uint32_t)call->k;
    a.order = key_order_of(rows.dtype, rows.smallest);
    a.bfloat = rows.dtype == RCM_GPU_BF16;
    a.reread = call->reread;
    a.wide = call->index_bytes == 8;
    a.extents = extents_of(call->lengths, call->starts, rows.n);
    a.pages = call->pages;
    a.pages_stride = call->pages_stride;
    while (a.pages && 1u << a.page_bits < call->page_size)
        a.page_bits++;
    a.general = call->sorted || a.wide || a.extents.given() || a.pages;
    a.fill = call->fill;
    a.fill_bits = worst_bits(rows.dtype, rows.smallest);
    to->options = {call->bits ? call->bits : 12, call->unroll ? call->unroll : 8,
                   call->seed ? call->seed : another_seed(), call->binary_search,
                   call->deterministic};
    to->kernel = call->kernel == RCM_GPU_EXACT_AUTO ? RCM_GPU_EXACT_RADIX : call->kernel;
    if ((unsigned)to->kernel >= RCM_GPU_EXACT_KERNELS || to->options.bits < 8 ||
        to->options.bits > 12 ||
        (to->options.unroll != 1 && to->options.unroll != 4 && to->options.unroll != 8))
        return RCM_GPU_BAD_TYPE;
    status = device_limits_of_current(&to->device);
    if (status != RCM_GPU_OK)
        return status;
    if (to->kernel == RCM_GPU_EXACT_SORT)
        return exact_sort_workspace(a, to->bytes, call->deterministic, &to->workspace_bytes);
    if (to->kernel == RCM_GPU_EXACT_RADIX)
        status = exact_radix_workspace(a, to->bytes, to->options, to->device, &to->kernel_bytes);
    to->workspace_bytes = to->kernel_bytes;
    to->orders = call->sorted;
    if (!to->orders || status != RCM_GPU_OK)
        return status;
    if (a.k < a.n || a.k > exact_order_most) /* otherwise all elements are put into order */
        to->unordered_bytes = round_up<size_t>(a.m * a.k * sizeof(candidate), 256);
    status = exact_order_workspace(a, to->bytes, call->deterministic, &to->order_bytes);
    to->order_bytes = round_up<size_t>(to->order_bytes, 256);
    to->workspace_bytes = to->unordered_bytes + to->order_bytes + to->kernel_bytes;
    return status;
}

enum rcm_gpu_status start(const exact_setup &s, void *workspace, rcm_gpu_stream stream)
{
    general_args a = s.args;
    a.general |= !a.values;
    const bool by_index = s.options.deterministic;
    if (s.kernel == RCM_GPU_EXACT_SORT)
        return exact_sort(a, s.bytes, by_index, workspace, s.workspace_bytes, stream);
    enum rcm_gpu_status status = RCM_GPU_OK;
    if (s.unordered_bytes > 0)
        a.unordered = static_cast<candidate *>(workspace);
    if (!s.orders || a.unordered)
        status = s.kernel == RCM_GPU_EXACT_HISTOGRAM
                     ? exact_histogram(a, s.bytes, s.options, stream)
                     : exact_radix(a, s.bytes, s.options, s.device,
                                   static_cast<unsigned char *>(workspace) + s.unordered_bytes +
                                       s.order_bytes,
                                   stream);
    return s.orders && status == RCM_GPU_OK
               ? exact_order(a, s.bytes, by_index,
                             static_cast<unsigned char *>(workspace) + s.unordered_bytes,
                             s.order_bytes, stream)
               : status;
}
