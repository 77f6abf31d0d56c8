/* calls.c - see calls.h. tests/programs/test_calls.sh runs what is printed here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "calls.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <programs/common/format.h>

static void append(struct call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void append(struct call *call, const char *format, ...)
{
    const size_t length = strlen(call->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(call->text + length, sizeof call->text - length, format, arguments);
    va_end(arguments);
}

static uint64_t rows_of(struct rcm_topk p)
{
    return p.m ? p.m : 1;
}

static const char *comment_of_type(enum rcm_dtype dtype)
{
    return dtype == RCM_F32 ? "float32" : dtype == RCM_F16 ? "float16" : "bfloat16";
}

/* Another shape than the answer's is said in the call itself. A time is predicted where the profile
 * is of the kernel of the call. */
static void write_nearest(struct call *call, const struct rcm_selection *s, struct rcm_topk answer)
{
    char recall[40], us[40] = "";
    const struct rcm_topk p = call->is.p;
    const struct rcm_profile *profile = s->machine.profile;
    if (p.b == answer.b && p.k_b == answer.k_b)
        return;
    format_recall(recall, sizeof recall, rcm_loss_exact(p));
    if (profile && s->objective && s->objective->need == RCM_NEEDS_PROFILE &&
        strcmp(profile->kernel->family, call->kernel) == 0)
        format_us(us, sizeof us, rcm_predict(profile, p).time_us);
    append(call,
           "# not b = %" PRIu64 ", k_b = %" PRIu64 ", but the nearest that this can express: b = "
           "%" PRIu64 ", k_b = %" PRIu64 "\n# %" PRIu64 " candidates, recall %s%s%s\n",
           answer.b, answer.k_b, p.b, p.k_b, rcm_candidates(p), recall, *us ? ", predicted " : "",
           us);
}

/* ---- C: gpu/topk_gpu.h */

static const char *c_dtype(enum rcm_dtype dtype)
{
    return dtype == RCM_F32 ? "RCM_GPU_F32" : dtype == RCM_F16 ? "RCM_GPU_F16" : "RCM_GPU_BF16";
}

/* Kernels have interleaved buckets, and runs with the longer ones first. Without padding the third
 * assignment does not differ from the second. */
static bool has_assignment(struct rcm_topk p)
{
    return p.assignment != RCM_CONTIGUOUS_FLOOR || !p.valid || p.valid == p.n;
}

/* The limits that the header gives for n and k_b. */
static bool c_can(struct rcm_topk p)
{
    return has_assignment(p) && p.n < (uint64_t)1 << 31 &&
           p.k_b <= rcm_kernel_by_name("ours")->k_b_max;
}

static void write_c_exact(struct call *call, const struct rcm_selection *s)
{
    const struct rcm_topk p = s->p;
    append(call, "#include <topk_gpu.h> /* make gpu && make install; -lrecallmodel-gpu -lcudart "
                 "-lstdc++ -lm */\n");
    append(call,
           "/* x: %" PRIu64 " x %" PRIu64 " %s, on the GPU; values, indices: %" PRIu64 " x %" PRIu64
           ", unordered */\n",
           rows_of(p), p.n, comment_of_type(s->machine.dtype), rows_of(p), p.k);
    append(call,
           "int top_k(const void *x, void *values, int32_t *indices, void *w, size_t *bytes,\n"
           "          rcm_gpu_stream s) { /* w = NULL: sets the *bytes that w needs */\n");
    append(call,
           "    const struct rcm_gpu_exact c = {.k = %" PRIu64
           ", .values = values, .indices = indices,\n"
           "        .rows = {.x = x, .m = %" PRIu64 ", .n = %" PRIu64 ", .dtype = %s}};\n",
           p.k, rows_of(p), p.n, c_dtype(s->machine.dtype));
    append(call, "    return w ? rcm_gpu_exact(&c, w, *bytes, s) : "
                 "rcm_gpu_exact_workspace(&c, bytes); }\n");
}

static void write_c(struct call *call, const struct rcm_selection *s, struct rcm_topk p)
{
    append(call, "/* make gpu && make install */\n"
                 "#include <topk_gpu.h> /* link with -lrecallmodel-gpu -lcudart -lstdc++ -lm */\n");
    append(call,
           "/* on the GPU: x is %" PRIu64 " x %" PRIu64 " %s; values and indices are %" PRIu64
           " x %" PRIu64 ",\n   unordered; with w = NULL only *bytes is set */\n",
           rows_of(p), p.n, comment_of_type(s->machine.dtype), rows_of(p), p.k);
    append(call, "int top_k(const void *x, void *values, int32_t *indices,\n"
                 "          void *w, size_t *bytes, rcm_gpu_stream s) {\n");
    append(call,
           "    const struct rcm_gpu_two_stage c = {\n"
           "        .rows = {.x = x, .m = %" PRIu64 ", .n = %" PRIu64 ", .dtype = %s},\n",
           rows_of(p), p.n, c_dtype(s->machine.dtype));
    append(call,
           "        .k = %" PRIu64 ", .b = %" PRIu64 ", .k_b = %" PRIu64
           ",%s .values = values, .indices = indices};\n",
           p.k, p.b, p.k_b,
           p.assignment == RCM_CONTIGUOUS ? " .assignment = RCM_GPU_CONTIGUOUS," : "");
    append(call, "    return w ? rcm_gpu_two_stage(&c, w, *bytes, s) : "
                 "rcm_gpu_two_stage_workspace(&c, bytes);\n}\n");
}

/* ---- Graphcore's */

/* By its documentation j is 1, 2 or 4, and k is a multiple of j. */
static bool graphcore_can(struct rcm_topk p)
{
    const uint64_t kept = p.b * p.k_b;
    return has_assignment(p) && (p.k_b == 1 || p.k_b == 2 || p.k_b == 4) && p.k % p.k_b == 0 &&
           kept % p.k == 0 && kept <= p.n;
}

/* multithread_buckets of the kernel whose time is predicted: None leaves it to its own rule, False
 * is a thread for each bucket, True a block. */
static const char *graphcore_way(const struct rcm_selection *s)
{
    const struct rcm_kernel *kernel = s->machine.profile ? s->machine.profile->kernel : s->kernel;
    const char *const name = kernel ? kernel->name : "any";
    return strcmp(name, "graphcore-thread") == 0  ? "False"
           : strcmp(name, "graphcore-block") == 0 ? "True"
                                                  : "None";
}

static void write_graphcore(struct call *call, const struct rcm_selection *s, struct rcm_topk p)
{
    const bool runs = p.assignment == RCM_CONTIGUOUS;
    append(call, "# pip install git+https://github.com/graphcore-research/pytorch-approx-topk.git\n"
                 "from approx_topk.priority_queue import topk\n");
    append(call,
           "# x: (%" PRIu64 ", %" PRIu64 "), %s, on the GPU; %" PRIu64 " buckets%s, k_b = %" PRIu64
           "\n",
           rows_of(p), p.n, comment_of_type(s->machine.dtype), p.b,
           runs ? " that are runs" : ", interleaved", p.k_b);
    append(call,
           "values, indices = topk(x, k=%" PRIu64 ", dim=-1, j=%" PRIu64 ", k_mult=%" PRIu64
           ",%s multithread_buckets=%s)\n",
           p.k, p.k_b, p.b * p.k_b / p.k, runs ? " interleaved=False,\n                      " : "",
           graphcore_way(s));
}

/* ---- JAX */

/* How many buckets an array of the other rank would have for this recall_target: XLA goes by the
 * rank, not by the number of rows. */
static void write_other_rank(struct call *call, struct rcm_topk p, double target)
{
    const bool vector = rows_of(p) == 1;
    p.m = vector ? 2 : 1;
    const uint64_t b = rcm_xla_b(p, 1.0 - target);
    append(call,
           vector ? "# a row of a 2-D array, of (1, %" PRIu64 ") too, "
                  : "# a 1-D array of %" PRIu64 " elements ",
           p.n);
    if (b)
        append(call, "would take %" PRIu64 " buckets\n", b);
    else
        append(call, "would be sorted whole\n");
}

static void write_jax(struct call *call, const struct rcm_selection *s, struct rcm_topk p)
{
    const double target = rcm_xla_target(p, p.b);
    append(call, "import jax  # pip install jax\n");
    if (rows_of(p) == 1)
        append(call, "# x: (%" PRIu64 ",), %s\n", p.n, comment_of_type(s->machine.dtype));
    else
        append(call, "# x: (%" PRIu64 ", %" PRIu64 "), %s\n", rows_of(p), p.n,
               comment_of_type(s->machine.dtype));
    append(call, "# on a TPU %" PRIu64 " buckets, k_b = 1; CPUs and GPUs sort the whole row\n",
           p.b);
    write_other_rank(call, p, target);
    append(call, "values, indices = jax.lax.approx_max_k(x, %" PRIu64 ", recall_target=%.9g)\n",
           p.k, target);
}

/* ---- plain PyTorch */

/* Padding is below every element: without the clamp it would tie with the -inf of a masked row, and
 * an index of n or more would come out. */
static void write_pytorch(struct call *call, const struct rcm_selection *s, struct rcm_topk p)
{
    const uint64_t m = rows_of(p), length = (p.n + p.b - 1) / p.b, padding = length * p.b - p.n,
                   kept = p.b * p.k_b;
    append(call, "import torch  # pip install torch\n");
    append(call,
           "# x: (%" PRIu64 ", %" PRIu64 "), %s; element i is in bucket i mod %" PRIu64
           "; its time is not predicted\n",
           m, p.n, comment_of_type(s->machine.dtype), p.b);
    if (padding)
        append(call,
               "padded = torch.nn.ConstantPad1d((0, %" PRIu64
               "), -torch.inf)(x.clamp(min=torch.finfo(x.dtype).min))\n",
               padding);
    append(call,
           "values, rows = %s.view(%" PRIu64 ", %" PRIu64 ", %" PRIu64 ").topk(%" PRIu64
           ", dim=1)\n",
           padding ? "padded" : "x", m, length, p.b, p.k_b);
    append(call,
           "indices = (rows * %" PRIu64 " + torch.arange(%" PRIu64
           ", device=x.device)).reshape(%" PRIu64 ", %" PRIu64 ")\n",
           p.b, p.b, m, kept);
    append(call,
           "indices = indices.gather(1, values.reshape(%" PRIu64 ", %" PRIu64 ").topk(%" PRIu64
           ", dim=1).indices)\n"
           "values = x.gather(1, indices)\n",
           m, kept, p.k);
}

static void write_exact(struct call *call, const struct rcm_selection *s)
{
    const struct rcm_topk p = s->p;
    append(call, "import torch  # pip install torch\n# x: (%" PRIu64 ", %" PRIu64 "), %s\n",
           rows_of(p), p.n, comment_of_type(s->machine.dtype));
    if (s->ties && s->machine.dtype == RCM_F32)
        append(call, "torch.use_deterministic_algorithms(True)  # newer versions on Blackwell take "
                     "any of equal float32\n");
    append(call, "values, indices = torch.topk(x, %" PRIu64 ", dim=-1)\n", p.k);
}

/* ---- this project's library for a CPU */

static void write_cpu(struct call *call, const struct rcm_selection *s,
                      const struct rcm_choice *choice, bool buckets)
{
    const struct rcm_topk p = buckets ? choice->p : s->p;
    append(call, "import recallmodel  # make && pip install .; in C: rcm_top_k() of topk.h\n");
    append(call, "# x: (%" PRIu64 ", %" PRIu64 "), %s, in the memory of this machine\n", rows_of(p),
           p.n, comment_of_type(s->machine.dtype));
    append(call, "values, indices = recallmodel.topk(x, %" PRIu64, p.k);
    if (buckets)
        append(call, ", b=%" PRIu64 ", k_b=%" PRIu64 "%s", p.b, p.k_b,
               p.assignment == RCM_INTERLEAVED ? "" : ", assignment=\"contiguous\"");
    const double threads = s->machine.profile ? s->machine.profile->threads : 0.0;
    if (s->machine.profile) /* all threads without it, and another time than the predicted one */
        append(call, ", sorted=False, threads=%.0f", fmax(threads, 1.0));
    append(call, ")\n");
}

/* The same buckets on NumPy arrays, beside a choice for a GPU or for no device. */
static void write_numpy(struct call *call, const struct rcm_selection *s, struct rcm_topk p)
{
    append(call, "import recallmodel  # make && pip install .\n");
    append(call, "# x: (%" PRIu64 ", %" PRIu64 "), %s, a NumPy array; its time is not predicted\n",
           rows_of(p), p.n, comment_of_type(s->machine.dtype));
    append(call,
           "values, indices = recallmodel.topk(x, %" PRIu64 ", b=%" PRIu64 ", k_b=%" PRIu64 "%s)\n",
           p.k, p.b, p.k_b, p.assignment == RCM_INTERLEAVED ? "" : ", assignment=\"contiguous\"");
}

/* ---- the nearest that each can express */

/* The same question for another kernel. A predicted time holds for its own kernel only, so the
 * objective is the candidates. */
static struct rcm_selection asked_of(const struct rcm_selection *s, const char *kernel)
{
    struct rcm_selection other = *s;
    other.kernel = rcm_kernel_by_name(kernel);
    other.objective = rcm_objective_by_name("candidates");
    other.target.align = 0;
    other.target.divisors = false;
    other.k_b_max = 4;
    other.exact_us = 0.0;
    return other;
}

/* limit: 0, or the most that its objective may be. */
static struct rcm_point nearest(const struct rcm_selection *s, uint64_t k_b, double limit)
{
    if (!(limit > 0.0))
        return rcm_select_k_b(s, k_b);
    struct rcm_point each[4];
    rcm_best_recall(s, limit, each);
    return k_b <= s->p.k && k_b <= 4 ? each[k_b - 1] : (struct rcm_point){.objective = INFINITY};
}

/* The nearest choice that Graphcore's kernel can run: by the objective if this kernel was asked
 * for, otherwise by candidates. */
static struct rcm_point in_graphcore(const struct rcm_selection *s, const struct rcm_point *best,
                                     double budget)
{
    if (graphcore_can(best->p))
        return *best;
    const bool same = s->kernel && strcmp(s->kernel->family, "graphcore") == 0;
    struct rcm_selection other = same ? *s : asked_of(s, "graphcore");
    const double limit = same || !(budget > 0.0) ? budget : (double)rcm_candidates(best->p);
    other.k_b_max = 4;
    struct rcm_point found = {.objective = INFINITY};
    for (uint64_t k_b = 4; k_b >= 1; k_b /= 2) {
        const struct rcm_point point = nearest(&other, k_b, limit);
        const bool better = limit > 0.0 ? found.objective == INFINITY ||
                                              rcm_loss_exact(point.p) < rcm_loss_exact(found.p)
                                        : point.objective <= found.objective;
        if (point.objective < INFINITY && graphcore_can(point.p) && better)
            found = point;
    }
    return found;
}

/* Plain PyTorch runs on both kinds of device. NumPy is that of a CPU, which CALL_CPU is. */
static void offer(struct call calls[CALLS], bool cpu)
{
    for (size_t i = 0; i < CALLS; i++)
        calls[i].offered =
            i == CALL_PYTORCH || i == CALL_EXACT || (i != CALL_C_EXACT && (i == CALL_CPU) == cpu);
}

/* The calls of kernels for a GPU. */
static void write_for_gpu(struct call calls[CALLS], const struct rcm_selection *s,
                          struct rcm_point best, double budget)
{
    const struct rcm_selection xla = asked_of(s, "xla");
    const double most_candidates = budget > 0.0 ? (double)rcm_candidates(best.p) : 0.0;
    if (c_can(best.p))
        calls[CALL_C].is = best;
    calls[CALL_GRAPHCORE].is = in_graphcore(s, &best, budget);
    calls[CALL_JAX].is = nearest(&xla, 1, most_candidates);
    if (calls[CALL_C].is.objective < INFINITY)
        write_c(&calls[CALL_C], s, calls[CALL_C].is.p);
    if (calls[CALL_GRAPHCORE].is.objective < INFINITY) {
        write_nearest(&calls[CALL_GRAPHCORE], s, best.p);
        write_graphcore(&calls[CALL_GRAPHCORE], s, calls[CALL_GRAPHCORE].is.p);
    }
    if (calls[CALL_JAX].is.objective < INFINITY &&
        !isnan(rcm_xla_target(calls[CALL_JAX].is.p, calls[CALL_JAX].is.p.b))) {
        write_nearest(&calls[CALL_JAX], s, best.p);
        write_jax(&calls[CALL_JAX], s, calls[CALL_JAX].is.p);
    }
    if (has_assignment(best.p)) {
        calls[CALL_NUMPY].is = best;
        write_numpy(&calls[CALL_NUMPY], s, best.p);
    }
}

/* "# pip install flashinfer-python, 0.6.14" and how it is called. */
static void write_provider(struct call *call, const struct rcm_selection *s,
                           const struct rcm_contender *exact)
{
    append(call, "# x: (%" PRIu64 ", %" PRIu64 "), %s, on the GPU; k = %" PRIu64 "\n",
           rows_of(s->p), s->p.n, comment_of_type(s->machine.dtype), s->p.k);
    append(call, "# package %s\n%s\n", exact->package, exact->call);
    if (exact->fault)
        append(call, "# known: %s\n", exact->fault);
}

static bool is_named(const struct rcm_contender *exact, const char *name)
{
    return exact && strcmp(exact->name, name) == 0;
}

void calls_make(struct call calls[CALLS], const struct rcm_selection *s,
                const struct rcm_choice *choice, double budget, const struct rcm_contender *exact,
                bool both)
{
    static const struct call blank[CALLS] = {
        [CALL_C] = {.key = "c", .title = "C and CUDA (this project's kernels)", .kernel = "ours"},
        [CALL_GRAPHCORE] = {.key = "graphcore",
                            .title = "PyTorch (graphcore-research/pytorch-approx-topk)",
                            .kernel = "graphcore"},
        [CALL_JAX] = {.key = "jax", .title = "JAX (TPU)", .kernel = "xla"},
        [CALL_PYTORCH] = {.key = "pytorch",
                          .title = "PyTorch, without a kernel of its own",
                          .kernel = "any"},
        [CALL_NUMPY] = {.key = "numpy", .title = "NumPy, on a CPU (this project's library)"},
        [CALL_EXACT] = {.key = "exact", .title = "PyTorch, exact top-k"},
        [CALL_C_EXACT] = {.key = "c_exact",
                          .title = "C and CUDA, exact top-k (this project's kernel)"},
        [CALL_CPU] = {.key = "cpu",
                      .title = "Python, on this CPU (this project's library)",
                      .kernel = "cpu"},
    };
    const bool cpu = s->kernel && s->kernel->model == RCM_TIME_CPU;
    const struct rcm_point best = {choice->p, choice->objective};
    memcpy(calls, blank, sizeof blank);
    for (size_t i = 0; i < CALLS; i++)
        calls[i].is.objective = INFINITY;
    offer(calls, cpu);
    if (exact && exact->call && !cpu && !is_named(exact, "torch.topk") &&
        !is_named(exact, "recallmodel")) {
        calls[CALL_EXACT].title = exact->name;
        write_provider(&calls[CALL_EXACT], s, exact);
    } else {
        write_exact(&calls[CALL_EXACT], s);
    }
    calls[CALL_C_EXACT].offered =
        !cpu && is_named(exact, "recallmodel") && s->p.n < (uint64_t)1 << 31;
    if (calls[CALL_C_EXACT].offered)
        write_c_exact(&calls[CALL_C_EXACT], s);
    const bool buckets = choice->deploy == RCM_DEPLOY_BUCKETED;
    if (cpu)
        write_cpu(&calls[CALL_CPU], s, choice, buckets);
    if (cpu && both && !buckets) {
        calls[CALL_NUMPY].offered = true;
        calls[CALL_NUMPY].title = "Python, buckets on this CPU (this project's library)";
        calls[CALL_NUMPY].is = best;
        write_cpu(&calls[CALL_NUMPY], s, choice, true);
    }
    if (!(choice->objective < INFINITY))
        return;
    if (!cpu)
        write_for_gpu(calls, s, best, budget);
    calls[CALL_PYTORCH].is = best;
    write_pytorch(&calls[CALL_PYTORCH], s, best.p);
}

const struct call *calls_shown(const struct call calls[CALLS], const struct rcm_selection *s,
                               const struct rcm_choice *choice, bool buckets)
{
    if (calls[CALL_CPU].offered)
        return &calls[buckets && choice->deploy != RCM_DEPLOY_BUCKETED ? CALL_NUMPY : CALL_CPU];
    if (!buckets)
        return &calls[calls[CALL_C_EXACT].offered ? CALL_C_EXACT : CALL_EXACT];
    for (size_t i = 0; i < CALLS; i++)
        if (calls[i].kernel && s->kernel &&
            strncmp(calls[i].kernel, s->kernel->name, strlen(calls[i].kernel)) == 0 &&
            *calls[i].text)
            return &calls[i];
    return &calls[CALL_PYTORCH];
}
