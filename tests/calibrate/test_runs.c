/* test_runs.c - measured runs from a CSV file; a broken file is rejected with its line and
 * column.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <calibrate/runs/runs.h>
#include <calibrate/runs/timings.h>
#include <tests/test.h>

static int parse_text(const char *text, struct csv *csv, struct message error)
{
    char notes[TIMINGS_NOTES];
    *error.text = '\0';
    if (csv_parse("t.csv", text, strlen(text), csv, error) != 0)
        return -1;
    if (timings_rename(csv, &(struct timings_options){0}, MESSAGE(notes), error) == 0)
        return 0;
    csv_free(csv);
    return -1;
}

/* A broken file is rejected, and the message names the line and the column. */
START_TEST(broken_files)
{
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"", "t.csv is empty"},
        {"# only remarks\n", "is empty"},
        {"n,k,n\n", "t.csv:1: the columns 1 (n) and 3 (n) may both be n"},
        {"n,k\n1,2\n3\n", "t.csv:3, column 2: missing; the line has 1 columns, the header has 2"},
        {"n,k\n1,2,3\n", "t.csv:2, column 3: without a name"},
        {"n,k\n\"1,2\n", "t.csv:2, column 1: a quote that is not closed"},
        {"n,k\n\"1\"x,2\n", "t.csv:2, column 1: a quote"},
        {"n,b,k_b,time_us\n1,1,1,1\n", "t.csv:1: there is no column k;"},
        {"# x\nn,k,b,k_b,m\n1,1,1,1,1\n", "t.csv:2: there is no column time_us_median or time_us"},
        {"n,k,b,time_us\n8,2,2,1\n", "there is no column k_b"},
        {"n,k,k_b,time_us\n8,2,2,1\n", "there is no column b"},
        {"n,k,b,k_b,time_us\n8,2,2,1,1\n8,two,2,1,1\n",
         "t.csv:3, column 2 (k): 'two' is not a whole number"},
        {"n,k,b,k_b,time_us\n8,2.5,2,1,1\n", "t.csv:2, column 2 (k): '2.5' is not a whole number"},
        {"n,k,b,k_b,time_us\n0,2,2,1,1\n", "t.csv:2, column 1 (n): '0'"},
        {"n,k,b,k_b,time_us\n8,-2,2,1,1\n", "column 2 (k): '-2'"},
        {"n,k,b,k_b,time_us\n8,,2,1,1\n", "column 2 (k): '' is not"},
        {"n,k,b,k_b,time_us\n1e17,2,2,1,1\n", "column 1 (n): '1e17'"},
        {"n,k,b,k_b,time_us\n8,9,2,1,1\n", "column 2 (k): '9' is more than n"},
        {"n,k,b,k_b,time_us\n8,2,9,1,1\n", "column 3 (b): '9' is more than n"},
        {"n,k,b,k_b,time_us\n8,2,2,1,0\n",
         "column 5 (time_us): '0' is not a positive number of microseconds"},
        {"n,k,b,k_b,time_us\n8,2,2,1,1 km\n", "column 5 (time_us): '1 km'"},
        {"n,k,b,k_b,time_us\n8,6,2,1,1\n",
         "column 3 (b): '2' buckets keep fewer than k; if that is"},
        {"work,n,k,time_us\nexact,8,2,1\nstage1,8,2,1\n",
         "t.csv:3, column 1 (work): 'stage1' needs the columns b and k_b"},
        {"n,k,b,k_b,time_us,dtype\n8,2,2,1,1,float99\n",
         "column 6 (dtype): 'float99' is not a type"},
    };
    char error[CSV_ERROR];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct csv csv;
        struct run_list runs = {0};
        int status = parse_text(cases[i].text, &csv, MESSAGE(error));
        if (status == 0) {
            status = runs_from_csv(&csv, (struct run_filter){.times = true}, &runs, MESSAGE(error));
            csv_free(&csv);
        }
        ck_assert_msg(status == -1 && strstr(error, cases[i].said), "case %zu: got '%s', want '%s'",
                      i, error, cases[i].said);
        ck_assert_ptr_null(runs.items);
    }
    struct csv csv;
    ck_assert_int_eq(csv_parse("t.csv", "n,k\n1\0,2\n", 10, &csv, MESSAGE(error)), -1);
    ck_assert_msg(strstr(error, "t.csv:2: a zero byte") != NULL, "%s", error);
    ck_assert_int_eq(csv_parse("t.csv", "n\0,\0k\0\n\0", 8, &csv, MESSAGE(error)), -1);
    ck_assert_msg(strstr(error, "is UTF-16; save it as UTF-8") != NULL, "%s", error);
    ck_assert_int_eq(csv_read("/nowhere/t.csv", &csv, MESSAGE(error)), -1);
    ck_assert_str_eq(error, "/nowhere/t.csv: No such file or directory");
}
END_TEST

static void check_run(const struct run *run, enum run_kind kind, struct rcm_topk p, double time_us,
                      size_t row)
{
    ck_assert_int_eq(run->kind, kind);
    ck_assert_msg(run->p.n == p.n && run->p.k == p.k && run->p.b == p.b && run->p.k_b == p.k_b &&
                      run->p.m == p.m,
                  TOPK_FMT, TOPK_ARG(run->p));
    ck_assert_double_eq(run->time_us, time_us);
    ck_assert_uint_eq(run->row, row);
}

START_TEST(runs_of_a_file)
{
    /* The format of our benchmark: stage 1, both stages, exact. Rows of other kernels, types and
     * assignments are left out. */
    static const char bench[] = "work,kernel,dtype,assignment,n,k,b,k_b,m,time_us_median\n"
                                "two-stage,histogram,float32,interleaved,64,4,8,1,1,9\n"
                                "two-stage,auto,float32,interleaved,64,4,8,1,1,5\n"
                                "stage1,auto,float32,interleaved,64,4,8,1,2,3\n"
                                "exact,auto,float32,interleaved,64,4,1,4,2,7\n"
                                "fused,auto,float32,interleaved,64,4,8,1,1,1\n"
                                "two-stage,auto,float32,contiguous,64,4,8,1,1,5\n"
                                "two-stage,auto,bfloat16,interleaved,64,4,8,1,1,4\n";
    char error[CSV_ERROR];
    struct csv csv;
    struct run_list runs;
    ck_assert_int_eq(parse_text(bench, &csv, MESSAGE(error)), 0);
    ck_assert(runs_from_csv(&csv, (struct run_filter){.times = true}, &runs, MESSAGE(error)) == 0);
    ck_assert_uint_eq(runs.length, 3);
    ck_assert_uint_eq(runs.left_out, 4);
    ck_assert(runs.has_dtype && runs.dtype == RCM_F32);
    check_run(&runs.items[0], RUN_TWO_STAGE,
              (struct rcm_topk){.n = 64, .k = 4, .b = 8, .k_b = 1, .m = 1}, 5, 1);
    check_run(&runs.items[1], RUN_STAGE1,
              (struct rcm_topk){.n = 64, .k = 4, .b = 8, .k_b = 1, .m = 2}, 3, 2);
    check_run(&runs.items[2], RUN_EXACT,
              (struct rcm_topk){.n = 64, .k = 4, .b = 1, .k_b = 4, .m = 2}, 7, 3);
    runs_free(&runs);
    ck_assert_int_eq(
        runs_from_csv(&csv,
                      (struct run_filter){.has_dtype = true, .dtype = RCM_BF16, .times = true},
                      &runs, MESSAGE(error)),
        0);
    ck_assert_uint_eq(runs.length, 1);
    check_run(&runs.items[0], RUN_TWO_STAGE,
              (struct rcm_topk){.n = 64, .k = 4, .b = 8, .k_b = 1, .m = 1}, 4, 6);
    runs_free(&runs);
    ck_assert_int_eq(
        runs_from_csv(&csv, (struct run_filter){.has_dtype = true, .dtype = RCM_F16, .times = true},
                      &runs, MESSAGE(error)),
        -1);
    ck_assert_msg(strstr(error, "no row has that type") != NULL, "%s", error);
    csv_free(&csv);
    /* Exact top-k has no b. Without a column m, m is 1. Where no times are asked for, none are
     * needed. */
    ck_assert_int_eq(parse_text("k,n\n4,64\n64,64.0\n", &csv, MESSAGE(error)), 0);
    ck_assert_int_eq(runs_from_csv(&csv, (struct run_filter){0}, &runs, MESSAGE(error)), 0);
    ck_assert_uint_eq(runs.length, 2);
    ck_assert_int_eq(runs.items[1].kind, RUN_EXACT);
    ck_assert_uint_eq(runs.items[1].p.n, 64);
    ck_assert_uint_eq(runs.items[1].p.m, 1);
    ck_assert(isnan(runs.items[1].time_us));
    struct run_list more;
    ck_assert_int_eq(runs_from_csv(&csv, (struct run_filter){0}, &more, MESSAGE(error)), 0);
    ck_assert_int_eq(runs_append(&runs, &more), 0);
    ck_assert_uint_eq(runs.length, 4);
    runs_free(&more);
    runs_free(&runs);
    csv_free(&csv);
}
END_TEST

/* A time of stage 1 beside that of both is a second run if it is asked for; an empty one is none,
 * and a wrong one is an error. Keys of uint32 count as float32. */
START_TEST(stage1_of_a_row)
{
    static const char rows[] = "dtype,n,k,b,k_b,time_us,stage1_us\n"
                               "uint32,64,4,8,1,5,3\nuint32,64,4,16,1,6,\n";
    char error[CSV_ERROR];
    struct csv csv;
    struct run_list runs;
    struct rcm_topk p = {.n = 64, .k = 4, .b = 8, .k_b = 1, .m = 1};
    ck_assert_int_eq(parse_text(rows, &csv, MESSAGE(error)), 0);
    ck_assert(runs_from_csv(&csv, (struct run_filter){.times = true}, &runs, MESSAGE(error)) == 0);
    ck_assert(runs.length == 2 && runs.second == 0);
    runs_free(&runs);
    const struct run_filter both = {.times = true, .stage1 = true};
    ck_assert_int_eq(runs_from_csv(&csv, both, &runs, MESSAGE(error)), 0);
    ck_assert(runs.length == 3 && runs.second == 1 && runs.left_out == 0);
    ck_assert(runs.has_dtype && runs.dtype == RCM_F32);
    check_run(&runs.items[0], RUN_TWO_STAGE, p, 5, 0);
    check_run(&runs.items[1], RUN_STAGE1, p, 3, 0);
    p.b = 16;
    check_run(&runs.items[2], RUN_TWO_STAGE, p, 6, 1);
    runs_free(&runs);
    csv_free(&csv);
    ck_assert_int_eq(
        parse_text("n,k,b,k_b,time_us,stage1_us\n64,4,8,1,5,-3\n", &csv, MESSAGE(error)), 0);
    ck_assert_int_eq(runs_from_csv(&csv, both, &runs, MESSAGE(error)), -1);
    ck_assert_msg(strstr(error, "column 6 (stage1_us): '-3' is not a positive") != NULL, "%s",
                  error);
    csv_free(&csv);
}
END_TEST

/* The first remark says which caches a CPU has. */
START_TEST(caches_of_a_remark)
{
    static const struct {
        const char *text;
        double l2, l3;
    } cases[] = {
        {"# bench cores=2 l1d=32768 l2=1048576 l3=33554432\n# l2=7 l3=7\nn,k,time_us\n8,2,1\n",
         1048576, 33554432},
        {"# bench l2=x l3=-1\nn,k,time_us\n8,2,1\n", 0, 0},
        {"n,k,time_us\n8,2,1\n# bench l3=5\n", 0, 5},
        {"n,k,time_us\n8,2,1\n", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct csv csv;
        struct run_list runs, all = {0};
        char error[CSV_ERROR];
        ck_assert_int_eq(parse_text(cases[i].text, &csv, MESSAGE(error)), 0);
        ck_assert_int_eq(
            runs_from_csv(&csv, (struct run_filter){.times = true}, &runs, MESSAGE(error)), 0);
        ck_assert_int_eq(runs_append(&all, &runs), 0);
        ck_assert_double_eq(all.l2_bytes, cases[i].l2);
        ck_assert_double_eq(all.l3_bytes, cases[i].l3);
        runs_free(&runs);
        runs_free(&all);
        csv_free(&csv);
    }
}
END_TEST

TEST_MAIN("runs", broken_files, runs_of_a_file, stage1_of_a_row, caches_of_a_remark)
