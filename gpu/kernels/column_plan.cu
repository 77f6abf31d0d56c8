/* column_plan.cu - how the `column` and `tile` kernels divide a call among blocks and threads.
 * docs/gpu.md, section 3, gives the rule.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "column.cuh"
#include "block_merge.cuh"

namespace
{

uint32_t greatest_common_divisor(uint32_t a, uint32_t b)
{
    return b ? greatest_common_divisor(b, a % b) : a;
}

/* A column should see at least 16 KB elements, or most of them are inserted. Where that leaves less
 * than 512 threads for each multiprocessor, half or a quarter of them, but 8. */
template <int BYTES, int KB> struct column_planner {
    typedef tuning<BYTES, KB, plain_body<KB>> plain;
    static constexpr uint32_t C = plain::C;

    const stage1_args &a;
    const device_limits &device;
    column_plan &p;
    const uint32_t buckets, length; /* of a segment */
    uint64_t wanted_blocks;
    uint32_t unit;        /* replicas come in multiples of it, so that P is a multiple of C */
    bool few;             /* are there fewer blocks than wanted if each takes whole rows? */
    uint32_t threads;     /* of a block, at most */
    uint64_t floor_steps; /* elements that a column should see */
    uint64_t splits;

    column_planner(const stage1_args &args, const device_limits &limits, column_plan &plan)
        : a(args), device(limits), p(plan), buckets(p.buckets), length(a.contiguous ? a.size : a.n)
    {
        wanted_blocks = 2 * (uint64_t)device.multiprocessors;
        unit = C / greatest_common_divisor(buckets, C);
        few = p.segments * ceil_divide<uint64_t>((uint64_t)buckets * unit, plain::threads * C) <
              wanted_blocks;
        threads = plain::threads;
        floor_steps = 16 * KB;
        const uint64_t elements = p.segments * length,
                       threads_wanted = 512 * device.multiprocessors;
        while (floor_steps > std::max(8, 4 * KB) && elements < threads_wanted * C * floor_steps)
            floor_steps /= 2;
        splits = 1;
    }

    /* Long columns: testing an element before it is inserted saves time. */
    void choose_body()
    {
        p.append = KB >= 8 && !few && length / buckets >= 32 * KB;
        if constexpr (KB >= 8)
            if (p.append) {
                threads = tuning<BYTES, KB, by_append>::threads;
                floor_steps = 32 * KB;
            }
    }

    /* Strips as wide as a block can hold. With too few blocks they become narrower, but not below
     * 64 bytes: a block merges in its shared memory. With still too few, the steps are shared. */
    void choose_strips()
    {
        const uint32_t most_buckets = unit > 1 ? (threads / unit - 1) * C : threads * C;
        uint32_t strips =
            (uint64_t)buckets * unit <= threads * C ? 1 : ceil_divide(buckets, most_buckets);
        if (few) {
            const uint64_t lines = ceil_divide<uint64_t>((uint64_t)buckets * BYTES, 64);
            const uint64_t more = smaller_of(ceil_divide(4 * wanted_blocks, p.segments), lines);
            strips = more > strips ? (uint32_t)more : strips;
            const uint64_t most = length / ((uint64_t)buckets * unit * floor_steps);
            const uint64_t wanted =
                smaller_of<uint64_t>(8, ceil_divide<uint64_t>(wanted_blocks, p.segments * strips));
            splits = smaller_of(wanted, most > 1 ? most : 1);
        }
        p.strip = strips == 1 ? buckets : ceil_divide(ceil_divide(buckets, strips), C) * C;
        p.strips = ceil_divide(buckets, p.strip);
        if (p.strips == 1)
            p.strip = buckets;
    }

    /* As many replicas of the buckets as the threads hold and columns of floor_steps allow. */
    void choose_replicas()
    {
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
    }

    /* More splits where a step would outgrow its bits in an entry. */
    void choose_splits()
    {
        const uint32_t steps = length / p.columns;
        splits =
            std::max<uint64_t>(splits, ceil_divide<uint64_t>(steps, reader<BYTES>::max_step - 2));
        p.splits = (uint32_t)splits;
        p.split_steps = ceil_divide<uint32_t>(steps > 1 ? steps : 1, p.splits);
        p.in_cluster = p.splits > 1 && p.splits <= device.cluster_max;
    }

    /* Small rows: as many of them in a block as its threads hold. */
    void choose_rows()
    {
        p.rows = 1;
        if (p.strips == 1 && p.splits == 1) {
            uint64_t rows =
                smaller_of<uint64_t>(threads / p.lanes, ceil_divide(p.segments, wanted_blocks));
            p.rows = rows > 1 ? (uint32_t)rows : 1;
        }
    }

    void set_sizes()
    {
        p.threads = ceil_divide(p.rows * p.groups * p.lanes, 32u) * 32;
        p.blocks = ceil_divide<uint64_t>(p.segments, p.rows) * p.strips * p.splits;
        p.shared_bytes = temp_storage_bytes(p.rows, p.replicas, p.strip, KB) + 16;
        if constexpr (KB >= 8)
            if (p.append)
                p.shared_bytes = std::max(p.shared_bytes, append_buffer<BYTES, KB>::bytes);
        p.workspace_bytes = 0;
        if (p.splits > 1 && !p.in_cluster)
            p.workspace_bytes = round_up<size_t>(p.blocks / p.splits * sizeof(uint32_t), 256) +
                                p.blocks * p.strip * KB * sizeof(candidate);
    }

    void plan()
    {
        choose_body();
        choose_strips();
        choose_replicas();
        choose_splits();
        choose_rows();
        set_sizes();
    }
};

/* Contiguous buckets too short for 16 lanes and more of their own go through shared memory. */
template <int BYTES, int KB> void plan_tile(const stage1_args &a, column_plan &p)
{
    constexpr uint32_t threads = tile_threads<BYTES, KB>, tile = tile_elements<BYTES>;
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
    p.buckets = a.b;
    p.blocks = a.m * p.strips;
    p.shared_bytes = tile_bytes(a, strip, BYTES) + temp_storage_bytes(1, p.replicas, strip, KB);
    p.workspace_bytes = 0;
}

template <int BYTES, int KB>
void plan_for(const stage1_args &a, const device_limits &device, column_plan &p)
{
    if (a.contiguous && a.size < std::max(256u, 64u * KB))
        plan_tile<BYTES, KB>(a, p);
    else
        column_planner<BYTES, KB>(a, device, p).plan();
}

} // namespace

column_plan plan_column(const stage1_args &a, int bytes, const device_limits &device)
{
    column_plan p = {};
    p.segments = a.contiguous ? a.m * a.b : a.m;
    p.buckets = a.contiguous ? 1 : a.b;
    with_queue_length(a.k_b, [&](auto kb) {
        bytes == 4 ? plan_for<4, kb()>(a, device, p) : plan_for<2, kb()>(a, device, p);
        return RCM_GPU_OK;
    });
    return p;
}
