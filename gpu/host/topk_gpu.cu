/* topk_gpu.cu - the C interface: checks a call, chooses its kernel and launches it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gpu/products/fused.cuh>
#include <gpu/kernels/stage1.cuh>

#include "fused_exact_setup.cuh"

namespace
{

constexpr uint64_t k_b_max = 16;

/* CUDA's error of the last call of this host thread. */
thread_local cudaError_t last_error = cudaSuccess;

/* CUDA keeps the error of a call that fails, and gives it to whoever asks next. What the calls in
 * the scope of this leave behind is taken away again. An error that was there before is the
 * caller's and stays. */
struct own_errors {
    const bool clean = cudaPeekAtLastError() == cudaSuccess;

    ~own_errors()
    {
        last_error = clean ? cudaGetLastError() : cudaPeekAtLastError();
    }
};

enum rcm_gpu_status check_output(const void *values, size_t bytes, const void *indices,
                                 size_t index_bytes)
{
    return indices && (uintptr_t)values % bytes == 0 && (uintptr_t)indices % index_bytes == 0
               ? RCM_GPU_OK
               : RCM_GPU_BAD_POINTER;
}

/* Exact top-k and two stages may leave out the values and have wide indices. */
template <class Call> enum rcm_gpu_status check_general_output(const Call &call)
{
    return check_output(call.values, rcm_gpu_dtype_bytes(call.rows.dtype), call.indices,
                        call.index_bytes ? call.index_bytes : 4);
}
template <class Call> enum rcm_gpu_status check_plain_output(const Call &call, size_t bytes)
{
    return call.values ? check_output(call.values, bytes, call.indices, 4) : RCM_GPU_BAD_POINTER;
}
enum rcm_gpu_status check_output(const struct rcm_gpu_stage1 &call)
{
    return check_plain_output(call, rcm_gpu_dtype_bytes(call.rows.dtype));
}
enum rcm_gpu_status check_output(const struct rcm_gpu_exact &call)
{
    return check_general_output(call);
}
enum rcm_gpu_status check_output(const struct rcm_gpu_two_stage &call)
{
    return check_general_output(call);
}
enum rcm_gpu_status check_output(const struct rcm_gpu_fused &call)
{
    return check_plain_output(call, sizeof *call.values);
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

enum rcm_gpu_status start(const stage1_setup &s, void *workspace, rcm_gpu_stream stream)
{
    switch (s.kernel) {
    case RCM_GPU_STAGE1_THREAD_PER_BUCKET:
        return stage1_thread_per_bucket(s.args, s.bytes, stream);
    case RCM_GPU_STAGE1_BLOCK_PER_BUCKET:
        return stage1_block_per_bucket(s.args, s.bytes, stream);
    default:
        return stage1_column(s.args, s.bytes, s.plan, workspace, stream);
    }
}

/* Stage 2 after a stage 1, and the workspace of both. It holds the values of the candidates, their
 * indices, and then what the stages need, of which one runs after the other. */
struct second_stage {
    bool runs; /* is there anything to do after stage 1? */
    exact_setup stage;
    size_t values_bytes, indices_bytes, stage_bytes;

    size_t workspace_bytes() const
    {
        return values_bytes + indices_bytes + stage_bytes;
    }
};

/* `call` is stage 2, whose rows are the candidates that stage 1 leaves of rows with n elements;
 * stage 1 needs `stage1_bytes` of workspace, and cannot leave out the values. */
enum rcm_gpu_status set_up_second(const struct rcm_gpu_exact &call, uint64_t n, bool wants_values,
                                  size_t stage1_bytes, second_stage *to)
{
    *to = {};
    to->stage_bytes = stage1_bytes;
    enum rcm_gpu_status status = set_up(&call, &to->stage);
    general_args &a = to->stage.args;
    to->runs = a.k < a.n || a.general || !wants_values;
    if (status != RCM_GPU_OK || !to->runs)
        return status;
    a.extents.n = (uint32_t)n;
    a.of_candidates = true;
    to->values_bytes = round_up<size_t>(a.m * a.n * (size_t)to->stage.bytes, 256);
    to->indices_bytes = round_up<size_t>(a.m * a.n * sizeof(int32_t), 256);
    to->stage_bytes = std::max(to->stage_bytes, to->stage.workspace_bytes);
    return RCM_GPU_OK;
}

/* Starts first(values, indices, workspace), which writes the candidates, and then stage 2. */
template <class F>
enum rcm_gpu_status start_both(second_stage s, void *workspace, rcm_gpu_stream stream, F first)
{
    general_args &a = s.stage.args;
    unsigned char *kept = static_cast<unsigned char *>(workspace), *labels = kept + s.values_bytes,
                  *rest = labels + s.indices_bytes;
    if (!s.runs)
        return first(a.values, static_cast<int32_t *>(a.indices), rest);
    /* Only stage 2 begins early, and it waits for stage 1. What comes next, such as the next call's
     * stage 1, waits as usual, and so writes no candidates that stage 2 still reads. */
    a.overlaps = s.stage.device.overlap();
    a.x = kept;
    a.labels = reinterpret_cast<int32_t *>(labels);
    enum rcm_gpu_status status = first(kept, reinterpret_cast<int32_t *>(labels), rest);
    return status == RCM_GPU_OK ? start(s.stage, rest, stream) : status;
}

struct two_stage_setup {
    stage1_setup first;
    second_stage second;
};

enum rcm_gpu_status set_up(const struct rcm_gpu_two_stage *call, two_stage_setup *to)
{
    *to = {};
    const row_extents extents = extents_of(call->lengths, call->starts, call->rows.n);
    struct rcm_gpu_stage1 stage1 = {call->rows,   call->b, call->k_b, call->assignment,
                                    call->stage1, nullptr, nullptr};
    if (extents.given() && call->stage1 == RCM_GPU_STAGE1_AUTO)
        stage1.kernel = RCM_GPU_STAGE1_THREAD_PER_BUCKET;
    enum rcm_gpu_status status = set_up(&stage1, &to->first);
    if (status != RCM_GPU_OK)
        return status;
    if (extents.given() && to->first.kernel != RCM_GPU_STAGE1_THREAD_PER_BUCKET)
        return RCM_GPU_UNSUPPORTED;
    to->first.args.extents = extents;
    struct rcm_gpu_exact second = {};
    second.rows = call->rows;
    second.rows.n = second.rows.stride = to->first.args.candidates;
    second.k = call->k;
    second.kernel = call->stage2;
    second.sorted = call->sorted;
    second.deterministic = call->deterministic;
    second.values = call->values;
    second.indices = call->indices;
    second.index_bytes = call->index_bytes;
    second.lengths = call->lengths;
    second.starts = call->starts;
    second.fill = call->fill;
    return set_up_second(second, call->rows.n, call->values, to->first.workspace_bytes,
                         &to->second);
}

enum rcm_gpu_status start(two_stage_setup s, void *workspace, rcm_gpu_stream stream)
{
    return start_both(s.second, workspace, stream, [&](void *values, int32_t *indices, void *rest) {
        s.first.args.values = values;
        s.first.args.indices = indices;
        return start(s.first, rest, stream);
    });
}

/* Of buckets, or without them exact. */
struct fused_setup {
    fused_args args;
    fused_plan plan;
    second_stage second;
    bool is_exact;
    fused_exact_setup exact;
};

enum rcm_gpu_status set_up(const struct rcm_gpu_fused *call, fused_setup *to)
{
    *to = {};
    to->is_exact = call->b == 0 && call->k_b == 0;
    if (call->n < 1 || call->n > n_max || call->m < 1 || call->m > n_max ||
        (call->d != 64 && call->d != 128) ||
        (!to->is_exact && (call->b < 1 || call->b > call->n || call->k_b < 1 ||
                           call->k_b > k_b_max || call->k_b > ceil_divide(call->n, call->b))))
        return RCM_GPU_BAD_SHAPE;
    if (!call->queries || !call->database || (uintptr_t)call->queries % 16 != 0 ||
        (uintptr_t)call->database % 16 != 0)
        return RCM_GPU_BAD_POINTER;
    if (to->is_exact)
        return set_up(call, &to->exact);
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
    struct rcm_gpu_exact second = {};
    second.rows = {call->database, call->m, to->args.out.candidates, 0, RCM_GPU_F32, false};
    second.k = call->k;
    second.kernel = call->stage2;
    second.deterministic = call->deterministic;
    second.values = call->values;
    second.indices = call->indices;
    return set_up_second(second, call->n, true, to->plan.workspace_bytes, &to->second);
}

enum rcm_gpu_status start(fused_setup s, void *workspace, rcm_gpu_stream stream)
{
    if (s.is_exact)
        return start(s.exact, workspace, stream);
    return start_both(s.second, workspace, stream, [&](void *values, int32_t *indices, void *rest) {
        s.args.out.values = values;
        s.args.out.indices = indices;
        return stage1_fused(s.args, s.plan, rest, stream);
    });
}

size_t workspace_of(const stage1_setup &s)
{
    return s.workspace_bytes;
}
size_t workspace_of(const exact_setup &s)
{
    return s.workspace_bytes;
}
size_t workspace_of(const fused_setup &s)
{
    return s.is_exact ? s.exact.workspace_bytes : s.second.workspace_bytes();
}
template <class Setup> size_t workspace_of(const Setup &s) /* with two stages */
{
    return s.second.workspace_bytes();
}

template <class Setup, class Call>
enum rcm_gpu_status ask_workspace(const Call *call, size_t *bytes)
{
    const own_errors cleared;
    Setup s;
    enum rcm_gpu_status status = set_up(call, &s);
    *bytes = status == RCM_GPU_OK ? workspace_of(s) : 0;
    return status;
}

/* Checks all of a call, also its outputs and its workspace, and starts it. */
template <class Setup, class Call>
enum rcm_gpu_status check_and_start(const Call *call, void *workspace, size_t workspace_bytes,
                                    rcm_gpu_stream stream)
{
    const own_errors cleared;
    Setup s;
    enum rcm_gpu_status status = set_up(call, &s);
    if (status == RCM_GPU_OK)
        status = check_output(*call);
    if (status == RCM_GPU_OK)
        status = check_workspace(workspace, workspace_bytes, workspace_of(s));
    return status == RCM_GPU_OK ? start(s, workspace, stream) : status;
}

} // namespace

const char *rcm_gpu_message(enum rcm_gpu_status status)
{
    switch (status) {
    case RCM_GPU_OK:
        return "no error";
    case RCM_GPU_NO_DEVICE:
        return "there is no GPU here, or no driver that CUDA 13 runs on (580 or newer)";
    case RCM_GPU_BAD_SHAPE:
        return "the shape is outside the domain: 1 <= m < 2^31, 1 <= k <= n < 2^31, 1 <= b <= n, "
               "1 <= k_b <= min(16, ceil(n/b)), k <= min(b k_b, n), stride >= n, d 64 or 128; "
               "of products also b = k_b = 0";
    case RCM_GPU_BAD_POINTER:
        return "a pointer is null or not aligned to its elements";
    case RCM_GPU_BAD_TYPE:
        return "there is no such type, kernel or option, or the kernel cannot run this shape here";
    case RCM_GPU_BAD_WORKSPACE:
        return "the workspace is null, too small, or its address is not a multiple of 256 bytes";
    case RCM_GPU_ERROR:
        return last_error == cudaSuccess ? "CUDA reported an error"
                                         : cudaGetErrorString(last_error);
    case RCM_GPU_UNSUPPORTED:
        return "this kernel of stage 1 does not read lengths and starts; leave it to "
               "RCM_GPU_STAGE1_AUTO";
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
    return check_and_start<stage1_setup>(call, workspace, workspace_bytes, stream);
}

enum rcm_gpu_status rcm_gpu_exact_workspace(const struct rcm_gpu_exact *call, size_t *bytes)
{
    return ask_workspace<exact_setup>(call, bytes);
}

enum rcm_gpu_status rcm_gpu_exact(const struct rcm_gpu_exact *call, void *workspace,
                                  size_t workspace_bytes, rcm_gpu_stream stream)
{
    return check_and_start<exact_setup>(call, workspace, workspace_bytes, stream);
}

enum rcm_gpu_status rcm_gpu_two_stage_workspace(const struct rcm_gpu_two_stage *call, size_t *bytes)
{
    return ask_workspace<two_stage_setup>(call, bytes);
}

enum rcm_gpu_status rcm_gpu_two_stage(const struct rcm_gpu_two_stage *call, void *workspace,
                                      size_t workspace_bytes, rcm_gpu_stream stream)
{
    return check_and_start<two_stage_setup>(call, workspace, workspace_bytes, stream);
}

enum rcm_gpu_status rcm_gpu_fused_workspace(const struct rcm_gpu_fused *call, size_t *bytes)
{
    return ask_workspace<fused_setup>(call, bytes);
}

enum rcm_gpu_status rcm_gpu_fused(const struct rcm_gpu_fused *call, void *workspace,
                                  size_t workspace_bytes, rcm_gpu_stream stream)
{
    return check_and_start<fused_setup>(call, workspace, workspace_bytes, stream);
}
