/* test_regular_file.c - which files are opened, and that a pipe does not make the caller wait.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <base/files/regular_file.h>
#include <tests/test.h>

START_TEST(what_is_opened)
{
    static const char bytes[] = "three";
    char folder[] = "/tmp/regular_file.XXXXXX", file[64], link[64], pipe[64], read_back[8];
    struct stat status;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/file", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    snprintf(pipe, sizeof pipe, "%s/pipe", folder);

    errno = 0;
    ck_assert_int_eq(regular_file_open(file, &status), -1);
    ck_assert_int_eq(errno, ENOENT);

    FILE *made = fopen(file, "w");
    ck_assert_ptr_nonnull(made);
    fputs(bytes, made);
    ck_assert_int_eq(fclose(made), 0);
    ck_assert_int_eq(symlink(file, link), 0);
    ck_assert_int_eq(mkfifo(pipe, 0600), 0);

    const char *const opened[] = {file, link};
    for (size_t i = 0; i < sizeof opened / sizeof *opened; i++) {
        const int descriptor = regular_file_open(opened[i], &status);
        ck_assert_msg(descriptor >= 0, "%s is refused", opened[i]);
        ck_assert_int_eq(status.st_size, sizeof bytes - 1);
        ck_assert_int_eq(read(descriptor, read_back, sizeof read_back), sizeof bytes - 1);
        close(descriptor);
    }
    const char *const refused[] = {pipe, folder, "/dev/zero"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        errno = ENOENT;
        ck_assert_msg(regular_file_open(refused[i], &status) == -1, "%s is opened", refused[i]);
        ck_assert_msg(errno == 0, "%s: errno %d", refused[i], errno);
    }
    remove(pipe);
    remove(link);
    remove(file);
    remove(folder);
}
END_TEST

TEST_MAIN("regular file", what_is_opened)
