/* exact_filter.c - see exact_filter.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "exact_filter.h"

#include <inttypes.h>
#include <math.h>

#include <programs/common/wrap.h>

/* Without options: blocks of 2 k and compactions at 3 k, as the authors of DeepSelect advise, but
 * no more than so many blocks, which take some .1 s. */
#define BLOCKS_USUAL 1024

static struct rcm_filter filter_of(const struct filter_question *q, uint64_t n, uint64_t k)
{
    if (q->room)
        return rcm_best_filter(n, k, q->room);
    const uint64_t twice = k <= RCM_N_MAX / 2 ? 2 * k : k, least = n / BLOCKS_USUAL + 1;
    const uint64_t usual = twice > least ? twice : least;
    return (struct rcm_filter){n, k,
                               q->block    ? q->block
                               : usual < n ? usual
                                           : n,
                               q->more ? q->more : twice};
}

/* The size with the least sum of the sample and of what survives beyond k, which grows as the root
 * of k n/sample: 4.75 standard deviations of it for a share of 1e-6. */
static uint64_t usual_sample(uint64_t n, uint64_t k)
{
    const double size = 1.78 * cbrt((double)n * (double)k);
    return size < (double)n ? (uint64_t)size + 1 : n;
}

struct filter_answer filter_answer(const struct filter_question *q, uint64_t n, uint64_t k,
                                   double share)
{
    struct filter_answer a = {.filter = filter_of(q, n, k), .share = share, .asked = q->quantiles};
    a.work = rcm_filter(a.filter);
    if (q->quantiles)
        a.quantiles = rcm_filter_quantiles(a.filter, share);
    a.sample = (struct rcm_sample){n, k, q->sample ? q->sample : usual_sample(n, k), 0};
    a.sample.rank = rcm_sample_rank(n, k, a.sample.sample, share);
    a.survivors = rcm_sampled(a.sample, n);
    a.room = a.sample.rank ? rcm_sample_room(a.sample, share) : 0;
    return a;
}

static void print_filter(const struct filter_answer *a, const char *rows)
{
    const struct rcm_filter *f = &a->filter;
    const struct rcm_filter_work *w = &a->work;
    if (f->block == 0)
        print_wrapped("  filter      --room is too small: k and a block of %" PRIu64
                      " must fit into it",
                      (f->n - 1) / (RCM_FILTER_BLOCKS / 8) + 1);
    else if (isnan(w->selected))
        print_wrapped("  filter      not computed: more than %d blocks; give a larger --block",
                      RCM_FILTER_BLOCKS);
    else
        print_wrapped("  filter      or a running threshold (DeepSelect), blocks of %" PRIu64
                      ", compacted from k + %" PRIu64 " on: %.1f elements pass in the mean (sd "
                      "%.2g), %.3g compactions; selections read %.1f in all, %.3g by the bound "
                      "that is proved; a buffer of %" PRIu64 " suffices",
                      f->block, f->more, w->appended, w->appended_sd, w->compactions, w->selected,
                      w->bound, f->k + f->more + f->block - 1);
    if (a->quantiles.buffer)
        print_wrapped("  quantile    in all but %s at most %" PRIu64
                      " elements pass, and the buffer never holds more than %" PRIu64,
                      rows, a->quantiles.appended, a->quantiles.buffer);
    else if (a->asked && a->share < RCM_FILTER_SHARE_LEAST)
        print_wrapped("  quantile    not computed: give a --quantile of %g at least",
                      RCM_FILTER_SHARE_LEAST);
    else if (a->asked)
        puts("  quantile    not computed: k, blocks and the row are too large for it");
}

void filter_print(const struct filter_answer *a, const char *rows)
{
    const struct rcm_sample *s = &a->sample;
    print_filter(a, rows);
    if (s->rank == 0)
        print_wrapped("  sample      of %" PRIu64 " no element is small enough; give a larger "
                      "--sample",
                      s->sample);
    else
        print_wrapped("  sample      or the threshold of a sample: the element of rank %" PRIu64
                      " in a sample of %" PRIu64 " keeps %.1f in the mean (sd %.2g), fewer than k "
                      "in a share %.2g of the rows, more than %" PRIu64 " in less than %s",
                      s->rank, s->sample, a->survivors.mean, a->survivors.sd, a->survivors.too_few,
                      a->room, rows);
}

void filter_json(json_t *object, const struct filter_answer *a)
{
    json_t *filter = json_object(), *sample = json_object();
    const struct rcm_filter_work *w = &a->work;
    set_count(filter, "block", a->filter.block);
    set_count(filter, "more", a->filter.more);
    set_count(filter, "buffer", a->filter.k + a->filter.more + a->filter.block - 1);
    set_real(filter, "appended", w->appended);
    set_real(filter, "appended_sd", w->appended_sd);
    set_real(filter, "compactions", w->compactions);
    set_real(filter, "compactions_sd", w->compactions_sd);
    set_real(filter, "selected", w->selected);
    set_real(filter, "selected_bound", w->bound);
    set_count(filter, "appended_quantile",
              a->quantiles.appended ? a->quantiles.appended : NO_COUNT);
    set_count(filter, "buffer_quantile", a->quantiles.buffer ? a->quantiles.buffer : NO_COUNT);
    set_count(sample, "sample", a->sample.sample);
    set_count(sample, "rank", a->sample.rank);
    set_real(sample, "survivors", a->survivors.mean);
    set_real(sample, "survivors_sd", a->survivors.sd);
    set_real(sample, "too_few", a->survivors.too_few);
    set_count(sample, "room", a->room);
    json_object_set_new(object, "filter", filter);
    json_object_set_new(object, "sampled", sample);
}
