/* test_command.c - output that cannot be written, and time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <base/clock.h>

#include "command.h"

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
    /* A reader that goes away early: SIGPIPE and no message (tests/programs/test_manners.sh). */
    snprintf(command, sizeof command,
             "bash -c '%s --n 1e6 --k 1000 --b 10..1000 --kb 1..30 --csv 2>/dev/null | head -1 "
             ">/dev/null; exit ${PIPESTATUS[0]}'",
             program ? program : "build/recallmodel");
    int status = system(command);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 141, "closed pipe: %d", status);
}
END_TEST

START_TEST(never_long)
{
    /* A safety net, not a benchmark: the promise is 20 ms for k_b <= 2^12 and 2 s for any legal
     * shape, without sanitizers. A shared machine may stall, so the test allows ten times as long.
     * make bench measures. */
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
        double start = clock_seconds();
        run(cases[i]);
        double took = clock_seconds() - start;
        ck_assert_msg(result.status == 0 && took < 20.0, "%s: status %d, %.2f s", cases[i],
                      result.status, took);
        printf("%6.0f ms  %s\n", 1e3 * took, cases[i]);
    }
}
END_TEST

TEST_MAIN("command", output_that_cannot_be_written, never_long)
