/* main.c - the table of subcommands, help, and the exit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "nearest.h"
#include "sim/team.h"

static const struct {
    const char *name;
    enum command_bit bit;
    int (*run)(const struct options *);
    const char *help;
    const char *example;
    const char *detail; /* NULL: none */
} commands[] = {
    {"recall", FOR_RECALL, command_recall,
     "what every choice of buckets costs in recall and in work (the default)",
     "recallmodel --n 262144 --k 1024 --kb 4",
     "Split a row of n values into b buckets, keep the kb largest of each (stage 1) and, if more "
     "than k are\n"
     "left, take their exact top-k (stage 2). Columns: candidates = min(b kb, n); recall = "
     "expected share of\n"
     "the true top-k that survives, when it lies anywhere; sd = its standard deviation over rows; "
     "loss =\n"
     "1 - recall; binomial = the approximation of Key et al., a bound from below; cost = "
     "operations (basic,\n"
     "serial) or steps (parallel) of both stages, x = the speed-up over exact top-k. * marks the "
     "fewest\n"
     "candidates that reach the target."},
    {"ranks", FOR_RANKS, command_ranks,
     "which elements are lost: the probability that each rank survives",
     "recallmodel ranks --n 262144 --k 1024 --b 512 --kb 4", NULL},
    {"cost", FOR_COST, command_cost, "cost of the exact top-k by each algorithm of each cost model",
     "recallmodel cost --n 2^20 --k 256", NULL},
    {"bounds", FOR_BOUNDS, command_bounds,
     "buckets for a target: the exact smallest number beside every closed form",
     "recallmodel bounds --n 262144 --k 1024 --recall 0.95,0.99", NULL},
    {"select", FOR_SELECT, command_select,
     "which b and kb to deploy for a recall, on the mean or with a confidence",
     "recallmodel select --n 131072 --k 2048 --recall 0.99 --confidence 0.99 --kernel ours",
     "The answer is the b and kb of least objective that reach the recall, or exact top-k where "
     "that is no dearer,\n"
     "or exact top-k by threshold (recallmodel exact). With the time of a profile; with the "
     "roofline of a device\n"
     "that has none, where the answer says how long your exact top-k must take for buckets to pay "
     "(--exact-us\n"
     "compares with it); without a device by candidates. Then why, the best of each kb, and the "
     "call."},
    {"exact", FOR_EXACT, command_exact,
     "exact top-k by threshold: how many elements a second look at the row collects",
     "recallmodel exact --n 262144 --k 1024 --quantile 1e-6",
     "Stage 1 as always; the k-th largest candidate is a threshold; every element of the row that "
     "reaches it is\n"
     "collected, and their exact top-k is that of the row. Nothing is lost, and the row is read "
     "twice. collected:\n"
     "the number of these elements; buffer: how many suffice in all but a share --quantile of "
     "rows."},
    {"simulate", FOR_SIMULATE, command_simulate,
     "the recall of rows that are run: random, correlated or your own, beside the model",
     "recallmodel simulate --n 2048 --k 256 --kb 1,2,4,8 --input ar1 --rho 0:0.3:0.9 --assignment "
     "interleaved,contiguous\n"
     "  recallmodel simulate --file logits.npy --k 2048 --kb 1..8 --recall 0.95",
     "Columns: recall = mean over rows of the share of the top-k that survives, equal values "
     "ranked by index;\n"
     "sd of a row and stderr = of a row and of the mean; 5 % of rows <= and worst row = how bad it "
     "gets; exact\n"
     "rows = share that lost nothing; mass kept = share of the top-k's softmax mass that\n"
     "survives; rank R reached = rank in the row of the k-th largest candidate, as many elements\n"
     "reach it; model recall = the exact model's, for a top-k that lies anywhere; z = the\n"
     "difference in the model's standard errors. NaN and -inf, as of masks, are never missed.\n"
     "Ctrl-C prints what has been measured and exits 130."},
    {"count", FOR_COUNT, command_count,
     "the operations that the cost models count, counted on generated rows",
     "recallmodel count --n 4096 --k 64",
     "Columns: modelled = the cost model's formula; counted = the algorithm run on a row, every "
     "branch counted\n"
     "as taken, as the model does; residual = what the model leaves out; branches taken only = "
     "what is really\n"
     "done. On ranks (keys of log2 n bits, as the model assumes) and on the 32-bit keys of "
     "float32\n"
     "values. Ctrl-C prints the rows counted so far and exits 130."},
    {"calibrate", FOR_CALIBRATE, command_calibrate,
     "a profile of a kernel on a device, fitted to measured runs",
     "recallmodel calibrate runs.csv --exact exact.csv --name 'My GPU' -o my.profile "
     "--cross-validate\n"
     "  recallmodel calibrate --plan > shapes.csv",
     "Fits a physical model of the time of both stages: starts, threads in waves, memory, merges. "
     "Prints what it\n"
     "fitted, how far off it is in each regime, and how well a fit to the other sizes predicts\n"
     "each n. With --kernel generic a short model, of a kernel of which only the times are known,\n"
     "from 8 runs on. --plan: one shape after the other, each the one about which the model is\n"
     "most uncertain (docs/calibrating.md)."},
    {"predict", FOR_PREDICT, command_predict, "the time of shapes by a calibrated profile",
     "recallmodel predict --device my.profile --n 2^18 --k 1024 --m 64\n"
     "  recallmodel predict --device my.profile --runs runs.csv --csv",
     NULL},
    {"attention", FOR_ATTENTION, command_attention,
     "the most that sparse attention can gain in a step of decoding",
     "recallmodel attention --n 4096,16384,65536 --k 256 --decoder llama-3.1-8b --device h200",
     "n keys are cached, k of them are attended to. Columns: step us = one token of dense "
     "attention, by\n"
     "operations over the matrix rate plus bytes over the bandwidth; attention = its share of "
     "that; transfers\n"
     "= bytes of dense attention over those of SparQ, which reads some components of every key and "
     "then k\n"
     "keys and values whole; speed-up = of the whole step, if selecting the k is free and queries "
     "that\n"
     "share a head of keys choose together; each query = where each chooses alone."},
    {"devices", FOR_DEVICES, command_devices,
     "the devices of the roofline, their rates and ridge points",
     "recallmodel devices --device b200\n  recallmodel devices --verbose", NULL},
};

#define COMMANDS (sizeof commands / sizeof *commands)

static void print_help(size_t command)
{
    printf("usage: recallmodel %s [options]\n\n%c%s.\n\n",
           command ? commands[command].name : "[recall]",
           toupper((unsigned char)commands[command].help[0]), commands[command].help + 1);
    options_describe(commands[command].bit);
    if (commands[command].bit != FOR_DEVICES)
        puts("\nNumbers: 262144, 128_256, 2^18, 256Ki (of 1024), 128k, 1M (of 1000), 1e6.\n"
             "Lists: 1,2,4 or 1..8; of reals: 0.8,0.9 or 0.8:0.05:0.95.");
    printf("\nExample:\n  %s\n", commands[command].example);
    if (commands[command].detail)
        printf("\n%s\n", commands[command].detail);
    if (command > 0)
        return;
    puts("\nSubcommands:");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-9s %s\n", commands[i].name, commands[i].help);
    puts("  recallmodel help SUBCOMMAND shows the options of one; recallmodel --version (-V) the "
         "version.");
}

static int unknown_subcommand(const char *argument)
{
    char names[300] = "";
    struct nearest nearest = {.typed = argument, .length = strlen(argument)};
    for (size_t i = 0; i < COMMANDS; i++) {
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 commands[i].name);
        nearest_try(&nearest, commands[i].name);
    }
    nearest_try(&nearest, "help");
    return nearest.name
               ? usage_error("unknown subcommand '%.60s'; did you mean '%s'?", argument,
                             nearest.name)
               : usage_error("unknown subcommand '%.60s'; the subcommands are %s", argument, names);
}

/* Closes stdout; what could not be written there is an error, not a truncated answer. A reader that
 * went away, as head does, is none: SIGPIPE ends the program, or, where that is ignored, the status
 * is that of one that SIGPIPE ended. */
static int finish(int status)
{
    int failed = fflush(stdout) != 0 || ferror(stdout);
    int reason = failed ? errno : 0;
    if (fclose(stdout) != 0 && !failed) {
        failed = 1;
        reason = errno;
    }
    if (!failed)
        return status;
    if (reason == EPIPE)
        return STATUS_NO_READER;
    fprintf(stderr, "recallmodel: output could not be written%s%s\n", reason ? ": " : "",
            reason ? strerror(reason) : "");
    return STATUS_FAILED;
}

/* COMMANDS: there is none of that name. */
static size_t find_command(const char *name)
{
    size_t command = 0;
    while (command < COMMANDS && strcmp(name, commands[command].name) != 0)
        command++;
    return command;
}

static int print_version(int count, char **arguments)
{
    if (count > 2)
        return usage_error("'%.60s' behind %s; it takes nothing", arguments[2], arguments[1]);
    printf("recallmodel %s\n", rcm_version());
    return STATUS_OK;
}

/* recallmodel help [SUBCOMMAND] */
static int help_about(int count, char **arguments)
{
    const size_t command =
        count > 2 && strcmp(arguments[2], "help") != 0 ? find_command(arguments[2]) : 0;
    if (command == COMMANDS)
        return unknown_subcommand(arguments[2]);
    if (count > 3)
        return usage_error("'%.60s' behind help %s; it takes one subcommand", arguments[3],
                           arguments[2]);
    print_help(command);
    return STATUS_OK;
}

static int run(int count, char **arguments)
{
    size_t command = 0;
    int first = 1;
    if (count > 1 && (strcmp(arguments[1], "--version") == 0 || strcmp(arguments[1], "-V") == 0))
        return print_version(count, arguments);
    if (count > 1 && strcmp(arguments[1], "help") == 0)
        return help_about(count, arguments);
    if (count > 1 && strncmp(arguments[1], "-", 1) != 0) {
        command = find_command(arguments[1]);
        if (command == COMMANDS)
            return unknown_subcommand(arguments[1]);
        first = 2;
    }
    struct options options;
    int status = options_parse(&options, commands[command].bit, count, arguments, first);
    if (status == STATUS_OK && options.help)
        print_help(command);
    else if (status == STATUS_OK)
        status = commands[command].run(&options);
    options_free(&options);
    return status;
}

int main(int count, char **arguments)
{
    team_start(&count, &arguments);
    if (team_rank() > 0 &&
        (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        return STATUS_FAILED; /* rank 0 speaks for all */
    const int status = finish(run(count, arguments));
    team_end();
    return status;
}
