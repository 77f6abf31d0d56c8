/* topk_gpu.cu - the C interface: checks a call, chooses its kernel and launches it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gpu/kernels/exact.cuh>
#include <gpu/kernels/fused.cuh>
#include <gpu/kernels/stage1.cuh>

namespace
{

constexpr uint64_t n_max = INT32_MAX, k_b_max = 16;

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

uint64_t stride_of(const struct rcm_gpu_rows &rows)
{
    return rows.stride ? rows.stride : rows.n;
}

enum rcm_gpu_status check_output(const void *values, const int32_t *indices, size_t bytes)
{
    return values && indices && (uintptr_t)values % bytes == 0 &&
                   (uintptr_t)indices % sizeof *indices == 0
               ? RCM_GPU_OK
               : RCM_GPU_BAD_POINTER;
}

enum rcm_gpu_status check_workspace(const void *workspace, size_t have, size_t need)
{
    return need == 0 || (workspace && have >= need && (uintptr_t)workspace % 256 == 0)
               ? RCM_GPU_OK
               : RCM_GPU_BAD_WORKSPACE;
}

stage1_args stage1_shape(uint64_t m, uint64_t n, uint64_t b, uint64_t k_b)
{
    stage1_args a = {};
    a.m = m;
    a.n = (uint32_t)n;
    a.b = (uint32_t)b;
    a.k_b = (uint32_t)k_b;
    a.size = a.n / a.b;
    a.longer = a.n % a.b;
    a.candidates = (uint32_t)rcm_gpu_candidates(n, b, k_b);
    return a;
}

/* A stage 1 call, ready to launch, but its outputs are not checked yet. */
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
    if (call->b < 1 || call->b > rows.n || call->k_b < 1 || call->k_b > k_b_max ||
        call->k_b > ceil_divide(rows.n, call->b))
        return RCM_GPU_BAD_SHAPE;
    if ((unsigned)call->kernel >= RCM_GPU_STAGE1_KERNELS ||
        (unsigned)call->assignment > RCM_GPU_CONTIGUOUS)
        return RCM_GPU_BAD_TYPE;

    const size_t bytes = rcm_gpu_dtype_bytes(rows.dtype);
    stage1_args a = stage1_shape(rows.m, rows.n, call->b, call->k_b);
    a.x = static_cast<const unsigned char *>(rows.x);
    a.values = call->values;
    a.indices = call->indices;
    a.stride = stride_of(rows);
    a.contiguous = call->assignment == RCM_GPU_CONTIGUOUS;
    a.unaligned = (uintptr_t)rows.x % 16 != 0 || (a.m > 1 && a.stride * bytes % 16 != 0) ||
                  (a.contiguous && (a.longer > 0 || a.size * bytes % 16 != 0));
    a.order = key_order_of(rows.dtype, rows.smallest);

    *to = {};
    to->args = a;
    to->bytes = (int)bytes;
    to->kernel = call->kernel == RCM_GPU_STAGE1_AUTO ? RCM_GPU_STAGE1_COLUMN : call->kernel;
    if (to->kernel == RCM_GPU_STAGE1_COLUMN && a.size < 4) /* columns would be too short */
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
    if (call->lengths || call->starts)
        return RCM_GPU_UNSUPPORTED;
    const struct rcm_gpu_rows &rows = call->rows;
    enum rcm_gpu_status status = check_rows(rows);
    if (status != RCM_GPU_OK)
        return status;
    if (call->k < 1 || call->k > rows.n)
        return RCM_GPU_BAD_SHAPE;
    if ((uintptr_t)call->labels % sizeof *call->labels != 0 ||
        (uintptr_t)call->reread % sizeof *call->reread != 0)
        return RCM_GPU_BAD_POINTER;
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
    to->args.reread = call->reread;
    to->options = {call->bits ? call->bits : 11, call->unroll ? call->unroll : 8,
                   call->binary_search, call->deterministic};
    to->kernel = call->kernel == RCM_GPU_EXACT_AUTO ? RCM_GPU_EXACT_RADIX : call->kernel;
    if ((unsigned)to->kernel >= RCM_GPU_EXACT_KERNELS || to->options.bits < 8 ||
        to->options.bits > 11 ||
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

/* Stage 2 after a stage 1, and the workspace of both. It holds the values of the candidates, their
 * indices, and then what the stages need, of which one runs after the other. */
struct second_stage {
    bool runs; /* are there more candidates than k? */
    struct rcm_gpu_exact call;
    size_t values_bytes, indices_bytes, stage_bytes;

    size_t workspace_bytes() const
    {
        return values_bytes + indices_bytes + stage_bytes;
    }
};

/* `candidates` are the rows that stage 1 leaves; stage 1 needs `stage1_bytes` of workspace. */
enum rcm_gpu_status set_up_second(const struct rcm_gpu_rows &candidates, uint64_t k,
                                  enum rcm_gpu_exact_kernel kernel, bool deterministic,
                                  size_t stage1_bytes, second_stage *to)
{
    *to = {};
    if (k < 1 || k > candidates.n)
        return RCM_GPU_BAD_SHAPE;
    to->stage_bytes = stage1_bytes;
    to->runs = candidates.n > k;
    if (!to->runs)
        return RCM_GPU_OK;
    to->values_bytes =
        round_up<size_t>(candidates.m * candidates.n * rcm_gpu_dtype_bytes(candidates.dtype), 256);
    to->indices_bytes = round_up<size_t>(candidates.m * candidates.n * sizeof(int32_t), 256);
    to->call.rows = candidates;
    to->call.k = k;
    to->call.kernel = kernel;
    to->call.deterministic = deterministic;
    exact_setup second;
    enum rcm_gpu_status status = set_up(&to->call, &second);
    to->stage_bytes = std::max(to->stage_bytes, second.workspace_bytes);
    return status;
}

/* Runs first(values, indices, workspace), which writes the candidates, and then stage 2. */
template <class F>
enum rcm_gpu_status run_both(second_stage s, void *values, int32_t *indices, void *workspace,
                             rcm_gpu_stream stream, F first)
{
    unsigned char *kept = static_cast<unsigned char *>(workspace), *labels = kept + s.values_bytes,
                  *rest = labels + s.indices_bytes;
    if (!s.runs)
        return first(values, indices, rest);
    enum rcm_gpu_status status = first(kept, reinterpret_cast<int32_t *>(labels), rest);
    s.call.rows.x = kept;
    s.call.labels = reinterpret_cast<int32_t *>(labels);
    s.call.values = values;
    s.call.indices = indices;
    return status == RCM_GPU_OK ? rcm_gpu_exact(&s.call, rest, s.stage_bytes, stream) : status;
}

struct two_stage_setup {
    struct rcm_gpu_stage1 first;
    second_stage second;
};

enum rcm_gpu_status set_up(const struct rcm_gpu_two_stage *call, two_stage_setup *to)
{
    if (call->lengths || call->starts)
        return RCM_GPU_UNSUPPORTED;
    *to = {};
    to->first = {call->rows, call->b, call->k_b, call->assignment, call->stage1, nullptr, nullptr};
    stage1_setup first;
    enum rcm_gpu_status status = set_up(&to->first, &first);
    if (status != RCM_GPU_OK)
        return status;
    struct rcm_gpu_rows candidates = call->rows;
    candidates.n = candidates.stride = first.args.candidates;
    return set_up_second(candidates, call->k, call->stage2, call->deterministic,
                         first.workspace_bytes, &to->second);
}

struct fused_setup {
    fused_args args;
    fused_plan plan;
    second_stage second;
};

enum rcm_gpu_status set_up(const struct rcm_gpu_fused *call, fused_setup *to)
{
    *to = {};
    if (call->n < 1 || call->n > n_max || call->m < 1 || call->m > n_max ||
        (call->d != 64 && call->d != 128) || call->b < 1 || call->b > call->n || call->k_b < 1 ||
        call->k_b > k_b_max || call->k_b > ceil_divide(call->n, call->b))
        return RCM_GPU_BAD_SHAPE;
    if (!call->queries || !call->database || (uintptr_t)call->queries % 16 != 0 ||
        (uintptr_t)call->database % 16 != 0)
        return RCM_GPU_BAD_POINTER;
    to->args.queries = static_cast<const unsigned char *>(call->queries);
    to->args.database = static_cast<const unsigned char *>(call->database);
    to->args.d = (uint32_t)call->d;
    to->args.out = stage1_shape(call->m, call->n, call->b, call->k_b);
    to->args.out.order = key_order_of(RCM_GPU_F32, false);
    device_limits device;
    enum rcm_gpu_status status = device_limits_of_current(&device);
    if (status == RCM_GPU_OK)
        status = plan_fused(to->args, device, &to->plan);
    if (status != RCM_GPU_OK)
        return status;
    const uint64_t candidates = to->args.out.candidates;
    return set_up_second({call->database, call->m, candidates, candidates, RCM_GPU_F32, false},
                         call->k, call->stage2, call->deterministic, to->plan.workspace_bytes,
                         &to->second);
}

size_t workspace_of(const stage1_setup &s)
{
    return s.workspace_bytes;
}
size_t workspace_of(const exact_setup &s)
{
    return s.workspace_bytes;
}
template <class Setup> size_t workspace_of(const Setup &s) /* with two stages */
{
    return s.second.workspace_bytes();
}

template <class Setup, class Call>
enum rcm_gpu_status ask_workspace(const Call *call, size_t *bytes)
{
    Setup s;
    enum rcm_gpu_status status = set_up(call, &s);
    *bytes = status == RCM_GPU_OK ? workspace_of(s) : 0;
    return status;
}

/* Checks all of a call, also its outputs and its workspace. */
template <class Setup, class Call>
enum rcm_gpu_status set_up_to_run(const Call *call, enum rcm_gpu_dtype out, const void *workspace,
                                  size_t workspace_bytes, Setup *s)
{
    enum rcm_gpu_status status = set_up(call, s);
    if (status == RCM_GPU_OK)
        status = check_output(call->values, call->indices, rcm_gpu_dtype_bytes(out));
    return status == RCM_GPU_OK ? check_workspace(workspace, workspace_bytes, workspace_of(*s))
                                : status;
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
        return "the shape is outside the domain: 1 <= m < 2^31, 1 <= k <= n < 2^31, 1 <= b <= n, "
               "1 <= k_b <= min(16, ceil(n/b)), k <= min(b k_b, n), stride >= n, d 64 or 128";
    case RCM_GPU_BAD_POINTER:
        return "a pointer is null or not aligned to its elements";
    case RCM_GPU_BAD_TYPE:
        return "there is no such type, kernel or option, or the kernel cannot run this shape here";
    case RCM_GPU_BAD_WORKSPACE:
        return "the workspace is null, too small, or its address is not a multiple of 256 bytes";
    case RCM_GPU_ERROR:
        return "CUDA reported an error";
    case RCM_GPU_UNSUPPORTED:
        return "the kernels do not read lengths and starts yet; leave them NULL";
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
    return ask_workspace<stage1_setup>(call, bytes);
}

enum rcm_gpu_status rcm_gpu_stage1(const struct rcm_gpu_stage1 *call, void *workspace,
                                   size_t workspace_bytes, rcm_gpu_stream stream)
{
    stage1_setup s;
    enum rcm_gpu_status status =
        set_up_to_run(call, call->rows.dtype, workspace, workspace_bytes, &s);
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
    return ask_workspace<exact_setup>(call, bytes);
}

enum rcm_gpu_status rcm_gpu_exact(const struct rcm_gpu_exact *call, void *workspace,
                                  size_t workspace_bytes, rcm_gpu_stream stream)
{
    exact_setup s;
    enum rcm_gpu_status status =
        set_up_to_run(call, call->rows.dtype, workspace, workspace_bytes, &s);
    return status == RCM_GPU_OK ? start(s, workspace, stream) : status;
}

enum rcm_gpu_status rcm_gpu_two_stage_workspace(const struct rcm_gpu_two_stage *call, size_t *bytes)
{
    return ask_workspace<two_stage_setup>(call, bytes);
}

enum rcm_gpu_status rcm_gpu_two_stage(const struct rcm_gpu_two_stage *call, void *workspace,
                                      size_t workspace_bytes, rcm_gpu_stream stream)
{
    two_stage_setup s;
    enum rcm_gpu_status status =
        set_up_to_run(call, call->rows.dtype, workspace, workspace_bytes, &s);
    if (status != RCM_GPU_OK)
        return status;
    return run_both(s.second, call->values, call->indices, workspace, stream,
                    [&](void *values, int32_t *indices, void *rest) {
                        s.first.values = values;
                        s.first.indices = indices;
                        return rcm_gpu_stage1(&s.first, rest, s.second.stage_bytes, stream);
                    });
}

enum rcm_gpu_status rcm_gpu_fused_workspace(const struct rcm_gpu_fused *call, size_t *bytes)
{
    return ask_workspace<fused_setup>(call, bytes);
}

enum rcm_gpu_status rcm_gpu_fused(const struct rcm_gpu_fused *call, void *workspace,
                                  size_t workspace_bytes, rcm_gpu_stream stream)
{
    fused_setup s;
    enum rcm_gpu_status status = set_up_to_run(call, RCM_GPU_F32, workspace, workspace_bytes, &s);
    if (status != RCM_GPU_OK)
        return status;
    return run_both(s.second, call->values, call->indices, workspace, stream,
                    [&](void *values, int32_t *indices, void *rest) {
                        s.args.out.values = values;
                        s.args.out.indices = indices;
                        return stage1_fused(s.args, s.plan, rest, stream);
                    });
}
