/* csv.c - see csv.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "csv.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <base/files/text_file.h>

#include "array.h"
#include "csv_line.h"
#include "text.h"

static int no_memory(const char *path, struct message error)
{
    return message_set(error, "%.150s: not enough memory", path);
}

/* The capacities of the arrays of a file that is being read. */
struct room {
    size_t fields, lines;
};

/* Decimal commas, which only semicolons leave room for. False where points stand beside them:
 * nobody can say which of the two separates thousands. */
static bool take_commas(struct csv *csv, char *field)
{
    csv->has_points |= csv_has_point(field);
    csv->decimal_commas |= csv_point_for_comma(field);
    return !csv->decimal_commas || !csv->has_points;
}

/* Cuts one line into fields, in place. Returns how many there are; 0 with an error. */
static size_t cut_line(struct csv *csv, struct room *room, size_t *fields, char *line,
                       size_t number, struct message error)
{
    size_t count = 0;
    bool broken = false;
    char separator = csv->separator;
    for (char *at = csv_prepare_line(line, &separator); at && count <= CSV_COLUMNS_MOST; count++) {
        char **larger = array_try_grow(csv->fields, *fields, &room->fields, sizeof *csv->fields);
        if (!larger) {
            no_memory(csv->path, error);
            return 0;
        }
        csv->fields = larger;
        char **const field = &csv->fields[(*fields)++];
        at = csv_next_field(at, separator, field, &broken);
        if (!broken && separator == ';' && !take_commas(csv, *field)) {
            message_set(error,
                        "%.150s:%zu, column %zu: numbers with decimal commas, and others with "
                        "points; write all of them with points",
                        csv->path, number, count + 1);
            return 0;
        }
        if (broken) {
            message_set(
                error,
                "%.150s:%zu, column %zu: a quote that is not closed, or text after a closing quote",
                csv->path, number, count + 1);
            return 0;
        }
    }
    if (count > CSV_COLUMNS_MOST) {
        message_set(error, "%.150s:%zu: more than %d columns", csv->path, number, CSV_COLUMNS_MOST);
        return 0;
    }
    return count;
}

static bool is_between_blanks(const struct csv *csv)
{
    return csv->separator == ' ' || csv->separator == CSV_BLANKS;
}

/* Is the first field of a row the index that pandas prints, from 0 or 1 on? */
static bool is_index(const struct csv *csv, const char *field)
{
    const double index = text_number(field), first = index - (double)csv->rows;
    return is_between_blanks(csv) && (first == 0.0 || first == 1.0);
}

/* Is there more on this line than a table has? Beside a Markdown table stand its rule and other
 * text; above one of pandas its title, "matmul:". */
static bool is_no_row(const struct csv *csv, bool markdown, const char *line)
{
    if (markdown)
        return line[strspn(line, " \t")] != '|' ||
               (csv->rows == 0 && csv->columns > 0 && csv_is_rule(line));
    if (csv->columns == 0 && strncmp(line, "sep=", 4) == 0) /* for Excel */
        return true;
    return csv->columns == 0 && *line && line[strlen(line) - 1] == ':' && !strpbrk(line, ",;\t");
}

/* One line that is neither empty nor a remark: the header or a row. Returns 0, or -1 with an
 * error. */
static int take_line(struct csv *csv, struct room *room, size_t *fields, char *line, size_t number,
                     struct message error)
{
    if (csv->columns == 0)
        csv->separator = csv_separator(line + strspn(line, " \t"));
    size_t count = cut_line(csv, room, fields, line, number, error);
    if (count == 0)
        return -1;
    if (csv->columns > 0 && count == csv->columns + 1 && !*csv->fields[*fields - 1]) {
        count--; /* a separator at the end */
        --*fields;
    }
    if (count == csv->columns + 1 && is_index(csv, csv->fields[*fields - count])) {
        char **const row = csv->fields + *fields - count;
        memmove(row, row + 1, --count * sizeof *row);
        --*fields;
    }
    if (csv->columns == 0) {
        csv->columns = count;
    } else if (count == csv->columns) {
        csv->rows++;
    } else {
        return message_set(
            error, "%.150s:%zu, column %zu: %s; the line has %zu columns, the header has %zu",
            csv->path, number, (count < csv->columns ? count : csv->columns) + 1,
            count < csv->columns ? "missing" : "without a name", count, csv->columns);
    }
    size_t *lines = array_try_grow(csv->lines, csv->rows, &room->lines, sizeof *csv->lines);
    if (!lines)
        return no_memory(csv->path, error);
    csv->lines = lines;
    csv->lines[csv->rows] = number;
    return 0;
}

/* Cuts csv->text, which is `length` bytes and a zero, into lines and fields. */
static int cut_text(struct csv *csv, size_t length, struct message error)
{
    struct room room = {0, 0};
    size_t fields = 0, number = 0;
    char *end = csv->text + length;
    const char *instead = text_instead(csv->text, length);
    bool markdown = false;
    for (const char *at = csv->text; at && !markdown; at = strchr(at, '\n')) {
        at += *at == '\n';
        markdown = at[strspn(at, " \t")] == '|';
    }
    for (char *line = csv->text, *next; line < end; line = next) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop ? stop + 1 : end;
        stop = stop ? stop : end;
        *stop = '\0';
        number++;
        if (strlen(line) != (size_t)(stop - line))
            return message_set(error, "%.150s:%zu: a zero byte; this is %s", csv->path, number,
                               instead);
        if (stop > line && stop[-1] == '\r')
            stop[-1] = '\0';
        line += number == 1 ? text_mark(line, strlen(line)) : 0;
        if (*line == '#' && !csv->remark)
            csv->remark = line;
        if (*line == '#' || line[strspn(line, " \t")] == '\0' || is_no_row(csv, markdown, line))
            continue;
        if (csv->columns == 0 &&
            (*line == '{' || strncmp(line, "[{", 2) == 0 || !strcmp(line, "[")))
            return message_set(error,
                               "%.150s is JSON; give a table, which pytest-benchmark compare FILE "
                               "--csv=NEW.csv, nvbench --csv NEW.csv and pandas write",
                               csv->path);
        if (take_line(csv, &room, &fields, line, number, error) != 0)
            return -1;
    }
    if (csv->columns == 0)
        return message_set(error, "%.150s is empty; the first line must name the columns",
                           csv->path);
    return 0;
}

int csv_parse(const char *path, const char *bytes, size_t length, struct csv *csv,
              struct message error)
{
    *csv = (struct csv){.path = strdup(path), .text = malloc(length + 1)};
    if (!csv->path || !csv->text) {
        no_memory(path, error);
        csv_free(csv);
        return -1;
    }
    if (length > 0)
        memcpy(csv->text, bytes, length);
    csv->text[length] = '\0';
    int status = cut_text(csv, length, error);
    if (status != 0)
        csv_free(csv);
    return status;
}

/* Is it a file or a pipe? Returns 0, or -1 with an error that says what it is instead. */
static int check_kind(const char *path, FILE *file, struct message error)
{
    struct stat status;
    if (fstat(fileno(file), &status) == 0 &&
        (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)))
        return 0;
    return message_set(error, "%.150s is %s; give a file or a pipe", path,
                       S_ISDIR(status.st_mode) ? "a folder" : "a device");
}

/* Reads all of the file into csv->text. Returns 0, or -1 with an error. */
static int read_text(FILE *file, struct csv *csv, size_t *length, struct message error)
{
    csv->text = text_read(file, CSV_BYTES_MOST, length);
    return csv->text        ? 0
           : errno == EFBIG ? message_set(error, "%.150s has more than %llu MiB; give fewer rows",
                                          csv->path, (unsigned long long)(CSV_BYTES_MOST >> 20))
                            : message_set(error, "%.150s: %s", csv->path, strerror(errno));
}

int csv_read(const char *path, struct csv *csv, struct message error)
{
    *csv = (struct csv){.path = strdup(path)};
    FILE *file = csv->path ? fopen(path, "rb") : NULL;
    size_t length = 0;
    int status = -1;
    if (!file)
        message_set(error, "%.150s: %s", path, strerror(errno));
    else if (check_kind(path, file, error) == 0 && read_text(file, csv, &length, error) == 0)
        status = cut_text(csv, length, error);
    if (file)
        fclose(file);
    if (status != 0)
        csv_free(csv);
    return status;
}

void csv_free(struct csv *csv)
{
    free(csv->path);
    free(csv->text);
    free(csv->fields);
    free(csv->made);
    free(csv->lines);
    *csv = (struct csv){0};
}

size_t csv_column(const struct csv *csv, const char *name)
{
    size_t i = 0;
    while (i < csv->columns && strcmp(csv->fields[i], name) != 0)
        i++;
    return i;
}

const char *csv_field(const struct csv *csv, size_t row, size_t column)
{
    return csv->fields[(row + 1) * csv->columns + column];
}

void csv_place(const struct csv *csv, size_t row, size_t column, char place[CSV_ERROR])
{
    snprintf(place, CSV_ERROR, "%.150s:%zu, column %zu (%.40s): ", csv->path, csv->lines[row + 1],
             column + 1, csv->fields[column]);
}

void csv_write(FILE *file, const char *field)
{
    if (!field[strcspn(field, ",;\t\"\n\r")] && *field != '#' && *field != '|') {
        fputs(field, file);
        return;
    }
    putc('"', file);
    for (; *field; field++) {
        if (*field == '"')
            putc('"', file);
        putc(*field, file);
    }
    putc('"', file);
}

void csv_write_rows(FILE *file, const struct csv *csv)
{
    for (size_t i = 0; i < (csv->rows + 1) * csv->columns; i++) {
        csv_write(file, csv->fields[i]);
        putc((i + 1) % csv->columns ? ',' : '\n', file);
    }
}
