/* test_status_text.c - the text of a status. Every small shape outside the domain gets one
 * sentence with its numbers and what to give instead, and that is in the domain.
 *
 * Against: all shapes with numbers up to 8.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

static char text[RCM_STATUS_TEXT_MOST];

static const char *said(enum rcm_status status, struct rcm_topk p)
{
    const size_t length = rcm_status_text(status, p, text, sizeof text);
    ck_assert_msg(length == strlen(text), TOPK_FMT ": %zu %s", TOPK_ARG(p), length, text);
    return text;
}

static const char *said_of(struct rcm_topk p)
{
    return said(rcm_check(p), p);
}

START_TEST(by_name)
{
    const uint64_t most = RCM_N_MAX, more = most + 1;
    static const char much[] = " = 9007199254740992 is larger than 2^53 - 1 = 9007199254740991; ";
    ck_assert_str_eq(said_of((struct rcm_topk){.n = 10, .k = 5, .b = 5, .k_b = 1}), "");
    ck_assert_str_eq(said_of((struct rcm_topk){.n = 10, .k = 20, .b = 5, .k_b = 1}),
                     "k = 20 is larger than n = 10; give at most that");
    ck_assert_str_eq(said_of((struct rcm_topk){.n = 10, .k = 0, .b = 5, .k_b = 1}),
                     "k is zero; give a whole number from 1 on");
    ck_assert_ptr_nonnull(strstr(said_of((struct rcm_topk){.n = more, .k = 5}), much));
    ck_assert_str_eq(said_of((struct rcm_topk){.n = 10, .k = 5, .b = 5, .k_b = 1, .valid = 3}),
                     "valid = 3 is less than k = 5; give at least that");
    ck_assert_str_eq(said_of((struct rcm_topk){.n = 10, .k = 5, .b = 5, .k_b = 1, .valid = 11}),
                     "valid = 11 is larger than n = 10; give at most that");
    ck_assert_str_eq(said_of((struct rcm_topk){.n = 10, .k = 5, .b = 11, .k_b = 1}),
                     "b = 11 is larger than n = 10; give at most that");
    ck_assert_ptr_nonnull(strstr(said_of((struct rcm_topk){10, 5, 5, more, 1, 0, 0, NULL}), much));
    struct rcm_topk p = {.n = 12, .k = 5, .b = 6, .k_b = 3};
    ck_assert_str_eq(said(rcm_check_deployable(p), p),
                     "k_b = 3 is larger than a bucket of n = 12, b = 6; give b = 5 or less");
    p.b = 1, p.k_b = 4;
    ck_assert_str_eq(said(rcm_check_deployable(p), p),
                     "b = 1 with k_b = 4 keeps fewer than k = 5 candidates; give b = 2 or more");
    p.k_b = 6;
    ck_assert_str_eq(said(rcm_check_deployable(p), p),
                     "k_b = 6 is larger than k = 5; give at most that");
}
END_TEST

/* The longest text fits. A buffer of any size gets what fits. A status that does not belong to p
 * does no harm. */
START_TEST(sizes)
{
    const struct rcm_topk large = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,
                                   1,          UINT64_MAX, 0,          NULL};
    const struct rcm_topk shapes[] = {
        large, {0}, {RCM_N_MAX, RCM_N_MAX, RCM_N_MAX, RCM_N_MAX, 1, 0, 0, NULL}};
    char part[RCM_STATUS_TEXT_MOST];
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int status = RCM_OK; status <= RCM_BAD_LENGTHS + 1; status++) {
            const size_t length = strlen(said((enum rcm_status)status, shapes[i]));
            for (size_t size = 1; size < sizeof part; size++) {
                rcm_status_text((enum rcm_status)status, shapes[i], part, size);
                const size_t kept = size <= length ? size - 1 : length;
                ck_assert(strncmp(part, text, kept) == 0 && part[kept] == '\0');
            }
            ck_assert_uint_eq(rcm_status_text((enum rcm_status)status, shapes[i], NULL, 0), length);
        }
}
END_TEST

/* Every shape with numbers up to 8: the text is empty exactly where the shape is in the domain. */
START_TEST(small_shapes)
{
    size_t wrong = 0;
    for (uint64_t i = 0; i < 9 * 9 * 9 * 9 * 9; i++) {
        struct rcm_topk p = {i % 9, i / 9 % 9, i / 81 % 9,      i / 729 % 9,
                             1,     i / 6561,  RCM_INTERLEAVED, NULL};
        ck_assert_int_eq(rcm_check(p) == RCM_OK, !*said_of(p));
        const enum rcm_status status = rcm_check_deployable(p);
        ck_assert_int_eq(status == RCM_OK, !*said(status, p));
        wrong += status != RCM_OK;
        ck_assert_msg(status == RCM_OK || strstr(text, "; give "), "%s", text);
        ck_assert_msg(!strstr(text, "b = 0 or"), "%s", text);
    }
    printf("%zu shapes that cannot be deployed\n", wrong);
}
END_TEST

TEST_MAIN("status_text", by_name, sizes, small_shapes)
