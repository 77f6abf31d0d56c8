/* measured_text.c - a measurement as a line of CSV: the only reader and writer of the file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <base/number.h>
#include <base/text.h>
#include <model/recallmodel/measured.h>

/* The columns of RCM_MEASURED_COLUMNS. */
enum {
    NAME,
    N,
    K,
    B,
    K_B,
    M,
    DTYPE,
    ASSIGNMENT,
    THREADS,
    MEDIAN,
    LOW,
    HIGH,
    MACHINE,
    VERSION,
    PACKAGE,
    DATE,
    COLUMNS
};

static const char *const assignments[] = {"interleaved", "contiguous"};

/* Cuts a line at its commas, in place. False: it has more or fewer fields. */
static bool cut(char *line, char *fields[COLUMNS])
{
    size_t count = 0;
    for (char *at = line; at; count++) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma = '\0';
        if (count < COLUMNS)
            fields[count] = at;
        at = comma ? comma + 1 : NULL;
    }
    return count == COLUMNS;
}

/* A field that may be empty, which is 0. */
static bool read_count(const char *field, uint64_t *count)
{
    *count = 0;
    return !*field || !parse_count_or_zero(field, count);
}

static bool read_text(const char *field, char *to, size_t size)
{
    return text_is_plain(field) && (size_t)snprintf(to, size, "%s", field) < size;
}

static bool read_shape(char *const fields[COLUMNS], struct rcm_measured *out)
{
    struct rcm_topk *p = &out->p;
    unsigned assignment = 0;
    while (assignment < 2 && *fields[ASSIGNMENT] &&
           strcmp(fields[ASSIGNMENT], assignments[assignment]) != 0)
        assignment++;
    p->assignment = (enum rcm_assignment)assignment;
    if (assignment > 1 || !read_count(fields[N], &p->n) || !read_count(fields[K], &p->k) ||
        !read_count(fields[B], &p->b) || !read_count(fields[K_B], &p->k_b) ||
        !read_count(fields[M], &p->m) || !read_count(fields[THREADS], &out->threads) || p->m == 0)
        return false;
    struct rcm_topk whole = *p;
    if (p->b == 0 && p->k_b == 0)
        whole.b = whole.k_b = 1;
    return rcm_check(whole) == RCM_OK && (p->b == 0 || rcm_check_deployable(*p) == RCM_OK);
}

int rcm_measured_read(const char *line, struct rcm_measured *out)
{
    char copy[RCM_MEASURED_LINE], *fields[COLUMNS];
    memset(out, 0, sizeof *out);
    if ((size_t)snprintf(copy, sizeof copy, "%.*s", (int)text_end(line, strlen(line)), line) >=
            sizeof copy ||
        !cut(copy, fields))
        return -1;
    out->time_us = text_number(fields[MEDIAN]);
    out->low_us = text_number(fields[LOW]);
    out->high_us = text_number(fields[HIGH]);
    const bool times = out->low_us > 0.0 && out->low_us <= out->time_us &&
                       out->time_us <= out->high_us && out->high_us < INFINITY;
    return times && *fields[NAME] && *fields[NAME] != '#' &&
                   read_text(fields[NAME], out->name, sizeof out->name) &&
                   rcm_dtype_by_name(fields[DTYPE], &out->dtype) && read_shape(fields, out) &&
                   read_text(fields[MACHINE], out->machine, sizeof out->machine) &&
                   read_text(fields[VERSION], out->version, sizeof out->version) &&
                   read_text(fields[PACKAGE], out->package, sizeof out->package) &&
                   read_text(fields[DATE], out->date, sizeof out->date)
               ? 0
               : -1;
}

size_t rcm_measured_write(const struct rcm_measured *row, char line[RCM_MEASURED_LINE])
{
    const struct rcm_topk *p = &row->p;
    char b[24] = "", k_b[24] = "";
    if (p->b) {
        snprintf(b, sizeof b, "%" PRIu64, p->b);
        snprintf(k_b, sizeof k_b, "%" PRIu64, p->k_b);
    }
    const int length = snprintf(
        line, RCM_MEASURED_LINE,
        "%s,%" PRIu64 ",%" PRIu64 ",%s,%s,%" PRIu64 ",%s,%s,%" PRIu64 ",%.6g,%.6g,%.6g,%s,%s,%s,%s",
        row->name, p->n, p->k, b, k_b, p->m, rcm_dtype_name(row->dtype),
        p->b ? assignments[p->assignment != RCM_INTERLEAVED] : "", row->threads, row->time_us,
        row->low_us, row->high_us, row->machine, row->version, row->package, row->date);
    return length > 0 && length < RCM_MEASURED_LINE ? (size_t)length : 0;
}

bool rcm_same_measured(const struct rcm_measured *a, const struct rcm_measured *b)
{
    const struct rcm_topk *p = &a->p, *q = &b->p;
    return strcmp(a->name, b->name) == 0 && p->n == q->n && p->k == q->k && p->b == q->b &&
           p->k_b == q->k_b && p->m == q->m && p->assignment == q->assignment &&
           a->dtype == b->dtype && a->threads == b->threads &&
           strcmp(a->machine, b->machine) == 0 && strcmp(a->version, b->version) == 0;
}
