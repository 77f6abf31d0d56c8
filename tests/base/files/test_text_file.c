/* test_text_file.c - texts with and without a byte order mark and "\r\n", of every length around
 * those at which memory grows, and from a pipe.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <base/files/text_file.h>
#include <tests/test.h>

static char path[] = "/tmp/text_file.XXXXXX";

static void reads(const char *bytes, size_t written, const char *text, size_t length)
{
    size_t got = 0;
    write_bytes(path, bytes, written);
    char *read = text_file_read(path, written, &got);
    ck_assert_msg(read && got == length && memcmp(read, text, length + 1) == 0, "'%s'", bytes);
    free(read);
    if (written == 0)
        return;
    ck_assert_ptr_null(text_file_read(path, written - 1, &got));
    ck_assert_int_eq(errno, EFBIG);
}
#define READS(bytes, text) reads(bytes, sizeof bytes - 1, text, sizeof text - 1)

START_TEST(what_is_text)
{
    close(mkstemp(path));
    READS("", "");
    READS("\xEF\xBB\xBF", "");
    READS("\xEF\xBB"
          "a",
          "\xEF\xBB"
          "a");
    READS("\xEF\xBB\xBF"
          "a\r\nb\r\n",
          "a\nb\n");
    READS("a\xEF\xBB\xBF\r\rb\r\n\r", "a\xEF\xBB\xBF\r\rb\n\r");
    READS("a\0b\r\n", "a\0b\n");
    READS("\xEF\xBB\xBF"
          "1,2\r3,4\r",
          "1,2\n3,4\n"); /* no line feed at all */
    unlink(path);
}
END_TEST

START_TEST(lengths_and_streams)
{
    static char bytes[300], text[300];
    close(mkstemp(path));
    for (size_t i = 0; i < sizeof bytes - 1; i++)
        bytes[i] = (char)('a' + i % 26);
    for (size_t length = 0; length < sizeof bytes - 1; length++) {
        memcpy(text, bytes, length);
        text[length] = '\0';
        reads(bytes, length, text, length);
    }
    FILE *pipe = popen("printf '\\357\\273\\2771,2\\r\\n'", "r");
    size_t got = 0;
    char *read = text_read(pipe, 100, &got);
    ck_assert_str_eq(read, "1,2\n");
    ck_assert_uint_eq(got, 4);
    free(read);
    pclose(pipe);
    ck_assert(!text_file_read("/dev/zero", 100, &got) && errno == 0);
    ck_assert(!text_file_read("/nowhere", 100, &got) && errno == ENOENT);
    unlink(path);
}
END_TEST

TEST_MAIN("text file", what_is_text, lengths_and_streams)
