/* test_cpu_proof_team.c - so many rows that a team of threads proves them: right results pass, and
 * the faults of every row are counted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <programs/bench-cpu/check.h>
#include <programs/bench-cpu/cpu.h>
#include <tests/test.h>

__attribute__((constructor)) static void set_backend(void)
{
    backend = &cpu_backend;
}

START_TEST(rows_are_proved_by_a_team)
{
    enum { M = 512, N = 1024 };
    static float many[M * N], best[M];
    static int32_t at[M];
    static int64_t keys[M];
    const struct cell c = {.kernel = kernel_by_name(TASK_EXACT, "threshold"),
                           .n = N,
                           .k = 1,
                           .b = 1,
                           .k_b = 1,
                           .m = M};
    uint64_t state = 1, invalid = 0, altered = 0;
    for (size_t i = 0; i < M * N; i++)
        many[i] = (float)(next_random(&state) % 1000000);
    for (size_t row = 0; row < M; row++) {
        at[row] = 0;
        for (int32_t i = 1; i < N; i++)
            at[row] = many[row * N + (size_t)i] > many[row * N + (size_t)at[row]] ? i : at[row];
        best[row] = many[row * N + (size_t)at[row]];
    }
    const struct verdict none = {0}, right = check_outputs(&c, true, many, best, at);
    ck_assert_mem_eq(&right, &none, sizeof none);
    true_topk(&c, many, keys);
    ck_assert_uint_eq(count_hits(&c, keys, best), M);
    for (size_t row = 0; row < M; row++)
        if (row % 3 == 0)
            invalid++, at[row] = N;
        else if (row % 3 == 1)
            altered++, best[row] += 1.0f;
    const struct verdict v = check_outputs(&c, true, many, best, at);
    ck_assert_uint_eq(v.invalid, invalid);
    ck_assert_uint_eq(v.altered, altered);
    ck_assert_uint_eq(v.repeated + v.misplaced + v.unsorted, 0);
}
END_TEST

TEST_MAIN("cpu_proof_team", rows_are_proved_by_a_team)
