/* parts.c - the parts of a row, one after the other or at once: see exact.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "exact.h"
#include "team.h"

struct visit {
    const struct exact_run *run;
    void (*part)(const struct exact_run *run, struct part *part);
};

static void visit_part(void *context, uint64_t i, unsigned member)
{
    (void)member;
    const struct visit *visit = context;
    visit->part(visit->run, &visit->run->parts[i]);
}

void topk_each_part(struct exact_run *run,
                    void (*visit)(const struct exact_run *run, struct part *part))
{
    topk_team(run->job->threads, run->count, visit_part, &(struct visit){run, visit});
}
