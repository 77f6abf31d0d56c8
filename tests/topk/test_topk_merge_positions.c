/* test_topk_merge_positions.c - a merge refuses a position that two elements of its k best have.
 *
 * Against: all pairs of what was sent.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cases.h"

/* One position twice: refused where both are among the k, equal values or not, and only there;
 * whether they come of one part or of two; padding may stand often. */
START_TEST(one_position_twice)
{
    uint64_t state = 64, refused = 0;
    for (unsigned i = 0; i < (few_cases() ? 5000 : 50000); i++) {
        float values[2][20], got[40];
        int64_t at[2][20], indices[40];
        bool unproved[2];
        uint64_t rows;
        _Alignas(64) char workspace[4096];
        const uint64_t most = random_between(&state, 30, 4000);
        struct rcm_top_k_part parts[2];
        for (size_t p = 0; p < 2; p++) {
            parts[p] = (struct rcm_top_k_part){values[p], at[p], random_between(&state, 1, 20), 0};
            for (size_t j = 0; j < 20; j++) {
                values[p][j] = (float)random_between(&state, 0, 9);
                at[p][j] = (int64_t)random_between(&state, 0, most) - 3;
            }
        }
        const struct rcm_top_k_merge_call call = {.parts = parts,
                                                  .length = 2,
                                                  .m = 1,
                                                  .k = parts[0].count + parts[1].count,
                                                  .wide = true,
                                                  .values = got,
                                                  .indices = indices,
                                                  .unproved = unproved};
        bool twice = false;
        for (size_t a = 0; a < call.k; a++)
            for (size_t b = 0; b < a; b++) {
                const size_t first = parts[0].count;
                const int64_t x = a < first ? at[0][a] : at[1][a - first],
                              y = b < first ? at[0][b] : at[1][b - first];
                twice = twice || (x >= 0 && x == y);
            }
        const enum rcm_top_k_status status =
            rcm_top_k_merge(&call, workspace, sizeof workspace, &rows);
        ck_assert_int_eq(status, twice ? RCM_TOP_K_BAD_POSITIONS : RCM_TOP_K_OK);
        refused += twice ? 1 : 0;
        struct rcm_top_k_merge_call fewer = call;
        fewer.k = 2; /* what is behind them is not looked at */
        fewer.indices = NULL;
        parts[0] = (struct rcm_top_k_part){(float[]){9, 1}, (int64_t[]){3, 7}, 2, false};
        parts[1] =
            (struct rcm_top_k_part){(float[]){9, 0}, (int64_t[]){i % 2 ? 3 : 4, 7}, 2, false};
        ck_assert_int_eq(rcm_top_k_merge(&fewer, workspace, sizeof workspace, &rows),
                         i % 2 ? RCM_TOP_K_BAD_POSITIONS : RCM_TOP_K_OK);
    }
    printf("%" PRIu64 " merges refused\n", refused);
    ck_assert_uint_ge(refused, 500);
}
END_TEST

TEST_MAIN("positions of a merge", one_position_twice)
