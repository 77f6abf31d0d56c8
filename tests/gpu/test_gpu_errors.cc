/* test_gpu_errors.cc - launches that the device refuses: the call says so, starts nothing more, and
 * leaves CUDA's last error as it found it. And what is done once for each device, unless it failed.
 *
 * Against: an emulated device that refuses one launch, each of a call in turn.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gpu/kernels/cuda.cuh>
#include <gpu/host/once.cuh>
#include <tests/test.h>

#include <functional>
#include <thread>
#include <vector>

constexpr uint64_t m = 2, n = 6000, most = 1 << 15;

alignas(256) static float x[m * n], values[m * n];
alignas(256) static int32_t indices[m * n];
alignas(256) static unsigned char workspace[1 << 20];
static const struct rcm_gpu_rows rows = {x, m, n, 0, RCM_GPU_F32, false};

/* Calls that launch several kernels, and one with its counters set to zero first. */
static std::vector<std::function<enum rcm_gpu_status()>> calls()
{
    static struct rcm_gpu_exact sorted = {rows, 100}, all = {rows, 5000, RCM_GPU_EXACT_SORT};
    static struct rcm_gpu_stage1 shared = {rows, 1, 2};
    static struct rcm_gpu_two_stage both = {rows, 10, 64, 2};
    static struct rcm_gpu_fused fused = {x, x, 4, 64, 64, 8, 8, 2};
    sorted.sorted = true;
    sorted.values = all.values = shared.values = both.values = fused.values = values;
    sorted.indices = all.indices = both.indices = shared.indices = fused.indices = indices;
    fused.values = values;
    return {[] { return rcm_gpu_exact(&sorted, workspace, sizeof workspace, nullptr); },
            [] { return rcm_gpu_exact(&all, workspace, sizeof workspace, nullptr); },
            [] { return rcm_gpu_stage1(&shared, workspace, sizeof workspace, nullptr); },
            [] { return rcm_gpu_two_stage(&both, workspace, sizeof workspace, nullptr); },
            [] { return rcm_gpu_fused(&fused, workspace, sizeof workspace, nullptr); }};
}

START_TEST(refused_launches)
{
    emulate::device = {132, 227 * 1024, 1};
    unsigned several = 0;
    for (const auto &call : calls()) {
        unsigned launches = 1;
        for (;; launches++) {
            emulate::refused_launch = launches;
            emulate::last_error = cudaSuccess;
            const enum rcm_gpu_status status = call();
            ck_assert_int_eq(cudaPeekAtLastError(), cudaSuccess);
            if (emulate::refused_launch > 0) { /* it made fewer launches */
                ck_assert_int_eq(status, RCM_GPU_OK);
                break;
            }
            ck_assert_int_eq(status, RCM_GPU_ERROR);
            ck_assert_str_eq(rcm_gpu_message(status), "too many resources requested for launch");
            /* An error of the caller is not taken away, whether the call succeeds or not. */
            emulate::refused_launch = launches;
            emulate::last_error = cudaErrorInvalidValue;
            ck_assert_int_eq(call(), RCM_GPU_ERROR);
            ck_assert_int_ne(cudaPeekAtLastError(), cudaSuccess);
            emulate::last_error = cudaErrorInvalidValue;
            ck_assert_int_eq(call(), RCM_GPU_OK);
            ck_assert_int_eq(cudaGetLastError(), cudaErrorInvalidValue);
        }
        emulate::refused_launch = 0;
        several += launches > 2;
    }
    ck_assert_uint_ge(several, 4);
}
END_TEST

/* A query of the workspace and a call that is wrong leave the caller's error, too. */
START_TEST(errors_of_the_caller)
{
    struct rcm_gpu_exact call = {rows, 100};
    size_t bytes;
    emulate::last_error = cudaErrorInvalidValue;
    ck_assert_int_eq(rcm_gpu_exact_workspace(&call, &bytes), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_exact(&call, nullptr, 0, nullptr), RCM_GPU_BAD_POINTER);
    ck_assert_int_eq(cudaGetLastError(), cudaErrorInvalidValue);
}
END_TEST

START_TEST(once)
{
    static done_once done;
    static int kernels[most];
    unsigned asked = 0;
    const auto fail = [&] { return asked++, RCM_GPU_ERROR; };
    const auto succeed = [&] { return asked++, RCM_GPU_OK; };
    ck_assert_int_eq(done(nullptr, 0, fail), RCM_GPU_ERROR);
    ck_assert_int_eq(done(nullptr, 0, fail), RCM_GPU_ERROR); /* not kept */
    ck_assert_int_eq(done(nullptr, 0, succeed), RCM_GPU_OK);
    ck_assert_int_eq(done(nullptr, 0, fail), RCM_GPU_OK);
    ck_assert_uint_eq(asked, 3);
    /* Each kernel on each device apart. */
    for (unsigned repeat = 0; repeat < 2; repeat++)
        for (unsigned i = 0; i < 1600; i++)
            ck_assert_int_eq(done(kernels + i % 200, (int)(i / 200), succeed), RCM_GPU_OK);
    ck_assert_uint_eq(asked, 1603);
    /* More than there is room for are asked each time, and those before are still known. */
    for (unsigned repeat = 0; repeat < 2; repeat++)
        for (unsigned i = 0; i < most; i++)
            ck_assert_int_eq(done(kernels + i, 9, succeed), RCM_GPU_OK);
    ck_assert_uint_gt(asked, 1603 + most);
    ck_assert_int_eq(done(kernels, 0, fail), RCM_GPU_OK);
}
END_TEST

/* Host threads at once: one of them does it, and all see what it wrote. */
START_TEST(once_in_threads)
{
    for (unsigned repeat = 0; repeat < 200; repeat++) {
        static done_once done[200];
        unsigned answer = 0;
        std::vector<std::thread> threads;
        std::atomic<unsigned> wrong{0};
        for (unsigned i = 0; i < 4; i++)
            threads.emplace_back([&] {
                done[repeat](&answer, 3, [&] { return answer++, RCM_GPU_OK; });
                wrong += answer != 1;
            });
        for (std::thread &thread : threads)
            thread.join();
        ck_assert_uint_eq(wrong, 0);
    }
}
END_TEST

TEST_MAIN("gpu errors", refused_launches, errors_of_the_caller, once, once_in_threads)
