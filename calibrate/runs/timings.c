/* timings.c - see timings.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "timings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <base/number.h>
#include <base/text.h>

#include "renaming.h"
#include "runs.h"

/* The columns that runs.h reads by their names, and what others call them. */
const struct wanted timings_wanted[WANTED] = {
    [N] = {"n", "other n",
           " vocab vocab_size seq_len seqlen seq_length sequence_length context_len "
           "context_length kv_len kv_length max_seq_len row_length row_len length len cols "
           "columns ncols n_cols num_cols elements num_experts n_experts "},
    [K] = {"k", "other k",
           " topk top_k selected_elements selectedelements num_selected index_topk "},
    [M] = {"m", "other m",
           " batch bs bsz batch_size batchsize rows nrows n_rows num_rows tokens num_tokens "
           "n_tokens queries num_queries n_queries segments num_segments "},
    [B] = {"b", "other b", " buckets num_buckets n_buckets nbuckets "},
    [K_B] = {"k_b", "other k_b", " kb k_per_bucket per_bucket "},
    [DTYPE] = {"dtype", "other dtype",
               " type data_type datatype t keyt key_type value_type elem_type input_dtype in_dtype "
               "precision "},
    [KERNEL] = {"kernel", "other kernel",
                " method algorithm algo impl implementation provider backend library "
                "contender "},
    [DEVICE] = {"device", "other device", " device_name gpu gpu_name card accelerator "},
    [TIME] = {"time_us", NULL, NULL},
};

/* ---- the columns */

static int fail(const struct renaming *r, const char *format, const char *a, const char *b)
{
    char what[300];
    snprintf(what, sizeof what, format, a, b);
    return message_set(r->error, "%.150s:%zu: %s", r->csv->path, r->csv->lines[0], what);
}

/* The one column with this name, in any case; csv->columns: none. */
static size_t column_named(const struct renaming *r, const char *name)
{
    const struct csv *csv = r->csv;
    const size_t exact = csv_column(csv, name);
    size_t i = 0;
    while (exact == csv->columns && i < csv->columns && strcasecmp(csv->fields[i], name) != 0)
        i++;
    return exact < csv->columns ? exact : i;
}

/* One item of --columns: m=bs, k=64, time=Triton, ignore=trial. */
static int take_item(struct renaming *r, char *item)
{
    char *equal = strchr(item, '=');
    if (!equal)
        return fail(r, "--columns %.40s%s; give NAME=COLUMN, such as m=batch", item,
                    " names no column");
    *equal = '\0';
    const char *const name = text_trimmed(item);
    char *const column = text_trimmed(equal + 1);
    char *star = strchr(column, '*');
    if (star && column_named(r, column) == r->csv->columns) {
        *star = '\0';
        r->factor = column_named(r, text_trimmed(star + 1));
    }
    const size_t at = column_named(r, text_trimmed(column));
    size_t i = 0;
    while (i < WANTED && strcmp(timings_wanted[i].name, name) != 0 &&
           !(i == TIME && strcmp(name, "time") == 0))
        i++;
    const bool ignore = strcmp(name, "ignore") == 0;
    if (i == WANTED && !ignore)
        return fail(r,
                    "--columns %.40s=%.40s; give n, k, m, b, k_b, dtype, kernel, device, time "
                    "or ignore before =",
                    name, column);
    if (star && (i != M || r->factor == r->csv->columns))
        return fail(r, "--columns %.40s: only m is a product, of two columns%s", name, "");
    if (i < WANTED && (renaming_found(r, i) || (i < COUNTS && *r->constant[i])))
        return fail(r, "--columns names %.40s twice%s", name, "");
    if (at < r->csv->columns && (renaming_used(r, at) || at == r->factor))
        return fail(r, "--columns takes the column %.40s for two things%s", column, "");
    if (at < r->csv->columns && ignore)
        r->dropped[at] = true;
    else if (at < r->csv->columns)
        r->from[i] = at;
    else if (i < COUNTS && parse_count(column, &(uint64_t){0}) == NULL)
        snprintf(r->constant[i], RENAMING_NUMBER, "%.40s", column);
    else
        return fail(r, "--columns %.40s=%.40s: there is no such column", name, column);
    return 0;
}

static int take_items(struct renaming *r)
{
    char *const all = r->options->columns ? strdup(r->options->columns) : NULL;
    char *rest = NULL;
    int status = all || !r->options->columns
                     ? 0
                     : message_set(r->error, "%.150s: not enough memory", r->csv->path);
    for (char *item = all ? strtok_r(all, ",", &rest) : NULL; status == 0 && item;
         item = strtok_r(NULL, ",", &rest))
        status = take_item(r, item);
    free(all);
    return status;
}

/* Columns that multiply the rows of a call, by their names. */
#define FACTORS \
    " heads num_heads n_heads nheads num_q_heads h next_n q_len qlen beam_width beams num_beams "

/* A column that multiplies m, where its own column does not say so. */
static int check_factor(const struct renaming *r)
{
    const struct csv *csv = r->csv;
    char plain[TIMING_NAME];
    for (size_t column = 0; renaming_found(r, M) && column < csv->columns; column++) {
        timing_plain_name(plain, csv->fields[column]);
        bool one = renaming_used(r, column) || !timing_word_is_in(FACTORS, plain, strlen(plain));
        for (size_t row = 0; row < csv->rows && !one; row++)
            one = text_number(csv_field(csv, row, column)) <= 1.0;
        if (!one)
            return message_set(r->error,
                               "%.150s:%zu, column %zu (%.40s): does it multiply the rows of a "
                               "call? give --columns \"m=%.40s*%.40s\", or ignore=%.40s",
                               csv->path, csv->lines[0], column + 1, csv->fields[column],
                               csv->fields[r->from[M]], csv->fields[column], csv->fields[column]);
    }
    return 0;
}

/* Finds the column of what is wanted by its name, or else by another one. Two of them are an
 * error. */
static int find_column(struct renaming *r, size_t i)
{
    const struct csv *csv = r->csv;
    char plain[TIMING_NAME];
    size_t rank = 3, second = csv->columns;
    if (renaming_found(r, i) || (i < COUNTS && *r->constant[i]))
        return 0;
    for (size_t column = 0; column < csv->columns; column++) {
        timing_plain_name(plain, csv->fields[column]);
        const bool alike = strcmp(plain, timings_wanted[i].name) == 0 ||
                           timing_word_is_in(timings_wanted[i].others, plain, strlen(plain));
        const size_t its = strcmp(csv->fields[column], timings_wanted[i].name) == 0 ? 1
                           : alike                                                  ? 2
                                                                                    : 3;
        const bool number =
            csv->rows > 0 && !isnan(text_number(csv_field(csv, 0, column))); /* nvbench's Device */
        if (its > rank || its == 3 || renaming_used(r, column) || (i == DEVICE && number))
            continue;
        second = its < rank ? csv->columns : column;
        r->from[i] = its < rank ? column : r->from[i];
        rank = its;
    }
    if (second < csv->columns)
        return message_set(r->error,
                           "%.150s:%zu: the columns %zu (%.40s) and %zu (%.40s) may both be %s; "
                           "give --columns %s=NAME, or ignore=NAME",
                           csv->path, csv->lines[0], r->from[i] + 1, csv->fields[r->from[i]],
                           second + 1, csv->fields[second], timings_wanted[i].name,
                           timings_wanted[i].name);
    return 0;
}

/* The column with the time, or else with a rate. */
static int find_time(struct renaming *r)
{
    const struct csv *csv = r->csv;
    size_t second = csv->columns;
    if (renaming_found(r, TIME)) {
        r->time = timing_meaning_of(csv->fields[r->from[TIME]]);
        if (r->time.what == TIMING_OTHER)
            r->time.what = r->time.bytes_per_s > 0.0 ? TIMING_RATE : TIMING_TIME;
        return 0;
    }
    for (size_t column = 0; column < csv->columns; column++) {
        const struct timing_meaning its = timing_meaning_of(csv->fields[column]);
        const bool sooner = its.what == r->time.what && its.rank < r->time.rank;
        if (its.what != TIMING_OTHER && !renaming_used(r, column) &&
            (!r->time.what || its.what < r->time.what || sooner)) {
            r->from[TIME] = column;
            r->time = its;
        }
    }
    for (size_t column = 0; column < csv->columns && r->time.what; column++) {
        const struct timing_meaning its = timing_meaning_of(csv->fields[column]);
        const bool units_differ = r->time.rank > 0 && its.unit != r->time.unit;
        if (its.what == r->time.what && !renaming_used(r, column) &&
            (its.rank == r->time.rank || units_differ)) /* but a median is clear */
            second = column;
    }
    return second < csv->columns
               ? fail(r, "%.40s and %.40s may both be the time; give --columns time=NAME",
                      csv->fields[r->from[TIME]], csv->fields[second])
               : 0;
}

/* ---- the new table */

/* A time as text: its number, and the unit behind it, TIMING_UNITS: none. False: it is no time. */
static bool read_time(const char *text, double *value, size_t *unit)
{
    char number[RENAMING_NUMBER];
    const size_t length = strspn(text, "0123456789.eE+-");
    const char *const rest = text + length + strspn(text + length, " ");
    char plain[TIMING_NAME];
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    *value = text_number(number);
    timing_plain_name(plain, rest);
    *unit = timing_unit_of(plain);
    const bool is_time = *value > 0.0 && isfinite(*value) && length < RENAMING_NUMBER;
    return is_time && (!*rest || *unit < TIMING_UNITS);
}

static double count_at(const struct renaming *r, size_t row, size_t i)
{
    return text_number(renaming_found(r, i) ? csv_field(r->csv, row, r->from[i]) : r->constant[i]);
}

/* The microseconds of a row. Returns 1; 0 if its field has them, or is no time, and stays as it is;
 * or -1 with an error. */
static int microseconds(const struct renaming *r, size_t row, double *us)
{
    const struct csv *csv = r->csv;
    const size_t column = r->from[TIME];
    char place[CSV_ERROR];
    size_t unit;
    if (!read_time(csv_field(csv, row, column), us, &unit))
        return 0;
    csv_place(csv, row, column, place);
    if (r->time.what == TIMING_RATE) {
        enum rcm_dtype dtype = r->options->dtype;
        const bool known = renaming_found(r, DTYPE)
                               ? run_dtype(csv_field(csv, row, r->from[DTYPE]), &dtype)
                               : r->options->has_dtype;
        const double m = renaming_found(r, M) || *r->constant[M] ? count_at(r, row, M) : 1.0,
                     factor = r->factor < csv->columns ? text_number(csv_field(csv, row, r->factor))
                                                       : 1.0;
        if (!known)
            return message_set(r->error,
                               "%sgives a rate; say the type of the values, by a column "
                               "dtype or --dtype",
                               place);
        *us = 1e6 * count_at(r, row, N) * m * factor * rcm_dtype_bytes(dtype) / *us /
              r->time.bytes_per_s;
        return *us > 0.0 && unit == TIMING_UNITS;
    }
    if (unit < TIMING_UNITS && r->time.unit < TIMING_UNITS && unit != r->time.unit)
        return message_set(r->error, "%s'%.40s' is not in %s", place, csv_field(csv, row, column),
                           timing_units[r->time.unit].name);
    const bool as_it_is = unit == TIMING_UNITS && r->time.unit == 0;
    unit = unit < TIMING_UNITS ? unit : r->time.unit;
    if (unit == TIMING_UNITS)
        return message_set(r->error, "%sno unit is said; give --time-unit us, ms, ns or s", place);
    *us *= timing_units[unit].us;
    return !as_it_is;
}

/* What a column is called in the new table; NULL: it is left out. */
static const char *new_name(const struct renaming *r, size_t column)
{
    const char *const name = r->csv->fields[column];
    if (r->dropped[column])
        return NULL;
    for (size_t i = 0; i < TIME; i++)
        if (r->from[i] == column)
            return timings_wanted[i].name;
    if (r->from[TIME] == column && r->time.what == TIMING_TIME)
        return r->time.rank == 0   ? "time_us_median"
               : r->time.rank == 2 ? "time_us_mean"
                                   : "time_us";
    for (size_t i = 0; i < TIME; i++)
        if (strcmp(name, timings_wanted[i].name) == 0)
            return timings_wanted[i].kept;
    static const char *const times[][2] = {{"time_us_median", "other time_us_median"},
                                           {"time_us", "other time_us"},
                                           {"time_us_mean", "other time_us_mean"}};
    for (int rank = 0; rank < 3 && r->time.what; rank++) /* what runs.h would rather read */
        if (strcmp(name, times[rank][0]) == 0 &&
            (r->time.what == TIMING_RATE || rank <= r->time.rank))
            return times[rank][1];
    return name;
}

/* One column of the new table: of the old one, or a constant. */
struct new_column {
    const char *name, *constant;
    size_t from;
    bool count, product, time;
};

/* Returns how many there are: at most the old ones, the counts and a time. */
static size_t plan_columns(const struct renaming *r, struct new_column *plan)
{
    const size_t old = r->csv->columns;
    size_t count = 0;
    for (size_t column = 0; column < old; column++) {
        struct new_column its = {.name = new_name(r, column), .from = column};
        for (size_t i = 0; i < COUNTS; i++)
            its.count |= r->from[i] == column;
        its.product = r->from[M] == column && r->factor < old;
        its.time = r->from[TIME] == column && r->time.what == TIMING_TIME;
        if (its.name)
            plan[count++] = its;
    }
    for (size_t i = 0; i < COUNTS; i++)
        if (*r->constant[i])
            plan[count++] = (struct new_column){
                timings_wanted[i].name, r->constant[i], old, false, false, false};
    if (r->time.what == TIMING_RATE)
        plan[count++] = (struct new_column){
            .name = timings_wanted[TIME].name, .from = r->from[TIME], .time = true};
    return count;
}

/* A count as nvbench prints it, "2^20 = 1048576": what stands behind the sign. */
static char *count_of(char *field)
{
    char *const equal = strstr(field, " = ");
    return equal && strncmp(field, "2^", 2) == 0 ? equal + 3 : field;
}

/* The field of a new column; texts that are new stand in `made`. Returns 0, or -1 with an error. */
static int new_field(const struct renaming *r, const struct new_column *c, size_t row, char **field,
                     char made[RENAMING_NUMBER])
{
    double us;
    *field = c->constant ? strcpy(made, c->constant) : (char *)csv_field(r->csv, row, c->from);
    if (c->count)
        *field = count_of(*field);
    if (c->product) {
        text_of_number(made, 15,
                       text_number(*field) * text_number(csv_field(r->csv, row, r->factor)));
        *field = made;
    }
    const int status = c->time ? microseconds(r, row, &us) : 0;
    if (status > 0) {
        text_of_number(made, 15, us);
        *field = made;
    }
    return status < 0 ? -1 : 0;
}

static int build(struct renaming *r)
{
    struct csv *csv = r->csv;
    const size_t most = csv->columns + COUNTS + 1, rows = csv->rows + 1;
    struct new_column *plan = malloc(most * sizeof *plan);
    char **fields = malloc(rows * most * sizeof *fields);
    char(*made)[RENAMING_NUMBER] = malloc(rows * (COUNTS + 1) * sizeof *made);
    const size_t columns = plan ? plan_columns(r, plan) : 0;
    int status =
        plan && fields && made ? 0 : message_set(r->error, "%.150s: not enough memory", csv->path);
    for (size_t i = 0, of_made = 0; status == 0 && i < columns; i++) {
        const bool makes = plan[i].constant || plan[i].product || plan[i].time;
        fields[i] = (char *)plan[i].name;
        for (size_t row = 0; status == 0 && row < csv->rows; row++)
            status = new_field(r, &plan[i], row, &fields[(row + 1) * columns + i],
                               makes ? made[of_made * rows + row] : NULL);
        of_made += makes;
    }
    free(plan);
    if (status != 0) {
        free(fields);
        free(made);
        return -1;
    }
    free(csv->fields);
    csv->fields = fields;
    csv->columns = columns;
    csv->made = made;
    return 0;
}

/* Two columns of one name, of which only the first would be read. What was measured may stand twice
 * (nvbench's Samples). */
static int check_names(const struct renaming *r)
{
    const struct csv *csv = r->csv;
    for (size_t i = 0; i < csv->columns; i++)
        if (!r->dropped[i] && csv_column(csv, csv->fields[i]) < i && timings_is_setting(csv, i))
            return fail(r, "two columns have the name %.40s; rename one%s", csv->fields[i], "");
    return 0;
}

int timings_rename(struct csv *csv, const struct timings_options *options, struct message notes,
                   struct message error)
{
    struct renaming r = {.csv = csv, .options = options, .notes = notes, .error = error};
    int status = 0;
    *notes.text = '\0';
    if (!(r.dropped = calloc(csv->columns + 1, sizeof *r.dropped)))
        return message_set(error, "%.150s: not enough memory", csv->path);
    for (size_t i = 0; i < WANTED; i++)
        r.from[i] = csv->columns;
    r.factor = csv->columns;
    const size_t given = options->time_unit ? timing_unit_of(options->time_unit) : TIMING_UNITS;
    if (options->time_unit && given == TIMING_UNITS)
        status = fail(&r, "--time-unit %.20s is not known; give us, ms, ns or s%s",
                      options->time_unit, "");
    if (status == 0)
        status = take_items(&r);
    for (size_t i = 0; status == 0 && i < TIME; i++)
        status = find_column(&r, i);
    if (status == 0)
        status = check_factor(&r);
    if (status == 0)
        status = check_names(&r);
    if (status == 0)
        status = find_time(&r);
    if (given < TIMING_UNITS)
        r.time.unit = given;
    else if (r.time.unit == TIMING_UNITS)
        for (size_t i = 0; i < csv->columns; i++) /* pytest-benchmark counts in seconds */
            if (strncmp(csv->fields[i], "param:", 6) == 0)
                r.time.unit = timing_unit_of("s");
    if (status == 0) {
        renaming_note(&r);
        status = build(&r);
    }
    free(r.dropped);
    return status;
}
