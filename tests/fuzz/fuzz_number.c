/* fuzz_number.c - libFuzzer on numbers and lists as people type them: any text gives values or a
 * reason. make check-fuzz runs it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <base/number.h>
#include <model/recallmodel.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void require(int truth)
{
    if (!truth)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct count_list counts;
    struct decimal_list decimals;
    struct decimal decimal, again;
    char item[ITEM_MAX], printed[64], *text = malloc(length + 1);
    uint64_t count;
    require(text != NULL);
    memcpy(text, bytes, length);
    text[length] = '\0';
    if (!parse_count(text, &count))
        require(count >= 1 && count <= RCM_N_MAX);
    if (!parse_decimal(text, &decimal)) { /* The printed value reads back as the same */
        format_decimal(printed, sizeof printed, decimal);
        require(!parse_decimal(printed, &again) && decimal_value(again) == decimal_value(decimal));
    }
    if (!parse_count_list(text, &counts, item)) {
        require(counts.length >= 1 && counts.length <= LIST_MAX);
        sort_counts(&counts);
        for (size_t i = 1; i < counts.length; i++)
            require(counts.items[i] > counts.items[i - 1]);
    } else {
        require(counts.items == NULL && strlen(item) < ITEM_MAX);
    }
    free(counts.items);
    if (!parse_decimal_list(text, &decimals, item))
        require(decimals.length >= 1 && decimals.length <= LIST_MAX);
    free(decimals.items);
    free(text);
    return 0;
}
