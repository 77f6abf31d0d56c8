/* test_papers.c - the papers' own numbers: Table 2 of Samaga et al. as typed from the paper, and
 * the published theory rows of Key et al., in runs/.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

START_TEST(samaga_table_two)
{
    /* N = 262144, K = 1024. Recall and spread as printed. Where the print is wrong, `recall` and
     * `sd` are the right values. */
    static const struct {
        uint64_t k_b, b;
        double printed, printed_sd;
        double recall; /* 0: the print agrees within 0.001 */
        double sd;     /* 0: the print agrees within 0.0011 */
    } rows[] = {
        {1, 131072, .998, .000, 0, .0014},    {1, 65536, .992, .001, .994162, .0024},
        {1, 32768, .987, .004, 0, 0},         {1, 65536, .992, .001, .994162, .0024},
        {1, 32768, .987, .004, 0, 0},         {1, 16384, .972, .005, 0, 0},
        {1, 8192, .942, .007, 0, 0},          {2, 4096, .991, .003, 0, 0},
        {2, 2048, .968, .006, 0, 0},          {3, 2048, .996, .002, 0, 0},
        {3, 1024, .977, .005, 0, 0},          {4, 1024, .996, .002, 0, 0},
        {4, 512, .963, .007, 0, 0},           {5, 512, .989, .004, 0, 0},
        {6, 512, .997, .002, 0, 0},           {6, 256, .951, .008, 0, 0},
        {8, 512, .992, .004, .999863, .0004}, {10, 256, .999, .000, 0, .0013},
        {12, 128, .984, .006, 0, 0},          {16, 128, .999, .001, 0, 0},
    };
    int agree = 0;
    ck_assert_int_eq(sizeof rows / sizeof *rows, 20);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rcm_topk p = {.n = 262144, .k = 1024, .b = rows[i].b, .k_b = rows[i].k_b};
        double recall = rcm_recall_exact(p), sd = rcm_recall_sd(p);
        if (rows[i].recall == 0.0) {
            ck_assert_msg(fabs(recall - rows[i].printed) < 0.001,
                          TOPK_FMT " recall %.6f printed %.3f", TOPK_ARG(p), recall,
                          rows[i].printed);
            agree++;
        } else {
            ck_assert_msg(fabs(recall - rows[i].printed) >= 0.001,
                          TOPK_FMT " agrees with the print after all", TOPK_ARG(p));
            ck_assert_double_eq_tol(recall, rows[i].recall, 5e-7);
        }
        if (rows[i].sd == 0.0)
            ck_assert_msg(fabs(sd - rows[i].printed_sd) < 0.0011, TOPK_FMT " sd %.4f printed %.3f",
                          TOPK_ARG(p), sd, rows[i].printed_sd);
        else
            ck_assert_double_eq_tol(sd, rows[i].sd, 5e-5);
    }
    ck_assert_int_eq(agree, 17);
    /* The row (8, 512) has the recall and the spread, .004, of (8, 256). */
    struct rcm_topk meant = {.n = 262144, .k = 1024, .b = 256, .k_b = 8};
    ck_assert_double_eq_tol(rcm_recall_exact(meant), .991824, 5e-7);
    ck_assert_double_eq_tol(rcm_recall_sd(meant), .0037, 5e-5);
}
END_TEST

static FILE *open_published(const char *path)
{
    FILE *file = fopen(path, "r");
    ck_assert_msg(file, "%s cannot be opened", path);
    return file;
}

START_TEST(key_theory_rows)
{
    FILE *file = open_published("runs/keyetal/theory.csv");
    char line[1000], *fields[11];
    int rows = 0, simulated = 0;
    double sum = 0.0, squares = 0.0, most = 0.0, worst_binomial = 0.0, worst_cost = 0.0;
    csv_fields(file, line, sizeof line, fields, 11);
    ck_assert_str_eq(fields[10], "cost_parallel");
    while (csv_fields(file, line, sizeof line, fields, 11) == 11) {
        struct rcm_topk p = {.n = to_count(fields[0]),
                             .k = to_count(fields[1]),
                             .b = to_count(fields[2]),
                             .k_b = to_count(fields[3]),
                             .m = 1};
        double binomial = strtod(fields[4], NULL), mean = strtod(fields[5], NULL),
               sd = strtod(fields[6], NULL);
        double off = fabs(rcm_recall_binomial(p) - binomial);
        worst_binomial = fmax(worst_binomial, off);
        ck_assert_msg(off <= 1e-12, TOPK_FMT " Eq. (1) %.17g published %.17g", TOPK_ARG(p),
                      rcm_recall_binomial(p), binomial);
        for (size_t i = 0; i <= RCM_PARALLEL; i++) { /* the models of the paper */
            double want = strtod(fields[8 + i], NULL),
                   got = rcm_cost(rcm_cost_model(i), p).approximate;
            worst_cost = fmax(worst_cost, relative_error(got, want));
            ck_assert_msg(relative_error(got, want) <= 1e-14, TOPK_FMT " %s %.17g published %.17g",
                          TOPK_ARG(p), rcm_cost_model(i)->name, got, want);
        }
        if (sd > 0.0) { /* of 64 repetitions, as a population */
            double z = (mean - rcm_recall_exact(p)) / (sd * sqrt(64.0 / 63.0) / 8.0);
            ck_assert_msg(fabs(z) < 5.0, TOPK_FMT " simulated %.6f exact %.6f z %.2f", TOPK_ARG(p),
                          mean, rcm_recall_exact(p), z);
            most = fmax(most, fabs(z));
            sum += z;
            squares += z * z;
            simulated++;
        } else {
            /* All 64 rows are alike: they lost nothing, and should lose little. */
            ck_assert_msg(mean == 1.0 && rcm_loss_exact(p) * (double)p.k < 0.3,
                          TOPK_FMT " exact loss %g", TOPK_ARG(p), rcm_loss_exact(p));
        }
        rows++;
    }
    fclose(file);
    double mean_z = sum / simulated, sd_z = sqrt(squares / simulated - mean_z * mean_z);
    printf("measured: Eq. (1), published rows %.1e over %d shapes of theory.csv\n", worst_binomial,
           rows);
    printf("measured: costs, published rows %.1e over %d shapes of theory.csv\n", worst_cost, rows);
    printf("z of %d simulations: mean %.3f, sd %.3f, largest %.2f\n", simulated, mean_z, sd_z,
           most);
    ck_assert_int_eq(rows, 4012);
    /* With more than a thousand z, a mean beyond 0.13 has probability below 1e-4. As far as we
     * know, rows share no random numbers. */
    ck_assert(simulated > 1000 && fabs(mean_z) < 0.13 && sd_z > 0.9 && sd_z < 1.15);
}
END_TEST

START_TEST(key_exact_costs)
{
    FILE *file = open_published("runs/keyetal/theory-exact.csv");
    char line[1000], *fields[5];
    int rows = 0;
    csv_fields(file, line, sizeof line, fields, 5);
    while (csv_fields(file, line, sizeof line, fields, 5) == 5) {
        struct rcm_topk p = {
            .n = to_count(fields[0]), .k = to_count(fields[1]), .b = 1, .k_b = 1, .m = 1};
        for (size_t i = 0; i < 3; i++) {
            double want = strtod(fields[2 + i], NULL), got = rcm_cost(rcm_cost_model(i), p).exact;
            ck_assert_msg(relative_error(got, want) <= 1e-14, TOPK_FMT " %s %.17g published %.17g",
                          TOPK_ARG(p), rcm_cost_model(i)->name, got, want);
        }
        rows++;
    }
    fclose(file);
    ck_assert_int_eq(rows, 90);
}
END_TEST

TEST_MAIN("papers", samaga_table_two, key_theory_rows, key_exact_costs)
