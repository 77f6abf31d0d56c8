/* exact_radix.cu - exact top-k by digits, most significant first: the row is read from memory once,
 * into the shared memory of a block or of a cluster of blocks, and what does not fit there is read
 * again.
 *
 * A level takes one digit of `bits` bits. Among the elements that agree with the digits found so
 * far ("inside"), count each digit; the border is the digit at which the count from above reaches
 * what is still needed. Larger digits are results, the border's elements are inside the next level,
 * and one sweep does both and counts the next digit. Those inside are noted in a list if they fit,
 * so that later sweeps are short; if not, the sweep goes over everything again: nothing is ever
 * dropped. The last digit leaves equal elements, of which as many are taken as are still needed.
 *
 * Blocks of a cluster share a row in slices. Each counts its own slice; sums, and the places where
 * each writes, come from the others' shared memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "block.cuh"
#include "exact.cuh"

namespace
{

struct radix_plan {
    uint32_t blocks;      /* that share a row: a cluster */
    uint32_t slice;       /* elements of each of them, a multiple of 16 bytes */
    uint32_t held_chunks; /* of 16 bytes that fit into shared memory */
    uint32_t list;        /* entries of the list */
    uint32_t bits, copies;
    bool deterministic;
};

/* Shared by the threads of a block, some of it read by the others of the cluster. */
struct shared_state {
    uint32_t above, inside; /* of this block's slice, for the others */
    uint32_t border;        /* digit */
    uint32_t row_above, row_inside;
    uint32_t places, ties, listed; /* counters */
};

template <int BYTES> __device__ __forceinline__ uint32_t digits_of(uint32_t bits, key_order order)
{
    return rank_of_key<BYTES>(key_of<BYTES>(bits, order));
}

/* How many of the lanes before this one say yes, and a place for those of the whole warp from the
 * counter. All lanes call. */
__device__ __forceinline__ uint32_t place_of(bool mine, uint32_t *counter)
{
    uint32_t votes = __ballot_sync(~0u, mine), lane = threadIdx.x % 32, first = 0;
    if (votes == 0)
        return 0;
    if (lane == 0)
        first = atomicAdd(counter, (uint32_t)__popc(votes));
    return __shfl_sync(~0u, first, 0) + (uint32_t)__popc(votes & ((1u << lane) - 1));
}

template <int BYTES, int THREADS> struct radix_block {
    static constexpr int V = 16 / BYTES;
    const exact_args &a;
    const radix_plan &p;
    uint64_t row;
    uint32_t rank, first, length; /* this block's elements of the row: [first, first + length) */
    uint32_t shift;               /* elements of its first chunk that come before them */
    uint32_t chunks;
    const unsigned char *base; /* of the first chunk */
    shared_state *state;
    uint32_t *counts; /* 2^bits digits in `copies` copies */
    void *scan;
    uint32_t *list;
    unsigned char *held;

    __device__ radix_block(const exact_args &args, const radix_plan &plan) : a(args), p(plan)
    {
        row = blockIdx.x / p.blocks;
        rank = blockIdx.x % p.blocks;
        first = smaller_of(rank * p.slice, a.n);
        length = smaller_of(p.slice, a.n - first);
        const unsigned char *begin = a.x + (row * a.stride + first) * BYTES;
        shift = (uint32_t)((uintptr_t)begin % 16) / BYTES;
        base = begin - shift * BYTES;
        chunks = length ? (shift + length + V - 1) / V : 0;
        unsigned char *at = shared_memory();
        held = at;
        at += (size_t)p.held_chunks * 16;
        counts = (uint32_t *)at;
        at += ((size_t)p.copies << p.bits) * sizeof(uint32_t);
        list = (uint32_t *)at;
        at += (size_t)p.list * sizeof(uint32_t);
        scan = at;
        at += (block_scan_bytes<THREADS>() + 15) / 16 * 16;
        state = (shared_state *)at;
    }

    /* The 16 bytes of chunk c; what lies outside the slice is not read and comes as 0. */
    __device__ __forceinline__ void load_chunk(uint32_t c, uint32_t (&words)[4]) const
    {
        const unsigned char *chunk = base + (size_t)c * 16;
        if (c * V >= shift && c * V + V <= shift + length) {
            if (c < p.held_chunks)
                load_once<16>(chunk, words);
            else
                load_16(chunk, words); /* again in every sweep */
            return;
        }
#pragma unroll
        for (int w = 0; w < 4; w++)
            words[w] = 0;
#pragma unroll
        for (int e = 0; e < V; e++)
            if (c * V + e >= shift && c * V + e < shift + length)
                words[e * BYTES / 4] |= read_bits<BYTES>(chunk + e * BYTES, 0)
                                        << (e * BYTES % 4 * 8);
    }
    __device__ __forceinline__ void hold_chunk(uint32_t c, const uint32_t (&words)[4]) const
    {
        uint32_t *to = (uint32_t *)(held + (size_t)c * 16);
#pragma unroll
        for (int w = 0; w < 4; w++)
            to[w] = words[w];
    }
    static __device__ __forceinline__ uint32_t element(const uint32_t (&words)[4], int e)
    {
        return BYTES == 4 ? words[e] : words[e / 2] >> (e % 2 * 16) & 0xffffu;
    }
    /* Bits of element i of the slice. */
    __device__ __forceinline__ uint32_t bits_at(uint32_t i) const
    {
        uint32_t at = shift + i;
        return at / V < p.held_chunks ? read_bits<BYTES>(held, at) : read_bits<BYTES>(base, at);
    }

    /* Calls visit(inside the slice?, position in the slice, bits) for every element; all lanes of a
     * warp call together. */
    template <class Visit> __device__ __forceinline__ void sweep(Visit visit) const
    {
        for (uint32_t c0 = 0; c0 < chunks; c0 += THREADS) {
            uint32_t c = c0 + threadIdx.x, words[4] = {0, 0, 0, 0};
            if (c < chunks) {
                if (c < p.held_chunks) {
                    const uint32_t *from = (const uint32_t *)(held + (size_t)c * 16);
#pragma unroll
                    for (int w = 0; w < 4; w++)
                        words[w] = from[w];
                } else {
                    load_chunk(c, words);
                }
            }
#pragma unroll
            for (int e = 0; e < V; e++) {
                uint32_t i = c * V + e - shift;
                visit(c < chunks && i < length, i,
                      element(words, e)); /* before the slice, i wraps to a large number */
            }
        }
    }
    template <class Visit>
    __device__ __forceinline__ void sweep_list(uint32_t listed, Visit visit) const
    {
        for (uint32_t at = 0; at < listed; at += THREADS) {
            bool valid = at + threadIdx.x < listed;
            uint32_t i = valid ? list[at + threadIdx.x] : 0;
            visit(valid, i, valid ? bits_at(i) : 0);
        }
    }

    __device__ __forceinline__ void count(uint32_t digit) const
    {
        atomicAdd(&counts[digit * p.copies + threadIdx.x % p.copies], 1u);
    }
    __device__ __forceinline__ void clear_counts() const
    {
        for (uint32_t i = threadIdx.x; i < p.copies << p.bits; i += THREADS)
            counts[i] = 0;
    }

    /* First pass: every element from memory, a few loads at a time; counts the first digit, holds
     * what fits. */
    __device__ __forceinline__ void read_and_count(uint32_t down) const
    {
        constexpr int U = 4;
        for (uint32_t c0 = 0; c0 < chunks; c0 += THREADS * U) {
            uint32_t words[U][4];
#pragma unroll
            for (int u = 0; u < U; u++)
                if (c0 + u * THREADS + threadIdx.x < chunks)
                    load_chunk(c0 + u * THREADS + threadIdx.x, words[u]);
#pragma unroll
            for (int u = 0; u < U; u++) {
                uint32_t c = c0 + u * THREADS + threadIdx.x, digit[V];
                bool whole = c < chunks && c * V >= shift && c * V + V <= shift + length;
                if (c < chunks) {
                    if (c < p.held_chunks)
                        hold_chunk(c, words[u]);
#pragma unroll
                    for (int e = 0; e < V; e++)
                        digit[e] = digits_of<BYTES>(element(words[u], e), a.order) >> down;
                }
                /* Where a whole warp meets one digit, as in a row of equal elements, it counts
                 * once. */
                bool same = whole;
                if (whole)
#pragma unroll
                    for (int e = 1; e < V; e++)
                        same &= digit[e] == digit[0];
                uint32_t lane_0 = __shfl_sync(~0u, same ? digit[0] : ~0u, 0);
                if (__all_sync(~0u, same && digit[0] == lane_0)) {
                    if (threadIdx.x % 32 == 0)
                        atomicAdd(&counts[digit[0] * p.copies], 32u * V);
                } else if (c < chunks) {
#pragma unroll
                    for (int e = 0; e < V; e++)
                        if (c * V + e - shift < length)
                            count(digit[e]);
                }
            }
        }
    }

    /* From the counts of all blocks: the border digit for `need` elements, how many are above it
     * and on it, in the row and here. */
    __device__ void find_border(uint32_t width, uint32_t need)
    {
        constexpr int most = (2048 + THREADS - 1) / THREADS;
        const uint32_t digits = 1u << width, each = (digits + THREADS - 1) / THREADS;
        uint32_t mine[most], whole[most], sum = 0;
        p.blocks > 1 ? cluster_sync() : __syncthreads();
#pragma unroll
        for (int i = 0; i < most; i++) {
            uint32_t place = threadIdx.x * each + i;
            mine[i] = whole[i] = 0;
            if ((uint32_t)i < each &&
                place < digits) { /* the largest digits belong to the first threads */
                uint32_t at = (digits - 1 - place) * p.copies;
                for (uint32_t copy = 0; copy < p.copies; copy++)
                    mine[i] += counts[at + copy];
                whole[i] = mine[i];
                for (uint32_t r = 0; r < p.blocks; r++)
                    if (r != rank)
                        for (uint32_t copy = 0; copy < p.copies; copy++)
                            whole[i] += cluster_shared(counts, r)[at + copy];
            }
            sum += whole[i];
        }
        uint32_t total, before = block_sum_before<THREADS>(sum, total, scan);
        if (before < need && before + sum >= need) {
            bool found = false;
#pragma unroll
            for (int i = 0; i < most; i++) {
                if (!found && before + whole[i] >= need) {
                    found = true;
                    *state = {0,      mine[i],  digits - 1 - (threadIdx.x * each + i),
                              before, whole[i], 0,
                              0,      0};
                }
                before += whole[i];
            }
        }
        __syncthreads();
        uint32_t above = 0;
#pragma unroll
        for (int i = 0; i < most; i++)
            if ((uint32_t)i < each && threadIdx.x * each + i < digits &&
                digits - 1 - (threadIdx.x * each + i) > state->border)
                above += mine[i];
        if (above > 0)
            atomicAdd(&state->above, above);
        p.blocks > 1 ? cluster_sync() : __syncthreads();
    }

    __device__ __forceinline__ void write(uint32_t place, uint32_t bits, uint32_t i) const
    {
        write_result<BYTES>(a, row, place, bits, first + i);
    }

    /* Everything whose leading digits are above `prefix`, and the first `quota` of those on it, in
     * the order of their positions. */
    __device__ void write_in_order(uint32_t down, uint32_t prefix, uint32_t place,
                                   uint32_t quota) const
    {
        uint32_t taken = 0;
        for (uint32_t i0 = 0; i0 < length; i0 += THREADS) {
            uint32_t i = i0 + threadIdx.x, bits = i < length ? bits_at(i) : 0;
            uint32_t leading = digits_of<BYTES>(bits, a.order) >> down;
            bool above = i < length && leading > prefix, tie = i < length && leading == prefix;
            uint32_t total, before = block_sum_before<THREADS>(above ? 0x10000u
                                                               : tie ? 1u
                                                                     : 0u,
                                                               total, scan);
            uint32_t ties_before = taken + (before & 0xffffu);
            if (above || (tie && ties_before < quota))
                write(place + (before >> 16) + smaller_of(ties_before, quota), bits, i);
            place += total >> 16;
            taken += total & 0xffffu;
            __syncthreads();
        }
    }

    __device__ void run()
    {
        constexpr uint32_t all = 8 * BYTES;
        uint32_t remaining = all, width = smaller_of(p.bits, all), prefix = 0, need = a.k,
                 written = 0;
        uint32_t above_so_far = 0; /* of this slice */
        bool listing = false;
        uint32_t listed = 0;
        clear_counts();
        __syncthreads();
        read_and_count(all - width);
        for (;;) {
            const uint32_t down = remaining - width;
            find_border(width, need);
            const uint32_t next = prefix << width | state->border, row_above = state->row_above,
                           row_inside = state->row_inside;
            const bool done = down == 0 || row_above + row_inside == need;
            uint32_t above_before = 0, inside_before = 0; /* of the blocks before this one */
            for (uint32_t r = 0; r < rank; r++) {
                above_before += cluster_shared(state, r)->above;
                inside_before += cluster_shared(state, r)->inside;
            }
            const uint32_t inside = state->inside, above = state->above;
            need -= row_above;

            const uint32_t quota_before = smaller_of(need, inside_before);
            const uint32_t quota = done ? smaller_of(inside, need - quota_before) : 0;
            if (p.deterministic && done) {
                /* above_so_far of the blocks before this one is needed too */
                above_so_far += above;
                p.blocks > 1 ? cluster_sync() : __syncthreads(); /* everyone has read the state */
                if (threadIdx.x == 0)
                    state->above = above_so_far;
                p.blocks > 1 ? cluster_sync() : __syncthreads();
                uint32_t place = quota_before;
                for (uint32_t r = 0; r < rank; r++)
                    place += cluster_shared(state, r)->above;
                write_in_order(down, next, place, quota);
                break;
            }
            above_so_far += above;

            const uint32_t next_width = done ? 0 : smaller_of(p.bits, down),
                           first_place = written + above_before;
            const uint32_t tie_place = written + row_above + quota_before;
            const bool first_level = remaining == all,
                       into_list = !done && !listing && inside <= p.list;
            const uint32_t above_shift = remaining, digit_shift = down;
            clear_counts();
            __syncthreads();
            auto visit = [&](bool valid, uint32_t i, uint32_t bits) {
                uint32_t digits = digits_of<BYTES>(bits, a.order);
                bool within = valid && (first_level || digits >> above_shift == prefix);
                bool larger = within && digits >> digit_shift > next,
                     on = within && digits >> digit_shift == next;
                if (!p.deterministic) {
                    uint32_t place = place_of(larger, &state->places);
                    if (larger)
                        write(first_place + place, bits, i);
                    if (done) {
                        uint32_t tie = place_of(on, &state->ties);
                        if (on && tie < quota)
                            write(tie_place + tie, bits, i);
                    }
                }
                if (into_list) {
                    uint32_t place = place_of(on, &state->listed);
                    if (on)
                        list[place] = i;
                }
                if (on && !done)
                    count(digits >> (digit_shift - next_width) & ((1u << next_width) - 1));
            };
            if (listing)
                sweep_list(listed, visit);
            else
                sweep(visit);
            if (done)
                break;
            if (into_list) {
                listing = true;
                listed = inside;
            }
            written += row_above;
            prefix = next;
            remaining = down;
            width = next_width;
        }
        if (p.blocks > 1)
            cluster_sync(); /* no block leaves while another may read its shared memory */
    }
};

template <int BYTES, int THREADS>
__global__ void __launch_bounds__(THREADS) radix(exact_args a, radix_plan p)
{
    radix_block<BYTES, THREADS>(a, p).run();
}

/* Blocks of a row: one if it fits, or as many as make it fit; more where there are fewer rows than
 * multiprocessors. */
template <int BYTES, int THREADS>
enum rcm_gpu_status start(const exact_args &a, const exact_options &options,
                          const device_limits &device, rcm_gpu_stream stream)
{
    constexpr uint32_t V = 16 / BYTES;
    radix_plan p = {};
    p.bits = options.bits;
    p.copies = THREADS >= 1024 ? 2 : 1;
    p.deterministic = options.deterministic;
    const size_t fixed = ((size_t)p.copies << p.bits) * sizeof(uint32_t) +
                         (block_scan_bytes<THREADS>() + 15) / 16 * 16 + sizeof(shared_state) + 16;
    const size_t least_list = 2048 * sizeof(uint32_t);
    if (fixed + least_list > device.shared_bytes)
        return RCM_GPU_BAD_TYPE;
    const size_t room = device.shared_bytes - fixed - least_list;
    p.blocks = 1;
    while (p.blocks * 2 <= device.cluster_max &&
           ((size_t)a.n * BYTES + 32 > room * p.blocks ||
            (a.m * p.blocks * 2 <= (uint64_t)device.multiprocessors &&
             a.n >= p.blocks * 2 * THREADS * 4)))
        p.blocks *= 2;
    p.slice = ceil_divide(ceil_divide(a.n, p.blocks), V) * V;
    const uint32_t slice_chunks = ceil_divide(smaller_of(p.slice, a.n), V) + 1;
    p.held_chunks = smaller_of<uint32_t>(slice_chunks, (uint32_t)(room / 16));
    const size_t left = device.shared_bytes - fixed - (size_t)p.held_chunks * 16;
    p.list =
        (uint32_t)smaller_of<size_t>(left / sizeof(uint32_t), smaller_of<uint32_t>(p.slice, 8192));
    if (a.m * p.blocks > INT32_MAX)
        return RCM_GPU_BAD_TYPE;
    launch how = {(unsigned)(a.m * p.blocks), THREADS,
                  fixed + (size_t)p.held_chunks * 16 + p.list * sizeof(uint32_t), p.blocks, stream};
    return run(how, radix<BYTES, THREADS>, a, p);
}

} // namespace

enum rcm_gpu_status exact_radix(const exact_args &a, int bytes, const exact_options &options,
                                const device_limits &device, rcm_gpu_stream stream)
{
    if (a.n <= 16384)
        return bytes == 4 ? start<4, 256>(a, options, device, stream)
                          : start<2, 256>(a, options, device, stream);
    return bytes == 4 ? start<4, 1024>(a, options, device, stream)
                      : start<2, 1024>(a, options, device, stream);
}
