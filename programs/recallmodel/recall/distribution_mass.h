/* distribution_mass.h - distribution: what the lost elements of a row weigh.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DISTRIBUTION_MASS_H
#define DISTRIBUTION_MASS_H

#include <programs/common/json.h>
#include <programs/recallmodel/question/query.h>

/* Of the shares of rows that may lose more, those below 1e-3 are left out. */

/* A table with a row for each shape of the query, and what it means. Nothing without weights. */
void distribution_mass_print(const struct query *query, const struct question *question,
                             const struct decimal *shares, size_t length, bool colour);

/* Puts lost_mass, lost_mass_sd and lost_mass_quantiles of a shape into its JSON. */
void distribution_mass_json(json_t *shape, const struct query *query, struct rcm_topk p,
                            const struct decimal *shares, size_t length);

#endif
