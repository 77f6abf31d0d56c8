/* command_sparse.c - what methods of sparse attention lose and read, on keys and queries of a
 * model.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attention/threads.h>
#include <base/memory.h>
#include <sim/team.h>

#include <programs/recallmodel/command.h>
#include "sparse.h"
#include "sparse_checkpoint.h"
#include "sparse_time.h"
#include "sparse_train.h"

#define K_DEFAULT 64

static const double budgets_default[] = {0.01, 0.02, 0.05, 0.1, 0.2};
static const uint64_t dense_layers_default[] = {0};

/* ---- from settings to a spec */

static struct method_options options_of(const struct sparse_settings *s, uint32_t d)
{
    const struct method_options usual = METHOD_OPTIONS_DEFAULT;
    struct method_options options = s->options;
    if (!options.components)
        options.components = d < usual.components ? d : usual.components;
    options.clusters = options.clusters ? options.clusters : usual.clusters;
    options.iterations = options.iterations ? options.iterations : usual.iterations;
    options.assignment = (enum sim_assignment)s->question.assignments.items[0];
    return options;
}

static struct tensors_spec tensors_spec_of(const struct sparse_settings *s)
{
    struct tensors_spec spec = {.dtype = s->dtype,
                                .layers = s->layers.items,
                                .layers_length = s->layers.length,
                                .dense_layers = s->dense_layers.items,
                                .dense_length = s->dense_layers.length,
                                .last = s->last,
                                .watch = {.stop = progress_tick},
                                .rope = s->rope.theta > 0 ? &s->rope : NULL};
    for (int i = 0; i < TENSORS; i++)
        spec.paths[i] = s->paths[i].paths;
    if (!s->dense_layers.given) {
        spec.dense_layers = dense_layers_default;
        spec.dense_length = 1;
    }
    return spec;
}

/* The methods that were asked for, or all that need no training and have the keys that they want.
 */
static size_t choose_methods(const struct sparse_settings *s, bool unroped,
                             const struct method **chosen)
{
    size_t length = s->methods_length;
    memcpy(chosen, s->methods, length * sizeof *chosen);
    for (const struct method *const *method = methods; *method && !s->methods_length; method++)
        if (!(*method)->trains_queries && !(*method)->hashes_queries && !(*method)->oracle &&
            !(*method)->reads_layers && (unroped || !(*method)->unroped) &&
            length < SPARSE_METHODS_MAX)
            chosen[length++] = *method;
    return length;
}

/* Do the default dense layers leave no head for the methods? */
static int check_dense_default(const struct sparse_settings *s, const struct evaluation_spec *spec)
{
    if (s->dense_layers.given)
        return STATUS_OK;
    for (size_t i = 0; i < spec->length; i++)
        if (!spec->heads[i].dense)
            return STATUS_OK;
    return usage_error("layer 0 reads all keys by default, which leaves no layer for the methods; "
                       "give the layer's number with --layers, or give --dense-layers none");
}

/* What no method can work with. */
static double most_keys(const struct evaluation_spec *spec)
{
    double most = 0.0;
    for (size_t i = 0; i < spec->length; i++)
        most = spec->heads[i].n > most ? spec->heads[i].n : most;
    return most;
}

static int check_spec(const struct evaluation_spec *spec)
{
    char error[200];
    const struct dense_part dense = spec->options.dense;
    for (size_t i = 0; i < spec->length; i++)
        if ((uint64_t)dense.sink + dense.window >= spec->heads[i].n)
            return usage_error("--sink %" PRIu32 " and --window %" PRIu32
                               " cover all of the %" PRIu32
                               " keys, so that nothing is left to choose; give smaller ones",
                               dense.sink, dense.window, spec->heads[i].n);
    for (size_t i = 0; i < spec->methods_length; i++) {
        const struct method *method = spec->methods[i];
        if (method_options_check(&spec->options, method, spec->heads[0].d, MESSAGE(error)) != 0)
            return usage_error("%s", error);
        for (size_t h = 0; h < spec->length && method->reads_layers; h++)
            if (!spec->heads[h].dense && evaluation_head_before(spec, h) == SIZE_MAX)
                return usage_error("--method %s: a layer has none before it in its file; give "
                                   "files of [layers, heads, n, d], and the first of --layers to "
                                   "--dense-layers",
                                   method->name);
        for (size_t h = 0; h < spec->length && method->hashes_queries; h++)
            if (spec->heads[h].n_q < spec->heads[h].n)
                return usage_error("--method %s needs the queries of all %" PRIu32
                                   " positions, and --queries has %" PRIu32
                                   "; give all of them, without --last",
                                   method->name, spec->heads[h].n, spec->heads[h].n_q);
    }
    const double of_table = /* at least */
        sizeof(float) * ((double)spec->options.bits * spec->heads[0].d + most_keys(spec));
    if (spec->options.tables > METHOD_OPTIONS_DEFAULT.tables &&
        !memory_fits(spec->options.tables * of_table, "--tables", "give fewer", MESSAGE(error)))
        return usage_error("%s", error);
    return STATUS_OK;
}

/* What the numbers do not show. */
static void note_rope(const struct evaluation_spec *spec)
{
    bool wants = false;
    for (size_t i = 0; i < spec->methods_length; i++)
        wants = wants || spec->methods[i]->unroped;
    if (wants && !spec->heads[0].unroped)
        fputs("note: keys before RoPE are not known, so methods that need them use keys after "
              "RoPE; give --keys-unroped and --queries-unroped, or --rope-theta\n",
              stderr);
}

/* ---- run */

static int run_evaluation(const struct sparse_settings *s, const struct tensors *tensors,
                          const struct evaluation_spec *spec)
{
    char error[800] = "";
    struct evaluation evaluation;
    struct progress progress;
    note_rope(spec);
    progress_start(&progress, "steps");
    progress_watch(&progress);
    const struct watch watch = {progress_tick, &progress};
    const int failed = evaluation_run(spec, &watch, &evaluation, MESSAGE(error));
    progress_end(&progress);
    int status = failed < 0 ? usage_error("%s", error) : STATUS_OK;
    if (status == STATUS_OK) {
        const bool unkept = failed == EVALUATION_UNKEPT;
        struct sparse_timing *timings = NULL;
        if (s->cache != CACHE_UNTIMED && failed == 0)
            status = sparse_time(s, spec, &evaluation, &timings);
        const bool stopped = failed > 0 || status == STATUS_INTERRUPTED;
        const struct sparse_answer answer = {s, tensors, spec, &evaluation, stopped, timings};
        if (status == STATUS_OK || stopped)
            status = report_sparse(&answer);
        free(timings);
        if (status == STATUS_OK && stopped)
            status = STATUS_INTERRUPTED;
        if (unkept) {
            usage_error("%s", error);
            status = STATUS_FAILED;
        }
    }
    evaluation_free(&evaluation);
    return status;
}

static int evaluate_tensors(const struct sparse_settings *s, struct tensors_spec *tensors_spec,
                            struct tensors *tensors)
{
    struct sparse_trained trained = {0};
    struct sparse_checkpoint checkpoint = {0};
    const struct method *chosen[SPARSE_METHODS_MAX];
    const size_t budgets =
        s->budgets.length ? s->budgets.length : sizeof budgets_default / sizeof *budgets_default;
    const size_t ks = s->k.length ? s->k.length : 1;
    double *budget = require_memory(calloc(budgets, sizeof *budget));
    uint32_t *k = require_memory(calloc(ks, sizeof *k));
    for (size_t i = 0; i < budgets; i++)
        budget[i] = s->budgets.length ? decimal_value(s->budgets.items[i]) : budgets_default[i];
    for (size_t i = 0; i < ks; i++)
        k[i] = s->k.length ? (uint32_t)s->k.items[i] : K_DEFAULT;
    struct evaluation_spec spec = {.heads = tensors->heads,
                                   .length = tensors->length,
                                   .read = tensors_read,
                                   .from = tensors,
                                   .methods = chosen,
                                   .methods_length =
                                       choose_methods(s, tensors->heads[0].unroped, chosen),
                                   .budgets = budget,
                                   .budgets_length = budgets,
                                   .k = k,
                                   .k_length = ks,
                                   .per_head = s->per_head,
                                   .share = s->share,
                                   .threads = (unsigned)s->threads,
                                   .options = options_of(s, tensors->heads[0].d)};
    struct head_needle *needles = NULL;
    int status = check_dense_default(s, &spec);
    if (status == STATUS_OK)
        status = check_spec(&spec);
    if (status == STATUS_OK)
        status = read_needles(s, tensors, &needles, &spec.needles_length);
    spec.needles = needles;
    if (status == STATUS_OK)
        status = sparse_train(s, tensors_spec, tensors, &spec, &checkpoint, &trained);
    spec.keeper = sparse_checkpoint_keeper(&checkpoint);
    if (status == STATUS_OK)
        status = run_evaluation(s, tensors, &spec);
    sparse_checkpoint_close(&checkpoint);
    sparse_trained_free(&trained);
    free(needles);
    free(budget);
    free(k);
    return status;
}

static int run_sparse(int count, char **arguments)
{
    struct sparse_settings settings = {.question = QUESTION_DEFAULT,
                                       .options = METHOD_OPTIONS_DEFAULT,
                                       .train = {.steps = 300, .width = 1024},
                                       .launch_us = NAN};
    settings.options.components = settings.options.clusters = settings.options.iterations = 0;
    char error[800];
    struct tensors tensors = {0};
    int status =
        arguments_read_ruled(sparse_options, sparse_rules, NULL, &settings, count, arguments);
    if (status == STATUS_OK && settings.threads) /* of the training and --time, too */
        threads_use((unsigned)settings.threads);
    struct tensors_spec spec = tensors_spec_of(&settings);
    /* One rank does the work: the heads are few, and each needs all threads. */
    if (status == STATUS_OK && team_rank() == 0) {
        status = tensors_open(&tensors, &spec, MESSAGE(error)) != 0
                     ? usage_error("%s", error)
                     : evaluate_tensors(&settings, &spec, &tensors);
        tensors_close(&tensors);
    }
    sparse_settings_free(&settings);
    return status;
}

const struct command command_sparse = {
    .name = "sparse",
    .summary = "what methods of sparse attention lose and read, on keys and queries of a model",
    .example = "recallmodel sparse --queries q.npy --keys k.npy --values v.npy\n"
               "  recallmodel sparse --queries q.npy --keys k.npy --method topk,quest --budget "
               "0.01:0.05:0.3",
    .detail =
        "  budget      the share of the keys that a query may visit beside sink and window\n"
        "  knob        the setting of the method: the largest that visits no more, on average\n"
        "  visited     the share of the keys that was visited, sink and window not counted\n"
        "  bytes read  the bytes of index, keys and values that a query reads, over those of full "
        "attention\n"
        "  mass        the share of the softmax mass of the keys that it reads\n"
        "  recall      the share of the k largest logits outside of sink and window that it reads\n"
        "  error       the squared error of the output over the squared output, both summed over "
        "queries\n"
        "  +-          the standard error of that, over layers, heads and documents\n"
        "  time        with --time: the median time of choosing keys and attending to them\n"
        "  left        the measured speed-up over the one that reading fewer keys promises\n"
        "  imbalance   C sum p_i^2 of C buckets that have the shares p_i of the keys; 1 if all are "
        "equal\n"
        "\n"
        "The default methods are all that need no training; kmeans-unroped is one of them if keys "
        "before RoPE are known. Ctrl-C prints the methods that are done and exits with status 130; "
        "with --checkpoint the same command then resumes there.",
    .columns = &sparse_columns,
    .options = sparse_options,
    .run = run_sparse,
};
