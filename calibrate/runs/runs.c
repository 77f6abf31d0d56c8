/* runs.c - see runs.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/text.h>

#include "run_checks.h"

enum { COLUMN_N, COLUMN_K, COLUMN_B, COLUMN_K_B, COLUMN_M, COUNT_COLUMNS };
static const char *const count_names[COUNT_COLUMNS] = {"n", "k", "b", "k_b", "m"};

/* Columns that tell measurements apart, and the value that is taken if a row has it. */
enum {
    COLUMN_DTYPE,
    COLUMN_KERNEL,
    COLUMN_ASSIGNMENT,
    COLUMN_INPUT,
    COLUMN_CACHE,
    COLUMN_TIMING,
    COLUMN_ISA,
    COLUMN_OP,
    COLUMN_DEVICE,
    TEXT_COLUMNS
};
static const struct {
    const char *name, *preferred;
} text_columns[TEXT_COLUMNS] = {{"dtype", NULL}, {"kernel", "auto"}, {"assignment", "interleaved"},
                                {"input", NULL}, {"cache", "cold"},  {"timing", "events"},
                                {"isa", NULL},   {"op", "top_k"},    {"device", NULL}};

/* A CSV file, its columns, and which rows to take. */
struct reader {
    const struct csv *csv;
    size_t counts[COUNT_COLUMNS], texts[TEXT_COLUMNS], time, stage1, work, threads, low, high;
    const char *exact_kernel; /* of a CPU; NULL: any */
    const char *wanted[TEXT_COLUMNS];
    struct run_filter filter;
    struct message error;
};

/* Puts a line about a field into r->error. Returns -1. */
static int fail(const struct reader *r, size_t row, size_t column, const char *what)
{
    char place[CSV_ERROR];
    csv_place(r->csv, row, column, place);
    return message_set(r->error, "%s'%.40s' %s", place, csv_field(r->csv, row, column), what);
}

static bool has(const struct reader *r, size_t column)
{
    return column < r->csv->columns;
}

static int read_count(const struct reader *r, size_t row, size_t column, uint64_t *count)
{
    return run_count(csv_field(r->csv, row, column), count)
               ? 0
               : fail(r, row, column, "is not a whole number from 1 to 2^53 - 1");
}

static int read_time(const struct reader *r, size_t row, size_t column, double *time_us)
{
    *time_us = text_number(csv_field(r->csv, row, column));
    if (!(*time_us > 0.0) || !isfinite(*time_us))
        return fail(r, row, column, "is not a positive number of microseconds");
    if (!(*time_us >= RUN_US_LEAST && *time_us <= RUN_US_MOST))
        return fail(r, row, column, "is not a time of a call; give microseconds from 1e-3 to 1e11");
    return 0;
}

/* How wide the interval of the time is; 0 if it is not known. */
static double read_noise(const struct reader *r, size_t row)
{
    if (!r->filter.cpu || !has(r, r->low) || !has(r, r->high))
        return 0.0;
    const double low = strtod(csv_field(r->csv, row, r->low), NULL),
                 high = strtod(csv_field(r->csv, row, r->high), NULL);
    return low > 0.0 && high > low && isfinite(high) ? 0.5 * log(high / low) : 0.0;
}

/* What a row was timed for. Returns 1, 0 if it is something that no profile has, or -1 with a line
 * in r->error. */
static int read_kind(const struct reader *r, size_t row, enum run_kind *kind)
{
    static const char *const names[] = {
        [RUN_TWO_STAGE] = "two-stage", [RUN_STAGE1] = "stage1", [RUN_EXACT] = "exact"};
    const bool has_b = has(r, r->counts[COLUMN_B]);
    *kind = has_b ? RUN_TWO_STAGE : RUN_EXACT;
    if (!has(r, r->work))
        return 1;
    size_t i = 0;
    while (i < 3 && strcmp(csv_field(r->csv, row, r->work), names[i]) != 0)
        i++;
    if (i == 3)
        return 0;
    *kind = (enum run_kind)i;
    return *kind == RUN_EXACT || has_b ? 1 : fail(r, row, r->work, "needs the columns b and k_b");
}

/* Do two values of a text column mean the same? A card has several spellings. */
static bool is_same(size_t column, const char *a, const char *b)
{
    enum rcm_dtype of_a, of_b;
    if (column == COLUMN_DTYPE && run_dtype(a, &of_a) && run_dtype(b, &of_b))
        return of_a == of_b;
    if (column != COLUMN_DEVICE)
        return strcmp(a, b) == 0;
    const struct rcm_device *x = run_device(a), *y = run_device(b);
    return x && y ? x == y : strcmp(a, b) == 0;
}

/* Does the row belong to the measurement that is taken? */
static bool is_wanted(const struct reader *r, size_t row, enum run_kind kind)
{
    if (r->filter.contiguous && !has(r, r->texts[COLUMN_ASSIGNMENT]))
        return false;
    for (size_t i = 0; i < TEXT_COLUMNS; i++) {
        const bool by_kind = i == COLUMN_KERNEL && kind == RUN_EXACT && r->exact_kernel;
        const char *wanted = by_kind ? r->exact_kernel : r->wanted[i];
        if (has(r, r->texts[i]) && wanted &&
            !is_same(i, csv_field(r->csv, row, r->texts[i]), wanted))
            return false;
    }
    return true;
}

/* Reads the shape of a run whose kind is known. Returns 0, or -1 with a line in r->error. */
static int read_shape(const struct reader *r, size_t row, struct run *run)
{
    uint64_t *const into[COUNT_COLUMNS] = {&run->p.n, &run->p.k, &run->p.b, &run->p.k_b, &run->p.m};
    for (size_t i = 0; i < COUNT_COLUMNS; i++)
        if (has(r, r->counts[i]) && read_count(r, row, r->counts[i], into[i]) != 0)
            return -1;
    if (run->p.m == 0)
        run->p.m = 1;
    if (has(r, r->threads) && read_count(r, row, r->threads, &run->threads) != 0)
        return -1;
    if (run->kind == RUN_EXACT) {
        run->p.b = 1;
        run->p.k_b = run->p.k;
    }
    switch (rcm_check(run->p)) {
    case RCM_OK:
        return run->kind == RUN_TWO_STAGE && rcm_candidates(run->p) < run->p.k
                   ? fail(
                         r, row, r->counts[COLUMN_B],
                         "buckets keep fewer than k; if that is the rows of a call, give --columns "
                         "m=NAME")
                   : 0;
    case RCM_BAD_K:
        return fail(r, row, r->counts[COLUMN_K], "is more than n");
    case RCM_BAD_B:
        return fail(r, row, r->counts[COLUMN_B], "is more than n");
    default:
        return fail(r, row, r->counts[COLUMN_N], "does not fit the rest of the line");
    }
}

/* Reads a row. Returns 1 if it is taken, 0 if it is left out, -1 with a line in r->error. */
static int read_run(const struct reader *r, size_t row, struct run *run)
{
    *run = (struct run){.time_us = NAN, .row = row, .threads = 1};
    const int status = read_kind(r, row, &run->kind);
    if (status != 1)
        return status;
    if (!is_wanted(r, row, run->kind))
        return 0;
    if (read_shape(r, row, run) != 0)
        return -1;
    if (r->filter.selecting && run->p.k >= run->p.n)
        return 0;
    if (r->filter.contiguous)
        run->p.assignment = RCM_CONTIGUOUS;
    run->noise = read_noise(r, row);
    if (r->filter.times && run_is_missing(csv_field(r->csv, row, r->time)))
        return 0;
    const bool has_time = has(r, r->time) && !run_is_missing(csv_field(r->csv, row, r->time));
    return has_time && read_time(r, row, r->time, &run->time_us) != 0 ? -1 : 1;
}

/* The run of stage 1 alone that a row of both stages also has. Returns as read_run() does. */
static int read_stage1(const struct reader *r, const struct run *both, struct run *run)
{
    if (!r->filter.stage1 || both->kind != RUN_TWO_STAGE || !has(r, r->stage1) ||
        !*csv_field(r->csv, both->row, r->stage1))
        return 0;
    *run = *both;
    run->kind = RUN_STAGE1;
    return read_time(r, both->row, r->stage1, &run->time_us) != 0 ? -1 : 1;
}

/* The value of a text column that is taken; NULL if all rows have the same. */
static const char *wanted_of(const struct reader *r, size_t i)
{
    if (i == COLUMN_KERNEL && r->filter.kernel)
        return r->filter.kernel;
    if (i == COLUMN_ASSIGNMENT && r->filter.contiguous)
        return "contiguous";
    const bool warm = i == COLUMN_CACHE && r->filter.cpu;
    const char *preferred = warm                 ? "warm"
                            : i == COLUMN_DEVICE ? r->filter.device
                                                 : text_columns[i].preferred,
               *first = r->csv->rows ? csv_field(r->csv, 0, r->texts[i]) : NULL;
    bool differ = false, has_preferred = false;
    for (size_t row = 0; row < r->csv->rows; row++) {
        const char *value = csv_field(r->csv, row, r->texts[i]);
        differ = differ || strcmp(value, first) != 0;
        has_preferred = has_preferred || (preferred && is_same(i, value, preferred));
    }
    /* what is no device's name says something else: which part of a card was assumed */
    const bool words = i == COLUMN_DEVICE && differ && !has_preferred && !run_device(first);
    return !differ || words ? NULL : has_preferred ? preferred : first;
}

size_t runs_time_column(const struct csv *csv)
{
    static const char *const times[] = {"time_us_median", "time_us", "time_us_mean"};
    size_t at = csv->columns;
    for (size_t i = 0; i < sizeof times / sizeof *times && at == csv->columns; i++)
        at = csv_column(csv, times[i]);
    return at;
}

/* The kernel "threshold" if a run of exact top-k has it, otherwise that of the first such run; NULL
 * if there is none. */
static const char *exact_kernel_of(const struct reader *r)
{
    const char *first = NULL;
    for (size_t row = 0; has(r, r->work) && row < r->csv->rows; row++) {
        if (strcmp(csv_field(r->csv, row, r->work), "exact") != 0)
            continue;
        const char *kernel = csv_field(r->csv, row, r->texts[COLUMN_KERNEL]);
        if (strcmp(kernel, "threshold") == 0)
            return kernel;
        first = first ? first : kernel;
    }
    return first;
}

/* Where rows differ in a column that tells measurements apart, one of its values must be preferred
 * or asked for. A type is: that of the first row. */
static int check_one_value(const struct reader *r, size_t i)
{
    const size_t column = r->texts[i];
    const char *const wanted = has(r, column) ? r->wanted[i] : NULL, *const name =
                                                                         text_columns[i].name;
    const bool asked = i == COLUMN_DTYPE || (i == COLUMN_ASSIGNMENT && r->filter.contiguous) ||
                       (i == COLUMN_KERNEL && r->filter.kernel) ||
                       (i == COLUMN_DEVICE && r->filter.device) ||
                       wanted == text_columns[i].preferred;
    for (size_t row = 0; !r->filter.cpu && wanted && !asked && row < r->csv->rows; row++)
        if (!is_same(i, csv_field(r->csv, row, column), wanted))
            return message_set(r->error,
                               "%.150s has %.40s and %.40s in the column %s; give %s to choose one",
                               r->csv->path, wanted, csv_field(r->csv, row, column), name,
                               i == COLUMN_KERNEL   ? "--runs-kernel"
                               : i == COLUMN_DEVICE ? "--device"
                                                    : "rows of one, or --columns kernel=COLUMN and "
                                                      "--runs-kernel");
    return 0;
}

static int find_columns(struct reader *r)
{
    const struct csv *csv = r->csv;
    for (size_t i = 0; i < COUNT_COLUMNS; i++)
        r->counts[i] = csv_column(csv, count_names[i]);
    for (size_t i = 0; i < TEXT_COLUMNS; i++) {
        r->texts[i] = csv_column(csv, text_columns[i].name);
        r->wanted[i] = has(r, r->texts[i]) ? wanted_of(r, i) : NULL;
    }
    r->stage1 = csv_column(csv, "stage1_us");
    r->work = csv_column(csv, "work");
    r->threads = csv_column(csv, "threads");
    r->low = csv_column(csv, "time_us_low");
    r->high = csv_column(csv, "time_us_high");
    if (r->filter.cpu && has(r, r->texts[COLUMN_KERNEL]))
        r->exact_kernel = exact_kernel_of(r);
    r->time = runs_time_column(csv);
    const char *missing = !has(r, r->counts[COLUMN_N])          ? "n"
                          : !has(r, r->counts[COLUMN_K])        ? "k"
                          : r->filter.times && !has(r, r->time) ? "time_us_median or time_us"
                          : has(r, r->counts[COLUMN_B]) && !has(r, r->counts[COLUMN_K_B]) ? "k_b"
                          : !has(r, r->counts[COLUMN_B]) && has(r, r->counts[COLUMN_K_B]) ? "b"
                                                                                          : NULL;
    if (missing)
        return message_set(
            r->error,
            "%.150s:%zu: there is no column %s; give n, k, b and k_b (exact top-k: n and k)%s, or "
            "say by --columns which it is",
            csv->path, csv->lines[0], missing,
            r->filter.times ? " and time_us_median or time_us" : "");
    for (size_t i = 0; i < TEXT_COLUMNS; i++)
        if (check_one_value(r, i) != 0)
            return -1;
    return 0;
}

/* The dtype of the runs, if a column says it: the one that the filter names, however the column
 * spells it, or that of the first row. */
static int find_dtype(struct reader *r, struct run_list *runs)
{
    const size_t column = r->texts[COLUMN_DTYPE];
    if (!has(r, column))
        return 0;
    for (size_t row = 0; row < r->csv->rows; row++) {
        enum rcm_dtype dtype;
        if (!run_dtype(csv_field(r->csv, row, column), &dtype)) {
            if (r->filter.cpu)
                continue;
            return fail(r, row, column, "is not a type; give float32, float16, bfloat16 or uint32");
        }
        if (runs->has_dtype || (r->filter.has_dtype && dtype != r->filter.dtype))
            continue;
        r->wanted[COLUMN_DTYPE] = csv_field(r->csv, row, column);
        runs->has_dtype = true;
        runs->dtype = dtype;
    }
    if (!runs->has_dtype && r->csv->rows > 0)
        return fail(r, 0, column, "is not the type that was asked for, and no row has that type");
    return 0;
}

/* Is the kernel that was asked for in the column? */
static int check_kernel(const struct reader *r)
{
    const size_t column = r->texts[COLUMN_KERNEL];
    const char *const wanted = r->filter.kernel;
    for (size_t row = 0; wanted && has(r, column) && row < r->csv->rows; row++)
        if (strcmp(csv_field(r->csv, row, column), wanted) == 0)
            return 0;
    if (wanted)
        return message_set(r->error, "%.150s: no row has the kernel '%.60s'%s", r->csv->path,
                           wanted, has(r, column) ? "" : ", because there is no column kernel");
    return 0;
}

/* Are there rows of the card that was asked for? A column without the name of any card says
 * something else. */
static int check_device(const struct reader *r)
{
    const size_t column = r->texts[COLUMN_DEVICE];
    const char *const wanted = r->filter.device;
    bool cards = false;
    for (size_t row = 0; wanted && has(r, column) && row < r->csv->rows; row++) {
        if (is_same(COLUMN_DEVICE, csv_field(r->csv, row, column), wanted))
            return 0;
        cards = cards || run_device(csv_field(r->csv, row, column));
    }
    if (cards && run_device(wanted))
        return message_set(r->error, "%.150s: no row has the device %.60s", r->csv->path, wanted);
    return 0;
}

/* A number of the remark of recallmodel bench, such as " l2=1048576"; 0: it is not there. */
static double number_of_remark(const struct csv *csv, const char *name)
{
    const char *at = csv->remark ? strstr(csv->remark, name) : NULL;
    const double number = at ? strtod(at + strlen(name), NULL) : 0.0;
    return number > 0.0 && isfinite(number) ? number : 0.0;
}

/* Is it a column that the reader knows? */
static bool is_read(const struct reader *r, size_t column)
{
    bool read = column == r->time || column == r->stage1 || column == r->work ||
                column == r->threads || column == r->low || column == r->high;
    for (size_t i = 0; i < COUNT_COLUMNS; i++)
        read |= column == r->counts[i];
    for (size_t i = 0; i < TEXT_COLUMNS; i++)
        read |= column == r->texts[i];
    return read;
}

static int check_runs(const struct reader *r, const struct run_list *runs)
{
    bool *read = calloc(r->csv->columns + 1, sizeof *read);
    if (!read)
        return message_set(r->error, "%.150s: not enough memory", r->csv->path);
    for (size_t i = 0; i < r->csv->columns; i++)
        read[i] = is_read(r, i);
    const int status =
        runs_check(r->csv, runs, read, has(r, r->counts[COLUMN_M]), &r->filter, r->error);
    free(read);
    return status;
}

int runs_from_csv(const struct csv *csv, struct run_filter filter, struct run_list *runs,
                  struct message error)
{
    struct reader r = {.csv = csv, .filter = filter, .error = error};
    *runs = (struct run_list){0};
    if (find_columns(&r) != 0 || check_kernel(&r) != 0 || check_device(&r) != 0 ||
        find_dtype(&r, runs) != 0)
        return -1;
    runs->l2_bytes = number_of_remark(csv, " l2=");
    runs->l3_bytes = number_of_remark(csv, " l3=");
    runs->items = malloc((2 * csv->rows + 1) * sizeof *runs->items);
    if (!runs->items)
        return message_set(error, "%.150s: not enough memory", csv->path);
    for (size_t row = 0; row < csv->rows; row++) {
        struct run *const run = &runs->items[runs->length];
        const int take = read_run(&r, row, run),
                  second = take > 0 ? read_stage1(&r, run, run + 1) : 0;
        if (take < 0 || second < 0) {
            runs_free(runs);
            return -1;
        }
        runs->length += (size_t)take + (size_t)second;
        runs->second += (size_t)second;
        runs->left_out += (size_t)!take;
    }
    if (check_runs(&r, runs) != 0) {
        runs_free(runs);
        return -1;
    }
    return 0;
}

void runs_free(struct run_list *runs)
{
    free(runs->items);
    *runs = (struct run_list){0};
}

int runs_append(struct run_list *runs, const struct run_list *more)
{
    struct run *all = realloc(runs->items, (runs->length + more->length + 1) * sizeof *all);
    if (!all)
        return -1;
    runs->items = all;
    if (more->length > 0)
        memcpy(all + runs->length, more->items, more->length * sizeof *all);
    runs->length += more->length;
    runs->second += more->second;
    runs->left_out += more->left_out;
    runs->l2_bytes = more->l2_bytes > 0.0 ? more->l2_bytes : runs->l2_bytes;
    runs->l3_bytes = more->l3_bytes > 0.0 ? more->l3_bytes : runs->l3_bytes;
    return 0;
}
