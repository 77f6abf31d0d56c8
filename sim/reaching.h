/* reaching.h - counts R, the number of elements of a row that are at least as large as the k-th
 * largest candidate. Of elements that are equal to the candidate, R counts those whose index is not
 * larger; so R is the rank of the candidate in its row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_REACHING_H
#define SIM_REACHING_H

#include "top.h"

/* Counts R for each member of a group, after the walk over the top[0 .. length) and with
 * worker->missing set. The walk continues as far as the R of any member needs it; `stream` draws
 * the ranks of a placement. Returns by how many elements the walk became longer. */
uint64_t count_reaching(const struct simulation *simulation, const struct shape_group *group,
                        struct worker *worker, struct top *top, struct random_stream *stream,
                        size_t first_result);

#endif
