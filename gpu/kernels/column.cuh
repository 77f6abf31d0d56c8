/* column.cuh - how the `column` kernels take elements into their queues, and the constants of each
 * kernel, which the plan needs too.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_COLUMN_CUH
#define RCM_COLUMN_CUH

#include "stage1.cuh"

/* The body of the main loop: insert every element, merge sorted chunks, or test every element and
 * append those that pass to a buffer. */
enum body { by_insertion, by_merging, by_append };

/* The body that takes every element without a test. */
template <int KB> constexpr body plain_body = KB <= 3 ? by_insertion : by_merging;

/* For each element size, queue length and body: C columns a lane, U loads in flight, threads of a
 * block. */
template <int BYTES, int KB, body BODY> struct tuning {
    static constexpr int vector_bytes = KB <= 2 ? 16 : KB <= 4 ? 8 : 4;
    static constexpr int vector_words = vector_bytes / 4;
    static constexpr int C = vector_bytes / BYTES;
    static constexpr int U = KB == 1 || KB == 3 || KB == 4 ? 8 : KB == 2 ? 4 : 16;
    static constexpr int threads = KB == 16 || BODY == by_append ? 256 : 512;
};

/* The buffer of a column for by_append. Before a batch of U steps, U entries must be free. */
template <int BYTES, int KB> struct append_buffer {
    typedef tuning<BYTES, KB, by_append> t;
    static constexpr int length = t::U + 8;
    static constexpr size_t bytes =
        (size_t)t::threads * t::C * length * sizeof(typename reader<BYTES>::entry);
};

/* Drops the elements that do not beat the last entry of their column's queue. The others wait in
 * shared memory; when the next batch could overflow the buffer of some lane, the whole warp inserts
 * them. Entry i of column c of a thread is at first[c] + i * threads. */
template <int BYTES, int KB> struct appender {
    typedef tuning<BYTES, KB, by_append> t;
    typedef typename reader<BYTES>::entry entry;
    static constexpr int length = append_buffer<BYTES, KB>::length;
    entry *first[t::C], *end[t::C];
    entry last[t::C]; /* of each queue */

    __device__ __forceinline__ appender(unsigned char *shared)
    {
#pragma unroll
        for (int c = 0; c < t::C; c++) {
            first[c] = end[c] = (entry *)shared + c * length * t::threads + threadIdx.x;
            last[c] = empty_entry(entry());
        }
    }
    static __device__ __forceinline__ bool beats(keyed a, keyed b)
    {
        return a.key > b.key || b.step < 0;
    }
    static __device__ __forceinline__ bool beats(packed a, packed b)
    {
        return a > b;
    }
    __device__ __forceinline__ void offer(int c, entry e)
    {
        if (beats(e, last[c])) {
            *end[c] = e;
            end[c] += t::threads;
        }
    }
    __device__ __forceinline__ bool nearly_full() const
    {
        bool full = false;
#pragma unroll
        for (int c = 0; c < t::C; c++)
            full |= end[c] > first[c] + (length - t::U) * t::threads;
        return full;
    }
    __device__ __forceinline__ void flush(entry (&q)[t::C][KB], int one)
    {
#pragma unroll
        for (int c = 0; c < t::C; c++) {
            while (__any_sync(~0u, end[c] != first[c]))
                if (end[c] != first[c]) {
                    end[c] -= t::threads;
                    insert<KB>(q[c], *end[c], one);
                }
            last[c] = q[c][KB - 1];
        }
    }
};

/* The queues of a lane's C columns, and what puts elements into them. `words` is the lane's vector
 * of a step; steps are counted from the first one of the block. */
template <int BYTES, int KB, body BODY> struct column_queues {
    typedef tuning<BYTES, KB, BODY> t;
    typedef typename reader<BYTES>::entry entry;
    typedef uint32_t batch[t::U][t::vector_words];

    const reader<BYTES> read;
    entry q[t::C][KB];

    __device__ __forceinline__ explicit column_queues(key_order order) : read(order)
    {
#pragma unroll
        for (int c = 0; c < t::C; c++)
#pragma unroll
            for (int j = 0; j < KB; j++)
                q[c][j] = empty_entry(entry());
    }
    __device__ __forceinline__ void insert_element(int c, uint32_t bits, uint32_t step)
    {
        insert<KB>(q[c], read.entry_of_bits(bits, step), read.one);
    }
    __device__ __forceinline__ void insert_step(const uint32_t *words, uint32_t step)
    {
#pragma unroll
        for (int c = 0; c < t::C; c++)
            insert<KB>(q[c], read.entry_of(words, c, step), read.one);
    }
    __device__ __forceinline__ void insert_batch(const batch &words, uint32_t step)
    {
#pragma unroll
        for (int u = 0; u < t::U; u++)
            insert_step(words[u], step + u);
    }
    __device__ __forceinline__ void merge_batch(const batch &words, uint32_t step)
    {
#pragma unroll
        for (int u0 = 0; u0 < t::U; u0 += KB)
#pragma unroll
            for (int c = 0; c < t::C; c++) {
                entry chunk[KB];
#pragma unroll
                for (int j = 0; j < KB; j++)
                    chunk[j] = read.entry_of(words[u0 + j], c, step + u0 + j);
                sort_chunk<KB>(chunk, read.one);
                take_sorted<KB>(q[c], chunk, read.one);
            }
    }
    /* The lanes of a warp vote, so all of them call. */
    __device__ __forceinline__ void append_batch(appender<BYTES, KB> &append, const batch &words,
                                                 uint32_t step)
    {
#pragma unroll
        for (int u = 0; u < t::U; u++)
#pragma unroll
            for (int c = 0; c < t::C; c++)
                append.offer(c, read.entry_of(words[u], c, step + u));
        if (__any_sync(~0u, append.nearly_full()))
            append.flush(q, read.one);
    }
};

#endif
