/* timer.h - how long work takes on the device. Under the emulation: on the host's clock, which
 * means nothing but lets programs be tested.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_GPU_TIMER_H
#define RCM_GPU_TIMER_H

#include "topk_gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is timed: launches into the stream, does not wait, may be captured in a graph. `call` counts
 * from 0, so that calls may take turns among several inputs. */
typedef enum rcm_gpu_status rcm_gpu_work(void *context, unsigned call, rcm_gpu_stream stream);

struct rcm_gpu_timer;
enum rcm_gpu_status rcm_gpu_timer_create(struct rcm_gpu_timer **timer);
void rcm_gpu_timer_free(struct rcm_gpu_timer *timer);
rcm_gpu_stream rcm_gpu_timer_stream(struct rcm_gpu_timer *timer);

/* One call between two events, in microseconds. A kernel that waits goes before it, so that the
 * launches of the work have been queued when the first event passes. flush: first the second-level
 * cache is filled with other data, by reading it. */
enum rcm_gpu_status rcm_gpu_time_call(struct rcm_gpu_timer *timer, rcm_gpu_work *work,
                                      void *context, unsigned call, bool flush, double *time_us);

/* A CUDA graph of `calls` calls, one after the other; timed, it gives the time of a call. */
struct rcm_gpu_graph;
enum rcm_gpu_status rcm_gpu_graph_create(struct rcm_gpu_timer *timer, rcm_gpu_work *work,
                                         void *context, unsigned calls,
                                         struct rcm_gpu_graph **graph);
void rcm_gpu_graph_free(struct rcm_gpu_graph *graph);
enum rcm_gpu_status rcm_gpu_time_graph(struct rcm_gpu_timer *timer, struct rcm_gpu_graph *graph,
                                       bool flush, double *time_us);

#ifdef __cplusplus
}
#endif

#endif
