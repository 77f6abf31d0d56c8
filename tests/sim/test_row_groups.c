/* test_row_groups.c - the groups of rows: files of labels, axes, and what a simulation counts for
 * each group.
 *
 * Against: a search through 3000 labels; a simulation of the rows of the group alone; damaged
 * files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <unistd.h>

#include <sim/rows/row_groups.h>

#include "spec.h"

static char path[] = "/tmp/recallmodel-test-XXXXXX";

static void make_file(void)
{
    strcpy(path, "/tmp/recallmodel-test-XXXXXX");
    const int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    close(descriptor);
}

static void assert_label(const struct row_groups *groups, size_t group, const char *want)
{
    char label[100];
    row_group_label(groups, group, label, sizeof label);
    ck_assert_str_eq(label, want);
}

/* Groups are numbered in the order of their first rows; blanks and the last newline do not
 * matter. */
START_TEST(labels)
{
    const char *texts[] = {"king james\nbash\nking james\nm\xc3\xa9moire\nbash\n",
                           "\tking james \r\n bash\r\nking james\nm\xc3\xa9moire\n  bash"};
    const size_t want[] = {0, 1, 0, 2, 1};
    uint64_t identity[2];
    char error[300];
    make_file();
    for (int i = 0; i < 2; i++) {
        struct row_groups groups;
        write_bytes(path, texts[i], strlen(texts[i]));
        ck_assert_msg(row_groups_read(&groups, path, 5, MESSAGE(error)) == 0, "%s", error);
        ck_assert_uint_eq(groups.groups, 3);
        for (uint64_t row = 0; row < 5; row++)
            ck_assert_uint_eq(row_group(&groups, row), want[row]);
        assert_label(&groups, 0, "king james");
        assert_label(&groups, 1, "bash");
        assert_label(&groups, 2, "m\xc3\xa9moire");
        identity[i] = groups.identity;
        row_groups_free(&groups);
    }
    ck_assert_uint_eq(identity[0], identity[1]);
    unlink(path);
}
END_TEST

/* Many rows and labels, against a search through all labels before. */
START_TEST(many_labels)
{
    enum { ROWS = 3000, LABELS = 200 };
    static char text[ROWS * 8];
    static unsigned label[ROWS];
    size_t length = 0, first[LABELS], seen = 0, group_of[LABELS];
    uint64_t state = 7;
    char error[300];
    struct row_groups groups;
    for (unsigned i = 0; i < LABELS; i++)
        group_of[i] = SIZE_MAX;
    for (unsigned row = 0; row < ROWS; row++) {
        label[row] = (unsigned)(next_random(&state) % LABELS);
        if (group_of[label[row]] == SIZE_MAX) {
            first[seen] = label[row];
            group_of[label[row]] = seen++;
        }
        length += (size_t)sprintf(text + length, "x%u\n", label[row]);
    }
    make_file();
    write_bytes(path, text, length);
    ck_assert_msg(row_groups_read(&groups, path, ROWS, MESSAGE(error)) == 0, "%s", error);
    ck_assert_uint_eq(groups.groups, seen);
    for (unsigned row = 0; row < ROWS; row++)
        ck_assert_uint_eq(row_group(&groups, row), group_of[label[row]]);
    for (size_t g = 0; g < seen; g++) {
        char want[20];
        sprintf(want, "x%zu", first[g]);
        assert_label(&groups, g, want);
    }
    row_groups_free(&groups);
    unlink(path);
}
END_TEST

START_TEST(files_that_are_rejected)
{
    const struct {
        const char *text;
        size_t length;
        const char *reason;
    } cases[] = {
        {"", 0, "is empty"},
        {"a\nb\n", 4, "has 2 labels, but " MEMBER "file has 3 rows"},
        {"a\nb\na\nb\n", 8, "has 4 labels, but " MEMBER "file has 3 rows"},
        {"a", 1, "has 1 label, but"},
        {"a\n\nb\n", 5, "no label on line 2"},
        {"a\nb\n \t\n", 7, "has 2 labels"}, /* the last line is blank */
        {"\n\n", 2, "is empty"},
        {"\xff\xfe"
         "a\0\n\0b\0",
         8, "is UTF-16; save it as UTF-8; give one label"},
        {"a\0\n\0b\0", 6, "is UTF-16"},
        {"\0a\0\n\0b", 6, "is UTF-16"},
        {"a\na\na\n", 6, "into one group"},
        {"a\nb\0c\nd\n", 8, "not a text"},
        {"a\n\xff\nb\n", 6, "not UTF-8 without control characters, on line 2"},
        {"a\n\x1b[1m\nb\n", 9, "not UTF-8 without control characters, on line 2"},
    };
    struct row_groups groups;
    char error[300];
    make_file();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_bytes(path, cases[i].text, cases[i].length);
        ck_assert_int_eq(row_groups_read(&groups, path, 3, MESSAGE(error)), -1);
        ck_assert_msg(strstr(error, cases[i].reason) && !strchr(error, '\n'), "case %zu: %s", i,
                      error);
        row_groups_free(&groups);
    }
    unlink(path);
    ck_assert_int_eq(row_groups_read(&groups, path, 3, MESSAGE(error)), -1);
    ck_assert_ptr_nonnull(strstr(error, "No such file"));
    row_groups_free(&groups);
    ck_assert_int_eq(row_groups_read(&groups, "/dev/zero", 3, MESSAGE(error)), -1);
    ck_assert_ptr_nonnull(strstr(error, "not a regular file"));
    row_groups_free(&groups);
}
END_TEST

START_TEST(axes)
{
    const struct row_file file = {.rows = 24, .row = 9, .axes = 4, .axis = {2, 3, 4, 9}};
    struct row_groups groups;
    char error[300];
    ck_assert_int_eq(row_groups_of_axes(&groups, &file, 1, MESSAGE(error)), 0);
    ck_assert_uint_eq(groups.groups, 2);
    ck_assert_uint_eq(row_group(&groups, 11), 0);
    ck_assert_uint_eq(row_group(&groups, 12), 1);
    assert_label(&groups, 1, "1");
    ck_assert_int_eq(row_groups_of_axes(&groups, &file, 2, MESSAGE(error)), 0);
    ck_assert_uint_eq(groups.groups, 6);
    for (uint64_t row = 0; row < 24; row++)
        ck_assert_uint_eq(row_group(&groups, row), row / 4);
    assert_label(&groups, 4, "1,1");
    assert_label(&groups, 5, "1,2");
    ck_assert_int_eq(row_groups_of_axes(&groups, &file, 3, MESSAGE(error)), 0);
    ck_assert_uint_eq(groups.groups, 24);
    assert_label(&groups, 23, "1,2,3");
    ck_assert_int_eq(row_groups_of_axes(&groups, &file, 4, MESSAGE(error)), -1);
    ck_assert_ptr_nonnull(strstr(error, "give 3 or less"));
    ck_assert_int_eq(row_groups_of_axes(&groups, &file, 0, MESSAGE(error)), -1);
    const struct row_file one = {.rows = 24, .row = 9, .axes = 3, .axis = {1, 24, 9}};
    ck_assert_int_eq(row_groups_of_axes(&groups, &one, 1, MESSAGE(error)), -1);
    ck_assert_ptr_nonnull(strstr(error, "has 1 group along 1 axis"));
}
END_TEST

/* By default the first axis that is longer than 1 gives the groups, of arrays with more axes than
 * rows need. */
START_TEST(usual_axes)
{
    const struct {
        struct row_file file;
        unsigned want;
    } cases[] = {
        {{.axes = 1, .axis = {9}}, 0},          {{.axes = 2, .axis = {5, 9}}, 0},
        {{.axes = 2, .axis = {1, 9}}, 0},       {{.axes = 3, .axis = {2, 5, 9}}, 1},
        {{.axes = 3, .axis = {1, 5, 9}}, 0},    {{.axes = 4, .axis = {1, 2, 5, 9}}, 2},
        {{.axes = 4, .axis = {2, 3, 5, 9}}, 1}, {{.axes = 4, .axis = {1, 1, 5, 9}}, 0},
        {{.axes = 3, .axis = {1, 1, 1}}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_uint_eq(row_groups_usual_axes(&cases[i].file), cases[i].want);
}
END_TEST

/* ---- what a simulation counts */

enum { ROWS = 60, N = 40, TOP = 8, SHAPES = 3 };

static const struct sim_shape shapes[SHAPES] = {
    {8, 1, SIM_INTERLEAVED}, {4, 2, SIM_CONTIGUOUS}, {2, 1, SIM_INTERLEAVED}};

/* The first rows of the file, in groups or not. */
static struct simulation *run_rows(const struct row_file *file, const struct row_groups *groups,
                                   unsigned threads, uint64_t rows)
{
    struct sim_spec spec = placement_spec(N, TOP, shapes, SHAPES, rows);
    spec.input = SIM_FILE;
    spec.file = file;
    spec.groups = groups;
    spec.weights = true;
    spec.temperature = 1.0;
    spec.threads = threads;
    return run_simulation(&spec);
}

/* Each group is what a simulation of its rows alone says of them; with any number of threads. */
START_TEST(each_group_is_its_rows)
{
    static double rows[ROWS][N];
    uint64_t state = 5;
    char error[300];
    struct row_file file;
    make_file();
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < N; j++)
            rows[i][j] = (double)(next_random(&state) % 1000) / 100.0;
    write_bytes(path, rows, sizeof rows);
    ck_assert_int_eq(row_file_open(&file, path, SIM_F64, N, MESSAGE(error)), 0);
    uint32_t of_row[ROWS];
    for (uint32_t i = 0; i < ROWS; i++)
        of_row[i] = i % 7 % 4; /* groups of different sizes, mixed */
    const struct row_groups groups = {.groups = 5, .rows = ROWS, .of_row = of_row};
    struct simulation *one = run_rows(&file, &groups, 1, ROWS),
                      *three = run_rows(&file, &groups, 3, ROWS);
    ck_assert_uint_eq(simulation_groups(one), 5);
    for (size_t g = 0; g < 5; g++) {
        static double own[ROWS][N];
        struct row_file own_file;
        uint64_t count = 0;
        for (size_t i = 0; i < ROWS; i++)
            if (of_row[i] == g)
                memcpy(own[count++], rows[i], sizeof rows[i]);
        struct simulation *alone = NULL;
        if (count > 0) {
            write_bytes(path, own, count * sizeof *own);
            ck_assert_int_eq(row_file_open(&own_file, path, SIM_F64, N, MESSAGE(error)), 0);
            alone = run_rows(&own_file, NULL, 1, count);
        }
        for (size_t shape = 0; shape < SHAPES; shape++) {
            const struct sim_group got = simulation_group(one, 0, 0, shape, g),
                                   again = simulation_group(three, 0, 0, shape, g);
            ck_assert_mem_eq(&got, &again, sizeof got);
            ck_assert_uint_eq(got.lost.rows, count);
            if (count == 0) {
                ck_assert_double_nan(got.recall_mean);
                ck_assert_double_nan(got.mass_mean);
                continue;
            }
            const struct sim_result want = simulation_result(alone, 0, 0, shape);
            ck_assert_double_eq_tol(got.recall_mean, want.recall_mean, 1e-15);
            ck_assert_double_eq(got.mass_mean, want.mass_mean);
        }
        if (alone) {
            simulation_free(alone);
            row_file_close(&own_file);
        }
    }
    simulation_free(one);
    simulation_free(three);
    row_file_close(&file);
    unlink(path);
}
END_TEST

TEST_MAIN("row groups", labels, many_labels, files_that_are_rejected, axes, usual_axes,
          each_group_is_its_rows)
