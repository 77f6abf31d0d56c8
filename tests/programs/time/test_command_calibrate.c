/* test_command_calibrate.c - from runs to a profile and back: `calibrate` and `predict`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/programs/command.h>

/* Writes shapes. A fit to the times that the profile of the library gives them finds that profile
 * again. */
static void write_shapes(const char *path)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("# made by test_command_calibrate\nnote,n,k,b,k_b,m\n", file);
    for (unsigned n = 1024; n <= 1u << 20; n *= 4)
        for (unsigned m = 1; m <= 256; m *= 16)
            for (unsigned k_b = 1; k_b <= 4; k_b++)
                for (unsigned k = 12; 2 * k <= n; k *= few_cases() ? 64 : 8)
                    for (unsigned b = k / k_b; b * k_b <= 4 * k && b * k_b < n; b *= 2)
                        fprintf(file, "\"a, b\",%u,%u,%u,%u,%u\n", n, k, b, k_b, m);
    fclose(file);
}

/* Files of the test: shapes, the same shapes with times, and the profile fitted to these. */
struct files {
    char shapes[40], runs[40], profile[40];
};

static struct files make_files(void)
{
    struct files files = {"/tmp/rcm-shapes-XXXXXX", "/tmp/rcm-runs-XXXXXX",
                          "/tmp/rcm-profile-XXXXXX"};
    close(mkstemp(files.shapes));
    close(mkstemp(files.runs));
    close(mkstemp(files.profile));
    write_shapes(files.shapes);
    return files;
}

static void remove_files(const struct files *files)
{
    unlink(files->shapes);
    unlink(files->runs);
    unlink(files->profile);
}

/* Runs the command with arguments that name one or two files. */
static void run_with(const char *format, const char *first, const char *second)
{
    char arguments[500];
    snprintf(arguments, sizeof arguments, format, first, second);
    run(arguments);
}

static json_t *answer_with(const char *format, const char *first, const char *second)
{
    run_with(format, first, second);
    ck_assert_msg(result.status == 0, "%s", result.err);
    json_t *json = json_loads(result.out, 0, NULL);
    ck_assert_ptr_nonnull(json);
    return json;
}

#define ADDED "predicted_us,low_us,high_us,within_runs,beyond\n"

/* predict keeps the rows and adds five columns, with all digits. Writes them to `files->runs`, the
 * predicted times as measured ones. */
static void predict_times(const struct files *files)
{
    static char predicted[1 << 20];
    static const char columns[] = "note,n,k,b,k_b,m," ADDED;
    run_with("predict --device h100-pcie --runs %s --csv", files->shapes, NULL);
    ck_assert_msg(result.status == 0 && *result.err == '\0', "%s", result.err);
    snprintf(predicted, sizeof predicted, "%s", result.out);
    char *header = strchr(predicted, '\n');
    ck_assert(strncmp(predicted, columns, (size_t)(header - predicted) + 1) == 0);
    unsigned n, k, b, k_b, m;
    double time_us;
    ck_assert_int_eq(
        sscanf(header + 1, "\"a, b\",%u,%u,%u,%u,%u,%lf\n", &n, &k, &b, &k_b, &m, &time_us), 6);
    struct rcm_topk p = {.n = n, .k = k, .b = b, .k_b = k_b, .m = m};
    ck_assert_double_eq(time_us, rcm_predict(rcm_profile(0), p).time_us);
    FILE *file = fopen(files->runs, "w");
    const char *name = strstr(predicted, "predicted_us");
    fprintf(file, "%.*stime_us%s", (int)(name - predicted), predicted,
            name + strlen("predicted_us"));
    fclose(file);
}

static void fit_times(const struct files *files)
{
    json_decref(answer_with("calibrate %s --name Toy --source 'a test' -o %s --json", files->runs,
                            files->profile));
}

static const char *const models[] = {"calibrated", "basic", "serial", "parallel"};

/* By size: four models with the same number of cells. The sums of cells and of runs are those of
 * all sizes, and the mean of the calibrated model is the same in both tables. */
static void check_regret_by_size(const json_t *object)
{
    json_t *by_size = json_object_get(object, "regret_by_size"),
           *left_out = json_object_get(object, "each_size_left_out");
    ck_assert_uint_eq(json_array_size(by_size), 6 * 4);
    double cells = 0.0, runs = 0.0;
    for (size_t i = 0; i < 24; i++) {
        json_t *row = json_array_get(by_size, i), *calibrated = json_array_get(by_size, i - i % 4);
        ck_assert_str_eq(json_string_value(json_object_get(row, "model")), models[i % 4]);
        ck_assert(number(row, "mean") >= 1.0 && number(row, "max") >= number(row, "mean") &&
                  number(row, "cells") == number(calibrated, "cells"));
        cells += i % 4 ? 0.0 : number(row, "cells");
        runs += i % 4 ? 0.0 : number(json_array_get(left_out, i / 4), "runs");
        if (i % 4 == 0)
            ck_assert_double_eq(number(row, "mean"),
                                number(json_array_get(left_out, i / 4), "regret_mean"));
    }
    ck_assert(runs > 0.0 && runs == number(object, "each_left_out/runs"));
    ck_assert_double_eq(cells, number(object, "regret_each_left_out/basic/cells"));
}

START_TEST(calibrate_and_predict)
{
    const struct files files = make_files();
    predict_times(&files);
    json_t *object = answer_with("calibrate %s --name Toy --source 'a test' -o %s "
                                 "--cross-validate --json",
                                 files.runs, files.profile),
           *regret = json_object_get(object, "regret");
    static const char *const figures[] = {"mean", "median", "p95", "max", "cells"};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 5; j++)
            ck_assert_msg(
                json_is_number(json_object_get(json_object_get(regret, models[i]), figures[j])),
                "regret %s %s", models[i], figures[j]);
    ck_assert_double_ge(number(regret, "basic/mean"), 1.0);
    ck_assert_double_lt(number(regret, "calibrated/mean"), 1.01);
    ck_assert_double_lt(number(object, "median_error"), 0.01);
    ck_assert_uint_ge(json_array_size(json_object_get(object, "parameters")), 15);
    ck_assert_uint_ge(json_array_size(json_object_get(object, "regimes")), 4);
    ck_assert_uint_eq(json_array_size(json_object_get(object, "each_size_left_out")), 6);
    check_regret_by_size(object);
    json_t *left_out = json_object_get(object, "left_out"); /* every second of six */
    ck_assert_uint_eq(json_array_size(left_out), 3);
    ck_assert_int_eq(json_integer_value(json_array_get(left_out, 0)), 4096);
    json_decref(object);

    object = answer_with("predict --device %s --runs %s --json", files.profile, files.runs);
    ck_assert_str_eq(json_string_value(json_object_get(object, "device")), "Toy");
    ck_assert_double_lt(number(object, "median_error"), 0.01);
    json_decref(object);
    remove_files(&files);
}
END_TEST

/* A column predicted_us that is there already is replaced. */
START_TEST(predict_replaces_its_column)
{
    static const char replaced[] = "n,k,b,k_b," ADDED "4096,64,64,1,";
    const struct files files = make_files();
    FILE *file = fopen(files.shapes, "w");
    fputs("predicted_us,n,k,b,k_b\n99,4096,64,64,1\n", file);
    fclose(file);
    run_with("predict --device h100-pcie --runs %s --csv", files.shapes, NULL);
    ck_assert_msg(strncmp(result.out, replaced, sizeof replaced - 1) == 0, "%s", result.out);
    remove_files(&files);
}
END_TEST

START_TEST(select_by_a_fitted_profile)
{
    const struct files files = make_files();
    predict_times(&files);
    fit_times(&files);
    json_t *object =
        answer_with("select --n 65536 --k 1024 --device %s --json", files.profile, NULL);
    ck_assert_str_eq(json_string_value(json_object_get(object, "objective_unit")), "us");
    ck_assert_double_eq(number(object, "choice/objective"), number(object, "choice/predicted_us"));
    ck_assert(json_is_true(json_object_get(json_object_get(object, "choice"), "within_runs")));
    json_decref(object);
    /* Beyond the runs. */
    object = answer_with("select --n 2^24 --k 1024 --device %s --json", files.profile, NULL);
    ck_assert(json_is_null(json_object_get(object, "choice")));
    const double high = number(object, "beyond/high_us");
    ck_assert_str_eq(
        json_string_value(json_object_get(json_object_get(object, "beyond"), "beyond")), "n");
    json_decref(object);
    object = answer_with("select --n 2^24 --k 1024 --device %s --beyond-runs --json", files.profile,
                         NULL);
    ck_assert(json_is_false(json_object_get(json_object_get(object, "choice"), "within_runs")));
    ck_assert_double_eq(number(object, "choice/objective"), high);
    json_decref(object);
    remove_files(&files);
}
END_TEST

START_TEST(what_calibrate_rejects)
{
    static const char *const wrong[][2] = {
        {"--leave-out 1024", "--leave-out needs --cross-validate"},
        {"--leave-out 1000 --cross-validate", "no run has this n"},
        {"--cross-validate --leave-out 1024,4096,16384,65536,262144,1048576",
         "so no run would be left"},
        {"--name 'a name of more than forty characters, which is too many'", "--name"},
        {"--name 'a#b'", "--name"},
        {"--exact /nowhere", "No such file"}};
    const struct files files = make_files();
    predict_times(&files);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        run_with("calibrate %s %s", files.runs, wrong[i][0]);
        ck_assert_msg(result.status == 2 && strstr(result.err, wrong[i][1]) && *result.out == '\0',
                      "%s: %s", wrong[i][0], result.err);
    }
    run_with("calibrate %s --exact %s", files.runs, files.runs);
    ck_assert_msg(result.status == 2 && strstr(result.err, "line 2 is not a run of exact top-k"),
                  "%s", result.err);
    /* A profile that cannot be written: the message says so. */
    run_with("calibrate %s -o /nowhere/x.profile", files.runs, NULL);
    ck_assert_int_eq(result.status, 1);
    ck_assert_msg(strstr(result.err, "-o /nowhere/x.profile could not be written: No such file"),
                  "%s", result.err);
    remove_files(&files);
}
END_TEST

TEST_MAIN("command: calibrate", calibrate_and_predict, predict_replaces_its_column,
          select_by_a_fitted_profile, what_calibrate_rejects)
