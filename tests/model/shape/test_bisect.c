/* Searches for where a property of whole numbers begins to hold.
 *
 * Against: a scan, every small range, guess and step; counts of questions; unknown answers.
 *
 * Slow: 4 s.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <model/shape/bisect.h>
#include <tests/test.h>

/* Numbers from `first` on have the property; those from unknown_low to unknown_high are unknown. */
struct step {
    uint64_t low, high, first, unknown_low, unknown_high;
    unsigned asked, outside; /* numbers asked for; of these, not from low to high */
};

static enum answer is_from_first(void *context, uint64_t x)
{
    struct step *step = context;
    step->asked++;
    step->outside += x < step->low || x > step->high;
    if (step->unknown_low <= x && x <= step->unknown_high)
        return UNKNOWN;
    return x >= step->first ? YES : NO;
}

START_TEST(finds_the_first)
{
    for (uint64_t low = 1; low < 12; low++)
        for (uint64_t high = low; high < 30; high++)
            for (uint64_t first = 1; first <= high + 2; first++) {
                struct step step = {.low = low, .high = high, .first = first};
                const uint64_t want = first < low ? low : first < high ? first : high;
                ck_assert_uint_eq(bisect(low, high, is_from_first, &step), want);
                unsigned wrong = 0;
                for (uint64_t guess = low; guess <= high; guess++)
                    for (uint64_t distance = 1; distance < 9; distance++)
                        wrong += bisect_from(low, high, guess, distance, is_from_first, &step) !=
                                 (first > high ? 0 : want);
                ck_assert_msg(wrong == 0 && step.outside == 0,
                              "%" PRIu64 " to %" PRIu64 ", first %" PRIu64 ": %u wrong, %u outside",
                              low, high, first, wrong, step.outside);
            }
}
END_TEST

/* Near a good guess few numbers are asked, however wide the range is. */
START_TEST(asks_near_the_guess)
{
    const uint64_t high = (UINT64_C(1) << 53) - 1, first = UINT64_C(1) << 40;
    for (uint64_t off = 0; off < 200; off++)
        for (int sign = -1; sign <= 1; sign += 2) {
            struct step step = {.low = 1, .high = high, .first = first};
            const uint64_t guess = sign > 0 ? first + off : first - off;
            ck_assert_uint_eq(bisect_from(1, high, guess, 1, is_from_first, &step), first);
            ck_assert_msg(step.asked <= 3 + 2 * log2(1.0 + (double)off), "off %" PRIu64 ": %u", off,
                          step.asked);
        }
}
END_TEST

/* An unknown answer ends the search. Unknown numbers that it need not ask do no harm. */
START_TEST(unknown_answers)
{
    struct step step = {1, 1000, 300, 100, 200, 0, 0};
    ck_assert_uint_eq(bisect_from(1, 1000, 310, 4, is_from_first, &step), 300);
    ck_assert_uint_eq(bisect_from(1, 1000, 150, 4, is_from_first, &step), 0);
    ck_assert_uint_eq(bisect_from(1, 1000, 210, 4, is_from_first, &step), 300);
    ck_assert_uint_eq(bisect_from(1, 1000, 90, 32, is_from_first, &step), 0);
    step = (struct step){1, 1000, 300, 500, 500, 0, 0};
    ck_assert_uint_eq(bisect(1, 1000, is_from_first, &step), 0);
    step = (struct step){1, 1000, 300, 501, 1000, 0, 0};
    ck_assert_uint_eq(bisect(1, 1000, is_from_first, &step), 300);
}
END_TEST

TEST_MAIN("bisect", finds_the_first, asks_near_the_guess, unknown_answers)
