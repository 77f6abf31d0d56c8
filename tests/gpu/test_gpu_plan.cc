/* test_gpu_plan.cc - the plan of the `column` kernels for shapes that are too large to run in a
 * test: up to n = 2^31 - 1, many rows, any device. For every shape, every column of every step has
 * a lane, the queues fit into their memory, and no integer overflows. And the same plan as the time
 * model has it.
 *
 * Against: 200,000 random plans up to n = 2^31 - 1, and 20,000 as the time model has them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gpu/kernels/stage1.cuh>
#include <model/recallmodel/time.h>
#include <tests/test.h>

static uint32_t queue_of(uint64_t k_b)
{
    return (uint32_t)(k_b > 8 ? 16 : k_b > 4 ? 8 : k_b);
}
/* The columns of a lane. */
static uint32_t vector_of(uint64_t k_b, int bytes)
{
    return (queue_of(k_b) <= 2 ? 16 : queue_of(k_b) <= 4 ? 8 : 4) / (uint32_t)bytes;
}

static stage1_args random_args(uint64_t *state, int bytes)
{
    stage1_args a = {};
    do {
        a.n = (uint32_t)random_scale(state, 4, INT32_MAX);
        a.b = (uint32_t)random_scale(state, 1, a.n / 4);
        if (next_random(state) % 2)
            a.b = a.b > 64 ? a.b / 64 * 64 : a.b;
        a.k_b = (uint32_t)random_between(state, 1, 16);
        a.size = a.n / a.b;
    } while (a.k_b > ceil_divide<uint64_t>(a.n, a.b));
    a.longer = a.n % a.b;
    a.m = random_scale(state, 1, 100000);
    a.stride = a.n;
    a.contiguous = next_random(state) % 2;
    a.unaligned = next_random(state) % 2;
    a.order = key_order_of(bytes == 4 ? RCM_GPU_F32 : RCM_GPU_BF16, false);
    return a;
}

#define PLAN_FMT \
    "n %u b %u k_b %u m %lu %s, %d bytes, %d multiprocessors, clusters of %u: columns %u " \
    "replicas %u strip %u strips %u groups %u lanes %u rows %u splits %u steps %u threads %u"
#define PLAN_ARG \
    a.n, a.b, a.k_b, (unsigned long)a.m, a.contiguous ? "contiguous" : "interleaved", bytes, \
        device.multiprocessors, device.cluster_max, p.columns, p.replicas, p.strip, p.strips, \
        p.groups, p.lanes, p.rows, p.splits, p.split_steps, p.threads
#define REQUIRE(truth) \
    do { \
        if (!(truth)) \
            ck_abort_msg("not %s: " PLAN_FMT, #truth, PLAN_ARG); \
    } while (0)

/* Several strips: each has whole vectors, and the vectors of a group cover its columns. This looks
 * at the first and the last strip of some groups. */
static void check_groups(const stage1_args &a, int bytes, const device_limits &device,
                         const column_plan &p, uint32_t buckets, uint32_t vector)
{
    REQUIRE(p.groups == p.replicas && p.strip % vector == 0);
    const uint32_t group_step = 1 + p.groups / 3, strip_step = p.strips > 1 ? p.strips - 1 : 1;
    for (uint32_t g = 0; g < p.groups; g += group_step)
        for (uint32_t s = 0; s < p.strips; s += strip_step) {
            uint64_t first = (uint64_t)g * buckets + (uint64_t)s * p.strip,
                     end = (uint64_t)g * buckets +
                           std::min<uint64_t>(buckets, (uint64_t)(s + 1) * p.strip);
            REQUIRE(first / vector * vector + (uint64_t)p.lanes * vector >= end);
        }
}

START_TEST(plans)
{
    static const device_limits devices[] = {{132, 227 * 1024, 8},
                                            {108, 163 * 1024, 1},
                                            {46, 99 * 1024, 1},
                                            {1, 227 * 1024, 8},
                                            {1000, 227 * 1024, 8}};
    uint64_t state = 7, tiles = 0, shared = 0;
    for (unsigned i = 0; i < 200000; i++) {
        const int bytes = next_random(&state) % 2 ? 4 : 2;
        const stage1_args a = random_args(&state, bytes);
        const device_limits device = devices[next_random(&state) % 5];
        const column_plan p = plan_column(a, bytes, device);
        REQUIRE(p.shared_bytes <= device.shared_bytes);
        REQUIRE(p.threads >= 32 && p.threads <= 512 && p.threads % 32 == 0);
        REQUIRE((uint64_t)p.strip * p.strips >= (p.tile || !a.contiguous ? a.b : 1));
        REQUIRE((uint64_t)p.strip * (p.strips - 1) <
                (p.tile || !a.contiguous ? a.b : 1)); /* the last strip is not empty */
        if (p.tile) {
            REQUIRE(p.replicas * p.strip <= p.threads && a.contiguous);
            REQUIRE((uint64_t)p.strip * (a.size + 1) / p.replicas < 65534);
            REQUIRE(p.strip == a.b || 5 * p.strip * p.replicas > 2 * p.threads); /* few are idle */
            tiles++;
            continue;
        }
        const uint32_t buckets = a.contiguous ? 1 : a.b, length = a.contiguous ? a.size : a.n;
        const uint32_t vector = vector_of(a.k_b, bytes);
        const uint64_t steps = length / p.columns;
        REQUIRE((uint64_t)buckets * p.replicas == p.columns &&
                p.columns % vector == 0); /* no overflow, whole vectors */
        REQUIRE((uint64_t)p.rows * p.groups * p.lanes <= p.threads && p.rows >= 1 &&
                p.groups >= 1 && p.lanes >= 1);
        REQUIRE(p.splits >= 1 && (uint64_t)p.splits * p.split_steps >= steps);
        REQUIRE(!p.in_cluster || (p.splits <= device.cluster_max && p.splits <= 8));
        REQUIRE((p.splits == 1 && p.workspace_bytes == 0) || p.rows == 1);
        REQUIRE((p.workspace_bytes > 0) == (p.splits > 1 && !p.in_cluster));
        REQUIRE(p.segments == (a.contiguous ? a.m * a.b : a.m));
        REQUIRE(p.blocks == (p.segments + p.rows - 1) / p.rows * p.strips * p.splits);
        if (bytes == 2)
            REQUIRE(p.split_steps + 3 <= 65535);
        if (p.strips == 1) {
            REQUIRE(p.groups == 1 && p.lanes == p.columns / vector);
        } else {
            check_groups(a, bytes, device, p, buckets, vector);
        }
        shared += p.splits > 1;
    }
    printf("200000 plans hold: %" PRIu64 " tiles, %" PRIu64 " with shared steps\n", tiles, shared);
    ck_assert_uint_gt(tiles, 1000);
    ck_assert_uint_gt(shared, 1000);
}
END_TEST

/* The time model states the plan again (model/time/kernels.c), for interleaved buckets and 132
 * multiprocessors, with real numbers where the plan rounds. Each rounding is by a factor of 2 at
 * most. (A number of buckets that is no multiple of a lane's columns costs up to 16 times the
 * lanes, and two-byte columns of more than 65,534 steps are split; the model leaves both out.) */
START_TEST(plans_of_the_time_model)
{
    const device_limits device = {132, 227 * 1024, 8};
    const struct rcm_kernel *ours = rcm_kernel_by_name("ours");
    uint64_t state = 8, close = 0, runs = 20000;
    for (unsigned i = 0; i < runs; i++) {
        const int bytes = next_random(&state) % 2 ? 4 : 2;
        stage1_args a;
        do {
            a = random_args(&state, bytes);
            a.contiguous = false;
            struct rcm_topk p = {a.n, 1, a.b, a.k_b, a.m};
            uint64_t edges[RCM_EDGES_MOST];
            if (i % 2) { /* beside a step of the model */
                ours->edges(p, edges);
                a.b = (uint32_t)std::min<uint64_t>(edges[bytes == 2], a.n);
            }
            a.b = round_up(a.b, vector_of(a.k_b, bytes));
            a.size = a.n / std::max(a.b, 1u);
        } while (a.size < 4 || a.k_b > a.size || a.n > 1 << 24);
        a.longer = a.n % a.b;
        const column_plan p = plan_column(a, bytes, device);
        const struct rcm_work work = ours->work({a.n, 1, a.b, a.k_b, a.m}, bytes);
        const double lanes = (double)p.segments * p.strips * p.splits * p.groups * p.lanes,
                     blocks = work.blocks / std::max(lanes / 64.0, 1.0),
                     elements = work.elements / ((double)vector_of(a.k_b, bytes) * p.split_steps);
        if (!(blocks < 2.01 && blocks > 0.49 && elements < 2.01 && elements > 0.49))
            ck_abort_msg("%g times the blocks, %g times the elements: " PLAN_FMT, blocks, elements,
                         PLAN_ARG);
        close += blocks < 1.25 && blocks > 0.8 && elements < 1.25 && elements > 0.8;
    }
    printf("%" PRIu64 " of %" PRIu64 " plans are within 1.25 of the time model\n", close, runs);
    ck_assert_uint_gt(close, runs * 8 / 10);
}
END_TEST

TEST_MAIN("gpu plan", plans, plans_of_the_time_model)
