/* test_roof.c - the kernels that give the benchmark its upper limits: they move exactly as many
 * bytes and do exactly as many operations as they say.
 *
 * Against: plain C, every byte.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gpu/host/roof.h>

#include "gpu.h"

/* The kernels move the bytes that they say: no byte too few, none too many. */
START_TEST(roofs)
{
    enum { ROOM = 1 << 16 };
    static const size_t sizes[][2] = {{0, 0},         {16, 0},        {ROOM, 0},  {ROOM, 16},
                                      {40000, 10000}, {32768, 32768}, {16, ROOM}, {0, 48}};
    unsigned char *host = malloc(ROOM + 16), *from = rcm_gpu_allocate(ROOM),
                  *to = rcm_gpu_allocate(ROOM + 16);
    rcm_gpu_pretend(0, 8, 227 * 1024, 8);
    for (uint32_t i = 0; i < ROOM / 4; i++)
        memcpy(host + 4 * i, &(uint32_t){i * 2654435761u}, 4);
    ck_assert_int_eq(rcm_gpu_to_device(from, host, ROOM), RCM_GPU_OK);
    for (unsigned variant = 0; variant < RCM_GPU_MOVE_VARIANTS; variant++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            ck_assert_int_eq(rcm_gpu_set_bytes(to, 0x77, ROOM + 16), RCM_GPU_OK);
            ck_assert_int_eq(rcm_gpu_move(from, sizes[s][0], to, sizes[s][1], variant, NULL),
                             RCM_GPU_OK);
            ck_assert_int_eq(rcm_gpu_wait(), RCM_GPU_OK);
            ck_assert_int_eq(rcm_gpu_from_device(host, to, ROOM + 16), RCM_GPU_OK);
            for (size_t i = 0; i < ROOM + 16; i += 16) { /* Each 16 bytes contain their number */
                uint32_t word;
                memcpy(&word, host + i + 4, 4);
                REQUIRE(i < sizes[s][1] ? word == i / 16 : word == 0x77777777,
                        "variant %u, %zu read, %zu written: byte %zu", variant, sizes[s][0],
                        sizes[s][1], i);
            }
        }
    ck_assert_int_eq(rcm_gpu_move(from, 16, to, 16, RCM_GPU_MOVE_VARIANTS, NULL), RCM_GPU_BAD_TYPE);
    ck_assert_ptr_null(rcm_gpu_move_variant_name(RCM_GPU_MOVE_VARIANTS));
    ck_assert_int_eq(rcm_gpu_flush(from, ROOM, NULL), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_nothing(NULL), RCM_GPU_OK);
    free(host);
    rcm_gpu_free(from);
    rcm_gpu_free(to);
}
END_TEST

/* One operation into each of the four registers. */
static void step(enum rcm_gpu_vector_program program, unsigned i, uint32_t *registers)
{
    for (unsigned j = 0; j < 4; j += 2) {
        uint32_t *p = &registers[j], *q = &registers[j + 1], x = *p, y = *q;
        if (program == RCM_GPU_ADDITIONS)
            *p = x + y, *q = x + 2 * y;
        else if (program == RCM_GPU_MULTIPLICATIONS)
            *p = x * x, *q = y * y;
        else if (i % 2 == 0)
            *p = x < y ? y : x, *q = x < y ? x : y;
        else {
            p = &registers[j + 1], q = &registers[(j + 2) % 4], x = *p, y = *q;
            *p = x < y ? y : x, *q = x < y ? x : y;
        }
    }
}

START_TEST(vector_programs)
{
    void *to = rcm_gpu_allocate(8 * sizeof(uint32_t));
    rcm_gpu_pretend(0, 8, 227 * 1024, 8);
    static const uint32_t begin[4] = {3, 5, 7, 11};
    for (unsigned program = 0; program < RCM_GPU_VECTOR_PROGRAMS; program++)
        for (unsigned operations = 2; operations < 60; operations += 6) {
            uint32_t want[4], got[8];
            memcpy(want, begin, sizeof want);
            for (unsigned i = 0; i < operations; i++)
                step((enum rcm_gpu_vector_program)program, i, want);
            memcpy(got, begin, sizeof begin);
            memcpy(got + 4, begin, sizeof begin);
            ck_assert_int_eq(rcm_gpu_to_device(to, got, sizeof got), RCM_GPU_OK);
            ck_assert_int_eq(rcm_gpu_vector((enum rcm_gpu_vector_program)program, operations,
                                            (int32_t *)to, 8, NULL),
                             RCM_GPU_OK);
            ck_assert_int_eq(rcm_gpu_wait(), RCM_GPU_OK);
            ck_assert_int_eq(rcm_gpu_from_device(got, to, sizeof got), RCM_GPU_OK);
            for (unsigned i = 0; i < 8; i++)
                REQUIRE(got[i] == want[i % 4],
                        "program %u, %u operations: element %u is %u, want %u", program, operations,
                        i, got[i], want[i % 4]);
        }
    rcm_gpu_free(to);
}
END_TEST

TEST_MAIN("gpu roof", roofs, vector_programs)
