/* test_inputs.c - the rows that the benchmark fills on the device.
 *
 * Against: the same generator in C; nearest neighbours of rounded values; the variance (5 standard
 * errors). What the values are: test_input_distributions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gpu/host/element.h>

#include "gpu.h"

static double mean_of(const double *x, uint64_t n)
{
    double sum = 0.0;
    for (uint64_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

enum { M = 7, N = 5001, COUNT = M * N };

/* Whether the values of a kind depend on the seed. */
static bool is_random(unsigned input)
{
    return input != RCM_GPU_INPUT_EQUAL && input != RCM_GPU_INPUT_RISING &&
           input != RCM_GPU_INPUT_FALLING && input != RCM_GPU_INPUT_MASKED_100;
}

/* The elements that a CPU makes: the same bits. A GPU has other logarithms and cosines, by some
 * units in the last place of float32, which may turn a rounding. */
static void check_same_on_host(enum rcm_gpu_dtype dtype, enum rcm_gpu_input input, uint64_t seed,
                               const void *made, bool emulated)
{
    const double step = input == RCM_GPU_INPUT_EIGHT_BIT ? 1.0 / 32.0 : 0.0,
                 relative = dtype == RCM_GPU_F32 ? 0.0 : 0x1p-7;
    const bool same = emulated || !is_random(input) || input == RCM_GPU_INPUT_FEW ||
                      input == RCM_GPU_INPUT_LEADING_BITS;
    for (uint64_t i = 0; i < COUNT; i++) {
        const uint32_t got = element(made, dtype, i),
                       want = rcm_gpu_element_bits(dtype, input, seed, i, N);
        const double x = value_of(dtype, got), y = value_of(dtype, want);
        REQUIRE(got == want || (!same && fabs(x - y) <= 1e-5 + step + relative * fabs(y)),
                "%s, dtype %d, element %" PRIu64 ": %.9g, on a CPU %.9g", rcm_gpu_input_name(input),
                (int)dtype, i, x, y);
    }
}

START_TEST(inputs)
{
    struct rcm_gpu_facts facts;
    ck_assert_int_eq(rcm_gpu_facts_of_current(&facts), RCM_GPU_OK);
    const bool emulated = strncmp(facts.name, "emulation", 9) == 0;
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
            ck_assert(is_random(input) == (memcmp(host, host + COUNT * bytes, COUNT * bytes) != 0));
            check_same_on_host((enum rcm_gpu_dtype)dtype, (enum rcm_gpu_input)input, 1,
                               host + COUNT * bytes, emulated);
            rcm_gpu_free(device);
            free(host);
        }
}
END_TEST

/* A name belongs to one kind. */
START_TEST(names)
{
    ck_assert_str_eq(rcm_gpu_input_name(RCM_GPU_INPUT_NORMAL), "normal");
    ck_assert_str_eq(rcm_gpu_input_name(RCM_GPU_INPUT_MASKED_100), "masked-100");
    ck_assert_str_eq(rcm_gpu_input_name(RCM_GPU_INPUT_SAMPLE_LOW), "sample-low");
    for (unsigned i = 0; i < RCM_GPU_INPUTS; i++)
        for (unsigned j = 0; j < i; j++)
            ck_assert_str_ne(rcm_gpu_input_name((enum rcm_gpu_input)i),
                             rcm_gpu_input_name((enum rcm_gpu_input)j));
    ck_assert_ptr_null(rcm_gpu_input_name(RCM_GPU_INPUTS));
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

TEST_MAIN("gpu inputs", inputs, names, rounded_inputs, vectors)
