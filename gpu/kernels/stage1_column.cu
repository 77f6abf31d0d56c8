/* stage1_column.cu - stage 1 by virtual columns.
 *
 * A segment is a row if buckets are interleaved. If they are contiguous, a segment is one bucket of
 * a row, which is treated as a row with a single bucket. A segment is read in steps of P = b v
 * columns. Column c belongs to bucket c mod b, so a bucket has v columns; their queues are merged
 * at the end. A lane owns C neighbouring columns, loads them as one vector, and keeps their queues
 * in registers for all its steps. So there are few queues, and their columns are long.
 *
 * Unaligned rows: columns are counted from the multiple of the vector's size at or below the start
 * of the row, `shift` elements before it. Column c then belongs to bucket (c - shift) mod b. Steps
 * that are not within the row for every column are taken element by element.
 *
 * Blocks: a block takes `rows` segments if they are small. Otherwise each block takes a strip of
 * buckets; if there are still too few blocks, several of them share the steps of a strip. Where b
 * is not a multiple of C, the v columns of a strip's buckets are v groups of vectors, each of which
 * overlaps its neighbours by a vector.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "column.cuh"
#include "block_merge.cuh"

namespace
{

/* What a block looks after. */
struct block_part {
    uint32_t split; /* which share of the strip's steps */
    uint32_t unit;  /* which strip, counted over all segments */
    uint32_t first_bucket;
    uint64_t first_segment;
};

__device__ __forceinline__ block_part part_of_block(const column_plan &p)
{
    block_part block;
    block.split = blockIdx.x % p.splits;
    block.unit = blockIdx.x / p.splits;
    block.first_bucket = block.unit % p.strips * p.strip;
    block.first_segment = (uint64_t)(block.unit / p.strips) * p.rows;
    return block;
}

/* The C columns of a lane, and the segment in which they lie. */
template <int BYTES, int C> struct lane_columns {
    uint32_t r, group;         /* which segment of the block, which group of vectors */
    uint32_t c0;               /* the first column */
    bool active;               /* false: the lane has no columns */
    uint32_t origin, length;   /* the segment is elements [origin, origin + length) of its row */
    uint32_t shift;            /* elements between `base` and the segment */
    const unsigned char *base; /* where column 0 of step 0 lies */

    __device__ __forceinline__ lane_columns(const stage1_args &a, const column_plan &p,
                                            const block_part &block)
    {
        const uint32_t segment_threads = p.groups * p.lanes;
        r = threadIdx.x / segment_threads;
        const uint32_t in_segment = threadIdx.x - r * segment_threads;
        group = in_segment / p.lanes;
        const uint32_t lane = in_segment - group * p.lanes;
        c0 = (group * p.buckets + block.first_bucket) / C * C + lane * C;
        active = r < p.rows && block.first_segment + r < p.segments && c0 < p.columns;

        const uint64_t segment = active ? block.first_segment + r : block.first_segment,
                       row = a.contiguous ? segment / a.b : segment;
        const uint32_t bucket = a.contiguous ? (uint32_t)(segment - row * a.b) : 0;
        origin = a.contiguous ? bucket_first(a, bucket) : 0;
        length = a.contiguous ? bucket_size(a, bucket) : a.n;
        const unsigned char *begin = row_begin<BYTES>(a, row) + (size_t)origin * BYTES;
        shift = (uint32_t)((uintptr_t)begin / BYTES % C);
        base = begin - (size_t)shift * BYTES;
    }
};

/* The steps of a block. Every segment has steps [head, full) in full. */
struct block_steps {
    uint32_t head, full;
    uint32_t begin, end; /* the block's share of [head, full) */
    uint32_t from;       /* entries count their steps from here */
};

__device__ __forceinline__ block_steps steps_of_block(const stage1_args &a, const column_plan &p,
                                                      uint32_t split)
{
    block_steps steps;
    const uint32_t shortest = a.contiguous ? a.size : a.n;
    steps.head = a.unaligned ? 1 : 0;
    steps.full = shortest / p.columns > steps.head ? shortest / p.columns : steps.head;
    steps.begin = smaller_of(steps.head + split * p.split_steps, steps.full);
    steps.end = smaller_of(steps.begin + p.split_steps, steps.full);
    steps.from = split == 0 ? 0 : steps.begin;
    return steps;
}

/* Calls take(words, step) for the steps from `step` on, U at a time, so that U loads are in flight.
 * Fewer than U steps are left. */
template <class T, class Take>
__device__ __forceinline__ void for_each_batch(const unsigned char *&at, size_t pitch,
                                               uint32_t &step, uint32_t end, Take take)
{
    for (; step + T::U <= end; step += T::U) {
        uint32_t words[T::U][T::vector_words];
#pragma unroll
        for (int u = 0; u < T::U; u++)
            load_once<T::vector_bytes>(at + u * pitch, words[u]);
        at += T::U * pitch;
        take(words, step);
    }
}

/* Takes the block's share of the steps that every segment has in full. With by_append, all lanes of
 * a warp call, and a lane without columns reads those of column 0. */
template <int BYTES, int KB, body BODY, int C>
__device__ __forceinline__ void take_full_steps(column_queues<BYTES, KB, BODY> &queues,
                                                const lane_columns<BYTES, C> &lane,
                                                const block_steps &steps, uint32_t columns)
{
    typedef tuning<BYTES, KB, BODY> t;
    typedef uint32_t batch[t::U][t::vector_words];
    const uint32_t c0 = lane.active ? lane.c0 : 0;
    const unsigned char *at = lane.base + ((size_t)steps.begin * columns + c0) * BYTES;
    const size_t pitch = (size_t)columns * BYTES;
    uint32_t step = steps.begin;
    if constexpr (BODY == by_append) {
        appender<BYTES, KB> append(shared_memory());
        for_each_batch<t>(at, pitch, step, steps.end, [&](const batch &words, uint32_t first) {
            queues.append_batch(append, words, first - steps.from);
        });
        append.flush(queues.q, queues.read.one);
    } else if constexpr (BODY == by_merging) {
        for_each_batch<t>(at, pitch, step, steps.end, [&](const batch &words, uint32_t first) {
            queues.merge_batch(words, first - steps.from);
        });
    } else {
        for_each_batch<t>(at, pitch, step, steps.end, [&](const batch &words, uint32_t first) {
            queues.insert_batch(words, first - steps.from);
        });
    }
    for (; step < steps.end; step++, at += pitch) {
        uint32_t words[t::vector_words];
        load_once<t::vector_bytes>(at, words);
        queues.insert_step(words, step - steps.from);
    }
}

/* Takes the steps that some columns do not have: the first one of an unaligned segment, and those
 * past `full`. */
template <int BYTES, int KB, body BODY, int C>
__device__ __forceinline__ void
take_ends(column_queues<BYTES, KB, BODY> &queues, const lane_columns<BYTES, C> &lane,
          const block_steps &steps, const column_plan &p, uint32_t split)
{
    auto take = [&](uint32_t step) {
#pragma unroll
        for (int c = 0; c < C; c++) {
            uint64_t i = (uint64_t)step * p.columns + lane.c0 + c;
            if (i >= lane.shift && i - lane.shift < lane.length)
                queues.insert_element(c, read_bits<BYTES>(lane.base, i), step - steps.from);
        }
    };
    if (split == 0 && steps.head)
        take(0);
    if (split == p.splits - 1)
        for (uint32_t step = steps.full;
             (uint64_t)step * p.columns < (uint64_t)lane.length + lane.shift; step++)
            take(step);
}

/* Lays down the queue of a column if the column belongs to the block's strip. */
template <int BYTES, int KB, int C>
__device__ __forceinline__ void
store_column(const temp_storage &h, const typename reader<BYTES>::entry (&q)[KB], uint32_t column,
             const lane_columns<BYTES, C> &lane, const column_plan &p, const block_part &block,
             uint32_t first_step)
{
    const uint32_t replica = column / p.buckets,
                   s = column - replica * p.buckets - block.first_bucket;
    /* With || and && the compiler writes all of this twice. */
    const bool in_strip = (p.strips == 1) | ((replica == lane.group) & (s < p.strip));
    if (in_strip && column < p.columns && block.first_bucket + s < p.buckets)
        store_entries<BYTES, KB>(h, (lane.r * p.replicas + replica) * p.strip + s, q,
                                 lane.origin + first_step * p.columns + column - lane.shift,
                                 p.columns);
}

/* Merges the strip over the blocks that share its steps, and narrows [from, to), the buckets of the
 * strip that this block writes. False if it writes nothing. */
template <int KB>
__device__ __forceinline__ bool merge_splits(const temp_storage &h, const column_plan &p,
                                             const block_part &block, candidate *shelves,
                                             uint32_t *counters, uint32_t &from, uint32_t &to)
{
    if (p.in_cluster) {
        uint32_t end;
        merge_cluster<KB>(h, block.split, p.splits, from, end);
        to = smaller_of(to, end);
    } else {
        uint32_t *is_last = (uint32_t *)(h.slots + (size_t)h.pitch * KB);
        if (!merge_last<KB>(h, shelves + (size_t)block.unit * p.splits * p.strip * KB,
                            counters + block.unit, block.split, p.splits, is_last))
            return false;
    }
    __syncthreads();
    return true;
}

/* Writes buckets [from, to) of the strip, for each segment of the block. */
template <int BYTES, int KB, int C>
__device__ __forceinline__ void write_segments(const stage1_args &a, const column_plan &p,
                                               const temp_storage &h, const block_part &block,
                                               uint32_t from, uint32_t to)
{
    const uint32_t first_bucket = block.first_bucket;
    write_out<BYTES, KB>(
        a, h, from, to, [&](uint32_t r, uint32_t s, uint64_t &row, uint32_t &bucket) {
            uint64_t segment = block.first_segment + r;
            if (segment >= p.segments)
                return false;
            row = a.contiguous ? segment / a.b : segment;
            if (a.contiguous) {
                bucket = (uint32_t)(segment - row * a.b);
            } else {
                uint32_t shift = (uint32_t)((uintptr_t)row_begin<BYTES>(a, row) / BYTES % C) % a.b;
                bucket = first_bucket + s >= shift ? first_bucket + s - shift
                                                   : first_bucket + s + a.b - shift;
            }
            return true;
        });
}

template <int BYTES, int KB, body BODY>
__global__ void __launch_bounds__(tuning<BYTES, KB, BODY>::threads, 2)
    column(stage1_args a, column_plan p, candidate *shelves, uint32_t *counters)
{
    constexpr int C = tuning<BYTES, KB, BODY>::C;
    let_next_kernel_start();
    const block_part block = part_of_block(p);
    const lane_columns<BYTES, C> lane(a, p, block);
    const block_steps steps = steps_of_block(a, p, block.split);

    column_queues<BYTES, KB, BODY> queues(a.order);
    if (lane.active || BODY == by_append)
        take_full_steps(queues, lane, steps, p.columns);
    if (lane.active)
        take_ends(queues, lane, steps, p, block.split);

    const temp_storage h = {(candidate *)shared_memory(),
                            temp_storage_pitch(p.rows, p.replicas, p.strip), p.rows, p.replicas,
                            p.strip};
    if (BODY == by_append)
        __syncthreads(); /* the slots lie where the append buffers were */
    if (lane.active) {
#pragma unroll
        for (int c = 0; c < C; c++)
            store_column(h, queues.q[c], lane.c0 + c, lane, p, block, steps.from);
    }
    merge_replicas<KB>(h);
    uint32_t from = 0, to = smaller_of(p.strip, p.buckets - block.first_bucket);
    if (p.splits > 1 && !merge_splits<KB>(h, p, block, shelves, counters, from, to))
        return;
    if (from < to)
        write_segments<BYTES, KB, C>(a, p, h, block, from, to);
}

template <int BYTES, int KB, body BODY>
enum rcm_gpu_status start(const stage1_args &a, const column_plan &p, void *workspace,
                          rcm_gpu_stream stream)
{
    launch how = {(unsigned)p.blocks, p.threads, p.shared_bytes, p.in_cluster ? p.splits : 1,
                  stream};
    const size_t counter_bytes = p.blocks / p.splits * sizeof(uint32_t);
    uint32_t *counters = (uint32_t *)workspace;
    candidate *shelves =
        (candidate *)((unsigned char *)workspace + round_up<size_t>(counter_bytes, 256));
    if (p.workspace_bytes > 0) {
        enum rcm_gpu_status status = fill_zero(counters, counter_bytes, stream);
        if (status != RCM_GPU_OK)
            return status;
    }
    return run(how, column<BYTES, KB, BODY>, a, p, shelves, counters);
}

template <int KB>
enum rcm_gpu_status start_body(const stage1_args &a, int bytes, const column_plan &p,
                               void *workspace, rcm_gpu_stream stream)
{
    if constexpr (KB >= 8) {
        if (p.append)
            return bytes == 4 ? start<4, KB, by_append>(a, p, workspace, stream)
                              : start<2, KB, by_append>(a, p, workspace, stream);
    }
    return bytes == 4 ? start<4, KB, plain_body<KB>>(a, p, workspace, stream)
                      : start<2, KB, plain_body<KB>>(a, p, workspace, stream);
}

} // namespace

enum rcm_gpu_status stage1_column(const stage1_args &a, int bytes, const column_plan &plan,
                                  void *workspace, rcm_gpu_stream stream)
{
    if (plan.blocks > INT32_MAX)
        return RCM_GPU_BAD_TYPE;
    if (plan.tile)
        return stage1_tile(a, bytes, plan, stream);
    return with_queue_length(
        a.k_b, [&](auto kb) { return start_body<kb()>(a, bytes, plan, workspace, stream); });
}
