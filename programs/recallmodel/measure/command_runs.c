/* command_runs.c - the measured runs that come with the project: their list, and what is in one of
 * their files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <base/files/text_file.h>
#include <base/memory.h>
#include <base/text.h>
#include <programs/common/runs_folder.h>
#include <programs/common/wrap.h>

#include <programs/recallmodel/question/answer.h>
#include <programs/recallmodel/command.h>
#include "runs_add.h"
#include "runs_cards.h"
#include "runs_check.h"

struct settings {
    struct question question; /* only its output */
    const char *name;
    bool check, cards;
    struct runs_add add;
};

static const struct argument runs_options[] = {
    {"--name", "NAME", KIND(read_text, .runs = true), offsetof(struct settings, name),
     "print what is in one file: its source, its licence and its columns; --name may be left out "
     "before NAME"},
    {"--check", NULL, BY(read_switch), offsetof(struct settings, check),
     "check the rows of NAME, or of all files: counts, shapes, times, rows that occur twice, and "
     "rows that would be read faster than the card's memory allows"},
    {"--cards", NULL, BY(read_switch), offsetof(struct settings, cards),
     "print how many measured times each kernel has on each card"},
    {"--add", "FILE", BY(read_text), offsetof(struct settings, add.file),
     "check a table of your own and add it as CSV, with a profile if it has at least 8 runs"},
    {OPTION_COLUMNS},
    {OPTION_TIME_UNIT},
    {"--as", "FOLDER/FILE", BY(read_text), offsetof(struct settings, add.name),
     "the name that the added file gets"},
    {"--device", "TEXT", BY(read_text), offsetof(struct settings, add.device),
     "the card that the added rows were measured on"},
    {"--dtype", "TYPE", BY(read_text), offsetof(struct settings, add.dtype),
     "the type of the added values, if no column says it"},
    {"--source", "TEXT", BY(read_text), offsetof(struct settings, add.source),
     "who measured the added rows, where and with what"},
    {"--licence", "TEXT", BY(read_text), offsetof(struct settings, add.licence),
     "the licence of the added rows"},
    {"--statistic", "TEXT", BY(read_text), offsetof(struct settings, add.statistic),
     "what an added time is: median, mean"},
    {"--cache", "TEXT", BY(read_text), offsetof(struct settings, add.cache),
     "whether the added rows were in the cache: warm, cold"},
    {"--launch", "TEXT", BY(read_text), offsetof(struct settings, add.launch),
     "whether an added time includes the launch: with, without"},
    {"--what", "TEXT", BY(read_text), offsetof(struct settings, add.what),
     "what the added times measure (default: what the columns say)"},
    {"--json", NULL, BY(read_json), IN_QUESTION(output), "print JSON"},
    {"--csv", NULL, BY(read_csv), IN_QUESTION(output), "print CSV: the list, or the rows of NAME"},
    {OPTIONS_END},
};

static const struct argument_rule runs_rules[] = {
    {.options = "--add",
     .needs = "--as",
     .why = "the file gets a name, such as --as mine/exact-h100"},
    {.options = "--add", .excludes = "--name --check --cards"},
    {.options = "--cards",
     .excludes = "--name --check",
     .why = "--cards counts the rows of all files"},
    {.options = "--columns --time-unit --as --device --dtype --source --licence --statistic "
                "--cache --launch --what",
     .needs = "--add"},
    {0},
};

/* ---- the list */

/* The part of a path that one must type in the working directory. */
static const char *from_here(const char *path)
{
    static char here[RUNS_PATH];
    const size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    const bool within = length > 1 && strncmp(path, here, length) == 0 && path[length] == '/';
    return within ? path + length + 1 : path;
}

struct index_row {
    const char *text[RUNS_COLUMNS];
    uint64_t rows;
};

/* The rows first .. end - 1 of the index. Too wide for the list: how the runs were timed stands in
 * CSV, JSON and at a single file. */
static struct table *list_of(const struct runs_index *index, size_t first, size_t end)
{
    struct column items[RUNS_COLUMNS];
    for (unsigned i = 0; i < RUNS_COLUMNS; i++)
        items[i] = (struct column){
            .type = COLUMN_TEXT, .at = i * sizeof(char *), EVERYWHERE(runs_index_columns[i])};
    for (unsigned i = RUNS_STATISTIC; i < RUNS_COLUMNS; i++)
        items[i].heading = items[RUNS_DTYPE].heading = NULL;
    items[RUNS_ROWS] = (struct column){FIELD(struct index_row, rows), EVERYWHERE("rows")};
    struct table *table = table_of(&(struct columns)COLUMNS(struct index_row, items), 0);
    for (size_t row = first; row < end; row++) {
        struct index_row fields;
        for (unsigned i = 0; i < RUNS_COLUMNS; i++)
            fields.text[i] = runs_index_field(index, row, i);
        fields.rows = strtoull(fields.text[RUNS_ROWS], NULL, 10);
        table_add(table, &fields, false);
    }
    return table;
}

/* Prints a table about all files and frees it. json: its name there. */
static int print_list(const struct runs_index *index, struct table *table, const char *json,
                      enum output output)
{
    int status = STATUS_OK;
    if (output == OUTPUT_JSON) {
        json_t *object = object_with_version();
        set_name(object, "folder", index->folder);
        json_object_set_new(object, json, table_json(table));
        status = print_json(object);
    } else if (output == OUTPUT_CSV) {
        table_print_csv(table, stdout, true);
    } else {
        table_print(table, stdout, colour_wanted());
        print_wrapped("\nThe files are in %s/; recallmodel runs NAME prints the source and the "
                      "columns of one. calibrate, predict --runs and Python take these names in "
                      "place of a file.",
                      from_here(index->folder));
    }
    table_free(table);
    return status;
}

/* ---- one file */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

#define VALUES 64

/* What stands in a column. */
struct summary {
    const char *name;
    uint64_t different, empty;
    double least, largest; /* NaN unless all fields that are not empty are numbers */
    char values[VALUES];   /* "1024 to 1048576", or the first texts: "eager, compiled" */
};

static const struct column summary_items[] = {
    {FIELD(struct summary, name), EVERYWHERE("column")},
    {FIELD(struct summary, values), .heading = "values"},
    {FIELD(struct summary, least), .json = "least"},
    {FIELD(struct summary, largest), .json = "largest"},
    {FIELD(struct summary, different), EVERYWHERE("different")},
    {FIELD(struct summary, empty), EVERYWHERE("empty")},
};
static const struct columns summary_columns = COLUMNS(struct summary, summary_items);

/* Appends a text to "a, b", or ".." if there is no room for it or others follow. */
static void append_text(char values[VALUES], const char *text)
{
    const size_t used = strlen(values);
    const int length = snprintf(NULL, 0, "%s%s", used ? ", " : "", text);
    if (used + (size_t)length + sizeof ", .." <= VALUES)
        snprintf(values + used, VALUES - used, "%s%s", used ? ", " : "", text);
    else if (used < 2 || strcmp(values + used - 2, "..") != 0)
        snprintf(values + used, VALUES - used, "%s..", used ? ", " : "");
}

static struct summary summary_of(const struct csv *csv, size_t column)
{
    struct summary s = {csv->fields[column], .least = INFINITY, .largest = -INFINITY};
    const char **texts = require_memory(malloc((csv->rows + 1) * sizeof *texts));
    size_t length = 0;
    for (size_t row = 0; row < csv->rows; row++) {
        const char *text = csv_field(csv, row, column);
        const double number = text_number(text);
        if (*text) {
            texts[length++] = text;
            /* NaN stays */
            s.least = isnan(number) || number < s.least ? number : s.least;
            s.largest = isnan(number) || number > s.largest ? number : s.largest;
            if (isnan(number))
                s.least = s.largest = NAN;
        }
    }
    s.empty = csv->rows - length;
    qsort(texts, length, sizeof *texts, compare_texts);
    for (size_t i = 0; i < length; i++)
        if (i == 0 || strcmp(texts[i], texts[i - 1]) != 0) {
            s.different++;
            if (isnan(s.least))
                append_text(s.values, texts[i]);
        }
    if (length > 0 && !isnan(s.least))
        snprintf(s.values, VALUES, s.least < s.largest ? "%.7g to %.7g" : "%.7g", s.least,
                 s.largest);
    free(texts);
    return s;
}

static struct table *columns_table(const struct csv *csv)
{
    struct table *table = table_of(&summary_columns, 0);
    for (size_t i = 0; i < csv->columns; i++) {
        const struct summary s = summary_of(csv, i);
        table_add(table, &s, false);
    }
    return table;
}

static int print_about_json(const struct runs_index *index, size_t row, const char *path,
                            const char *source, const struct table *columns)
{
    json_t *object = object_with_version();
    json_t *entry = row_as_json(list_of(index, row, row + 1));
    set_name(entry, "file", path);
    json_object_set_new(entry, "columns", table_json(columns));
    set_text(entry, "source", source);
    json_object_update_new(object, entry);
    return print_json(object);
}

static void print_about(const struct runs_index *index, size_t row, const char *path,
                        const char *source, const struct table *columns)
{
    const char *device = runs_index_field(index, row, RUNS_DEVICE);
    const char *dtype = runs_index_field(index, row, RUNS_DTYPE);
    printf("%s: %s, %s rows%s%s%s%s\n", runs_index_field(index, row, RUNS_NAME),
           runs_index_field(index, row, RUNS_WHAT), runs_index_field(index, row, RUNS_ROWS),
           *device ? ", " : "", device, *dtype ? ", " : "", dtype);
    bool any = false;
    for (unsigned i = RUNS_STATISTIC; i < RUNS_COLUMNS; i++) {
        const char *text = runs_index_field(index, row, i);
        if (*text)
            printf("%s%s %s", any ? ", " : "", runs_index_columns[i], text);
        any = any || *text;
    }
    printf("%sLicence %s\n%s\n\n", any ? "\n" : "", runs_index_field(index, row, RUNS_LICENCE),
           from_here(path));
    table_print(columns, stdout, colour_wanted());
    if (source)
        printf("\n%s", source);
}

/* Checks one file. Returns how many faults it has; SIZE_MAX if it cannot be read. */
static size_t check_one(const struct runs_index *index, size_t row, size_t *rows)
{
    char path[RUNS_PATH], error[CSV_ERROR] = "the path is too long";
    struct csv csv;
    if (!runs_index_path(index, row, NULL, path) || csv_read(path, &csv, MESSAGE(error)) != 0) {
        usage_error("%s", error);
        return SIZE_MAX;
    }
    const size_t faults = runs_faults(&csv, runs_index_field(index, row, RUNS_DEVICE),
                                      runs_index_field(index, row, RUNS_DTYPE), stdout);
    *rows += csv.rows;
    csv_free(&csv);
    return faults;
}

/* row: of the index, or index->csv.rows for all. */
static int check(const struct runs_index *index, size_t row)
{
    const size_t first = row < index->csv.rows ? row : 0,
                 end = row < index->csv.rows ? row + 1 : index->csv.rows;
    size_t faults = 0, rows = 0;
    for (size_t i = first; i < end; i++) {
        const size_t more = check_one(index, i, &rows);
        if (more == SIZE_MAX)
            return STATUS_USAGE;
        faults += more;
    }
    printf("%zu rows in %zu files, %zu faults\n", rows, end - first, faults);
    return faults ? STATUS_FAILED : STATUS_OK;
}

static int print_one(const struct runs_index *index, size_t row, enum output output)
{
    char path[RUNS_PATH], other[RUNS_PATH], error[CSV_ERROR];
    struct csv csv;
    if (!runs_index_path(index, row, NULL, path) || !runs_index_path(index, row, "SOURCE", other))
        return usage_error("runs: the path of the measured runs is too long");
    if (csv_read(path, &csv, MESSAGE(error)) != 0)
        return usage_error("%s", error);
    struct table *columns = columns_table(&csv);
    size_t length;
    char *source = text_file_read(other, SIZE_MAX / 4, &length);
    int status = STATUS_OK;
    if (output == OUTPUT_JSON)
        status = print_about_json(index, row, path, source, columns);
    else if (output == OUTPUT_CSV)
        csv_write_rows(stdout, &csv);
    else
        print_about(index, row, path, source, columns);
    free(source);
    table_free(columns);
    csv_free(&csv);
    return status;
}

/* ---- the command */

static int print_cards(const struct runs_index *index, enum output output)
{
    char error[CSV_ERROR] = "the path is too long";
    struct table *table;
    return runs_by_card(index, &table, MESSAGE(error)) == 0
               ? print_list(index, table, "cards", output)
               : usage_error("%s", error);
}

static int print_runs(const struct settings *settings)
{
    char error[CSV_ERROR], hint[RUNS_HINT];
    struct runs_index index;
    if (runs_index_read(&index, MESSAGE(error)) != 0)
        return usage_error("%s", error);
    const size_t row =
        settings->name ? runs_index_find(&index, settings->name, hint) : index.csv.rows;
    int status;
    if (settings->check && (!settings->name || row < index.csv.rows))
        status = check(&index, row);
    else if (settings->cards)
        status = print_cards(&index, settings->question.output);
    else if (!settings->name)
        status = print_list(&index, list_of(&index, 0, index.csv.rows), "runs",
                            settings->question.output);
    else if (row == index.csv.rows)
        status = usage_error("there are no measured runs '%.60s'; %s", settings->name, hint);
    else
        status = print_one(&index, row, settings->question.output);
    runs_index_free(&index);
    return status;
}

static int run_runs(int count, char **arguments)
{
    struct settings settings = {.question = QUESTION_DEFAULT};
    const int status = arguments_read_ruled(runs_options, runs_rules, command_runs.bare, &settings,
                                            count, arguments);
    return status != STATUS_OK ? status
           : settings.add.file ? runs_add(&settings.add, &settings.question)
                               : print_runs(&settings);
}

const struct command command_runs = {
    .name = "runs",
    .summary = "the measured runs that come with recallmodel, and their sources",
    .example = "recallmodel runs\n  recallmodel runs keyetal/two-stage\n"
               "  recallmodel runs --add mine.csv --as mine/exact-h100 --device h100-sxm\n"
               "  recallmodel calibrate keyetal/two-stage --exact keyetal/exact",
    .detail = "The runs are in the folder runs/ of the sources, or where make install puts it; "
              "the environment variable RECALLMODEL_RUNS names another folder.",
    .options = runs_options,
    .bare = "--name",
    .no_numbers = true,
    .run = run_runs,
};
