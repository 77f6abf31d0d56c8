/* stand_in.c - the profile that answers for a card without one: docs/models.md 21.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include <model/recallmodel/provider.h>

/* The ratios are those of plots/carried.py, which a test compares. Of a card with one kernel alone
 * there are none of its own: they are those of all buckets on GPUs. */
static const struct rcm_stand_in stand_ins[] = {
    {.cards = "TPU",
     .profile = "TPUv5e",
     .why = "the only TPU with published times of both stages",
     .low_ratio = 0.267,
     .high_ratio = 9.32,
     .measured = "Helion's kernel on a TPU v7x"},
    {.cards = "",
     .profile = "H100-PCIe",
     .why = "the only GPU with published times of both stages for several k_b, k and m",
     .low_ratio = 0.711,
     .high_ratio = 2.47,
     .exact_low_ratio = 0.625,
     .exact_high_ratio = 1.86,
     .measured = "buckets on an A10G and an RTX 3090; torch.topk on four cards"},
    {.cards = "",
     .profile = "V100S",
     .why = "the only card with published times of this kernel",
     .low_ratio = 0.711,
     .high_ratio = 2.47,
     .measured = "buckets of other kernels on an A10G and an RTX 3090"},
};

const struct rcm_stand_in *rcm_stand_in(size_t index)
{
    return index < sizeof stand_ins / sizeof *stand_ins ? &stand_ins[index] : NULL;
}

/* to/from, or 1 where one of them is not known. */
static double ratio(double to, double from)
{
    return to > 0.0 && from > 0.0 ? to / from : 1.0;
}

/* Bytes of a line, and microseconds of a second. */
#define LINE_BYTES 128.0
#define SECOND_US 1e6

/* Did the lines come more slowly than the memory delivers them? Then they waited for the memory,
 * and otherwise for the warps that ask for them. */
static bool lines_wait_for_memory(const struct rcm_profile *q, const struct rcm_device *card)
{
    return q->lines_per_us * LINE_BYTES * SECOND_US < card->bandwidth_bytes_per_s;
}

struct rcm_profile rcm_carry(const struct rcm_profile *profile, const struct rcm_device *from,
                             const struct rcm_device *to, enum rcm_dtype dtype,
                             const struct rcm_stand_in *stand_in)
{
    struct rcm_profile q = *profile;
    const double memory = ratio(to->bandwidth_bytes_per_s, from->bandwidth_bytes_per_s),
                 units = ratio(to->multiprocessors, from->multiprocessors),
                 vector = ratio(to->vector_rate_per_s, from->vector_rate_per_s),
                 launch = ratio(to->shortest_kernel_us, from->shortest_kernel_us),
                 width = rcm_dtype_bytes(dtype) / rcm_dtype_bytes(profile->dtype);
    const struct {
        double *value, factor;
    } terms[] = {
        {&q.roof_bytes_per_s, memory},
        {&q.blocks_at_once, units},
        {&q.lines_per_us, lines_wait_for_memory(profile, from) ? memory : vector},
        {&q.operations_per_s, vector},
        {&q.launch_us, launch},
        {&q.select_element_us, width},
        {&q.select_batch_us, q.kernel->model == RCM_TIME_SHORT ? width / units : width},
        {&q.split_element_us, width / units},
    };
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        *terms[i].value *= terms[i].factor;
    q.dtype = dtype;
    q.stands_in_for = to->name;
    q.carried_from = profile->dtype;
    q.held_out_p05_ratio = stand_in->low_ratio;
    q.held_out_p95_ratio = stand_in->high_ratio;
    q.held_out_exact_p05_ratio = stand_in->exact_low_ratio;
    q.held_out_exact_p95_ratio = stand_in->exact_high_ratio;
    return q;
}

/* The profile with this name that has a stage 1. */
static const struct rcm_profile *profile_named(const char *name)
{
    const struct rcm_profile *q;
    for (size_t i = 0; (q = rcm_profile(i)); i++)
        if (q->kernel->model != RCM_TIME_EXACT && strcmp(q->name, name) == 0)
            break;
    return q;
}

/* Does the profile answer for the kernel? */
static bool knows(const struct rcm_profile *q, const struct rcm_kernel *kernel)
{
    return !kernel || kernel == rcm_kernel(0) || strcmp(q->kernel->family, kernel->family) == 0;
}

static bool is_for(const struct rcm_stand_in *row, const struct rcm_device *device)
{
    return strncmp(device->name, row->cards, strlen(row->cards)) == 0;
}

/* Buckets of this project's kernel, which every card with CUDA can run, carried from the card where
 * they were measured: of the width of the type, if one is asked for. */
static bool carry_ours(const struct rcm_device *device, const struct rcm_kernel *kernel,
                       const enum rcm_dtype *dtype, struct rcm_profile *out)
{
    const struct rcm_profile *q;
    for (size_t i = 0; rcm_runs_cuda(device) && (q = rcm_profile(i)); i++) {
        const struct rcm_device *from = rcm_device_by_name(q->name);
        if (strcmp(q->kernel->family, "ours") != 0 || !from || !knows(q, kernel) ||
            (dtype && rcm_dtype_bytes(*dtype) != rcm_dtype_bytes(q->dtype)))
            continue;
        *out = rcm_carry_buckets(q, from, device);
        out->dtype = dtype ? *dtype : q->dtype;
        if (kernel && kernel->work)
            out->kernel = kernel;
        return true;
    }
    return false;
}

bool rcm_stand_in_for(const struct rcm_device *device, const struct rcm_profile *own,
                      const struct rcm_kernel *kernel, const enum rcm_dtype *dtype,
                      struct rcm_profile *out)
{
    const struct rcm_stand_in *row;
    if (own ? own->kernel->model == RCM_TIME_CPU : !(device->bandwidth_bytes_per_s > 0.0))
        return false;
    if (!own && carry_ours(device, kernel, dtype, out))
        return true;
    for (size_t i = 0; (row = rcm_stand_in(i)); i++) {
        const struct rcm_profile *q = own ? own : profile_named(row->profile);
        const struct rcm_device *from = own ? device : rcm_device_by_name(row->profile);
        if (!is_for(row, device) || !q || !knows(q, kernel))
            continue;
        *out = rcm_carry(q, from, device, dtype ? *dtype : q->dtype, row);
        if (kernel && kernel->work)
            out->kernel = kernel;
        return true;
    }
    return false;
}

/* ---- what answers */

/* The profiles of a card that have a stage 1: own, or those of the library; NULL at the end. */
static const struct rcm_profile *profile_of_card(const struct rcm_device *device,
                                                 const struct rcm_profile *own, size_t index)
{
    const struct rcm_profile *q =
        own && index == 0 && own->kernel->model != RCM_TIME_EXACT ? own : NULL;
    for (size_t i = 0; !own && (q = rcm_profile(i)); i++)
        if (q->kernel->model != RCM_TIME_EXACT && strcmp(q->name, device->name) == 0 &&
            index-- == 0)
            break;
    return q;
}

struct rcm_profile_answer rcm_profile_for(const struct rcm_device *device,
                                          const struct rcm_profile *own,
                                          const struct rcm_kernel *kernel,
                                          const enum rcm_dtype *dtype)
{
    struct rcm_profile_answer best = {0};
    const struct rcm_profile *q, *family = NULL;
    unsigned least = 4;
    kernel = kernel && kernel->work ? kernel : NULL;
    for (size_t i = 0; (q = profile_of_card(device, own, i)); i++) {
        const struct rcm_profile_answer a = {.found = true,
                                             .profile = *q,
                                             .kernel = kernel ? kernel : q->kernel,
                                             .dtype = dtype ? *dtype : q->dtype,
                                             .other_kernel = kernel && q->kernel != kernel,
                                             .other_dtype = dtype && q->dtype != *dtype};
        const unsigned off = 1u * a.other_dtype + 2u * a.other_kernel;
        if (!knows(q, kernel))
            continue;
        family = family ? family : q;
        if (off < least && rcm_dtype_bytes(a.dtype) == rcm_dtype_bytes(q->dtype)) {
            least = off;
            best = a;
        }
    }
    if (!best.found && (family || !own) &&
        rcm_stand_in_for(device, family, kernel, dtype, &best.profile)) {
        best.found = true;
        best.kernel = best.profile.kernel;
        best.dtype = best.profile.dtype;
    }
    return best;
}

/* ---- exact top-k alone */

/* The ratios are those of plots/carried.py, which a test compares. */
static const struct rcm_exact_carried exact_carried[] = {
    {"Hopper", 0.772, 1.33, "three kernels of SGLang between an H100 SXM and an H200"},
    {"Blackwell 10", 0.823, 1.24, "three kernels of SGLang between a B200, a B300 and a GB200"},
    {RCM_OTHER_CARDS, 0.41, 2.15,
     "sglang_v1_prefill, the widest of five kernels, between Hopper and Blackwell 10"},
    {RCM_OTHER_CPUS, 0.43, 2.00, "exact top-k of topk/ between an EPYC of Zen 4 and a Xeon"},
};

const struct rcm_exact_carried *rcm_exact_carried(size_t index)
{
    return index < sizeof exact_carried / sizeof *exact_carried ? &exact_carried[index] : NULL;
}

const struct rcm_exact_carried *rcm_exact_carried_of(const char *architecture)
{
    const struct rcm_exact_carried *row;
    for (size_t i = 0; (row = rcm_exact_carried(i)); i++)
        if (strcmp(row->architecture, architecture) == 0)
            break;
    return row;
}

/* Of the architecture that both cards have, or of other cards with CUDA; NULL: nothing was measured
 * that says how far it is. */
static const struct rcm_exact_carried *carried_between(const struct rcm_device *a,
                                                       const struct rcm_device *b)
{
    if (!a || !b)
        return NULL;
    const bool same =
        a->architecture && b->architecture && strcmp(a->architecture, b->architecture) == 0;
    const struct rcm_exact_carried *row = same ? rcm_exact_carried_of(a->architecture) : NULL;
    return row                                    ? row
           : rcm_runs_cuda(a) && rcm_runs_cuda(b) ? rcm_exact_carried_of(RCM_OTHER_CARDS)
                                                  : NULL;
}

struct rcm_profile rcm_carry_exact(const struct rcm_profile *profile, const struct rcm_device *from,
                                   const struct rcm_device *to)
{
    struct rcm_profile q = *profile;
    const struct rcm_exact_carried *row = carried_between(from, to);
    q.roof_bytes_per_s *= ratio(to->bandwidth_bytes_per_s, from->bandwidth_bytes_per_s);
    q.rows_at_once *= ratio(to->multiprocessors, from->multiprocessors);
    q.stands_in_for = to->name;
    q.carried_from = q.dtype;
    q.held_out_exact_p05_ratio = row ? row->low_ratio : 0.0;
    q.held_out_exact_p95_ratio = row ? row->high_ratio : 0.0;
    return q;
}

/* The wider of two ends of a band below 1, or above; 0, which is unknown, if one of them is. */
static double lower_end(double a, double b)
{
    return fmin(a, b);
}

static double upper_end(double a, double b)
{
    return a > 0.0 && b > 0.0 ? fmax(a, b) : 0.0;
}

struct rcm_profile rcm_carry_buckets(const struct rcm_profile *profile,
                                     const struct rcm_device *from, const struct rcm_device *to)
{
    static const struct rcm_exact_carried unknown;
    const struct rcm_exact_carried *row = carried_between(from, to);
    row = row ? row : &unknown;
    const struct rcm_stand_in band = {
        .low_ratio = lower_end(row->low_ratio, profile->held_out_p05_ratio),
        .high_ratio = upper_end(row->high_ratio, profile->held_out_p95_ratio),
        .exact_low_ratio = lower_end(row->low_ratio, profile->held_out_exact_p05_ratio),
        .exact_high_ratio = upper_end(row->high_ratio, profile->held_out_exact_p95_ratio)};
    struct rcm_profile q = rcm_carry(profile, from, to, profile->dtype, &band);
    q.own_band = true;
    return q;
}

/* The profile of a CPU that is named so (NULL: any): that of this card, or the first. */
static const struct rcm_profile *profile_of_cpu(const char *name, const char *card)
{
    const struct rcm_profile *q, *first = NULL;
    for (size_t i = 0; (q = rcm_profile(i)); i++) {
        if (q->kernel->model != RCM_TIME_CPU || (name && !rcm_name_begins(q->name, name)))
            continue;
        if ((name && rcm_name_begins(name, q->name)) || (q->card && strcmp(q->card, card) == 0))
            return q;
        first = first ? first : q;
    }
    return first;
}

const struct rcm_profile *rcm_cpu_meant(const char *name)
{
    char cpu[RCM_CPU_TEXT];
    rcm_this_cpu(cpu);
    return profile_of_cpu(name, cpu);
}

const struct rcm_profile *rcm_profile_of_cpu(const char *cpu, struct rcm_profile *carried)
{
    const struct rcm_exact_carried *row = rcm_exact_carried_of(RCM_OTHER_CPUS);
    const struct rcm_profile *q = profile_of_cpu(NULL, cpu);
    if (!q || (q->card && strcmp(q->card, cpu) == 0))
        return q;
    *carried = *q;
    carried->held_out_p05_ratio = lower_end(row->low_ratio, q->held_out_p05_ratio);
    carried->held_out_p95_ratio = upper_end(row->high_ratio, q->held_out_p95_ratio);
    carried->held_out_exact_p05_ratio = lower_end(row->low_ratio, q->held_out_exact_p05_ratio);
    carried->held_out_exact_p95_ratio = upper_end(row->high_ratio, q->held_out_exact_p95_ratio);
    return carried;
}
