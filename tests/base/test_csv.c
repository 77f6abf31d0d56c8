/* test_csv.c - reading and writing CSV.
 *
 * Against: broken files, by line and column.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <base/csv.h>
#include <tests/test.h>

START_TEST(csv_files)
{
    char error[CSV_ERROR];
    struct csv csv;
    static const char text[] =
        "\xEF\xBB\xBF# a remark\r\n\na,\"b, c\",\"say \"\"d\"\"\"\r\n1,2,3\n\n#x\n\"4\",,\"\"";
    ck_assert_int_eq(csv_parse("t.csv", text, strlen(text), &csv, MESSAGE(error)), 0);
    ck_assert_uint_eq(csv.columns, 3);
    ck_assert_uint_eq(csv.rows, 2);
    ck_assert_uint_eq(csv_column(&csv, "b, c"), 1);
    ck_assert_uint_eq(csv_column(&csv, "say \"d\""), 2);
    ck_assert_uint_eq(csv_column(&csv, "e"), 3);
    ck_assert_str_eq(csv_field(&csv, 0, 2), "3");
    ck_assert_str_eq(csv_field(&csv, 1, 0), "4");
    ck_assert_str_eq(csv_field(&csv, 1, 1), "");
    ck_assert_str_eq(csv_field(&csv, 1, 2), "");
    ck_assert_uint_eq(csv.lines[2], 7);
    FILE *file = tmpfile();
    char line[100] = "";
    for (size_t i = 0; i < 3; i++) {
        csv_write(file, csv.fields[i]);
        putc(';', file);
    }
    rewind(file);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    ck_assert_str_eq(line, "a;\"b, c\";\"say \"\"d\"\"\";");
    fclose(file);
    csv_free(&csv);
}
END_TEST

TEST_MAIN("csv", csv_files)
