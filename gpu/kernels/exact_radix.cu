/* exact_radix.cu - exact top-k by a list of the largest elements and by digits, the most
 * significant first.
 *
 * A short row is read into a list in shared memory. Of a long one, a sample says a bound that a
 * little more than k elements reach, most likely, and one pass over the row lists these. Where k is
 * so large that no list holds them, a second bound says which elements are results for sure: the
 * pass writes these, and lists those between. If the pass shows that a bound was wrong, another
 * sample is taken; if that misleads too, digits are counted in memory until the rest fits.
 *
 * Then the digits of the list are counted, the most significant first. The border is the digit at
 * which the count from above reaches the number that is still needed. Elements with larger digits
 * are results, those on the border are looked at again. After the last digit these are equal, and
 * as many are taken as are still needed. Where few are left, each is compared with all of them.
 *
 * Blocks of a cluster read a row in turns. Block 0 collects their lists, in its shared memory, and
 * goes on alone. Of a few very long rows all blocks of the GPU list a part, in the workspace, and
 * the last block to be ready goes on.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "radix_block.cuh"

namespace
{

template <int BYTES, int THREADS>
__global__ void __launch_bounds__(THREADS, 1024 / THREADS)
    radix(GRID_CONSTANT const exact_args a, GRID_CONSTANT const radix_plan p)
{
    const uint64_t row = blockIdx.x / p.blocks;
    const radix_task task = {
        row,     a.n, a.k, a.x + row * a.stride * BYTES, a.labels, p.row, blockIdx.x % p.blocks,
        p.blocks};
    radix_block<BYTES, THREADS, exact_args, false>(a, p, task).run();
}

/* The same for rows of different lengths, for other outputs, and in order. */
template <int BYTES, int THREADS, bool IN_ORDER>
__global__ void __launch_bounds__(THREADS, 1024 / THREADS)
    radix_general(GRID_CONSTANT const general_args of_all, GRID_CONSTANT const radix_plan longest)
{
    const uint64_t row = blockIdx.x / longest.blocks;
    const uint32_t rank = blockIdx.x % longest.blocks;
    const general_args a = args_of_row<BYTES>(of_all, row);
    if (a.k > 0) {
        const radix_task task = {row,      a.n,
                                 a.k,      a.x + row * a.stride * BYTES,
                                 a.labels, way_of_row<BYTES>(a.n, a.k, THREADS * 8, longest),
                                 rank,     longest.blocks};
        radix_block<BYTES, THREADS, general_args, IN_ORDER>(of_all, longest, task).run();
    }
    if (rank == 0)
        write_rest<BYTES>(a, row);
}

/* ---- the plan */

constexpr uint32_t share = 8192; /* elements that a further block of a cluster pays for */
constexpr size_t list_bytes_usual = 80 << 10; /* two blocks fit into a multiprocessor */
/* A row so long, in so few rows, is read by the whole GPU. A block with less is not worth it. */
constexpr uint32_t very_long = 1 << 19, blocks_of_grid_least = 16, met_entries_most = 1 << 18;

/* A row has one block, or as many as make its list fit. It has more if there are fewer rows than
 * multiprocessors. */
template <int BYTES, int THREADS>
enum rcm_gpu_status plan_of(const general_args &a, const exact_options &options,
                            const device_limits &device, radix_plan &p)
{
    constexpr uint32_t sample = THREADS * 8;
    const size_t fixed = radix_row<BYTES, THREADS, exact_args>::list_at * word_bytes;
    if (fixed + 2048 * sizeof(uint32_t) > device.shared_bytes)
        return RCM_GPU_BAD_TYPE;
    const uint32_t entries_most =
        (uint32_t)((device.shared_bytes - fixed) / (2 * sizeof(uint32_t)));
    uint32_t entries = smaller_of(entries_most, (uint32_t)(list_bytes_usual / 8));
    const uint32_t multiprocessors = (uint32_t)device.multiprocessors;
    const auto set_way = [&] { p.row = radix_way_of(a.n, a.k, sample, BYTES, entries, p.blocks); };
    p = {};
    p.bits = options.bits;
    p.blocks = 1;
    for (set_way(); p.row.way == BY_DIGITS && p.blocks * 2 <= device.cluster_max; set_way())
        p.blocks *= 2;
    if (p.row.way == BY_DIGITS) {
        entries = entries_most;
        set_way();
    }
    if (p.row.way == BY_DIGITS)
        p.blocks = 1;
    while (p.blocks * 2 <= device.cluster_max && a.m * p.blocks * 2 <= multiprocessors &&
           a.n >= p.blocks * 2 * share)
        p.blocks *= 2;
    set_way();
    p.list = entries;
    if (p.row.most > 0 && p.row.most < (float)entries) /* the rest of the memory is cache */
        p.list = (uint32_t)p.row.most + 1;
    if (a.general) /* shorter rows have other lists, and some of them are listed whole */
        p.list = smaller_of(std::max(p.list + p.list / 256 + 1, sample + 64 / BYTES), entries);
    if (!options.deterministic && a.n >= very_long &&
        a.m * blocks_of_grid_least <= multiprocessors) {
        const radix_way_of_row of_grid = radix_way_of(a.n, a.k, sample, BYTES, met_entries_most, 1);
        if (of_grid.way == LIST_SAMPLED) {
            p.blocks = smaller_of(multiprocessors / (uint32_t)a.m, a.n / share);
            p.row = of_grid;
            p.list = entries;
            p.met_entries = round_up((uint32_t)of_grid.most + sample, 32u);
        }
    }
    return a.m * p.blocks > INT32_MAX ? RCM_GPU_BAD_TYPE : RCM_GPU_OK;
}

template <int BYTES, int THREADS>
enum rcm_gpu_status start(const general_args &a, const exact_options &options,
                          const device_limits &device, void *workspace, rcm_gpu_stream stream)
{
    radix_plan p;
    enum rcm_gpu_status status = plan_of<BYTES, THREADS>(a, options, device, p);
    if (status != RCM_GPU_OK)
        return status;
    p.seed = options.seed;
    if (p.met_entries > 0) {
        p.meetings = static_cast<radix_meeting *>(workspace);
        p.met = reinterpret_cast<uint32_t *>(p.meetings + a.m);
        status = fill_zero(p.meetings, a.m * sizeof *p.meetings, stream);
        if (status != RCM_GPU_OK)
            return status;
    }
    const launch how = {(unsigned)(a.m * p.blocks), THREADS,
                        radix_row<BYTES, THREADS, exact_args>::list_at * word_bytes +
                            (size_t)p.list * 2 * sizeof(uint32_t),
                        p.meetings ? 1 : p.blocks, stream};
    if (options.deterministic)
        return run(how, radix_general<BYTES, THREADS, true>, a, p);
    return a.general ? run(how, radix_general<BYTES, THREADS, false>, a, p)
                     : run(how, radix<BYTES, THREADS>, a, p);
}

/* Many rows of float32 that are not long: more and smaller blocks, so that some work while others
 * wait. The length is that of an H200. */
bool has_small_blocks(const general_args &a, int bytes, const device_limits &device)
{
    return bytes == 4 && a.n <= 1 << 17 && a.m > 2 * (uint64_t)device.multiprocessors;
}

} // namespace

enum rcm_gpu_status exact_radix_workspace(const general_args &a, int bytes,
                                          const exact_options &options, const device_limits &device,
                                          size_t *workspace_bytes)
{
    radix_plan p;
    const enum rcm_gpu_status status = has_small_blocks(a, bytes, device)
                                           ? plan_of<4, 256>(a, options, device, p)
                                       : bytes == 4 ? plan_of<4, 512>(a, options, device, p)
                                                    : plan_of<2, 512>(a, options, device, p);
    *workspace_bytes = status == RCM_GPU_OK && p.met_entries > 0
                           ? a.m * (sizeof(radix_meeting) + p.met_entries * 2 * sizeof(uint32_t))
                           : 0;
    return status;
}

enum rcm_gpu_status exact_radix(const general_args &a, int bytes, const exact_options &options,
                                const device_limits &device, void *workspace, rcm_gpu_stream stream)
{
    if (a.n <= exact_short_most)
        return exact_short(a, bytes, stream);
    if (has_small_blocks(a, bytes, device))
        return start<4, 256>(a, options, device, workspace, stream);
    return bytes == 4 ? start<4, 512>(a, options, device, workspace, stream)
                      : start<2, 512>(a, options, device, workspace, stream);
}
