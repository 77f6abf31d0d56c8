/* once.cuh - what is done once for each kernel and device, and again only if it failed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_ONCE_CUH
#define RCM_ONCE_CUH

#include <atomic>
#include <mutex>

#include <gpu/topk_gpu.h>

/* A set of pairs. Its size is far above what there is: the kernels times the devices of a machine.
 * A pair that has no place is done each time. */
class done_once
{
    static constexpr unsigned slots = 4096;
    std::atomic<uint64_t> done[slots] = {};
    unsigned count = 0;
    std::mutex doing;

    /* The slot of the key, or a free one. */
    unsigned slot_of(uint64_t key) const
    {
        unsigned at = (unsigned)(key * 0x9e3779b97f4a7c15u >> 52);
        for (uint64_t found; (found = done[at].load(std::memory_order_acquire)) && found != key;)
            at = (at + 1) % slots;
        return at;
    }

  public:
    /* Runs act() unless it has succeeded for this object and device. Host threads take turns. What
     * act() wrote is seen by all that come later. */
    template <class Act> enum rcm_gpu_status operator()(const void *object, int device, Act act)
    {
        const uint64_t key = (uint64_t)(uintptr_t)object ^ (uint64_t)(device + 1) << 48;
        if (done[slot_of(key)].load(std::memory_order_acquire))
            return RCM_GPU_OK;
        std::lock_guard<std::mutex> turn(doing);
        const unsigned slot = slot_of(key);
        if (done[slot].load(std::memory_order_relaxed))
            return RCM_GPU_OK;
        const enum rcm_gpu_status status = act();
        if (status == RCM_GPU_OK && count < slots / 2) {
            done[slot].store(key, std::memory_order_release);
            count++;
        }
        return status;
    }
};

#endif
