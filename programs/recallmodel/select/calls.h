/* calls.h - how a choice is written, whole: what to install and import, the call with all
 * arguments, what it assumes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CALLS_H
#define CALLS_H

#include <model/recallmodel.h>

#define CALL_LENGTH 1500

struct call {
    const char *key;        /* in JSON */
    const char *title;      /* "PyTorch (graphcore-research/pytorch-approx-topk)" */
    const char *kernel;     /* of which kernel it is; NULL: none */
    bool offered;           /* is it for this kind of device? Others are not shown */
    char text[CALL_LENGTH]; /* lines; empty: it cannot express the choice, nor anything near */
    struct rcm_point is;    /* what it runs; INFINITY: nothing */
};

/* On a CPU CALL_CPU is the one to show, exact or not, and CALL_NUMPY its buckets beside exact
 * top-k; plain PyTorch runs there, too. */
enum {
    CALL_C,
    CALL_GRAPHCORE,
    CALL_JAX,
    CALL_PYTORCH,
    CALL_NUMPY,
    CALL_EXACT,
    CALL_C_EXACT,
    CALL_CPU,
    CALLS
};

/* The calls for a choice. If a framework cannot express it, the call is the nearest that also
 * reaches the target; with a budget (> 0), the one with the most recall for as many candidates.
 * exact: the fastest that can be called, NULL: torch.topk; if it is ours, there is CALL_C_EXACT.
 * both: buckets are to be timed beside exact top-k. */
void calls_make(struct call calls[CALLS], const struct rcm_selection *selection,
                const struct rcm_choice *choice, double budget, const struct rcm_contender *exact,
                bool both);

/* The call to show on this kernel for the buckets of the choice, or for exact top-k. */
const struct call *calls_shown(const struct call calls[CALLS],
                               const struct rcm_selection *selection,
                               const struct rcm_choice *choice, bool buckets);

#endif
