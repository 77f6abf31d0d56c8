/* recallmodel/provider.h - exact top-k that one can call: by whom, how, on which cards, and how
 * long it takes there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_PROVIDER_H
#define RECALLMODEL_PROVIDER_H

#include "cost.h"
#include "time.h"

RCM_BEGIN

/* Who provides a kernel. A registry row: rcm_provider(0), .. until NULL. By name: the row whose
 * `kernel` is the longest beginning of the name of a profile; NULL: there is none. */
struct rcm_provider {
    const char *kernel;  /* how the names of its profiles begin */
    const char *name;    /* as people call it: "torch.topk" */
    const char *package; /* that one installs; NULL: it was measured, and nobody can install it */
    const char *call;    /* how it is called; x: m rows of n values */
    const char *fault;   /* that is known of it; NULL: none is */
    bool any_cuda;       /* it runs on every card with CUDA from compute capability 7.5 on, for any
                            rows: its profile is carried to those, and to longer and more rows */
};
const struct rcm_provider *rcm_provider(size_t index);
const struct rcm_provider *rcm_provider_of(const char *name);

/* The rows whose `kernel` begins with a name that somebody types, such as "torch" or "sglang": bit
 * i is rcm_provider(i). 0: there is none, or nobody can install it. */
uint32_t rcm_providers_named(const char *name);

/* Does the card run CUDA, with compute capability 7.5 or later? */
bool rcm_runs_cuda(const struct rcm_device *device);

/* Exact top-k on a card, of rows of n values, by one provider. */
struct rcm_exact_contender {
    const struct rcm_provider *provider;
    struct rcm_profile profile; /* as it was measured on the card, or carried to it */
    const char *card;           /* where it was measured */
    struct rcm_prediction time;
    /* measured for larger k (longer rows, more rows) alone: it takes at most that time, and its
     * band begins at RCM_BEYOND_LOW_RATIO of it */
    bool at_most;
    /* rows padded to so many elements take less, and it is their time: see
     * rcm_predict_exact_padded(); 0: they are not padded */
    uint64_t padded_n;
    /* no run was of so long or so many rows: the band is at least RCM_BEYOND_LOW_RATIO to
     * RCM_BEYOND_HIGH_RATIO of the time */
    bool beyond;
};

/* All exact kernels that can run on the card: those that were measured there; those of another card
 * of its architecture, carried (rcm_carry_exact); and of any card, if the provider runs on every
 * one. Of each provider the nearest: measured there before carried, then by the rate of memory, and
 * the fastest of those on one card. A row takes no longer than a longer one, to which it may be
 * padded. The fastest comes first; those that nobody can call are last.
 * dtype: NULL: of values of any width. ties: only what takes equal elements so, or better.
 * Returns   how many of them there are in out, at most RCM_EXACT_MOST.
 * Source    docs/models.md 21. */
#define RCM_EXACT_MOST 16
size_t rcm_exact_contenders(const struct rcm_device *device, const enum rcm_dtype *dtype,
                            enum rcm_keeps_ties ties, struct rcm_topk p,
                            struct rcm_exact_contender out[RCM_EXACT_MOST]);

RCM_END

#endif
