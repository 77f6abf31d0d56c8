/* command_exact.c - exact top-k by threshold: how many elements reach the k-th largest candidate?
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include <programs/common/progress.h>
#include <programs/common/wrap.h>

#include <programs/recallmodel/question/answer.h>
#include <programs/recallmodel/command.h>
#include "exact_filter.h"

/* What was asked and found for one n and k. */
struct exact_answer {
    struct query_fields query;
    struct rcm_topk p; /* b = 0: none drops an element */
    bool given;        /* b and k_b were given, not searched for */
    uint64_t b, k_b, candidates;
    double share;
    struct rcm_reaching reaching;
    uint64_t buffer; /* NO_COUNT: not known */
    double handled;
};

struct settings {
    struct question question;
    struct fraction quantile;
    uint64_t k_b_max; /* 0: not given */
    struct filter_question filter;
    struct exact_answer answer; /* to the last query */
    size_t answers;
};

static const struct argument exact_options[] = {
    OPTIONS_ROW,
    {"--b", "B", BY(read_one_count), IN_QUESTION(b),
     "buckets (default: the b and kb with the fewest candidates and collected elements together)"},
    {"--kb", "KB", BY(read_one_count), IN_QUESTION(k_b),
     "elements kept per bucket; only together with --b"},
    {"--kb-max", "N", BY(read_k_b_max), offsetof(struct settings, k_b_max),
     "the largest kb to try (default 4)"},
    {OPTION_VALID},
    {OPTION_ASSIGNMENT},
    {"--quantile", "Q", BY(read_probability), offsetof(struct settings, quantile),
     "the share of rows that may need a larger buffer (default 0.000001)"},
    {"--block", "B", BY(read_count), offsetof(struct settings, filter.block),
     "of a running threshold: elements of a block (default 2 k; a row of 10,000 blocks takes half "
     "a minute)"},
    {"--more", "B2", BY(read_count), offsetof(struct settings, filter.more),
     "compact the buffer where it holds k + B2 elements (default 2 k)"},
    {"--room", "R", BY(read_count), offsetof(struct settings, filter.room),
     "find the block and B2 with the least work for which a buffer of R elements suffices"},
    {"--filter-distribution", NULL, BY(read_switch), offsetof(struct settings, filter.quantiles),
     "also what all but --quantile of the rows append to the buffer, and the most that it holds "
     "(seconds)"},
    {"--sample", "S", BY(read_count), offsetof(struct settings, filter.sample),
     "of a sampled threshold: elements in the sample (default: those with the least work)"},
    OPTIONS_RESTRICTION,
    OPTIONS_FORM,
};

static const struct argument_rule exact_rules[] = {
    {.options = "--b --kb", .needs = "--b --kb"},
    {.options = "--room", .excludes = "--block --more", .why = "it finds both"},
    {0},
};

static const struct column exact_items[] = {
    {PART(struct exact_answer, query, query_columns)},
    {FIELD(struct exact_answer, p.n), .heading = "n"},
    {FIELD(struct exact_answer, p.k), .heading = "k"},
    {FIELD(struct exact_answer, b), EVERYWHERE("b")},
    {FIELD(struct exact_answer, k_b), EVERYWHERE("k_b")},
    {FIELD(struct exact_answer, candidates), EVERYWHERE("candidates")},
    {FIELD(struct exact_answer, reaching.mean), HEADED("reaching_mean", "collected\nin the mean")},
    {FIELD(struct exact_answer, reaching.sd), HEADED("reaching_sd", "sd")},
    {FIELD(struct exact_answer, buffer), HEADED("reaching_quantile", "buffer")},
    {FIELD(struct exact_answer, share), IN_DATA("quantile")},
    {FIELD(struct exact_answer, handled), IN_DATA("handled")},
};
static const struct columns exact_columns = COLUMNS(struct exact_answer, exact_items);

static struct rcm_topk least_handled(const struct query *query, const struct settings *settings)
{
    const struct rcm_selection s = {
        .p = query->base,
        .target = {.align = settings->question.align, .divisors = settings->question.divisors},
        .k_b_max = settings->k_b_max};
    double reaching;
    const struct rcm_point best = rcm_best_threshold(&s, &reaching);
    return best.objective < INFINITY ? best.p : (struct rcm_topk){0};
}

static struct exact_answer answer_to(const struct query *query, const struct settings *settings)
{
    struct exact_answer a = {
        .query = fields_of(query),
        .p = query->base,
        .given = settings->question.b.length > 0,
        .share = settings->quantile.given ? decimal_value(settings->quantile.value) : 1e-6};
    if (a.given) {
        a.p.b = settings->question.b.items[0];
        a.p.k_b = settings->question.k_b.items[0];
    } else {
        a.p = least_handled(query, settings);
    }
    const uint64_t candidates = rcm_candidates(a.p);
    a.b = a.p.b ? a.p.b : NO_COUNT;
    a.k_b = a.p.k_b ? a.p.k_b : NO_COUNT;
    a.candidates = candidates ? candidates : NO_COUNT;
    a.reaching = rcm_reaching(a.p);
    a.handled = (double)candidates + a.reaching.mean;
    const uint64_t buffer = isnan(a.reaching.mean) ? 0 : rcm_reaching_quantile(a.p, a.share);
    a.buffer = buffer ? buffer : NO_COUNT;
    a.p.n = query->base.n;
    a.p.k = query->base.k;
    return a;
}

/* 1e-6: "1 row in 10^6"; 0.05: "1 row in 20"; 0.3: "a share 0.3 of rows". */
static void format_share(char *text, size_t size, double share)
{
    const double rows = 1.0 / share, power = round(log10(rows));
    if (fabs(rows - pow(10.0, power)) < 1e-9 * rows && power > 3.0)
        snprintf(text, size, "1 row in 10^%.0f", power);
    else if (fabs(rows - round(rows)) < 1e-9 * rows && rows < 1e6)
        snprintf(text, size, "1 row in %.0f", round(rows));
    else
        snprintf(text, size, "a share %.6g of rows", share);
}

static void print_answer(const struct exact_answer *a)
{
    char rest[64];
    const uint64_t n = a->p.n, k = a->p.k;
    if (a->p.b == 0) {
        puts("No b > 1 drops an element here: take the exact top-k of the row.");
        return;
    }
    if (isnan(a->reaching.mean)) {
        print_wrapped(
            "It is not known how many elements the second pass collects: the distribution "
            "is too wide to compute.");
        return;
    }
    print_wrapped("b = %" PRIu64 ", k_b = %" PRIu64 ": exact top-k by threshold handles %" PRIu64
                  " candidates and, after a second pass, %.1f elements in the mean (sd %.2g)%s.",
                  a->p.b, a->p.k_b, a->candidates, a->reaching.mean, a->reaching.sd,
                  a->given ? "" : ", the fewest of all b");
    format_share(rest, sizeof rest, a->share);
    if (a->buffer != NO_COUNT)
        printf("  buffer      %" PRIu64 " elements suffice in all but %s\n", a->buffer, rest);
    else
        printf("  buffer      not known: %s\n", a->share < 1e-11
                                                    ? "shares below 1e-11 are not resolved"
                                                    : "the distribution is too wide to compute");
    printf("  how         keep the k_b largest of each bucket; the k-th largest of these is the "
           "threshold;\n"
           "              a second pass over the row collects every element that reaches it; the\n"
           "              exact top-%" PRIu64 " of these is that of the row\n",
           k);
    printf("  reads       the row twice (%" PRIu64 " elements), or once where it stays on chip\n",
           2 * n);
    puts("  ties        more elements may equal the threshold; those beyond k may be dropped");
}

/* R must exist: at least k elements are kept. */
static int check_shape(void *state)
{
    const struct settings *settings = state;
    char fault[SHAPE_FAULT];
    for (size_t i = 0; i < settings->question.n.length; i++)
        if (settings->filter.sample > settings->question.n.items[i])
            return usage_error("--sample %" PRIu64 " is larger than n = %" PRIu64,
                               settings->filter.sample, settings->question.n.items[i]);
    for (size_t i = 0; settings->question.b.length &&
                       i < settings->question.n.length * settings->question.k.length;
         i++) {
        const struct rcm_topk p = {.n = settings->question.n.items[i / settings->question.k.length],
                                   .k = settings->question.k.items[i % settings->question.k.length],
                                   .b = settings->question.b.items[0],
                                   .k_b = settings->question.k_b.items[0],
                                   .valid = settings->question.valid,
                                   .assignment = settings->question.assignments.items[0]};
        if (rcm_check(p) == RCM_OK && isnan(rcm_reaching_above(p, 0)))
            return usage_error("--b %" PRIu64 " with --kb %" PRIu64 " keeps fewer than k = %" PRIu64
                               " elements of n = %" PRIu64
                               ", so there is no k-th largest candidate; give a larger --b or --kb",
                               p.b, p.k_b, p.k, p.n);
        if (rcm_check(p) == RCM_BAD_B)
            return usage_error("%s", shape_fault(fault, RCM_BAD_B, p));
    }
    return STATUS_OK;
}

static struct table *exact_rows(const struct query *query, void *state)
{
    struct settings *settings = state;
    struct table *table = table_of(&exact_columns, 0);
    settings->answer = answer_to(query, settings);
    settings->answers++;
    table_add(table, &settings->answer, false);
    return table;
}

/* With the time that has passed, as it may take half a minute. */
static struct filter_answer watched_filter(const struct settings *settings, uint64_t n, uint64_t k)
{
    struct progress progress;
    progress_start(&progress, "filters");
    progress_watch(&progress);
    progress_tick(&progress, 0, 1);
    progress_holds_nothing();
    const struct filter_answer filter =
        filter_answer(&settings->filter, n, k, settings->answer.share);
    progress_end(&progress);
    return filter;
}

static void exact_text(const struct query *query, const struct table *rows, void *state,
                       bool colour)
{
    const struct settings *settings = state;
    if (settings->answers > 1) {
        table_print(rows, stdout, colour);
        return;
    }
    char rest[64];
    const uint64_t n = query->base.valid ? query->base.valid : query->base.n;
    print_query(query);
    print_answer(&settings->answer);
    format_share(rest, sizeof rest, settings->answer.share);
    const struct filter_answer filter = watched_filter(settings, n, query->base.k);
    filter_print(&filter, rest);
}

static void exact_json(json_t *object, const struct query *query, const struct table *rows,
                       void *state)
{
    const struct settings *settings = state;
    const uint64_t n = query->base.valid ? query->base.valid : query->base.n;
    const struct filter_answer filter = watched_filter(settings, n, query->base.k);
    json_object_update_new(object, table_row_json(rows, 0));
    filter_json(object, &filter);
}

static const struct answer exact_answer = {.rules = exact_rules,
                                           .check = check_shape,
                                           .shapes = SHAPES_NONE,
                                           .rows = exact_rows,
                                           .text = exact_text,
                                           .json = exact_json,
                                           .one_table = true};

static int run_exact(int count, char **arguments)
{
    struct settings settings = {.question = QUESTION_DEFAULT};
    return answer_arguments(exact_options, &exact_answer, &settings.question, count, arguments);
}

const struct command command_exact = {
    .name = "exact",
    .summary = "exact top-k by threshold: how many elements a second pass over the row collects",
    .example = "recallmodel exact --n 262144 --k 1024 --quantile 1e-6",
    .detail =
        "Stage 1 runs as always. The k-th largest candidate is a threshold. A second pass over "
        "the row collects every element that reaches the threshold. The exact top-k of these "
        "elements is that of the row. Nothing is lost, and the row is read twice.\n"
        "\n"
        "  collected       how many elements the second pass collects\n"
        "  buffer          the number that suffices in all but a share --quantile of the rows\n"
        "\n"
        "Two other ways read the row once. A running threshold is raised as the row is read in "
        "blocks: what passes it goes into a buffer, of which the k largest are kept where it is "
        "full. The threshold of a sample is an element of it that lies, nearly always, below the "
        "k-th largest of the row.",
    .columns = &exact_columns,
    .options = exact_options,
    .run = run_exact,
};
