/* command_select.c - which b and k_b to deploy, or exact top-k, and why.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>
#include <programs/common/wrap.h>

#include <programs/recallmodel/question/answer.h>
#include "calls.h"
#include <programs/recallmodel/command.h>
#include <programs/recallmodel/question/configuration.h>
#include "selection.h"

#define FRONTIER_PLOTTED 100

/* ---- options */

static const char *objective_at(unsigned i)
{
    return rcm_objective(i) ? rcm_objective(i)->name : NULL;
}

static int read_objective(void *to, const char *option, const char *value)
{
    unsigned i;
    const int status = read_name(option, value, objective_at, UNTIL_NULL, &i);
    *(const struct rcm_objective **)to = rcm_objective(i);
    return status;
}

static const char *ties_at(unsigned i)
{
    return rcm_ties_name((enum rcm_keeps_ties)i);
}

static int read_ties(void *to, const char *option, const char *value)
{
    unsigned i;
    const int status = read_name(option, value, ties_at, UNTIL_NULL, &i);
    if (status == STATUS_OK)
        *(enum rcm_keeps_ties *)to = (enum rcm_keeps_ties)i;
    return status;
}

/* Of those that one can install, the i-th. */
static const char *provider_at(unsigned i)
{
    const struct rcm_provider *row;
    for (size_t j = 0; (row = rcm_provider(j)); j++)
        if (row->package && i-- == 0)
            return row->kernel;
    return NULL;
}

/* One name after the other: whose kernels they are. */
static int read_have(void *to, const char *option, const char *value)
{
    uint32_t *have = to;
    char name[64];
    for (*have = 0; *value; value += *value == ',') {
        const size_t length = strcspn(value, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), value);
        if (!rcm_providers_named(name))
            return unclear_name(option, name, "", provider_at, "or the beginning of some");
        *have |= rcm_providers_named(name);
        value += length;
    }
    return *have ? STATUS_OK : usage_error("%s is empty; give names such as torch,sglang", option);
}

static int read_budget(void *to, const char *option, const char *value)
{
    const char *wrong = parse_amount(value, to);
    return wrong
               ? usage_error("%s '%.*s' is %s; give the most that the objective may be (a time in "
                             "microseconds), such as 4096, 2^12 or 59.5",
                             option, VALUE_SHOWN, value, wrong)
               : STATUS_OK;
}

/* One device after the other; a path has no comma. */
static int read_devices(void *to, const char *option, const char *value)
{
    struct select_lists *lists = to;
    lists->names = require_memory(strdup(value));
    lists->devices = require_memory(calloc(strlen(value) + 1, sizeof *lists->devices));
    for (char *name = lists->names, *end; name; name = end) {
        end = strchr(name, ',');
        if (end)
            *end++ = '\0';
        const int status = read_device(&lists->devices[lists->count++], option, name);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

#define AT(member) offsetof(struct select_settings, member)

static const struct argument select_options[] = {
    OPTIONS_ROW,
    {"--kernel", "K", &kind_of_kernel, AT(kernel),
     "the kernel that must be able to run the choice: any (default), ours, graphcore, xla or cpu"},
    {"--objective", "O", KIND(read_objective, .names = objective_at), AT(objective),
     "what to minimise: candidates (the default), time (the default if --device has a profile), "
     "roofline (the default with another --device), or the cost in the model basic, serial or "
     "parallel"},
    {"--budget", "X", BY(read_budget), AT(budget),
     "instead of --recall: find the highest recall for an objective of at most X (a time is in "
     "microseconds)"},
    {"--beyond-runs", NULL, BY(read_switch), AT(beyond_runs),
     "also consider shapes beyond the runs of the profile, by the upper end of the error band of "
     "their time"},
    {"--b", "B", BY(read_one_count), IN_QUESTION(b),
     "with --kb: find the largest k (if only --n is given) or the largest n (if only --k is given) "
     "that keeps the recall"},
    {"--kb", "KB", BY(read_one_count), IN_QUESTION(k_b),
     "elements kept per bucket; only together with --b"},
    {"--confidence", "P", BY(read_probability), AT(confidence),
     "reach --recall in a row with probability P, instead of on average"},
    {"--kb-max", "N", BY(read_k_b_max), AT(k_b_max), "the largest kb to try (default 4)"},
    {"--exact-us", "T", BY(read_us), AT(exact_us),
     "compare with your own exact top-k of this shape, which takes T microseconds"},
    {"--d", "D", BY(read_count), AT(d),
     "the values are inner products of vectors of D elements, and top-k is fused into their "
     "kernel: its time is a lower bound by the roofline, and --exact-us is then the time of "
     "product and exact top-k"},
    {"--exact-kernel", "K", &kind_of_exact_kernel, AT(exact_kernel),
     "compare with the predicted time of a kernel of exact top-k: a prefix of its name "
     "(recallmodel devices lists them), or the path of a profile"},
    {"--ties", "T", KIND(read_ties, .names = ties_at), AT(ties),
     "which of equal elements must be taken: any (default), repeatable, or position, the first of "
     "them; only kernels that do so are compared"},
    {"--have", "NAMES", KIND(read_have, .names = provider_at), AT(have),
     "whose kernels can be called on the GPU beside torch.topk, in a list of the beginnings of "
     "their names; the others are shown (default: all)"},
    {"--rope-theta", "T", BY(read_rope_theta), AT(rope.theta),
     "the rows are attention logits: avoid b that resonate with a wavelength of RoPE of base T"},
    {"--head-dim", "D", BY(read_head_dim), AT(rope.head_dim),
     "elements of a head that RoPE rotates (default 128)"},
    {"--rope-stretch", "N", BY(read_count), AT(rope.stretch),
     "the top-k lie within N neighbouring elements, so that more b resonate (default: anywhere in "
     "the row)"},
    {"--verbose", NULL, BY(read_switch), AT(verbose),
     "also print the Pareto frontier, and the call for each framework (recallmodel bounds has the "
     "b of other libraries, for one row)"},
    {"--m", "M", BY(read_counts), AT(lists.m),
     "rows in the batch (default 1), or a list of such numbers"},
    {OPTION_VALID},
    {OPTION_LENGTHS},
    {OPTION_ASSIGNMENT_TIMED},
    {"--recall", "R", BY(read_target), IN_QUESTION(targets), "the recall to reach (default 0.95)"},
    OPTIONS_WEIGHTS("the share of the top k's softmax mass that may be lost, in place of --recall: "
                    "on average, with --confidence in a row"),
    OPTIONS_ROUNDING,
    {"--quantile", "Q", BY(read_probability), AT(quantile),
     "the share of rows whose recall may be below recall_quantile (default 1 - P, or 0.05)"},
    {"--device", "D", KIND(read_devices, DEVICE_NAMES), AT(lists),
     "the device: a name, the path of a profile or of a device file, or the word this for what "
     "recallmodel tune (and bench --calibrate) measured here; or a list of them"},
    {"--dtype", "T", &kind_of_dtype, IN_QUESTION(dtype),
     "the type of the values, f16, bf16 or f32, which selects among the profiles of the device"},
    OPTIONS_RESTRICTION,
    {OPTION_PLOT},
    {OPTION_JSON},
    {"--brief", NULL, BY(read_switch), AT(brief),
     "with --json: leave out the frontier, which takes most of the time"},
    {OPTION_CSV},
    {OPTIONS_END},
};

static const struct argument_rule select_rules[] = {
    {.options = "--b --kb",
     .needs = "--b --kb",
     .why = "together they find the largest k or n (recallmodel recall judges a whole shape)"},
    {.options = "--b",
     .excludes = "--quantile --align --divisors --kernel --objective --budget --kb-max --exact-us "
                 "--exact-kernel --rope-theta --plot --d --device --dtype --m",
     .why = "the largest k or n for --b and --kb does not depend on it"},
    {.options = "--b",
     .excludes = "--confidence",
     .why = "a larger k may lose more (recallmodel recall --at-least judges an answer)"},
    {.options = "--brief", .needs = "--json"},
    {.options = "--beyond-runs", .needs = "--device", .why = "the device has the profile"},
    {.options = "--dtype", .needs = "--device", .why = "it selects a profile of the device"},
    {.options = "--d",
     .needs = "--device",
     .excludes = "--exact-kernel",
     .why = "--d predicts the time of values that are computed"},
    {.options = "--exact-us --exact-kernel",
     .needs = "--device",
     .why = "it is compared with a time"},
    {.options = "--exact-us",
     .excludes = "--exact-kernel",
     .why = "both say what exact top-k takes"},
    {.options = "--have", .needs = "--device", .why = "it compares kernels that run there"},
    {.options = "--budget",
     .excludes = "--recall --lost-mass --confidence",
     .why = "--budget asks for the highest recall"},
    {.options = "--head-dim --rope-stretch", .needs = "--rope-theta"},
    WEIGHTS_RULES,
    LENGTHS_RULE(LENGTHS_NO_WEIGHTS " --b --rope-theta --rounding"),
    {.options = "--b",
     .excludes = "--lost-mass --score-sd --weights --rounding --ties --have",
     .why = "they ask for elements"},
    {0},
};

/* ---- the picture: the frontier, the best of each kb, the choice; the target, or the budget; what
 * exact top-k and the threshold take */

static void plot_choice(struct plot *plot, const struct selection_answer *answer)
{
    char title[200];
    const struct rcm_choice *c = &answer->choice;
    plot_series(plot, "best of each kb", false, true, 2);
    for (uint64_t i = 0; i < answer->k_b_max; i++)
        if (isfinite(answer->each[i].objective))
            plot_point(plot, answer->each[i].objective, rcm_loss_exact(answer->each[i].p), 0.0);
    if (!selection_has_buckets(answer))
        return;
    snprintf(title, sizeof title, "choice: b = %" PRIu64 ", kb = %" PRIu64, c->p.b, c->p.k_b);
    plot_series(plot, title, false, true, 1);
    plot_point(plot, c->objective, rcm_loss_exact(c->p), 0.0);
}

static void plot_lines(struct plot *plot, const struct selection_answer *answer)
{
    char title[200];
    const struct rcm_contender *exact = selection_exact(answer);
    const struct decimal target = answer->query->recall_target;
    if (answer->settings->budget > 0.0) {
        plot_mark(plot, answer->settings->budget, "budget", PLOT_BLACK);
    } else if (!answer->query->target.weights) {
        snprintf(title, sizeof title, "recall %.6g", decimal_value(target));
        plot_target(plot, decimal_complement(target), title);
    }
    snprintf(title, sizeof title, "exact top-k%s%s", exact ? ", " : "", exact ? exact->name : "");
    plot_mark(plot, answer->choice.exact_objective, title, 3);
    plot_mark(plot, answer->choice.threshold.objective, "threshold: loses nothing", 4);
}

static int draw_select(const struct selection_answer *answer)
{
    char title[200], label[100];
    const struct rcm_topk p = answer->query->base;
    struct rcm_point points[FRONTIER_PLOTTED];
    const size_t count = rcm_frontier(&answer->asked, points, FRONTIER_PLOTTED);
    snprintf(title, sizeof title, "n = %" PRIu64 ", k = %" PRIu64 ", m = %" PRIu64 ", kernel %s",
             p.n, p.k, p.m, answer->asked.kernel->name);
    snprintf(label, sizeof label, "%s",
             answer->asked.objective->need == RCM_NEEDS_PROFILE ? "predicted time, us"
                                                                : answer->asked.objective->unit);
    struct plot *plot = plot_new(title, label, true);
    plot_series(plot, "frontier, all kb", true, false, 0);
    for (size_t i = 0; i < count; i++)
        plot_point(plot, points[i].objective, rcm_loss_exact(points[i].p), 0.0);
    plot_choice(plot, answer);
    plot_lines(plot, answer);
    const int status = plot_draw(plot, answer->settings->question.plot);
    plot_free(plot);
    return status;
}

/* ---- the command */

/* Below a table of answers: what the words and the times are. */
static void print_table_notes(const struct selection_answer *answers, size_t count)
{
    bool stands_in = false, bound = false;
    for (size_t i = 0; i < count; i++) {
        stands_in = stands_in || selection_stands_in(&answers[i]);
        bound = bound || selection_is_bound(&answers[i]);
    }
    print_wrapped("deploy: the answer to each question alone, which has the reason and the call");
    if (bound)
        print_wrapped("Without a profile a time is the least that the rates of the device allow, "
                      "with a launch; the true one is longer.");
    if (stands_in)
        print_wrapped("The times of a device without a profile are those of another card's, "
                      "carried to it; one question alone says whose, and how far they may be off.");
}

static int print_all(const struct selection_answer *answers, size_t count,
                     const struct select_settings *settings)
{
    json_t *objects = settings->question.output == OUTPUT_JSON ? json_array() : NULL;
    for (size_t i = 0; i < count; i++)
        if (settings->question.output == OUTPUT_JSON) {
            json_array_append_new(objects, selection_json(&answers[i]));
        } else if (settings->question.output == OUTPUT_CSV) {
            struct table *table = selection_alternatives(&answers[i]);
            table_print_csv(table, stdout, i == 0);
            table_free(table);
        } else if (count == 1) {
            selection_print(&answers[i], colour_wanted());
        }
    if (settings->question.output == OUTPUT_TABLE && count > 1) {
        struct table *table = selection_table(answers, count);
        table_print(table, stdout, colour_wanted());
        table_free(table);
        print_table_notes(answers, count);
    }
    return objects ? print_json_answers(objects, &settings->question) : STATUS_OK;
}

/* The questions of one m and one device. */
struct asked {
    struct select_settings settings;
    struct query_list queries;
};

static int build(struct asked *asked, const struct select_settings *settings, size_t i)
{
    const struct select_lists *lists = &settings->lists;
    const size_t m_count = lists->m.length ? lists->m.length : 1;
    struct question *question = &asked->settings.question;
    asked->settings = *settings;
    question->m = lists->m.length ? lists->m.items[i % m_count] : question->m;
    question->rounding.d = settings->d;
    question->device = lists->count ? lists->devices[i / m_count] : question->device;
    int status = selection_check(&asked->settings);
    if (status == STATUS_OK)
        status = queries_build(&asked->queries, question, SHAPES_NONE);
    for (size_t j = 0; j < asked->queries.length && status == STATUS_OK; j++)
        status = selection_check_query(&asked->settings, &asked->queries.items[j]);
    return status;
}

/* Finds all answers; *count counts them. Returns a status. */
static int find_all(const struct asked *asked, size_t length, struct selection_answer *answers,
                    size_t *count)
{
    for (size_t i = 0; i < length; i++)
        for (size_t j = 0; j < asked[i].queries.length; j++) {
            answers[*count] = selection_find(&asked[i].queries.items[j], &asked[i].settings);
            if (answers[(*count)++].interrupted) {
                fputs("recallmodel: stopped before all k_b were tried, without an answer; give a "
                      "smaller --kb-max\n",
                      stderr);
                return STATUS_INTERRUPTED;
            }
        }
    return STATUS_OK;
}

static int answer_forward(const struct select_settings *settings)
{
    const struct select_lists *lists = &settings->lists;
    const size_t length =
        (lists->count ? lists->count : 1) * (lists->m.length ? lists->m.length : 1);
    struct asked *asked = require_memory(calloc(length, sizeof *asked));
    size_t most = 1, count = 0;
    int status = STATUS_OK;
    for (size_t i = 0; i < length && status == STATUS_OK; i++) {
        status = build(&asked[i], settings, i);
        most += asked[i].queries.length;
    }
    struct selection_answer *answers = require_memory(calloc(most, sizeof *answers));
    if (status == STATUS_OK)
        status = find_all(asked, length, answers, &count);
    if (status == STATUS_OK)
        status = print_all(answers, count, settings);
    if (status == STATUS_OK && settings->question.plot)
        status = draw_select(&answers[0]);
    for (size_t i = 0; i < count; i++)
        selection_free(&answers[i]);
    free(answers);
    for (size_t i = 0; i < length; i++)
        queries_free(&asked[i].queries);
    free(asked);
    return status;
}

static int run_select(int count, char **arguments)
{
    struct select_settings settings = {.question = QUESTION_DEFAULT};
    const struct question *question = &settings.question;
    int status =
        arguments_read_ruled(select_options, select_rules, NULL, &settings, count, arguments);
    if (status == STATUS_OK)
        status = question_check(question);
    if (status == STATUS_OK)
        status = question->b.length || question->k_b.length ? answer_reverse(&settings)
                                                            : answer_forward(&settings);
    free(settings.lists.m.items);
    for (size_t i = 0; i < settings.lists.count; i++)
        free(settings.lists.devices[i].here.rows);
    free(settings.lists.devices);
    free(settings.lists.names);
    question_free(&settings.question);
    return status;
}

const struct command command_select = {
    .name = "select",
    .summary = "which b and kb to deploy for a recall, on average or with a confidence",
    .example =
        "recallmodel select --n 131072 --k 2048 --recall 0.99 --confidence 0.99 --kernel ours",
    .detail =
        "select says what to call: exact top-k, or the best b buckets of which kb elements each "
        "are "
        "kept. The rule: exact top-k, which loses nothing, unless the buckets take less time than "
        "every exact kernel that can be called, by more than the error of both times. Where the "
        "objective is no time, it is the way with the least objective, exact top-k among equals; a "
        "bound must leave a tenth.\n"
        "\n"
        "  time              as the profile of the kernel predicts it\n"
        "  9 in 10           nine in ten times lie in this range\n"
        "  loses             1 - recall, the share of the top k that is not found\n"
        "  known from        the card of the runs\n"
        "  measured here     timed on this machine for the very rows (recallmodel tune)\n"
        "  fitted here       predicted, times what was measured here of rows like these\n"
        "  carried           from that card to this one, by the rates of both\n"
        "  larger k or n     it was measured for those, and takes no longer here\n"
        "  beyond runs       no run of its profile was of such a shape\n"
        "  not callable      no published kernel for it runs on this device\n"
        "  not in --have     one could call it, and --have does not name it\n"
        "  counted, bound    not a time: the objective counts, or nothing takes less\n"
        "\n"
        "If the device has a profile, the objective is the predicted time. If it has none, the "
        "objective is the roofline; the answer then says how long your exact top-k must take for "
        "buckets to pay, and --exact-us compares with it. --exact-kernel compares with a published "
        "kernel of exact top-k, by its predicted time. Without a device, the objective is the "
        "number of candidates.\n"
        "\n"
        "With --d the values are inner products, and what is fused into their kernel is stage 1 "
        "or, "
        "exact, a threshold from a sample: its vector operations are hidden if the product takes "
        "longer. That time is a lower bound by the roofline; the times of stage 2, and of exact "
        "top-k after the product alone, are predicted if the device has a profile. The line "
        "product (--json: product_share) says what share of exact top-k after the product no top-k "
        "can win.",
    .columns = &selection_columns,
    .options = select_options,
    .run = run_select,
};
