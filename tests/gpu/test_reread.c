/* test_reread.c - how many rows `radix` reads again because its sample misled it: none of normals,
 * all of sample-high and sample-low, and no other kind of row. The result is exact in each case.
 *
 * Against: the number of rows; the check on the device.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gpu/host/inputs.h>
#include <gpu/kernels/sample.h>

#include "plain.h"

struct shape {
    enum rcm_gpu_dtype dtype;
    uint64_t m, n, k;
    int multiprocessors;
    unsigned cluster_max;
};

/* The rows that are read again, added to 5. `behind`: sorted, and that many elements more stand
 * behind the length of the one row. */
static uint32_t count_reread(const struct shape *s, enum rcm_gpu_input input, bool smallest,
                             uint64_t behind)
{
    const int32_t length = (int32_t)s->n;
    size_t workspace_bytes;
    const size_t bytes = rcm_gpu_dtype_bytes(s->dtype);
    uint32_t reread = 5;
    void *x = rcm_gpu_allocate((s->m * s->n + behind) * bytes),
         *counter = rcm_gpu_allocate(sizeof reread), *lengths = rcm_gpu_allocate(sizeof length);
    struct rcm_gpu_exact call = {.rows = {x, s->m, s->n + behind, 0, s->dtype, smallest},
                                 .k = s->k,
                                 .kernel = RCM_GPU_EXACT_RADIX,
                                 .sorted = behind > 0,
                                 .seed = RCM_GPU_INPUT_SEED,
                                 .reread = counter,
                                 .lengths = behind > 0 ? lengths : NULL};
    rcm_gpu_pretend((unsigned)(input + s->n) % 5, s->multiprocessors, 227 * 1024, s->cluster_max);
    ck_assert_int_eq(rcm_gpu_to_device(lengths, &length, sizeof length), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_exact_workspace(&call, &workspace_bytes), RCM_GPU_OK);
    struct output o = make_output(s->m * s->k, bytes, workspace_bytes);
    call.values = o.device_values;
    call.indices = o.device_indices;
    ck_assert_int_eq(rcm_gpu_fill(s->dtype, input, s->m, s->n, 77, x, NULL), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_to_device(counter, &reread, sizeof reread), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_exact(&call, o.workspace, workspace_bytes, NULL), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_wait(), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_from_device(&reread, counter, sizeof reread), RCM_GPU_OK);
    call.rows.n = s->n;
    ck_assert(is_correct(verdict_of(NULL, &call)));
    call.reread = (uint32_t *)((char *)counter + 1);
    ck_assert_int_eq(rcm_gpu_exact(&call, NULL, 0, NULL), RCM_GPU_BAD_POINTER);
    rcm_gpu_free(counter);
    rcm_gpu_free(lengths);
    rcm_gpu_free(x);
    free_output(&o);
    return reread;
}

/* Blocks of 256 threads (the first shape) and of 512, clusters, both sizes of elements, and rows of
 * which most do not begin at a multiple of 16. A row with a length has the sample of that length.
 * The short form: a row of the first. */
START_TEST(misled)
{
    static const struct shape shapes[] = {{RCM_GPU_F32, 3, 51601, 2000, 1, 1},
                                          {RCM_GPU_F32, 2, 50003, 500, 132, 1},
                                          {RCM_GPU_F32, 1, 100003, 2000, 132, 8},
                                          {RCM_GPU_F16, 2, 50003, 1000, 1, 1},
                                          {RCM_GPU_BF16, 1, 100005, 4000, 8, 8}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct shape one = shapes[i];
        const struct shape *s = &one;
        const bool smallest = i % 2;
        if (few_cases() && i > 0)
            continue;
        if (few_cases())
            one.m = 1;
        for (unsigned more = 0; more < 3; more++) {
            const uint64_t behind = more < 2 ? more : s->n / 10;
            one.m = behind ? 1 : one.m;
            const uint32_t normal = count_reread(s, RCM_GPU_INPUT_NORMAL, smallest, behind),
                           high = count_reread(s, RCM_GPU_INPUT_SAMPLE_HIGH, smallest, behind),
                           low = count_reread(s, RCM_GPU_INPUT_SAMPLE_LOW, smallest, behind);
            ck_assert_msg(normal == 5 && high == 5 + s->m && low == 5 + s->m,
                          "shape %zu, %" PRIu64 " behind: %u, %u and %u", i, behind, normal, high,
                          low);
        }
    }
}
END_TEST

/* Rows of which no sample is taken: their list holds all. */
START_TEST(without_sample)
{
    static const struct shape shapes[] = {{RCM_GPU_F32, 3, 1000, 50, 1, 1},
                                          {RCM_GPU_BF16, 2, 4096, 400, 8, 8}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (unsigned input = 0; input < RCM_GPU_INPUTS; input += RCM_GPU_INPUT_SAMPLE_HIGH)
            ck_assert_uint_eq(count_reread(&shapes[i], (enum rcm_gpu_input)input, false, 0), 5);
}
END_TEST

/* No kind of row misleads a sample of random places, whatever its ties, its order and how alike
 * neighbours are: one row in 30,000 has fewer than k, one in 400 at most more than the list holds.
 * Long lists, two bounds (k of an eighth of the row), clusters, and a row that all blocks of a GPU
 * share. */
START_TEST(all_kinds)
{
    static const struct shape shapes[] = {
        {RCM_GPU_F32, 2, 40003, 300, 1, 1},      {RCM_GPU_BF16, 2, 70001, 8000, 1, 1},
        {RCM_GPU_F16, 1, 100001, 700, 132, 8},   {RCM_GPU_F32, 1, 300001, 40000, 132, 8},
        {RCM_GPU_F32, 1, 540001, 100, 132, 8},   {RCM_GPU_BF16, 1, 600001, 20000, 132, 1},
        {RCM_GPU_F32, 1, 1000003, 60000, 132, 8}};
    for (size_t i = 0; i < (few_cases() ? 2 : sizeof shapes / sizeof *shapes); i++)
        for (unsigned input = 0; input < RCM_GPU_INPUT_SAMPLE_HIGH; input++) {
            const bool is_some = input == 0 || input == RCM_GPU_INPUT_RISING;
            if (!is_some && (i == 6 || (i >= 3 && input % 4 != 0) || (i > 0 && few_cases())))
                continue;
            const uint64_t behind = i >= 4 && input % 8 == 0 ? shapes[i].n / 10 : 0;
            const uint32_t found =
                count_reread(&shapes[i], (enum rcm_gpu_input)input, i % 2, behind);
            ck_assert_msg(found == 5, "shape %zu, %s: %u rows", i,
                          rcm_gpu_input_name((enum rcm_gpu_input)input), found - 5);
        }
}
END_TEST

/* Fills a row with small integers, but what two samples of 512 threads take, in pieces of `part`
 * elements, is lower or higher. */
static void fill_misleading(float *x, uint64_t n, uint32_t part, int low, uint64_t *state)
{
    const uint32_t log2_pieces = part == 4 ? 10 : 12, whole = (uint32_t)(n + part - 1) / part - 2;
    for (uint64_t i = 0; i < n; i++)
        x[i] = (float)(next_random(state) % 65536);
    for (uint32_t attempt = 0; attempt < 2; attempt++)
        for (uint32_t j = 0; j < 1u << log2_pieces; j++) {
            const uint32_t place =
                rcm_gpu_sample_place(j, log2_pieces, whole, rcm_gpu_sample_seed(3, 0, attempt));
            for (uint32_t e = 0; e < part; e++)
                x[part * (place + 1) + e] += low ? -1e6f : 1e6f;
        }
}

/* A row that misleads both samples has the right result all the same, by digits in memory: where
 * one block or several made a list, with two bounds, in order. */
START_TEST(twice_misled)
{
    static const struct shape shapes[] = {{RCM_GPU_F32, 1, 200001, 1000, 1, 1},
                                          {RCM_GPU_F32, 1, 200001, 1000, 132, 8},
                                          {RCM_GPU_F32, 1, 200001, 40000, 1, 1},
                                          {RCM_GPU_F32, 1, 200001, 40000, 8, 4}};
    uint64_t state = 11;
    for (unsigned i = few_cases() ? 1 : 0; i < (few_cases() ? 3 : 16); i++) {
        const struct shape *s = &shapes[i % 4];
        const int low = i / 4 % 2;
        uint32_t reread = 0;
        size_t workspace_bytes, bytes = s->n * sizeof(float);
        float *row = rcm_gpu_allocate(bytes), *host = malloc(bytes);
        void *counter = rcm_gpu_allocate(sizeof reread);
        struct rcm_gpu_exact call = {.rows = {row, 1, s->n, 0, RCM_GPU_F32, false},
                                     .k = s->k,
                                     .seed = 3,
                                     .deterministic = i >= 8,
                                     .reread = counter};
        rcm_gpu_pretend(0, s->multiprocessors, 227 * 1024, s->cluster_max);
        fill_misleading(host, s->n, i % 4 < 2 ? 4 : 1, low, &state);
        ck_assert_int_eq(rcm_gpu_to_device(row, host, bytes), RCM_GPU_OK);
        ck_assert_int_eq(rcm_gpu_to_device(counter, &reread, sizeof reread), RCM_GPU_OK);
        ck_assert_int_eq(rcm_gpu_exact_workspace(&call, &workspace_bytes), RCM_GPU_OK);
        struct output o = make_output(s->k, sizeof(float), workspace_bytes);
        call.values = o.device_values;
        call.indices = o.device_indices;
        ck_assert_int_eq(rcm_gpu_exact(&call, o.workspace, workspace_bytes, NULL), RCM_GPU_OK);
        ck_assert_int_eq(rcm_gpu_from_device(&reread, counter, sizeof reread), RCM_GPU_OK);
        ck_assert_msg(reread == 1, "case %u: %u rows", i, reread);
        ck_assert(is_correct(verdict_of(NULL, &call)));
        free(host);
        rcm_gpu_free(counter);
        rcm_gpu_free(row);
        free_output(&o);
    }
}
END_TEST

/* A list that several blocks have, too long for that of the first, of which more elements agree in
 * all digits than it has entries. */
START_TEST(many_alike)
{
    enum { N = 16384, ALIKE = 500 };
    const uint32_t log2_pieces = 10, whole = N / 4 - 2, seed = rcm_gpu_sample_seed(3, 0, 0);
    static float row[N];
    static bool sampled[N];
    uint64_t state = 5;
    size_t workspace_bytes;
    for (uint32_t j = 0; j < 1u << log2_pieces; j++)
        for (uint32_t e = 0; e < 4; e++)
            sampled[4 * (rcm_gpu_sample_place(j, log2_pieces, whole, seed) + 1) + e] = true;
    uint32_t alike = 0;
    for (uint32_t i = 0; i < N; i++) {
        row[i] = -1.0f - (float)(next_random(&state) % 1000000) * 1e-6f;
        if (!sampled[i] && i % 16 < 2 && alike < ALIKE)
            row[i] = 1.0f + (float)alike++ * 0x1p-23f;
    }
    ck_assert_uint_gt(alike, 450);
    for (uint32_t i = 1, spikes = 0; spikes < 2; i += 4001)
        if (!sampled[i % N])
            row[i % N] = spikes++ ? 1e30f : 2e30f;
    float *x = rcm_gpu_allocate(sizeof row);
    struct rcm_gpu_exact call = {
        .rows = {x, 1, N, 0, RCM_GPU_F32, false}, .k = 5, .seed = 3, .values = x, .indices = x};
    rcm_gpu_pretend(0, 132, 227 * 1024, 8);
    ck_assert_int_eq(rcm_gpu_to_device(x, row, sizeof row), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_exact_workspace(&call, &workspace_bytes), RCM_GPU_OK);
    struct output o = make_output(call.k, sizeof(float), workspace_bytes);
    call.values = o.device_values;
    call.indices = o.device_indices;
    ck_assert_int_eq(rcm_gpu_exact(&call, o.workspace, workspace_bytes, NULL), RCM_GPU_OK);
    ck_assert(is_correct(verdict_of(NULL, &call)));
    rcm_gpu_free(x);
    free_output(&o);
}
END_TEST

TEST_MAIN("gpu reread", many_alike, twice_misled, misled, without_sample, all_kinds)
