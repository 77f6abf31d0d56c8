/* stage1_column.cu - stage 1 by virtual columns.
 *
 * A segment is a row (interleaved buckets), or one bucket of a row (contiguous ones, taken as a row
 * with a single bucket). It is read as steps of P = b v columns; column c belongs to bucket c mod
 * b, so that a bucket has v columns, whose queues are merged at the end. A lane owns C neighbouring
 * columns, loads them as one vector, and keeps the queues in registers for all its steps: few
 * queues, long columns.
 *
 * Unaligned rows: columns are counted from the multiple of the vector's size at or below the row's
 * begin, `shift` elements before it; the bucket of column c is then (c - shift) mod b. Steps that
 * are not within the row for every column are taken element by element.
 *
 * Blocks: `rows` segments each, if they are small; otherwise strips of buckets; otherwise several
 * blocks split the steps of a strip. Where b is no multiple of C, the v columns of a strip's
 * buckets are v groups of vectors, which overlap their neighbours' by a vector.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "harvest.cuh"

namespace
{

enum body { by_insertion, by_merging, by_append };

/* What is done with every element, if not tested first. */
template <int KB> constexpr body plain_body = KB <= 3 ? by_insertion : by_merging;

/* Per element size, queue length and body: C columns a lane, U loads in flight, threads of a block.
 */
template <int BYTES, int KB, body BODY> struct tuning {
    static constexpr int vector_bytes = KB <= 2 ? 16 : KB <= 4 ? 8 : 4;
    static constexpr int C = vector_bytes / BYTES;
    static constexpr int U = KB == 1 || KB == 3 || KB == 4 ? 8 : KB == 2 ? 4 : 16;
    static constexpr int threads = KB == 16 || BODY == by_append ? 256 : 512;
};

/* Entries of a column's append buffer: so many must be free before the next loads. */
template <int BYTES, int KB> struct append_buffer {
    typedef tuning<BYTES, KB, by_append> t;
    static constexpr int length = t::U + 8;
    static constexpr size_t bytes =
        (size_t)t::threads * t::C * length * sizeof(typename reader<BYTES>::entry);
};

/* Elements that did not beat their column's last are gone; the others wait in shared memory until
 * some lane's buffer could overflow at the next load, when the whole warp inserts. Entry i of
 * column c of a thread is at first[c] + i * threads. */
template <int BYTES, int KB> struct appender {
    typedef tuning<BYTES, KB, by_append> t;
    typedef typename reader<BYTES>::entry entry;
    static constexpr int length = append_buffer<BYTES, KB>::length;
    entry *first[t::C], *next[t::C];
    entry last[t::C]; /* of each queue */

    __device__ __forceinline__ appender(unsigned char *shared)
    {
#pragma unroll
        for (int c = 0; c < t::C; c++) {
            first[c] = next[c] = (entry *)shared + c * length * t::threads + threadIdx.x;
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
            *next[c] = e;
            next[c] += t::threads;
        }
    }
    __device__ __forceinline__ bool nearly_full() const
    {
        bool full = false;
#pragma unroll
        for (int c = 0; c < t::C; c++)
            full |= next[c] > first[c] + (length - t::U) * t::threads;
        return full;
    }
    __device__ __forceinline__ void flush(entry (&q)[t::C][KB], int one)
    {
#pragma unroll
        for (int c = 0; c < t::C; c++) {
            while (__any_sync(~0u, next[c] != first[c]))
                if (next[c] != first[c]) {
                    next[c] -= t::threads;
                    insert<KB>(q[c], *next[c], one);
                }
            last[c] = q[c][KB - 1];
        }
    }
};

template <int BYTES, int KB, body BODY>
__global__ void __launch_bounds__(tuning<BYTES, KB, BODY>::threads, 2)
    column(stage1_args a, column_plan p, candidate *shelves, uint32_t *counters)
{
    typedef tuning<BYTES, KB, BODY> t;
    typedef typename reader<BYTES>::entry entry;
    constexpr int C = t::C, U = t::U;
    const uint32_t buckets = a.contiguous ? 1 : a.b; /* of a segment */

    const uint32_t split = blockIdx.x % p.splits, unit = blockIdx.x / p.splits;
    const uint32_t strip = unit % p.strips, first_bucket = strip * p.strip;
    const uint64_t first_segment = (uint64_t)(unit / p.strips) * p.rows;

    const uint32_t segment_threads = p.groups * p.lanes, r = threadIdx.x / segment_threads;
    const uint32_t in_segment = threadIdx.x - r * segment_threads, group = in_segment / p.lanes,
                   lane = in_segment - group * p.lanes;
    const uint32_t c0 = (group * buckets + first_bucket) / C * C + lane * C;
    const bool active = r < p.rows && first_segment + r < p.segments && c0 < p.columns;

    const uint64_t segment = active ? first_segment + r : first_segment,
                   row = a.contiguous ? segment / a.b : segment;
    const uint32_t bucket = a.contiguous ? (uint32_t)(segment - row * a.b) : 0;
    const uint32_t origin = a.contiguous ? bucket_first(a, bucket) : 0;
    const unsigned char *begin = row_begin<BYTES>(a, row) + (size_t)origin * BYTES;
    const uint32_t length = a.contiguous ? bucket_size(a, bucket) : a.n;
    const uint32_t shift = (uint32_t)((uintptr_t)begin / BYTES % C);
    const unsigned char *base = begin - (size_t)shift * BYTES;

    /* Steps that every segment has in full: [head, full). This block's share of them, counted from
     * `from`. */
    const uint32_t head = a.unaligned ? 1 : 0, shortest = a.contiguous ? a.size : a.n;
    const uint32_t full = shortest / p.columns > head ? shortest / p.columns : head;
    const uint32_t share = smaller_of(head + split * p.split_steps, full),
                   share_end = smaller_of(share + p.split_steps, full);
    const uint32_t from = split == 0 ? 0 : share;

    const reader<BYTES> read(a.order);
    entry q[C][KB];
#pragma unroll
    for (int c = 0; c < C; c++)
#pragma unroll
        for (int j = 0; j < KB; j++)
            q[c][j] = empty_entry(entry());

    if (active || BODY == by_append) {
        const uint32_t safe = active ? c0 : 0; /* an idle lane of a voting warp reads along */
        const unsigned char *at = base + ((size_t)share * p.columns + safe) * BYTES;
        const size_t pitch = (size_t)p.columns * BYTES;
        uint32_t step = share;
        if constexpr (BODY == by_append) {
            appender<BYTES, KB> append(shared_memory());
            for (; step + U <= share_end; step += U) {
                uint32_t words[U][t::vector_bytes / 4];
#pragma unroll
                for (int u = 0; u < U; u++)
                    load_once<t::vector_bytes>(at + u * pitch, words[u]);
                at += U * pitch;
#pragma unroll
                for (int u = 0; u < U; u++)
#pragma unroll
                    for (int c = 0; c < C; c++)
                        append.offer(c, read.entry_of(words[u], c, step + u - from));
                if (__any_sync(~0u, append.nearly_full()))
                    append.flush(q, read.one);
            }
            append.flush(q, read.one);
        } else {
            for (; step + U <= share_end; step += U) {
                uint32_t words[U][t::vector_bytes / 4];
#pragma unroll
                for (int u = 0; u < U; u++)
                    load_once<t::vector_bytes>(at + u * pitch, words[u]);
                at += U * pitch;
                if constexpr (BODY == by_merging) {
#pragma unroll
                    for (int u0 = 0; u0 < U; u0 += KB)
#pragma unroll
                        for (int c = 0; c < C; c++) {
                            entry chunk[KB];
#pragma unroll
                            for (int j = 0; j < KB; j++)
                                chunk[j] = read.entry_of(words[u0 + j], c, step + u0 + j - from);
                            sort_chunk<KB>(chunk, read.one);
                            take_sorted<KB>(q[c], chunk, read.one);
                        }
                } else {
#pragma unroll
                    for (int u = 0; u < U; u++)
#pragma unroll
                        for (int c = 0; c < C; c++)
                            insert<KB>(q[c], read.entry_of(words[u], c, step + u - from), read.one);
                }
            }
        }
        for (; step < share_end; step++, at += pitch) {
            uint32_t words[t::vector_bytes / 4];
            load_once<t::vector_bytes>(at, words);
#pragma unroll
            for (int c = 0; c < C; c++)
                insert<KB>(q[c], read.entry_of(words, c, step - from), read.one);
        }
    }

    /* The ends of the row. */
    if (active) {
        auto take = [&](uint32_t step) {
#pragma unroll
            for (int c = 0; c < C; c++) {
                uint64_t i = (uint64_t)step * p.columns + c0 + c;
                if (i >= shift && i - shift < length)
                    insert<KB>(q[c], read.entry_of_bits(read_bits<BYTES>(base, i), step - from),
                               read.one);
            }
        };
        if (split == 0 && head)
            take(0);
        if (split == p.splits - 1)
            for (uint32_t step = full; (uint64_t)step * p.columns < (uint64_t)length + shift;
                 step++)
                take(step);
    }

    const harvest h = {(candidate *)shared_memory(), harvest_pitch(p.rows, p.replicas, p.strip),
                       p.rows, p.replicas, p.strip};
    if (BODY == by_append)
        __syncthreads(); /* the slots lie where the append buffers were */
    if (active) {
#pragma unroll
        for (int c = 0; c < C; c++) {
            uint32_t replica = (c0 + c) / buckets, s = c0 + c - replica * buckets - first_bucket;
            bool mine = p.strips == 1 || (replica == group && s < p.strip);
            if (mine && c0 + c < p.columns && first_bucket + s < buckets)
                lay_down<BYTES, KB>(h, (r * p.replicas + replica) * p.strip + s, q[c],
                                    origin + from * p.columns + c0 + c - shift, p.columns);
        }
    }
    merge_replicas<KB>(h);

    uint32_t write_from = 0, write_to = smaller_of(p.strip, buckets - first_bucket);
    if (p.splits > 1) {
        if (p.in_cluster) {
            uint32_t end;
            merge_cluster<KB>(h, split, p.splits, write_from, end);
            write_to = smaller_of(write_to, end);
        } else {
            uint32_t *is_last = (uint32_t *)(h.slots + (size_t)h.pitch * KB);
            if (!merge_last<KB>(h, shelves + (size_t)unit * p.splits * p.strip * KB,
                                counters + unit, split, p.splits, is_last))
                return;
        }
        __syncthreads();
    }
    if (write_from >= write_to)
        return;
    write_out<BYTES, KB>(
        a, h, write_from, write_to, [&](uint32_t r, uint32_t s, uint64_t &row, uint32_t &bucket) {
            uint64_t segment = first_segment + r;
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
enum rcm_gpu_status start(const stage1_args &a, const column_plan &p, void *workspace,
                          rcm_gpu_stream stream)
{
    launch how = {(unsigned)p.blocks, p.threads, p.shared_bytes, p.in_cluster ? p.splits : 1,
                  stream};
    uint32_t *counters = (uint32_t *)workspace;
    size_t units = p.blocks / p.splits;
    candidate *shelves = (candidate *)((unsigned char *)workspace +
                                       ceil_divide<size_t>(units * sizeof(uint32_t), 256) * 256);
    if (p.workspace_bytes > 0) {
        enum rcm_gpu_status status = fill_zero(counters, units * sizeof(uint32_t), stream);
        if (status != RCM_GPU_OK)
            return status;
    }
    return run(how, column<BYTES, KB, BODY>, a, p, shelves, counters);
}

uint32_t greatest_common_divisor(uint32_t a, uint32_t b)
{
    return b ? greatest_common_divisor(b, a % b) : a;
}

/* The rule. A column should see at least 16 KB elements, or most of them are inserted; where there
 * are too few rows to fill the device with two blocks a multiprocessor, 4 KB. */
template <int BYTES, int KB>
void plan_for(const stage1_args &a, const device_limits &device, column_plan &p)
{
    typedef tuning<BYTES, KB, plain_body<KB>> plain;
    constexpr uint32_t C = plain::C;
    const uint32_t buckets = a.contiguous ? 1 : a.b, length = a.contiguous ? a.size : a.n;
    const uint64_t wanted = 2 * (uint64_t)device.multiprocessors;
    const uint32_t unit =
        C /
        greatest_common_divisor(buckets, C); /* replicas come in multiples, so that P is one of C */
    const bool few =
        p.segments * ceil_divide<uint64_t>((uint64_t)buckets * unit, plain::threads * C) < wanted;
    p.append =
        KB >= 8 && !few && length / buckets >= 32 * KB; /* long columns: testing first pays */
    uint32_t threads = plain::threads;
    if constexpr (KB >= 8)
        threads = p.append ? tuning<BYTES, KB, by_append>::threads : plain::threads;

    const uint32_t usable =
        unit > 1 ? (threads / unit - 1) * C : threads * C; /* buckets that a block can look after */
    uint32_t strips = (uint64_t)buckets * unit <= threads * C ? 1 : ceil_divide(buckets, usable);
    uint64_t splits = 1, floor_steps = p.append ? 32 * KB : 16 * KB;
    if (few) {
        floor_steps = 4 * KB;
        uint64_t most = length / ((uint64_t)buckets * unit * floor_steps);
        splits = smaller_of<uint64_t>(8, most > 1 ? most : 1);
        uint64_t lines =
            ceil_divide<uint64_t>((uint64_t)buckets * BYTES, 64); /* strips of at least 64 bytes */
        uint64_t more = smaller_of(ceil_divide(wanted, p.segments * splits), lines);
        strips = more > strips ? (uint32_t)more : strips;
    }
    p.strip = strips == 1 ? buckets : ceil_divide(ceil_divide(buckets, strips), C) * C;
    p.strips = ceil_divide(buckets, p.strip);
    if (p.strips == 1)
        p.strip = buckets;
    const bool flat = p.strips == 1;
    p.lanes = flat ? 0 : p.strip / C + (unit > 1);
    uint32_t most = flat ? threads * C / buckets : threads / p.lanes;
    uint64_t replicas =
        smaller_of<uint64_t>(most, length / ((uint64_t)buckets * splits * floor_steps)) / unit *
        unit;
    p.replicas = replicas > unit ? (uint32_t)replicas : unit;
    p.columns = buckets * p.replicas;
    p.groups = flat ? 1 : p.replicas;
    if (flat)
        p.lanes = p.columns / C;

    const uint32_t steps = length / p.columns;
    splits = std::max<uint64_t>(splits, ceil_divide<uint64_t>(steps, reader<BYTES>::max_step - 2));
    p.splits = (uint32_t)splits;
    p.split_steps = ceil_divide<uint32_t>(steps > 1 ? steps : 1, p.splits);
    p.in_cluster = p.splits > 1 && p.splits <= device.cluster_max;
    p.rows = 1;
    if (flat && p.splits == 1) {
        uint64_t rows = smaller_of<uint64_t>(threads / p.lanes, ceil_divide(p.segments, wanted));
        p.rows = rows > 1 ? (uint32_t)rows : 1;
    }
    p.threads = ceil_divide(p.rows * p.groups * p.lanes, 32u) * 32;
    p.blocks = ceil_divide<uint64_t>(p.segments, p.rows) * p.strips * p.splits;
    p.shared_bytes = harvest_bytes(p.rows, p.replicas, p.strip, KB) + 16;
    if constexpr (KB >= 8)
        if (p.append)
            p.shared_bytes = std::max(p.shared_bytes, append_buffer<BYTES, KB>::bytes);
    p.workspace_bytes = 0;
    if (p.splits > 1 && !p.in_cluster) {
        size_t units = p.blocks / p.splits;
        p.workspace_bytes = ceil_divide<size_t>(units * sizeof(uint32_t), 256) * 256 +
                            p.blocks * p.strip * KB * sizeof(candidate);
    }
}

/* Contiguous buckets that are short for 16 lanes and more of their own go through shared memory. */
template <int BYTES, int KB> void plan_tile(const stage1_args &a, column_plan &p)
{
    constexpr uint32_t threads = 256, tile = 32 * 1024 / BYTES;
    const uint32_t longest = a.size + 1;
    uint32_t strip = smaller_of(threads, smaller_of(a.b, tile / longest > 0 ? tile / longest : 1));
    uint32_t replicas = smaller_of(threads / strip, longest / (8 * KB));
    p.tile = true;
    p.strip = strip;
    p.strips = ceil_divide(a.b, strip);
    p.replicas = replicas > 1 ? replicas : 1;
    p.rows = p.splits = 1;
    p.threads = threads;
    p.segments = a.m;
    p.blocks = a.m * p.strips;
    p.shared_bytes = tile_bytes(a, strip, BYTES) + harvest_bytes(1, p.replicas, strip, KB);
    p.workspace_bytes = 0;
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

column_plan plan_column(const stage1_args &a, int bytes, const device_limits &device)
{
    column_plan p = {};
    p.segments = a.contiguous ? a.m * a.b : a.m;
    with_queue_length(a.k_b, [&](auto kb) {
        if (a.contiguous && a.size < std::max(256u, 64u * kb()))
            bytes == 4 ? plan_tile<4, kb()>(a, p) : plan_tile<2, kb()>(a, p);
        else
            bytes == 4 ? plan_for<4, kb()>(a, device, p) : plan_for<2, kb()>(a, device, p);
        return RCM_GPU_OK;
    });
    return p;
}

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
