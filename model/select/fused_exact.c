/* fused_exact.c - exact top-k in the kernel of the product: see recallmodel/select.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "answer.h"
#include "search.h"

struct rcm_fused_exact rcm_fused_exact(const struct rcm_selection *s)
{
    const struct rcm_objective *objective = search_objective(s);
    const struct rcm_machine *machine = &s->machine;
    const struct rcm_device *device = machine->device;
    struct rcm_fused_exact f = {.sample = {s->p.n, s->p.k, s->p.n / RCM_FUSED_SAMPLE, 0},
                                .survivors = s->p.n,
                                .stage2_us = NAN,
                                .time_us = NAN};
    if (!machine->d || !device || !(objective->measure & RCM_IN_US) ||
        (objective->need == RCM_NEEDS_PROFILE && !machine->profile))
        return f;
    f.sample.rank = rcm_sample_rank(s->p.n, s->p.k, f.sample.sample, RCM_FUSED_TOO_FEW);
    if (f.sample.rank > 0)
        f.survivors = (uint64_t)fmin(ceil(rcm_sampled(f.sample, s->p.n).mean), (double)s->p.n);
    struct rcm_topk p = s->p;
    p.b = f.survivors;
    p.k_b = 1;
    f.product =
        rcm_product_above(device, machine->dtype, s->p, machine->d,
                          f.sample.rank > 0 ? (double)f.sample.sample : 0.0, (double)f.survivors);
    f.stage2_us = objective->need == RCM_NEEDS_DEVICE ? rcm_stage2_us(device, machine->dtype, p)
                                                      : rcm_predict(machine->profile, p).stage2_us;
    f.time_us = rcm_with_launch(s, f.product.fused_through_memory_us + f.stage2_us) +
                (f.sample.rank > 0 ? device->shortest_kernel_us : 0.0);
    return f;
}

/* ---- as a contender */

const struct rcm_contender answer_anybody = {
    .callable = true, .objective = NAN, .time_us = NAN, .low_us = NAN, .high_us = NAN};

#define TYPE RCM_BF16 /* of the vectors of this project's kernel, */
#define SMALL_D 64    /* and how many components they have */
#define LARGE_D 128

/* Who has such a kernel; NULL: nobody. */
static const struct rcm_provider *provider_of(const struct rcm_selection *s)
{
    const struct rcm_provider *provider = rcm_provider_of("recallmodel_fused");
    const uint64_t d = s->machine.d;
    return provider->package && answer_has(s, provider) && rcm_runs_cuda(s->machine.device) &&
                   s->machine.dtype == TYPE && (d == SMALL_D || d == LARGE_D)
               ? provider
               : NULL;
}

struct rcm_contender answer_fused(const struct rcm_selection *s)
{
    struct rcm_contender fused = answer_anybody;
    fused.bound = fused.fused = true;
    fused.objective = fused.time_us = rcm_fused_exact(s).time_us;
    const struct rcm_provider *provider = isnan(fused.objective) ? NULL : provider_of(s);
    fused.name = provider ? provider->name : NULL;
    fused.package = provider ? provider->package : NULL;
    fused.call = provider ? provider->call : NULL;
    return fused;
}
