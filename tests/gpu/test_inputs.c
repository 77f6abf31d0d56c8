/* test_inputs.c - the rows that the benchmark fills on the device.
 *
 * Against: means and variances (5 standard errors); nearest neighbours of rounded values.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gpu/host/inputs.h>

#include "gpu.h"

static double mean_of(const double *x, uint64_t n)
{
    double sum = 0.0;
    for (uint64_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

enum { M = 7, N = 5001, COUNT = M * N };

/* What is known of the values of an input. Of 35,007 normals: 5 standard errors of mean and
 * variance. */
static void check_values(enum rcm_gpu_dtype dtype, enum rcm_gpu_input input, const void *host,
                         double *x, double *squares)
{
    uint64_t infinite = 0, distinct = 1;
    for (uint64_t i = 0; i < COUNT; i++) {
        x[i] = value_of(dtype, element(host, dtype, i));
        squares[i] = x[i] * x[i];
        infinite += isinf(x[i]) != 0;
        if (input == RCM_GPU_INPUT_RISING || input == RCM_GPU_INPUT_FALLING)
            ck_assert(i % N == 0 ||
                      (input == RCM_GPU_INPUT_RISING ? x[i] >= x[i - 1] : x[i] <= x[i - 1]));
        distinct += x[i] != x[0];
    }
    if (input == RCM_GPU_INPUT_NORMAL) {
        ck_assert_double_eq_tol(mean_of(x, COUNT), 0.0, 5.0 / sqrt(COUNT));
        ck_assert_double_eq_tol(mean_of(squares, COUNT), 1.0, 5.0 * sqrt(2.0 / COUNT));
    }
    if (input == RCM_GPU_INPUT_EQUAL || input == RCM_GPU_INPUT_MASKED_100)
        ck_assert_uint_eq(distinct, 1);
    double masked = input == RCM_GPU_INPUT_MASKED_100  ? 1.0
                    : input == RCM_GPU_INPUT_MASKED_10 ? 0.1
                                                       : 0.0;
    double off = fabs((double)infinite / COUNT - masked);
    ck_assert(off <= 5.0 * sqrt(masked * (1.0 - masked) / COUNT));
}

START_TEST(inputs)
{
    double *x = malloc(COUNT * sizeof *x), *squares = malloc(COUNT * sizeof *x);
    for (unsigned dtype = 0; dtype < 3; dtype++)
        for (unsigned input = 0; input < RCM_GPU_INPUTS; input++) {
            size_t bytes = rcm_gpu_dtype_bytes((enum rcm_gpu_dtype)dtype);
            unsigned char *host = malloc(2 * COUNT * bytes);
            void *device = rcm_gpu_allocate(COUNT * bytes);
            for (unsigned seed = 0; seed < 2; seed++) {
                ck_assert_int_eq(rcm_gpu_fill((enum rcm_gpu_dtype)dtype, (enum rcm_gpu_input)input,
                                              M, N, seed, device, NULL),
                                 RCM_GPU_OK);
                ck_assert_int_eq(
                    rcm_gpu_from_device(host + seed * COUNT * bytes, device, COUNT * bytes),
                    RCM_GPU_OK);
            }
            bool random = input == RCM_GPU_INPUT_NORMAL || input == RCM_GPU_INPUT_FEW ||
                          input == RCM_GPU_INPUT_LEADING_BITS || input == RCM_GPU_INPUT_MASKED_10;
            ck_assert(random == (memcmp(host, host + COUNT * bytes, COUNT * bytes) != 0));
            check_values((enum rcm_gpu_dtype)dtype, (enum rcm_gpu_input)input, host, x, squares);
            rcm_gpu_free(device);
            free(host);
        }
    ck_assert_ptr_null(rcm_gpu_input_name(RCM_GPU_INPUTS));
    free(x);
    free(squares);
}
END_TEST

/* float16 and bfloat16 of the same normals are what plain rounding gives. */
START_TEST(rounded_inputs)
{
    float *wide = malloc(COUNT * 4);
    uint16_t *narrow = malloc(COUNT * 2);
    void *device = rcm_gpu_allocate(COUNT * 4);
    ck_assert_int_eq(rcm_gpu_fill(RCM_GPU_F32, RCM_GPU_INPUT_NORMAL, M, N, 3, device, NULL),
                     RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_from_device(wide, device, COUNT * 4), RCM_GPU_OK);
    for (unsigned dtype = 1; dtype < 3; dtype++) {
        ck_assert_int_eq(
            rcm_gpu_fill((enum rcm_gpu_dtype)dtype, RCM_GPU_INPUT_NORMAL, M, N, 3, device, NULL),
            RCM_GPU_OK);
        ck_assert_int_eq(rcm_gpu_from_device(narrow, device, COUNT * 2), RCM_GPU_OK);
        for (uint64_t i = 0; i < COUNT; i++) { /* no neighbour is nearer */
            double off = fabs(value_of((enum rcm_gpu_dtype)dtype, narrow[i]) - (double)wide[i]);
            for (int step = -1; step <= 1; step += 2) {
                double neighbour =
                    value_of((enum rcm_gpu_dtype)dtype, (uint32_t)(narrow[i] + step) & 0xffffu);
                REQUIRE(isnan(neighbour) || off <= fabs(neighbour - (double)wide[i]),
                        "dtype %u: %.9g became %.9g", dtype, (double)wide[i],
                        value_of((enum rcm_gpu_dtype)dtype, narrow[i]));
            }
        }
    }
    rcm_gpu_free(device);
    free(wide);
    free(narrow);
}
END_TEST

START_TEST(vectors)
{
    double *x = malloc(COUNT * sizeof *x), *squares = malloc(COUNT * sizeof *x);
    uint16_t *narrow = malloc(COUNT * 2);
    void *device = rcm_gpu_allocate(COUNT * 2);
    ck_assert_int_eq(rcm_gpu_fill_vectors(COUNT, 5, device, NULL), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_from_device(narrow, device, COUNT * 2), RCM_GPU_OK);
    for (uint64_t i = 0; i < COUNT; i++) {
        x[i] = value_of(RCM_GPU_BF16, narrow[i]);
        squares[i] = x[i] * x[i];
        REQUIRE(fabs(x[i]) <= 8.0 && 16.0 * x[i] == round(16.0 * x[i]), "a component is %.9g",
                x[i]);
    }
    ck_assert_double_eq_tol(mean_of(squares, COUNT), 1.0 + 1.0 / (12.0 * 256.0),
                            5.0 * sqrt(2.0 / COUNT));
    rcm_gpu_free(device);
    free(narrow);
    free(x);
    free(squares);
}
END_TEST

TEST_MAIN("gpu inputs", inputs, rounded_inputs, vectors)
