/* test_exact.c - exact top-k on every kind of row, against plain C.
 *
 * Against: plain C, as `test_stage1`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "plain.h"

static void check_exact(const struct batch *batch, uint64_t k, const struct output *o,
                        bool in_order, const char *what)
{
    double *sorted = malloc(batch->n * sizeof *sorted), *got = malloc(k * sizeof *got);
    bool *seen = malloc(batch->n);
    for (uint64_t r = 0; r < batch->m; r++) {
        const void *row = row_of(batch, r);
        memset(seen, 0, batch->n);
        for (uint64_t i = 0; i < batch->n; i++)
            sorted[i] = merit(batch->dtype, element(row, batch->dtype, i), batch->smallest);
        for (uint64_t j = 0; j < k; j++) {
            int64_t index = o->indices[r * k + j];
            uint32_t bits = element(o->values, batch->dtype, r * k + j);
            REQUIRE(index >= 0 && (uint64_t)index < batch->n && !seen[index],
                    CASE_FMT ": k %" PRIu64 " entry %" PRIu64 ": index %" PRId64
                             " is not valid or not new",
                    CASE_ARG(batch, r), k, j, index);
            seen[index] = true;
            REQUIRE(element(row, batch->dtype, (uint64_t)index) == bits,
                    CASE_FMT ": k %" PRIu64 ": value %x is not that at index %" PRId64,
                    CASE_ARG(batch, r), k, bits, index);
            REQUIRE(!in_order || j == 0 || index > o->indices[r * k + j - 1],
                    CASE_FMT ": k %" PRIu64 " entry %" PRIu64 ": not in the order of indices",
                    CASE_ARG(batch, r), k, j);
            got[j] = sorted[index];
        }
        /* The worst element that is taken, and the first equal one that is not. */
        double last = NAN;
        uint64_t passed_over = batch->n;
        qsort(got, k, sizeof *got, by_merit);
        last = got[k - 1];
        for (uint64_t i = 0; i < batch->n; i++)
            if (!seen[i] && same_merit(sorted[i], last) && passed_over == batch->n)
                passed_over = i;
        /* -0 is below +0, and NaNs differ. */
        if (in_order && batch->kind != ZEROS && batch->kind != ANY_BITS &&
            batch->kind != SOME_NAN && batch->kind != ALL_NAN)
            for (uint64_t i = passed_over; i < batch->n; i++)
                REQUIRE(!seen[i] || !same_merit(sorted[i], last),
                        CASE_FMT ": k %" PRIu64 ": takes %" PRIu64 ", not the equal %" PRIu64,
                        CASE_ARG(batch, r), k, i, passed_over);
        qsort(sorted, batch->n, sizeof *sorted, by_merit);
        for (uint64_t j = 0; j < k; j++)
            REQUIRE(same_merit(got[j], sorted[j]),
                    CASE_FMT ": k %" PRIu64 ": number %" PRIu64 " is %g, want %g",
                    CASE_ARG(batch, r), k, j, got[j], sorted[j]);
    }
    free(sorted);
    free(got);
    free(seen);
}

static void run_exact(const struct batch *batch, uint64_t k, unsigned kernel, uint64_t *state)
{
    static const unsigned unrolls[] = {0, 1, 4, 8};
    struct rcm_gpu_exact call = {
        .rows = rows_of(batch),
        .k = k,
        .kernel = (enum rcm_gpu_exact_kernel)kernel,
        .deterministic = next_random(state) % 2,
        .bits = next_random(state) % 2 ? 0 : 8 + (unsigned)(next_random(state) % 4),
        .unroll = unrolls[next_random(state) % 4],
        .binary_search = next_random(state) % 2};
    size_t workspace_bytes;
    pretend_device(state);
    ck_assert_int_eq(rcm_gpu_exact_workspace(&call, &workspace_bytes), RCM_GPU_OK);
    struct output o = make_output(batch->m * k, batch->bytes, workspace_bytes);
    call.values = o.device_values;
    call.indices = o.device_indices;
    ck_assert_int_eq(rcm_gpu_exact(&call, o.workspace, workspace_bytes, NULL), RCM_GPU_OK);
    fetch_output(&o);
    char what[64];
    snprintf(what, sizeof what, "%s bits %u unroll %u%s%s", rcm_gpu_exact_kernel_name(call.kernel),
             call.bits, call.unroll, call.binary_search ? " binary" : "",
             call.deterministic ? " deterministic" : "");
    check_exact(batch, k, &o, call.deterministic && kernel != RCM_GPU_EXACT_SORT, what);
    if (batch->m * batch->n < 5000)
        ck_assert(is_correct(verdict_of(NULL, &call)));
    free_output(&o);
}

START_TEST(exact)
{
    static const uint64_t lengths[] = {1, 2, 33, 100, 1000, 4099, 5000, 17000, 40000};
    uint64_t state = 2, cases = 0;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (unsigned kind = 0; kind < KINDS; kind++)
            for (unsigned dtype = 0; dtype < 3; dtype++) {
                const uint64_t n = lengths[l];
                if (!is_tested(l, n, kind, dtype))
                    continue;
                struct batch batch = random_batch(dtype, kind, n, n > 2000 ? 2 : 4, &state);
                const unsigned repeats = n > 10000 || few_cases() ? 1 : 2;
                for (unsigned kernel = RCM_GPU_EXACT_AUTO; kernel < RCM_GPU_EXACT_KERNELS; kernel++)
                    for (unsigned repeat = 0; repeat < repeats; repeat++) {
                        run_exact(&batch, random_scale(&state, 1, n), kernel, &state);
                        cases++;
                    }
                free_batch(&batch);
            }
    printf("exact top-k: %" PRIu64 " runs agree with plain C\n", cases);
}
END_TEST

/* Rows that a block holds in registers, at the ends of each size of block. In some a few elements
 * are far from all others, so that they have the bins of the first level for themselves. */
START_TEST(short_rows)
{
    static const uint64_t lengths[] = {3,    31,   64,   255,  256,  257,  511, 1023,
                                       1024, 1025, 1500, 2048, 2049, 4095, 4096};
    uint64_t state = 17;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (unsigned kind = 0; kind <= KINDS; kind++)
            for (unsigned dtype = 0; dtype < 3; dtype++) {
                const uint64_t n = lengths[l], of_k = next_random(&state) % 4;
                if (!is_tested(l, n, kind, dtype))
                    continue;
                const bool outliers = kind == KINDS || next_random(&state) % 4 == 0;
                struct batch batch =
                    random_batch((enum rcm_gpu_dtype)dtype, kind < KINDS ? (enum kind)kind : NORMAL,
                                 n, n > 1000 ? 1 : 4, &state);
                for (uint64_t at = 0; outliers && at + 1 < batch.m * batch.n; at += 1 + n / 3) {
                    const uint32_t bits = bits_of(batch.dtype, at % 2 ? 6e4f : -5e4f);
                    memcpy(batch.memory + batch.offset + at * batch.bytes, &bits, batch.bytes);
                }
                ck_assert_int_eq(rcm_gpu_to_device(batch.device, batch.memory, batch.size),
                                 RCM_GPU_OK);
                run_exact(&batch,
                          of_k == 0   ? n
                          : of_k == 1 ? n - n / 16
                                      : random_scale(&state, 1, n),
                          RCM_GPU_EXACT_RADIX, &state);
                free_batch(&batch);
            }
}
END_TEST

/* The k-th lies among 32 or 33 elements that share a bin: up to 32 of them are listed. Each of them
 * in turn. */
START_TEST(lists_of_a_bin)
{
    static const uint64_t lengths[] = {120, 500, 4096};
    uint64_t state = 19;
    for (uint64_t near = 32; near <= 33; near++)
        for (unsigned which = 0; which < 9; which++) {
            const uint64_t n = lengths[which / 3], far = n - near;
            struct batch batch = make_batch((enum rcm_gpu_dtype)(which % 3), EQUAL, 1, n, n, 0,
                                            next_random(&state) % 2, &state);
            for (uint64_t i = 0; i < n; i++) {
                const float part = ((float)i - (float)near) / (float)(far - 1),
                            value = i < near             ? 0.5007f + (float)i * 0x1p-18f
                                    : i - near < far / 2 ? 0.9f * part
                                                         : 0.1f + 0.9f * part;
                const uint32_t bits = bits_of(batch.dtype, value);
                memcpy(batch.memory + i * 7919 % n * batch.bytes, &bits, batch.bytes);
            }
            ck_assert_int_eq(rcm_gpu_to_device(batch.device, batch.memory, batch.size), RCM_GPU_OK);
            for (uint64_t k = 1; k < near; k += few_cases() ? 8 : 1)
                run_exact(&batch, far - far / 2 + k, RCM_GPU_EXACT_RADIX, &state);
            free_batch(&batch);
        }
}
END_TEST

/* Many rows, and a long one. */
START_TEST(large)
{
    uint64_t state = 7;
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t m = i ? 1 : 64, n = i ? 100003 : 1021;
        struct batch batch =
            make_batch((enum rcm_gpu_dtype)i, NORMAL, m, n, n + 3, 1, false, &state);
        run_exact(&batch, random_scale(&state, 1, n), RCM_GPU_EXACT_RADIX, &state);
        if (!few_cases())
            run_exact(&batch, random_scale(&state, 1, n), RCM_GPU_EXACT_HISTOGRAM, &state);
        free_batch(&batch);
    }
}
END_TEST

/* Runs of eight equal elements: a sample of chunks of 16 bytes finds too many of the largest in
 * some of the rows, and its threshold is then too high. */
START_TEST(samples_that_err)
{
    uint64_t state = 11;
    for (unsigned i = 0; i < (few_cases() ? 1 : 12); i++) {
        struct batch batch = make_batch(RCM_GPU_F16, NORMAL, 8, 20000, 20000, 0, i % 2, &state);
        for (uint64_t at = 0; at < batch.m * batch.n; at++)
            memcpy(batch.memory + 2 * at, batch.memory + 2 * (at / 8 * 8), 2);
        ck_assert_int_eq(rcm_gpu_to_device(batch.device, batch.memory, batch.size), RCM_GPU_OK);
        run_exact(&batch, 400, RCM_GPU_EXACT_RADIX, &state);
        free_batch(&batch);
    }
}
END_TEST

TEST_MAIN("gpu exact", exact, short_rows, lists_of_a_bin, large, samples_that_err)
