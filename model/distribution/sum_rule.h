/* sum_rule.h - internal to model/: sums over many neighbouring whole numbers from a few of them.
 * Derivation: docs/models.md 17.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SUM_RULE_H
#define SUM_RULE_H

#include <stdint.h>

enum { SUM_NODES = 24, SUM_ALL = 32 };

/* f(0) + .. + f(length - 1) = sum of weight[i] f(at[i]) for i < nodes, where `at` ascends: every
 * number with the weight 1 up to SUM_ALL of them; beyond that SUM_NODES of them, exact for
 * polynomials of degree < SUM_NODES. */
struct sum_rule {
    unsigned nodes;
    uint64_t at[SUM_ALL];
    double weight[SUM_ALL];
};

/* 1 <= length <= 2^53. */
struct sum_rule sum_rule(uint64_t length);

#endif
