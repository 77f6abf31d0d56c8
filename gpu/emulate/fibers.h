/* fibers.h - a fiber for each CUDA thread: a stack of its own, and a switch to it and back.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_EMULATE_FIBERS_H
#define RCM_EMULATE_FIBERS_H

#include <deque>
#include <sys/mman.h>
#include <ucontext.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

#include "launch.h"

#ifdef __x86_64__
/* Saves the stack pointer and the registers that a function must preserve, and continues on another
 * stack where that one stopped. */
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

constexpr size_t stack_bytes = 256 * 1024;

/* A fiber lives as long as the process. It runs one CUDA thread after another. */
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
inline const std::function<void()> *fiber_body; /* the kernel with its arguments */
inline std::deque<fiber> fibers;
inline fiber *current_fiber;

/* Continues on another stack; returns when that one switches back. swapcontext does the same, but
 * makes two system calls each time, which took as long as everything else together. */
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
        (*fiber_body)();
        self->waiting = wait::done;
        switch_fibers(*current_fiber, scheduler);
    }
}

/* Gives a new fiber its stack, from which it starts in fiber_main. */
inline void start_fiber(fiber &f)
{
    void *stack = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED)
        fail("no memory for the stack of a thread");
    f.stack = static_cast<unsigned char *>(stack);
#ifdef __x86_64__
    /* Six registers, then the return address, aligned as after a call. */
    void **top = reinterpret_cast<void **>(f.stack + stack_bytes) - 8;
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

inline void sync(wait kind)
{
    self->waiting = kind;
    switch_fibers(*current_fiber, scheduler);
}

/* If all threads [first, first + count) wait for `kind`, lets them continue and returns true. */
inline bool release(std::vector<thread_state> &threads, size_t first, size_t count, wait kind)
{
    for (size_t i = first; i < first + count; i++)
        if (threads[i].waiting != kind)
            return false;
    for (size_t i = first; i < first + count; i++)
        threads[i].waiting = wait::none;
    return true;
}

/* The orders in which the parts of a cluster take turns. */
struct turns_of_cluster {
    std::vector<unsigned> block, warp, lane;
};

/* Runs a warp until its lanes wait for the block or the cluster, or are done. */
inline void run_warp(std::vector<thread_state> &threads, size_t first,
                     const std::vector<unsigned> &lanes)
{
    do {
        for (unsigned lane : lanes) {
            if (threads[first + lane].waiting != wait::none)
                continue;
            self = &threads[first + lane];
            current_fiber = &fibers[first + lane];
            switch_fibers(scheduler, *current_fiber);
        }
    } while (release(threads, first, warp_size, wait::warp));
}

/* Runs a block until its threads wait for the cluster, or are done. */
inline void run_block(std::vector<thread_state> &threads, unsigned block,
                      const turns_of_cluster &turn)
{
    const size_t first = (size_t)block * block_size.x;
    do {
        for (unsigned warp : turn.warp)
            run_warp(threads, first + warp * warp_size, turn.lane);
    } while (release(threads, first, block_size.x, wait::block));
}

/* A block that is done has no shared memory any more: others that read it see 0xCD. */
inline void erase_shared_if_done(const std::vector<thread_state> &threads, unsigned block)
{
    auto first = threads.begin() + (ptrdiff_t)(block * block_size.x);
    if (std::all_of(first, first + block_size.x,
                    [](const thread_state &t) { return t.waiting == wait::done; }))
        std::memset(cluster[block].shared.get(), 0xCD, cluster[block].shared_bytes);
}

/* A block runs as far as it can before the next one starts, and so does a warp: code that lacks a
 * barrier meets the worst case. */
inline void run_cluster(const std::function<void()> &kernel, std::mt19937 &shuffle)
{
    std::vector<thread_state> threads = threads_of_cluster();
    fiber_body = &kernel;
    while (fibers.size() < threads.size()) {
        fibers.emplace_back();
        start_fiber(fibers.back());
    }
    turns_of_cluster turn;
    turn.block = turns((unsigned)cluster.size(), shuffle);
    turn.warp = turns(block_size.x / warp_size, shuffle);
    turn.lane = turns(warp_size, shuffle);
    do {
        for (unsigned block : turn.block) {
            run_block(threads, block, turn);
            erase_shared_if_done(threads, block);
        }
    } while (release(threads, 0, threads.size(), wait::cluster));
    for (const thread_state &t : threads)
        if (t.waiting != wait::done)
            fail("some threads wait at a barrier or a warp operation that others do not reach");
}

} // namespace emulate

#endif
