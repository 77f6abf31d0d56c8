/* test_npy_write.c - .npy files that are written piece by piece, read back by sim/.
 *
 * Against: the reader of `sim/`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include <attention/tensors/npy_write.h>
#include <sim/rows/row_file.h>

#include <tests/test.h>

static char path[] = "/tmp/test_npy_write.XXXXXX";

static void in_folder(void)
{
    ck_assert_ptr_nonnull(mkdtemp(path));
    ck_assert_int_eq(chdir(path), 0);
}

static void out_of_folder(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(rmdir(path), 0); /* it is empty: nothing was left behind */
}

START_TEST(reads_back)
{
    const uint64_t shape[] = {2, 3, 5, 7};
    float values[210];
    char error[300];
    for (int i = 0; i < 210; i++)
        values[i] = (float)i / 3;
    in_folder();
    for (unsigned axes = 1; axes <= 4; axes++) {
        struct npy_file npy;
        struct row_file file;
        size_t count = 1, at = 0;
        for (unsigned i = 0; i < axes; i++)
            count *= shape[i];
        ck_assert_int_eq(npy_write_open(&npy, "a.npy", shape, axes, MESSAGE(error)), 0);
        for (size_t part = 1; at < count; at += part++) {
            part = part < count - at ? part : count - at;
            ck_assert_int_eq(npy_write_append(&npy, values + at, part, MESSAGE(error)), 0);
        }
        ck_assert_int_eq(access("a.npy", F_OK), -1); /* not yet */
        ck_assert_int_eq(npy_write_close(&npy, MESSAGE(error)), 0);
        ck_assert_int_eq(row_file_open(&file, "a.npy", SIM_DTYPE_UNKNOWN, 0, MESSAGE(error)), 0);
        ck_assert_uint_eq(file.axes, axes);
        ck_assert_int_eq(file.dtype, SIM_F32);
        ck_assert_uint_eq(file.offset % 64, 0);
        for (unsigned i = 0; i < axes; i++)
            ck_assert_uint_eq(file.axis[i], shape[i]);
        for (uint64_t row = 0; row < file.rows; row++) {
            double x[210], buffer[210];
            ck_assert_int_eq(row_file_read(&file, row, x, buffer), 0);
            for (uint64_t i = 0; i < file.row; i++)
                ck_assert(x[i] == (double)values[row * file.row + i]);
        }
        row_file_close(&file);
        ck_assert_int_eq(unlink("a.npy"), 0);
    }
    out_of_folder();
}
END_TEST

/* Too many or too few elements, a folder that is not there: an error, and no file. */
START_TEST(refused)
{
    const uint64_t shape[] = {4};
    const float values[5] = {0};
    struct npy_file npy;
    char error[300];
    in_folder();
    ck_assert_int_eq(npy_write_open(&npy, "b.npy", shape, 1, MESSAGE(error)), 0);
    ck_assert_int_eq(npy_write_append(&npy, values, 5, MESSAGE(error)), -1);
    ck_assert_int_eq(npy_write_append(&npy, values, 3, MESSAGE(error)), 0);
    ck_assert_int_eq(npy_write_close(&npy, MESSAGE(error)), -1);
    ck_assert_ptr_nonnull(strstr(error, "1 elements are missing"));
    npy_write_abandon(&npy);
    ck_assert_int_eq(npy_write_open(&npy, "c/b.npy", shape, 1, MESSAGE(error)), -1);
    ck_assert_ptr_nonnull(strstr(error, "cannot be written"));
    npy_write_abandon(&npy);
    ck_assert_int_eq(npy_write_open(&npy, "/dev/null", shape, 1, MESSAGE(error)), -1);
    ck_assert_ptr_nonnull(strstr(error, "regular file"));
    out_of_folder();
}
END_TEST

TEST_MAIN("npy_write", reads_back, refused)
