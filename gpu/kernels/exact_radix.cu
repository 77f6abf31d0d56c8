/* exact_radix.cu - exact top-k by digits, the most significant first. The row is read from memory
 * once, into the shared memory of a block or of a cluster of blocks; elements that do not fit there
 * are read again.
 *
 * A level looks at one digit of `bits` bits. An element is "inside" if it agrees with the digits
 * found so far. The level counts each digit among the elements inside; the border is the digit at
 * which the count from above reaches the number that is still needed. Elements with larger digits
 * are results, and those on the border are inside the next level: one sweep writes the former and
 * counts the next digit of the latter. If the elements inside fit into a list they are noted there,
 * so that later sweeps are short. If not, the next sweep goes over all elements again: no element
 * is ever dropped. After the last digit the elements on the border are equal, and as many of them
 * are taken as are still needed.
 *
 * Blocks of a cluster share a row in slices. Each block counts its own slice. It finds the sums,
 * and the places where it writes, in the shared memory of the others.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "radix_slice.cuh"

namespace
{

template <int BYTES, int THREADS> struct radix_block : radix_slice<BYTES, THREADS> {
    typedef radix_slice<BYTES, THREADS> slice;
    using slice::a, slice::p, slice::row, slice::rank, slice::first, slice::length, slice::state,
        slice::counts, slice::scan, slice::list;
    using slice::radix_slice;

    /* A barrier for the blocks that share the row. */
    __device__ __forceinline__ void sync_row() const
    {
        p.blocks > 1 ? cluster_sync() : __syncthreads();
    }

    /* The counts of some digits: of this slice, and of the whole row. A thread has up to `most` of
     * them, `each` if it has all; the largest digits belong to the first threads. */
    struct digit_counts {
        static constexpr int most = (2048 + THREADS - 1) / THREADS;
        uint32_t digits, each;
        uint32_t mine[most], whole[most];

        __device__ __forceinline__ bool has(int i) const
        {
            return (uint32_t)i < each && threadIdx.x * each + i < digits;
        }
        __device__ __forceinline__ uint32_t digit(int i) const
        {
            return digits - 1 - (threadIdx.x * each + i);
        }
    };

    /* Reads the counts of all blocks. Returns the sum of this thread's digits in the row. */
    __device__ __forceinline__ uint32_t read_counts(digit_counts &c) const
    {
        uint32_t sum = 0;
#pragma unroll
        for (int i = 0; i < digit_counts::most; i++) {
            c.mine[i] = c.whole[i] = 0;
            if (c.has(i)) {
                const uint32_t at = c.digit(i) * p.copies;
                for (uint32_t copy = 0; copy < p.copies; copy++)
                    c.mine[i] += counts[at + copy];
                c.whole[i] = c.mine[i];
                for (uint32_t r = 0; r < p.blocks; r++)
                    if (r != rank)
                        for (uint32_t copy = 0; copy < p.copies; copy++)
                            c.whole[i] += cluster_shared(counts, r)[at + copy];
            }
            sum += c.whole[i];
        }
        return sum;
    }

    /* Finds from the counts of all blocks the border digit for `need` elements, and how many
     * elements are above it and on it, in the row and in this slice. */
    __device__ __forceinline__ void find_border(uint32_t width, uint32_t need)
    {
        constexpr int most = digit_counts::most;
        digit_counts c;
        c.digits = 1u << width;
        c.each = (c.digits + THREADS - 1) / THREADS;
        sync_row();
        const uint32_t sum = read_counts(c);
        uint32_t total, before = block_sum_before<THREADS>(sum, total, scan);
        if (before < need && before + sum >= need) {
            bool found = false;
#pragma unroll
            for (int i = 0; i < most; i++) {
                if (!found && before + c.whole[i] >= need) {
                    found = true;
                    *state = {0, c.mine[i], c.digit(i), before, c.whole[i], 0, 0, 0};
                }
                before += c.whole[i];
            }
        }
        __syncthreads();
        uint32_t above = 0;
#pragma unroll
        for (int i = 0; i < most; i++)
            if (c.has(i) && c.digit(i) > state->border)
                above += c.mine[i];
        if (above > 0)
            atomicAdd(&state->above, above);
        sync_row();
    }

    __device__ __forceinline__ void write(uint32_t place, uint32_t bits, uint32_t i) const
    {
        write_result<BYTES>(a, row, place, bits, first + i);
    }

    /* What is known before a level. */
    struct level {
        uint32_t remaining; /* bits of a rank after the digits found so far */
        uint32_t width;     /* bits of the next digit */
        uint32_t prefix;    /* the digits found so far */
        uint32_t need;      /* elements to find among those inside */
        uint32_t written;   /* elements of the row that earlier levels have placed */
        uint32_t above;     /* elements of this slice that are above `prefix` */
        bool listing;       /* are the elements inside in the list? */
        uint32_t listed;
    };

    /* What a level finds. */
    struct border {
        uint32_t remaining, prefix;           /* after this level */
        uint32_t row_above;                   /* elements of the row above the border */
        uint32_t above, inside;               /* of this slice: above the border, on it */
        uint32_t above_before, inside_before; /* of the slices of the blocks before this one */
        uint32_t need;                        /* elements to find on the border */
        uint32_t quota_before, quota; /* how many of them the slices before give, and this */
        bool done;                    /* no level comes after this one */
    };

    __device__ __forceinline__ border border_of(const level &l)
    {
        find_border(l.width, l.need);
        border b;
        b.remaining = l.remaining - l.width;
        b.prefix = l.prefix << l.width | state->border;
        b.row_above = state->row_above;
        b.done = b.remaining == 0 || b.row_above + state->row_inside == l.need;
        b.above_before = b.inside_before = 0;
        for (uint32_t r = 0; r < rank; r++) {
            b.above_before += cluster_shared(state, r)->above;
            b.inside_before += cluster_shared(state, r)->inside;
        }
        b.above = state->above;
        b.inside = state->inside;
        b.need = l.need - b.row_above;
        b.quota_before = smaller_of(b.need, b.inside_before);
        b.quota = b.done ? smaller_of(b.inside, b.need - b.quota_before) : 0;
        return b;
    }

    /* Writes everything above the last border, and the quota of those on it, in the order of their
     * positions. */
    __device__ __forceinline__ void write_in_order(const level &l, const border &b) const
    {
        /* The blocks after this one need all that is above the border here, of every level. */
        sync_row(); /* everyone has read the state */
        if (threadIdx.x == 0)
            state->above = l.above + b.above;
        sync_row();
        ordered_places<THREADS> places = {b.quota_before, 0, b.quota};
        for (uint32_t r = 0; r < rank; r++)
            places.next_place += cluster_shared(state, r)->above;
        for (uint32_t i0 = 0; i0 < length; i0 += THREADS) {
            uint32_t i = i0 + threadIdx.x, bits = i < length ? slice::bits_at(i) : 0, place;
            uint32_t leading = digits_of<BYTES>(bits, a.order) >> b.remaining;
            if (places.take(i < length && leading > b.prefix, i < length && leading == b.prefix,
                            scan, place))
                write(place, bits, i);
        }
    }

    /* One sweep over the elements inside: writes those above the border, and on the last level the
     * quota of those on it; counts the next digit of those on the border, and notes them in the
     * list with into_list. */
    __device__ __forceinline__ void sweep_level(const level &l, const border &b,
                                                uint32_t next_width, bool into_list) const
    {
        const uint32_t first_place = l.written + b.above_before,
                       tie_place = l.written + b.row_above + b.quota_before;
        const bool first_level = l.remaining == 8 * BYTES;
        auto visit = [&](bool valid, uint32_t i, uint32_t bits) {
            uint32_t digits = digits_of<BYTES>(bits, a.order);
            bool within = valid && (first_level || digits >> l.remaining == l.prefix);
            bool larger = within && digits >> b.remaining > b.prefix,
                 on = within && digits >> b.remaining == b.prefix;
            if (!p.deterministic) {
                uint32_t place = place_of(larger, &state->places);
                if (larger)
                    write(first_place + place, bits, i);
                if (b.done) {
                    uint32_t tie = place_of(on, &state->ties);
                    if (on && tie < b.quota)
                        write(tie_place + tie, bits, i);
                }
            }
            if (into_list) {
                uint32_t place = place_of(on, &state->listed);
                if (on)
                    list[place] = i;
            }
            if (on && !b.done)
                slice::count(digits >> (b.remaining - next_width) & ((1u << next_width) - 1));
        };
        if (l.listing)
            slice::sweep_list(l.listed, visit);
        else
            slice::sweep(visit);
    }

    __device__ __forceinline__ void run()
    {
        constexpr uint32_t all = 8 * BYTES;
        level l = {all, smaller_of(p.bits, all), 0, a.k, 0, 0, false, 0};
        slice::clear_counts();
        __syncthreads();
        slice::read_and_count(all - l.width);
        for (;;) {
            const border b = border_of(l);
            if (p.deterministic && b.done) {
                write_in_order(l, b);
                break;
            }
            const uint32_t next_width = b.done ? 0 : smaller_of(p.bits, b.remaining);
            const bool into_list = !b.done && !l.listing && b.inside <= p.list;
            slice::clear_counts();
            __syncthreads();
            sweep_level(l, b, next_width, into_list);
            if (b.done)
                break;
            l = {b.remaining,
                 next_width,
                 b.prefix,
                 b.need,
                 l.written + b.row_above,
                 l.above + b.above,
                 l.listing || into_list,
                 into_list ? b.inside : l.listed};
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

/* A row has one block if it fits, or as many as make it fit. It has more if there are fewer rows
 * than multiprocessors. */
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
                         (block_scan_bytes<THREADS>() + 15) / 16 * 16 + sizeof(radix_state) + 16;
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
