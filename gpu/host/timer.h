/* timer.h - how long calls take on the device. Under the emulation the clock of the host is read;
 * those times mean nothing, but programs can be tested.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_GPU_TIMER_H
#define RCM_GPU_TIMER_H

#include <gpu/topk_gpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The function that is timed. It launches kernels into the stream and does not wait, so that it may
 * be captured in a graph. `call` counts from 0: calls may take turns among several inputs. */
typedef enum rcm_gpu_status rcm_gpu_work(void *context, unsigned call, rcm_gpu_stream stream);

struct rcm_gpu_timer;
enum rcm_gpu_status rcm_gpu_timer_create(struct rcm_gpu_timer **timer);
void rcm_gpu_timer_free(struct rcm_gpu_timer *timer);
rcm_gpu_stream rcm_gpu_timer_stream(struct rcm_gpu_timer *timer);

/* The device waits for so many microseconds (at a clock of 2 GHz) before a call that is timed; the
 * host must launch the call in this time. 0, and at first: 100. */
void rcm_gpu_timer_wait(struct rcm_gpu_timer *timer, unsigned us);

/* The time of one call between two events, in microseconds. A kernel that waits runs before it, so
 * that the launches of the call are queued when the first event passes. With `flush`, the
 * second-level cache is first filled with other data, by reading that data. */
enum rcm_gpu_status rcm_gpu_time_call(struct rcm_gpu_timer *timer, rcm_gpu_work *work,
                                      void *context, unsigned call, bool flush, double *time_us);

/* How many kernels, copies and fills a call launches. 0: unknown, since a graph cannot hold the
 * call, or there is no GPU. */
unsigned rcm_gpu_count_launches(struct rcm_gpu_timer *timer, rcm_gpu_work *work, void *context);

/* A CUDA graph of `calls` calls, one after the other. rcm_gpu_time_graph gives the time of one of
 * them. */
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
