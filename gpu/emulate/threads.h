/* threads.h - an OS thread for each CUDA thread, for ThreadSanitizer. Clusters take turns as
 * emulate::order says; within a cluster the operating system decides.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_EMULATE_THREADS_H
#define RCM_EMULATE_THREADS_H

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "launch.h"

namespace emulate
{

class barrier
{
    std::mutex mutex;
    std::condition_variable passed;
    unsigned expected, arrived = 0;
    unsigned long generation = 0;

  public:
    explicit barrier(unsigned count) : expected(count)
    {
    }
    void arrive_and_wait()
    {
        std::unique_lock<std::mutex> lock(mutex);
        unsigned long mine = generation;
        if (++arrived == expected) {
            arrived = 0;
            generation++;
            passed.notify_all();
        } else {
            passed.wait(lock, [&] { return generation != mine; });
        }
    }
};

inline std::vector<std::unique_ptr<barrier>> warp_barriers, block_barriers;
inline std::unique_ptr<barrier> cluster_barrier;

inline void sync(wait kind)
{
    unsigned rank = self->block->rank;
    if (kind == wait::warp)
        warp_barriers[rank * (block_size.x / warp_size) + self->linear / warp_size]
            ->arrive_and_wait();
    else if (kind == wait::block)
        block_barriers[rank]->arrive_and_wait();
    else
        cluster_barrier->arrive_and_wait();
}

/* OS threads take long to start. The pool keeps them, and a round wakes as many as it has CUDA
 * threads, a company at a time: a block of 256 would otherwise wake all of a cluster before it. */
class thread_pool
{
    static constexpr size_t company = 256;
    std::mutex mutex;
    std::condition_variable finished;
    std::deque<std::condition_variable> started; /* of each company */
    std::vector<std::thread> members;
    const std::function<void()> *body = nullptr;
    std::vector<thread_state> *states = nullptr;
    unsigned long round = 0;
    size_t wanted = 0, busy = 0;
    bool over = false;

    void run_member(size_t me)
    {
        std::unique_lock<std::mutex> lock(mutex);
        for (unsigned long seen = round - 1;;) { /* the round it was started for has begun */
            started[me / company].wait(lock, [&] { return round != seen; });
            seen = round;
            if (over)
                return;
            if (me >= wanted) /* this round has nothing for it, and may have ended long ago */
                continue;
            self = &(*states)[me];
            lock.unlock();
            (*body)();
            lock.lock();
            if (--busy == 0)
                finished.notify_one();
        }
    }

  public:
    void run(const std::function<void()> &kernel, std::vector<thread_state> &threads)
    {
        std::unique_lock<std::mutex> lock(mutex);
        body = &kernel;
        states = &threads;
        wanted = busy = threads.size();
        round++;
        while (members.size() < busy) {
            size_t me = members.size();
            if (me % company == 0)
                started.emplace_back();
            members.emplace_back([this, me] { run_member(me); });
        }
        for (size_t i = 0; i * company < wanted; i++)
            started[i].notify_all();
        finished.wait(lock, [&] { return busy == 0; });
    }
    ~thread_pool()
    {
        {
            std::unique_lock<std::mutex> lock(mutex);
            over = true;
            round++;
            for (std::condition_variable &each : started)
                each.notify_all();
        }
        for (std::thread &t : members)
            t.join();
    }
};

inline thread_pool pool;

inline void run_cluster(const std::function<void()> &kernel, std::mt19937 &)
{
    std::vector<thread_state> threads = threads_of_cluster();
    warp_barriers.clear();
    block_barriers.clear();
    for (size_t i = 0; i < threads.size() / warp_size; i++)
        warp_barriers.emplace_back(new barrier(warp_size));
    for (size_t i = 0; i < cluster.size(); i++)
        block_barriers.emplace_back(new barrier(block_size.x));
    cluster_barrier.reset(new barrier((unsigned)threads.size()));
    pool.run(kernel, threads);
}

} // namespace emulate

#endif
