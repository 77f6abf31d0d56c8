/* test_plot.c - titles of a picture are text, whatever they contain.
 *
 * `--plot`: each subcommand, each kind of file; names and titles that gnuplot or a shell would run;
 * links, devices, a full disk; names in `plots/make.py`; the lines and the width on a terminal.
 * Against: the answer without `--plot`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include <programs/common/error.h>
#include <programs/recallmodel/output/plot.h>
#include <tests/test.h>

START_TEST(titles_are_text)
{
    if (system("command -v gnuplot >/dev/null") != 0) {
        puts("SKIPPED: titles_are_text: gnuplot is not here");
        return;
    }
    char folder[] = "/tmp/recallmodel-test-XXXXXX", path[sizeof folder + 16],
         ran[sizeof folder + 16];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/title.svg", folder);
    snprintf(ran, sizeof ran, "%s/ran", folder);
    /* Markup and macros of gnuplot, a format, commands of a shell: the picture shows each as it was
     * given. */
    static const char *const texts[3] = {
        "{/Symbol a}_2^3 `touch ran`", "@x %s %n '; system('touch ran'); '", "\\ | # $(touch ran)"};
    struct plot *plot = plot_new(texts[0], texts[1], true);
    plot_series(plot, texts[2], true, true, 0);
    plot_point(plot, 1.0, 0.1, 0.0);
    plot_point(plot, 2.0, 0.2, 0.0);
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(plot_draw(plot, path), STATUS_OK);
    plot_free(plot);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    static char text[200000];
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(strstr(text, texts[i]) != NULL, "'%s' is not in the picture", texts[i]);
    ck_assert_int_ne(access(ran, F_OK), 0);
    unlink(path);
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

TEST_MAIN("plot", titles_are_text)
