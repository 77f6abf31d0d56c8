/* The command itself: golden outputs, bad input, JSON and CSV read back, output that cannot be
 * written, time.
 *
 * RECALLMODEL names the program, by default build/recallmodel.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include <jansson.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct result {
    int status;
    char out[400000], err[4000];
};

static struct result result; /* of the last run */

static void slurp(const char *path, char *buffer, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(buffer, 1, size - 1, file) : 0;
    buffer[length] = '\0';
    if (file)
        fclose(file);
}

/* Runs "recallmodel ARGUMENTS" through the shell. */
static void run(const char *arguments)
{
    char command[4000], out[] = "/tmp/rcm-out-XXXXXX", err[] = "/tmp/rcm-err-XXXXXX";
    const char *program = getenv("RECALLMODEL");
    int out_file = mkstemp(out), err_file = mkstemp(err);
    ck_assert(out_file >= 0 && err_file >= 0);
    close(out_file);
    close(err_file);
    snprintf(command, sizeof command, "%s %s >%s 2>%s", program ? program : "build/recallmodel",
             arguments, out, err);
    int status = system(command);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    slurp(out, result.out, sizeof result.out);
    slurp(err, result.err, sizeof result.err);
    unlink(out);
    unlink(err);
}

START_TEST(golden)
{
    /* tests/golden/NAME.txt begins with the command; what follows is what it prints. */
    static const char *const names[] = {"title",           "ranks",          "cost",
                                        "bounds",          "devices",        "device",
                                        "lists",           "valid",          "help",
                                        "small",           "simulate",       "simulate-csv",
                                        "simulate-valid",  "count",          "help-simulate",
                                        "quantile",        "select",         "select-confidence",
                                        "select-time",     "select-reverse", "predict",
                                        "predict-product", "attention",      "help-calibrate"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[200];
        static char golden[100000], want[100000];
        snprintf(path, sizeof path, "tests/golden/%s.txt", names[i]);
        slurp(path, golden, sizeof golden);
        ck_assert_msg(strncmp(golden, "$ recallmodel", 13) == 0, "%s is missing", path);
        char *end = strchr(golden, '\n');
        *end = '\0';
        snprintf(want, sizeof want, "%s", end + 1);
        run(golden + 13);
        ck_assert_msg(result.status == 0, "%s: status %d, %s", path, result.status, result.err);
        ck_assert_msg(strcmp(result.out, want) == 0, "%s: got\n%s", path, result.out);
    }
}
END_TEST

START_TEST(bad_input)
{
    /* Each: one line on stderr that names the option, what was given and the mend; status 2;
     * nothing on stdout. */
    static const char *const cases[][4] = {
        {"", "--n is missing", "for example", ""},
        {"--n 10", "--k is missing", "for example", ""},
        {"--n abc --k 1", "--n 'abc'", "not a number", "262144"},
        {"--n '' --k 1", "--n ''", "empty", ""},
        {"--n= --k 1", "--n ''", "empty", ""},
        {"--n 0 --k 1", "--n '0'", "zero", "from 1 on"},
        {"--n -8 --k 1", "--n '-8'", "negative", ""},
        {"--n 10.5 --k 1", "--n '10.5'", "whole number", ""},
        {"--n 0x40 --k 1", "--n '0x40'", "hexadecimal", "262144"},
        {"--n 2^53 --k 1", "--n '2^53'", "9007199254740991", ""},
        {"--n 1e30 --k 1", "--n '1e30'", "9007199254740991", ""},
        {"--n 10 --k 11", "--k 11", "n = 10", "at most"},
        {"--n 10 --k 4 --kb 5", "--kb 5", "k = 4", "at most"},
        {"--n 10 --k 4 --b 11", "--b 11", "n = 10", "at most"},
        {"--n 100 --k 10 --b 3 --kb 3", "--b 3", "k = 10", "--b 4"},
        {"--n 10 --k 8 --b 5 --kb 3", "--kb 3", "a bucket", "--b 4 or less"},
        {"--n 10 --k 2 --recall 0", "--recall '0'", "(0, 1]", "0.95"},
        {"select --n 100 --k 10 --objective time", "--objective time", "calibrated",
         "--device FILE"},
        {"select --n 100 --k 10 --objective speed", "--objective 'speed'", "not known",
         "candidates, basic, serial, parallel"},
        {"select --n 100 --k 10 --objective basic,serial", "--objective", "is not known",
         "roofline"},
        {"select --n 100 --k 10 --kernel cuda", "--kernel 'cuda'", "not known",
         "any, ours, graphcore, xla"},
        {"select --n 100 --k 10 --confidence 1", "--confidence '1'", "(0, 1)", "0.05"},
        {"select --n 100 --k 10 --kb-max 5000", "--kb-max '5000'", "above 4096", ""},
        {"select --n 100 --k 10 --recall 0.9,0.95", "--recall", "one target", ""},
        {"select --n 10 --k 20", "--k 20", "larger than n", ""},
        {"--n 10 --k 2 --quantile 0", "--quantile '0'", "(0, 1)", "0.05"},
        {"--n 10 --k 2 --quantile 1", "--quantile '1'", "(0, 1)", "0.05"},
        {"--n 10 --k 2 --quantile 5%", "--quantile '5%'", "decimal", "0.05"},
        {"--n 10 --k 2 --at-least 1.5", "--at-least '1.5'", "(0, 1]", "0.05"},
        {"--n 10 --k 2 --at-least", "--at-least", "needs a value", ""},
        {"--n 10 --k 2 --recall 1.01", "--recall '1.01'", "(0, 1]", "0.95"},
        {"--n 10 --k 2 --recall 95", "--recall '95'", "(0, 1]", "0.95"},
        {"--n 10 --k 2 --recall -0.5", "--recall '-0.5'", "negative", ""},
        {"--n 10 --k 2 --recall high", "--recall 'high'", "decimal", "0.95"},
        {"--n 10 --k 2 --recall 0.5,0.6", "--recall", "one target", "bounds"},
        {"--n 10 --k 2 --device gtx", "--device 'gtx'", "H200", "device file"},
        {"--n 10 --k 2 --device ./nowhere", "--device ./nowhere", "No such file", ""},
        {"--n 10 --k 2 --dtype f64", "--dtype 'f64'", "bf16", ""},
        {"--n 10 --k 2 --assignment random", "--assignment 'random'", "interleaved", ""},
        {"--n 10 --k 2 --valid 11", "--valid 11", "n = 10", ""},
        {"--n 10 --k 2 --valid 1", "--valid 1", "k = 2", ""},
        {"--n 10 --k 2 --align 11", "--align 11", "n = 10", ""},
        {"--n 10 --k 2 --align 3 --divisors", "--align 3", "--divisors", ""},
        {"--n 10 --k 2 --m 0", "--m '0'", "zero", ""},
        {"--n 10 --k 2 --frob 1", "'--frob'", "--align", "--json"},
        {"--n 10 --k 2 -v", "'-v'", "--n 262144", ""},
        {"--n 10 --k 2 17", "'17'", "--n 262144", ""},
        {"--n", "--n needs a value", "--n N", ""},
        {"--n --k 3", "--n needs a value", "--n N", ""},
        {"--n 10 --k", "--k needs a value", "--k K", ""},
        {"--n 10 --k 2 --json=yes", "--json", "no value", "yes"},
        {"--n 10 --k 2 --json --csv", "--json", "--csv", "one of them"},
        {"--n 10 --k 2 --assignment interleaved,contiguous", "--assignment", "takes one here",
         "simulate"},
        {"simulate --k 2", "--n is missing", "for example", ""},
        {"simulate --n 10,20 --k 2", "--n and --k", "one value", ""},
        {"simulate --n 10 --k 2 --input gauss", "--input 'gauss'", "iid, ar1", "--file"},
        {"simulate --n 10 --k 2 --input ar1 --rho 1", "--rho '1'", "[0, 1)", ""},
        {"simulate --n 10 --k 2 --input ar1 --rho x", "--rho 'x'", "decimal", "0:0.1:0.9"},
        {"simulate --n 10 --k 2 --rho 0.5", "--rho", "--input ar1", ""},
        {"simulate --n 10 --k 2 --shuffle row", "--shuffle", "placement", "--input iid"},
        {"simulate --n 10 --k 2 --input iid --shuffle twice", "--shuffle 'twice'",
         "none, row, once", ""},
        {"simulate --n 10 --k 2 --assignment interleaved,random", "--assignment 'random'",
         "contiguous-floor", ""},
        {"simulate --n 10 --k 2 --temperature 1", "--temperature", "placement", "--input iid"},
        {"simulate --n 10 --k 2 --input iid --temperature 0", "--temperature '0'", "above 0", ""},
        {"simulate --n 10 --k 2 --ranks 3", "--ranks 3", "k = 2", ""},
        {"simulate --n 10 --k 2 --seed -1", "--seed '-1'", "negative", ""},
        {"simulate --n 10 --k 2 --repetitions 0", "--repetitions '0'", "zero", ""},
        {"simulate --n 10 --k 2 --threads 5000", "--threads 5000", "4096", ""},
        {"simulate --n 10 --k 2 --row 5", "--row", "--file", ""},
        {"simulate --n 10 --k 2 --dtype f32", "--dtype", "--file", ""},
        {"simulate --k 2 --file ./nowhere.npy", "--file ./nowhere.npy", "No such file", ""},
        {"simulate --k 2 --file README.md", "--file README.md", "not a .npy", "--dtype and --row"},
        {"simulate --k 2 --file /dev/null", "--file /dev/null", "regular", ""},
        {"simulate --k 2 --file ''", "--file is empty", "", ""},
        {"simulate --k 2 --file README.md --input iid", "--input", "--file", "exclude"},
        {"simulate --k 2 --file tests/fuzz/seeds/fuzz_number/0 --dtype f16 --row 2", "--file",
         "whole number of rows", ""},
        {"simulate --k 2 --file tests/fuzz/seeds/fuzz_number/0 --dtype f16 --row 3 --n 5", "--n 5",
         "length of a row", "leave --n out"},
        {"simulate --k 2 --file tests/fuzz/seeds/fuzz_number/0 --dtype f16 --row 3 --repetitions 2",
         "--repetitions 2", "1 rows", ""},
        {"simulate --k 9 --file tests/fuzz/seeds/fuzz_number/0 --dtype f16 --row 3", "--k 9",
         "n = 3", ""},
        {"simulate --n 10 --k 2 --recall 0.9,0.95", "--recall", "one target", ""},
        {"simulate --n 2^33 --k 20 --input iid", "2^32", "--n", "placement"},
        {"simulate --n 2^40 --k 2^33", "2^32", "--k", ""},
        {"simulate --n 2^40 --k 2^30 --kb 1", "2^28", "--b", "--kb"},
        {"simulate --n 10 --k 2 --input iid --temperature 1e3x", "--temperature '1e3x'", "decimal",
         ""},
        {"count --n 10 --k 2 --input placement", "--input placement", "iid", ""},
        {"count --n 10 --k 2 --digits 17", "--digits '17'", "16", ""},
        {"count --n 2^29 --k 2", "--n 536870912", "2^28", ""},
        {"frobnicate --n 10", "'frobnicate'", "recall", "devices"},
        {"calibrate", "RUNS.csv", "time_us_median", ""},
        {"calibrate /nowhere/runs.csv", "/nowhere/runs.csv", "No such file", ""},
        {"--n 64 --k 4 --plot x.gif", "--plot 'x.gif'", ".png", ".svg"},
        {"--n 64 --k 4 --plot - --csv", "--plot -", "--csv", "name a file"},
        {"--n 64,128 --k 4 --plot x.png", "--plot", "one --n", ""},
        {"bounds --n 64 --k 4 --plot x.png", "'--plot'", "", ""},
        {"select --n 100 --b 10 --kb 2 --plot x.png", "--plot", "leave it out", ""},
        {"calibrate runs.csv --runs more.csv", "--runs 'more.csv'", "already", "'runs.csv'"},
        {"calibrate runs.csv --name ''", "--name is empty", "", ""},
        {"select --n 100 --k 10 --shards 4 --divisors", "--divisors", "--shards", "leave it out"},
        {"select --n 100 --b 10 --kb 2 --quantile 0.1", "--quantile", "--b and --kb",
         "leave it out"},
        {"select --k 10 --b 10 --kb 2 --valid 20", "--valid", "leave it out", ""},
        {"select --n 100 --k 10 --device h200 --objective time", "--device H200 has no profile",
         "calibrate", ""},
        {"select --n 100 --k 10 --device h100-pcie --dtype f32 --objective time",
         "no profile for this --dtype", "", ""},
        {"select --n 100 --k 10 --exact-us 5", "--exact-us", "--device", ""},
        {"select --n 100 --k 10 --exact-us x --device h200", "--exact-us 'x'", "44.3", ""},
        {"select --n 100 --k 10 --objective basic --exact-us 5 --device h200", "--exact-us",
         "--objective", ""},
        {"select --n 100 --k 10 --objective roofline", "--device", "recallmodel devices", ""},
        {"exact --n 100 --k 50 --b 10 --kb 2", "fewer than k = 50", "give more", ""},
        {"exact --n 100 --k 50 --b 10", "--b and --kb go together", "", ""},
        {"exact --n 100 --k 50 --b 10,20 --kb 9", "--b takes one value", "", ""},
        {"exact --n 10 --k 5 --b 20 --kb 9", "--b 20 is larger", "", ""},
        {"predict --device h100-pcie --runs tests/golden/title.txt --kb 2", "--kb",
         "the file has the shapes", ""},
        {"calibrate runs.csv more.csv", "'more.csv' is not an option", "", ""},
        {"calibrate tests/golden/title.txt", "tests/golden/title.txt:2, column", "", ""},
        {"calibrate tests/reference.csv", "tests/reference.csv", "there is no column", ""},
        {"calibrate --runs /dev/null", "/dev/null", "is a device", "give a file"},
        {"calibrate /dev/null --kernel any", "--kernel any", "graphcore", ""},
        {"calibrate /dev/null --dtype f8", "--dtype 'f8'", "bf16", ""},
        {"calibrate /dev/null -o", "-o needs a value", "FILE", ""},
        {"calibrate /dev/null --nname x", "'--nname'", "did you mean --name", ""},
        {"predict --n 100 --k 10", "--device FILE", "calibrate", ""},
        {"predict --n 100 --k 10 --device h200 --kernel graphcore", "H200 has no profile",
         "calibrate", ""},
        {"predict --n 100 --k 10 --device h100-pcie --dtype f32", "H100-PCIe has no profile",
         "--dtype", ""},
        {"predict --n 100 --k 10 --device h100-pcie --kernel ours",
         "the profile of H100-PCIe knows graphcore, graphcore-thread, graphcore-block", "", ""},
        {"predict --device h100-pcie", "--n", "", ""},
        {"predict --device h100-pcie --runs x.csv --d 128", "--d", "exclude", ""},
        {"attention --n 100", "--k is missing", "", ""},
        {"attention --n 100 --k 101", "--k", "", ""},
        {"attention --n 100 --k 10 --components 129", "--components 129", "at most", ""},
        {"predict --device h100-pcie --runs x.csv --n 10", "--runs", "exclude", ""},
        {"predict --device h100-pcie --runs /nowhere/x.csv", "/nowhere/x.csv", "No such file", ""},
        {"predict -o x --device h100-pcie --n 10 --k 2", "'-o' is not an option", "", ""},
        {"select --n 100 --k 10 --device h200 --objective time", "H200 has no profile", "calibrate",
         ""},
        {"select --n 100 --k 10 --device h100-pcie --kernel ours --objective time",
         "no profile of the kernel ours", "", ""},
        {"select --n 100 --k 10 --dtype f16", "--dtype", "--device", ""},
        {"select --n 100 --k 10 --budget 0", "--budget '0'", "zero", ""},
        {"select --n 100 --k 10 --budget 50 --recall 0.9", "--budget", "--recall", ""},
        {"select --n 100 --k 10 --budget 50 --confidence 0.9", "--budget", "--confidence", ""},
        {"select --n 100 --k 10 --b 5", "--kb", "largest k", "recallmodel recall"},
        {"select --b 5 --kb 1", "--b and --kb", "largest n", ""},
        {"select --n 100 --b 5,6 --kb 1", "--b takes one value", "", ""},
        {"select --n 100 --b 101 --kb 1", "--b 101", "--n 100", ""},
        {"select --n 100 --b 10 --kb 1 --confidence 0.9", "--confidence", "--at-least", ""},
        {"select --n 100 --shards 4", "--shards", "--k", ""},
        {"select --n 100 --k 10 --shards 4 --b 5", "--shards", "--b", ""},
        {"select --n 100 --k 10 --shards 101", "--shards 101", "--n 100", ""},
        {"select --n 10 --k 11 --shards 2", "--k 11", "--n 10", ""},
        {"--n 10 --k 2 --device tests/golden/title.txt", "tests/golden/title.txt:", "", ""},
        {"ranks --n 10 --k 2 --ranks 3", "--ranks 3", "k = 2", "1 to k"},
        {"ranks --n 10 --k 2 --m 3", "'--m'", "--ranks", ""},
        {"cost --n 10 --k 2 --kb 1", "'--kb'", "--m", ""},
        {"bounds --n 10 --k 2 --kb 3", "--kb 3", "k = 2", ""},
        {"bounds --n 10 --k 2 --recall 0.9:0.1", "--recall", "first:step:last", "0.95"},
        {"--n 10 --k 2 --kb 1,,2", "--kb '1,,2'", "empty", ""},
        {"--n 10 --k 2 --kb 5..1", "--kb '5..1'", "before", ""},
        {"--n 10 --k 2 --b 1..1e9", "--b '1..1e9'", "65536", ""},
        {"--n 1e6 --k 65536 --b 1..60000 --kb 1..60000", "more than 100000 shapes", "--b",
         "shorter"},
        {"--n 100001..101000 --k 1..1000", "more than 100000 pairs", "--n", "shorter"},
        {"--n 100001..100100 --k 1..100", "more than 100000 shapes", "--n", "shorter"},
        {"--n 1,000 --k 1", "--n '1,000'", "'000' is zero", "1,2,4"},
        {"--n \"$(printf '1\\n2')\" --k 1", "--n '1?2'", "not a number", ""},
        {"--n 10 --k 2 --m 1,2", "--m '1,2'", "one whole number", ""},
        {"--n 64 --k 8 --b 65", "--b 65", "n = 64", "at most"},
        {"--n 6400 --k 800 --b 40", "--b 40", "--kb up to 8", "--kb 20"},
        {"--n 100 --k 10 --kb 8 --align 64", "--align", "from 2 to 14", "smaller --kb"},
        {"--n 20,30 --k 40,50", "--k 40", "n = 20", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run(cases[i][0]);
        ck_assert_msg(result.status == 2, "%s: status %d", cases[i][0], result.status);
        ck_assert_msg(*result.out == '\0', "%s: stdout %s", cases[i][0], result.out);
        char *newline = strchr(result.err, '\n');
        ck_assert_msg(newline && newline[1] == '\0' &&
                          strncmp(result.err, "recallmodel: ", 13) == 0,
                      "%s: %s", cases[i][0], result.err);
        for (int j = 1; j < 4; j++)
            ck_assert_msg(strstr(result.err, cases[i][j]), "%s: '%s' not in %s", cases[i][0],
                          cases[i][j], result.err);
    }
}
END_TEST

START_TEST(combinations_left_out)
{
    static const char *const cases[][2] = {
        {"--n 1000 --k 10,2000 --csv", "left out 1 of 2 "},
        {"cost --n 8,16 --k 10", "left out 1 of 2 "},
        {"bounds --n 64 --k 8 --kb 2,4,99", "left out 1 of 3 "},
        {"--n 8,64 --k 10 --kb 1,2", "left out 2 of 4 "},
        {"--n 100 --k 10 --kb 1,2,8 --align 64", "left out 1 of 3 "},
        {"--n 4,100,200 --k 10 --kb 1,8 --align 64", "left out 4 of 6 "},
        {"--n 64 --k 8 --b 40,65", "left out 1 of 2 "},
        {"ranks --n 64 --k 4,8 --ranks 1..8", "left out 4 ranks"},
        {"--n 1000 --k 10 --b 2,4,8 --kb 1..5 --csv", "left out 7 of 15 "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run(cases[i][0]);
        ck_assert_msg(result.status == 0 && strstr(result.err, cases[i][1]) &&
                          strchr(result.err, '\n')[1] == '\0',
                      "%s: %d %s", cases[i][0], result.status, result.err);
    }
    int lines = 0;
    for (const char *at = result.out; (at = strchr(at, '\n')); at++)
        lines++;
    ck_assert_int_eq(lines, 1 + 8);
    run("--n 1000 --k 10"); /* the default k_b go as far as k allows, without a note */
    ck_assert_str_eq(result.err, "");
}
END_TEST

static json_t *parsed(const char *arguments)
{
    json_error_t error;
    run(arguments);
    ck_assert_msg(result.status == 0, "%s: %s", arguments, result.err);
    json_t *json = json_loads(result.out, 0, &error);
    ck_assert_msg(json != NULL, "%s: line %d: %s", arguments, error.line, error.text);
    return json;
}

static double number(json_t *object, const char *path)
{
    char level[64];
    for (const char *slash; (slash = strchr(path, '/')); path = slash + 1) {
        snprintf(level, sizeof level, "%.*s", (int)(slash - path), path);
        object = json_object_get(object, level);
    }
    json_t *value = json_object_get(object, path);
    ck_assert_msg(value && (json_is_number(value) || json_is_null(value)), "%s is missing", path);
    return json_is_null(value) ? NAN : json_number_value(value);
}

START_TEST(json_has_all_digits)
{
    json_t *json = parsed("--n 262144 --k 1024 --kb 4 --m 8 --device H200 --dtype bf16 --json");
    ck_assert_str_eq(json_string_value(json_object_get(json, "version")), RCM_VERSION);
    ck_assert(number(json, "n") == 262144 && number(json, "k") == 1024 && number(json, "m") == 8 &&
              number(json, "recall_target") == 0.95);
    json_t *rows = json_object_get(json, "configurations"),
           *recommended = json_object_get(json, "recommended");
    ck_assert_uint_ge(json_array_size(rows), 18);
    for (size_t i = 0; i <= json_array_size(rows); i++) {
        json_t *row = i < json_array_size(rows) ? json_array_get(rows, i) : recommended;
        struct rcm_topk p = {.n = 262144,
                             .k = 1024,
                             .m = 8,
                             .b = (uint64_t)number(row, "b"),
                             .k_b = (uint64_t)number(row, "k_b")};
        ck_assert_double_eq(number(row, "candidates"), (double)rcm_candidates(p));
        ck_assert_double_eq(number(row, "recall"), rcm_recall_exact(p));
        ck_assert_double_eq(number(row, "loss"), rcm_loss_exact(p));
        ck_assert_double_eq(number(row, "recall_sd"), rcm_recall_sd(p));
        ck_assert_double_eq(number(row, "recall_binomial"), rcm_recall_binomial(p));
        ck_assert_double_eq(number(row, "loss_binomial"), rcm_loss_binomial(p));
        ck_assert_double_eq(number(row, "loss_bound"), rcm_loss_bound(p));
        ck_assert_double_eq(number(row, "recall_worst_case"), rcm_recall_worst_case(p));
        ck_assert_double_eq(number(row, "probability_exact"), rcm_probability_exact(p));
        ck_assert_ptr_null(json_object_get(row, "recall_quantile"));
        for (size_t m = 0; rcm_cost_model(m); m++) {
            struct rcm_cost cost = rcm_cost(rcm_cost_model(m), p);
            json_t *object = json_object_get(json_object_get(row, "cost"), rcm_cost_model(m)->name);
            ck_assert_double_eq(number(object, "exact"), cost.exact);
            ck_assert_double_eq(number(object, "approximate"), cost.approximate);
            ck_assert_double_eq(number(object, "speedup"), cost.speedup);
            ck_assert_pstr_eq(json_string_value(json_object_get(object, "stage1")), cost.stage1);
            ck_assert_pstr_eq(json_string_value(json_object_get(object, "stage2")), cost.stage2);
        }
        struct rcm_roofline roof = rcm_roofline(rcm_device_by_name("H200"), RCM_BF16, p);
        ck_assert_double_eq(number(row, "roofline/bytes"), roof.bytes);
        ck_assert_double_eq(number(row, "roofline/operations"), roof.operations);
        ck_assert_double_eq(number(row, "roofline/time_memory_us"), roof.time_memory_us);
        ck_assert_double_eq(number(row, "roofline/time_vector_us"), roof.time_vector_us);
        ck_assert_double_eq(number(row, "roofline/time_us"), roof.time_us);
        ck_assert_double_eq(number(row, "roofline/k_b_max"), (double)roof.k_b_max);
        ck_assert_str_eq(
            json_string_value(json_object_get(json_object_get(row, "roofline"), "bound")),
            roof.memory_bound ? "memory" : "vector");
    }
    ck_assert(number(recommended, "b") == 460 && number(recommended, "k_b") == 4);
    json_t *smallest = json_array_get(json_object_get(json, "smallest_b"), 0);
    ck_assert(number(smallest, "k_b") == 4 && number(smallest, "b") == 460 &&
              number(smallest, "recall") == number(recommended, "recall"));
    json_decref(json);
}
END_TEST

START_TEST(json_of_lists_and_edges)
{
    json_t *json = parsed("--n 2^12,2^14 --k 64,128 --kb 1,2 --json");
    json_t *queries = json_object_get(json, "queries");
    ck_assert_uint_eq(json_array_size(queries), 4);
    ck_assert(number(json_array_get(queries, 1), "n") == 4096 &&
              number(json_array_get(queries, 1), "k") == 128);
    json_decref(json);
    json = parsed(
        "--n 1000 --k 10,2000 --json"); /* a list stays a list, also where one pair is left */
    ck_assert_uint_eq(json_array_size(json_object_get(json, "queries")), 1);
    json_decref(json);
    /* Not finite is null: the parallel model costs 0 at n/b = 1 and k = n. */
    json = parsed("--n 16 --k 16 --b 16 --kb 1 --json");
    json_t *row = json_array_get(json_object_get(json, "configurations"), 0);
    ck_assert(isnan(number(row, "cost/parallel/speedup")) &&
              number(row, "cost/parallel/approximate") == 0.0);
    json_decref(json);
    /* A target that nothing reaches: nothing is recommended. Buckets of n = 16 have 6 or more
     * elements for k_b = 5. */
    json = parsed("--n 16 --k 10 --kb 5 --recall 1 --json");
    ck_assert(json_is_null(json_object_get(json, "recommended")) &&
              json_array_size(json_object_get(json, "smallest_b")) == 0);
    json_decref(json);
    /* --align and --divisors bind every b. */
    json = parsed("--n 430080 --k 3360 --align 128 --divisors --kb 1..4 --recall 0.99 --json");
    ck_assert(number(json, "recommended/b") == 2688 &&
              number(json, "recommended/k_b") == 4); /* Samaga et al., A.10 with all divisors */
    size_t index;
    json_array_foreach(json_object_get(json, "configurations"), index, row) ck_assert(
        (uint64_t)number(row, "b") % 128 == 0 && 430080 % (uint64_t)number(row, "b") == 0);
    json_decref(json);
    json = parsed("--n 1000 --k 10 --valid 500 --assignment contiguous --json");
    ck_assert_str_eq(json_string_value(json_object_get(json, "assignment")), "contiguous");
    ck_assert_double_eq(number(json, "valid"), 500);
    json_decref(json);
    json = parsed("devices --json");
    ck_assert_uint_ge(json_array_size(json_object_get(json, "devices")), 6);
    json_decref(json);
    json = parsed("ranks --n 262144 --k 1024 --b 512 --kb 4 --ranks 1,256,1024 --json");
    ck_assert_double_eq_tol(number(json_array_get(json_object_get(json, "ranks"), 2), "survival"),
                            0.858709, 1e-6);
    json_decref(json);
    json = parsed("cost --n 2^20 --k 256 --json");
    ck_assert_uint_eq(json_array_size(json_object_get(json, "algorithms")), 5);
    json_decref(json);
    json = parsed("bounds --n 262144 --k 1024 --recall 0.8:0.05:0.95 --kb 1 --json");
    ck_assert_uint_eq(json_array_size(json_object_get(json, "bounds")),
                      4 * (6 + 2)); /* exact and five rules; xla and tallax */
    ck_assert_double_eq(number(json_array_get(json_object_get(json, "bounds"), 0), "recall_target"),
                        0.8);
    json_decref(json);
}
END_TEST

START_TEST(parameter_choices_of_listing_a10)
{
    /* Exact sweep over multiples of 128 that divide n, k_b 1 to 4, fewest candidates:
     * ../shared/FIGURES.md 4.9. */
    static const struct {
        unsigned n, k;
        const char *recall;
        unsigned k_b, b, maxima; /* b for k_b = 1, 0: not stated */
    } rows[] = {
        {262144, 1024, "0.95", 4, 512, 16384}, {1 << 20, 1024, "0.99", 4, 1024, 65536},
        {65536, 256, "0.99", 4, 256, 0},       {16384, 128, "0.95", 3, 128, 0},
        {262144, 1024, "0.99", 4, 1024, 0},    {430080, 3360, "0.95", 4, 1536, 30720},
        {15360, 480, "0.95", 4, 256, 3840},    {15360, 480, "0.99", 4, 384, 15360},
        {24576, 512, "0.95", 4, 256, 6144},    {917504, 3360, "0.95", 4, 1792, 32768},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char arguments[200];
        snprintf(arguments, sizeof arguments,
                 "--n %u --k %u --kb 1..4 --align 128 --divisors --recall %s --json", rows[i].n,
                 rows[i].k, rows[i].recall);
        json_t *json = parsed(arguments);
        ck_assert_msg(number(json, "recommended/b") == rows[i].b &&
                          number(json, "recommended/k_b") == rows[i].k_b,
                      "%s: %g, %g", arguments, number(json, "recommended/b"),
                      number(json, "recommended/k_b"));
        if (rows[i].maxima)
            ck_assert_msg(number(json_array_get(json_object_get(json, "smallest_b"), 0), "b") ==
                              rows[i].maxima,
                          "%s", arguments);
        json_decref(json);
    }
}
END_TEST

/* select's JSON: the choice is the one of the library, the rules are those of the published tables,
 * and what it says to write gives what it says. */
START_TEST(select_json)
{
    run("select --n 131072 --k 2048 --recall 0.95 --m 64 --json");
    ck_assert_int_eq(result.status, 0);
    json_t *object = json_loads(result.out, 0, NULL), *choice = json_object_get(object, "choice"),
           *rules = json_object_get(object, "rules");
    struct rcm_selection s = {.p = {.n = 131072, .k = 2048, .m = 64}, .target = {.loss = 0.05}};
    struct rcm_choice c = rcm_select(&s);
    ck_assert_double_eq(number(choice, "b"), (double)c.p.b);
    ck_assert_double_eq(number(choice, "k_b"), (double)c.p.k_b);
    ck_assert_double_eq(number(choice, "candidates"), c.objective);
    ck_assert_double_eq(number(choice, "objective"), c.objective);
    ck_assert_double_eq(number(choice, "recall"), rcm_recall_exact(c.p));
    ck_assert_double_eq(number(choice, "recall_sd"), rcm_recall_sd(c.p));
    struct rcm_lost law;
    ck_assert_int_eq(rcm_lost(c.p, &law), 0);
    ck_assert_double_eq(number(choice, "recall_quantile"),
                        1.0 - (double)rcm_lost_quantile(&law, 0.95) / 2048.0);
    rcm_lost_free(&law);
    ck_assert_str_eq(json_string_value(json_object_get(object, "objective_unit")), "candidates");
    ck_assert_str_eq(
        json_string_value(json_object_get(object, "reason")),
        "b = 912, k_b = 4: 3648 candidates, 35.9 times fewer than exact top-k (131072 candidates)");
    ck_assert_uint_eq(json_array_size(json_object_get(object, "alternatives")), 4);
    static const struct {
        const char *rule;
        double b, recall;
    } wanted[] = {{"xla", 65536.0, 0.9922},
                  {"tallax", 40960.0, 0.9826},
                  {"listing A.10 mended", 1024.0, 0.9639}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        bool seen = false;
        for (size_t j = 0; j < json_array_size(rules); j++) {
            json_t *rule = json_array_get(rules, j);
            if (strcmp(json_string_value(json_object_get(rule, "rule")), wanted[i].rule) == 0) {
                seen = true;
                ck_assert_double_eq(number(rule, "b"), wanted[i].b);
                ck_assert_double_eq_tol(number(rule, "recall"), wanted[i].recall, 5e-5);
            }
        }
        ck_assert_msg(seen, "no rule %s", wanted[i].rule);
    }
    /* The frontier falls in loss and rises in the objective. */
    json_t *frontier = json_object_get(object, "frontier");
    ck_assert_uint_ge(json_array_size(frontier), 10);
    for (size_t i = 1; i < json_array_size(frontier); i++) {
        ck_assert_double_lt(number(json_array_get(frontier, i), "loss"),
                            number(json_array_get(frontier, i - 1), "loss"));
        ck_assert_double_ge(number(json_array_get(frontier, i), "objective"),
                            number(json_array_get(frontier, i - 1), "objective"));
    }
    const char *jax = json_string_value(json_object_get(json_object_get(object, "usage"), "jax"));
    double target = 0.0;
    jax = strstr(jax, "jax.lax");
    ck_assert_ptr_nonnull(jax);
    ck_assert_int_eq(sscanf(jax, "jax.lax.approx_max_k(x, 2048, recall_target=%lf)", &target), 1);
    ck_assert_uint_eq(rcm_xla_b(s.p, 1.0 - target), 32768); /* the fewest of XLA's that reach .95 */
    json_decref(object);

    run("select --n 100 --k 50 --recall 1 --kb-max 3 --json"); /* no bucket may overflow, so all
                                                                  elements would be kept */
    object = json_loads(result.out, 0, NULL);
    ck_assert(json_is_null(json_object_get(object, "choice")));
    ck_assert_str_ne(json_string_value(json_object_get(object, "deploy")), "bucketed");
    json_decref(object);
    run("select --n 1000 --k 500 --kernel xla --recall 0.9999 --json");
    object = json_loads(result.out, 0, NULL);
    ck_assert(json_is_null(json_object_get(object, "choice")));
    json_decref(object);
}
END_TEST

/* The law of a row, in integers: recall 0.9 of k = 7 is 7 elements, for 6/7 < 0.9; 6/7 itself, as
 * typed to 18 digits, is not more than 6. */
START_TEST(quantiles_of_a_row)
{
    run("--n 1000 --k 7 --b 20 --kb 1 --m 3 --quantile 0.05 --at-least 0.9 --json");
    ck_assert_int_eq(result.status, 0);
    json_t *object = json_loads(result.out, 0, NULL),
           *row = json_array_get(json_object_get(object, "configurations"), 0);
    struct rcm_topk p = {.n = 1000, .k = 7, .b = 20, .k_b = 1, .m = 3};
    struct rcm_lost law;
    ck_assert_int_eq(rcm_lost(p, &law), 0);
    ck_assert_double_eq(number(row, "recall_quantile"),
                        (7.0 - (double)rcm_lost_quantile(&law, 0.95)) / 7.0);
    ck_assert_double_eq(number(row, "recall_quantile_all"),
                        (7.0 - (double)rcm_lost_quantile(&law, cbrt(0.95))) / 7.0);
    ck_assert_double_eq(number(row, "probability"), rcm_lost_at_most(&law, 0.0));
    ck_assert_double_eq_tol(number(row, "probability"), number(row, "probability_exact"), 1e-12);
    ck_assert_double_eq_tol(number(row, "probability_all"), pow(rcm_lost_at_most(&law, 0.0), 3.0),
                            1e-15);
    json_decref(object);
    run("--n 1000 --k 7 --b 20 --kb 1 --at-least 0.857142857142857142 --json");
    object = json_loads(result.out, 0, NULL);
    row = json_array_get(json_object_get(object, "configurations"), 0);
    ck_assert_double_eq(number(row, "probability"), rcm_lost_at_most(&law, 1.0));
    json_decref(object);
    rcm_lost_free(&law);
}
END_TEST

START_TEST(csv_columns)
{
    static const char *const names[] = {"n",
                                        "k",
                                        "b",
                                        "k_b",
                                        "candidates",
                                        "recall",
                                        "recall_sd",
                                        "loss",
                                        "recall_binomial",
                                        "loss_binomial",
                                        "loss_bound",
                                        "recall_worst_case",
                                        "cost_basic",
                                        "cost_basic_exact",
                                        "speedup_basic",
                                        "cost_serial",
                                        "cost_serial_exact",
                                        "speedup_serial",
                                        "cost_parallel",
                                        "cost_parallel_exact",
                                        "speedup_parallel",
                                        "probability_exact"};
    char *at[64], line[4000];
    int column[32], count = 0;
    run("--n 2^16,2^18 --k 1024 --csv");
    ck_assert_int_eq(result.status, 0);
    FILE *file = fmemopen(result.out, strlen(result.out), "r");
    count = csv_fields(file, line, sizeof line, at, 64);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        column[i] = -1;
        for (int j = 0; j < count; j++)
            if (strcmp(at[j], names[i]) == 0)
                column[i] = j;
        ck_assert_msg(column[i] >= 0, "no column %s", names[i]);
    }
    int rows = 0, fields;
    while ((fields = csv_fields(file, line, sizeof line, at, 64)) > 0) {
        ck_assert_int_eq(fields, count);
        struct rcm_topk p = {.n = to_count(at[column[0]]),
                             .k = to_count(at[column[1]]),
                             .b = to_count(at[column[2]]),
                             .k_b = to_count(at[column[3]])};
        ck_assert_double_eq(strtod(at[column[7]], NULL),
                            rcm_loss_exact(p)); /* all digits survive */
        ck_assert_double_eq(strtod(at[column[15]], NULL),
                            rcm_cost(rcm_cost_model(1), p).approximate);
        ck_assert(p.n == 65536 || p.n == 262144);
        rows++;
    }
    fclose(file);
    ck_assert_int_ge(rows, 200);
}
END_TEST

/* Shapes with the times of the library's profile, to which a fit gives that profile again. */
static void write_shapes(const char *path)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("# made by test_command\nnote,n,k,b,k_b,m\n", file);
    for (unsigned n = 1024; n <= 1u << 20; n *= 4)
        for (unsigned m = 1; m <= 256; m *= 16)
            for (unsigned k_b = 1; k_b <= 4; k_b++)
                for (unsigned k = 12; 2 * k <= n; k *= 8)
                    for (unsigned b = k / k_b; b * k_b <= 4 * k && b * k_b < n; b *= 2)
                        fprintf(file, "\"a, b\",%u,%u,%u,%u,%u\n", n, k, b, k_b, m);
    fclose(file);
}

START_TEST(calibrate_and_predict)
{
    char shapes[] = "/tmp/rcm-shapes-XXXXXX", runs[] = "/tmp/rcm-runs-XXXXXX",
         profile[] = "/tmp/rcm-profile-XXXXXX", arguments[500];
    static char predicted[1 << 20];
    close(mkstemp(shapes));
    close(mkstemp(runs));
    close(mkstemp(profile));
    write_shapes(shapes);
    snprintf(arguments, sizeof arguments, "predict --device h100-pcie --runs %s --csv", shapes);
    run(arguments);
    ck_assert_msg(result.status == 0 && *result.err == '\0', "%s", result.err);
    snprintf(predicted, sizeof predicted, "%s", result.out);
    /* The rows as they were, and five more columns; all digits. */
    char *header = strchr(predicted, '\n');
#define ADDED "predicted_us,low_us,high_us,within_runs,beyond\n"
    static const char columns[] = "note,n,k,b,k_b,m," ADDED;
    ck_assert(strncmp(predicted, columns, (size_t)(header - predicted) + 1) == 0);
    unsigned n, k, b, k_b, m;
    double time_us;
    ck_assert_int_eq(
        sscanf(header + 1, "\"a, b\",%u,%u,%u,%u,%u,%lf\n", &n, &k, &b, &k_b, &m, &time_us), 6);
    struct rcm_topk p = {.n = n, .k = k, .b = b, .k_b = k_b, .m = m};
    ck_assert_double_eq(time_us, rcm_predict(rcm_profile(0), p).time_us);
    FILE *file = fopen(runs, "w");
    memcpy(strstr(predicted, "predicted_us"), "     time_us", 12);
    char *name = strstr(predicted, "     time_us");
    fprintf(file, "%.*s%s", (int)(name - predicted), predicted, name + 5);
    fclose(file);

    snprintf(arguments, sizeof arguments,
             "calibrate %s --name Toy --source 'a test' -o %s --cross-validate --json", runs,
             profile);
    run(arguments);
    ck_assert_msg(result.status == 0, "%s", result.err);
    json_t *object = json_loads(result.out, 0, NULL), *regret = json_object_get(object, "regret");
    static const char *const models[] = {"calibrated", "basic", "serial", "parallel"},
                             *const figures[] = {"mean", "median", "p95", "max", "cells"};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 5; j++)
            ck_assert_msg(
                json_is_number(json_object_get(json_object_get(regret, models[i]), figures[j])),
                "regret %s %s", models[i], figures[j]);
    ck_assert_double_ge(number(json_object_get(regret, "basic"), "mean"), 1.0);
    ck_assert_double_lt(number(json_object_get(regret, "calibrated"), "mean"), 1.01);
    ck_assert_double_lt(number(object, "median_error"), 0.01);
    ck_assert_uint_ge(json_array_size(json_object_get(object, "parameters")), 15);
    ck_assert_uint_ge(json_array_size(json_object_get(object, "regimes")), 4);
    ck_assert_uint_eq(json_array_size(json_object_get(object, "each_size_left_out")), 6);
    /* By size: four models each, of as many cells, whose sum is that of all; the calibrated one's
     * mean stands in both tables. */
    json_t *by_size = json_object_get(object, "regret_by_size");
    ck_assert_uint_eq(json_array_size(by_size), 6 * 4);
    double cells = 0.0;
    for (size_t i = 0; i < 24; i++) {
        json_t *row = json_array_get(by_size, i), *calibrated = json_array_get(by_size, i - i % 4);
        ck_assert_str_eq(json_string_value(json_object_get(row, "model")), models[i % 4]);
        ck_assert(number(row, "mean") >= 1.0 && number(row, "max") >= number(row, "mean") &&
                  number(row, "cells") == number(calibrated, "cells"));
        cells += i % 4 ? 0.0 : number(row, "cells");
        if (i % 4 == 0)
            ck_assert_double_eq(
                number(row, "mean"),
                number(json_array_get(json_object_get(object, "each_size_left_out"), i / 4),
                       "regret_mean"));
    }
    ck_assert_double_eq(
        cells,
        number(json_object_get(json_object_get(object, "regret_each_left_out"), "basic"), "cells"));
    ck_assert_uint_eq(json_array_size(json_object_get(object, "left_out")),
                      3); /* every second of six */
    ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(object, "left_out"), 0)),
                     4096);
    json_decref(object);

    snprintf(arguments, sizeof arguments, "predict --device %s --runs %s --json", profile, runs);
    run(arguments);
    ck_assert_int_eq(result.status, 0);
    object = json_loads(result.out, 0, NULL);
    ck_assert_str_eq(json_string_value(json_object_get(object, "device")), "Toy");
    ck_assert_double_lt(number(object, "median_error"), 0.01);
    json_decref(object);
    /* A column predicted_us that is there already is replaced. */
    file = fopen(shapes, "w");
    fputs("predicted_us,n,k,b,k_b\n99,4096,64,64,1\n", file);
    fclose(file);
    snprintf(arguments, sizeof arguments, "predict --device %s --runs %s --csv", profile, shapes);
    run(arguments);
    static const char replaced[] = "n,k,b,k_b," ADDED "4096,64,64,1,";
    ck_assert_msg(strncmp(result.out, replaced, sizeof replaced - 1) == 0, "%s", result.out);
    snprintf(arguments, sizeof arguments, "select --n 65536 --k 1024 --device %s --json", profile);
    run(arguments);
    object = json_loads(result.out, 0, NULL);
    ck_assert_str_eq(json_string_value(json_object_get(object, "objective_unit")), "us");
    ck_assert_double_eq(number(json_object_get(object, "choice"), "objective"),
                        number(json_object_get(object, "choice"), "predicted_us"));
    ck_assert(json_is_true(json_object_get(json_object_get(object, "choice"), "within_runs")));
    json_decref(object);
    snprintf(arguments, sizeof arguments, "select --n 2^24 --k 1024 --device %s --json",
             profile); /* beyond the runs */
    run(arguments);
    object = json_loads(result.out, 0, NULL);
    ck_assert(json_is_false(json_object_get(json_object_get(object, "choice"), "within_runs")));
    json_decref(object);

    /* A profile that cannot be written is said so, and nothing is left behind. */
    snprintf(arguments, sizeof arguments, "calibrate %s -o /nowhere/x.profile", runs);
    run(arguments);
    ck_assert_int_eq(result.status, 1);
    ck_assert_msg(strstr(result.err, "-o /nowhere/x.profile could not be written: No such file"),
                  "%s", result.err);
    static const char *const wrong[][2] = {
        {"--leave-out 1024", "belongs to --cross-validate"},
        {"--leave-out 1000 --cross-validate", "no run has this n"},
        {"--cross-validate --leave-out 1024,4096,16384,65536,262144,1048576",
         "nothing would be left"},
        {"--name 'a name of more than forty characters, which is too many'", "--name"},
        {"--name 'a#b'", "--name"},
        {"--exact /nowhere", "No such file"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(arguments, sizeof arguments, "calibrate %s %s", runs, wrong[i][0]);
        run(arguments);
        ck_assert_msg(result.status == 2 && strstr(result.err, wrong[i][1]) && *result.out == '\0',
                      "%s: %s", wrong[i][0], result.err);
    }
    snprintf(arguments, sizeof arguments, "calibrate %s --exact %s", runs, runs);
    run(arguments);
    ck_assert_msg(result.status == 2 && strstr(result.err, "line 2 is no exact top-k"), "%s",
                  result.err);
    unlink(shapes);
    unlink(runs);
    unlink(profile);
}
END_TEST

START_TEST(reverse_json)
{
    run("select --n 262144 --b 512 --kb 4 --recall 0.95 --json");
    json_t *object = json_loads(result.out, 0, NULL);
    ck_assert_str_eq(json_string_value(json_object_get(object, "question")), "largest_k");
    ck_assert_double_eq(number(object, "k"),
                        (double)rcm_largest_k((struct rcm_topk){.n = 262144, .b = 512, .k_b = 4},
                                              (struct rcm_target){.loss = 0.05}));
    json_decref(object);
    run("select --k 1024 --b 512 --kb 4 --json");
    object = json_loads(result.out, 0, NULL);
    ck_assert(json_is_true(json_object_get(object, "any_n")) &&
              json_is_null(json_object_get(object, "n")));
    json_decref(object);
    run("select --n 131072 --k 2048 --budget 3000 --json");
    object = json_loads(result.out, 0, NULL);
    ck_assert_double_le(number(json_object_get(object, "choice"), "objective"), 3000.0);
    struct rcm_selection s = {.p = {.n = 131072, .k = 2048}};
    ck_assert_double_eq(number(json_object_get(object, "choice"), "recall"),
                        rcm_recall_exact(rcm_best_recall(&s, 3000.0, NULL).p));
    json_decref(object);
    run("select --n 2^20 --k 1024 --shards 8 --recall 0.99 --csv");
    static const char shard_head[] =
        "question,n,k,b,k_b,any_n,recall_target,confidence,recall,recall_sd,candidates,send_bytes,";
    ck_assert_msg(strncmp(result.out, shard_head, sizeof shard_head - 1) == 0 &&
                      strstr(result.out, "\nfewest_k_b,1048576,1024,8,137,false,0.99,,") &&
                      strstr(result.out, ",1096,1096,,,,false\n"),
                  "%s", result.out);
    run("select --n 100 --k 10 --shards 4 --valid 50 --json"); /* two devices have it all */
    object = json_loads(result.out, 0, NULL);
    struct rcm_selection shards = {
        .p = {.n = 100, .k = 10, .b = 4, .valid = 50, .assignment = RCM_CONTIGUOUS},
        .target = {.loss = 0.05}};
    ck_assert_double_eq(number(object, "k_b"), (double)rcm_fewest_k_b(&shards));
    shards.p.assignment = RCM_INTERLEAVED;
    ck_assert_double_gt(number(object, "k_b"), (double)rcm_fewest_k_b(&shards));
    json_decref(object);
    run("devices --json");
    object = json_loads(result.out, 0, NULL);
    json_t *profile = json_array_get(json_object_get(object, "profiles"), 0);
    static const char *const keys[] = {"device",       "kernel",    "dtype",
                                       "date",         "runs",      "source",
                                       "median_error", "p95_error", "held_out_median_error"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        ck_assert_msg(json_object_get(profile, keys[i]) != NULL, "no %s", keys[i]);
    json_decref(object);
}
END_TEST

START_TEST(output_that_cannot_be_written)
{
    char command[600];
    const char *program = getenv("RECALLMODEL");
    static const char *const cases[] = {">/dev/full", ">&-", "--json >/dev/full", "--csv >&-"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char err[] = "/tmp/rcm-err-XXXXXX";
        close(mkstemp(err));
        snprintf(command, sizeof command, "%s --n 1000 --k 10 %s 2>%s",
                 program ? program : "build/recallmodel", cases[i], err);
        int status = system(command);
        slurp(err, result.err, sizeof result.err);
        unlink(err);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 1, "%s: %d", cases[i], status);
        ck_assert_msg(strstr(result.err, "could not be written"), "%s: %s", cases[i], result.err);
    }
    /* A reader that goes away early: SIGPIPE, and no line (tests/test_manners.sh). */
    snprintf(command, sizeof command,
             "bash -c '%s --n 1e6 --k 1000 --b 10..1000 --kb 1..30 --csv 2>/dev/null | head -1 "
             ">/dev/null; exit ${PIPESTATUS[0]}'",
             program ? program : "build/recallmodel");
    int status = system(command);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 141, "closed pipe: %d", status);
}
END_TEST

START_TEST(device_files)
{
    char path[] = "/tmp/rcm-device-XXXXXX", arguments[300];
    int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "w");
    fputs("# a toy\nname = Toy\nbandwidth_bytes_per_s = 1e12\n\nvector_rate_per_s = 2.5e12 # "
          "compares\nsource = made up\n",
          file);
    fclose(file);
    snprintf(arguments, sizeof arguments, "--n 1000 --k 50 --b 50 --kb 2 --device %s --json", path);
    json_t *json = parsed(arguments);
    ck_assert_str_eq(json_string_value(json_object_get(json, "device")), "Toy");
    ck_assert_double_eq_tol(number(json_array_get(json_object_get(json, "configurations"), 0),
                                   "roofline/time_memory_us"),
                            4800e-6, 1e-15);
    json_decref(json);
    static const char *const bad[][2] = {
        {"name = x\n", "needs bandwidth"},
        {"bandwidth_bytes_per_s = fast\n", ":1:"},
        {"\nspeed = 3\n", ":2: speed"},
        {"nonsense\n", "key = value"},
        {"bandwidth_bytes_per_s = -1\n", "positive"},
        {"bandwidth_bytes_per_s = inf\n", "positive"},
        {"vector_rate_per_s = 1e12x\n", "positive"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        file = fopen(path, "w");
        fputs(bad[i][0], file);
        fclose(file);
        run(arguments);
        ck_assert_msg(result.status == 2 && strstr(result.err, bad[i][1]) && !*result.out,
                      "%s: %d %s", bad[i][0], result.status, result.err);
    }
    unlink(path);
}
END_TEST

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

START_TEST(never_long)
{
    /* A safety net, not a benchmark: the promise is 20 ms for k_b <= 2^12 and 2 s for any legal
     * shape, without sanitizers. A shared machine may stall, so the net hangs ten times lower. make
     * bench measures. */
    static const char *const cases[] = {
        "--n 9007199254740991 --k 2^52",
        "--n 9007199254740881 --k 2^40 --divisors",
        "--n 9007199254740881 --k 2^40 --align 128",
        "--n 2^52 --k 2^40 --kb 4096",
        "--n 2^52 --k 2^50 --kb 2^30",
        "--n 9007199254740991 --k 9007199254740991 --kb 2^50",
        "--n 9007199254740991 --k 2^52 --kb 2^51 --valid 2^52 --assignment contiguous",
        "--n 9007199254740991 --k 4e15 --kb 1e15",
        "--n 2^50 --k 2^50 --kb 2^40",
        "bounds --n 9007199254740991 --k 2^52 --recall 0.8:0.01:0.99",
        "ranks --n 9007199254740991 --k 2^52 --kb 2^45",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double start = seconds();
        run(cases[i]);
        double took = seconds() - start;
        ck_assert_msg(result.status == 0 && took < 20.0, "%s: status %d, %.2f s", cases[i],
                      result.status, took);
        printf("%6.0f ms  %s\n", 1e3 * took, cases[i]);
    }
}
END_TEST

TEST_MAIN("command", golden, bad_input, combinations_left_out, json_has_all_digits,
          json_of_lists_and_edges, parameter_choices_of_listing_a10, csv_columns,
          quantiles_of_a_row, select_json, calibrate_and_predict, reverse_json,
          output_that_cannot_be_written, device_files, never_long)
