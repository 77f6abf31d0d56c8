/* threshold.c - exact top-k of one row by threshold: docs/cpu.md, "How it works".
 *
 * The row is cut into groups of neighbours, and the largest key of each is found. A key that is
 * reached by at least k groups is at most the k-th largest of the row. The second pass collects
 * what reaches it, of those equal to it no more than k.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "exact.h"

enum {
    SAMPLE = 1024,
    GROUPS_FOR_EACH = 4,
    LEAST_GROUPS = 16,
    FEW_GROUPS = 4096,
    MORE_GROUPS = 4096
};

/* Groups that may reach the threshold before it is found exactly: what the sample says of a small k
 * is out by a part of all groups. */
static uint64_t groups_most(uint64_t k, uint64_t groups)
{
    return 2 * k + 64 + (groups < 64 * MORE_GROUPS ? groups / 64 : MORE_GROUPS);
}

uint64_t topk_found_most(uint64_t n, uint64_t k, uint64_t group_size, uint64_t parts)
{
    uint64_t groups = groups_most(k, n / group_size);
    uint64_t most = topk_size(groups, group_size, topk_size(parts, k + group_size, 0));
    most = most < n ? most : n;
    return most > SAMPLE ? most : SAMPLE;
}

uint64_t topk_group_size(const struct kernels *kernels, uint64_t n, uint64_t k, bool *large)
{
    for (int bytes = 256; kernels->group_maxima && bytes >= 64; bytes -= 192) {
        uint64_t size = (unsigned)bytes / kernels->bytes;
        *large = bytes == 256;
        /* of larger elements groups of 64 bytes have so few that dense.c takes less time */
        /* with fewer than a vector has lanes, group_maxima takes its slow way */
        if (n / size >= LEAST_GROUPS &&
            n / size / (*large ? GROUPS_FOR_EACH : GROUPS_FOR_EACH * kernels->bytes) >= k &&
            topk_fits(kernels, n, topk_found_most(n, k, size, 1), sizeof(struct pair)))
            return size;
    }
    return 0;
}

/* The key of a group. */
static uint64_t key_of(const struct exact_run *run, uint64_t group)
{
    const struct kernels *kernels = run->job->kernels;
    int64_t key = kernels->group_bits == 32 ? ((const int32_t *)run->maxima)[group]
                                            : ((const int64_t *)run->maxima)[group];
    return ((uint64_t)key ^ UINT64_C(1) << (kernels->bits - 1)) &
           (~UINT64_C(0) >> (64 - kernels->bits));
}

static void find_maxima(const struct exact_run *run, struct part *part)
{
    const struct kernels *kernels = run->job->kernels;
    kernels->group_maxima((const char *)part->e.x + part->e.first * kernels->bytes, part->groups,
                          run->large, run->job->smallest, run->clean,
                          (char *)run->maxima + part->group * (kernels->group_bits / 8));
}

/* A key that `rank` of the first `count` of `keys` reach, or up to `slack` more. */
static uint64_t bisect(const struct exact_run *run, const void *keys, uint64_t count, uint64_t rank,
                       uint64_t slack)
{
    const unsigned unused = 64 - run->job->kernels->bits;
    const struct cut cut = topk_bisect(run->job->kernels->count_groups, keys, count, rank, slack,
                                       INT64_MIN >> unused, INT64_MAX >> unused);
    return (uint64_t)cut.key + (UINT64_C(1) << (63 - unused));
}

/* A key that about as many groups reach as are wanted, from a sample. */
static uint64_t estimate(const struct exact_run *run, double wanted)
{
    const uint64_t rank = (uint64_t)(wanted * SAMPLE / (double)run->groups) + 1;
    const size_t bytes = run->job->kernels->group_bits / 8;
    char *keys = (char *)run->pairs;
    for (uint64_t i = 0; i < SAMPLE; i++)
        memcpy(keys + i * bytes, (char *)run->maxima + run->groups / SAMPLE * i * bytes, bytes);
    /* the rank has a spread of its own: a sixteenth more ends the search early */
    return rank >= SAMPLE ? 0 : bisect(run, keys, SAMPLE, rank, rank / 16);
}

static void list(const struct exact_run *run, struct part *part)
{
    const struct kernels *kernels = run->job->kernels;
    part->equal =
        kernels->list_groups((const char *)run->maxima + part->group * (kernels->group_bits / 8),
                             part->groups, run->key, run->list + part->group);
    part->above = part->equal;
}

static uint64_t list_all(struct exact_run *run)
{
    uint64_t count = 0;
    topk_each_part(run, list);
    for (uint64_t i = 0; i < run->count; i++)
        count += run->parts[i].equal;
    return count;
}

/* The k-th largest key of a group, exactly, and how many groups of each part are above it. */
static void find_kth(struct exact_run *run)
{
    run->key = bisect(run, run->maxima, run->groups, run->job->k, 0);
    list_all(run);
    for (uint64_t i = 0; i < run->count; i++) {
        struct part *part = &run->parts[i];
        part->above = 0;
        for (uint64_t j = 0; j < part->equal; j++)
            part->above += key_of(run, part->group + run->list[part->group + j]) > run->key;
    }
}

/* Sets `key` so that at least k groups reach it, and not many more, or the k-th largest does. */
static void find_threshold(struct exact_run *run)
{
    const uint64_t k = run->job->k;
    uint64_t listed = 0;
    if (run->groups <= FEW_GROUPS) {
        run->key = bisect(run, run->maxima, run->groups, k, k / 8 + 8);
        listed = list_all(run);
    }
    const double each = (double)run->groups / SAMPLE, mean = (double)k / each;
    for (double spread = 3.0; listed < k; spread = 4.0 * spread + 1.0) {
        /* three standard deviations of the count in the sample */
        double rank = mean + spread * __builtin_sqrt(mean) + 1.0;
        run->key = estimate(run, rank * each);
        listed = list_all(run);
    }
    if (listed > groups_most(k, run->groups))
        find_kth(run);
}

static void collect(const struct exact_run *run, struct part *part)
{
    const struct kernels *kernels = run->job->kernels;
    uint64_t size = run->group_size, grouped = part->groups * size;
    part->found = kernels->collect_groups(
        &part->e, (const char *)run->maxima + part->group * (kernels->group_bits / 8), run->large,
        run->list + part->group, part->equal, run->key, run->job->k, part->out);
    struct elements rest = part->e;
    rest.first += grouped;
    rest.count -= grouped;
    part->found += kernels->collect(&rest, run->key, run->job->k, part->out + part->found);
}

/* What the parts found, without the gaps. */
static uint64_t join(struct exact_run *run)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < run->count; i++) {
        struct part *part = &run->parts[i];
        if (run->pairs + count != part->out)
            memmove(run->pairs + count, part->out, part->found * sizeof *part->out);
        count += part->found;
    }
    return count;
}

void topk_by_threshold(struct exact_run *run)
{
    const struct kernels *kernels = run->job->kernels;
    uint64_t k = run->job->k;
    for (int clean = 0; clean < 2; clean++) {
        run->clean = clean;
        topk_each_part(run, find_maxima);
        find_threshold(run);
        if (!kernels->is_vague(run->key))
            break;
    }
    struct pair *out = run->pairs;
    for (uint64_t i = 0; i < run->count; i++) {
        struct part *part = &run->parts[i];
        uint64_t most = part->above * run->group_size + k + run->group_size;
        part->out = out;
        out += most < part->e.count ? most : part->e.count;
    }
    topk_each_part(run, collect);
    run->found = join(run);
}
