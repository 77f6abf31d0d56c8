/* radix_block.cuh - what a block of exact_radix.cu does with a row, whose head says how.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_RADIX_BLOCK_CUH
#define RCM_RADIX_BLOCK_CUH

#include "radix_row.cuh"

constexpr uint32_t cluster_most = 8; /* blocks */

enum radix_source { FROM_MEMORY, FROM_LIST, FROM_MEETING };

/* What is left of a row after some digits: the `need` best of elements that agree in all but the
 * last `remaining` bits of rank - base. None if `done`. */
struct radix_rest {
    uint32_t need, base, remaining, entries;
    bool done, in_short_list;
};

/* What a row seldom needs is compiled apart, so that the usual way has the registers. */
template <int BYTES, int THREADS, class Args, bool IN_ORDER>
OUT_OF_LINE void call_fill_between(const Args *a, const radix_plan *p, radix_task task,
                                   uint32_t seed);
template <int BYTES, int THREADS, class Args, bool IN_ORDER>
OUT_OF_LINE radix_rest call_narrow(const Args *a, const radix_plan *p, radix_task task,
                                   radix_source from, radix_rest of);

template <int BYTES, int THREADS, class Args, bool IN_ORDER>
struct radix_block : radix_row<BYTES, THREADS, Args> {
    typedef radix_row<BYTES, THREADS, Args> of_row;
    using of_row::a, of_row::p, of_row::n, of_row::k, of_row::labels, of_row::way, of_row::row,
        of_row::rank, of_row::blocks, of_row::begin, of_row::V, of_row::state, of_row::counts,
        of_row::scan, of_row::list, of_row::short_one, of_row::sync, of_row::bits_of_digit,
        of_row::find_border;
    typedef typename of_row::border border;
    static constexpr uint32_t all_bits = 8 * BYTES, sample_of_row = THREADS * 8;

    using of_row::of_row;

    /* The state of the first block, which counts for all. */
    __device__ __forceinline__ radix_state *state_of_row() const
    {
        return blocks > 1 ? cluster_shared(state(), 0) : state();
    }
    __device__ __forceinline__ void reset() const
    {
        if (threadIdx.x == 0) {
            state()->listed = state()->places = state()->ties = state()->kept = 0;
            state()->lowest = state()->not_highest = ~0u;
            state()->kth = 0; /* with no ties */
        }
    }
    __device__ __forceinline__ void write(uint32_t to, uint32_t of_rank, uint32_t index) const
    {
        write_labelled<BYTES>(
            a, row, to, bits_of_key<BYTES>(key_of_rank<BYTES>(of_rank), a.order, begin, index),
            labels ? labels[row * a.stride + index] : (int32_t)index);
    }

    /* ---- the bounds */

    /* The places of the sample: of a piece of this thread. `part` elements are a piece. */
    __device__ __forceinline__ uint32_t place_of(uint32_t piece, uint32_t part, uint32_t seed) const
    {
        const uint32_t log2_pieces = 31 - (uint32_t)__clz((int)(sample_of_row / part)),
                       shift = (uint32_t)((uintptr_t)begin % (part * BYTES)) / BYTES,
                       whole = (shift + n + part - 1) / part - 2;
        return 1 + rcm_gpu_sample_place(piece * THREADS + threadIdx.x, log2_pieces, whole, seed);
    }
    /* The ranks of the sample. */
    template <int P>
    __device__ __forceinline__ void draw(uint32_t seed, uint32_t (&sample)[8]) const
    {
        const unsigned char *base = begin - (uintptr_t)begin % (P * BYTES);
#pragma unroll
        for (uint32_t u = 0; u < 8 / P; u++) {
            const uint32_t at = place_of(u, P, seed);
            uint32_t words[4];
            if (P == V)
                load_16(base + (size_t)at * 16, words);
            else
                words[0] = read_bits<4>(base, at);
#pragma unroll
            for (uint32_t e = 0; e < P; e++)
                sample[u * P + e] = rank_of_bits<BYTES>(element<BYTES>(words, e), a.order);
        }
    }
    __device__ __forceinline__ void draw(uint32_t seed, uint32_t (&sample)[8]) const
    {
        if (way.part == V)
            draw<V>(seed, sample);
        else
            draw<4 / BYTES>(seed, sample);
    }

    /* A bound that so many elements of the sample reach, and perhaps some more, or some fewer if
     * HIGH. Digits of ranks are looked at first, then those of the complements of positions, until
     * it is good enough. */
    template <bool HIGH>
    __device__ __forceinline__ bound bound_of(const uint32_t (&sample)[8], uint32_t of_rank,
                                              uint32_t seed)
    {
        const uint32_t slack = radix_slack(of_rank);
        uint32_t key[8], valid = 0xff, prefix = 0, remaining = all_bits, need = of_rank,
                         rank_found = 0;
        bool of_positions = false;
#pragma unroll
        for (int e = 0; e < 8; e++)
            key[e] = sample[e];
#pragma unroll 1
        for (;;) {
            const uint32_t width = smaller_of(bits_of_digit(), remaining), down = remaining - width;
#pragma unroll
            for (int e = 0; e < 8; e++)
                if (valid >> e & 1)
                    this->count(key[e] >> down & ((1u << width) - 1));
            const border b = find_border(width, need);
            need -= b.above;
            prefix = prefix << width | b.digit;
            remaining = down;
            const bool enough = (HIGH ? need : b.inside - need) <= slack;
            const uint32_t reached = HIGH ? (prefix + 1) << remaining : prefix << remaining;
            if (enough && !of_positions)
                return HIGH ? bound{reached - 1, 0} : bound{reached, ~0u};
            if (of_positions && (enough || remaining == 0))
                return {rank_found, 0 - reached};
#pragma unroll
            for (int e = 0; e < 8; e++)
                if (key[e] >> remaining != prefix)
                    valid &= ~(1u << e);
            if (remaining == 0) {
                rank_found = prefix;
                of_positions = true;
                prefix = 0;
                remaining = 32;
#pragma unroll
                for (uint32_t e = 0; e < 8; e++) {
                    const uint32_t part = way.part, at = place_of(e / part, part, seed);
                    key[e] = ~(at * part + e % part -
                               (uint32_t)((uintptr_t)begin % (part * BYTES)) / BYTES);
                }
            }
        }
    }

    /* ---- the lists */

    /* Writes the elements that reach `high`, and lists those that do not, but reach `low`. (With
     * IN_ORDER it counts the former.) */
    __device__ __forceinline__ void list_between(bound low, bound high) const
    {
        uint32_t lowest = ~0u, highest = 0;
        this->sweep_memory([&](const auto &g, auto position) {
            uint32_t above = 0, between = 0, ties = 0;
#pragma unroll
            for (int e = 0; e < 8; e++) {
                const auto reaches = [&](bound b) {
                    return g.rank[e] > b.rank || (g.rank[e] == b.rank && position(e) < b.end);
                };
                if ((g.valid >> e & 1) && reaches(low))
                    (reaches(high) ? above : between) |= 1u << e;
                ties |= (uint32_t)(g.rank[e] == high.rank) << e;
            }
            if (IN_ORDER)
                take_places((uint32_t)__popc(above & ties), &state_of_row()->ties);
            uint32_t place = take_places((uint32_t)__popc(above), &state_of_row()->places),
                     entry = take_places((uint32_t)__popc(between), &state()->listed);
#pragma unroll
            for (int e = 0; e < 8; e++) {
                if (!IN_ORDER && (above >> e & 1) && place < k)
                    write(place++, g.rank[e], position(e));
                if (between >> e & 1) {
                    lowest = smaller_of(lowest, g.rank[e]);
                    highest = g.rank[e] > highest ? g.rank[e] : highest;
                    if (entry < p.list)
                        list().put(entry, g.rank[e], position(e));
                    entry++;
                }
            }
        });
        this->note_range(lowest, highest);
        if (IN_ORDER && rank == 0 && threadIdx.x == 0)
            state()->kth = high.rank;
    }
    /* Notes the k-th rank, and that `need` of the elements that have it are results, with those
     * that are among the ones above a bound. */
    __device__ __forceinline__ void note_kth(uint32_t kth, uint32_t need) const
    {
        state()->quota = need + (state()->kth == kth ? state()->ties : 0);
        state()->kth = kth;
    }

    __device__ __forceinline__ void fill_between(uint32_t seed)
    {
        uint32_t sample[8];
        bound low = {0, ~0u};
        sync(); /* block 0 counts from 0 before others add to it */
        draw(seed, sample);
        if (way.low_rank)
            low = bound_of<false>(sample, way.low_rank, seed);
        list_between(low, bound_of<true>(sample, way.high_rank, seed));
    }
    /* The pass over the row that lists elements. */
    __device__ __forceinline__ void fill_list(uint32_t attempt)
    {
        const uint32_t seed = rcm_gpu_sample_seed(p.seed, row, attempt);
        if (way.way == LIST_BETWEEN) {
            call_fill_between<BYTES, THREADS, Args, IN_ORDER>(&a, &p, *this, seed);
            return;
        }
        bound low = {0, ~0u};
        if (way.way == LIST_SAMPLED) {
            uint32_t sample[8];
            draw(seed, sample);
            low = bound_of<false>(sample, way.low_rank, seed);
        }
        this->list_from(low);
    }

    /* What the lists of all blocks hold, and how many elements were above them. */
    struct lists {
        uint32_t total, above, lowest, highest;
        bool fit;
        __device__ __forceinline__ bool have(uint32_t needed) const
        {
            return fit && above < needed && total >= needed - above;
        }
    };
    __device__ __forceinline__ lists look_at_lists() const
    {
        lists l = {0, 0, ~0u, 0, true};
        uint32_t not_highest = ~0u;
        sync();
#pragma unroll
        for (uint32_t r = 0; r < cluster_most; r++) /* so that all is read at once */
            if (r < blocks) {
                const radix_state *of = blocks > 1 ? cluster_shared(state(), r) : state();
                l.total += of->listed;
                l.fit &= of->listed <= p.list;
                l.lowest = smaller_of(l.lowest, of->lowest);
                not_highest = smaller_of(not_highest, of->not_highest);
            }
        l.highest = ~not_highest;
        l.above = state_of_row()->places;
        return l;
    }

    /* Collects the lists of all blocks, or what they have kept of them, in the list of block 0. */
    __device__ __forceinline__ void collect(element_list from, bool kept) const
    {
        uint32_t at = 0;
#pragma unroll
        for (uint32_t r = 0; r < cluster_most; r++)
            if (r < rank) {
                const radix_state *of = cluster_shared(state(), r);
                at += kept ? of->kept : of->listed;
            }
        const uint32_t mine = kept ? state()->kept : state()->listed;
        uint32_t *ranks = shared_word(list().ranks), *positions = shared_word(list().positions);
        if (blocks > 1) {
            ranks = cluster_shared(ranks, 0);
            positions = cluster_shared(positions, 0);
        }
        if (rank > 0 || from.ranks != list().ranks)
            for (uint32_t i = threadIdx.x; i < mine; i += THREADS) {
                ranks[at + i] = *shared_word(from.ranks + i);
                positions[at + i] = *shared_word(from.positions + i);
            }
        sync();
    }

    /* Adds the list of this block to that of the row in the workspace. Returns true in the last
     * block to come, which goes on alone, with what the lists hold in `found`. */
    __device__ __forceinline__ bool meet(lists &found)
    {
        radix_meeting *m = p.meetings + row;
        __syncthreads();
        const uint32_t mine = state()->listed;
        if (threadIdx.x == 0) {
            const uint32_t at = atomicAdd(&m->listed, mine);
            if (mine > p.list || at + mine > p.met_entries)
                atomicAdd(&m->overflowed, 1u);
            atomicMax(&m->not_lowest, ~state()->lowest);
            atomicMax(&m->highest, ~state()->not_highest);
            state()->digit = at;
        }
        __syncthreads();
        const uint32_t at = state()->digit;
        uint32_t *ranks = p.met + row * 2 * p.met_entries, *positions = ranks + p.met_entries;
        for (uint32_t i = threadIdx.x; i < smaller_of(mine, p.list); i += THREADS)
            if (at + i < p.met_entries) {
                ranks[at + i] = *shared_word(list().ranks + i);
                positions[at + i] = *shared_word(list().positions + i);
            }
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            state()->inside = atomicAdd(&m->arrived, 1u) == blocks - 1;
        __syncthreads();
        if (!state()->inside)
            return false;
        __threadfence();
        rank = 0;
        blocks = 1;
        found = {m->listed, 0, ~m->not_lowest, m->highest, m->overflowed == 0};
        if (found.fit && found.total <= p.list) {
            for (uint32_t i = threadIdx.x; i < found.total; i += THREADS)
                list().put(i, ranks[i], positions[i]);
            __syncthreads();
        }
        return true;
    }

    /* ---- digits */

    /* Finds digits of the elements of `from` until those on the border fit into a list, into which
     * they go. All blocks of the row call it. `of.entries`: of this block's list. */
    __device__ __forceinline__ radix_rest narrow(radix_source from, const radix_rest &of) const
    {
        const uint32_t base = of.base, bits = of.remaining;
        const uint32_t *ranks = shared_word(list().ranks),
                       *positions = shared_word(list().positions);
        if (from == FROM_MEETING) {
            ranks = p.met + row * 2 * p.met_entries;
            positions = ranks + p.met_entries;
        }
        const auto sweep = [&](auto visit) {
            if (from == FROM_MEMORY)
                this->sweep_memory(visit);
            else
                this->sweep_entries(ranks, positions, of.entries, visit);
        };
        const uint32_t room = from == FROM_MEMORY ? p.list : smaller_of(short_list, p.list);
        uint32_t prefix = 0, remaining = bits, need = of.need;
        border b;
        do {
            const uint32_t width = smaller_of(bits_of_digit(), remaining), down = remaining - width;
            sweep([&](const auto &g, auto) {
                constexpr int G = sizeof g.rank / sizeof *g.rank;
                uint32_t digit[G], within = 0;
#pragma unroll
                for (int e = 0; e < G; e++) {
                    const uint32_t digits = g.rank[e] - base;
                    digit[e] = digits >> down & ((1u << width) - 1);
                    if ((g.valid >> e & 1) && (remaining == bits || digits >> remaining == prefix))
                        within |= 1u << e;
                }
                this->count_group(digit, within);
            });
            b = this->find_border_of_row(width, need);
            need -= b.above;
            prefix = prefix << width | b.digit;
            remaining = down;
        } while (remaining > 0 && b.inside > room && (IN_ORDER || b.inside != need));
        const bool done = remaining == 0 || (!IN_ORDER && b.inside == need);
        const element_list to = from == FROM_MEMORY ? list() : short_one();
        if (!done || !IN_ORDER)
            sweep([&](const auto &g, auto position) {
                this->part(g, position, base, remaining, prefix, need, done, to);
            });
        if (done && IN_ORDER && rank == 0 && threadIdx.x == 0)
            note_kth(base + prefix, need);
        sync();
        return {need, base + (prefix << remaining), remaining, b.inside, done, from != FROM_MEMORY};
    }
    /* Writes what is above the border, and what is on it if that is `done`, or keeps it. */
    template <class Group, class Position>
    __device__ __forceinline__ void part(const Group &g, Position position, uint32_t base,
                                         uint32_t remaining, uint32_t prefix, uint32_t need,
                                         bool done, element_list to) const
    {
        constexpr int G = sizeof g.rank / sizeof *g.rank;
        uint32_t larger = 0, on = 0;
#pragma unroll
        for (int e = 0; e < G; e++) {
            const uint32_t leading = (g.rank[e] - base) >> remaining;
            larger |= (g.valid >> e & 1) && leading > prefix ? 1u << e : 0;
            on |= (g.valid >> e & 1) && leading == prefix ? 1u << e : 0;
        }
        if (!__any_sync(~0u, larger | on))
            return;
        uint32_t place = 0;
        if (!IN_ORDER)
            place = take_places((uint32_t)__popc(larger), &state_of_row()->places);
        uint32_t entry =
            take_places((uint32_t)__popc(on), done ? &state_of_row()->ties : &state()->kept);
#pragma unroll
        for (int e = 0; e < G; e++) {
            uint32_t target = larger >> e & 1 ? place++ : k;
            if (on >> e & 1) {
                if (!done)
                    to.put(entry, g.rank[e], position(e));
                else if (entry < need)
                    target = k - need + entry;
                entry++;
            }
            if (!IN_ORDER && target < k)
                write(target, g.rank[e], position(e));
        }
    }

    /* Selects from the list of this block, alone, and writes; with IN_ORDER it notes the k-th. */
    __device__ __forceinline__ void select(const radix_rest &of) const
    {
        const uint32_t base = of.base, bits = of.remaining;
        element_list from = list();
        uint32_t entries = of.entries, need = of.need;
        uint32_t prefix = 0, remaining = bits, width = smaller_of(bits_of_digit(), bits);
        this->sweep_list(from, entries, [&](const auto &g, auto) {
            uint32_t digit[4];
#pragma unroll
            for (int e = 0; e < 4; e++)
                digit[e] = (g.rank[e] - base) >> (bits - width);
            this->count_group(digit, g.valid);
        });
#pragma unroll 1
        for (;;) {
            const border b = find_border(width, need);
            const uint32_t down = remaining - width, border_prefix = prefix << width | b.digit,
                           next = smaller_of(bits_of_digit(), down);
            need -= b.above;
            const bool done = down == 0 || (!IN_ORDER && b.inside == need),
                       keeps = !done && from.ranks == list().ranks && b.inside <= short_list,
                       few = keeps && b.inside <= 32;
            const element_list to = short_one();
            this->sweep_list(from, entries, [&](const auto &g, auto position) {
                uint32_t larger = 0, on = 0;
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    const uint32_t digits = g.rank[e] - base, leading = digits >> down;
                    const bool within =
                        (g.valid >> e & 1) && (remaining == bits || digits >> remaining == prefix);
                    larger |= within && leading > border_prefix ? 1u << e : 0;
                    on |= within && leading == border_prefix ? 1u << e : 0;
                }
                if (IN_ORDER ? done : !__any_sync(~0u, larger | on))
                    return;
                uint32_t place = 0, entry = 0;
                if (!IN_ORDER)
                    place = take_places((uint32_t)__popc(larger), &state()->places);
                if (done || keeps)
                    entry =
                        take_places((uint32_t)__popc(on), done ? &state()->ties : &state()->kept);
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    uint32_t target = larger >> e & 1 ? place++ : k;
                    if (on >> e & 1) {
                        if (keeps)
                            to.put(entry, g.rank[e], position(e));
                        if (done && entry < need)
                            target = k - need + entry;
                        entry++;
                        if (!done && !few)
                            this->count((g.rank[e] - base) >> (down - next) & ((1u << next) - 1));
                    }
                    if (!IN_ORDER && target < k)
                        write(target, g.rank[e], position(e));
                }
            });
            if (done) {
                if (IN_ORDER && threadIdx.x == 0)
                    note_kth(base + border_prefix, need);
                return;
            }
            if (keeps) {
                from = to;
                entries = b.inside;
            }
            if (few)
                break;
            prefix = border_prefix;
            remaining = down;
            width = next;
        }
        __syncthreads();
        compare_all(entries, need);
    }
    /* The same for up to 32 entries of the short list: a lane for each. */
    __device__ __forceinline__ void compare_all(uint32_t entries, uint32_t need) const
    {
        if (threadIdx.x >= 32)
            return;
        const bool mine = threadIdx.x < entries;
        const element_list from = short_one();
        const uint32_t of_rank = mine ? *shared_word(from.ranks + threadIdx.x) : 0;
        uint32_t better = 0, larger = 0;
        for (uint32_t i = 0; i < entries; i++) {
            const uint32_t other = __shfl_sync(~0u, of_rank, (int)i);
            better += other > of_rank || (other == of_rank && i < threadIdx.x);
            larger += other > of_rank;
        }
        if (!IN_ORDER && mine && better < need)
            write(k - need + better, of_rank, *shared_word(from.positions + threadIdx.x));
        if (IN_ORDER && mine && better == need - 1)
            note_kth(of_rank, need - larger);
    }

    /* ---- in order */

    /* Writes what is above the k-th rank, and the quota of those that have it, in the order of
     * their positions. Each block has neighbouring elements, and needs the counts of those before
     * them. */
    __device__ __forceinline__ void write_in_order() const
    {
        sync();
        const uint32_t kth = state_of_row()->kth, quota = state_of_row()->quota;
        const chunks_of_row<BYTES> s(begin, n);
        const uint32_t share = ceil_divide(s.count, blocks), first = rank * share,
                       end = smaller_of(first + share, s.count);
        const auto for_each = [&](auto visit) {
            for (uint32_t c0 = first; c0 < end; c0 += THREADS) {
                const uint32_t c = c0 + threadIdx.x, inside = c < end ? s.valid(c) : 0;
                uint32_t words[4], of_rank[V], sure = 0, tie = 0;
                s.load(c, inside, words);
#pragma unroll
                for (int e = 0; e < (int)V; e++) {
                    of_rank[e] = rank_of_bits<BYTES>(element<BYTES>(words, e), a.order);
                    sure |= (uint32_t)((inside >> e & 1) && of_rank[e] > kth) << e;
                    tie |= (uint32_t)((inside >> e & 1) && of_rank[e] == kth) << e;
                }
                visit(sure, tie, of_rank, c * V - s.shift);
            }
        };
        ordered_places<THREADS> places = {0, 0, quota};
        if (blocks > 1) {
            if (threadIdx.x == 0)
                state()->listed = state()->kept = 0;
            __syncthreads();
            for_each([&](uint32_t sure, uint32_t tie, const uint32_t(&)[V], uint32_t) {
                take_places((uint32_t)__popc(sure), &state()->listed);
                take_places((uint32_t)__popc(tie), &state()->kept);
            });
            cluster_sync();
            for (uint32_t r = 0; r < rank; r++) {
                places.next_place += cluster_shared(state(), r)->listed;
                places.ties += cluster_shared(state(), r)->kept;
            }
        }
        for_each([&](uint32_t sure, uint32_t tie, const uint32_t(&of_rank)[V], uint32_t position) {
            places.template take<(int)V>(sure, tie, scan(), [&](int e, uint32_t place) {
                this->write(place, of_rank[e], position + e);
            });
        });
        if (blocks > 1)
            cluster_sync(); /* no block leaves while another may read its shared memory */
    }

    /* ---- all of it */

    /* Lists what the k largest are among. Returns where they are, or false. */
    __device__ __forceinline__ bool list_row(radix_rest &rest, radix_source &from)
    {
        /* Only lists of what reaches a bound are made by all blocks of the GPU. */
        const bool meeting = p.meetings && way.way <= LIST_SAMPLED;
        if (p.meetings && !meeting)
            blocks = 1;
        if (rank >= blocks)
            return true;
#pragma unroll 1
        for (uint32_t attempt = way.way == BY_DIGITS ? 2 : 0; attempt < 2; attempt++) {
            const bool meets = meeting && attempt == 0;
            lists l;
            fill_list(attempt);
            if (!meets)
                l = look_at_lists();
            else if (!meet(l))
                return true;
            if (l.have(k)) {
                const uint32_t range = l.highest - l.lowest;
                rest = {k - l.above, l.lowest, range ? 32 - (uint32_t)__clz((int)range) : 1,
                        l.total,     false,    false};
                from = meets ? FROM_MEETING : FROM_LIST;
                return true;
            }
            if (a.reread && attempt == 0 && rank == 0 && threadIdx.x == 0)
                atomicAdd(a.reread, 1u);
            sync(); /* all have read the states */
            reset();
            sync();
            if (way.most > (float)p.list && blocks == 1)
                break; /* it was the list of many blocks */
        }
        return false;
    }
    __device__ __forceinline__ void find()
    {
        radix_rest rest = {0, 0, 0, 0, true, false};
        radix_source from = FROM_LIST;
        this->clear_counts(bits_of_digit());
        reset();
        __syncthreads();
        if (!list_row(rest, from)) {
            rest = {k, 0, all_bits, 0, false, false};
            from = FROM_MEMORY;
        }
        const bool narrows = !rest.done && (from == FROM_MEMORY || rest.entries > p.list);
        if (narrows) {
            if (from == FROM_LIST)
                rest.entries = state()->listed;
            rest = call_narrow<BYTES, THREADS, Args, IN_ORDER>(&a, &p, *this, from, rest);
        }
        if (rest.done)
            return;
        if (blocks > 1 || rest.in_short_list)
            collect(rest.in_short_list ? short_one() : list(), narrows);
        if (rank > 0)
            return;
        if (narrows) {
            __syncthreads();
            if (threadIdx.x == 0)
                state()->kept = 0;
            __syncthreads();
        }
        select(rest);
    }
    __device__ __forceinline__ void run()
    {
        find();
        if (IN_ORDER)
            write_in_order();
    }
};

template <int BYTES, int THREADS, class Args, bool IN_ORDER>
OUT_OF_LINE void call_fill_between(const Args *a, const radix_plan *p, radix_task task,
                                   uint32_t seed)
{
    radix_block<BYTES, THREADS, Args, IN_ORDER>(*a, *p, task).fill_between(seed);
}
template <int BYTES, int THREADS, class Args, bool IN_ORDER>
OUT_OF_LINE radix_rest call_narrow(const Args *a, const radix_plan *p, radix_task task,
                                   radix_source from, radix_rest of)
{
    return radix_block<BYTES, THREADS, Args, IN_ORDER>(*a, *p, task).narrow(from, of);
}

#endif
