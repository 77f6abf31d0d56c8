/* test_number.c - numbers and lists as people type them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <base/number.h>
#include <base/text.h>
#include <tests/test.h>

static const struct {
    const char *text;
    uint64_t value;
} good_counts[] = {
    {"1", 1},
    {"262144", 262144},
    {"2^18", 262144},
    {"256Ki", 262144},
    {"1Mi", 1048576},
    {"1e6", 1000000},
    {"1.5e6", 1500000},
    {"1E+3", 1000},
    {"2.50e2", 250},
    {"10.0", 10},
    {"007", 7},
    {"7^1", 7},
    {"1^99999", 1},
    {"9007199254740991", RCM_N_MAX},
    {"3^33", UINT64_C(5559060566555523)},
    {"4Ti", UINT64_C(4) << 40},
    {"7Pi", UINT64_C(7) << 50},
    {"1.0", 1},
    {"0.5e1", 5},
    {"128k", 128000},
    {"1M", 1000000},
    {"2G", 2000000000},
    {"1.5k", 1500},
    {"0.25M", 250000},
    {"9P", UINT64_C(9) * 1000000000000000},
    {"3T", UINT64_C(3) * 1000000000000},
    {"128_256", 128256},
    {"1_0e1_0", UINT64_C(100000000000)},
    {"2^1_8", 262144},
    {"1_024Ki", 1048576},
    {"151_936.0", 151936},
    {"1.0000k", 1000},
};

static const struct {
    const char *text, *wrong; /* a part of the message */
} bad_counts[] = {
    {"", "empty"},
    {"0", "zero"},
    {"-5", "negative"},
    {"1.5", "whole"},
    {"1e-3", "whole"},
    {"0x10", "hexadecimal"},
    {"0X1", "hexadecimal"},
    {"abc", "not a number"},
    {"12a", "not a number"},
    {"1 ", "not a number"},
    {" 1", "not a number"},
    {"+1", "not a number"},
    {"2^", "not a number"},
    {"^2", "not a number"},
    {"2^-1", "not a number"},
    {"1K", "k is 1000, Ki is 1024"},
    {"1.5K", "k is 1000"},
    {"1kk", "not a number"},
    {"1k5", "not a number"},
    {"1ki", "not a number"},
    {"1m", "not a number"},
    {"k", "not a number"},
    {"1.5Ki", "not a number"},
    {"1.2345k", "whole"},
    {"1e3k", "not a number"},
    {"10P", "larger"},
    {"_1", "not a number"},
    {"1_", "not a number"},
    {"1__0", "not a number"},
    {"1_.5e3", "not a number"},
    {"1._5e3", "not a number"},
    {"1_k", "not a number"},
    {"2_^3", "not a number"},
    {"1.2_5e3", "not a number"},
    {"2^8k", "not a number"},
    {"1KB", "not a number"},
    {"1KiB", "not a number"},
    {"1e", "not a number"},
    {"1.", "not a number"},
    {".5", "not a number"},
    {"1e5e5", "not a number"},
    {"2^53", "larger"},
    {"9007199254740992", "larger"},
    {"1e400", "larger"},
    {"8Pi", "larger"},
    {"99999999999999999999999999", "larger"},
    {"2^99999999999999999999", "larger"},
    {"nan", "not a number"},
    {"inf", "not a number"},
    {"0^0^1", "not a number"},
    {"0e5", "zero"},
    {"1..2", "not a number"},
    {"1.5e0", "whole"},
    {"0.00001e4", "whole"},
};

START_TEST(counts)
{
    for (size_t i = 0; i < sizeof good_counts / sizeof *good_counts; i++) {
        uint64_t value = 0;
        const char *wrong = parse_count(good_counts[i].text, &value);
        ck_assert_msg(!wrong && value == good_counts[i].value, "'%s': %" PRIu64 ", %s",
                      good_counts[i].text, value, wrong ? wrong : "");
    }
    for (size_t i = 0; i < sizeof bad_counts / sizeof *bad_counts; i++) {
        uint64_t value = 12345;
        const char *wrong = parse_count(bad_counts[i].text, &value);
        ck_assert_msg(wrong && strstr(wrong, bad_counts[i].wrong) && value == 12345, "'%s': %s",
                      bad_counts[i].text, wrong ? wrong : "accepted");
    }
}
END_TEST

START_TEST(count_lists)
{
    char item[ITEM_MAX];
    struct count_list list;
    ck_assert_ptr_null(parse_count_list("1,2,4", &list, item));
    ck_assert(list.length == 3 && list.items[0] == 1 && list.items[1] == 2 && list.items[2] == 4);
    free(list.items);
    ck_assert_ptr_null(parse_count_list("1..8,2^4,1Ki", &list, item));
    ck_assert(list.length == 10 && list.items[7] == 8 && list.items[8] == 16 &&
              list.items[9] == 1024);
    free(list.items);
    ck_assert_ptr_null(parse_count_list("1..65536", &list, item));
    ck_assert_uint_eq(list.length, LIST_MAX);
    free(list.items);
    ck_assert_ptr_null(parse_count_list("4,1,4,2,1", &list, item));
    sort_counts(&list);
    ck_assert(list.length == 3 && list.items[0] == 1 && list.items[1] == 2 && list.items[2] == 4);
    free(list.items);
    ck_assert_ptr_nonnull(parse_count_list("1,2,x,4", &list, item));
    ck_assert_str_eq(item, "x");
    static const char *const bad[][2] = {
        {"", "empty"},       {",", "empty"},          {"1,", "empty"},    {"1,,2", "empty"},
        {"8..1", "before"},  {"1..", "empty"},        {"..4", "empty"},   {"1..65537", "65536"},
        {"1..1e9", "65536"}, {"1..65536,1", "65536"}, {"1..x", "number"}, {"1...3", "not a number"},
        {"1:2:3", "number"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *wrong = parse_count_list(bad[i][0], &list, item);
        ck_assert_msg(wrong && strstr(wrong, bad[i][1]) && !list.items && !list.length, "'%s': %s",
                      bad[i][0], wrong ? wrong : "accepted");
    }
}
END_TEST

START_TEST(decimals)
{
    struct decimal decimal;
    ck_assert_ptr_null(parse_decimal("0.95", &decimal));
    ck_assert_double_eq(decimal_value(decimal), 0.95);
    ck_assert_double_eq(decimal_complement(decimal),
                        0.05); /* 1 - 0.95 in doubles is 0.05000000000000004 */
    ck_assert_ptr_null(parse_decimal(".999999999999999", &decimal));
    ck_assert_double_eq(decimal_complement(decimal), 1e-15);
    ck_assert_ptr_null(parse_decimal("1", &decimal));
    ck_assert_double_eq(decimal_complement(decimal), 0.0);
    ck_assert_ptr_null(parse_decimal("1.000", &decimal));
    ck_assert_double_eq(decimal_value(decimal), 1.0);
    static const char *const texts[][2] = {{"0.950", "0.95"},
                                           {"1.0", "1"},
                                           {".5", "0.5"},
                                           {"0.999999999999999999", "0.999999999999999999"},
                                           {"007.25", "7.25"},
                                           {"1e-6", "0.000001"},
                                           {"2.50e-3", "0.0025"},
                                           {"1.25e1", "12.5"},
                                           {"5E+0", "5"},
                                           {"1e-18", "0.000000000000000001"},
                                           {"100e-20", "0.000000000000000001"},
                                           {"1000000000000000000000e-21", "1"},
                                           {"0.50000000000000000000", "0.5"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[32];
        ck_assert_ptr_null(parse_decimal(texts[i][0], &decimal));
        format_decimal(text, sizeof text, decimal);
        ck_assert_str_eq(text, texts[i][1]);
    }
    static const char *const bad[][2] = {{"", "empty"},
                                         {".", "decimal"},
                                         {"1e-", "decimal"},
                                         {"1e3x", "decimal"},
                                         {"1e-19", "18 digits"},
                                         {"1e18", "18 digits"},
                                         {"0.1e-99999999999999999999", "18 digits"},
                                         {"0.1000000000000000001", "18 digits"},
                                         {"-0.5", "negative"},
                                         {"0x1", "hexadecimal"},
                                         {"0.5.5", "decimal"},
                                         {"95%", "decimal"},
                                         {"0.1234567890123456789", "18 digits"},
                                         {"nan", "decimal"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *wrong = parse_decimal(bad[i][0], &decimal);
        ck_assert_msg(wrong && strstr(wrong, bad[i][1]), "'%s': %s", bad[i][0],
                      wrong ? wrong : "accepted");
    }
}
END_TEST

START_TEST(long_decimals)
{
    struct decimal decimal;
    /* The result is the nearest double for any number of digits: 0.0000013100 and 0.00000131 are
     * one number (the fuzzer found this). */
    static const char *const long_ones[] = {"65530000.0000013100", "65530000.00000131",
                                            "0.123456789012345678", "0.999999999999999999",
                                            "99999999999.9999999"};
    for (size_t i = 0; i < sizeof long_ones / sizeof *long_ones; i++) {
        ck_assert_ptr_null(parse_decimal(long_ones[i], &decimal));
        ck_assert_msg(decimal_value(decimal) == strtod(long_ones[i], NULL), "%s gives %.17g",
                      long_ones[i], decimal_value(decimal));
    }
    ck_assert_ptr_null(parse_decimal("0.999999999999999999", &decimal));
    ck_assert_double_eq(decimal_complement(decimal), 1e-18);
    ck_assert_ptr_null(parse_decimal("1.25", &decimal));
    ck_assert_double_eq(decimal_complement(decimal), -0.25);
}
END_TEST

START_TEST(amounts)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {{"256", 256.0},        {"2^8", 256.0},
                {"1Ki", 1024.0},       {"59.5", 59.5},
                {"0.05", 0.05},        {".5", 0.5},
                {"1.5k", 1500.0},      {"9491745.958", 9491745.958},
                {"1e6", 1e6},          {"1e-3", 1e-3},
                {"1_000.25", 1000.25}, {"9007199254740991", 9007199254740991.0}};
    static const char *const bad[][2] = {
        {"", "empty"},           {"0", "zero"},           {"0.0", "zero"},
        {"-1", "negative"},      {"-0.5", "negative"},    {"0x1p-1", "hexadecimal"},
        {"0x10", "hexadecimal"}, {"nan", "not a number"}, {"inf", "not a number"},
        {"1e-", "not a number"}, {"1e400", "larger"},     {"2^53", "larger"},
        {"1K", "k is 1000"},     {"5us", "not a number"}, {"1.2.3", "not a number"},
        {" 5", "not a number"}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double value = 0.0;
        const char *wrong = parse_amount(good[i].text, &value);
        ck_assert_msg(!wrong && value == good[i].value, "'%s': %.17g, %s", good[i].text, value,
                      wrong ? wrong : "");
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value = 12345.0;
        const char *wrong = parse_amount(bad[i][0], &value);
        ck_assert_msg(wrong && strstr(wrong, bad[i][1]) && value == 12345.0, "'%s': %s", bad[i][0],
                      wrong ? wrong : "accepted");
    }
}
END_TEST

START_TEST(decimal_lists)
{
    char item[ITEM_MAX];
    struct decimal_list list;
    ck_assert_ptr_null(parse_decimal_list("0:0.1:0.9", &list, item));
    ck_assert_uint_eq(list.length, 10);
    ck_assert_double_eq(decimal_value(list.items[3]), 0.3); /* not 0.30000000000000004 */
    ck_assert_double_eq(decimal_value(list.items[9]), 0.9);
    free(list.items);
    ck_assert_ptr_null(parse_decimal_list("0.5,0.8:0.05:0.95", &list, item));
    ck_assert_uint_eq(list.length, 5);
    ck_assert_double_eq(decimal_value(list.items[4]), 0.95);
    free(list.items);
    static const char *const bad[][2] = {{"0:0:1", "step"},
                                         {"1:0.1:0", "before"},
                                         {"0:1", "range"},
                                         {"0:1:2:3", "range"},
                                         {"0:0.000001:1", "65536"},
                                         {"0.5,", "empty"},
                                         {"9999999999:0.0000000001:9999999999", "18 digits"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *wrong = parse_decimal_list(bad[i][0], &list, item);
        ck_assert_msg(wrong && strstr(wrong, bad[i][1]) && !list.items, "'%s': %s", bad[i][0],
                      wrong ? wrong : "accepted");
    }
}
END_TEST

START_TEST(anything_at_all)
{
    /* Random strings of the letters that have a meaning: no crash, and an accepted number is in
     * range. */
    static const char letters[] = "0123456789.,:^eE-+xkKMiTP_ ";
    uint64_t state = 1;
    for (int i = 0; i < 200000; i++) {
        char text[24];
        size_t length = next_random(&state) % 16;
        for (size_t j = 0; j < length; j++)
            text[j] = letters[next_random(&state) % (sizeof letters - 1)];
        text[length] = '\0';
        struct count_list counts;
        char item[ITEM_MAX];
        struct decimal_list decimals;
        if (!parse_count_list(text, &counts, item))
            for (size_t j = 0; j < counts.length; j++)
                ck_assert_msg(counts.items[j] >= 1 && counts.items[j] <= RCM_N_MAX, "'%s'", text);
        free(counts.items);
        if (!parse_decimal_list(text, &decimals, item))
            for (size_t j = 0; j < decimals.length; j++)
                ck_assert_msg(decimal_value(decimals.items[j]) >= 0.0, "'%s'", text);
        free(decimals.items);
    }
}
END_TEST

/* text_number() promises 511 bytes. A longer text is no number, not the beginning of one. */
START_TEST(long_texts)
{
    char text[600];
    memset(text, '0', sizeof text);
    memcpy(text + 508, ".25", 4);
    ck_assert_double_eq(text_number(text), 0.25);
    memset(text, '0', sizeof text);
    memcpy(text + 509, ".25", 4);
    ck_assert_double_nan(text_number(text));
}
END_TEST

TEST_MAIN("number", counts, count_lists, decimals, long_decimals, amounts, decimal_lists,
          long_texts, anything_at_all)
