/* topk_gpu.cu - the C interface: checks a call, chooses its kernel, starts it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "exact.cuh"
#include "stage1.cuh"

namespace {

constexpr uint64_t n_max = INT32_MAX;

enum rcm_gpu_status check_rows(const struct rcm_gpu_rows &rows)
{
    size_t bytes = rcm_gpu_dtype_bytes(rows.dtype);
    if (bytes == 0)
        return RCM_GPU_BAD_TYPE;
    if (rows.n < 1 || rows.n > n_max || rows.m < 1 || rows.m > n_max || (rows.stride != 0 && rows.stride < rows.n))
        return RCM_GPU_BAD_SHAPE;
    if (!rows.x || (uintptr_t)rows.x % bytes != 0)
        return RCM_GPU_BAD_POINTER;
    return RCM_GPU_OK;
}

uint64_t stride_of(const struct rcm_gpu_rows &rows)
{
    return rows.stride ? rows.stride : rows.n;
}

enum rcm_gpu_status check_output(const void *values, const int32_t *indices, size_t bytes)
{
    return values && indices && (uintptr_t)values % bytes == 0 && (uintptr_t)indices % sizeof *indices == 0 ? RCM_GPU_OK : RCM_GPU_BAD_POINTER;
}

enum rcm_gpu_status check_workspace(const void *workspace, size_t have, size_t need)
{
    return need == 0 || (workspace && have >= need && (uintptr_t)workspace % 256 == 0) ? RCM_GPU_OK : RCM_GPU_BAD_WORKSPACE;
}

/* Everything of a stage 1 call but its outputs. */
struct stage1_setup {
    stage1_args args;
    int bytes;
    enum rcm_gpu_stage1_kernel kernel;
    column_plan plan;
    size_t workspace_bytes;
};

enum rcm_gpu_status set_up(const struct rcm_gpu_stage1 *call, stage1_setup *to)
{
    const struct rcm_gpu_rows &rows = call->rows;
    enum rcm_gpu_status status = check_rows(rows);
    if (status != RCM_GPU_OK)
        return status;
    if (call->b < 1 || call->b > rows.n || call->k_b < 1 || call->k_b > 16 || call->k_b > ceil_divide(rows.n, call->b))
        return RCM_GPU_BAD_SHAPE;
    if ((unsigned)call->kernel >= RCM_GPU_STAGE1_KERNELS || (unsigned)call->assignment > RCM_GPU_CONTIGUOUS)
        return RCM_GPU_BAD_TYPE;

    const size_t bytes = rcm_gpu_dtype_bytes(rows.dtype);
    stage1_args a = {};
    a.x = static_cast<const unsigned char *>(rows.x);
    a.values = call->values;
    a.indices = call->indices;
    a.m = rows.m;
    a.stride = stride_of(rows);
    a.n = (uint32_t)rows.n;
    a.b = (uint32_t)call->b;
    a.k_b = (uint32_t)call->k_b;
    a.size = a.n / a.b;
    a.longer = a.n % a.b;
    a.candidates = (uint32_t)rcm_gpu_candidates(rows.n, call->b, call->k_b);
    a.contiguous = call->assignment == RCM_GPU_CONTIGUOUS;
    a.unaligned = (uintptr_t)rows.x % 16 != 0 || (a.m > 1 && a.stride * bytes % 16 != 0) ||
                  (a.contiguous && (a.longer > 0 || a.size * bytes % 16 != 0));
    a.order = key_order_of(rows.dtype, rows.smallest);

    *to = {};
    to->args = a;
    to->bytes = (int)bytes;
    to->kernel = call->kernel == RCM_GPU_STAGE1_AUTO ? RCM_GPU_STAGE1_COLUMN : call->kernel;
    if (to->kernel == RCM_GPU_STAGE1_COLUMN && a.size < 4) /* a column would have no length */
        to->kernel = RCM_GPU_STAGE1_THREAD_PER_BUCKET;
    if (to->kernel == RCM_GPU_STAGE1_COLUMN) {
        device_limits device;
        status = device_limits_of_current(&device);
        if (status != RCM_GPU_OK)
            return status;
        to->plan = plan_column(a, to->bytes, device);
        to->workspace_bytes = to->plan.workspace_bytes;
    }
    return RCM_GPU_OK;
}

struct exact_setup {
    exact_args args;
    int bytes;
    enum rcm_gpu_exact_kernel kernel;
    exact_options options;
    device_limits device;
    size_t workspace_bytes;
};

enum rcm_gpu_status set_up(const struct rcm_gpu_exact *call, exact_setup *to)
{
    const struct rcm_gpu_rows &rows = call->rows;
    enum rcm_gpu_status status = check_rows(rows);
    if (status != RCM_GPU_OK)
        return status;
    if (call->k < 1 || call->k > rows.n)
        return RCM_GPU_BAD_SHAPE;
    *to = {};
    to->bytes = (int)rcm_gpu_dtype_bytes(rows.dtype);
    to->args.x = static_cast<const unsigned char *>(rows.x);
    to->args.labels = call->labels;
    to->args.values = call->values;
    to->args.indices = call->indices;
    to->args.m = rows.m;
    to->args.stride = stride_of(rows);
    to->args.n = (uint32_t)rows.n;
    to->args.k = (uint32_t)call->k;
    to->args.order = key_order_of(rows.dtype, rows.smallest);
    to->args.bfloat = rows.dtype == RCM_GPU_BF16;
    to->options = {call->bits ? call->bits : 11, call->unroll ? call->unroll : 8, call->binary_search, call->deterministic};
    to->kernel = call->kernel == RCM_GPU_EXACT_AUTO ? RCM_GPU_EXACT_RADIX : call->kernel;
    if ((unsigned)to->kernel >= RCM_GPU_EXACT_KERNELS || to->options.bits < 8 || to->options.bits > 11 ||
        (to->options.unroll != 1 && to->options.unroll != 4 && to->options.unroll != 8))
        return RCM_GPU_BAD_TYPE;
    status = device_limits_of_current(&to->device);
    if (status == RCM_GPU_OK && to->kernel == RCM_GPU_EXACT_SORT)
        status = exact_sort_workspace(to->args, to->bytes, &to->workspace_bytes);
    return status;
}

enum rcm_gpu_status start(const exact_setup &s, void *workspace, rcm_gpu_stream stream)
{
    switch (s.kernel) {
    case RCM_GPU_EXACT_HISTOGRAM:
        return exact_histogram(s.args, s.bytes, s.options, stream);
    case RCM_GPU_EXACT_SORT:
        return exact_sort(s.args, s.bytes, workspace, s.workspace_bytes, stream);
    default:
        return exact_radix(s.args, s.bytes, s.options, s.device, stream);
    }
}

size_t round_up(size_t bytes)
{
    return ceil_divide<size_t>(bytes, 256) * 256;
}

/* The workspace of a two-stage call: candidates' values, their indices, and what the stages need, one after the other. */
struct two_stage_setup {
    struct rcm_gpu_stage1 first;
    struct rcm_gpu_exact second;
    bool both;
    size_t values_bytes, indices_bytes, stage_bytes;
};

enum rcm_gpu_status set_up(const struct rcm_gpu_two_stage *call, two_stage_setup *to)
{
    const struct rcm_gpu_rows &rows = call->rows;
    *to = {};
    to->first = {rows, call->b, call->k_b, call->assignment, call->stage1, call->values, call->indices};
    stage1_setup first;
    enum rcm_gpu_status status = set_up(&to->first, &first);
    if (status != RCM_GPU_OK)
        return status;
    const uint64_t candidates = first.args.candidates;
    if (call->k < 1 || call->k > candidates)
        return RCM_GPU_BAD_SHAPE;
    to->stage_bytes = first.workspace_bytes;
    to->both = candidates > call->k;
    if (!to->both)
        return RCM_GPU_OK;
    to->values_bytes = round_up(rows.m * candidates * first.bytes);
    to->indices_bytes = round_up(rows.m * candidates * sizeof(int32_t));
    to->second.rows = {rows.x, rows.m, candidates, candidates, rows.dtype, rows.smallest};
    to->second.k = call->k;
    to->second.kernel = call->stage2;
    to->second.deterministic = call->deterministic;
    to->second.values = call->values;
    to->second.indices = call->indices;
    exact_setup second;
    status = set_up(&to->second, &second);
    to->stage_bytes = std::max(to->stage_bytes, second.workspace_bytes);
    return status;
}

} // namespace

const char *rcm_gpu_message(enum rcm_gpu_status status)
{
    switch (status) {
    case RCM_GPU_OK:
        return "no error";
    case RCM_GPU_NO_DEVICE:
        return "there is no GPU here, or no driver for it";
    case RCM_GPU_BAD_SHAPE:
        return "the shape is outside the domain: 1 <= k <= n < 2^31, 1 <= b <= n, 1 <= k_b <= min(16, ceil(n/b)), enough candidates, stride >= n";
    case RCM_GPU_BAD_POINTER:
        return "a pointer is null or not a multiple of its element's size";
    case RCM_GPU_BAD_TYPE:
        return "no such type or kernel, or it cannot run this shape";
    case RCM_GPU_BAD_WORKSPACE:
        return "the workspace is null, too small or not a multiple of 256";
    case RCM_GPU_ERROR:
        return "CUDA refused the launch";
    }
    return "unknown status";
}

size_t rcm_gpu_dtype_bytes(enum rcm_gpu_dtype dtype)
{
    return dtype == RCM_GPU_F32 ? 4 : dtype == RCM_GPU_F16 || dtype == RCM_GPU_BF16 ? 2 : 0;
}

const char *rcm_gpu_stage1_kernel_name(enum rcm_gpu_stage1_kernel kernel)
{
    static const char *const names[] = {"auto", "thread_per_bucket", "block_per_bucket", "column"};
    return (unsigned)kernel < RCM_GPU_STAGE1_KERNELS ? names[kernel] : nullptr;
}

const char *rcm_gpu_exact_kernel_name(enum rcm_gpu_exact_kernel kernel)
{
    static const char *const names[] = {"auto", "radix", "histogram", "sort"};
    return (unsigned)kernel < RCM_GPU_EXACT_KERNELS ? names[kernel] : nullptr;
}

uint64_t rcm_gpu_candidates(uint64_t n, uint64_t b, uint64_t k_b)
{
    return smaller_of(b * k_b, n);
}

enum rcm_gpu_status rcm_gpu_stage1_workspace(const struct rcm_gpu_stage1 *call, size_t *bytes)
{
    stage1_setup s;
    enum rcm_gpu_status status = set_up(call, &s);
    *bytes = status == RCM_GPU_OK ? s.workspace_bytes : 0;
    return status;
}

enum rcm_gpu_status rcm_gpu_stage1(const struct rcm_gpu_stage1 *call, void *workspace, size_t workspace_bytes, rcm_gpu_stream stream)
{
    stage1_setup s;
    enum rcm_gpu_status status = set_up(call, &s);
    if (status == RCM_GPU_OK)
        status = check_output(call->values, call->indices, (size_t)s.bytes);
    if (status == RCM_GPU_OK)
        status = check_workspace(workspace, workspace_bytes, s.workspace_bytes);
    if (status != RCM_GPU_OK)
        return status;
    switch (s.kernel) {
    case RCM_GPU_STAGE1_THREAD_PER_BUCKET:
        return stage1_thread_per_bucket(s.args, s.bytes, stream);
    case RCM_GPU_STAGE1_BLOCK_PER_BUCKET:
        return stage1_block_per_bucket(s.args, s.bytes, stream);
    default:
        return stage1_column(s.args, s.bytes, s.plan, workspace, stream);
    }
}

enum rcm_gpu_status rcm_gpu_exact_workspace(const struct rcm_gpu_exact *call, size_t *bytes)
{
    exact_setup s;
    enum rcm_gpu_status status = set_up(call, &s);
    *bytes = status == RCM_GPU_OK ? s.workspace_bytes : 0;
    return status;
}

enum rcm_gpu_status rcm_gpu_exact(const struct rcm_gpu_exact *call, void *workspace, size_t workspace_bytes, rcm_gpu_stream stream)
{
    exact_setup s;
    enum rcm_gpu_status status = set_up(call, &s);
    if (status == RCM_GPU_OK)
        status = check_output(call->values, call->indices, (size_t)s.bytes);
    if (status == RCM_GPU_OK)
        status = check_workspace(workspace, workspace_bytes, s.workspace_bytes);
    return status == RCM_GPU_OK ? start(s, workspace, stream) : status;
}

enum rcm_gpu_status rcm_gpu_two_stage_workspace(const struct rcm_gpu_two_stage *call, size_t *bytes)
{
    two_stage_setup s;
    enum rcm_gpu_status status = set_up(call, &s);
    *bytes = status == RCM_GPU_OK ? s.values_bytes + s.indices_bytes + s.stage_bytes : 0;
    return status;
}

enum rcm_gpu_status rcm_gpu_two_stage(const struct rcm_gpu_two_stage *call, void *workspace, size_t workspace_bytes, rcm_gpu_stream stream)
{
    two_stage_setup s;
    enum rcm_gpu_status status = set_up(call, &s);
    if (status == RCM_GPU_OK)
        status = check_output(call->values, call->indices, rcm_gpu_dtype_bytes(call->rows.dtype));
    if (status == RCM_GPU_OK)
        status = check_workspace(workspace, workspace_bytes, s.values_bytes + s.indices_bytes + s.stage_bytes);
    if (status != RCM_GPU_OK)
        return status;
    unsigned char *values = static_cast<unsigned char *>(workspace), *indices = values + s.values_bytes, *rest = indices + s.indices_bytes;
    if (s.both) {
        s.first.values = values;
        s.first.indices = reinterpret_cast<int32_t *>(indices);
        s.second.rows.x = values;
        s.second.labels = reinterpret_cast<int32_t *>(indices);
    }
    status = rcm_gpu_stage1(&s.first, rest, s.stage_bytes, stream);
    return status == RCM_GPU_OK && s.both ? rcm_gpu_exact(&s.second, rest, s.stage_bytes, stream) : status;
}
