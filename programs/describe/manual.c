/* manual.c - see manual.h. Items have two blanks before and behind their name, code has four.
 *
 * long: it is text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "manual.h"

static const struct section sections[] = {
    {NULL, "Numbers and lists",
     "Numbers are written as 262144, 128_256, 2^18, 1e6, or as decimal fractions 0.001 or 1e-3. "
     "128k, 1M, 2G (T, P) are multiples of 1000; 256Ki, 1Mi (Gi, Ti, Pi) are multiples of 1024. "
     "Lists are written as 1,2,4 or 1..8; lists of decimal fractions also as 0.8:0.05:0.95 (first, "
     "step, last).\n"
     "\n"
     "An option is written --name VALUE or --name=VALUE, and given once. Lists of b, kb and ranks "
     "are sorted. Every combination of the listed values is answered; those that are not legal are "
     "left out, with one line on standard error."},
    {NULL, "Buckets",
     "With --assignment interleaved, the default, element i goes to bucket i mod b. With "
     "contiguous, buckets are runs of neighbouring elements, the n mod b longer ones first. With "
     "contiguous-floor, element i goes to bucket floor(b i / n). In the models they differ only "
     "with --valid.\n"
     "\n"
     "With --m, costs and bytes are for the whole batch. n is at most 2^53 - 1."},
    {NULL, "Output",
     "--json and --csv print full double precision, under names that do not change. A value that "
     "is not finite is null in JSON and empty in CSV. Tables cut recalls to six digits and drop "
     "columns that do not fit.\n"
     "\n"
     "--plot writes a picture whole or not at all. It replaces a regular file, or the regular file "
     "that a link points to; it refuses to replace anything else. -o of calibrate does the same."},
    {NULL, "Files",
     "A device file describes a device for --device:\n"
     "\n"
     "    # a comment follows a hash\n"
     "    name = My GPU\n"
     "    bandwidth_bytes_per_s = 3.35e12\n"
     "    vector_rate_per_s = 16.7e12     # compares and selects; may be left out\n"
     "    fma_rate_per_s = 67e12          # may be left out\n"
     "    matrix_rate_per_s = 989.4e12    # may be left out\n"
     "    memory_bytes = 80e9             # may be left out\n"
     "    on_chip_bytes = 52428800        # may be left out: then all that is written may stay on "
     "chip\n"
     "    source = datasheet of ...\n"
     "\n"
     "A profile is such a file that also has kernel, dtype, date, runs, the parameters of the time "
     "model and their ranges, as recallmodel calibrate writes it; the rates may then be missing. "
     "card = NVIDIA H200 says which card it was measured on, if its name says something else: then "
     "the exact top-k that runs on that card competes. "
     "Its comments say what each number means.\n"
     "\n"
     "Keys come in any order, each once. Numbers are positive and decimal, with a point. Texts are "
     "UTF-8 without control characters: name and date of at most 39 bytes, source of at most 399, "
     "runs of at most 199. A line has at most 511 bytes. The file must be a regular file of less "
     "than 64 KB. An argument of --device that contains . or / is a file.\n"
     "\n"
     "A device can also be named as a driver does, such as \"NVIDIA H100 80GB HBM3\", by its "
     "family "
     "(h100 is the H100-SXM), or by a prefix of just one name, such as tpuv5e or rtxpro. Letter "
     "case, blanks, - and _ do not matter. A prefix does not end inside a number: h20 is another "
     "device than the H200."},
    {NULL, "Environment",
     "  NO_COLOR  if it is set there is no colour; without it, colour is used only on a terminal\n"
     "  RECALLMODEL_RUNS  the folder of the measured runs, with its index.csv; without it, runs/ "
     "beside the program or its build folder, or ../share/recallmodel/runs, relative to the "
     "program\n"
     "  XDG_CONFIG_HOME  recallmodel bench --calibrate stores its profile in the folder "
     "recallmodel there; without it, in ~/.config/recallmodel\n"
     "  RCM_TOP_K_ISA  the instruction set of recallmodel bench, if --isa is not given"},
    {"recall", "Notes",
     "Without --b about twenty numbers of buckets are shown: the smallest legal b, the smallest "
     "that reaches the target, and others between them and n/kb, even in log b. Each is moved to a "
     "divisor of n within 20 % if there is one.\n"
     "\n"
     "With --quantile, recall_quantile is the largest recall that a row reaches with probability "
     "at least 1 - Q; with --m, recall_quantile_all is the recall that all m rows reach together "
     "with this probability. The value is -, and null in JSON, for a Q (or Q/m) below 1e-12, which "
     "the distribution does not resolve, and where the distribution is too wide or would take too "
     "long to compute. A line says why. CSV and JSON always have probability_exact, the "
     "probability that a row loses nothing.\n"
     "\n"
     "With --device there is also a lower bound of the time of stage 1, by the roofline. It is not "
     "calibrated; if the vector rate is not known, it counts bandwidth alone. If the rows exceed "
     "the memory of the device, a line says so, as does exceeds_memory in JSON."},
    {"bench", "Notes",
     "recallmodel-bench is a program of its own, which make gpu builds where there is an nvcc. It "
     "times the GPU kernels and verifies their results: recallmodel-bench "
     "stage1|exact|two-stage|fused|roof|device [options], each with a --help of its own. "
     "docs/gpu.md says how."},
    {"bounds", "Notes",
     "The exact smallest b is printed beside that of every closed form, with the recall that the "
     "form states at its b and the recall that this b really has."},
    {"select", "Notes",
     "The kernels of --kernel: any runs every shape; ours has kb up to 16; graphcore has kb up to "
     "4, and b kb is a multiple of k; xla has kb = 1 and the b of approx_max_k.\n"
     "\n"
     "Shapes that keep every element are not offered. A list of n or k gives a table with a row "
     "for "
     "each question.\n"
     "\n"
     "JSON has\n"
     "  verdict  exact, threshold, buckets or none\n"
     "  headline  the decision in a sentence\n"
     "  contenders  what can find the top k; first that of the verdict, then the others that can "
     "be "
     "called, the fastest first; shown has the cells of the table, contender_columns their "
     "headings\n"
     "  too_close  what loses nothing is deployed, but the buckets may take as long\n"
     "  deploy  the verdict, with bucketed for buckets\n"
     "  choice  the best buckets, even if something else is deployed; null if none reach the "
     "recall\n"
     "  exact_objective  the objective of exact top-k\n"
     "  over_exact  the objective of the choice over that of exact top-k\n"
     "  product_share  with --d: the least share of exact top-k after the product that is the "
     "product\n"
     "  fused_exact  with --d: exact top-k fused into the product: its sample, survivors and time\n"
     "  threshold  exact top-k by threshold, on a CPU; elsewhere null"},
    {"exact", "Notes",
     "With --b and --kb the answer is for that shape. Otherwise it is for the b > 1 and the kb up "
     "to --kb-max with the fewest candidates and collected elements together."},
    {"simulate", "Choosing for these rows",
     "With --recall the answer ends with the shape to choose for these rows. It tries the given b, "
     "or b in steps of 9 % around that of the model, and chooses the fewest candidates whose lower "
     "confidence bound reaches the target. All bounds of the tried shapes hold together with 95 % "
     "confidence, for any rows that are independent and have the same distribution. If there are "
     "too few rows to show this, the output says so.\n"
     "\n"
     "A checkpoint that is damaged, of another simulation, or of a version with another format is "
     "refused with status 2 and left unchanged."},
    {"simulate", "Names in the output",
     "JSON and CSV have, for each rho, shuffle, assignment, b and k_b:\n"
     "  recall_mean, recall_sd, recall_stderr  the mean recall, the standard deviation of the "
     "recall of a row, and the standard error of the mean\n"
     "  recall_p50, recall_p05, recall_p01  the smallest recall that so many per cent of the rows "
     "do not exceed\n"
     "  recall_worst  the recall of the worst row\n"
     "  recall_value_mean  the mean recall if any of several equal values counts\n"
     "  exact_rows, certified_rows  the shares of rows that lost nothing by rank, and by value\n"
     "  mass_mean, mass_worst  the softmax mass of the top-k that is kept\n"
     "  value_mean, value_worst, value_rows  the same for the sum of the values, over the rows "
     "whose top-k has no negative and no infinite value and is not all 0, and how many rows those "
     "are\n"
     "  reaching_mean, reaching_sd, reaching_worst  the rank in its row of the k-th largest "
     "candidate, which is how many elements are at least as large: mean, standard deviation and "
     "largest; null if fewer than k candidates are kept\n"
     "  model_recall, model_sd, z  the recall and its standard deviation by the exact model, and "
     "the measured less the model recall in standard errors of the model for independent rows\n"
     "  topk_mass_mean  in CSV: the softmax mass of the exact top-k in its row, where masses are "
     "measured\n"
     "  recall_se_groups, recall_low_groups, recall_high_groups  with groups: the standard error "
     "of the mean over groups, and Student's interval of 95 %, which is null below 5 groups\n"
     "  worst_group, recall_worst_group, mass_worst_group  with groups: the label of the group "
     "with the least recall, null if no group lost anything; its mean recall and mean kept mass\n"
     "  groups  with groups: in CSV their number; in JSON a list, each with label, rows, recall "
     "and mass\n"
     "\n"
     "JSON also has partial, repetitions (done) and repetitions_wanted; rows, for each rho, with "
     "rows_with_nan, short_rows (fewer than k values above -inf) and topk_mass_mean; with "
     "--recall, choices, each with measured, model and recall_lower; and with groups, grouped_by, "
     "and in each choice student, the one by Student's t."},
    {"calibrate", "Notes",
     "The runs are a CSV with the columns n, k, b, k_b, m (1 if it is missing) and time_us_median "
     "or time_us, the microseconds of one call of both stages. A column work may say stage1 or "
     "exact instead. Files of runs have at most 256 MiB and are regular files or pipes. Times are "
     "1e-3 to 1e11 microseconds. If there are more than 2400 runs, the fit uses a fixed choice of "
     "them; errors are those of all runs.\n"
     "\n"
     "With --cross-validate the output also has the regret of choosing by this model and by the "
     "cost models, on every second size n (--leave-out: on these sizes), predicted by a fit to the "
     "other sizes. It is over every n, k, m and recall of 0.8, 0.9, 0.95 and 0.99 that two or more "
     "measured configurations reach. The regret is the measured time of the chosen configuration "
     "over that of the fastest. A second table has exact top-k among the configurations, where it "
     "was measured. With --csv, the regret by model, of each size n left out in turn, is printed "
     "in place of the parameters."},
    {"predict", "Notes",
     "With --runs and --csv the output is the rows of the file with the columns predicted_us, "
     "low_us, high_us, within_runs and beyond; exact top-k is that of rows as they were run, not "
     "padded. 90 % of the held-out runs were measured between "
     "low_us and high_us. beyond says which of n, k, b, k_b, m are outside the runs of the "
     "profile; it says kernel if, for the shape, the kernel starts something else than it did in "
     "the runs. A profile answers for the kernels of its family, and for types of the same width "
     "(dtype_of_profile).\n"
     "\n"
     "For a device without a profile, the output is the lower bound of stage 1 by its roofline "
     "(bound_us), and with --d also those of the product; --runs and --kernel are then not "
     "allowed."},
    {NULL, NULL, NULL},
};

static const struct section shared[] = {
    {NULL, "Exit status",
     "  0  success\n"
     "  1  the output, a checkpoint or a profile could not be written, a file became unreadable, "
     "or memory ran out\n"
     "  2  bad input, with one line on standard error and nothing on standard output; a damaged "
     "checkpoint, or a question that does not fit into memory, is bad input\n"
     "  130  Ctrl-C or SIGTERM stopped a long run; the results so far were printed, marked as "
     "partial\n"
     "  141, or SIGPIPE  the reader of the output went away; there is no message"},
    {NULL, NULL, NULL},
};

const struct program manual = {
    .name = "recallmodel",
    .summary = "recall and cost of bucketed approximate top-k",
    .about = "Bucketed approximate top-k splits a row of n values into b buckets and keeps the kb "
             "largest of each bucket (stage 1). If more than k candidates are left, it takes their "
             "exact top-k (stage 2). recallmodel computes, without simulation, which fraction of "
             "the true top-k survives and how much work this takes.\n"
             "\n"
             "recallmodel help SUBCOMMAND and recallmodel SUBCOMMAND --help print the options of a "
             "subcommand, --version (-V) prints the version. Each subcommand has a manual page. "
             "recallmodel-mpi, if it is installed, is the same command for many machines: mpirun "
             "starts it, and simulate runs on all of them.",
    .see = "In the sources, docs/models.md derives every formula, docs/simulation.md says what is "
           "simulated, how, and on many machines. recallmodel.h documents the library.",
    .usual = true,
    .sections = sections,
    .shared = shared,
};
