/* row_look.c - see row_look.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "row_look.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <base/text.h>

/* exp(-746) is 0 as a double. */
#define WEIGHTLESS 746.0
/* A mask is farther off than a score may be, and than this many times what the elements of either
 * side are apart. */
#define MASK_GAP 16.0
#define MASK_SPREADS 2.0

const char *sim_weights_name(enum sim_weights weights)
{
    static const char *const names[SIM_WEIGHTS] = {"unsaid", "scores", "probabilities"};
    return names[weights];
}

/* Rows of which some elements are a mask: how many, and from which to which value. */
struct masked {
    uint64_t rows;
    double least, most;
};

static void add_masked(struct masked *masked, double value)
{
    masked->least = masked->rows ? fmin(masked->least, value) : value;
    masked->most = masked->rows++ ? fmax(masked->most, value) : value;
}

struct look {
    uint64_t rows, probabilities;
    struct masked equal, far; /* by a run of equal values; far below the others */
};

/* Adds a row whose lowest value, and whose largest one, are known. */
static void look_for_masks(struct look *look, const double *x, uint64_t n, uint64_t k,
                           double lowest, double largest)
{
    uint64_t equal = 0, above = 0, upper = 0;
    double least = INFINITY, next = -INFINITY; /* of the upper elements, and below these */
    /* A gap wider than the elements on either side are apart has the middle of the row in it. */
    const double middle = lowest / 2.0 + largest / 2.0, weightless = largest - WEIGHTLESS,
                 split = middle > weightless ? middle : weightless;
    for (uint64_t i = 0; i < n; i++) {
        equal += x[i] == lowest;
        above += x[i] > lowest;
        if (x[i] >= split) {
            upper++;
            least = x[i] < least ? x[i] : least;
        } else if (x[i] > next) {
            next = x[i];
        }
    }
    const double gap = least - next;
    const bool far = split > middle ? gap > largest - least
                                    : gap > MASK_GAP && next < 0.0 &&
                                          gap > MASK_SPREADS * fmax(largest - least, next - lowest);
    if (upper >= 2 && upper < k && far && next > -INFINITY)
        add_masked(&look->far, next);
    else if (equal >= 2 && above < k && above + equal > k && (above > 0 || lowest < -WEIGHTLESS))
        add_masked(&look->equal, lowest);
}

/* Adds a row. Returns false if it has an element below 0 that is no mask. */
static bool look_at(struct look *look, const double *x, uint64_t n, uint64_t k)
{
    double lowest = INFINITY, largest = -INFINITY, sum = 0.0;
    bool negative = false, number = true;
    for (uint64_t i = 0; i < n; i++) {
        number &= x[i] == x[i];
        if (!(x[i] > -INFINITY))
            continue;
        lowest = x[i] < lowest ? x[i] : lowest;
        largest = x[i] > largest ? x[i] : largest;
        negative |= x[i] < 0.0;
        sum += x[i];
    }
    look->rows++;
    look->probabilities +=
        number && !negative && ((sum > 0.0 && sum <= 1.05) || (sum >= 99.0 && sum <= 101.0));
    if (lowest <= largest)
        look_for_masks(look, x, n, k, lowest, largest);
    return !negative;
}

/* "8 of 64 rows", "8 of the 64 rows looked at" */
static void count_rows(char text[80], uint64_t some, const struct look *look, uint64_t rows)
{
    const bool all = look->rows == rows;
    snprintf(text, 80, "%" PRIu64 " of %s%" PRIu64 " row%s%s", some, all ? "" : "the ", look->rows,
             look->rows == 1 ? "" : "s", all ? "" : " looked at");
}

/* As row_look(), with room for a row. */
static int look_at_rows(const struct row_file *file, uint64_t rows, uint64_t valid,
                        const uint64_t *length, uint64_t k, enum sim_weights weights, double *room,
                        struct look *look, struct message error)
{
    const uint64_t most = ROW_LOOK_ELEMENTS / file->row + 1,
                   step = weights == SIM_PROBABILITIES ? 1 : (rows + most - 1) / most;
    for (uint64_t r = 0; r < rows; r += step) {
        if (row_file_get(file, r, room, room + file->row, error) != 0)
            return -1;
        if (!look_at(look, room, length ? length[r] : valid, k) && weights == SIM_PROBABILITIES)
            return message_set(error,
                               "has an element below 0 in row %" PRIu64
                               ", which is no probability; give " MEMBER "weights_are scores",
                               r);
    }
    return 0;
}

int row_look(const struct row_file *file, uint64_t rows, uint64_t valid, const uint64_t *length,
             uint64_t k, enum sim_weights weights, char masks[ROW_NOTICE],
             char weights_line[ROW_NOTICE])
{
    struct look look = {0};
    char text[80], value[48];
    const struct message error = {masks, ROW_NOTICE};
    *masks = *weights_line = '\0';
    double *room = malloc(2 * (size_t)file->row * sizeof *room);
    const int failed = room
                           ? look_at_rows(file, rows, valid, length, k, weights, room, &look, error)
                           : message_set(error, "has rows that do not fit into memory");
    free(room);
    if (failed)
        return -1;
    if (look.far.rows + look.equal.rows > 0) {
        const bool far = look.far.rows;
        const uint64_t also = !far || look.equal.most <= look.far.most ? look.equal.rows : 0;
        count_rows(text, look.far.rows + also, &look, rows);
        text_of_number(value, 6, far ? look.far.most : look.equal.least);
        snprintf(masks, ROW_NOTICE,
                 "%s have fewer than k = %" PRIu64
                 " elements above %s; if that is a mask, give " MEMBER "mask_below %s",
                 text, k, value, value);
    }
    if (look.probabilities * 2 > look.rows && weights == SIM_WEIGHTS_UNSAID) {
        count_rows(text, look.probabilities, &look, rows);
        snprintf(weights_line, ROW_NOTICE,
                 "%s have no element below 0 and sum to at most 1, or to 100, as probabilities do, "
                 "and weights are exp(x); give " MEMBER
                 "weights_are probabilities for x, or scores",
                 text);
    }
    return 0;
}
