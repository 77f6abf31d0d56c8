/* tune_cells.c - tune: what is to be timed, and what was.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <base/csv.h>
#include <base/memory.h>
#include <base/text.h>
#include <programs/common/error.h>

#include "tune.h"

/* ---- the folder */

int tune_files_make(struct tune_files *files)
{
    const char *given = getenv("TMPDIR"), *parent = given && *given ? given : "/tmp";
    if ((size_t)snprintf(files->folder, sizeof files->folder, "%s/recallmodel-XXXXXX", parent) >=
        sizeof files->folder)
        return usage_error("TMPDIR %.60s.. has more than %zu bytes; name a folder by fewer", parent,
                           sizeof files->folder - sizeof "/recallmodel-XXXXXX");
    if (!mkdtemp(files->folder))
        return usage_error("%s: %s; set TMPDIR to a folder that can be written", files->folder,
                           strerror(errno));
    snprintf(files->cells, sizeof files->cells, "%s/cells.csv", files->folder);
    snprintf(files->results, sizeof files->results, "%s/results.csv", files->folder);
    return STATUS_OK;
}

/* The results of a round. */
static const char *results_of(const struct tune_files *files, unsigned round, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, round ? "%s.%u" : "%s", files->results, round + 1);
    return path;
}

void tune_files_remove(const struct tune_files *files)
{
    char path[PATH_MAX];
    unlink(files->cells);
    for (unsigned round = 0; round < TUNE_ROUNDS; round++)
        unlink(results_of(files, round, path));
    rmdir(files->folder);
}

/* ---- what is to be timed */

static const char *type_of(enum rcm_dtype dtype)
{
    return dtype == RCM_F32 ? "float32" : dtype == RCM_F16 ? "float16" : "bfloat16";
}

/* An exact kernel (b = 0), or buckets. */
static void put_cell(FILE *file, const char *kernel, const struct selection_answer *answer,
                     struct rcm_topk p)
{
    const bool cpu = selection_is_cpu(answer);
    fprintf(file, "%s,%s,%s,%" PRIu64 ",%" PRIu64 ",", p.b ? "two-stage" : "exact", kernel,
            type_of(answer->asked.machine.dtype), p.n, p.k);
    if (p.b)
        fprintf(file, "%" PRIu64 ",%" PRIu64, p.b, p.k_b);
    else
        fputc(',', file);
    fprintf(file, ",%" PRIu64 ",%s,%s", p.m ? p.m : 1,
            p.assignment == RCM_INTERLEAVED ? "interleaved" : "contiguous", cpu ? "warm" : "cold");
    if (cpu)
        fprintf(file, ",%.0f", answer->asked.machine.profile->threads);
    fputc('\n', file);
}

size_t tune_write_cells(const struct tune_files *files, const struct tune_settings *settings,
                        const struct selection_answer *answer)
{
    const bool cpu = selection_is_cpu(answer), peers = tune_has_peers(settings);
    struct rcm_topk p = answer->query->base;
    size_t count = 1;
    FILE *file = fopen(files->cells, "w");
    if (!file) {
        usage_error("%s: %s", files->cells, strerror(errno));
        return 0;
    }
    p.b = p.k_b = 0;
    fprintf(file, "work,kernel,dtype,n,k,b,k_b,m,assignment,cache%s\n", cpu ? ",threads" : "");
    put_cell(file, cpu ? "threshold" : "radix", answer, p);
    if (peers)
        put_cell(file, "peers", answer, p);
    for (uint64_t i = 0; i < answer->k_b_max; i++)
        if (answer->each[i].objective < INFINITY) {
            put_cell(file, "auto", answer, answer->each[i].p);
            count++;
        }
    if (fclose(file) != 0) {
        usage_error("%s: %s", files->cells, strerror(errno));
        return 0;
    }
    return count + 2 * peers;
}

/* ---- what was timed */

/* NAN: there is none. */
static double number_at(const struct csv *csv, size_t row, const char *column)
{
    const size_t at = csv_column(csv, column);
    return at < csv->columns ? text_number(csv_field(csv, row, at)) : NAN;
}

/* A row of a round's results; false: it is none. */
static bool read_result(const struct csv *csv, size_t row, bool gpu, struct rcm_measured *out)
{
    static const char *const counts[] = {"n", "k", "b", "k_b", "m", "threads"};
    uint64_t values[6] = {0};
    for (size_t i = 0; i < 6; i++) {
        const size_t column = csv_column(csv, counts[i]);
        const char *field = column < csv->columns ? csv_field(csv, row, column) : "";
        if (*field && parse_count_or_zero(field, &values[i]))
            return false;
    }
    const size_t columns[] = {csv_column(csv, "work"), csv_column(csv, "kernel"),
                              csv_column(csv, "dtype"), csv_column(csv, "assignment"),
                              csv_column(csv, "time_us_median")};
    for (size_t i = 0; i < 5; i++)
        if (columns[i] == csv->columns)
            return false;
    const bool exact = strcmp(csv_field(csv, row, columns[0]), "exact") == 0;
    const char *kernel = csv_field(csv, row, columns[1]);
    const bool ours = !exact || strcmp(kernel, "threshold") == 0 || strcmp(kernel, "radix") == 0;
    *out = (struct rcm_measured){.threads = gpu ? 0 : values[5]};
    out->p = (struct rcm_topk){.n = values[0],
                               .k = values[1],
                               .b = exact ? 0 : values[2],
                               .k_b = exact ? 0 : values[3],
                               .m = values[4]};
    if (!exact && strcmp(csv_field(csv, row, columns[3]), "contiguous") == 0)
        out->p.assignment = RCM_CONTIGUOUS;
    snprintf(out->name, sizeof out->name, "%.*s", (int)(sizeof out->name - 1),
             ours ? "recallmodel" : kernel);
    out->time_us = text_number(csv_field(csv, row, columns[4]));
    out->low_us = fmin(out->time_us, number_at(csv, row, "time_us_low"));
    out->high_us = fmax(out->time_us, number_at(csv, row, "time_us_high"));
    return rcm_dtype_by_name(csv_field(csv, row, columns[2]), &out->dtype) && out->time_us > 0.0;
}

static int by_time(const void *a, const void *b)
{
    const double difference = *(const double *)a - *(const double *)b;
    return (difference > 0.0) - (difference < 0.0);
}

/* All times of one call. */
struct sample {
    struct rcm_measured row;
    double times[TUNE_ROUNDS];
    size_t count;
};

/* The median of the rounds, and from the second least to the second longest of nine: the true
 * median lies there in 96 % of all cases. Of three to seven all count (75 to 98 %), of fewer the
 * interval of the first. */
static struct rcm_measured summary(struct sample *sample)
{
    struct rcm_measured row = sample->row;
    qsort(sample->times, sample->count, sizeof *sample->times, by_time);
    row.time_us = sample->times[(sample->count - 1) / 2];
    const size_t left_out = sample->count >= 8;
    if (sample->count >= 3) {
        row.low_us = sample->times[left_out];
        row.high_us = sample->times[sample->count - 1 - left_out];
    }
    row.low_us = fmin(row.low_us, row.time_us);
    row.high_us = fmax(row.high_us, row.time_us);
    return row;
}

#define SAMPLES_MOST 64

/* Remarks say where peers come from: "# peer torch.topk: torch 2.9.1". */
static void read_packages(const char *path, struct sample *samples, size_t count)
{
    char line[300], name[40], package[sizeof samples->row.package];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "# peer %39[^:]: %47[^,\n]", name, package) != 2)
            continue;
        for (size_t i = 0; i < count; i++)
            if (strcmp(samples[i].row.name, name) == 0)
                strcpy(samples[i].row.package, package);
    }
    if (file)
        fclose(file);
}

static void take(struct sample *samples, size_t *count, const struct rcm_measured *row)
{
    size_t i = 0;
    while (i < *count && !rcm_same_measured(&samples[i].row, row))
        i++;
    if (i == SAMPLES_MOST)
        return;
    if (i == *count)
        samples[(*count)++].row = *row;
    if (samples[i].count < TUNE_ROUNDS)
        samples[i].times[samples[i].count++] = row->time_us;
}

/* Of two variants of one function, such as torch.topk-unsorted, the faster one counts. Returns how
 * many rows there are then. */
static size_t put_faster(struct rcm_measured *rows, size_t length, struct rcm_measured *row)
{
    size_t i = 0;
    char *variant = strstr(row->name, "-unsorted");
    if (variant)
        *variant = '\0';
    while (i < length && !rcm_same_measured(&rows[i], row))
        i++;
    if (i == length || row->time_us < rows[i].time_us)
        rows[i] = *row;
    return i == length ? length + 1 : length;
}

size_t tune_read(const struct tune_files *files, bool gpu, struct rcm_measured **rows,
                 size_t *rounds)
{
    struct sample *samples = require_memory(calloc(SAMPLES_MOST, sizeof *samples));
    size_t count = 0;
    char path[PATH_MAX], error[CSV_ERROR], date[24];
    struct rcm_measured row;
    const time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    for (unsigned round = 0; round < TUNE_ROUNDS; round++) {
        struct csv csv;
        if (csv_read(results_of(files, round, path), &csv, MESSAGE(error)) != 0)
            continue; /* the clock or the user stopped before */
        for (size_t i = 0; i < csv.rows; i++)
            if (read_result(&csv, i, gpu, &row))
                take(samples, &count, &row);
        csv_free(&csv);
    }
    read_packages(results_of(files, 0, path), samples, count);
    *rows = require_memory(calloc(count + 1, sizeof **rows));
    size_t length = 0;
    *rounds = count ? TUNE_ROUNDS : 0;
    for (size_t i = 0; i < count; i++) {
        *rounds = samples[i].count < *rounds ? samples[i].count : *rounds;
        row = summary(&samples[i]);
        rcm_this_machine(gpu, row.machine);
        snprintf(row.version, sizeof row.version, "%s", rcm_version());
        snprintf(row.date, sizeof row.date, "%s", date);
        /* as the file will have it: what cannot be read from it is no measurement */
        char line[RCM_MEASURED_LINE];
        if (rcm_measured_write(&row, line) > 0 && rcm_measured_read(line, &row) == 0)
            length = put_faster(*rows, length, &row);
    }
    free(samples);
    return length;
}
