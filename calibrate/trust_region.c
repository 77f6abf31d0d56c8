/* trust_region.c - see trust_region.h. Derivation: docs/models.md 14, "Least squares".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "trust_region.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define FIRST_DAMPING 1e-3
#define REJECTIONS_MOST 15

/* Of n residuals and p parameters. Column i of `jacobian` begins at i n. factor() turns J P into
 * Q R, where column i of J P is column order[i] of J: then R[i, j] is element i of that of j. */
struct state {
    size_t n, p, *order;
    double *f, *trial_f;     /* n each; trial_f is also used for Q'f and for differences */
    double *jacobian;        /* n p */
    double *gradient;        /* p: J'f */
    double *scale;           /* p: D, the largest norm of each column of J so far, 1 if it is 0 */
    double *rotated;         /* p: the first p elements of Q'f */
    double *step, *trial_x;  /* p each */
    double *damped, *row;    /* p p and p: for damped_step() */
    double norm, mu, growth; /* |f|, the damping, and by what the next rejection multiplies it */
};

static double dot(const double *a, const double *b, size_t length)
{
    double sum = 0.0;
    for (size_t i = 0; i < length; i++)
        sum += a[i] * b[i];
    return sum;
}

static double norm_of(const double *a, size_t length)
{
    return sqrt(dot(a, a, length));
}

/* Makes room for a system in one block, which the caller frees; NULL without memory. */
static double *make_state(const struct least_squares *system, struct state *s)
{
    const size_t n = system->residuals, p = system->parameters;
    *s = (struct state){.n = n, .p = p};
    if (p == 0 || n < p || n > SIZE_MAX / sizeof(double) / 4 / (p + 2))
        return NULL;
    double *block = calloc(n * (p + 2) + p * (p + 6), sizeof *block);
    s->order = block ? malloc(p * sizeof *s->order) : NULL;
    if (!s->order) {
        free(block);
        return NULL;
    }
    s->f = block;
    s->trial_f = s->f + n;
    s->jacobian = s->trial_f + n;
    s->gradient = s->jacobian + n * p;
    s->scale = s->gradient + p;
    s->rotated = s->scale + p;
    s->step = s->rotated + p;
    s->trial_x = s->step + p;
    s->row = s->trial_x + p;
    s->damped = s->row + p;
    return block;
}

/* ---- the linear system */

static double *column_of(const struct state *s, size_t i)
{
    return s->jacobian + s->order[i] * s->n;
}

static void differentiate(const struct least_squares *system, struct state *s, double *x)
{
    for (size_t i = 0; i < s->p; i++) {
        const double at = x[i], size = sqrt(DBL_EPSILON) * fabs(at),
                     difference = size > 0.0 ? size : sqrt(DBL_EPSILON);
        double *column = s->jacobian + i * s->n;
        x[i] = at + difference;
        system->residuals_at(x, system->context, column);
        x[i] = at;
        for (size_t j = 0; j < s->n; j++)
            column[j] = (column[j] - s->f[j]) / difference;
    }
}

/* Puts the longest of the columns from i on, of which rows 0 to i - 1 are done, at place i. */
static double pivot(struct state *s, size_t i)
{
    size_t longest = i;
    double most = -1.0;
    for (size_t j = i; j < s->p; j++) {
        const double norm = norm_of(column_of(s, j) + i, s->n - i);
        if (norm > most) {
            most = norm;
            longest = j;
        }
    }
    const size_t moved = s->order[i];
    s->order[i] = s->order[longest];
    s->order[longest] = moved;
    return norm_of(column_of(s, i) + i, s->n - i);
}

/* Turns J into R by a reflection for each column, the longest first, and f into Q'f. The vector of
 * a reflection is applied to what is left and then forgotten. */
static void factor(struct state *s)
{
    for (size_t i = 0; i < s->p; i++)
        s->order[i] = i;
    for (size_t j = 0; j < s->n; j++)
        s->trial_f[j] = s->f[j];
    for (size_t i = 0; i < s->p; i++) {
        const double norm = pivot(s, i);
        double *v = column_of(s, i) + i;
        if (norm == 0.0)
            break; /* So are all that follow. */
        const double diagonal = -copysign(norm, v[0]), half = norm * (norm + fabs(v[0]));
        v[0] -= diagonal;
        for (size_t j = i + 1; j <= s->p; j++) {
            double *other = (j < s->p ? column_of(s, j) : s->trial_f) + i;
            const double part = dot(v, other, s->n - i) / half;
            for (size_t k = 0; k < s->n - i; k++)
                other[k] -= part * v[k];
        }
        v[0] = diagonal;
    }
    for (size_t i = 0; i < s->p; i++)
        s->rotated[i] = s->trial_f[i];
}

/* At x, of which f is known: J, its scale, the gradient, and R. */
static void linearise(const struct least_squares *system, struct state *s, double *x)
{
    differentiate(system, s, x);
    for (size_t i = 0; i < s->p; i++) {
        const double *column = s->jacobian + i * s->n, norm = norm_of(column, s->n);
        s->gradient[i] = dot(column, s->f, s->n);
        s->scale[i] = fmax(s->scale[i], norm == 0.0 ? 1.0 : norm);
    }
    factor(s);
}

/* Adds the row, of which elements 0 to i - 1 are 0, to the triangle `damped` and its right hand
 * side `step`, by rotations that make the row 0. */
static void add_row(struct state *s, size_t i)
{
    double right = 0.0;
    for (; i < s->p; i++) {
        double *line = s->damped + i * s->p;
        const double length = hypot(line[i], s->row[i]);
        if (s->row[i] == 0.0)
            continue;
        const double cosine = line[i] / length, sine = s->row[i] / length, z = s->step[i];
        for (size_t j = i; j < s->p; j++) {
            const double above = line[j], below = s->row[j];
            line[j] = cosine * above + sine * below;
            s->row[j] = cosine * below - sine * above;
        }
        s->step[i] = cosine * z + sine * right;
        right = cosine * right - sine * z;
    }
}

/* Sets the step that minimises |f + J step|^2 + mu |D step|^2, and returns by how much of |f|^2 the
 * sum of squares becomes less if f is linear; `row` gets the step in the order of R. */
static double damped_step(struct state *s)
{
    const size_t p = s->p;
    for (size_t i = 0; i < p; i++) {
        s->step[i] = s->rotated[i];
        for (size_t j = i; j < p; j++)
            s->damped[i * p + j] = column_of(s, j)[i];
    }
    for (size_t i = 0; i < p; i++) {
        for (size_t j = 0; j < p; j++)
            s->row[j] = 0.0;
        s->row[i] = sqrt(s->mu) * s->scale[s->order[i]];
        add_row(s, i);
    }
    for (size_t i = p; i-- > 0;) {
        double sum = s->step[i];
        for (size_t j = i + 1; j < p; j++)
            sum += s->damped[i * p + j] * s->row[j];
        s->row[i] = -sum / s->damped[i * p + i];
    }
    double linear = 0.0, scaled = 0.0;
    for (size_t i = 0; i < p; i++) {
        double change = 0.0;
        for (size_t j = i; j < p; j++)
            change += column_of(s, j)[i] * s->row[j];
        linear += change * change;
        const double distance = s->scale[s->order[i]] * s->row[i];
        scaled += distance * distance;
    }
    for (size_t i = 0; i < p; i++)
        s->step[s->order[i]] = s->row[i];
    return (linear + 2.0 * s->mu * scaled) / (s->norm * s->norm);
}

/* ---- the steps */

static void start(const struct least_squares *system, struct state *s, double *x)
{
    system->residuals_at(x, system->context, s->f);
    s->norm = norm_of(s->f, s->n);
    linearise(system, s, x);
    s->mu = FIRST_DAMPING; /* times the square of the longest column of J/D, which is 1 */
    s->growth = 2.0;
}

/* Tries the step with the present damping. Returns whether it was accepted. */
static bool try_step(const struct least_squares *system, struct state *s, double *x)
{
    const double predicted = damped_step(s);
    for (size_t i = 0; i < s->p; i++)
        s->trial_x[i] = x[i] + s->step[i];
    system->residuals_at(s->trial_x, system->context, s->trial_f);
    const double norm = norm_of(s->trial_f, s->n), share = norm / s->norm,
                 gain = (1.0 - share * share) / predicted;
    if (!(norm < s->norm && gain > 0.0)) {
        s->mu *= s->growth;
        s->growth *= 2.0;
        return false;
    }
    double *accepted = s->trial_f;
    s->trial_f = s->f;
    s->f = accepted;
    s->norm = norm;
    for (size_t i = 0; i < s->p; i++)
        x[i] = s->trial_x[i];
    s->mu *= fmax(1.0 / 3.0, 1.0 - pow(2.0 * gain - 1.0, 3.0));
    s->growth = 2.0;
    linearise(system, s, x);
    return true;
}

static bool small_step(const struct state *s, const double *x, double tolerance)
{
    for (size_t i = 0; i < s->p; i++)
        if (!(fabs(s->step[i]) < tolerance * (tolerance + fabs(x[i]))))
            return false;
    return true;
}

static bool small_gradient(const struct state *s, const double *x, double tolerance)
{
    const double least = tolerance * fmax(0.5 * s->norm * s->norm, 1.0);
    for (size_t i = 0; i < s->p; i++)
        if (!(fabs(s->gradient[i] * fmax(x[i], 1.0)) <= least))
            return false;
    return true;
}

/* The diagonal of P R^-1 R'^-1 P'. The inverse of R, column after column, into `damped`. */
static void invert(struct state *s, double *inverse)
{
    const size_t p = s->p;
    size_t rank = 0;
    while (rank < p && column_of(s, rank)[rank] != 0.0)
        rank++;
    for (size_t i = 0; i < p; i++)
        inverse[i] = 0.0;
    for (size_t j = 0; j < rank; j++)
        for (size_t i = j + 1; i-- > 0;) {
            double sum = i == j ? 1.0 : 0.0;
            for (size_t k = i + 1; k <= j; k++)
                sum -= column_of(s, k)[i] * s->damped[k * p + j];
            const double element = sum / column_of(s, i)[i];
            s->damped[i * p + j] = element;
            inverse[s->order[i]] += element * element;
        }
}

struct trust_region_result minimise_squares(const struct least_squares *system, double *x,
                                            double *inverse)
{
    struct trust_region_result result = {.end = TRUST_REGION_FAILED};
    struct state s;
    double *block = make_state(system, &s);
    if (!block)
        return result;
    start(system, &s, x);
    result.end = TRUST_REGION_MOST_STEPS;
    while (result.end == TRUST_REGION_MOST_STEPS && result.steps < system->most_steps) {
        unsigned rejected = 0;
        while (rejected <= REJECTIONS_MOST && !try_step(system, &s, x))
            rejected++;
        const bool progress = rejected <= REJECTIONS_MOST;
        result.steps++;
        if (!progress && result.steps == 1)
            result.end = TRUST_REGION_NO_PROGRESS;
        else if (small_step(&s, x, system->step_tolerance))
            result.end = TRUST_REGION_SMALL_STEP;
        else if (small_gradient(&s, x, system->gradient_tolerance))
            result.end = TRUST_REGION_SMALL_GRADIENT;
        else if (!progress)
            result.end = TRUST_REGION_NO_PROGRESS;
    }
    result.norm = s.norm;
    invert(&s, inverse);
    free(s.order);
    free(block);
    return result;
}
