/* test_row_file.c - files of rows: headers as NumPy writes them, and damaged
 * headers, each rejected with a reason.
 *
 * Against: damaged dictionaries, every cut, every flipped bit of a header.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <unistd.h>

#include <sim/rows/row_file.h>
#include <tests/test.h>

static char folder[] = "/tmp/recallmodel-test-XXXXXX";
static char path[sizeof folder + 16], raw[sizeof folder + 16];

static void make_folder(void)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/rows.npy", folder);
    snprintf(raw, sizeof raw, "%s/rows.bin", folder);
}

static void remove_folder(void)
{
    unlink(path);
    unlink(raw);
    ck_assert_int_eq(rmdir(folder), 0);
}

/* A .npy file with this dictionary, padded as NumPy pads, and then `data` zero bytes. Returns its
 * length. */
static size_t npy(unsigned char *bytes, unsigned version, const char *dictionary, size_t data)
{
    size_t start = version == 1 ? 10 : 12, length = strlen(dictionary) + 1,
           padded = (start + length + 63) / 64 * 64 - start;
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (unsigned char)version;
    bytes[7] = 0;
    for (size_t i = 8; i < start; i++)
        bytes[i] = (unsigned char)(padded >> 8 * (i - 8));
    memset(bytes + start, ' ', padded);
    memcpy(bytes + start, dictionary, length - 1);
    bytes[start + padded - 1] = '\n';
    memset(bytes + start + padded, 0, data);
    return start + padded + data;
}

static bool opens(struct row_file *file, enum sim_dtype dtype, uint64_t row, char *error)
{
    bool good = row_file_open(file, path, dtype, row, (struct message){error, 300}) == 0;
    ck_assert(good || (*error && !strchr(error, '\n') && file->descriptor < 0));
    return good;
}

START_TEST(headers_of_numpy)
{
    const struct {
        unsigned version;
        const char *dictionary;
        enum sim_dtype asked, dtype;
        size_t data;
        uint64_t rows, row;
        unsigned axes;
    } cases[] = {
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }", SIM_DTYPE_UNKNOWN,
         SIM_F32, 48, 3, 4, 2},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (5,), }", SIM_DTYPE_UNKNOWN, SIM_F64,
         40, 1, 5, 1},
        {2, "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3, 4), }", SIM_F16, SIM_F16, 48,
         6, 4, 3},
        {3, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }", SIM_DTYPE_UNKNOWN,
         SIM_F32, 4, 1, 1, 2},
        {1, "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 2), }", SIM_BF16, SIM_BF16, 8, 2,
         2, 2},
        {1, "{'descr': '<V2', 'fortran_order': False, 'shape': (2, 2), }", SIM_BF16, SIM_BF16, 8, 2,
         2, 2},
        {1, "{\"shape\":(7,2),\"fortran_order\":False,\"descr\":\"<f4\"}", SIM_DTYPE_UNKNOWN,
         SIM_F32, 56, 7, 2, 2},
    };
    unsigned char bytes[400];
    char error[300];
    make_folder();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct row_file file;
        write_bytes(path, bytes, npy(bytes, cases[i].version, cases[i].dictionary, cases[i].data));
        ck_assert_msg(opens(&file, cases[i].asked, 0, error), "%s: %s", cases[i].dictionary, error);
        ck_assert_msg(file.dtype == cases[i].dtype && file.rows == cases[i].rows &&
                          file.row == cases[i].row && file.offset % 64 == 0 &&
                          file.axes == cases[i].axes && file.axis[file.axes - 1] == file.row &&
                          file.axis[0] == (file.axes > 2   ? 2
                                           : file.axes > 1 ? file.rows
                                                           : 5),
                      "%s", cases[i].dictionary);
        double x[8];
        unsigned char buffer[64];
        ck_assert_int_eq(row_file_read(&file, file.rows - 1, x, buffer), 0);
        ck_assert_double_eq(x[file.row - 1], 0.0);
        ck_assert_int_ne(row_file_read(&file, file.rows, x, buffer), 0); /* there is no such row */
        row_file_close(&file);
    }
    remove_folder();
}
END_TEST

#define GOOD "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }"

/* Dictionaries that no file of rows has. */
static const struct {
    const char *dictionary;
    size_t data;
    const char *reason; /* a part of the message */
} damaged[] = {
    {"{'descr': '<f4', 'fortran_order': 1, 'shape': (3, 4), }", 48, "fortran_order"},
    {"{'descr': '|O', 'fortran_order': False, 'shape': (3, 4), }", 48, "'|O'"},
    {"{'descr': '<f3', 'fortran_order': False, 'shape': (3, 4), }", 36, "'<f3'"},
    {"{'descr': '|V1', 'fortran_order': False, 'shape': (3, 4), }", 12, "f8e4m3 or f8e5m2"},
    {"{'descr': '<i4', 'fortran_order': False, 'shape': (3, 4), }", 48, "'<i4'"},
    {"{'descr': '<u2', 'fortran_order': False, 'shape': (3, 4), }", 24, "bf16"},
    {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3, 4), }", 48, "records"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (-3, 4), }", 48, "negative"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 99999999999999999999), }", 48,
     "too large"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4294967296), "
     "}",
     48, "too large"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (36028797018963968, "
     "36028797018963968), }",
     48, "too large"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846976, 2), }", 48,
     "too large"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 0), }", 0, "no rows"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4), }", 0, "no rows"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 4, "single number"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1), }", 4,
     "more than 8 axes"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3), }", 12, "tuple"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': 12, }", 48, "tuple"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, x), }", 48, "tuple"},
    {"{'descr': '<f4', 'fortran_order': False, }", 48, "shape is missing"},
    {"{'fortran_order': False, 'shape': (3, 4), }", 48, "descr is missing"},
    {"{'descr': '<f4', 'shape': (3, 4), }", 48, "fortran_order is missing"},
    {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }", 48, "repeated"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), 'more': 1}", 48, "unknown"},
    {"{'descr': '<f4', 'fortran_order': False 'shape': (3, 4)}", 48, "damaged"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)", 48, "damaged"},
    {"{'descr': '<f4", 48, "records"},
    {"{'descr': '|O', 'fortran_order': False, 'shape': (6,), }", 48, "Python objects"},
    {"{'descr': '<f16', 'fortran_order': False, 'shape': (3,), }", 48, "of up to 64 bits; python3"},
    {"'descr'", 48, "dictionary"},
    {GOOD "x", 48, "after its dictionary"},
    {GOOD " \n  {}", 48, "after its dictionary"},
    {GOOD GOOD, 48, "after its dictionary"},
    {"", 48, "dictionary"},
    {GOOD, 47, "promises"},
    {GOOD, 49, "promises"},
    {GOOD, 0, "promises"},
};

START_TEST(damaged_files)
{
    unsigned char bytes[400];
    char error[300];
    struct row_file file;
    make_folder();
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        write_bytes(path, bytes, npy(bytes, 1, damaged[i].dictionary, damaged[i].data));
        ck_assert_msg(!opens(&file, SIM_DTYPE_UNKNOWN, 0, error), "opened: %s",
                      damaged[i].dictionary);
        ck_assert_msg(strstr(error, damaged[i].reason), "%s: '%s' does not say '%s'",
                      damaged[i].dictionary, error, damaged[i].reason);
    }
    remove_folder();
    printf("damaged .npy: %zu dictionaries\n", sizeof damaged / sizeof *damaged);
}
END_TEST

/* A file cut to every length, and every byte changed to some others: no crash, and an answer. */
START_TEST(cut_and_flipped_files)
{
    unsigned char bytes[400];
    char error[300];
    struct row_file file;
    make_folder();
    const size_t length = npy(bytes, 1, GOOD, 48);
    size_t opened = 0;
    for (size_t cut = 0; cut < length; cut++) {
        write_bytes(path, bytes, cut);
        ck_assert_msg(!opens(&file, SIM_DTYPE_UNKNOWN, 0, error), "opened %zu of %zu bytes", cut,
                      length);
    }
    for (size_t at = 0; at < length - 48; at++)
        for (int flip = 1; flip < 256; flip *= 2) {
            bytes[at] ^= (unsigned char)flip;
            write_bytes(path, bytes, length);
            if (opens(&file, SIM_DTYPE_UNKNOWN, 0, error)) {
                ck_assert_uint_eq(file.rows * file.row *
                                          (file.dtype == SIM_F64   ? 8
                                           : file.dtype == SIM_F32 ? 4
                                                                   : 2) +
                                      file.offset,
                                  length);
                row_file_close(&file);
                opened++;
            }
            bytes[at] ^= (unsigned char)flip;
        }
    remove_folder();
    printf("damaged .npy: %zu cuts refused; of %zu flipped bits %zu leave a legal file\n", length,
           8 * (length - 48), opened);
}
END_TEST

/* A magic number, a version and lengths that are wrong. */
START_TEST(wrong_headers)
{
    unsigned char bytes[400];
    char error[300];
    struct row_file file;
    make_folder();
    const size_t length = npy(bytes, 1, GOOD, 48);
    const struct {
        size_t at;
        unsigned char value;
        const char *reason;
    } lies[] = {{0, 'x', "first bytes"}, {6, 4, "version 4"},  {6, 0, "version 0"},
                {8, 0xff, "cut off"},    {9, 0xff, "cut off"}, {8, 1, "damaged"}};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        unsigned char was = bytes[lies[i].at];
        bytes[lies[i].at] = lies[i].value;
        write_bytes(path, bytes, length);
        ck_assert(!opens(&file, SIM_DTYPE_UNKNOWN, 0, error));
        ck_assert_msg(strstr(error, lies[i].reason), "byte %zu: '%s'", lies[i].at, error);
        bytes[lies[i].at] = was;
    }
    remove_folder();
}
END_TEST

START_TEST(files_that_do_not_fit)
{
    unsigned char bytes[400];
    char error[300];
    struct row_file file;
    make_folder();
    const size_t length = npy(bytes, 1, GOOD, 48);
    write_bytes(path, bytes, length);
    ck_assert(!opens(&file, SIM_F64, 0, error) && strstr(error, MEMBER "dtype"));
    ck_assert(!opens(&file, SIM_DTYPE_UNKNOWN, 5, error) && strstr(error, MEMBER "row"));
    ck_assert(opens(&file, SIM_F32, 4, error));
    row_file_close(&file);
    unlink(path);
    ck_assert(!opens(&file, SIM_DTYPE_UNKNOWN, 0, error) && strstr(error, "No such file"));
    ck_assert(row_file_open(&file, "/tmp", SIM_F32, 4, MESSAGE(error)) != 0 &&
              strstr(error, "regular"));
    ck_assert(row_file_open(&file, "/dev/null", SIM_F32, 4, MESSAGE(error)) != 0 &&
              strstr(error, "regular"));
    remove_folder();
}
END_TEST

START_TEST(raw_files)
{
    float values[6] = {1.5f, -2.0f, 3.0f, 4.0f, 5.0f, 6.25f};
    double x[3];
    unsigned char buffer[24];
    char error[300];
    struct row_file file;
    make_folder();
    FILE *out = fopen(raw, "w");
    ck_assert_uint_eq(fwrite(values, sizeof *values, 6, out), 6);
    fclose(out);
    ck_assert(row_file_open(&file, raw, SIM_F32, 3, MESSAGE(error)) == 0);
    ck_assert(file.rows == 2 && file.row == 3);
    ck_assert(file.axes == 2 && file.axis[0] == 2 && file.axis[1] == 3);
    ck_assert_int_eq(row_file_read(&file, 1, x, buffer), 0);
    ck_assert(x[0] == 4.0 && x[1] == 5.0 && x[2] == 6.25);
    row_file_close(&file);
    ck_assert(row_file_open(&file, raw, SIM_F32, 4, MESSAGE(error)) != 0 &&
              strstr(error, "whole number of rows"));
    ck_assert(row_file_open(&file, raw, SIM_F32, RCM_N_MAX, MESSAGE(error)) != 0 &&
              strstr(error, "whole number of rows"));
    ck_assert(row_file_open(&file, raw, SIM_DTYPE_UNKNOWN, 3, MESSAGE(error)) != 0 &&
              strstr(error, MEMBER "dtype"));
    ck_assert(row_file_open(&file, raw, SIM_F32, 0, MESSAGE(error)) != 0 &&
              strstr(error, MEMBER "row"));
    fclose(fopen(raw, "w"));
    ck_assert(row_file_open(&file, raw, SIM_F32, 3, MESSAGE(error)) != 0 && strstr(error, "empty"));
    remove_folder();
}
END_TEST

TEST_MAIN("row_file", headers_of_numpy, damaged_files, cut_and_flipped_files, wrong_headers,
          files_that_do_not_fit, raw_files)
