/* parts_measured.c - rows that are dealt out to parts: what they lose, beside the model, and how
 * many each part would have had to send.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>
#include <programs/common/progress.h>
#include <programs/common/wrap.h>
#include <sim/parts.h>
#include <sim/rows/row_groups.h>

#include "parts_command.h"

#define LABEL_MOST 200
#define ROWS_DEFAULT 1000

/* The rows of one way to deal, or of one group of them. */
struct measured_row {
    struct query_fields query;
    uint64_t parts, k_part, rows;
    const char *deal, *group; /* group NULL: all rows */
    double recall, losing, unproved, model_losing, model_unproved, spread, needs_99, needs_999,
        needs_all;
};

static const struct column measured_items[] = {
    {PART(struct measured_row, query, query_columns)},
    {FIELD(struct measured_row, parts), EVERYWHERE("parts")},
    {FIELD(struct measured_row, deal), HEADED("deal", "dealt")},
    {FIELD(struct measured_row, group), HEADED("group", "group"), .when = 1},
    {FIELD(struct measured_row, rows), EVERYWHERE("rows")},
    {FIELD(struct measured_row, k_part), HEADED("k_part", "each\nsends")},
    {FIELD(struct measured_row, recall), EVERYWHERE("recall"), .style = STYLE_RECALL},
    {FIELD(struct measured_row, losing), HEADED("rows_losing", "rows\nlosing"),
     .style = STYLE_LOSS},
    {FIELD(struct measured_row, model_losing), HEADED("probability_lost", "model"),
     .style = STYLE_LOSS},
    {FIELD(struct measured_row, unproved), HEADED("rows_unproved", "not\nproved"),
     .style = STYLE_LOSS},
    {FIELD(struct measured_row, model_unproved), HEADED("probability_unproved", "model"),
     .style = STYLE_LOSS},
    {FIELD(struct measured_row, spread), HEADED("spread", "spread"), .style = STYLE_SHARE},
    {FIELD(struct measured_row, needs_99), HEADED("needs_99", "needs\nfor 99 %"),
     .style = STYLE_SHARE},
    {FIELD(struct measured_row, needs_999), HEADED("needs_999", "for\n99.9 %"),
     .style = STYLE_SHARE},
    {FIELD(struct measured_row, needs_all), HEADED("needs_all", "for\nall"), .style = STYLE_SHARE},
};
static const struct columns measured_columns = COLUMNS(struct measured_row, measured_items);

/* What is measured, and where it is kept. */
struct measuring {
    struct parts_settings *settings;
    const struct query *query;
    struct parts_answer answer; /* what the parts send */
    struct row_file file;
    struct row_groups groups;
    bool grouped;
    struct sim_parts_spec spec;
    struct sim_parts_row *rows;
    uint64_t done;
};

/* ---- the rows of a file, and their groups */

static int open_file(struct measuring *m)
{
    struct parts_settings *s = m->settings;
    struct count_list *n = &s->question.n;
    char error[700] = "";
    if (open_row_file(&m->file, "--file", s->file, &s->as) != STATUS_OK)
        return STATUS_USAGE;
    if (find_groups(&m->file, s->file, s->groups, s->group_axes, &m->groups, &m->grouped,
                    MESSAGE(error)) != 0)
        return usage_error("%s", error);
    if (n->length && n->items[0] != m->file.row)
        return usage_error("--n %" PRIu64 " is not the length of a row of --file, %" PRIu64
                           "; leave --n out",
                           n->items[0], m->file.row);
    if (n->length == 0) {
        n->items = require_memory(malloc(sizeof *n->items));
        n->items[n->length++] = m->file.row;
    }
    if (s->rows > m->file.rows)
        return usage_error("--rows %" PRIu64 " is more than the %" PRIu64
                           " rows of --file; give at most that",
                           s->rows, m->file.rows);
    s->rows = s->rows ? s->rows : m->file.rows;
    return STATUS_OK;
}

/* ---- sums */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The smallest value that at least this share of the rows does not exceed. */
static double quantile(const double *sorted, uint64_t rows, double share)
{
    const uint64_t at = (uint64_t)ceil(share * (double)rows - 1e-9);
    return rows ? sorted[at ? at - 1 : 0] : NAN;
}

static struct measured_row row_of(const struct measuring *m, size_t way, size_t group, bool all,
                                  double *grow)
{
    const struct parts_row *parts = &m->answer.row;
    struct measured_row row = {.query = parts->query,
                               .parts = parts->parts,
                               .k_part = parts->k_part,
                               .model_losing = parts->probability_lost,
                               .model_unproved = parts->probability_unproved};
    uint64_t lost = 0, losing = 0, unproved = 0;
    double scatter = 0.0;
    for (uint64_t r = 0; r < m->done; r++) {
        const struct sim_parts_row *one = &m->rows[way * m->spec.rows + r];
        if (!all && row_group(&m->groups, r) != group)
            continue;
        lost += one->lost;
        losing += one->lost > 0;
        unproved += one->grow >= 1.0;
        scatter += (double)one->scatter;
        grow[row.rows++] = one->grow;
    }
    const double rows = (double)row.rows;
    qsort(grow, row.rows, sizeof *grow, by_size);
    row.recall = 1.0 - (double)lost / rows / (double)m->spec.k;
    row.losing = (double)losing / rows;
    row.unproved = (double)unproved / rows;
    row.spread = sqrt(scatter / rows);
    row.needs_99 = quantile(grow, row.rows, 0.99);
    row.needs_999 = quantile(grow, row.rows, 0.999);
    row.needs_all = quantile(grow, row.rows, 1.0);
    return row;
}

static void add_way(const struct measuring *m, struct table *table, size_t way, bool by_group)
{
    char deal[40] = "in runs", label[LABEL_MOST];
    double *grow = require_memory(malloc((m->done ? m->done : 1) * sizeof *grow));
    if (m->spec.deal[way] == 1)
        snprintf(deal, sizeof deal, "one by one");
    else if (m->spec.deal[way])
        snprintf(deal, sizeof deal, "by %" PRIu64, m->spec.deal[way]);
    struct measured_row row = row_of(m, way, 0, true, grow);
    row.deal = deal;
    table_add(table, &row, false);
    for (size_t g = 0; by_group && g < m->groups.groups; g++) {
        row = row_of(m, way, g, false, grow);
        row_group_label(&m->groups, g, label, sizeof label);
        row.deal = deal;
        row.group = label;
        if (row.rows)
            table_add(table, &row, false);
    }
    free(grow);
}

/* ---- output */

static int print_measured(const struct measuring *m)
{
    const enum output output = m->settings->question.output;
    struct table *table = table_of(&measured_columns, m->grouped);
    for (size_t way = 0; way < m->spec.deals && m->done; way++)
        add_way(m, table, way, m->grouped && output != OUTPUT_TABLE);
    if (output == OUTPUT_JSON) {
        json_t *object = query_json(m->query);
        json_object_set_new(object, "rows", table_json(table));
        table_free(table);
        return print_json(object);
    }
    if (output == OUTPUT_CSV) {
        table_print_csv(table, stdout, true);
    } else {
        print_query(m->query);
        print_wrapped("%" PRIu64 " rows%s; each of %" PRIu64 " parts sends its best %s.\n", m->done,
                      m->settings->file ? " of the file" : "", m->answer.row.parts,
                      m->answer.row.each);
        if (m->grouped)
            table_heading(table, "group", NULL);
        table_print(table, stdout, colour_wanted());
        print_wrapped("\nmodel: if the top k lie anywhere with equal probability. spread: the "
                      "scatter of the top k over parts, in that of the model. needs: times so many "
                      "would have to be sent for these rows to lose nothing.%s",
                      m->grouped ? " --csv and --json have the groups." : "");
    }
    table_free(table);
    return STATUS_OK;
}

/* ---- the run */

/* Dealt out as --deal says; the usual ways, or the usual number of parts, where it says nothing. */
static void usual_deals(struct parts_settings *s)
{
    static const uint64_t usual[] = {1, 16, 64, 256, 0};
    if (s->deal.length)
        return;
    s->deal.items = require_memory(malloc(sizeof usual));
    memcpy(s->deal.items, usual, sizeof usual);
    s->deal.length = sizeof usual / sizeof *usual;
}

static int run_rows(struct measuring *m, const uint64_t *sizes, const uint64_t *sends)
{
    struct parts_settings *s = m->settings;
    struct progress progress;
    char error[300] = "";
    m->spec = (struct sim_parts_spec){.n = m->query->base.n,
                                      .k = m->query->base.k,
                                      .rows = s->rows ? s->rows : ROWS_DEFAULT,
                                      .file = s->file ? &m->file : NULL,
                                      .input = s->input.kind,
                                      .rho = first_rho(&s->rho, s->input.kind),
                                      .seed = s->seed,
                                      .size = sizes,
                                      .send = sends,
                                      .parts = (size_t)m->answer.row.parts,
                                      .deal = s->deal.items,
                                      .deals = s->deal.length,
                                      .threads = (unsigned)s->threads};
    m->rows = require_memory(malloc(m->spec.deals * m->spec.rows * sizeof *m->rows));
    progress_start(&progress, "rows");
    m->done = sim_parts_run(&m->spec, m->rows, progress_tick, &progress, MESSAGE(error));
    progress_end(&progress);
    if (*error) {
        usage_error("%s", error);
        return STATUS_FAILED;
    }
    const int status = print_measured(m);
    return status == STATUS_OK && m->done < m->spec.rows ? STATUS_INTERRUPTED : status;
}

static int measure_query(struct measuring *m)
{
    struct parts_settings *s = m->settings;
    char error[700];
    if (m->query->base.n >= UINT64_C(1) << 32)
        return usage_error("--n %" PRIu64 " is too long to measure; give less than 2^32",
                           m->query->base.n);
    if (s->file && look_at_rows(&m->file, "--file", s->file, &s->as, s->rows, m->file.row, NULL,
                                m->query->base.k, NULL, MESSAGE(error)) != 0)
        return usage_error("%s", error);
    m->answer = parts_answer_of(m->query, s, 0);
    if (m->answer.list.length == 0)
        return usage_error("what the parts must send would take too long to compute; give --send");
    uint64_t *sends = sends_in_order(s, &m->answer.list);
    uint64_t *sizes = require_memory(malloc(m->answer.row.parts * sizeof *sizes));
    for (uint64_t p = 0; p < m->answer.row.parts; p++)
        sizes[p] = s->sizes.length ? s->sizes.items[p]
                                   : m->query->base.n / m->answer.row.parts +
                                         (p < m->query->base.n % m->answer.row.parts);
    usual_deals(s);
    const int status = run_rows(m, sizes, sends);
    free(sizes);
    free(sends);
    return status;
}

int measure_parts(struct parts_settings *settings)
{
    struct measuring m = {.settings = settings, .file = {.descriptor = -1}};
    struct query_list queries = {NULL, 0};
    int status = settings->file ? open_file(&m) : STATUS_OK;
    if (status == STATUS_OK)
        status = check_parts(settings);
    if (status == STATUS_OK)
        status = queries_build(&queries, &settings->question, SHAPES_NONE);
    if (status == STATUS_OK &&
        (queries.length > 1 || part_lists(settings) > 1 || settings->lose_at_most.length > 1))
        status = usage_error("--file and --input measure one n, k, --parts and --lose-at-most; "
                             "give one of each");
    if (status == STATUS_OK) {
        m.query = &queries.items[0];
        status = measure_query(&m);
    }
    free(m.answer.list.of);
    free(m.rows);
    queries_free(&queries);
    row_file_close(&m.file);
    row_groups_free(&m.groups);
    return status;
}
