/* prior.c - what is known of a kernel's times before its runs: see fit.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fit.h"

/* Graphcore's will do where no profile is of the family of the kernel: its parameters are where the
 * fit begins, and the runs move them. */
static bool stand_in(const struct rcm_device *card, const struct rcm_kernel *kernel,
                     const enum rcm_dtype *dtype, struct rcm_profile *out)
{
    return rcm_stand_in_for(card, NULL, kernel, dtype, out) ||
           rcm_stand_in_for(card, NULL, rcm_kernel_by_name("graphcore"), dtype, out);
}

struct rcm_profile fit_prior(const struct rcm_device *device, const struct rcm_kernel *kernel,
                             enum rcm_dtype dtype)
{
    struct rcm_profile prior = {.kernel = kernel, .dtype = dtype}, from;
    const bool known = device && device->bandwidth_bytes_per_s > 0.0;
    /* a card of which nothing is known: the GPU of the stand-in, as it is */
    const struct rcm_device *card = known ? device : rcm_device_by_name("H100-PCIe");
    const struct rcm_time_parameter *parameter;
    if (kernel->model == RCM_TIME_CPU || !stand_in(card, kernel, &dtype, &from) ||
        from.kernel->model != kernel->model)
        return prior;
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++)
        if (parameter->k_b <= kernel->k_b_max)
            rcm_set_time_value(&prior, parameter, rcm_time_value(&from, parameter));
    prior.carried_from = from.carried_from;
    prior.source = from.name;
    return prior;
}
