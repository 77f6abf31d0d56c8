/* state.h - the emulated device: its limits, and the blocks, warps and threads of the cluster that
 * runs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_EMULATE_STATE_H
#define RCM_EMULATE_STATE_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace emulate
{

/* The order in which threads take turns: 0 ascending, 1 descending, otherwise a shuffle with this
 * seed. */
inline unsigned order = 0;

/* The limits of the emulated device. The type has a name so that all source files share one
 * variable. */
struct device_state {
    int multiprocessors = 4;
    size_t shared_bytes = 227 * 1024; /* that a block may have */
    unsigned cluster_max = 8;         /* blocks of a cluster */
};
inline device_state device;

/* Launches until one is refused; none is while it is 0. For tests. */
inline unsigned refused_launch = 0;

/* How many clusters of a grid run, the last ones; 0: all. For tests. */
inline unsigned last_clusters = 0;

struct index3 {
    unsigned x = 0, y = 0, z = 0;
};

constexpr unsigned warp_size = 32;

[[noreturn]] inline void fail(const char *what)
{
    std::fprintf(stderr, "emulated kernel: %s\n", what);
    std::abort();
}

/* What a thread waits for. */
enum class wait { none, warp, block, cluster, done };

/* A cp.async whose bytes have not arrived. */
struct async_copy {
    void *to;
    const void *from;
    unsigned bytes;
};

/* A wide_multiply that has not run, and the matrix as it was when it started. */
struct wide_product {
    float (*c)[1][4];
    uint32_t a[4];
    uint64_t b;
    bool add;
    uint16_t elements[64][16];
};

struct block_state;

struct thread_state {
    index3 index;
    unsigned linear = 0; /* number of the thread in its block */
    block_state *block = nullptr;
    wait waiting = wait::none;
    unsigned warp_operations = 0; /* counts them: it selects the half of the warp's slots */
    std::vector<std::vector<async_copy>> committed;
    std::vector<async_copy> open; /* copies of the group that is not committed yet */
    bool copies_fenced = true;    /* may wide_multiply read what they brought? */
    std::vector<std::vector<wide_product>> wide_committed;
    std::vector<wide_product> wide_open;
};

/* What the lanes give to an operation of the whole warp. Two halves take turns, so that a lane may
 * start the next operation while others still read the last one. */
struct warp_state {
    uint64_t slots[2][warp_size];
};

constexpr std::align_val_t shared_alignment{1024};

struct free_aligned {
    void operator()(unsigned char *memory) const
    {
        operator delete(memory, shared_alignment);
    }
};

struct block_state {
    index3 index;
    unsigned rank = 0; /* number of the block in its cluster */
    std::unique_ptr<unsigned char, free_aligned> shared;
    size_t shared_bytes = 0;
    std::vector<warp_state> warps;
    unsigned wide_reads[256]; /* for each KB of it, the products of warpgroups that will read it */
};

inline index3 grid_size, block_size;
inline std::vector<block_state> cluster;
inline thread_local thread_state *self = nullptr;

/* Returns when all threads of the warp, block or cluster of this thread have called it. */
void sync(wait kind);

/* The threads of the cluster, those of its first block first. */
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

#endif
