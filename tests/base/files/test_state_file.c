/* test_state_file.c - the file in which a long run keeps its state: read, replaced, compared.
 *
 * Against: what was written; published checksums.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <base/files/state_file.h>
#include <tests/test.h>

static char folder[64], file[96], new_file[112];

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/state_file.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/file", folder);
    snprintf(new_file, sizeof new_file, "%s.new", file);
}

static void check_content(const char *want, size_t want_length)
{
    size_t length = 0;
    char *bytes = state_file_read(file, &length);
    ck_assert_ptr_nonnull(bytes);
    ck_assert_uint_eq(length, want_length);
    ck_assert_mem_eq(bytes, want, want_length + 1); /* with the 0 behind it */
    free(bytes);
}

START_TEST(written_and_read)
{
    size_t length;
    make_folder();
    errno = 0;
    ck_assert(state_file_read(file, &length) == NULL && errno == ENOENT);
    ck_assert(state_file_read(folder, &length) == NULL && errno == 0);
    ck_assert_int_eq(state_file_write(file, "one\0two", 7), 0);
    check_content("one\0two", 7);
    ck_assert_int_eq(state_file_write(file, "", 0), 0);
    check_content("", 0);
    ck_assert_int_eq(state_file_write(file, "three", 5), 0);
    /* What is in the way of FILE.new: the file is as before. */
    ck_assert_int_eq(mkdir(new_file, 0700), 0);
    ck_assert_int_eq(state_file_write(file, "four", 4), -1);
    ck_assert_int_eq(errno, EISDIR);
    check_content("three", 5);
    ck_assert_int_eq(rmdir(new_file), 0);
    /* A file that a kill left is overwritten, and gone. */
    FILE *left = fopen(new_file, "w");
    fputs("much more than this", left);
    fclose(left);
    ck_assert_int_eq(state_file_write(file, "four", 4), 0);
    check_content("four", 4);
    ck_assert_int_eq(access(new_file, F_OK), -1);
    ck_assert_int_eq(state_file_write("/no/where", "", 0), -1);
    ck_assert_int_eq(errno, ENOENT);
    remove(file);
    remove(folder);
}
END_TEST

START_TEST(checksum)
{
    /* As published with FNV-1a: of nothing, of "a", of "foobar". */
    ck_assert(state_file_checksum("", 0) == UINT64_C(0xcbf29ce484222325));
    ck_assert(state_file_checksum("a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    ck_assert(state_file_checksum("foobar", 6) == UINT64_C(0x85944171f73967e8));
}
END_TEST

START_TEST(lines_are_compared)
{
    char difference[STATE_DIFFERENCE] = "";
    const char *text = "seed 1\nk 2\nrest";
    ck_assert(state_file_match("seed 1\nk 2\n", &text, difference));
    ck_assert_str_eq(text, "rest");
    text = "seed 1\nk 2\nrest";
    ck_assert(!state_file_match("seed 1\nk 3\n", &text, difference));
    ck_assert_str_eq(difference, "it has 'k 2', not 'k 3'");
    ck_assert_str_eq(text, "seed 1\nk 2\nrest");
    ck_assert(!state_file_match("seed 1\nk 2\nrest of\n", &text, difference));
    ck_assert_str_eq(difference, "it has 'rest', not 'rest of'");
    text = "";
    ck_assert(!state_file_match("seed 1\n", &text, difference));
    ck_assert_str_eq(difference, "it has '', not 'seed 1'");
    /* Long lines are shown from a little before the difference on. */
    char ours[400], theirs[400];
    memset(ours, 'x', sizeof ours);
    memcpy(ours, "list ", 5);
    strcpy(ours + 395, "1\n");
    memcpy(theirs, ours, sizeof ours);
    theirs[395] = '2';
    text = theirs;
    ck_assert(!state_file_match(ours, &text, difference));
    ck_assert_str_eq(difference, "it has 'list ..xxxxxxxxxxxxxxxxxxxx2', not 'list "
                                 "..xxxxxxxxxxxxxxxxxxxx1'");
}
END_TEST

TEST_MAIN("state file", written_and_read, checksum, lines_are_compared)
