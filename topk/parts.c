/* parts.c - the parts of a row, one after the other or at once: see exact.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <base/threads.h>

#include "exact.h"

void topk_each_part(struct exact_run *run,
                    void (*visit)(const struct exact_run *run, struct part *part))
{
    int64_t count = (int64_t)run->count;
    if (run->job->threads == 1) {
        for (int64_t i = 0; i < count; i++)
            visit(run, &run->parts[i]);
        return;
    }
#pragma omp parallel for num_threads(threads_to_be_had(run->job->threads)) schedule(static)
    for (int64_t i = 0; i < count; i++)
        visit(run, &run->parts[i]);
}
