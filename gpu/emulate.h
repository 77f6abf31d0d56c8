/* emulate.h - runs the kernels of this folder on a CPU, so that every machine can test them. C++17,
 * x86-64 or any POSIX system.
 *
 * One fiber per CUDA thread. A fiber runs until it meets a warp operation or a barrier; a warp goes
 * on until all of it waits at a barrier, a block until all of it waits for the cluster; then the
 * next. The order is a function of emulate::order: 0 ascending, 1 descending, otherwise a shuffle
 * with that seed. What a missing barrier leaves unordered comes out wrong for some order, mostly
 * for all. With -DRCM_EMULATE_THREADS a CUDA thread is an OS thread instead, for ThreadSanitizer.
 *
 * Faithful in: shuffles, votes, barriers (all threads of the block must come), clusters with
 * distributed shared memory, cp.async (the bytes arrive at the wait and not before), uninitialised
 * shared memory (0xAB), its size (AddressSanitizer sees an overrun). Not in: time, memory order (a
 * fiber's stores are seen at once), more than one block or cluster at a time, partial warp masks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_EMULATE_H
#define RCM_EMULATE_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __restrict__ __restrict

namespace emulate
{

inline unsigned order = 0; /* which interleaving of the threads */

struct device_state { /* the device that is played; named, or every source file would have its own
                       */
    int multiprocessors = 4;
    size_t shared_bytes = 227 * 1024;
    unsigned cluster_max = 8;
};
inline device_state device;

struct index3 {
    unsigned x = 0, y = 0, z = 0;
};

constexpr unsigned warp_size = 32;
constexpr size_t stack_bytes = 256 * 1024;

[[noreturn]] inline void fail(const char *what)
{
    std::fprintf(stderr, "emulated kernel: %s\n", what);
    std::abort();
}

enum class wait { none, warp, block, cluster, done };

struct copy { /* a cp.async that is under way */
    void *to;
    const void *from;
    unsigned bytes;
};

struct block_state;

struct thread_state {
    index3 index;
    unsigned linear = 0;
    block_state *block = nullptr;
    wait waiting = wait::none;
    unsigned warp_operations = 0; /* which half of the slots is in use */
    std::vector<std::vector<copy>> committed;
    std::vector<copy> open;
};

struct warp_state {
    uint64_t slots[2][warp_size];
};

struct release_aligned {
    void operator()(unsigned char *memory) const
    {
        operator delete(memory, std::align_val_t(128));
    }
};

struct block_state {
    index3 index;
    unsigned rank = 0;
    std::unique_ptr<unsigned char, release_aligned> shared;
    size_t shared_bytes = 0;
    std::vector<warp_state> warps;
};

inline index3 grid_size, block_size;
inline unsigned cluster_blocks = 1;
inline std::vector<block_state> cluster;
inline thread_local thread_state *self = nullptr;

void sync(wait kind);

inline void finish_copies(size_t but)
{
    auto &groups = self->committed;
    while (groups.size() > but) {
        for (const copy &c : groups.front())
            std::memcpy(c.to, c.from, c.bytes);
        groups.erase(groups.begin());
    }
}

template <class T> T exchange(T value, unsigned from)
{
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    warp_state &warp = self->block->warps[self->linear / warp_size];
    uint64_t *slots = warp.slots[self->warp_operations++ % 2];
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    slots[self->linear % warp_size] = bits;
    sync(wait::warp);
    std::memcpy(&value, &slots[from % warp_size], sizeof value);
    return value;
}

/* Every lane's value, for operations of the whole warp. Valid until this warp's next operation but
 * one. */
inline const uint64_t *gather(uint64_t value)
{
    warp_state &warp = self->block->warps[self->linear / warp_size];
    uint64_t *slots = warp.slots[self->warp_operations++ % 2];
    slots[self->linear % warp_size] = value;
    sync(wait::warp);
    return slots;
}

void run_cluster(const std::function<void()> &kernel, std::mt19937 &shuffle);

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, unsigned in_cluster,
            size_t shared_bytes, Arguments... arguments)
{
    if (threads % warp_size != 0 || threads == 0 || threads > 1024 || blocks == 0 ||
        blocks % in_cluster != 0)
        fail("bad launch");
    if (shared_bytes > device.shared_bytes || in_cluster > std::max(device.cluster_max, 1u))
        fail("launch needs more shared memory or a larger cluster than the device has");
    grid_size = {blocks, 1, 1};
    block_size = {threads, 1, 1};
    cluster_blocks = in_cluster;
    std::vector<unsigned> first(blocks / in_cluster);
    for (unsigned i = 0; i < first.size(); i++)
        first[i] = i * in_cluster;
    std::mt19937 shuffle(order);
    if (order == 1)
        std::reverse(first.begin(), first.end());
    else if (order > 1)
        std::shuffle(first.begin(), first.end(), shuffle);
    for (unsigned at : first) {
        cluster.resize(in_cluster);
        for (unsigned r = 0; r < in_cluster; r++) {
            block_state &block = cluster[r];
            block.index = {at + r, 0, 0};
            block.rank = r;
            if (!block.shared ||
                block.shared_bytes != shared_bytes) /* exactly so many, for AddressSanitizer */
                block.shared.reset(static_cast<unsigned char *>(operator new(
                    shared_bytes, std::align_val_t(128))));
            block.shared_bytes = shared_bytes;
            std::memset(block.shared.get(), 0xAB, shared_bytes);
            block.warps.resize(threads / warp_size);
        }
        run_cluster([&] { kernel(arguments...); }, shuffle);
    }
}

/* The order in which so many blocks, warps or lanes take turns. */
inline std::vector<unsigned> turns(unsigned count, std::mt19937 &shuffle)
{
    std::vector<unsigned> turn(count);
    for (unsigned i = 0; i < count; i++)
        turn[i] = i;
    if (order == 1)
        std::reverse(turn.begin(), turn.end());
    else if (order > 1)
        std::shuffle(turn.begin(), turn.end(), shuffle);
    return turn;
}

inline std::vector<thread_state> threads_of_cluster()
{
    std::vector<thread_state> threads(cluster.size() * block_size.x);
    for (unsigned i = 0; i < threads.size(); i++) {
        threads[i].linear = i % block_size.x;
        threads[i].index = {threads[i].linear, 0, 0};
        threads[i].block = &cluster[i / block_size.x];
    }
    return threads;
}

} // namespace emulate

#ifdef RCM_EMULATE_THREADS
#include <condition_variable>
#include <mutex>
#include <thread>

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

/* OS threads are dear to start, so they stay, and take part in a launch if it has work for them. */
class crew
{
    std::mutex mutex;
    std::condition_variable started, finished;
    std::vector<std::thread> members;
    const std::function<void()> *body = nullptr;
    std::vector<thread_state> *states = nullptr;
    unsigned long round = 0;
    size_t wanted = 0, busy = 0;
    bool over = false;

    void work(size_t me)
    {
        std::unique_lock<std::mutex> lock(mutex);
        for (unsigned long seen = round - 1;;) { /* started for a round that has begun */
            started.wait(lock, [&] { return round != seen; });
            seen = round;
            if (over)
                return;
            if (me >= wanted) /* and that may be long over */
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
            members.emplace_back([this, me] { work(me); });
        }
        started.notify_all();
        finished.wait(lock, [&] { return busy == 0; });
    }
    ~crew()
    {
        {
            std::unique_lock<std::mutex> lock(mutex);
            over = true;
            round++;
            started.notify_all();
        }
        for (std::thread &t : members)
            t.join();
    }
};

inline crew all_hands;

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
    all_hands.run(kernel, threads);
}

} // namespace emulate

#else /* fibers */
#include <sys/mman.h>
#include <ucontext.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

#ifdef __x86_64__
/* Saves the registers that a function must keep and the stack pointer, and takes up another stack
 * where it left off. */
extern "C" void rcm_emulate_switch(void **save, void *to);
asm(".text\n"
    ".weak rcm_emulate_switch\n"
    ".type rcm_emulate_switch, @function\n"
    "rcm_emulate_switch:\n"
    "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq "
    "%r15\n"
    "    movq %rsp, (%rdi)\n    movq %rsi, %rsp\n"
    "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbx\n    popq %rbp\n"
    "    ret\n"
    ".size rcm_emulate_switch, . - rcm_emulate_switch\n");
#endif

namespace emulate
{

/* A fiber lives as long as the process and runs one CUDA thread after another. */
struct fiber {
#ifdef __x86_64__
    void *stack_pointer = nullptr;
#else
    ucontext_t context;
#endif
    unsigned char *stack = nullptr;
    void *fake_stack = nullptr; /* AddressSanitizer's */
};

inline fiber scheduler;
inline const void *scheduler_stack;
inline size_t scheduler_stack_bytes;
inline const std::function<void()> *body;
inline std::deque<fiber> fibers;
inline fiber *running;

/* To another stack and back. swapcontext does it too, with two system calls each time, which took
 * as long as all the rest. */
inline void switch_fibers(fiber &from, fiber &to)
{
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&from.fake_stack, &to == &scheduler ? scheduler_stack : to.stack,
                                   &to == &scheduler ? scheduler_stack_bytes : stack_bytes);
#endif
#ifdef __x86_64__
    rcm_emulate_switch(&from.stack_pointer, to.stack_pointer);
#else
    swapcontext(&from.context, &to.context);
#endif
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(from.fake_stack,
                                    &from == &scheduler ? nullptr : &scheduler_stack,
                                    &from == &scheduler ? nullptr : &scheduler_stack_bytes);
#endif
}

[[noreturn]] inline void fiber_main()
{
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, &scheduler_stack, &scheduler_stack_bytes);
#endif
    for (;;) {
        (*body)();
        self->waiting = wait::done;
        switch_fibers(*running, scheduler);
    }
}

inline void need_fibers(size_t count)
{
    while (fibers.size() < count) {
        fibers.emplace_back();
        fiber &f = fibers.back();
        void *stack = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stack == MAP_FAILED)
            fail("no memory for the stack of a thread");
        f.stack = static_cast<unsigned char *>(stack);
#ifdef __x86_64__
        void **top = reinterpret_cast<void **>(f.stack + stack_bytes) -
                     8; /* six registers, then where to return to, aligned as after a call */
        for (int i = 0; i < 8; i++)
            top[i] = nullptr;
        top[6] = reinterpret_cast<void *>(fiber_main);
        f.stack_pointer = top;
#else
        getcontext(&f.context);
        f.context.uc_stack.ss_sp = stack;
        f.context.uc_stack.ss_size = stack_bytes;
        f.context.uc_link = nullptr;
        makecontext(&f.context, reinterpret_cast<void (*)()>(fiber_main), 0);
#endif
    }
}

inline void sync(wait kind)
{
    self->waiting = kind;
    switch_fibers(*running, scheduler);
}

/* Lets a group of threads go on if every one of them waits for `kind`. */
inline bool release(std::vector<thread_state> &threads, size_t first, size_t count, wait kind)
{
    for (size_t i = first; i < first + count; i++)
        if (threads[i].waiting != kind)
            return false;
    for (size_t i = first; i < first + count; i++)
        threads[i].waiting = wait::none;
    return true;
}

inline void run_cluster(const std::function<void()> &kernel, std::mt19937 &shuffle)
{
    std::vector<thread_state> threads = threads_of_cluster();
    body = &kernel;
    need_fibers(threads.size());
    /* A block goes as far as it can before the next one begins, and so does a warp: what lacks a
     * barrier meets the worst case. */
    const unsigned warps = block_size.x / warp_size;
    const std::vector<unsigned> block_turn = turns((unsigned)cluster.size(), shuffle),
                                warp_turn = turns(warps, shuffle),
                                lane_turn = turns(warp_size, shuffle);
    do {
        for (unsigned b : block_turn) {
            do {
                for (unsigned w : warp_turn) {
                    const size_t first = (size_t)b * block_size.x + w * warp_size;
                    do {
                        for (unsigned lane : lane_turn)
                            if (threads[first + lane].waiting == wait::none) {
                                self = &threads[first + lane];
                                running = &fibers[first + lane];
                                switch_fibers(scheduler, *running);
                            }
                    } while (release(threads, first, warp_size, wait::warp));
                }
            } while (release(threads, (size_t)b * block_size.x, block_size.x, wait::block));
            auto first = threads.begin() + (ptrdiff_t)(b * block_size.x);
            if (std::all_of(first, first + block_size.x,
                            [](const thread_state &t) { return t.waiting == wait::done; }))
                std::memset(
                    cluster[b].shared.get(), 0xCD,
                    cluster[b].shared_bytes); /* a block that has left has no shared memory */
        }
    } while (release(threads, 0, threads.size(), wait::cluster));
    for (const thread_state &t : threads)
        if (t.waiting != wait::done)
            fail("some threads wait at a barrier or a warp operation to which others do not come");
}

} // namespace emulate
#endif

/* ---- what a kernel sees */

#define threadIdx (emulate::self->index)
#define blockIdx (emulate::self->block->index)
#define blockDim (emulate::block_size)
#define gridDim (emulate::grid_size)

inline void __syncthreads()
{
    emulate::sync(emulate::wait::block);
}
inline void __syncwarp()
{
    emulate::sync(emulate::wait::warp);
}
inline void __threadfence()
{
}

inline unsigned lane_index()
{
    return emulate::self->linear % emulate::warp_size;
}
inline void whole_warp(unsigned mask)
{
    if (mask != ~0u)
        emulate::fail("partial warp masks are not emulated");
}

template <class T> T __shfl_sync(unsigned mask, T value, int from)
{
    whole_warp(mask);
    return emulate::exchange(value, (unsigned)from);
}
template <class T> T __shfl_xor_sync(unsigned mask, T value, int with)
{
    return __shfl_sync(mask, value, (int)(lane_index() ^ (unsigned)with));
}
template <class T> T __shfl_up_sync(unsigned mask, T value, unsigned by)
{
    return __shfl_sync(mask, value, (int)(lane_index() >= by ? lane_index() - by : lane_index()));
}
template <class T> T __shfl_down_sync(unsigned mask, T value, unsigned by)
{
    return __shfl_sync(mask, value,
                       (int)(lane_index() + by < 32 ? lane_index() + by : lane_index()));
}
inline unsigned __ballot_sync(unsigned mask, int predicate)
{
    whole_warp(mask);
    const uint64_t *slots = emulate::gather(predicate != 0);
    unsigned votes = 0;
    for (unsigned i = 0; i < 32; i++)
        votes |= (unsigned)slots[i] << i;
    return votes;
}
inline int __any_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, predicate) != 0;
}
inline int __all_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, predicate) == ~0u;
}

inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}

template <class T> T atomicAdd(T *at, T by)
{
    return __atomic_fetch_add(at, by, __ATOMIC_RELAXED);
}
template <class T> T atomicOr(T *at, T with)
{
    return __atomic_fetch_or(at, with, __ATOMIC_RELAXED);
}
template <class T> T atomicMin(T *at, T with)
{
    T old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (with < old && !__atomic_compare_exchange_n(at, &old, with, false, __ATOMIC_RELAXED,
                                                      __ATOMIC_RELAXED)) {
    }
    return old;
}

#endif
