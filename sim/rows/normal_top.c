/* normal_top.c - see normal_top.h.
 *
 * Of a row only the values above a point are drawn, which lies so low that k of them nearly always
 * do. How many elements lie between two of them has a geometric distribution.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "normal_top.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <base/statistics.h>

#include "random.h"

#define PI 3.14159265358979323846
#define FAR 8.0       /* standard deviations that the number of drawn values lies above k */
#define FAR_MORE 64   /* .. and so many more */
#define TAIL_FROM 1.0 /* from here on, values above a point are drawn as a tail */

static double share_above(double x)
{
    return 0.5 * erfc(x / sqrt(2.0));
}

int normal_top_begin(struct normal_top *top, uint64_t n, uint64_t k, uint64_t seed)
{
    const double most = (double)n, mean = (double)k + FAR * sqrt((double)k) + FAR_MORE;
    *top = (struct normal_top){.n = n, .k = (size_t)k, .seed = seed, .above = -INFINITY};
    if (2.0 * mean < most) {
        double low = 0.0, high = 40.0;
        for (int i = 0; i < 60; i++) {
            const double middle = 0.5 * (low + high);
            *(share_above(middle) * most > mean ? &low : &high) = middle;
        }
        top->above = low;
    }
    top->log_below = log1p(-share_above(top->above));
    top->room = isinf(top->above) ? (size_t)n : (size_t)(mean + 2.0 * FAR * sqrt(mean)) + 1;
    top->values = malloc(top->room * sizeof *top->values);
    return top->values ? 0 : -1;
}

/* A normal value above the point. The tail: Marsaglia 1964. */
static double draw_above(double point, struct random_stream *stream)
{
    for (;;) {
        const double u = random_open_unit(random_next(stream)),
                     v = random_open_unit(random_next(stream));
        const bool tail = point >= TAIL_FROM;
        const double x =
            tail ? sqrt(point * point - 2.0 * log(u)) : sqrt(-2.0 * log(u)) * cos(2.0 * PI * v);
        if (tail ? v * x < point : x > point)
            return x;
    }
}

/* Returns how many lie above the point, or so many as there is room for. */
static size_t draw_values(const struct normal_top *top, struct random_stream *stream)
{
    double left = (double)top->n;
    size_t count = 0;
    while (count < top->room) {
        const double gap = floor(log(random_open_unit(random_next(stream))) / top->log_below);
        if (gap >= left)
            break;
        left -= gap + 1.0;
        top->values[count++] = draw_above(top->above, stream);
    }
    return count;
}

void normal_top_draw(const struct normal_top *top, uint64_t row, double *x)
{
    struct random_stream stream =
        random_stream(random_key(top->seed, RANDOM_NORMAL_TOP, top->n), row);
    size_t count;
    do
        count = draw_values(top, &stream);
    while (count < top->k || (count == top->room && top->room < top->n)); /* 1 row in 10^14 */
    sort_doubles(top->values, count);
    for (size_t i = 0; i < top->k; i++)
        x[i] = top->values[count - 1 - i];
}
