/* launch.h - runs the clusters of a grid, one after the other.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_EMULATE_LAUNCH_H
#define RCM_EMULATE_LAUNCH_H

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <random>

#include "state.h"

namespace emulate
{

/* Runs the kernel in every thread of the cluster: fibers.h or threads.h. */
void run_cluster(const std::function<void()> &kernel, std::mt19937 &shuffle);

/* The order in which `count` clusters, blocks, warps or lanes take turns. */
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

inline void check_launch(unsigned blocks, unsigned threads, unsigned in_cluster,
                         size_t shared_bytes)
{
    if (threads % warp_size != 0 || threads == 0 || threads > 1024 || blocks == 0 ||
        blocks % in_cluster != 0)
        fail("bad launch");
    if (shared_bytes > device.shared_bytes || in_cluster > std::max(device.cluster_max, 1u))
        fail("launch needs more shared memory or a larger cluster than the device has");
}

/* Prepares block `rank` of the cluster. Its shared memory has exactly the size that the launch asks
 * for, so that AddressSanitizer sees an access past its end. */
inline void start_block(unsigned rank, unsigned index, unsigned threads, size_t shared_bytes)
{
    block_state &block = cluster[rank];
    block.index = {index, 0, 0};
    block.rank = rank;
    if (!block.shared || block.shared_bytes != shared_bytes)
        block.shared.reset(
            static_cast<unsigned char *>(operator new(shared_bytes, shared_alignment)));
    block.shared_bytes = shared_bytes;
    std::memset(block.shared.get(), 0xAB, shared_bytes);
    std::memset(block.wide_reads, 0, sizeof block.wide_reads);
    block.warps.resize(threads / warp_size);
}

/* The memory that rcm_gpu_allocate has given. It is withheld from a cluster that may begin before
 * the last kernel has ended, until a thread of it waits for that. (A function, as it is called
 * before the variables of other files are made.) */
inline std::map<unsigned char *, size_t> &allocations()
{
    static std::map<unsigned char *, size_t> all;
    return all;
}
inline std::map<unsigned char *, std::vector<unsigned char>> withheld;
inline std::mutex memory_mutex;

inline void withhold()
{
    std::lock_guard<std::mutex> lock(memory_mutex);
    for (auto [memory, bytes] : allocations()) {
        withheld[memory].assign(memory, memory + bytes);
        std::memset(memory, 0xCD, bytes);
    }
}
inline void give_back()
{
    std::lock_guard<std::mutex> lock(memory_mutex);
    for (const auto &[memory, bytes] : withheld)
        std::memcpy(memory, bytes.data(), bytes.size());
    withheld.clear();
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, unsigned in_cluster,
            size_t shared_bytes, bool overlaps, Arguments... arguments)
{
    check_launch(blocks, threads, in_cluster, shared_bytes);
    grid_size = {blocks, 1, 1};
    block_size = {threads, 1, 1};
    std::mt19937 shuffle(order);
    const unsigned clusters = blocks / in_cluster,
                   run = last_clusters ? std::min(last_clusters, clusters) : clusters,
                   first = clusters - run;
    for (unsigned i : turns(run, shuffle)) {
        cluster.resize(in_cluster);
        for (unsigned rank = 0; rank < in_cluster; rank++)
            start_block(rank, (first + i) * in_cluster + rank, threads, shared_bytes);
        if (overlaps)
            withhold();
        run_cluster([&] { kernel(arguments...); }, shuffle);
        if (!withheld.empty())
            fail("a kernel that may begin early has not waited for the last one");
    }
}

} // namespace emulate

#endif
