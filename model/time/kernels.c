/* kernels.c - what each kernel can run, and what it starts for a shape: the part of the time model
 * that is known and not fitted (docs/models.md 14).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"

#include <math.h>
#include <string.h>

#include <model/shape/divisors.h>
#include <model/shape/shape.h>

static uint64_t any_b(struct rcm_topk p, uint64_t low, const struct rcm_restriction *r)
{
    return rcm_next_b(p.n, low, r->align, r->divisors_of);
}

static bool never(double m, double candidates)
{
    (void)m, (void)candidates;
    return false;
}

/* ---- ours: gpu/kernels/column_plan.cu, its rule in short (docs/gpu.md 3), for 132
 * multiprocessors and interleaved buckets */

#define OURS_PROCESSORS 132.0
#define OURS_WANTED (2.0 * OURS_PROCESSORS) /* blocks */

/* Queues are compiled for these lengths. */
static double ours_queue(uint64_t k_b)
{
    return k_b <= 4 ? (double)k_b : k_b <= 8 ? 8.0 : 16.0;
}

/* Neighbouring columns of a thread, and columns of a block. */
static double ours_columns(double queue, double bytes)
{
    return (queue <= 2.0 ? 16.0 : queue <= 4.0 ? 8.0 : 4.0) / bytes;
}
static double ours_width(double queue, double bytes)
{
    return (queue > 8.0 ? 256.0 : 512.0) * ours_columns(queue, bytes);
}

/* The most buckets with which the blocks are few: fewer than wanted, if each takes whole rows. */
static double ours_few_most(struct rcm_topk p, double bytes)
{
    return ours_width(ours_queue(p.k_b), bytes) * (ceil(OURS_WANTED / shape_rows(p)) - 1.0);
}

/* Where the blocks are no longer few, of values of 4 and 2 bytes. */
static size_t ours_edges(struct rcm_topk p, uint64_t b[RCM_EDGES_MOST])
{
    for (size_t i = 0; i < 2; i++)
        b[i] = (uint64_t)ours_few_most(p, i ? 2.0 : 4.0) + 1;
    return 2;
}

static double ours_floor_steps(double elements, double columns, double queue)
{
    double steps = 16.0 * queue;
    while (steps > fmax(8.0, 4.0 * queue) && elements < 512.0 * OURS_PROCESSORS * columns * steps)
        steps /= 2.0;
    return steps;
}

/* A thread owns some neighbouring columns. Buckets are split into replicas until a column has
 * floor_steps elements or the threads of a block are used up; with few rows into narrower strips of
 * buckets, and then each among several blocks. Only the length of a bucket is rounded, so that the
 * time has no other steps. Reads are whole lines, every element goes the same way, and a block of
 * the model is 64 threads. */
static struct rcm_work ours_work(struct rcm_topk p, double bytes)
{
    const double n = (double)p.n, b = (double)p.b, m = shape_rows(p), longest = ceil(n / b),
                 queue = ours_queue(p.k_b), columns = ours_columns(queue, bytes),
                 width = ours_width(queue, bytes);
    const bool few = b <= ours_few_most(p, bytes),
               append = queue >= 8.0 && !few && floor(n / b) >= 32.0 * queue;
    const double threads = append ? 256.0 : width / columns,
                 floor_steps = append ? 32.0 * queue : ours_floor_steps(m * n, columns, queue);
    double strips = fmax(1.0, b / (threads * columns)), splits = 1.0;
    if (few) {
        strips = fmax(strips, fmin(4.0 * OURS_WANTED / m, b * bytes / 64.0));
        splits = fmax(1.0, fmin(fmin(8.0, OURS_WANTED / (m * strips)), longest / floor_steps));
    }
    const double lanes = fmax(1.0, b / strips / columns),
                 replicas = fmax(1.0, fmin(threads / lanes, longest / (splits * floor_steps)));
    return (struct rcm_work){
        .blocks = fmax(1.0, m * strips * splits * lanes * replicas / 64.0),
        .elements = fmax(1.0, columns * longest / (replicas * splits)),
        .lines = m * n * bytes / 128.0,
        .merges = true,
        .inserts = false,
    };
}

/* ---- Graphcore's pytorch-approx-topk */

/* b = k k_mult / j with k_b = j: candidates are a multiple of k, and no more than n. */
static uint64_t graphcore_b(struct rcm_topk p, uint64_t low, const struct rcm_restriction *r)
{
    if (p.k < 1 || p.k_b < 1)
        return 0;
    const uint64_t step = p.k / common_divisor(p.k, p.k_b), align = r->align ? r->align : 1;
    const uint64_t common = common_divisor(step, align);
    if (step / common > RCM_N_MAX / align)
        return 0;
    const uint64_t b = rcm_next_b(p.n, low, step / common * align, r->divisors_of);
    return b <= p.n / p.k_b ? b : 0;
}

/* multithread_buckets=False: blocks of one warp with a thread for each bucket. */
static struct rcm_work graphcore_thread_work(struct rcm_topk p, double bytes)
{
    const double length = ceil((double)p.n / (double)p.b),
                 blocks = shape_rows(p) * ceil((double)p.b / 32.0);
    (void)bytes;
    return (struct rcm_work){.blocks = blocks,
                             .elements = length,
                             .lines = blocks * length,
                             .merges = false,
                             .inserts = true};
}

/* multithread_buckets=True: a block of 64 threads for each bucket. Interleaved buckets: the threads
 * of a warp read b elements apart, so up to 32 lines at once. */
static struct rcm_work graphcore_block_work(struct rcm_topk p, double bytes)
{
    const double b = (double)p.b, blocks = shape_rows(p) * b,
                 elements = ceil(ceil((double)p.n / b) / 64.0), warps = 2.0 * blocks;
    const double lines = warps * elements * fmin(fmax(b * bytes / 4.0, 1.0), 32.0);
    return (struct rcm_work){
        .blocks = blocks, .elements = elements, .lines = lines, .merges = true, .inserts = true};
}

/* multithread_buckets=None: a thread for each bucket if the batch has 120 times 32 buckets or they
 * are shorter than 64; otherwise a block for each. */
static struct rcm_work graphcore_work(struct rcm_topk p, double bytes)
{
    const bool threads = shape_rows(p) * (double)p.b >= 3840.0 || p.n / p.b < 64;
    return threads ? graphcore_thread_work(p, bytes) : graphcore_block_work(p, bytes);
}

/* Its stage 2 is torch.topk, which splits rows among blocks from so many candidates on
 * (at::native, TensorTopK.cu: should_use_multiblock). */
static double torch_splits_from(double m)
{
    return m <= 20     ? 20000
           : m <= 40   ? 10000
           : m <= 80   ? 8000
           : m < 200   ? 5000
           : m < 800   ? 3000
           : m <= 4000 ? 800
                       : 400;
}

static bool torch_splits(double m, double candidates)
{
    return candidates >= torch_splits_from(m);
}

static size_t graphcore_edges(struct rcm_topk p, uint64_t b[RCM_EDGES_MOST])
{
    const uint64_t m = p.m ? p.m : 1;
    b[0] = shape_ceil_divide(3840, m);
    b[1] = p.n / 64 + 1;
    b[2] = shape_ceil_divide((uint64_t)torch_splits_from((double)m), p.k_b);
    return 3;
}

/* For the kernels that work in one way only: where stage 2 is split. */
static size_t graphcore_split_edges(struct rcm_topk p, uint64_t b[RCM_EDGES_MOST])
{
    b[0] = shape_ceil_divide((uint64_t)torch_splits_from(shape_rows(p)), p.k_b);
    return 1;
}

/* ---- XLA's approx_max_k */

uint64_t kernel_xla_tile(struct rcm_topk p)
{
    return p.m > 1 ? 128 : 1024;
}

uint64_t kernel_xla_b(struct rcm_topk p, unsigned g)
{
    const uint64_t tile = kernel_xla_tile(p), tiles = shape_ceil_divide(p.n, tile);
    return p.k == 1 ? tile : shape_ceil_divide(tiles, (uint64_t)1 << g) * tile;
}

/* The smallest b >= low that any g from 1 to floor(log2(n/T)) gives. */
static uint64_t next_xla_b(struct rcm_topk p, uint64_t low, const struct rcm_restriction *r)
{
    const uint64_t tile = kernel_xla_tile(p), align = r->align ? r->align : 1;
    uint64_t best = 0;
    for (unsigned g = 1; p.n > tile && (p.k == 1 ? g == 1 : p.n / tile >> g > 0); g++) {
        const uint64_t b = kernel_xla_b(p, g);
        if (b >= low && b <= p.n && b % align == 0 && (!r->divisors_of || p.n % b == 0))
            best = b;
    }
    return best;
}

/* Tiles of 128 buckets, a lane each; whole lines. */
static struct rcm_work xla_work(struct rcm_topk p, double bytes)
{
    const double n = (double)p.n, m = shape_rows(p);
    return (struct rcm_work){.blocks = m * ceil((double)p.b / 128.0),
                             .elements = ceil(n / (double)p.b),
                             .lines = m * n * bytes / 128.0,
                             .merges = false,
                             .inserts = true};
}

/* ---- Dr. Top-k */

/* Contiguous buckets of 2^a elements. The smallest such b >= low that divides n. */
static uint64_t drtopk_b(struct rcm_topk p, uint64_t low, const struct rcm_restriction *r)
{
    const uint64_t align = r->align ? r->align : 1;
    uint64_t size = 1;
    while (size <= p.n / 2 && p.n % (2 * size) == 0)
        size *= 2;
    for (; size > 0; size /= 2)
        if (p.n / size >= low && p.n / size % align == 0)
            return p.n / size;
    return 0;
}

/* Stage 1 starts 4096 blocks of 512 threads, whose warps take one bucket after the other: the lanes
 * read every 32nd element and then hand their largest on in five steps. So a warp with its bucket
 * counts as a block here. Buckets of fewer than 32 elements leave lanes idle. */
static struct rcm_work drtopk_work(struct rcm_topk p, double bytes)
{
    const double buckets = shape_rows(p) * (double)p.b, size = ceil((double)p.n / (double)p.b);
    return (struct rcm_work){.blocks = buckets,
                             .elements = ceil(size / 32.0),
                             .lines = buckets * ceil(size * bytes / 128.0),
                             .merges = true,
                             .inserts = true};
}

/* ---- Helion on a TPU */

/* Lanes of 128 buckets. */
static uint64_t helion_b(struct rcm_topk p, uint64_t low, const struct rcm_restriction *r)
{
    const uint64_t align = r->align ? r->align : 1, common = common_divisor(align, 128);
    return align / common > RCM_N_MAX / 128
               ? 0
               : rcm_next_b(p.n, low, align / common * 128, r->divisors_of);
}

/* ---- kernels known by their times alone, and kernels that need no such rule */

/* Every element once, in whole lines. Their models have no threads or blocks and read none of
 * this. */
static struct rcm_work times_work(struct rcm_topk p, double bytes)
{
    const double elements = shape_rows(p) * (double)p.n;
    return (struct rcm_work){
        .blocks = 1.0, .elements = elements, .lines = elements * bytes / 128.0, .merges = false};
}

/* ---- topk/, on a CPU */

#define CPU_LANES 16 /* buckets of a vector */

/* Where neighbours are no longer narrow, of values of 4 and 2 bytes; and where exact top-k of the
 * candidates begins to look at groups: of 64 and 256 bytes, of values of 4 and 2 bytes. (Where
 * stage 1 works in another way, the length of a bucket changes, too: a step.) */
static size_t cpu_edges(struct rcm_topk p, uint64_t b[RCM_EDGES_MOST])
{
    size_t count = 0;
    b[count++] = 2048;
    b[count++] = 4096;
    for (uint64_t groups = 64; groups <= 512; groups *= 2)
        if (p.k <= RCM_N_MAX / groups)
            b[count++] = shape_ceil_divide(groups * p.k, p.k_b);
    return count;
}

#define ANY_K_B RCM_N_MAX
#define GRAPHCORE "b k_b a multiple of k, k_b up to 4"

const struct rcm_kernel kernel_any = {
    .name = "any",
    .limits = "any b, any k_b",
    .k_b_max = ANY_K_B,
    .any_b = true,
    .next_b = any_b,
    .family = "any",
};

const struct rcm_kernel kernel_ours = {
    .name = "ours",
    .limits = "any b, k_b up to 16",
    .k_b_max = 16,
    .any_b = true,
    .next_b = any_b,
    .work = ours_work,
    .splits = never,
    .edges = ours_edges,
    .family = "ours",
    .model = RCM_TIME_BY_WORK,
};

const struct rcm_kernel kernel_graphcore = {
    .name = "graphcore",
    .limits = GRAPHCORE,
    .k_b_max = 4,
    .next_b = graphcore_b,
    .work = graphcore_work,
    .splits = torch_splits,
    .edges = graphcore_edges,
    .family = "graphcore",
    .model = RCM_TIME_BY_WORK,
};

const struct rcm_kernel kernel_graphcore_thread = {
    .name = "graphcore-thread",
    .limits = GRAPHCORE ", multithread_buckets=False",
    .k_b_max = 4,
    .next_b = graphcore_b,
    .work = graphcore_thread_work,
    .splits = torch_splits,
    .edges = graphcore_split_edges,
    .family = "graphcore",
    .model = RCM_TIME_BY_WORK,
};

const struct rcm_kernel kernel_graphcore_block = {
    .name = "graphcore-block",
    .limits = GRAPHCORE ", multithread_buckets=True",
    .k_b_max = 4,
    .next_b = graphcore_b,
    .work = graphcore_block_work,
    .splits = torch_splits,
    .edges = graphcore_split_edges,
    .family = "graphcore",
    .model = RCM_TIME_BY_WORK,
};

const struct rcm_kernel kernel_xla = {
    .name = "xla",
    .limits = "k_b = 1, b = ceil(ceil(n/T)/2^g) T with T = 128, of a single row 1024",
    .k_b_max = 1,
    .next_b = next_xla_b,
    .work = xla_work,
    .splits = never,
    .family = "xla",
    .model = RCM_TIME_BY_WORK,
};

/* A kernel of which only the times are known. On a GPU it is taken to work as Graphcore's does,
 * from whose parameters the fit to its runs begins. */
const struct rcm_kernel kernel_generic = {
    .name = "generic",
    .limits = "any b, any k_b: known by its times alone",
    .k_b_max = ANY_K_B,
    .any_b = true,
    .next_b = any_b,
    .work = graphcore_work,
    .splits = torch_splits,
    .edges = graphcore_edges,
    .family = "generic",
    .model = RCM_TIME_BY_WORK,
    .borrows = true,
};

const struct rcm_kernel kernel_cpu = {
    .name = "cpu",
    .limits = "any b, k_b up to 16",
    .k_b_max = 16,
    .any_b = true,
    .next_b = any_b,
    .work = times_work,
    .splits = never,
    .edges = cpu_edges,
    .lanes = CPU_LANES,
    .family = "cpu",
    .model = RCM_TIME_CPU,
};

const struct rcm_kernel kernel_drtopk = {
    .name = "drtopk",
    .limits = "k_b = 1, n/b a power of two, contiguous",
    .k_b_max = 1,
    .contiguous = true,
    .next_b = drtopk_b,
    .work = drtopk_work,
    .splits = never,
    .family = "drtopk",
    .model = RCM_TIME_BY_WORK,
};

/* Listing A.8 of Samaga et al.: lanes of 128 buckets, and whole rows of them. */
const struct rcm_kernel kernel_samaga = {
    .name = "samaga",
    .limits = "b a multiple of 128 that divides n",
    .k_b_max = ANY_K_B,
    .divides = true,
    .next_b = helion_b,
    .work = times_work,
    .splits = never,
    .family = "samaga",
    .model = RCM_TIME_SHORT,
};

/* What it starts depends on how its compiler tiles the rows, so only times are known. */
const struct rcm_kernel kernel_helion = {
    .name = "helion",
    .limits = "k_b = 1, b a multiple of 128",
    .k_b_max = 1,
    .next_b = helion_b,
    .work = times_work,
    .splits = never,
    .family = "helion",
    .model = RCM_TIME_SHORT,
};

/* ---- exact top-k alone: no b */

static uint64_t no_b(struct rcm_topk p, uint64_t low, const struct rcm_restriction *r)
{
    (void)p, (void)low, (void)r;
    return 0;
}

const struct rcm_kernel kernel_exact = {
    .name = "exact",
    .limits = "exact top-k alone; a long row waits in waves",
    .k_b_max = 1,
    .next_b = no_b,
    .work = times_work,
    .family = "exact",
    .model = RCM_TIME_EXACT,
};

const struct rcm_kernel kernel_exact_once = {
    .name = "exact-once",
    .limits = "exact top-k alone; long rows are divided among blocks, all of which run at once",
    .k_b_max = 1,
    .next_b = no_b,
    .work = times_work,
    .family = "exact-once",
    .model = RCM_TIME_EXACT,
    .once = true,
};

/* It divides rows by a rule of its own. */
const struct rcm_kernel kernel_torch_topk = {
    .name = "torch-topk",
    .limits = "exact top-k alone: torch.topk",
    .k_b_max = 1,
    .next_b = no_b,
    .work = times_work,
    .splits = torch_splits,
    .family = "torch-topk",
    .model = RCM_TIME_EXACT,
    .once = true,
};

/* The order is part of the interface: add new rows at the end. */
static const struct rcm_kernel *const kernels[] = {
    &kernel_any,
    &kernel_ours,
    &kernel_graphcore,
    &kernel_xla,
    &kernel_graphcore_thread,
    &kernel_graphcore_block,
    &kernel_generic,
    &kernel_cpu,
    &kernel_drtopk,
    &kernel_helion,
    &kernel_exact,
    &kernel_exact_once,
    &kernel_torch_topk,
    &kernel_samaga,
};

const struct rcm_kernel *rcm_kernel(size_t index)
{
    return index < sizeof kernels / sizeof *kernels ? kernels[index] : NULL;
}

const struct rcm_kernel *rcm_kernel_by_name(const char *name)
{
    const struct rcm_kernel *kernel;
    for (size_t i = 0; (kernel = rcm_kernel(i)) && strcmp(kernel->name, name) != 0; i++)
        ;
    return kernel;
}

bool rcm_kernel_runs(const struct rcm_kernel *kernel, struct rcm_topk p)
{
    const struct rcm_restriction none = {.align = 1};
    return p.k_b <= kernel->k_b_max && !(kernel->divides && p.n % p.b != 0) &&
           kernel->next_b(p, p.b, &none) == p.b;
}
