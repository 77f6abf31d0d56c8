/* test_profile_errors.c - text that is no profile: it is rejected with its line and the reason.
 *
 * Against: every key twice, bad lines by number, every cut, 100,000 texts of random bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <glob.h>

#include "profile_text.h"

#define DEVICE "bandwidth_bytes_per_s = 1e12\nvector_rate_per_s = 1e12\n"

START_TEST(bad_lines)
{
    static const struct {
        const char *text;
        int line;
        const char *said;
    } cases[] = {
        {"", -1, "needs bandwidth_bytes_per_s"},
        {"\n\nspeed = 3\n", 3, "speed is not a known key (name, source, bandwidth_bytes_per_s"},
        {"nonsense", 1, "key = value"},
        {"= 3", 1, "is not a known key"},
        {"name = x\r\nlaunch us = 3", 2, "launch us is not a known key"},
        {"bandwidth_bytes_per_s = 0x1p40", 1, "is not a positive number but '0x1p40'"},
        {"bandwidth_bytes_per_s = 1_0", 1, "'1_0'"},
        {"bandwidth_bytes_per_s = 1,5", 1, "'1,5'"},
        {"bandwidth_bytes_per_s = 1.5.2", 1, "'1.5.2'"},
        {"bandwidth_bytes_per_s = 1e", 1, "'1e'"},
        {"bandwidth_bytes_per_s = .", 1, "'.'"},
        {"bandwidth_bytes_per_s = e5", 1, "'e5'"},
        {"bandwidth_bytes_per_s = 1 2", 1, "'1 2'"},
        {"bandwidth_bytes_per_s =", 1, "''"},
        {"bandwidth_bytes_per_s = inf", 1, "'inf'"},
        {"bandwidth_bytes_per_s = nan", 1, "'nan'"},
        {"bandwidth_bytes_per_s = 1e400", 1, "'1e400'"},
        {"bandwidth_bytes_per_s = 1e-400", 1, "'1e-400'"},
        {"bandwidth_bytes_per_s = 0", 1, "'0'"},
        {"bandwidth_bytes_per_s = -1", 1, "'-1'"},
        {"m_low = \xff", 1, "but '?'"},
        {"m_low = 0123456789012345678901234567890123456789\xc3\xa9", 1, "56789..'"},
        {"m_low = 012345678901234567890123456789012345678\xc3\xa9", 1, "45678..'"},
        {"\x1b[31m = 3", 1, "? is not a known key"},
        {"name = a\tb", 1, "name has control characters or is not UTF-8"},
        {"name = \xc3", 1, "name has control characters or is not UTF-8"},
        {"name = 0123456789012345678901234567890123456789", 1, "too long; write at most 39 bytes"},
        {"kernel = any", 1, "not a kernel whose times can be predicted (ours, graphcore"},
        {"kernel = Ours", 1, "but 'Ours'"},
        {"dtype = f8", 1, "dtype is not f32, f16 or bf16 but 'f8'"},
        {"kernel = ours", -1, "launch_us"},
        {"block_us = 3", -1, "has the numbers of a profile, but no kernel = "},
        {"name = a\nname = b", 2, "name is given twice; line 1 already has it"},
        {"#\nm_low = 1\n\nm_low = 1", 4, "m_low is given twice; line 2 already has it"},
    };
    static struct rcm_device_text out;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int line = read_text(cases[i].text, strlen(cases[i].text), &out);
        ck_assert_msg(line == cases[i].line && strstr(error, cases[i].said), "%s: %d: %s",
                      cases[i].text, line, error);
    }
    ck_assert_int_eq(read_text("name = a\nname = a\0b", 20, &out), 2);
    ck_assert_ptr_nonnull(strstr(error, "zero byte"));
}
END_TEST

START_TEST(good_lines)
{
    static const char *const cases[] = {
        DEVICE,
        "\n # remark = 3\r\n" DEVICE "name =\nname2",
        "bandwidth_bytes_per_s=+1.e12\r\n\t vector_rate_per_s\t=\t.5E+12#x=y\r\n",
        "name = \xf0\x9f\x98\x80 = \"\\\n" DEVICE,
    };
    static struct rcm_device_text out;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t length = strlen(cases[i]) - (i == 1 ? strlen("\nname2") : 0);
        ck_assert_msg(read_text(cases[i], length, &out) == 0, "%s: %s", cases[i], error);
        ck_assert_double_eq(out.device.bandwidth_bytes_per_s, 1e12);
    }
    check_same_text(out.device.name, "\xf0\x9f\x98\x80 = \"\\");
}
END_TEST

/* Each key of a whole profile, given a second time. */
START_TEST(duplicates)
{
    static char text[RCM_PROFILE_TEXT_MOST];
    static struct rcm_device_text first, out;
    uint64_t state = 7;
    random_profile(&state, &first);
    first.profile.date = first.profile.source = first.profile.runs = first.profile.card = "a";
    first.device = *rcm_device_by_name("H100-PCIe");
    const size_t length = write_entry(&first, text, sizeof text - 100);
    int last = 1;
    for (size_t i = 0; i < length; i++)
        last += text[i] == '\n';
    struct rcm_text_key key;
    for (size_t i = 0; (key = rcm_text_key(i)).name; i++) {
        const char *value = key.kind == RCM_TEXT_KERNEL  ? "ours"
                            : key.kind == RCM_TEXT_DTYPE ? "f16"
                                                         : "3";
        snprintf(text + length, 100, "%s = %s", key.name, value);
        ck_assert_msg(read_text(text, strlen(text), &out) == last, "%s", key.name);
        ck_assert_msg(strstr(error, "is given twice; line "), "%s: %s", key.name, error);
    }
    printf("%d lines, each key twice\n", last);
}
END_TEST

START_TEST(long_texts)
{
    static char text[RCM_PROFILE_TEXT_MOST + 1];
    static struct rcm_device_text out;
    memset(text, ' ', sizeof text);
    memcpy(text, DEVICE, strlen(DEVICE));
    text[strlen(DEVICE)] = '#';
    ck_assert_int_eq(read_text(text, strlen(DEVICE) + 511, &out), 0);
    ck_assert_int_eq(read_text(text, strlen(DEVICE) + 512, &out), 3);
    ck_assert_ptr_nonnull(strstr(error, "a line of more than 511 bytes"));
    for (size_t i = strlen(DEVICE); i < sizeof text; i += 100)
        text[i] = '\n';
    ck_assert_int_eq(read_text(text, RCM_PROFILE_TEXT_MOST - 1, &out), 0);
    ck_assert_int_eq(read_text(text, RCM_PROFILE_TEXT_MOST, &out), -1);
    ck_assert_ptr_nonnull(strstr(error, "less than 64 KB"));
    ck_assert_int_eq(rcm_profile_text_read("x", 1, &out, NULL, 0), 1);
}
END_TEST

/* A profile cut at every byte gives a complete device or an error message. */
START_TEST(cut_at_every_byte)
{
    static char text[RCM_PROFILE_TEXT_MOST];
    static struct rcm_device_text out;
    size_t good = 0, length = 0;
    glob_t found;
    ck_assert_int_eq(glob("model/time/profiles/*.profile", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        length = read_file(found.gl_pathv[i], text, sizeof text);
        for (size_t cut = 0; cut <= length; cut++)
            if (read_text(text, cut, &out) == 0) {
                good++;
                ck_assert_uint_gt(cut, 50);
                (void)rcm_predict(&out.profile,
                                  (struct rcm_topk){1024, 64, 64, 2, 1, 0, RCM_INTERLEAVED, NULL});
            } else {
                ck_assert(rcm_text_is_plain(error));
            }
    }
    ck_assert_int_eq(read_text(text, length, &out), 0);
    printf("%zu cuts leave a whole profile or device\n", good);
    globfree(&found);
}
END_TEST

/* Random bytes, and a profile with some random bytes. */
START_TEST(random_bytes)
{
    static char profile[RCM_PROFILE_TEXT_MOST], text[RCM_PROFILE_TEXT_MOST],
        again[RCM_PROFILE_TEXT_MOST];
    static struct rcm_device_text out;
    uint64_t state = 5;
    size_t good = 0;
    const size_t length =
        rcm_profile_text_write(profile, sizeof profile, rcm_profile(0), rcm_device(0), NULL);
    for (size_t i = 0; i < (few_cases() ? 20000 : 100000); i++) {
        size_t size = length;
        memcpy(text, profile, length);
        if (i % 2) {
            size = random_scale(&state, 1, 300);
            for (size_t j = 0; j < size; j++)
                text[j] = (char)next_random(&state);
        }
        for (uint64_t changes = i % 2 ? 0 : random_between(&state, 1, 3); changes; changes--)
            text[next_random(&state) % size] = (char)next_random(&state);
        if (read_text(text, size, &out) == 0) {
            good++;
            ck_assert_uint_gt(write_entry(&out, again, sizeof again), 0);
        } else {
            ck_assert_msg(rcm_text_is_plain(error), "%s", error);
        }
    }
    printf("%zu of 100000 texts of random bytes could be used\n", good);
    ck_assert_uint_gt(good, 1000);
}
END_TEST

TEST_MAIN("profile errors", bad_lines, good_lines, duplicates, long_texts, cut_at_every_byte,
          random_bytes)
