/* short_model.h - runs of the kernel "samaga", whose times follow the short model, with random
 * errors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SHORT_MODEL_H
#define SHORT_MODEL_H

#include <calibrate/fit.h>
#include <tests/test.h>

#define RUNS_MOST 8000

static struct run runs[RUNS_MOST];

static inline double normal(uint64_t *state)
{
    double sum = 0.0;
    for (unsigned i = 0; i < 12; i++)
        sum += (double)(next_random(state) >> 11) * 0x1p-53 - 0.5;
    return sum;
}

static inline void set_times(const struct rcm_profile *q, size_t length, double noise,
                             uint64_t *state)
{
    for (size_t i = 0; i < length; i++) {
        runs[i].row = i;
        runs[i].time_us = predicted_us(q, &runs[i]) * exp(noise * normal(state));
    }
}

static inline struct rcm_profile short_profile(void)
{
    return (struct rcm_profile){.kernel = rcm_kernel_by_name("samaga"), .dtype = RCM_F32};
}

#endif
