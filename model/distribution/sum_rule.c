/* sum_rule.c - see sum_rule.h. Derivation: docs/models.md 17.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "sum_rule.h"

#include <math.h>

/* Whole numbers near the nodes of Chebyshev, each once. */
static void choose_nodes(struct sum_rule *rule, uint64_t length)
{
    const double half = 0.5 * (double)(length - 1);
    for (unsigned i = 0; i < SUM_NODES; i++) {
        const double angle = 3.14159265358979323846 * (double)i / (SUM_NODES - 1);
        uint64_t x = (uint64_t)(half * (1.0 - cos(angle)) + 0.5);
        if (i > 0 && x <= rule->at[i - 1])
            x = rule->at[i - 1] + 1;
        rule->at[i] = x;
    }
    for (unsigned i = SUM_NODES, last = 0; i-- > 0; last++) /* room for those above */
        if (rule->at[i] > length - 1 - last)
            rule->at[i] = length - 1 - last;
}

/* row[j] = the polynomial of degree j at x, where these are orthogonal on 0 .. length - 1 (Gram),
 * scaled to about 1 at the ends. */
static void gram(double row[SUM_NODES], uint64_t length, uint64_t x)
{
    const double l = (double)length, y = (2.0 * (double)x - (l - 1.0)) / l;
    row[0] = 1.0;
    row[1] = y;
    for (unsigned j = 1; j + 1 < SUM_NODES; j++) {
        const double d = j, shorter = 1.0 - (d / l) * (d / l);
        row[j + 1] = ((2.0 * d + 1.0) * y * row[j] - d * shorter * row[j - 1]) / (d + 1.0);
    }
}

/* Solves a w = (right, 0, .., 0) by elimination; w overwrites `w`, and a is lost. */
static void solve(double a[SUM_NODES][SUM_NODES], double right, double w[SUM_NODES])
{
    for (unsigned i = 0; i < SUM_NODES; i++)
        w[i] = i == 0 ? right : 0.0;
    for (unsigned c = 0; c < SUM_NODES; c++) {
        unsigned pivot = c;
        for (unsigned i = c + 1; i < SUM_NODES; i++)
            pivot = fabs(a[i][c]) > fabs(a[pivot][c]) ? i : pivot;
        for (unsigned j = 0; j < SUM_NODES; j++) {
            const double swapped = a[c][j];
            a[c][j] = a[pivot][j];
            a[pivot][j] = swapped;
        }
        const double swapped = w[c];
        w[c] = w[pivot];
        w[pivot] = swapped;
        for (unsigned i = c + 1; i < SUM_NODES; i++) {
            const double factor = a[i][c] / a[c][c];
            for (unsigned j = c; j < SUM_NODES; j++)
                a[i][j] -= factor * a[c][j];
            w[i] -= factor * w[c];
        }
    }
    for (unsigned c = SUM_NODES; c-- > 0;) {
        for (unsigned j = c + 1; j < SUM_NODES; j++)
            w[c] -= a[c][j] * w[j];
        w[c] /= a[c][c];
    }
}

struct sum_rule sum_rule(uint64_t length)
{
    struct sum_rule rule = {.nodes = SUM_NODES};
    double matrix[SUM_NODES][SUM_NODES], row[SUM_NODES];
    if (length <= SUM_ALL) {
        rule.nodes = (unsigned)length;
        for (unsigned i = 0; i < rule.nodes; i++) {
            rule.at[i] = i;
            rule.weight[i] = 1.0;
        }
        return rule;
    }
    choose_nodes(&rule, length);
    for (unsigned i = 0; i < SUM_NODES; i++) {
        gram(row, length, rule.at[i]);
        for (unsigned j = 0; j < SUM_NODES; j++)
            matrix[j][i] = row[j];
    }
    solve(matrix, (double)length, rule.weight); /* all but the first sum to 0 */
    return rule;
}
