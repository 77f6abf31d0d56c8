/* exact_radix.cu - exact top-k by a list of the largest elements and by digits, the most
 * significant first.
 *
 * A short row is read into a list in shared memory. Of a long one, a sample says a rank that a
 * little more than k elements reach, most likely, and one pass over the row lists these. If it
 * lists fewer than k, or more than the list holds, levels go over the row in memory until the rest
 * fits.
 *
 * A level looks at one digit of `bits` bits of rank - base. An element is "inside" if it agrees
 * with the digits found so far. The level counts each digit among the elements inside; the border
 * is the digit at which the count from above reaches the number that is still needed. Elements with
 * larger digits are results, and those on the border are inside the next level: one sweep writes
 * the former and counts the next digit of the latter. If these fit into a list they are noted
 * there. No element is ever dropped. After the last digit the elements on the border are equal, and
 * as many of them are taken as are still needed.
 *
 * Blocks of a cluster share a row in slices. Each block counts its own slice. It finds the sums,
 * and the places where it writes, in the shared memory of the others.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "radix_slice.cuh"

namespace
{

template <int BYTES, int THREADS, class Args>
struct radix_block : radix_slice<BYTES, THREADS, Args> {
    typedef radix_slice<BYTES, THREADS, Args> slice;
    using slice::a, slice::p, slice::rank, slice::first, slice::length, slice::begin, slice::V,
        slice::state, slice::counts, slice::scan;
    using slice::radix_slice;

    /* A barrier for so many blocks: this one, or all that share the row. */
    static __device__ __forceinline__ void sync(uint32_t blocks)
    {
        blocks > 1 ? cluster_sync() : __syncthreads();
    }

    /* The counts of neighbouring digits, of which a thread has up to `most`: from `low` on. The
     * largest digits belong to the first threads. */
    struct digit_counts {
        static constexpr int most = 2048 / THREADS;
        uint32_t each, low;
        bool any;
        uint32_t mine[most], whole[most]; /* of this slice, of the row */

        __device__ __forceinline__ explicit digit_counts(uint32_t digits)
        {
            each = (digits + THREADS - 1) / THREADS;
            any = (threadIdx.x + 1) * each <= digits;
            low = digits - (threadIdx.x + 1) * each;
        }
        __device__ __forceinline__ void add(const uint32_t *from, uint32_t (&to)[most]) const
        {
#pragma unroll
            for (int i = 0; i < most; i += 4) {
                uint32_t words[4];
                if (any && (uint32_t)i + 4 <= each) {
                    load_16(from + low + i, words);
#pragma unroll
                    for (int w = 0; w < 4; w++)
                        to[i + w] += words[w];
                }
            }
#pragma unroll
            for (int i = 0; i < most && i < 3; i++)
                if (any && each < 4 && (uint32_t)i < each)
                    to[i] += from[low + i];
        }
    };

    /* Finds from the counts the border digit for `need` elements, and how many elements are above
     * it and on it. `blocks`: how many share the counts, all of the row or this one alone, which
     * finds its own then. The counts of this block become 0. */
    __device__ __forceinline__ void find_border(uint32_t width, uint32_t need, uint32_t blocks)
    {
        constexpr int most = digit_counts::most;
        digit_counts c(1u << width);
        sync(blocks);
        uint32_t sum = 0;
#pragma unroll
        for (int i = 0; i < most; i++)
            c.mine[i] = c.whole[i] = 0;
        c.add(counts(), c.mine);
#pragma unroll
        for (int i = 0; i < most; i++)
            c.whole[i] = c.mine[i];
        for (uint32_t r = 0; r < blocks; r++)
            if (blocks > 1 && r != rank)
                c.add(cluster_shared(counts(), r), c.whole);
#pragma unroll
        for (int i = 0; i < most; i++)
            sum += c.whole[i];
        uint32_t total, before = block_sum_before<THREADS>(sum, total, scan());
        if (before < need && before + sum >= need) {
            bool found = false;
#pragma unroll
            for (int i = most - 1; i >= 0; i--) {
                if (!found && before + c.whole[i] >= need) {
                    found = true;
                    state()->above = blocks > 1 ? 0 : before;
                    state()->inside = c.mine[i];
                    state()->border = c.low + i;
                    state()->row_above = before;
                    state()->row_inside = c.whole[i];
                    state()->places = state()->ties = state()->listed = 0;
                }
                before += c.whole[i];
            }
        }
        sync(blocks); /* all have read the counts */
        uint32_t above = 0;
#pragma unroll
        for (int i = 0; i < most; i++)
            if (c.any && (uint32_t)i < c.each) {
                above += c.low + i > state()->border ? c.mine[i] : 0;
                counts()[c.low + i] = 0;
            }
        if (blocks > 1 && above > 0)
            atomicAdd(&state()->above, above);
        sync(blocks);
    }

    __device__ __forceinline__ void write(uint32_t to, uint32_t of_rank, uint32_t position) const
    {
        const uint32_t index = first + position;
        write_result<BYTES>(
            a, slice::row, to,
            bits_of_key<BYTES>(key_of_rank<BYTES>(of_rank), a.order, slice::begin, index), index);
    }

    /* What is known before a level. */
    struct level {
        uint32_t base;       /* what is subtracted from a rank before it is taken apart */
        uint32_t remaining;  /* bits after the digits found so far */
        uint32_t width;      /* bits of the next digit */
        uint32_t prefix;     /* the digits found so far */
        uint32_t need;       /* elements to find among those inside */
        uint32_t written;    /* elements of the row that earlier levels have placed */
        uint32_t above;      /* elements of this slice that are above `prefix` */
        radix_source source; /* where the elements inside are, perhaps among others */
        uint32_t listed;     /* entries of that list */
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
        find_border(l.width, l.need, p.blocks);
        border b;
        b.remaining = l.remaining - l.width;
        b.prefix = l.prefix << l.width | state()->border;
        b.row_above = state()->row_above;
        b.done = b.remaining == 0 || b.row_above + state()->row_inside == l.need;
        b.above_before = b.inside_before = 0;
        for (uint32_t r = 0; r < rank; r++) {
            b.above_before += cluster_shared(state(), r)->above;
            b.inside_before += cluster_shared(state(), r)->inside;
        }
        b.above = state()->above;
        b.inside = state()->inside;
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
        sync(p.blocks); /* everyone has read the state */
        if (threadIdx.x == 0)
            state()->above = l.above + b.above;
        sync(p.blocks);
        ordered_places<THREADS> places = {b.quota_before, 0, b.quota};
        for (uint32_t r = 0; r < rank; r++)
            places.next_place += cluster_shared(state(), r)->above;
        const typename slice::chunks s(begin + (size_t)first * BYTES, length);
        for (uint32_t c0 = 0; c0 < s.count; c0 += THREADS) {
            const uint32_t c = c0 + threadIdx.x, inside = s.valid(c);
            uint32_t words[4], of_rank[V], sure = 0, tie = 0;
            s.load(c, inside, words);
#pragma unroll
            for (int e = 0; e < (int)V; e++) {
                of_rank[e] = rank_of_bits<BYTES>(slice::element(words, e), a.order);
                const bool reaches = (inside >> e & 1) && of_rank[e] >= l.base;
                const uint32_t leading = (of_rank[e] - l.base) >> b.remaining;
                sure |= (uint32_t)(reaches && leading > b.prefix) << e;
                tie |= (uint32_t)(reaches && leading == b.prefix) << e;
            }
            places.template take<V>(sure, tie, scan(), [&](int e, uint32_t place) {
                this->write(place, of_rank[e], c * V + e - s.shift);
            });
        }
    }

    /* What a sweep does with a group: writes what is above the border, and on the last level the
     * quota of what is on it; counts the next digit of what is on it, and notes it in the list
     * `to`, if it has ranks. */
    template <int G, class Position>
    __device__ __forceinline__ void visit(const level &l, const border &b, uint32_t next_width,
                                          element_list to, const element_group<G> &g,
                                          Position position) const
    {
        const bool first_level = l.remaining == 8 * BYTES;
        uint32_t larger = 0, on = 0;
#pragma unroll
        for (int e = 0; e < G; e++) {
            const uint32_t digits = g.rank[e] - l.base, leading = digits >> b.remaining;
            const bool within =
                (g.valid >> e & 1) && (first_level || digits >> l.remaining == l.prefix);
            larger |= within && leading > b.prefix ? 1u << e : 0;
            on |= within && leading == b.prefix ? 1u << e : 0;
        }
        if (!__any_sync(~0u, larger | on))
            return;
        if (!p.deterministic) {
            uint32_t place = l.written + b.above_before +
                             take_places((uint32_t)__popc(larger), &state()->places);
            uint32_t tie = b.done ? take_places((uint32_t)__popc(on), &state()->ties) : b.quota;
#pragma unroll
            for (int e = 0; e < G; e++) {
                if (larger >> e & 1)
                    write(place++, g.rank[e], position(e));
                if ((on >> e & 1) && tie < b.quota)
                    write(l.written + b.row_above + b.quota_before + tie++, g.rank[e], position(e));
            }
        }
        if (b.done)
            return;
        uint32_t entry = to.ranks ? take_places((uint32_t)__popc(on), &state()->listed) : 0;
#pragma unroll
        for (int e = 0; e < G; e++)
            if (on >> e & 1) {
                if (to.ranks)
                    to.put(entry++, g.rank[e], position(e));
                slice::count((g.rank[e] - l.base) >> (b.remaining - next_width) &
                             ((1u << next_width) - 1));
            }
    }

    /* Calls visit(group, position) for all elements where those of the level are. */
    template <class Visit> __device__ __forceinline__ void sweep(const level &l, Visit visit) const
    {
        if (l.source == FROM_MEMORY)
            slice::sweep_memory(visit);
        else
            slice::sweep_list(l.source == FROM_LIST ? slice::list() : slice::short_one(), l.listed,
                              visit);
    }

    /* A rank that k elements reach most likely, and not many more: that of its place in a sample,
     * to two digits. */
    __device__ __forceinline__ uint32_t threshold_of_sample()
    {
        uint32_t sample[8], remaining = 8 * BYTES, prefix = 0, need = p.sample_rank;
        slice::draw_sample(sample);
#pragma unroll 1
        for (int level = 0; level < 2; level++) {
            const uint32_t width = smaller_of(p.bits, remaining), down = remaining - width;
#pragma unroll
            for (int e = 0; e < 8; e++)
                if (level == 0 || sample[e] >> remaining == prefix)
                    slice::count(sample[e] >> down & ((1u << width) - 1));
            find_border(width, need, 1);
            need -= state()->row_above;
            prefix = prefix << width | state()->border;
            remaining = down;
        }
        return prefix << remaining;
    }

    /* Lists the elements among which the k largest are. Returns false if there is no such list. */
    __device__ __forceinline__ bool fill_list(level &l)
    {
        if (p.whole)
            slice::list_slice();
        else
            slice::list_from(threshold_of_sample());
        sync(p.blocks);
        uint64_t total = 0;
        uint32_t lowest = ~0u, not_highest = ~0u;
        bool fits = true;
        for (uint32_t r = 0; r < p.blocks; r++) {
            const radix_state *of_block = p.blocks > 1 ? cluster_shared(state(), r) : state();
            total += of_block->listed;
            fits &= of_block->listed <= p.list;
            lowest = smaller_of(lowest, of_block->lowest);
            not_highest = smaller_of(not_highest, of_block->not_highest);
        }
        if (!fits || total < a.k) {
            if (a.reread && rank == 0 && threadIdx.x == 0)
                atomicAdd(a.reread, 1u);
            return false;
        }
        l.base = lowest;
        l.remaining = 1;
        while (l.remaining < 8 * BYTES && (~not_highest - lowest) >> l.remaining)
            l.remaining++;
        l.source = FROM_LIST;
        l.listed = state()->listed;
        return true;
    }

    __device__ __forceinline__ void run()
    {
        constexpr uint32_t all = 8 * BYTES;
        level l = {0, all, 0, 0, a.k, 0, 0, FROM_MEMORY, 0};
        slice::clear_counts();
        if (threadIdx.x == 0) {
            state()->listed = 0;
            state()->lowest = state()->not_highest = ~0u;
        }
        __syncthreads();
        if (p.whole || p.sample_rank)
            fill_list(l);
        l.width = smaller_of(p.bits, l.remaining);
        sweep(l, [&](const auto &g, auto position) {
            constexpr int G = sizeof g.rank / sizeof *g.rank;
            uint32_t digit[G];
            (void)position;
#pragma unroll
            for (int e = 0; e < G; e++)
                digit[e] = (g.rank[e] - l.base) >> (l.remaining - l.width);
            this->count_group(digit, g.valid);
        });
        for (;;) {
            const border b = border_of(l);
            if (p.deterministic && b.done) {
                write_in_order(l, b);
                break;
            }
            const uint32_t next_width = b.done ? 0 : smaller_of(p.bits, b.remaining);
            /* What stays inside goes to the next list, if it has room there. */
            const bool into_list =
                !b.done &&
                (l.source == FROM_MEMORY ? b.inside <= p.list
                                         : l.source == FROM_LIST && b.inside <= short_list);
            element_list to = l.source == FROM_MEMORY ? slice::list() : slice::short_one();
            to.ranks = into_list ? to.ranks : 0;
            sweep(l, [&](const auto &g, auto position) {
                this->visit(l, b, next_width, to, g, position);
            });
            if (b.done)
                break;
            l = {l.base,
                 b.remaining,
                 next_width,
                 b.prefix,
                 b.need,
                 l.written + b.row_above,
                 l.above + b.above,
                 !into_list                ? l.source
                 : l.source == FROM_MEMORY ? FROM_LIST
                                           : FROM_SHORT_LIST,
                 into_list ? b.inside : l.listed};
        }
        if (p.blocks > 1)
            cluster_sync(); /* no block leaves while another may read its shared memory */
    }
};

template <int BYTES, int THREADS>
__global__ void __launch_bounds__(THREADS, 1024 / THREADS) radix(exact_args a, radix_plan p)
{
    radix_block<BYTES, THREADS, exact_args>(a, p).run();
}

/* The same for rows of different lengths and for other outputs. */
template <int BYTES, int THREADS>
__global__ void __launch_bounds__(THREADS, 1024 / THREADS)
    radix_general(general_args of_all, radix_plan longest)
{
    const uint64_t row = blockIdx.x / longest.blocks;
    const general_args a = args_of_row<BYTES>(of_all, row);
    if (a.k > 0)
        radix_block<BYTES, THREADS, general_args>(a, plan_of_row<BYTES, THREADS>(a, longest)).run();
    if (blockIdx.x % longest.blocks == 0)
        write_rest<BYTES>(a, row);
}

/* ---- the plan */

constexpr uint32_t share = 8192; /* elements that a further block of a cluster pays for */
constexpr size_t list_bytes_most = 80 << 10; /* two blocks fit into a multiprocessor */

/* A row has one block if its list fits, or as many as make it fit. It has more if there are fewer
 * rows than multiprocessors. */
template <int BYTES, int THREADS>
enum rcm_gpu_status start(const general_args &a, const exact_options &options,
                          const device_limits &device, rcm_gpu_stream stream)
{
    constexpr uint32_t V = 16 / BYTES;
    radix_plan p = {};
    p.bits = options.bits;
    p.deterministic = options.deterministic;
    const size_t fixed = radix_slice<BYTES, THREADS, exact_args>::list_at * word_bytes;
    if (fixed + 2048 * sizeof(uint32_t) > device.shared_bytes)
        return RCM_GPU_BAD_TYPE;
    const uint32_t entries =
        (uint32_t)(smaller_of(device.shared_bytes - fixed, list_bytes_most) / sizeof(uint32_t));
    const auto s = sampling_of<double>(a.n, a.k, sample_of_row<THREADS>);
    const auto is_whole = [&](uint32_t blocks) {
        return ceil_divide(ceil_divide(a.n, blocks), V) * V <=
               smaller_of(whole_most<BYTES, THREADS>, entries);
    };
    const auto fits = [&](uint32_t blocks) {
        return is_whole(blocks) || list_holds(entries / 2, blocks, s.most);
    };
    p.blocks = 1;
    while (p.blocks * 2 <= device.cluster_max &&
           (!fits(p.blocks) || (a.m * p.blocks * 2 <= (uint64_t)device.multiprocessors &&
                                a.n >= p.blocks * 2 * share)))
        p.blocks *= 2;
    p.slice = ceil_divide(ceil_divide(a.n, p.blocks), V) * V;
    p.whole = is_whole(p.blocks);
    p.sample_rank = !p.whole && fits(p.blocks) ? s.rank : 0;
    /* No longer than it must be: the rest of the shared memory is cache. */
    p.list = p.whole ? smaller_of(p.slice, a.n) : entries / 2;
    if (p.sample_rank && p.blocks == 1)
        p.list = (uint32_t)s.most;
    /* A short row is listed whole, and the sampling of each row is in single precision. */
    if (a.general && !p.whole)
        p.list = smaller_of(std::max(p.list + p.list / 1024 + 1, whole_most<BYTES, THREADS> / 2),
                            entries / 2);
    if (a.m * p.blocks > INT32_MAX)
        return RCM_GPU_BAD_TYPE;
    const launch how = {(unsigned)(a.m * p.blocks), THREADS,
                        fixed + (size_t)p.list * (p.whole ? 1 : 2) * sizeof(uint32_t), p.blocks,
                        stream};
    return a.general ? run(how, radix_general<BYTES, THREADS>, a, p)
                     : run(how, radix<BYTES, THREADS>, a, p);
}

} // namespace

enum rcm_gpu_status exact_radix(const general_args &a, int bytes, const exact_options &options,
                                const device_limits &device, rcm_gpu_stream stream)
{
    /* Many rows that are not long: more and smaller blocks, so that some work while others wait.
     * The lengths are those of an H200. */
    const uint32_t long_row = bytes == 4 ? 1 << 17 : 4096;
    if (a.n <= 1024 || (a.n <= long_row && a.m > 2 * (uint64_t)device.multiprocessors))
        return bytes == 4 ? start<4, 256>(a, options, device, stream)
                          : start<2, 256>(a, options, device, stream);
    return bytes == 4 ? start<4, 512>(a, options, device, stream)
                      : start<2, 512>(a, options, device, stream);
}
