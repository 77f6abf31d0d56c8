/* command_tune.c - which top-k to call here, by timing what can be called.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include <programs/bench-cpu/library.h>
#include <programs/recallmodel/command.h>
#include <programs/recallmodel/question/input.h>
#include "tune.h"

/* ---- options */

static const char *on_at(unsigned i)
{
    static const char *const names[] = {"auto", "cpu", "gpu"};
    return i < 3 ? names[i] : NULL;
}

static int read_on(void *to, const char *option, const char *value)
{
    return read_name(option, value, on_at, UNTIL_NULL, to);
}

static int read_seconds(void *to, const char *option, const char *value)
{
    const char *wrong = parse_amount(value, to);
    return wrong ? usage_error("%s '%.*s' is %s; give seconds such as 6", option, VALUE_SHOWN,
                               value, wrong)
                 : STATUS_OK;
}

#define AT(member) offsetof(struct tune_settings, member)

static const struct argument tune_options[] = {
    OPTIONS_ROW,
    {OPTION_M},
    {"--recall", "R", BY(read_target), IN_QUESTION(targets),
     "the recall that buckets must reach (default 0.95)"},
    {"--confidence", "P", BY(read_probability), AT(select.confidence),
     "reach --recall in a row with probability P, instead of on average"},
    {"--dtype", "T", &kind_of_dtype, IN_QUESTION(dtype),
     "the type of the values: f32, f16 or bf16 (default: that of select --device)"},
    {"--file", "FILE", BY(read_text), AT(file),
     "on a CPU: time the rows of a file, as bench --rows takes them; these times are not kept"},
    {"--on", "WHERE", KIND(read_on, .names = on_at), AT(on),
     "cpu, gpu, or auto (default): the GPU, if there is one of NVIDIA"},
    {"--threads", "N", BY(read_count), AT(threads),
     "threads of a CPU (default: as the library takes them, one for each 4 MiB)"},
    {"--peers", "LIST", BY(read_text), AT(peers),
     "modules of Python whose top-k is timed too, or none (default: numpy,torch, on a GPU torch); "
     "python -m recallmodel tune finds them"},
    {"--seconds", "S", BY(read_seconds), AT(seconds),
     "begin no measurement of a question after S seconds (default 5)"},
    {"--wisdom", "FILE", BY(read_text), AT(wisdom),
     "keep the times there (default: wisdom.csv in $XDG_CONFIG_HOME/recallmodel)"},
    {"--kb-max", "N", BY(read_k_b_max), AT(select.k_b_max), "the largest kb to try (default 4)"},
    OPTIONS_RESTRICTION,
    {"--verbose", NULL, BY(read_switch), AT(select.verbose),
     "also print the best of each kb, the Pareto frontier, and the call for each framework"},
    OPTIONS_FORM,
};

static const struct argument_rule tune_rules[] = {
    {.options = "--file", .excludes = "--n --m", .why = "the file has its own"},
    {0},
};

/* ---- one question */

/* Of a call on a CPU. */
static uint64_t threads_of(const struct tune_settings *settings, struct rcm_topk p)
{
    const bool narrow = rcm_dtype_bytes(question_dtype(&settings->select.question)) < 4;
    const struct rcm_top_k_rows rows = {
        .m = p.m ? p.m : 1, .n = p.n, .type = narrow ? RCM_TOP_K_F16 : RCM_TOP_K_F32};
    return settings->threads ? settings->threads : topk_library()->threads(&rows, 0);
}

/* New times replace old ones of the same calls. */
static void take_times(struct wisdom *wisdom, struct rcm_measured *rows, size_t count)
{
    size_t length = count;
    rows = require_memory(realloc(rows, (count + wisdom->count + 1) * sizeof *rows));
    for (size_t i = 0; i < wisdom->count; i++)
        if (!wisdom_replaces(rows, count, &wisdom->rows[i]))
            rows[length++] = wisdom->rows[i];
    free(wisdom->rows);
    wisdom->rows = rows;
    wisdom->count = length;
}

/* Times what can be called for the query, and keeps it. Returns a status; Ctrl-C is no fault where
 * something was timed before, and is told in *stopped. */
static int measure(struct tune_settings *settings, const struct query *query, bool *stopped)
{
    struct wisdom *here = &settings->select.question.device.here;
    settings->select.threads = here->gpu ? 0 : threads_of(settings, query->base);
    struct selection_answer answer = selection_find(query, &settings->select);
    struct rcm_measured *rows = NULL;
    struct tune_files files;
    size_t count = 0, rounds = 0;
    int status = answer.interrupted ? STATUS_INTERRUPTED : tune_files_make(&files);
    if (status == STATUS_OK) {
        const size_t cells = tune_write_cells(&files, settings, &answer);
        status = cells ? tune_run(&files, settings, here->gpu, cells) : STATUS_FAILED;
        count = tune_read(&files, here->gpu, &rows, &rounds);
        tune_files_remove(&files);
    }
    selection_free(&answer);
    if (count > 0 && rounds < TUNE_ROUNDS && status != STATUS_INTERRUPTED)
        notice("%g s were enough for %zu of %d rounds; a larger --seconds gives narrower ranges",
               settings->seconds, rounds, TUNE_ROUNDS);
    if (count > 0 && !settings->file) /* an answer, also where the file cannot be written */
        wisdom_add(settings->wisdom, rows, count);
    if (count > 0)
        take_times(here, rows, count);
    else
        free(rows);
    if (count == 0 && here->gpu && status != STATUS_INTERRUPTED)
        notice("nothing was timed on the GPU; --on cpu times the CPU");
    else if (count == 0 && tune_is_hosted(settings) && status != STATUS_INTERRUPTED &&
             status != STATUS_USAGE)
        notice("nothing was timed; --peers none times this library alone");
    *stopped = status == STATUS_INTERRUPTED;
    return count > 0 ? STATUS_OK : status == STATUS_OK ? STATUS_FAILED : status;
}

static int answer_tuned(const struct tune_settings *settings, const struct query *query,
                        json_t *objects, bool first)
{
    struct selection_answer answer = selection_find(query, &settings->select);
    if (objects) {
        json_array_append_new(objects, selection_json(&answer));
    } else if (settings->select.question.output == OUTPUT_CSV) {
        struct table *table = selection_alternatives(&answer);
        table_print_csv(table, stdout, first);
        table_free(table);
    } else {
        if (!first)
            putchar('\n');
        selection_print(&answer, colour_wanted());
    }
    const bool interrupted = answer.interrupted;
    selection_free(&answer);
    return interrupted ? STATUS_INTERRUPTED : STATUS_OK;
}

/* ---- the command */

/* n and m of --file. */
static int take_rows(struct tune_settings *settings)
{
    struct question *question = &settings->select.question;
    struct row_file file = {.descriptor = -1};
    if (!settings->file)
        return STATUS_OK;
    const int status =
        open_row_file(&file, "--file", settings->file, &(struct rows_as){.weights = 0});
    if (status != STATUS_OK)
        return status;
    question->n.items = require_memory(malloc(sizeof *question->n.items));
    question->n.items[0] = file.row;
    question->n.length = 1;
    question->m = file.rows;
    row_file_close(&file);
    return STATUS_OK;
}

/* The machine, and what was measured on it before. */
static int take_machine(struct tune_settings *settings)
{
    char machine[RCM_MACHINE_TEXT];
    struct wisdom wisdom;
    const bool has_gpu = rcm_this_machine(true, machine);
    const bool gpu = settings->on == TUNE_AUTO ? has_gpu : settings->on == TUNE_GPU;
    const char *python = getenv("RECALLMODEL_PYTHON");
    if (settings->peers && tune_has_peers(settings) && !(python && *python))
        return usage_error("--peers %.40s are modules of Python: run python -m recallmodel tune",
                           settings->peers);
    if (gpu && !has_gpu)
        return usage_error("--on gpu: there is no driver of NVIDIA here; give --on cpu");
    if (!gpu && topk_library_check() != STATUS_OK)
        return STATUS_USAGE;
    if (gpu && (settings->file || settings->threads))
        return usage_error("%s is of a CPU; give --on cpu, or leave it out",
                           settings->file ? "--file" : "--threads");
    if (!rcm_this_machine(gpu, machine))
        return usage_error("tune keeps what it measures of a CPU by its name, which /proc/cpuinfo "
                           "does not have; time it by recallmodel bench");
    settings->wisdom = wisdom_path(settings->wisdom);
    if (!settings->wisdom)
        return STATUS_USAGE;
    const int status = wisdom_read(settings->wisdom, &wisdom);
    if (status != STATUS_OK)
        return status;
    if (wisdom.gpu != gpu)
        wisdom.count = 0;
    wisdom.gpu = gpu;
    device_of_wisdom(&settings->select.question.device, wisdom);
    settings->select.beyond_runs = true; /* what is timed needs no runs */
    return STATUS_OK;
}

static int tune(struct tune_settings *settings)
{
    struct question *question = &settings->select.question;
    struct query_list queries = {0};
    bool stopped = false;
    int status = question_check(question);
    if (status == STATUS_OK)
        status = take_rows(settings);
    if (status == STATUS_OK)
        status = take_machine(settings);
    if (status == STATUS_OK)
        status = selection_check(&settings->select);
    if (status == STATUS_OK)
        status = queries_build(&queries, question, SHAPES_NONE);
    json_t *objects = question->output == OUTPUT_JSON ? json_array() : NULL;
    for (size_t i = 0; i < queries.length && status == STATUS_OK; i++) {
        status = measure(settings, &queries.items[i], &stopped);
        if (status == STATUS_OK)
            status = answer_tuned(settings, &queries.items[i], objects, i == 0);
        if (status == STATUS_OK && stopped)
            status = STATUS_INTERRUPTED;
    }
    const bool kept = status == STATUS_OK || status == STATUS_INTERRUPTED;
    if (objects && kept && json_array_size(objects) > 0) {
        const int printed = print_json_answers(objects, question);
        status = printed == STATUS_OK ? status : printed;
    } else {
        json_decref(objects);
    }
    queries_free(&queries);
    return status;
}

static int run_tune(int count, char **arguments)
{
    struct tune_settings settings = {.select = {.question = QUESTION_DEFAULT}, .seconds = 5.0};
    int status = arguments_read_ruled(tune_options, tune_rules, NULL, &settings, count, arguments);
    if (status == STATUS_OK)
        status = tune(&settings);
    question_free(&settings.select.question);
    return status;
}

const struct command command_tune = {
    .name = "tune",
    .summary = "times what can be called here for one question, and says which to call",
    .example = "recallmodel tune --n 151936 --k 50 --m 64\n"
               "recallmodel tune --n 2^17 --k 2048 --recall 0.99 --dtype bf16\n"
               "recallmodel select --n 2^17 --k 2048 --recall 0.99 --device this",
    .detail =
        "tune times exact top-k and the best buckets of each kb on this machine, proves each "
        "result, and answers as select does. Nine rounds are taken, one contender after the "
        "other; a time is the median of the rounds, and \"9 in 10\" goes from the second shortest "
        "to the second longest of them.\n"
        "\n"
        "The times are kept. select --device this answers from them: where the very rows were "
        "timed by these times, and elsewhere by a profile that is fitted to them. Those of another "
        "machine, driver or version of recallmodel do not count. select --device FILE.csv takes "
        "the file of --wisdom.",
    .columns = &selection_columns,
    .options = tune_options,
    .run = run_tune,
};
