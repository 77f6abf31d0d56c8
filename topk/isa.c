/* isa.c - which instruction set runs: the best that this build has and this machine runs, unless
 * the caller or RCM_TOP_K_ISA names another.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "isa.h"

struct isa {
    const char *name;
    const struct kernels *kernels; /* by type */
    bool (*runs)(void);
};

static bool always(void)
{
    return true;
}

#if defined __x86_64__
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi2");
}
#endif

/* The best first. */
static const struct isa isas[] = {
#if defined __x86_64__
    {"avx512", topk_avx512, has_avx512},
    {"avx2", topk_avx2, has_avx2},
#endif
    {"generic", topk_generic, always},
};
enum { ISAS = sizeof isas / sizeof *isas };

static const struct isa *best(void)
{
    const struct isa *isa = isas;
    while (!isa->runs())
        isa++;
    return isa;
}

static _Atomic(const struct isa *) in_use;

/* Before start() below there is none in use. */
static const struct isa *current(void)
{
    const struct isa *isa = atomic_load_explicit(&in_use, memory_order_relaxed);
    return isa ? isa : best();
}

const struct kernels *topk_kernels(enum rcm_top_k_type type)
{
    return &current()->kernels[type];
}

const char *rcm_top_k_isa_in_use(void)
{
    return current()->name;
}

const char *rcm_top_k_isa(size_t index)
{
    for (size_t i = 0; i < ISAS; i++)
        if (isas[i].runs() && index-- == 0)
            return isas[i].name;
    return NULL;
}

bool rcm_top_k_use_isa(const char *name)
{
    const struct isa *isa = name ? NULL : best();
    for (size_t i = 0; name && i < ISAS; i++)
        if (strcmp(isas[i].name, name) == 0 && isas[i].runs())
            isa = &isas[i];
    if (isa)
        atomic_store_explicit(&in_use, isa, memory_order_relaxed);
    return isa != NULL;
}

__attribute__((constructor)) static void start(void)
{
    const char *asked = getenv("RCM_TOP_K_ISA");
    if (!asked || !rcm_top_k_use_isa(asked))
        rcm_top_k_use_isa(NULL);
}
