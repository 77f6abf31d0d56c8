/* stored.h - vectors that are drawn, and stored in 8 or 4 bits by the definition of a format, from
 * a list of its numbers; and means of what is measured.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STORED_H
#define STORED_H

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include <tests/test.h>

#define FORMATS 5

/* ---- formats, by their definitions: the numbers from 0 up */

struct list {
    int count;
    double of[256];
};

/* Exponents from `least` on, with so many steps to an octave; before them as many from 0. */
static inline struct list numbers(int steps, int least, double largest)
{
    struct list list = {0};
    for (int step = 0; step < steps; step++)
        list.of[list.count++] = ldexp((double)step / steps, least);
    for (int exponent = least; list.of[list.count - 1] < largest; exponent++)
        for (int step = 0; step < steps && list.of[list.count - 1] < largest; step++)
            list.of[list.count++] = ldexp(1.0 + (double)step / steps, exponent);
    return list;
}

/* The nearest; of two as near the one at an even place. */
static inline double nearest(const struct list *list, double x)
{
    const double size = fabs(x);
    int low = 0, high = list->count - 1;
    if (size >= list->of[high])
        return copysign(list->of[high], x);
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        *(list->of[middle] <= size ? &low : &high) = middle;
    }
    const double down = size - list->of[low], up = list->of[high] - size;
    return copysign(list->of[down < up || (down == up && low % 2 == 0) ? low : high], x);
}

static inline struct list list_of(const char *name)
{
    struct list integers = {.count = 128};
    for (int i = 0; i < 128; i++)
        integers.of[i] = i;
    return strcmp(name, "f8e4m3") == 0   ? numbers(8, -6, 448.0)
           : strcmp(name, "f8e5m2") == 0 ? numbers(4, -14, 57344.0)
           : strcmp(name, "int8") == 0   ? integers
                                         : numbers(2, 0, 6.0);
}

/* Stores `rows` vectors of d elements as the format `name` does. */
static inline void store(const char *name, const double *x, double *stored, size_t rows, size_t d)
{
    const struct list list = list_of(name), scales = numbers(8, -6, 448.0);
    const bool nvidia = strcmp(name, "nvfp4") == 0, ocp = strcmp(name, "mxfp4") == 0;
    const size_t most = nvidia ? 16 : ocp ? 32 : d, block = most < d ? most : d;
    double all = 0.0;
    for (size_t i = 0; i < rows * d; i++)
        all = fmax(all, fabs(x[i]));
    for (size_t at = 0; at < rows * d; at += block) {
        double largest = 0.0, scale;
        for (size_t i = at; i < at + block; i++)
            largest = fmax(largest, fabs(x[i]));
        if (ocp)
            scale = ldexp(1.0, (int)floor(log2(largest)) - 2);
        else if (nvidia)
            scale = nearest(&scales, largest / 6.0 / (all / (6.0 * 448.0))) * all / (6.0 * 448.0);
        else
            scale = largest / list.of[list.count - 1];
        for (size_t i = at; i < at + block; i++)
            stored[i] = scale * nearest(&list, x[i] / scale);
    }
}

/* Vectors with elements of a spread that is not known. */
static inline void draw(gsl_rng *rng, double *x, size_t count)
{
    const double sd = exp2(gsl_rng_uniform(rng));
    for (size_t i = 0; i < count; i++)
        x[i] = gsl_ran_gaussian_ziggurat(rng, sd);
}

struct means {
    double rows, sum, square;
};

static inline void add(struct means *m, double x)
{
    m->rows += 1.0;
    m->sum += x;
    m->square += x * x;
}

static inline double mean_of(const struct means *m)
{
    return m->sum / m->rows;
}

/* The standard error of the mean. */
static inline double error_of(const struct means *m)
{
    return sqrt((m->square / m->rows - mean_of(m) * mean_of(m)) / (m->rows - 1.0));
}

#endif
