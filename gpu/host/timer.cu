/* timer.cu - how long calls take on the device: see timer.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "timer.h"

#include <new>

#include <gpu/kernels/cuda.cuh>

#include "device_memory.h"
#include "roof.h"

#ifdef __CUDACC__

struct rcm_gpu_timer {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    void *flush;
    size_t flush_bytes;
    unsigned wait_us;
};

struct rcm_gpu_graph {
    cudaGraph_t graph;
    cudaGraphExec_t program;
    unsigned calls;
};

namespace
{

constexpr unsigned usual_wait_us = 100;
constexpr long long cycles_of_us = 2000;

__global__ void delay(long long cycles)
{
    long long start = clock64();
    while (clock64() - start < cycles) {
    }
}

enum rcm_gpu_status status_of(cudaError_t error)
{
    return error == cudaSuccess ? RCM_GPU_OK : RCM_GPU_ERROR;
}

enum rcm_gpu_status wait_for(struct rcm_gpu_timer *t, double *time_us)
{
    float ms = 0.0f;
    if (cudaEventRecord(t->end, t->stream) != cudaSuccess ||
        cudaEventSynchronize(t->end) != cudaSuccess ||
        cudaEventElapsedTime(&ms, t->begin, t->end) != cudaSuccess)
        return RCM_GPU_ERROR;
    *time_us = 1000.0 * (double)ms;
    return RCM_GPU_OK;
}

enum rcm_gpu_status begin(struct rcm_gpu_timer *t, bool flush)
{
    launch how = {1, 1, 0, 1, t->stream};
    enum rcm_gpu_status status =
        flush ? rcm_gpu_flush(t->flush, t->flush_bytes / 16 * 16, t->stream) : RCM_GPU_OK;
    if (status == RCM_GPU_OK)
        status = run(how, delay, cycles_of_us * t->wait_us);
    return status == RCM_GPU_OK ? status_of(cudaEventRecord(t->begin, t->stream)) : status;
}

} // namespace

enum rcm_gpu_status rcm_gpu_timer_create(struct rcm_gpu_timer **timer)
{
    struct rcm_gpu_facts facts;
    *timer = nullptr;
    enum rcm_gpu_status status = rcm_gpu_facts_of_current(&facts);
    if (status != RCM_GPU_OK)
        return status;
    struct rcm_gpu_timer *t = new (std::nothrow) rcm_gpu_timer();
    if (!t)
        return RCM_GPU_ERROR;
    t->flush_bytes = 2 * facts.l2_bytes;
    t->wait_us = usual_wait_us;
    if (cudaStreamCreateWithFlags(&t->stream, cudaStreamNonBlocking) != cudaSuccess ||
        cudaEventCreate(&t->begin) != cudaSuccess || cudaEventCreate(&t->end) != cudaSuccess ||
        cudaMalloc(&t->flush, t->flush_bytes) != cudaSuccess ||
        cudaMemset(t->flush, 1, t->flush_bytes) != cudaSuccess) {
        rcm_gpu_timer_free(t);
        return RCM_GPU_ERROR;
    }
    *timer = t;
    return RCM_GPU_OK;
}

void rcm_gpu_timer_free(struct rcm_gpu_timer *t)
{
    if (!t)
        return;
    cudaFree(t->flush);
    if (t->begin)
        cudaEventDestroy(t->begin);
    if (t->end)
        cudaEventDestroy(t->end);
    if (t->stream)
        cudaStreamDestroy(t->stream);
    delete t;
}

rcm_gpu_stream rcm_gpu_timer_stream(struct rcm_gpu_timer *t)
{
    return t->stream;
}

void rcm_gpu_timer_wait(struct rcm_gpu_timer *t, unsigned us)
{
    t->wait_us = us ? us : usual_wait_us;
}

enum rcm_gpu_status rcm_gpu_time_call(struct rcm_gpu_timer *t, rcm_gpu_work *work, void *context,
                                      unsigned call, bool flush, double *time_us)
{
    enum rcm_gpu_status status = begin(t, flush);
    if (status == RCM_GPU_OK)
        status = work(context, call, t->stream);
    return status == RCM_GPU_OK ? wait_for(t, time_us) : status;
}

enum rcm_gpu_status rcm_gpu_graph_create(struct rcm_gpu_timer *t, rcm_gpu_work *work, void *context,
                                         unsigned calls, struct rcm_gpu_graph **graph)
{
    *graph = nullptr;
    struct rcm_gpu_graph *g = new (std::nothrow) rcm_gpu_graph();
    if (!g || cudaStreamBeginCapture(t->stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
        delete g;
        return RCM_GPU_ERROR;
    }
    enum rcm_gpu_status status = RCM_GPU_OK;
    for (unsigned i = 0; i < calls && status == RCM_GPU_OK; i++)
        status = work(context, i, t->stream);
    g->calls = calls;
    if (cudaStreamEndCapture(t->stream, &g->graph) != cudaSuccess && status == RCM_GPU_OK)
        status = RCM_GPU_ERROR;
    if (status == RCM_GPU_OK)
        status = status_of(cudaGraphInstantiate(&g->program, g->graph, 0));
    if (status != RCM_GPU_OK) {
        rcm_gpu_graph_free(g);
        return status;
    }
    *graph = g;
    return RCM_GPU_OK;
}

unsigned rcm_gpu_count_launches(struct rcm_gpu_timer *t, rcm_gpu_work *work, void *context)
{
    struct rcm_gpu_graph *g;
    size_t nodes = 0;
    if (rcm_gpu_graph_create(t, work, context, 1, &g) != RCM_GPU_OK) {
        cudaGetLastError(); /* the next call must not see this error */
        return 0;
    }
    const bool counted = cudaGraphGetNodes(g->graph, nullptr, &nodes) == cudaSuccess;
    rcm_gpu_graph_free(g);
    return counted ? (unsigned)nodes : 0;
}

void rcm_gpu_graph_free(struct rcm_gpu_graph *g)
{
    if (!g)
        return;
    if (g->program)
        cudaGraphExecDestroy(g->program);
    if (g->graph)
        cudaGraphDestroy(g->graph);
    delete g;
}

enum rcm_gpu_status rcm_gpu_time_graph(struct rcm_gpu_timer *t, struct rcm_gpu_graph *g, bool flush,
                                       double *time_us)
{
    enum rcm_gpu_status status = begin(t, flush);
    if (status == RCM_GPU_OK)
        status = status_of(cudaGraphLaunch(g->program, t->stream));
    if (status == RCM_GPU_OK)
        status = wait_for(t, time_us);
    *time_us /= g->calls;
    return status;
}

#else /* emulated */

#include <chrono>

struct rcm_gpu_timer {
};

struct rcm_gpu_graph {
    rcm_gpu_work *work;
    void *context;
    unsigned calls;
};

enum rcm_gpu_status rcm_gpu_timer_create(struct rcm_gpu_timer **timer)
{
    *timer = new rcm_gpu_timer();
    return RCM_GPU_OK;
}

void rcm_gpu_timer_free(struct rcm_gpu_timer *t)
{
    delete t;
}

rcm_gpu_stream rcm_gpu_timer_stream(struct rcm_gpu_timer *)
{
    return nullptr;
}

void rcm_gpu_timer_wait(struct rcm_gpu_timer *, unsigned)
{
}

unsigned rcm_gpu_count_launches(struct rcm_gpu_timer *, rcm_gpu_work *, void *)
{
    return 0;
}

static enum rcm_gpu_status time_calls(rcm_gpu_work *work, void *context, unsigned first,
                                      unsigned calls, double *time_us)
{
    auto begin = std::chrono::steady_clock::now();
    enum rcm_gpu_status status = RCM_GPU_OK;
    for (unsigned i = 0; i < calls && status == RCM_GPU_OK; i++)
        status = work(context, first + i, nullptr);
    *time_us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
                   .count() /
               calls;
    return status;
}

enum rcm_gpu_status rcm_gpu_time_call(struct rcm_gpu_timer *, rcm_gpu_work *work, void *context,
                                      unsigned call, bool, double *time_us)
{
    return time_calls(work, context, call, 1, time_us);
}

enum rcm_gpu_status rcm_gpu_graph_create(struct rcm_gpu_timer *, rcm_gpu_work *work, void *context,
                                         unsigned calls, struct rcm_gpu_graph **graph)
{
    *graph = new rcm_gpu_graph{work, context, calls};
    return RCM_GPU_OK;
}

void rcm_gpu_graph_free(struct rcm_gpu_graph *g)
{
    delete g;
}

enum rcm_gpu_status rcm_gpu_time_graph(struct rcm_gpu_timer *, struct rcm_gpu_graph *g, bool,
                                       double *time_us)
{
    return time_calls(g->work, g->context, 0, g->calls, time_us);
}

#endif
