/* test_fused.c - top-k fused with the matrix product, against plain C.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gpu/products/product_sample.h>

#include "plain.h"

/* Runs the call on vectors of the host and compares it with their products. Returns whether it used
 * replicas of buckets. */
static bool run_fused(struct rcm_gpu_fused call, const uint16_t *queries, const uint16_t *database,
                      const struct batch *products)
{
    const size_t query_bytes = call.m * call.d * 2, database_bytes = call.n * call.d * 2;
    void *on_device[2] = {rcm_gpu_allocate(query_bytes), rcm_gpu_allocate(database_bytes)};
    ck_assert(on_device[0] && on_device[1]);
    ck_assert_int_eq(rcm_gpu_to_device(on_device[0], queries, query_bytes), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_to_device(on_device[1], database, database_bytes), RCM_GPU_OK);
    call.queries = on_device[0];
    call.database = on_device[1];
    size_t workspace_bytes;
    ck_assert_int_eq(rcm_gpu_fused_workspace(&call, &workspace_bytes), RCM_GPU_OK);
    struct output o = make_output(call.m * call.k, 4, workspace_bytes);
    call.values = o.device_values;
    call.indices = o.device_indices;
    ck_assert_int_eq(rcm_gpu_fused(&call, o.workspace, workspace_bytes, NULL), RCM_GPU_OK);
    fetch_output(&o);
    const bool exact = call.b == 0,
               stage1_only = !exact && call.k == rcm_gpu_candidates(call.n, call.b, call.k_b);
    if (exact) { /* of one bucket, which is the row */
        check_two_stage(products, call.k, 1, call.k, RCM_GPU_INTERLEAVED, &o, "fused, exact");
    } else if (stage1_only) {
        struct rcm_gpu_stage1 same = {
            .b = call.b, .k_b = call.k_b, .assignment = RCM_GPU_INTERLEAVED};
        check_stage1(products, &same, &o, "fused");
    } else {
        check_two_stage(products, call.k, call.b, call.k_b, RCM_GPU_INTERLEAVED, &o, "fused");
    }
    free_output(&o);
    rcm_gpu_free(on_device[0]);
    rcm_gpu_free(on_device[1]);
    return stage1_only && workspace_bytes > 0;
}

/* The same, with buckets, for vectors of this kind. */
static bool run_kind(struct rcm_gpu_fused call, enum kind kind, uint64_t *state)
{
    uint16_t *queries = malloc(call.m * call.d * 2), *database = malloc(call.n * call.d * 2);
    draw_vectors(queries, call.m, call.d, kind == RISING || kind == FALLING ? EQUAL : NORMAL,
                 state);
    draw_vectors(database, call.n, call.d, kind, state);
    for (uint64_t j = 0; j < call.n && kind == ALL_NAN; j++)
        database[j * call.d] = 0x7fc0;
    for (uint64_t j = 0; j < call.n && kind == SOME_INFINITE; j += call.b)
        database[j * call.d] = 0xff80; /* a bucket of -inf, for some queries */
    struct batch products = products_of(queries, database, kind, call.m, call.n, call.d);
    const bool replicated = run_fused(call, queries, database, &products);
    free_batch(&products);
    free(queries);
    free(database);
    return replicated;
}

START_TEST(fused)
{
    static const enum kind kinds[] = {NORMAL,  NORMAL,        EQUAL,    FEW,    RISING,
                                      FALLING, SOME_INFINITE, SOME_NAN, ALL_NAN};
    uint64_t state = 6, cases = 0, replicated = 0;
    for (unsigned i = 0; i < (few_cases() ? 4 : 90); i++) {
        enum kind kind = kinds[i % (sizeof kinds / sizeof *kinds)];
        uint64_t d = i % 4 ? 128 : 64, m = random_scale(&state, 1, few_cases() ? 20 : 300),
                 n = random_scale(&state, i % 4 == 1 ? 500 : 1, m > 50 ? 1000 : 4000);
        uint64_t b = random_scale(&state, 1, i % 4 == 1 ? ceil_divide(n, 70) : n),
                 most = ceil_divide(n, b), k_b = random_scale(&state, 1, most < 16 ? most : 16);
        uint64_t candidates = rcm_gpu_candidates(n, b, k_b),
                 k = i % 3 ? candidates : random_scale(&state, 1, candidates);
        pretend_device(&state);
        const struct rcm_gpu_fused call = {
            .m = m, .n = n, .d = d, .k = k, .b = b, .k_b = k_b, .deterministic = i % 2};
        replicated += run_kind(call, kind, &state);
        cases++;
    }
    printf("fused: %" PRIu64 " runs agree with plain C, %" PRIu64
           " of them with replicas of buckets\n",
           cases, replicated);
    if (!few_cases())
        ck_assert_uint_gt(replicated, 10);
}
END_TEST

/* Queues of every length, by warps and by warpgroups: five or six tiles of eight steps, the last
 * one with a step that some buckets have not. A block has two strips of buckets. */
START_TEST(queues)
{
    static const enum kind kinds[] = {NORMAL, EQUAL, SOME_INFINITE, SOME_NAN, ALL_NAN};
    static const uint64_t lengths[] = {1, 2, 3, 4, 8, 16};
    uint64_t state = 9;
    for (unsigned i = 0; i < 6; i++)
        for (unsigned j = 0; j < (!few_cases() ? 10 : i % 3 ? 0 : 2); j++) {
            const uint64_t b = 75, steps = 40 + j / 2 % 2 * 8, k_b = lengths[i];
            const struct rcm_gpu_fused call = {.m = i ? 20 : 70,
                                               .n = steps * b - 5,
                                               .d = (i + j / 2) % 2 ? 64 : 128,
                                               .k = b * k_b,
                                               .b = b,
                                               .k_b = k_b};
            rcm_gpu_pretend(j % 5, 1, 227 * 1024, j % 2 ? 8 : 1);
            ck_assert(!run_kind(call, kinds[j / 2], &state));
        }
}
END_TEST

/* Runs exact top-k of products and returns how many rows were counted anew. */
static uint32_t run_exact(struct rcm_gpu_fused call, const uint16_t *queries,
                          const uint16_t *database, enum kind kind)
{
    uint32_t reread = 0;
    struct batch products = products_of(queries, database, kind, call.m, call.n, call.d);
    call.reread = rcm_gpu_allocate(sizeof reread);
    ck_assert_ptr_nonnull(call.reread);
    ck_assert_int_eq(rcm_gpu_to_device(call.reread, &reread, sizeof reread), RCM_GPU_OK);
    run_fused(call, queries, database, &products);
    ck_assert_int_eq(rcm_gpu_from_device(&reread, call.reread, sizeof reread), RCM_GPU_OK);
    rcm_gpu_free(call.reread);
    free_batch(&products);
    return reread;
}

/* Every kind of products; short databases, which have no sample, and long ones. */
START_TEST(exact)
{
    static const enum kind kinds[] = {NORMAL,  EQUAL,         FEW,      RISING,
                                      FALLING, SOME_INFINITE, SOME_NAN, ALL_NAN};
    uint64_t state = 7, rows = 0, reread = 0, sampled = 0;
    for (unsigned i = 0; i < (few_cases() ? 4 : 64); i++) {
        const enum kind kind = kinds[i % (sizeof kinds / sizeof *kinds)];
        const bool is_long = i % 3 == 0;
        const uint64_t d = i % 4 ? 128 : 64,
                       m = random_scale(&state, 1, is_long || few_cases() ? 40 : 300),
                       n = is_long ? random_between(&state, 4097, 9000)
                                   : random_scale(&state, 1, m > 50 ? 1000 : 4096),
                       k = random_scale(&state, 1, n);
        uint16_t *queries = malloc(m * d * 2), *database = malloc(n * d * 2);
        draw_vectors(queries, m, d, kind == RISING || kind == FALLING ? EQUAL : NORMAL, &state);
        draw_vectors(database, n, d, kind, &state);
        for (uint64_t j = 0; j < n && kind == ALL_NAN; j++)
            database[j * d] = 0x7fc0;
        pretend_device(&state);
        const struct rcm_gpu_fused call = {
            .m = m, .n = n, .d = d, .k = k, .stage2 = i % RCM_GPU_EXACT_KERNELS};
        const uint32_t again = run_exact(call, queries, database, kind);
        const bool has_sample = rcm_gpu_product_sample_of((uint32_t)n, (uint32_t)k).size > 0;
        if (kind == EQUAL && has_sample) /* all reach every threshold */
            ck_assert_uint_eq(again, m);
        if (kind == NORMAL) /* a row fails with probability 2 e^-14; there are some hundred */
            ck_assert_uint_eq(again, 0);
        rows += m;
        reread += again;
        sampled += has_sample;
        free(queries);
        free(database);
    }
    printf("fused, exact: %" PRIu64 " rows agree with plain C, %" PRIu64 " were counted, %" PRIu64
           " calls had a sample\n",
           rows, reread, sampled);
    if (!few_cases())
        ck_assert(sampled > 10 && reread > 100 && reread < rows);
}
END_TEST

/* All queries are alike, and the elements of the sample are better than all others, or worse: too
 * few reach the threshold, or too many for the list. */
START_TEST(misled)
{
    uint64_t state = 8;
    const uint64_t m = few_cases() ? 2 : 40, n = few_cases() ? 9000 : 20000, d = 64;
    uint16_t *queries = malloc(m * d * 2), *database = malloc(n * d * 2);
    for (unsigned high = 0; high < 2; high++)
        for (uint64_t k = 30; k <= 300; k *= 10) {
            const uint32_t size = rcm_gpu_product_sample_of((uint32_t)n, (uint32_t)k).size;
            ck_assert_uint_gt(size, 0);
            draw_vectors(queries, m, d, EQUAL, &state);
            draw_vectors(database, n, d, NORMAL, &state);
            for (uint32_t j = 0; j < size; j++) {
                uint16_t *to =
                    database + (size_t)rcm_gpu_product_sample_at(j, size, (uint32_t)n) * d;
                for (uint64_t i = 0; i < d; i++) { /* a multiple of 1/16 still */
                    const float value = (float)value_of(RCM_GPU_BF16, to[i]);
                    to[i] = (uint16_t)bits_of(RCM_GPU_BF16, value / 16.0f + (high ? 4.0f : -4.0f));
                }
            }
            const struct rcm_gpu_fused call = {.m = m, .n = n, .d = d, .k = k};
            pretend_device(&state);
            const uint32_t again = run_exact(call, queries, database, NORMAL);
            ck_assert_uint_eq(again, m);
        }
    free(queries);
    free(database);
}
END_TEST

/* P(X >= x) of a binomial X of `size` trials and this mean, by its terms from x on; `up` false:
 * P(X <= x), downwards. All terms fall from x on. */
static double binomial_tail(uint32_t size, double mean, uint32_t x, bool up)
{
    const double p = mean / size;
    double term = exp(lgamma(size + 1.0) - lgamma(x + 1.0) - lgamma(size - x + 1.0) + x * log(p) +
                      (size - x) * log1p(-p)),
           sum = 0.0;
    for (uint32_t i = x; term > sum * 1e-17; up ? i++ : i--) {
        sum += term;
        if (up ? i == size : i == 0)
            break;
        term *=
            up ? (double)(size - i) / (i + 1) * p / (1 - p) : i / (size - i + 1.0) * (1 - p) / p;
    }
    return sum;
}

/* The sample has one element of each run. A sum of independent 0 or 1 of a given mean has no
 * heavier tails than the binomial (Hoeffding 1956), whose tails keep what product_sample.h says. */
START_TEST(sample)
{
    static const uint32_t ns[] = {4097, 6000, 9999, 65536, 151936, 1 << 20, 50000000, INT32_MAX};
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++)
        for (uint64_t k = 1; k <= ns[i]; k *= 2) {
            const uint32_t n = ns[i];
            const struct rcm_gpu_product_sample s = rcm_gpu_product_sample_of(n, (uint32_t)k);
            ck_assert_uint_ge(s.list, k);
            ck_assert_uint_le(s.list, n);
            if (s.size == 0) {
                ck_assert_uint_eq(s.list, n);
                continue;
            }
            const double shortest = n / s.size, longest = (n - 1) / s.size + 1;
            ck_assert_double_le(binomial_tail(s.size, (double)k / shortest, s.rank, true),
                                exp(-14));
            const double nu = s.list / longest;
            if (nu < s.size)
                ck_assert_double_le(binomial_tail(s.size, nu, s.rank - 1, false), exp(-14));
            for (uint32_t j = 0; j < s.size && k == 1; j++) {
                const uint32_t at = rcm_gpu_product_sample_at(j, s.size, n);
                ck_assert(at >= (uint64_t)j * n / s.size && at < (uint64_t)(j + 1) * n / s.size);
            }
        }
}
END_TEST

TEST_MAIN("gpu fused", fused, queues, exact, misled, sample)
