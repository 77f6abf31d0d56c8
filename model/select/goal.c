/* goal.c - a recall as it is written: the loss that it allows, and how many elements a row may
 * lose.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <base/decimal.h>
#include <base/text.h>
#include <model/recallmodel/select.h>

int rcm_goal(const char *recall, uint64_t k, struct rcm_goal *goal)
{
    struct decimal decimal;
    if (parse_decimal(recall, &decimal) || decimal.digits == 0 ||
        decimal_complement(decimal) < 0.0 || k < 1 || k > RCM_N_MAX)
        return -1;
    *goal = (struct rcm_goal){.recall = decimal_value(decimal),
                              .loss = decimal_complement(decimal),
                              .most_lost = decimal_most_lost(decimal, k)};
    return 0;
}

int rcm_goal_of_number(double recall, uint64_t k, struct rcm_goal *goal)
{
    enum { FEWEST = 15 };
    char text[48];
    text_of_number(text, FEWEST, recall);
    if (rcm_goal(text, k, goal) == 0)
        return 0;
    text_of_digits(text, FEWEST, recall);
    return rcm_goal(text, k, goal);
}
