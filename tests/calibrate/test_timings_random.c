/* test_timings_random.c - random tables of times, changed at random: none is misread in silence.
 *
 * Against: the rows that they were written from, and a reader of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>

#include <tests/calibrate/timings_table.h>

enum role { ROLE_N, ROLE_K, ROLE_M, ROLE_TIME, ROLE_OTHER };

/* Names of columns that have one meaning, and what they are in microseconds. */
static const struct {
    enum role role;
    double us;
    const char *name;
} known[] = {
    {ROLE_N, 0, "n"},
    {ROLE_N, 0, "N"},
    {ROLE_N, 0, "vocab"},
    {ROLE_N, 0, "seq_len"},
    {ROLE_N, 0, "row length"},
    {ROLE_N, 0, "Elements{io}"},
    {ROLE_K, 0, "k"},
    {ROLE_K, 0, "K"},
    {ROLE_K, 0, "topk"},
    {ROLE_K, 0, "top-k"},
    {ROLE_M, 0, "m"},
    {ROLE_M, 0, "M"},
    {ROLE_M, 0, "batch_size"},
    {ROLE_M, 0, "bs"},
    {ROLE_M, 0, "num tokens"},
    {ROLE_M, 0, "Rows"},
    {ROLE_TIME, 1, "time_us"},
    {ROLE_TIME, 1e3, "time_ms"},
    {ROLE_TIME, 1e6, "time_s"},
    {ROLE_TIME, 1e-3, "time_ns"},
    {ROLE_TIME, 1e3, "latency (ms)"},
    {ROLE_TIME, 1e6, "GPU Time (sec)"},
    {ROLE_TIME, 1e-3, "median_ns"},
    {ROLE_TIME, 1, "Time [us]"},
    {ROLE_TIME, 1, "us"},
    {ROLE_TIME, 1e6, "s"},
    {ROLE_TIME, 1e3, "ms"},
    {ROLE_TIME, 1e-3, "ns"},
    {ROLE_OTHER, 0, "trial"},
    {ROLE_OTHER, 0, "recall"},
    {ROLE_OTHER, 0, "note"},
    {ROLE_OTHER, 0, "samples"},
};
#define KNOWN (sizeof known / sizeof *known)

/* A random one of a role. */
static size_t any_of(uint64_t *state, enum role role)
{
    size_t i;
    do
        i = next_random(state) % KNOWN;
    while (known[i].role != role || strlen(known[i].name) == (role == ROLE_TIME ? 1 : 0) ||
           (role == ROLE_TIME && strlen(known[i].name) == 2));
    return i;
}

#define ROWS_MOST 5
#define COLUMNS_MOST 8

struct reading { /* of a table */
    size_t rows;
    double n[ROWS_MOST], k[ROWS_MOST], m[ROWS_MOST], us[ROWS_MOST];
    bool has_m;
    char unknown[64]; /* without m, an unknown column of whole numbers above 1; "": none */
};

/* Writes a table with the separator. */
static size_t write_random(uint64_t *state, char separator, char text[4096], struct reading *truth)
{
    size_t columns[COLUMNS_MOST], count = 4, length = 0;
    for (size_t i = 0; i < 4; i++)
        columns[i] = any_of(state, (enum role)i);
    while (count < COLUMNS_MOST && next_random(state) % 2) {
        const size_t other = any_of(state, ROLE_OTHER);
        bool twice = false;
        for (size_t i = 4; i < count; i++)
            twice |= columns[i] == other;
        if (!twice)
            columns[count++] = other;
    }
    for (size_t i = count; i-- > 1;) {
        const size_t j = next_random(state) % (i + 1), column = columns[i];
        columns[i] = columns[j];
        columns[j] = column;
    }
    *truth = (struct reading){.rows = 2 + next_random(state) % (ROWS_MOST - 1), .has_m = true};
    if (next_random(state) % 4 == 0)
        length += (size_t)sprintf(text, "\xEF\xBB\xBF");
    const char *const end = next_random(state) % 2 ? "\n" : "\r\n";
    for (size_t row = 0; row <= truth->rows; row++) {
        if (row > 0) {
            truth->n[row - 1] = (double)(UINT64_C(1) << (9 + row)); /* no shape twice */
            truth->k[row - 1] = (double)random_between(state, 1, 256);
            truth->m[row - 1] = (double)random_between(state, 1, 512);
            truth->us[row - 1] = (double)random_between(state, 800, 9999999) / 1000.0;
        }
        for (size_t i = 0; i < count; i++) {
            const enum role role = known[columns[i]].role;
            char *const at = text + length;
            if (row == 0)
                sprintf(at, "%s", known[columns[i]].name);
            else if (role == ROLE_TIME)
                sprintf(at, "%.9g", truth->us[row - 1] / known[columns[i]].us);
            else if (role == ROLE_OTHER)
                sprintf(at, "%s",
                        known[columns[i]].name[0] == 'n'   ? "warm"
                        : known[columns[i]].name[0] == 'r' ? "0.5"
                                                           : "3");
            else
                sprintf(at, "%.0f",
                        role == ROLE_N   ? truth->n[row - 1]
                        : role == ROLE_K ? truth->k[row - 1]
                                         : truth->m[row - 1]);
            for (char *c = at; separator == ';' && row > 0 && *c; c++)
                *c = *c == '.' ? ',' : *c;
            length += strlen(at);
            length += (size_t)sprintf(text + length, i + 1 < count ? "%c" : end, separator);
        }
    }
    return length;
}

/* Changes a table: a byte of it, or the name of a column. */
static size_t change_one(uint64_t *state, char separator, char text[4096], size_t length)
{
    const size_t header = strcspn(text, "\n"),
                 at = next_random(state) % (next_random(state) % 2 ? header : length);
    const char letters[] = {separator, '.', ',', '0', '7', 'm', 's', 'n', ' ', '-', '_', 'k', '"'};
    switch (next_random(state) % 4) {
    case 0: /* a byte more */
        memmove(text + at + 1, text + at, length - at);
        text[at] = letters[next_random(state) % sizeof letters];
        return length + 1;
    case 1: /* a byte less */
        memmove(text + at, text + at + 1, length - at - 1);
        return length - 1;
    case 2:
        text[at] = letters[next_random(state) % sizeof letters];
        return length;
    default: { /* a name that nobody knows, of the length of the old one */
        size_t from = at % (header ? header : 1), to;
        while (from > 0 && text[from - 1] != separator)
            from--;
        to = from + strcspn(text + from, (char[]){separator, '\r', '\n', '\0'});
        memset(text + from, 'q', to - from);
        return length;
    }
    }
}

/* The next part of a text, which ends at the mark; NULL after the last. */
static char *cut(char **rest, char mark)
{
    char *const part = *rest, *const end = part ? strchr(part, mark) : NULL;
    *rest = end ? end + 1 : NULL;
    if (end)
        *end = '\0';
    return part;
}

/* Does a name have a unit, or a word for something that was measured? */
static bool is_measured(const char *name)
{
    static const char *const words[] = {"us",    "ms",     "ns",   "sec",     "time",  "median",
                                        "trial", "recall", "note", "samples", "sample"};
    char copy[64], *rest = copy;
    snprintf(copy, sizeof copy, "%s", name);
    for (char *c = copy; *c; c++)
        *c = (char)(isalnum((unsigned char)*c) ? tolower((unsigned char)*c) : ' ');
    for (char *word; (word = cut(&rest, ' '));)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strcmp(word, words[i]) == 0)
                return true;
    return false;
}

/* The next letter or digit; ' ' for what stands between them; 0 at the end. */
static char next_plain(const char **text)
{
    const char *at = *text;
    while (*at && !isalnum((unsigned char)*at))
        at++;
    const bool gap = at > *text;
    *text = gap || !*at ? at : at + 1;
    return (char)(gap && *at ? ' ' : tolower((unsigned char)*at));
}

/* Is it this name, whatever marks stand between and around the words? */
static bool is_called(const char *field, const char *name)
{
    while (*field && !isalnum((unsigned char)*field))
        field++;
    char letter;
    do {
        letter = next_plain(&field);
        if (letter != next_plain(&name))
            return false;
    } while (letter);
    return true;
}

struct own_column {
    size_t which; /* of `known`; KNOWN: none */
    bool whole, varies;
    double first;
    char name[64];
};

static struct own_column column_of(const char *name, size_t found[4])
{
    struct own_column c = {.whole = true};
    while (c.which < KNOWN && !is_called(name, known[c.which].name))
        c.which++;
    snprintf(c.name, sizeof c.name, "%s", name);
    if (c.which < KNOWN && known[c.which].role != ROLE_OTHER)
        found[known[c.which].role]++;
    return c;
}

/* Takes a field of the row r->rows. False: a number that it needs is none. */
static bool take_field(struct own_column *c, char separator, char *field, struct reading *r)
{
    for (char *at = field; separator == ';' && *at; at++)
        *at = *at == ',' ? '.' : *at;
    char *end;
    const double value = strtod(field, &end);
    const bool number = *field && !*end;
    c->whole &= number && value == floor(value);
    c->varies |= r->rows > 0 && value != c->first;
    c->first = r->rows == 0 ? value : c->first;
    if (c->which == KNOWN || known[c->which].role == ROLE_OTHER)
        return true;
    double *const into[] = {r->n, r->k, r->m, r->us};
    const enum role role = known[c->which].role;
    into[role][r->rows] = role == ROLE_TIME ? value * known[c->which].us : value;
    return number;
}

/* Reads a table in another way than the library: line by line, names as they stand in `known`.
 * False: it does not understand it. */
static bool read_own(char separator, const char *from, struct reading *r)
{
    char text[4200], *line, *rest = text;
    size_t columns = 0, found[4] = {0};
    struct own_column column[64];
    *r = (struct reading){0};
    snprintf(text, sizeof text, "%s", strncmp(from, "\xEF\xBB\xBF", 3) == 0 ? from + 3 : from);
    for (bool is_header = true; (line = cut(&rest, '\n')); is_header = false) {
        size_t count = 0;
        const size_t length = strlen(line);
        if (length > 0 && line[length - 1] == '\r')
            line[length - 1] = '\0';
        if (!*line)
            continue;
        for (char *field; (field = cut(&line, separator)); count++) {
            field += strspn(field, " ");
            for (size_t end = strlen(field); end > 0 && field[end - 1] == ' ';)
                field[--end] = '\0';
            if (count == 64 || strlen(field) > 63 || *field == '"' ||
                (!is_header && (count == columns || r->rows == ROWS_MOST)))
                return false;
            if (is_header)
                column[count] = column_of(field, found);
            else if (!take_field(&column[count], separator, field, r))
                return false;
        }
        if (!is_header && count != columns)
            return false;
        columns = count;
        r->rows += !is_header;
    }
    r->has_m = found[ROLE_M] == 1;
    for (const struct own_column *c = column; c < column + columns && !r->has_m; c++)
        if (c->which == KNOWN && c->whole && *c->name && !is_measured(c->name) &&
            (c->varies || c->first > 1.0))
            strcpy(r->unknown, c->name);
    return found[ROLE_N] == 1 && found[ROLE_K] == 1 && found[ROLE_TIME] == 1 && found[ROLE_M] <= 1;
}

/* A table that was written from rows gives them; one that was changed gives what it now says, or an
 * error, or a line that names what was not read. CASES=all tries 10^6 tables, which takes a minute;
 * make check 20,000. */
START_TEST(random_tables)
{
    const char *const cases = getenv("CASES");
    const size_t most = few_cases() ? 2000 : cases && strcmp(cases, "all") == 0 ? 1000000 : 20000;
    size_t read = 0, refused_after = 0;
    uint64_t state = 58;
    for (size_t i = 0; i < most; i++) {
        const char separator = ",;\t"[next_random(&state) % 3];
        const bool changed = next_random(&state) % 4 != 0;
        char text[4096], error[CSV_ERROR], notes[TIMINGS_NOTES];
        struct reading want;
        struct run_list runs;
        size_t length = write_random(&state, separator, text, &want);
        for (size_t times = changed ? 1 + next_random(&state) % 2 : 0; times > 0; times--)
            length = change_one(&state, separator, text, length);
        text[length] = '\0';
        const int count = read_table(text, length, &(struct timings_options){0}, NULL, &runs,
                                     MESSAGE(notes), MESSAGE(error));
        if (count < 0) {
            ck_assert_msg(changed && *error, "%s\nis refused: %s", text, error);
            refused_after++;
            continue;
        }
        const bool own = !changed || read_own(separator, text, &want);
        ck_assert_msg(own || *notes, "%s\nis read in silence", text);
        ck_assert_msg(!own || (size_t)count == want.rows, "%s\nhas %d runs", text, count);
        ck_assert_msg(!own || want.has_m || strstr(notes, want.unknown), "%s\nnoted: %s", text,
                      notes);
        const bool noted_m = own && !want.has_m && strstr(notes, "m is ") && *want.unknown;
        for (size_t row = 0; own && row < want.rows; row++) {
            const struct run *run = &runs.items[row];
            ck_assert_msg((double)run->p.n == want.n[row] && (double)run->p.k == want.k[row] &&
                              (noted_m || (double)run->p.m == (want.has_m ? want.m[row] : 1.0)) &&
                              fabs(run->time_us / want.us[row] - 1.0) < 1e-12,
                          "%s\nrow %zu is " TOPK_FMT " in %.17g us", text, row, TOPK_ARG(run->p),
                          run->time_us);
        }
        read++;
        runs_free(&runs);
    }
    printf("%zu tables read, %zu refused\n", read, refused_after);
    ck_assert_uint_gt(read, most / 4);
}
END_TEST

TEST_MAIN("random timings", random_tables)
