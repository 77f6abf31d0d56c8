/* sparse_report.c - sparse: the rows, in CSV, JSON and words.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <base/memory.h>
#include <programs/common/wrap.h>

#include <programs/recallmodel/output/colour.h>
#include <programs/common/json.h>
#include "sparse.h"
#include "sparse_time.h"

static const struct method *method_of(const struct sparse_answer *a,
                                      const struct evaluation_row *row)
{
    return a->spec->methods[row->method];
}

/* ---- rows */

struct sparse_row {
    struct evaluation_row of;
    const char *method;
    double budget, knob_budget; /* knob_budget: NaN where the method has no knob */
    double share;               /* of the bytes of full attention */
    uint32_t k;
    struct measured recall, shown_error; /* in the table what is left of rounding is 0 */
    struct sparse_timing timing;
    struct sparse_device_times device;
};

enum { TIMED = 1, ON_DEVICE = 2 }; /* parts of the table */

static const struct column sparse_items[] = {
    {FIELD(struct sparse_row, knob_budget), .heading = "budget", .style = STYLE_PERCENT},
    {FIELD(struct sparse_row, method), EVERYWHERE("method")},
    {FIELD(struct sparse_row, of.layer), IN_DATA("layer")},
    {FIELD(struct sparse_row, of.head), IN_DATA("head")},
    {FIELD(struct sparse_row, of.knob), EVERYWHERE("knob")},
    {FIELD(struct sparse_row, budget), IN_DATA("budget")},
    {FIELD(struct sparse_row, of.visited), EVERYWHERE("visited"), .style = STYLE_PERCENT},
    {FIELD(struct sparse_row, of.selectivity), IN_DATA("selectivity")},
    {FIELD(struct sparse_row, of.bytes_read), IN_DATA("bytes_read")},
    {FIELD(struct sparse_row, share), .heading = "bytes\nof full", .style = STYLE_PERCENT},
    {FIELD(struct sparse_row, of.index_bytes), IN_DATA("index_bytes")},
    {FIELD(struct sparse_row, of.mass.mean), EVERYWHERE("mass"), .style = STYLE_SHARE},
    {FIELD(struct sparse_row, k), IN_DATA("k")},
    {FIELD(struct sparse_row, recall.mean), EVERYWHERE("recall"), .style = STYLE_SHARE},
    {FIELD(struct sparse_row, of.error.mean), IN_DATA("error")},
    {FIELD(struct sparse_row, of.error.se), IN_DATA("error_se")},
    {FIELD(struct sparse_row, shown_error.mean), .heading = "error", .style = STYLE_LOSS},
    {FIELD(struct sparse_row, shown_error.se), .heading = "+-", .style = STYLE_LOSS},
    {FIELD(struct sparse_row, of.mass.se), IN_DATA("mass_se")},
    {FIELD(struct sparse_row, recall.se), IN_DATA("recall_se")},
    {FIELD(struct sparse_row, of.time_us), IN_DATA("time_us"), .style = STYLE_US},
    {PART(struct sparse_row, timing, sparse_timing_columns), .when = TIMED},
    {PART(struct sparse_row, device, sparse_device_columns), .when = ON_DEVICE},
    {FIELD(struct sparse_row, of.needle_found), IN_DATA("needle_found"), .style = STYLE_PERCENT},
    {FIELD(struct sparse_row, of.imbalance), HEADED("imbalance", "imba-\nlance"), .drop = 1},
    {FIELD(struct sparse_row, of.largest_bucket), IN_DATA("largest_bucket")},
    {FIELD(struct sparse_row, of.queries), IN_DATA("queries")},
    {FIELD(struct sparse_row, of.groups), IN_DATA("groups")},
};
const struct columns sparse_columns = COLUMNS(struct sparse_row, sparse_items);

static struct sparse_row row_of(const struct sparse_answer *a, size_t i, size_t k)
{
    const struct evaluation_row *of = &a->evaluation->rows[i];
    const double budget = a->spec->budgets[of->budget];
    struct sparse_row row = {
        .of = *of,
        .method = method_of(a, of)->name,
        .budget = budget,
        .knob_budget = *method_of(a, of)->knob ? budget : NAN,
        .share = of->bytes_read / a->evaluation->full_bytes,
        .k = a->spec->k[k],
        .recall = of->recall[k],
        .shown_error = of->error.mean < 1e-20 ? (struct measured){0, 0} : of->error,
    };
    if (a->timings)
        row.timing = a->timings[i];
    if (a->settings->question.device.given)
        row.device = sparse_device_times(a, of);
    return row;
}

/* What orders methods at one budget: the error, or, where it is not known, the mass that is lost.
 * Rounding of the last digits does not order them. */
static double loss_of(const struct evaluation_row *row)
{
    return isnan(row->error.mean) ? 1 - row->mass.mean : row->error.mean;
}

/* Methods without a knob first; then by budget, layer and head, and by what is lost. */
static int compare_rows(const void *x, const void *y)
{
    const struct sparse_row *p = x, *q = y;
    const struct evaluation_row *a = &p->of, *b = &q->of;
    if (isnan(p->knob_budget) != isnan(q->knob_budget))
        return isnan(p->knob_budget) ? -1 : 1;
    if (a->budget != b->budget)
        return a->budget < b->budget ? -1 : 1;
    if (a->layer != b->layer)
        return a->layer < b->layer ? -1 : 1;
    if (a->head != b->head)
        return a->head < b->head ? -1 : 1;
    if (loss_of(a) != loss_of(b))
        return loss_of(a) < loss_of(b) ? -1 : 1;
    if (a->method != b->method)
        return a->method < b->method ? -1 : 1;
    return p->k < q->k ? -1 : p->k > q->k;
}

/* The rows, one for each k. The aligned table has them by budget, and then by error. */
static struct table *sparse_table(const struct sparse_answer *a, bool aligned)
{
    const size_t length = a->evaluation->length, each = a->spec->k_length;
    struct sparse_row *rows = require_memory(calloc(length * each + 1, sizeof *rows));
    struct table *table =
        table_of(&sparse_columns,
                 (a->timings ? TIMED : 0) | (a->settings->question.device.given ? ON_DEVICE : 0));
    table_heading(table, "layer", a->spec->per_head ? "layer" : NULL);
    table_heading(table, "head", a->spec->per_head ? "head" : NULL);
    table_heading(table, "k", each > 1 ? "k" : NULL);
    table_heading(table, "time_us", a->timings ? "time" : NULL);
    table_heading(table, "needle_found", a->spec->needles_length ? "needles\nfound" : NULL);
    for (size_t i = 0; i < length * each; i++)
        rows[i] = row_of(a, i / each, i % each);
    if (aligned)
        qsort(rows, length * each, sizeof *rows, compare_rows);
    for (size_t i = 0; i < length * each; i++)
        if (!aligned || !isnan(rows[i].knob_budget) || rows[i].of.budget == 0)
            table_add(table, &rows[i], false);
    free(rows);
    return table;
}

/* ---- words */

/* Has the method a knob, whose least step is too much for the budget? */
static bool fits_nothing(const struct sparse_answer *a, const struct evaluation_row *row)
{
    return *method_of(a, row)->knob != '\0' && row->visited == 0;
}

/* The row with the least loss at a budget among those that read fewer bytes than all keys take and
 * for which something fits the budget. NULL: there is none, or rows are by head. */
static const struct evaluation_row *best_row(const struct sparse_answer *a, size_t budget)
{
    const struct evaluation_row *best = NULL;
    for (size_t i = 0; i < a->evaluation->length && !a->spec->per_head; i++) {
        const struct evaluation_row *row = &a->evaluation->rows[i];
        if (row->budget == budget && !fits_nothing(a, row) &&
            row->bytes_read < a->evaluation->keys_bytes && (!best || loss_of(row) < loss_of(best)))
            best = row;
    }
    return best;
}

static void print_best(const struct sparse_answer *a)
{
    bool any = false;
    for (size_t b = 0; b < a->spec->budgets_length; b++) {
        const struct evaluation_row *row = best_row(a, b);
        if (!row)
            continue;
        if (!any)
            puts("The least loss at each budget, of the methods that read less than all the keys:");
        any = true;
        printf("%7.3g %%  %-22s", 100 * a->spec->budgets[b], method_of(a, row)->name);
        if (!isnan(row->error.mean))
            printf("error %.2g, ", row->error.mean);
        printf("mass %.3f, %.3g %% of the bytes of full attention\n", row->mass.mean,
               100 * row->bytes_read / a->evaluation->full_bytes);
    }
    if (any)
        putchar('\n');
}

/* How many layers the files have in all, as far as their numbers are known. */
static size_t layers_of(const struct tensors *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->length; i++) {
        size_t earlier = 0;
        while (earlier < i && t->heads[earlier].layer != t->heads[i].layer)
            earlier++;
        count += earlier == i;
    }
    return count;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void print_title(const struct sparse_answer *a)
{
    const struct tensors *t = a->tensors;
    const struct head_shape *head = &t->heads[0];
    const struct dense_part dense = a->spec->options.dense;
    const size_t layers = layers_of(t);
    bool same = true;
    for (size_t i = 0; i < t->length; i++)
        same = same && t->heads[i].n == head->n;
    if (same)
        printf("n = %" PRIu32, head->n);
    else
        printf("n from file to file");
    printf(", d = %" PRIu32 ", %zu file%s of keys, %zu layer%s, %" PRIu32
           " query head%s on %" PRIu32 " of keys\n",
           head->d, t->documents, plural(t->documents), layers, plural(layers), t->query_heads,
           plural(t->query_heads), t->key_heads);
    print_wrapped("%" PRIu64 " queries; the first %" PRIu32 " and the last %" PRIu32
                  " keys are always read; seed %" PRIu64 ", recallmodel %s%s",
                  a->evaluation->queries, dense.sink, dense.window, a->spec->options.seed,
                  rcm_version(), a->partial ? ": PARTIAL, stopped" : "");
    if (a->spec->share)
        puts("Query heads that share a key head choose the same keys, if the method can.");
}

/* What holds of the rows and is not seen in them. */
static void print_notes(const struct sparse_answer *a)
{
    if (a->evaluation->dense_heads)
        print_wrapped("%zu of %zu key heads belong to --dense-layers, which read all keys%s.",
                      a->evaluation->dense_heads, a->tensors->length,
                      a->spec->per_head || a->evaluation->dense_heads == a->tensors->length
                          ? ""
                          : "; they are not in the rows");
    if (!a->tensors->heads[0].d_v)
        puts("Without --values the error of the output is not known.");
}

/* Why +- is empty. */
static void note_single_groups(const struct sparse_answer *a)
{
    bool single = false;
    for (size_t i = 0; i < a->evaluation->length && a->tensors->heads[0].d_v; i++)
        single = single || a->evaluation->rows[i].groups == 1;
    if (single)
        puts("+- is empty where a row has one group, a query head in one document: it has no "
             "standard error.");
}

static void print_sparse(const struct sparse_answer *a)
{
    struct table *table = sparse_table(a, true);
    print_title(a);
    print_notes(a);
    putchar('\n');
    print_best(a);
    if (table_rows(table)) {
        table_print(table, stdout, colour_wanted());
        note_single_groups(a);
    }
    table_free(table);
}

/* ---- JSON */

/* The documents: their files of keys, and how long they are. */
static json_t *files_as_json(const struct tensors *t)
{
    json_t *files = json_array();
    for (size_t i = 0; i < t->documents; i++) {
        const struct tensor_file *of = &t->files[i * TENSORS];
        json_t *file = json_object();
        set_name(file, "keys", of[TENSOR_KEYS].path);
        set_count(file, "n", of[TENSOR_KEYS].n);
        set_count(file, "n_q", t->heads[i * t->length / t->documents].n_q);
        json_array_append_new(files, file);
    }
    return files;
}

/* n and n_q are null where documents have others. */
static void set_lengths(json_t *object, const struct tensors *t)
{
    uint32_t low = UINT32_MAX, high = 0, low_q = UINT32_MAX, high_q = 0;
    for (size_t i = 0; i < t->length; i++) {
        const struct head_shape *head = &t->heads[i];
        low = head->n < low ? head->n : low;
        high = head->n > high ? head->n : high;
        low_q = head->n_q < low_q ? head->n_q : low_q;
        high_q = head->n_q > high_q ? head->n_q : high_q;
    }
    set_real(object, "n", NAN);
    set_real(object, "n_q", NAN);
    if (low == high)
        set_count(object, "n", low);
    if (low_q == high_q)
        set_count(object, "n_q", low_q);
    set_count(object, "n_min", low);
    set_count(object, "n_max", high);
    json_object_set_new(object, "files", files_as_json(t));
}

static int print_sparse_json(const struct sparse_answer *a)
{
    const struct tensors *t = a->tensors;
    const struct head_shape *head = &t->heads[0];
    const struct method_options *options = &a->spec->options;
    json_t *object = object_with_version();
    bool unroped = true;
    for (size_t i = 0; i < t->length; i++)
        unroped = unroped && t->heads[i].unroped;
    set_count(object, "documents", t->documents);
    set_count(object, "layers", layers_of(t));
    set_count(object, "query_heads", t->query_heads);
    set_count(object, "key_heads", t->key_heads);
    set_lengths(object, t);
    set_count(object, "d", head->d);
    set_count(object, "sink", options->dense.sink);
    set_count(object, "window", options->dense.window);
    set_count(object, "seed", options->seed);
    set_count(object, "queries", a->evaluation->queries);
    set_count(object, "dense_key_heads", a->evaluation->dense_heads);
    set_truth(object, "share", a->spec->share);
    set_truth(object, "unroped", unroped);
    set_truth(object, "partial", a->partial);
    set_real(object, "full_bytes", a->evaluation->full_bytes);
    json_object_set_new(object, "rows", rows_as_json(sparse_table(a, false)));
    return print_json(object);
}

int report_sparse(const struct sparse_answer *a)
{
    int status = STATUS_OK;
    struct table *table;
    switch (a->settings->question.output) {
    case OUTPUT_TABLE:
        print_sparse(a);
        break;
    case OUTPUT_CSV:
        table = sparse_table(a, false);
        table_print_csv(table, stdout, true);
        table_free(table);
        break;
    case OUTPUT_JSON:
        status = print_sparse_json(a);
        break;
    }
    if (status == STATUS_OK && a->settings->question.plot)
        status = draw_sparse(a);
    return status;
}
