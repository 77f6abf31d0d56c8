/* command_exact.c - exact top-k by threshold: how many elements reach the k-th largest candidate?
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include "answer.h"
#include "commands.h"
#include "memory.h"

/* What was asked and found for one n and k. */
struct exact_answer {
    struct rcm_topk p;
    bool given; /* b and k_b were given, not searched for */
    double share;
    struct rcm_reaching reaching;
    uint64_t quantile; /* 0: not known */
};

static struct rcm_topk least_handled(const struct query *query, const struct options *o)
{
    const struct rcm_selection s = {.p = query->base,
                                    .target = {.align = o->align, .divisors = o->divisors},
                                    .k_b_max = o->k_b_max};
    const struct rcm_choice choice = rcm_select(&s);
    return choice.threshold.objective < INFINITY ? choice.threshold.p : (struct rcm_topk){0};
}

static struct exact_answer answer_to(const struct query *query, const struct options *o)
{
    struct exact_answer a = {.p = query->base,
                             .given = o->b.length > 0,
                             .share = o->has_quantile ? decimal_value(o->quantile) : 1e-6};
    if (a.given) {
        a.p.b = o->b.items[0];
        a.p.k_b = o->k_b.items[0];
    } else {
        a.p = least_handled(query, o);
    }
    a.reaching = rcm_reaching(a.p);
    a.quantile = isnan(a.reaching.mean) ? 0 : rcm_reaching_quantile(a.p, a.share);
    return a;
}

static void put_count(struct table *table, struct column column, uint64_t value)
{
    if (value)
        table_count(table, column, value);
    else
        table_null(table, column);
}

static void put_answer(struct table *table, const struct query *query, const struct exact_answer *a)
{
    table_row(table, false);
    put_query(table, query);
    table_count(table, (struct column){.heading = "n"}, query->base.n);
    table_count(table, (struct column){.heading = "k"}, query->base.k);
    put_count(table, column("b", STYLE_PLAIN), a->p.b);
    put_count(table, column("k_b", STYLE_PLAIN), a->p.k_b);
    put_count(table, column("candidates", STYLE_PLAIN), rcm_candidates(a->p));
    table_real(
        table,
        (struct column){"reaching_mean", "reaching_mean", "collected\nin the mean", STYLE_PLAIN, 0},
        a->reaching.mean);
    table_real(table, (struct column){"reaching_sd", "reaching_sd", "sd", STYLE_PLAIN, 0},
               a->reaching.sd);
    put_count(table,
              (struct column){"reaching_quantile", "reaching_quantile", "buffer", STYLE_PLAIN, 0},
              a->quantile);
    table_real(table, (struct column){"quantile", "quantile", NULL, STYLE_PLAIN, 0}, a->share);
    table_real(table, (struct column){"handled", "handled", NULL, STYLE_PLAIN, 0},
               (double)rcm_candidates(a->p) + a->reaching.mean);
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
        puts("No b > 1 drops any element here: take the exact top-k of the row.");
        return;
    }
    if (isnan(a->reaching.mean)) {
        puts("How many elements the second look collects is not known: the distribution is too "
             "wide to compute.");
        return;
    }
    printf("b = %" PRIu64 ", k_b = %" PRIu64 ": exact top-k by threshold handles %" PRIu64
           " candidates and, after a second\n"
           "look, %.1f elements in the mean (sd %.2g)%s.\n",
           a->p.b, a->p.k_b, rcm_candidates(a->p), a->reaching.mean, a->reaching.sd,
           a->given ? "" : ", the fewest of all b");
    format_share(rest, sizeof rest, a->share);
    if (a->quantile)
        printf("  buffer      %" PRIu64 " elements suffice in all but %s\n", a->quantile, rest);
    else
        printf("  buffer      not known: %s\n", a->share < 1e-11
                                                    ? "shares below 1e-11 are not resolved"
                                                    : "the distribution is too wide to compute");
    printf(
        "  how         keep the k_b largest of each bucket; the k-th largest of these is the "
        "threshold;\n"
        "              a second look at the row collects every element that reaches it; the exact\n"
        "              top-%" PRIu64 " of these is that of the row\n",
        k);
    printf("  reads       the row twice (%" PRIu64 " elements), or once where it stays on chip\n",
           2 * n);
    puts(
        "  ties        more elements may equal the threshold; beyond k of them any may be dropped");
}

/* R must exist: at least k elements are kept. */
static int check_shape(const struct options *o)
{
    if (o->b.length > 1 || o->k_b.length > 1)
        return usage_error("%s takes one value here", o->b.length > 1 ? "--b" : "--kb");
    if ((o->b.length > 0) != (o->k_b.length > 0))
        return usage_error("--b and --kb go together; give both, or neither for the best of all");
    for (size_t i = 0; o->b.length && i < o->n.length * o->k.length; i++) {
        const struct rcm_topk p = {.n = o->n.items[i / o->k.length],
                                   .k = o->k.items[i % o->k.length],
                                   .b = o->b.items[0],
                                   .k_b = o->k_b.items[0],
                                   .valid = o->valid,
                                   .assignment = o->assignments[0]};
        if (rcm_check(p) == RCM_OK && isnan(rcm_reaching_above(p, 0)))
            return usage_error("--b %" PRIu64 " with --kb %" PRIu64 " keeps fewer than k = %" PRIu64
                               " elements of n = %" PRIu64 ", so there is no k-th; give more",
                               p.b, p.k_b, p.k, p.n);
        if (rcm_check(p) == RCM_BAD_B)
            return usage_error("--b %" PRIu64 " is larger than n = %" PRIu64 "; give at most that",
                               p.b, p.n);
    }
    return STATUS_OK;
}

static json_t *json_of(const struct query *query, const struct exact_answer *a)
{
    struct table *table = table_new();
    json_t *object = query_json(query);
    put_answer(table, query, a);
    json_t *row = table_row_json(table, 0);
    json_object_update(object, row);
    json_decref(row);
    table_free(table);
    return object;
}

static int print_answers(const struct query_list *queries, const struct options *o)
{
    struct table *table = table_new();
    json_t *answers = checked(json_array());
    for (size_t i = 0; i < queries->length; i++) {
        const struct query *query = &queries->items[i];
        const struct exact_answer a = answer_to(query, o);
        put_answer(table, query, &a);
        if (o->output == OUTPUT_JSON)
            json_array_append_new(answers, json_of(query, &a));
        if (o->output == OUTPUT_TABLE && queries->length == 1) {
            print_query(query);
            print_answer(&a);
        }
    }
    int status = STATUS_OK;
    if (o->output == OUTPUT_JSON)
        status = print_json_answers(json_incref(answers), o);
    else if (o->output == OUTPUT_CSV)
        table_print_csv(table, stdout, true);
    else if (queries->length > 1)
        table_print(table, stdout, colour_wanted());
    json_decref(answers);
    table_free(table);
    return status;
}

int command_exact(const struct options *o)
{
    struct query_list queries;
    int status = check_shape(o);
    if (status != STATUS_OK)
        return status;
    status = queries_build(&queries, o, SHAPES_NONE);
    if (status == STATUS_OK)
        status = print_answers(&queries, o);
    queries_free(&queries);
    return status;
}
