/* test_time.c - the time model against shapes whose times are worked out by hand, and the rules
 * of the kernels.
 *
 * Against: shapes calculated by hand; the rule of which one way is one side.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

/* A profile in which the time of a shape is a single term, which can be worked out by hand. */
static struct rcm_profile one_term_profile(void)
{
    return (struct rcm_profile){.kernel = rcm_kernel_by_name("graphcore"),
                                .dtype = RCM_F16,
                                .launch_us = 2,
                                .block_us = 1e-9,
                                .blocks_at_once = 100,
                                .element_us_1 = 1,
                                .element_us_4 = 16,
                                .insert_us = 1e-12,
                                .memory_ratio = 3,
                                .cache_bytes = 1e30,
                                .roof_bytes_per_s = 1e30,
                                .lines_per_us = 1e30,
                                .merge_us = 0.5,
                                .select_launch_us = 7,
                                .select_element_us = 0.01,
                                .select_batch_us = 0.001,
                                .split_launch_us = 50,
                                .split_block_us = 1,
                                .split_element_us = 0.0001};
}

START_TEST(time_of_one_term)
{
    struct rcm_profile q = one_term_profile();
    /* A block of 64 threads for each bucket: 16 elements a thread. Merging takes 0.5 us for each of
     * k_b + 3, and longer by 4 blocks of 25 (a quarter of blocks_at_once). */
    struct rcm_topk p = {.n = 4096, .k = 4, .b = 4, .k_b = 1, .m = 1};
    struct rcm_prediction r = rcm_predict(&q, p);
    ck_assert_double_eq_tol(r.stage1_us, 2 + 16 + 0.5 * 4 * (1 + 4 / 25.0), 1e-9);
    ck_assert_double_eq(r.stage2_us, 0.0);
    ck_assert_str_eq(r.stage2, "none");
    ck_assert_str_eq(r.bound, "threads");
    ck_assert_double_eq(r.time_us, r.stage1_us);
    /* At cache_bytes half of the elements come from memory, where they take three times as long. */
    q.cache_bytes = 8192;
    ck_assert_double_eq_tol(rcm_predict(&q, p).stage1_us, 2 + 16 * 2 + 0.5 * 4 * (1 + 4 / 25.0),
                            1e-9);
    q.cache_bytes = 1e30;
    /* A thread for each bucket, because buckets are shorter than 64: b = 128 of 32 elements; 4
     * blocks of a warp. */
    p.b = 128;
    p.k = 128;
    ck_assert_double_eq_tol(rcm_predict(&q, p).stage1_us, 2 + 32, 1e-9);
    /* 101 rows are 404 blocks, and a hundred run at once: five waves. Each row alone would be one
     * wave. */
    p.m = 101;
    r = rcm_predict(&q, p);
    ck_assert_double_eq_tol(r.stage1_us, 2 + 32 * 5, 1e-6);
    ck_assert_str_eq(r.bound, "waves");
    p.m = 25;
    ck_assert_double_eq_tol(rcm_predict(&q, p).stage1_us, 2 + 32, 1e-6);
    /* k_b = 2 lies between 1 and 4 in logarithms: 4. The time is unknown for k_b = 5, which has no
     * time of an element. */
    p = (struct rcm_topk){.n = 4096, .k = 256, .b = 128, .k_b = 2, .m = 1};
    ck_assert_double_eq_tol(rcm_predict(&q, p).stage1_us, 2 + 32 * 4, 1e-6);
    p.k_b = 5;
    ck_assert(isnan(rcm_predict(&q, p).time_us));
}
END_TEST

/* Contiguous buckets take a ratio of stage 1 but its start; stage 2 is the same. A band holds those
 * of both. A kernel that has no others is taken as it is. */
START_TEST(time_of_contiguous_buckets)
{
    struct rcm_profile q = one_term_profile();
    struct rcm_topk p = {.n = 4096, .k = 100, .b = 128, .k_b = 1, .m = 1};
    q.held_out_p05_ratio = 0.7;
    q.held_out_p95_ratio = 1.5;
    const struct rcm_prediction r = rcm_predict(&q, p);
    ck_assert_double_eq_tol(r.stage1_us, 2 + 32, 1e-9);
    p.assignment = RCM_CONTIGUOUS;
    ck_assert_double_eq(rcm_predict(&q, p).time_us, r.time_us);
    q.contiguous_ratio = 1.25;
    q.contiguous_p05_ratio = 0.6;
    q.contiguous_p95_ratio = 1.8;
    const struct rcm_prediction contiguous = rcm_predict(&q, p);
    ck_assert_double_eq_tol(contiguous.stage1_us, 2 + 40, 1e-9);
    ck_assert_double_eq(contiguous.stage2_us, r.stage2_us);
    ck_assert_double_eq_tol(contiguous.time_us, contiguous.stage1_us + r.stage2_us, 1e-9);
    ck_assert_double_eq_tol(contiguous.low_us, 0.6 * contiguous.time_us, 1e-9);
    ck_assert_double_eq_tol(contiguous.high_us, 1.8 * contiguous.time_us, 1e-9);
    p.assignment = RCM_INTERLEAVED;
    ck_assert_double_eq(rcm_predict(&q, p).time_us, r.time_us);
    q.kernel = rcm_kernel_by_name("drtopk");
    ck_assert(rcm_profile_knows(&q, RCM_CONTIGUOUS) && !rcm_profile_knows(&q, RCM_INTERLEAVED));
    p = (struct rcm_topk){.n = 4096, .k = 100, .b = 128, .k_b = 1, .m = 1};
    const double own = rcm_predict(&q, p).time_us;
    p.assignment = RCM_CONTIGUOUS;
    ck_assert(own > 0.0 && rcm_predict(&q, p).time_us == own);
}
END_TEST

START_TEST(time_of_stage_two)
{
    const struct rcm_profile q = one_term_profile();
    /* Stage 2 in one block, with the launches of stage 2 and of the gathering. For one row it
     * splits from 20000 candidates on. */
    struct rcm_topk p = {.n = 1 << 20, .k = 64, .b = 1024, .k_b = 1, .m = 1};
    struct rcm_prediction r = rcm_predict(&q, p);
    ck_assert_double_eq_tol(r.stage2_us, 2 + 7 + (0.01 + 0.001) * 1024, 1e-9);
    ck_assert_str_eq(r.stage2, "one block");
    /* Of more candidates than threads the rest costs select_element_us alone. */
    p.b = 4096;
    ck_assert_double_eq_tol(rcm_predict(&q, p).stage2_us, 2 + 7 + 0.01 * 4096 + 0.001 * 1024, 1e-9);
    /* A hundred blocks at once are 3.125 multiprocessors of 32: three rows have one each, the
     * fourth shares one, and of seven rows three do. */
    static const struct {
        uint64_t m;
        double rows, waits;
    } shared[] = {{2, 1, 1}, {3, 1, 1}, {4, 2, 4}, {6, 2, 4}, {7, 3, 7}};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        p.m = shared[i].m;
        ck_assert_double_eq_tol(
            rcm_predict(&q, p).stage2_us,
            2 + 7 + shared[i].rows * 0.01 * 4096 + shared[i].waits * 0.001 * 1024, 1e-9);
    }
    p.m = 1;
    p.b = 19999;
    ck_assert_str_eq(rcm_predict(&q, p).stage2, "one block");
    p.b = 20480;
    r = rcm_predict(&q, p);
    ck_assert_str_eq(r.stage2, "split");
    ck_assert_double_eq_tol(r.stage2_us, 2 + 50 + fmin(20.0, 0.1875 * 100) + 0.0001 * 20480, 1e-9);
    ck_assert_double_eq_tol(rcm_predict_exact(&q, p), 50 + 18.75 + 0.0001 * (1 << 20), 1e-9);
}
END_TEST

START_TEST(time_that_is_unknown)
{
    struct rcm_profile q = one_term_profile();
    struct rcm_topk p = {.n = 1 << 20, .k = 64, .b = 20480, .k_b = 1, .m = 1};
    /* The time is unknown for a variant without runs, and outside the domain. */
    q.split_launch_us = 0.0;
    ck_assert(isnan(rcm_predict(&q, p).time_us) && isnan(rcm_predict_exact(&q, p)));
    q.merge_us = 0.0;
    p.b = 64;
    ck_assert(isnan(rcm_predict(&q, p).time_us));
    p.b = p.n + 1;
    ck_assert(isnan(rcm_predict(&q, p).time_us));
    p.b = 64;
    q.kernel = rcm_kernel(0);
    ck_assert(isnan(rcm_predict(&q, p).time_us) && isnan(rcm_predict_exact(&q, p)));
}
END_TEST

/* The upper limits: memory, lines and starts of blocks each bind where they should, and together
 * cost at most 4^(1/3) of the largest. */
START_TEST(time_of_the_roofs)
{
    struct rcm_profile q = {.kernel = rcm_kernel_by_name("xla"),
                            .dtype = RCM_F32,
                            .launch_us = 1e-9,
                            .block_us = 1e-9,
                            .blocks_at_once = 1e9,
                            .element_us_1 = 1e-9,
                            .insert_us = 1e-12,
                            .memory_ratio = 2,
                            .cache_bytes = 1,
                            .roof_bytes_per_s = 1e12,
                            .lines_per_us = 1e30,
                            .select_launch_us = 1,
                            .select_element_us = 1,
                            .select_batch_us = 1};
    const struct rcm_topk p = {.n = 1 << 20, .k = 1024, .b = 1024, .k_b = 1, .m = 16};
    ck_assert_double_eq_tol(rcm_predict(&q, p).stage1_us, 16 * ((1 << 20) * 4 + 1024 * 12) * 1e-6,
                            1e-6);
    ck_assert_str_eq(rcm_predict(&q, p).bound, "memory");
    q.roof_bytes_per_s = 1e30;
    q.lines_per_us = 1000;
    ck_assert_double_eq_tol(rcm_predict(&q, p).stage1_us, 16 * (1 << 20) * 4 / 128.0 / 1000, 1e-3);
    ck_assert_str_eq(rcm_predict(&q, p).bound, "lines");
    q.lines_per_us = 1e30;
    q.block_us = 1;
    ck_assert_double_eq_tol(rcm_predict(&q, p).stage1_us, 16 * 8, 1e-3);
    ck_assert_str_eq(rcm_predict(&q, p).bound, "blocks");
    q.lines_per_us = 16 * (1 << 20) * 4 / 128.0 / 128;
    ck_assert_double_eq_tol(rcm_predict(&q, p).stage1_us, 128 * cbrt(2), 1e-3);
}
END_TEST

START_TEST(short_model_by_hand)
{
    struct rcm_profile q = {.kernel = rcm_kernel_by_name("samaga"), .dtype = RCM_F32};
    struct rcm_topk p = {.n = 1000000, .k = 100, .b = 1000, .k_b = 1, .m = 2};
    ck_assert_msg(isnan(rcm_predict(&q, p).time_us), "of nothing something is predicted");
    q.launch_us = 5.0;
    q.roof_bytes_per_s = 1e12;
    q.select_batch_us = 0.01;
    q.run_count = 8;
    ck_assert_msg(isnan(rcm_predict_exact(&q, p)), "no run was of exact top-k");
    q.exact_count = 1;
    /* 2 (4e6 + 1000 (4 + 8)) bytes at 1e6 a microsecond, and 2000 candidates. */
    struct rcm_prediction r = rcm_predict(&q, p);
    ck_assert_double_eq_tol(r.stage1_us, 5.0 + 8.024, 1e-9);
    ck_assert_double_eq_tol(r.stage2_us, 20.0, 1e-9);
    ck_assert_str_eq(r.bound, "memory");
    ck_assert_double_eq_tol(rcm_predict_exact(&q, p), 5.0 + 0.02 * 1e6, 1e-6);
    /* Operations, 5 k_b - 2 for each element, slow memory down where they take as long: by
     * 2^(1/3). */
    q.operations_per_s = 3.0 * 2e6 / 8.024 * 1e6;
    ck_assert_double_eq_tol(rcm_predict(&q, p).stage1_us, 5.0 + 8.024 * cbrt(2.0), 1e-9);
    p.k_b = 64; /* any k_b */
    ck_assert_str_eq(rcm_predict(&q, p).bound, "operations");
    p = (struct rcm_topk){.n = 1000, .k = 100, .b = 100, .k_b = 1};
    ck_assert_double_eq(rcm_predict(&q, p).stage2_us, 0.0);
    ck_assert_str_eq(rcm_predict(&q, p).bound, "launch");
}
END_TEST

START_TEST(ranges)
{
    struct rcm_profile q = *rcm_profile(0);
    struct rcm_topk p = {.n = 4096, .k = 64, .b = 64, .k_b = 1, .m = 256};
    ck_assert(rcm_predict(&q, p).within_runs);
    p.m = 512; /* by a factor of 2 */
    ck_assert(rcm_predict(&q, p).within_runs);
    p.m = 513;
    ck_assert(!rcm_predict(&q, p).within_runs);
    ck_assert_uint_eq(rcm_predict(&q, p).beyond, RCM_BEYOND_M);
    p.m = 0; /* is 1 */
    ck_assert(rcm_predict(&q, p).within_runs);
    ck_assert_uint_eq(rcm_predict(&q, p).beyond, 0);
    p.n = 512;
    ck_assert(rcm_predict(&q, p).within_runs);
    p.n = 511;
    ck_assert(!rcm_predict(&q, p).within_runs && rcm_predict(&q, p).time_us > 0.0);
    ck_assert_uint_eq(rcm_predict(&q, p).beyond, RCM_BEYOND_N);
}
END_TEST

START_TEST(what_lies_beyond)
{
    const struct rcm_profile q = {.kernel = rcm_kernel_by_name("samaga"),
                                  .launch_us = 1,
                                  .run_count = 8,
                                  .n_low = 100,
                                  .n_high = 200,
                                  .k_low = 10,
                                  .k_high = 20,
                                  .b_low = 20,
                                  .b_high = 30,
                                  .k_b_low = 1,
                                  .k_b_high = 2,
                                  .m_low = 1,
                                  .m_high = 4,
                                  .candidates_low = 60,
                                  .candidates_high = 60};
    const struct rcm_topk inside = {.n = 100, .k = 20, .b = 30, .k_b = 1, .m = 4};
    struct rcm_topk p = inside;
    char text[RCM_BEYOND_TEXT];
    ck_assert(rcm_predict(&q, p).within_runs && rcm_predict(&q, p).beyond == 0);
    p = (struct rcm_topk){.n = 400, .k = 40, .b = 60, .k_b = 2, .m = 8};
    ck_assert(rcm_predict(&q, p).within_runs); /* each by a factor of 2, but k_b */
    const struct rcm_range b = rcm_b_within_runs(&q, p);
    ck_assert(b.low == 15 && b.high == 60); /* of the candidates, and of b */
    p = (struct rcm_topk){.n = 401, .k = 41, .b = 61, .k_b = 3, .m = 9};
    rcm_beyond_text(rcm_predict(&q, p).beyond, text);
    ck_assert_str_eq(text, "n, k, b, k_b, m, b k_b");
    ck_assert_uint_eq(rcm_b_within_runs(&q, p).high, 0);
    ck_assert_double_eq_tol(rcm_predict(&q, p).high_us / rcm_predict(&q, p).time_us,
                            RCM_BEYOND_HIGH_RATIO, 1e-12);
    rcm_beyond_text(~0u, text);
    ck_assert_str_eq(text, "n, k, b, k_b, m, kernel, b k_b");
    p = inside;
    p.m = 9;
    ck_assert(!rcm_predict(&q, p).within_runs && rcm_predict(&q, p).beyond == RCM_BEYOND_M);
    rcm_beyond_text(RCM_BEYOND_N | RCM_BEYOND_M, text);
    ck_assert_str_eq(text, "n, m");
    rcm_beyond_text(0, text);
    ck_assert_str_eq(text, "");
}
END_TEST

/* A kernel starts as many threads as its elements need: threads times elements cover the rows,
 * within reason. */
START_TEST(work_covers_the_rows)
{
    uint64_t state = 31;
    for (unsigned i = 0; i < 20000; i++) {
        struct rcm_topk p = random_shape(&state, 1u << 24);
        static const unsigned with_work[] = {1, 2, 3, 4, 5, 8}; /* the others: times alone */
        const struct rcm_kernel *kernel = rcm_kernel(with_work[i % 6]);
        const double bytes = i % 2 ? 4 : 2, threads = strcmp(kernel->name, "ours") == 0     ? 256
                                                      : strcmp(kernel->name, "xla") == 0    ? 128
                                                      : strcmp(kernel->name, "drtopk") == 0 ? 32
                                                                                            : 64;
        p.m = random_between(&state, 1, 300);
        const struct rcm_work w = kernel->work(p, bytes);
        ck_assert_msg(w.blocks >= 1 && w.elements >= 1 && w.lines > 0, "%s " TOPK_FMT, kernel->name,
                      TOPK_ARG(p));
        ck_assert_msg(w.blocks * threads * w.elements >= 0.999 * (double)p.m * (double)p.n,
                      "%s " TOPK_FMT " m %" PRIu64 ": %g blocks of %g elements", kernel->name,
                      TOPK_ARG(p), p.m, w.blocks, w.elements);
        ck_assert_msg(w.lines >=
                          0.999 * (double)p.m * (double)p.n * bytes / 128.0 / (p.b < 16 ? 16 : 1),
                      "%s " TOPK_FMT " %g lines", kernel->name, TOPK_ARG(p), w.lines);
    }
}
END_TEST

/* The rules of Graphcore's kernel and of PyTorch at their edges, as in their sources, and the edges
 * that the search gets. */
START_TEST(rules_of_graphcore)
{
    const struct rcm_kernel *kernel = rcm_kernel_by_name("graphcore");
    struct rcm_topk p = {.n = 1 << 22, .k = 1024, .b = 3839, .k_b = 1, .m = 1};
    ck_assert(kernel->work(p, 2).merges); /* fewer than 120 warps of buckets, each of 64 or more */
    ck_assert_double_eq(kernel->work(p, 2).blocks, 3839);
    ck_assert_double_eq(kernel->work(p, 2).elements,
                        18); /* ceil(4194304/3839) = 1093, by 64 threads */
    ck_assert_double_eq(kernel->work(p, 2).lines, 2 * 3839.0 * 18 * 32);
    p.b = 3840;
    ck_assert(!kernel->work(p, 2).merges);
    ck_assert_double_eq(kernel->work(p, 2).blocks, 120);
    ck_assert_double_eq(kernel->work(p, 2).elements, 1093);
    p = (struct rcm_topk){.n = 6400, .k = 100, .b = 100, .k_b = 1, .m = 38};
    ck_assert(kernel->work(p, 2).merges);
    p.m = 39;
    ck_assert(!kernel->work(p, 2).merges);
    p.m = 1;
    p.n = 6399; /* buckets of 63 */
    ck_assert(!kernel->work(p, 2).merges);
    ck_assert_double_eq(kernel->work(p, 2).blocks, 4); /* 100 buckets are four warps */
    static const double from[][3] = {{1, 20, 20000},  {21, 40, 10000},  {41, 80, 8000},
                                     {81, 199, 5000}, {200, 799, 3000}, {800, 4000, 800},
                                     {4001, 1e6, 400}};
    for (size_t i = 0; i < 7; i++)
        for (size_t end = 0; end < 2; end++) {
            ck_assert(kernel->splits(from[i][end], from[i][2]) &&
                      !kernel->splits(from[i][end], from[i][2] - 1));
            uint64_t b[RCM_EDGES_MOST];
            const struct rcm_topk q = {
                .n = 1 << 20, .k = 64, .k_b = 3, .m = (uint64_t)from[i][end]};
            ck_assert_uint_eq(kernel->edges(q, b), 3);
            ck_assert_uint_eq(b[0], (3840 + q.m - 1) / q.m);
            ck_assert_uint_eq(b[1], (1 << 20) / 64 + 1);
            ck_assert_uint_eq(b[2], ((uint64_t)from[i][2] + 2) / 3);
        }
}
END_TEST

START_TEST(ways_of_graphcore)
{
    const struct rcm_profile *q = rcm_profile(0);
    const struct rcm_kernel *rule = q->kernel, *thread = rcm_kernel_by_name("graphcore-thread"),
                            *block = rcm_kernel_by_name("graphcore-block");
    uint64_t state = 53;
    size_t threads = 0, blocks = 0;
    double most = 0.0;
    for (unsigned i = 0; i < 20000; i++) {
        struct rcm_topk p = random_shape(&state, 1 << 22);
        p.m = random_scale(&state, 1, 256);
        p.k_b = 1 + p.k_b % 4;
        const struct rcm_prediction r = rcm_predict(q, p), t = rcm_predict_as(q, thread, p),
                                    b = rcm_predict_as(q, block, p);
        if (rcm_check_deployable(p) != RCM_OK || isnan(r.time_us))
            continue;
        const bool by_thread = p.m * p.b >= 3840 || p.n / p.b < 64;
        const struct rcm_prediction *same = by_thread ? &t : &b, *other = by_thread ? &b : &t;
        ck_assert_msg(same->time_us == r.time_us && same->low_us == r.low_us &&
                          same->beyond == r.beyond,
                      TOPK_FMT " m %" PRIu64, TOPK_ARG(p), p.m);
        ck_assert_msg(other->time_us > 0.0 && isnan(other->low_us) && !other->within_runs &&
                          other->beyond & RCM_BEYOND_KERNEL,
                      TOPK_FMT " m %" PRIu64, TOPK_ARG(p), p.m);
        most = by_thread ? most : fmax(most, t.time_us / b.time_us);
        *(by_thread ? &threads : &blocks) += 1;
    }
    printf("%zu shapes by threads, %zu by blocks; a thread a bucket up to %.0f times slower\n",
           threads, blocks, most);
    ck_assert_msg(threads > 2000 && blocks > 500 && most > 50.0, "%zu, %zu, %g", threads, blocks,
                  most);
    ck_assert(isnan(rcm_predict_as(q, rcm_kernel_by_name("ours"),
                                   (struct rcm_topk){.n = 4096, .k = 64, .b = 64, .k_b = 1})
                        .time_us));
    ck_assert(isnan(
        rcm_predict_as(q, rcm_kernel(0), (struct rcm_topk){.n = 4096, .k = 64, .b = 64, .k_b = 1})
            .time_us));
    ck_assert_ptr_eq(
        rcm_predict_as(q, rule, (struct rcm_topk){.n = 4096, .k = 64, .b = 64, .k_b = 1}).bound,
        rcm_predict(q, (struct rcm_topk){.n = 4096, .k = 64, .b = 64, .k_b = 1}).bound);
    /* By hand: 16 buckets of one row of 2^20; one warp, whose threads read 65536 elements each. */
    struct rcm_profile one = {.kernel = rule,
                              .dtype = RCM_F16,
                              .launch_us = 2,
                              .block_us = 1e-9,
                              .blocks_at_once = 1e9,
                              .element_us_1 = 1,
                              .insert_us = 1e-12,
                              .memory_ratio = 3,
                              .cache_bytes = 1e30,
                              .roof_bytes_per_s = 1e30,
                              .lines_per_us = 1e30,
                              .merge_us = 1e-9};
    const struct rcm_topk p = {.n = 1 << 20, .k = 16, .b = 16, .k_b = 1, .m = 1};
    ck_assert_double_eq_tol(rcm_predict_as(&one, thread, p).time_us, 2 + 65536, 1e-3);
    ck_assert_double_eq_tol(rcm_predict_as(&one, block, p).time_us, 2 + 1024, 1e-3);
    ck_assert_double_eq_tol(rcm_predict(&one, p).time_us, 2 + 1024, 1e-3);
}
END_TEST

TEST_MAIN("time", time_of_one_term, time_of_contiguous_buckets, time_of_stage_two,
          time_that_is_unknown, time_of_the_roofs, short_model_by_hand, ranges, what_lies_beyond,
          work_covers_the_rows, rules_of_graphcore, ways_of_graphcore)
