/* rounding.c - see rounding.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "rounding.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <programs/common/format.h>
#include <programs/common/wrap.h>

static const char *format_at(unsigned i)
{
    return rcm_format(i) ? rcm_format(i)->name : NULL;
}

static int read_format(void *to, const char *option, const char *value)
{
    unsigned i;
    const int status = read_name(option, value, format_at, UNTIL_NULL, &i);
    if (status == STATUS_OK)
        *(const struct rcm_format **)to = rcm_format(i);
    return status;
}

const struct value_kind kind_of_format = {.read = read_format, .names = format_at};

int read_score_mean(void *to, const char *option, const char *value)
{
    struct score_mean *mean = to;
    char *end;
    mean->value = strtod(value, &end);
    mean->given = true;
    return end == value || *end || !isfinite(mean->value)
               ? usage_error("%s '%.*s' is not a number; give the mean of the scores, such as -2.5",
                             option, VALUE_SHOWN, value)
               : STATUS_OK;
}

int rounding_check(const struct rounding_question *q, const struct weights_question *weights)
{
    if (q->mean.given && !q->format)
        return usage_error("--score-mean only matters where scores are rounded; give --rounding");
    if (q->mean.given && weights->file)
        return usage_error("--score-mean is of normal scores, and --weights has its own; leave one "
                           "out");
    return STATUS_OK;
}

struct rounding rounding_of_format(const struct rcm_format *f)
{
    const bool infinite = (f->last & ((UINT32_C(1) << f->fraction_bits) - 1)) == 0;
    return (struct rounding){(int)f->fraction_bits, f->bias,
                             rcm_format_value(f, f->last - infinite), infinite};
}

static int from_file(const struct rounding_question *q, const struct weights_question *weights,
                     uint64_t k, struct query_rounding *found)
{
    struct row_file file;
    struct rounding_means means;
    char reason[400];
    const struct rounding to = rounding_of_format(q->format);
    int status = open_row_file(&file, "--weights", weights->file, &weights->as);
    if (status != STATUS_OK)
        return status;
    if (rounding_means(&file, k, &to, &means, MESSAGE(reason)) != 0)
        status = usage_error("--weights %.150s %s", weights->file, reason);
    row_file_close(&file);
    *found = (struct query_rounding){means.loss, means.loss_worst, means.loss_99};
    return status;
}

static double score_sd_of(const struct weights_question *weights)
{
    return weights->score_sd.given ? weights->score_sd.value : 1.0;
}

int rounding_find(const struct rounding_question *q, const struct weights_question *weights,
                  uint64_t n, uint64_t k, struct query_rounding *found)
{
    *found = (struct query_rounding){NAN, NAN, NAN};
    if (!q->format)
        return STATUS_OK;
    if (weights->file)
        return from_file(q, weights, k, found);
    if (n > RCM_ROUNDING_N_MOST)
        return usage_error("--rounding is for rows of at most 2^44 elements, not %" PRIu64, n);
    const struct rcm_values scores = {rcm_values_distribution_by_name("normal"), q->mean.value,
                                      score_sd_of(weights)};
    found->loss = rcm_rounding_loss(n, k, q->format, scores, RCM_TIES_POSITION);
    found->worst = rcm_rounding_loss(n, k, q->format, scores, RCM_TIES_WORST);
    if (!isnan(found->loss))
        found->loss_99 =
            (double)rcm_rounding_quantile(n, k, q->format, scores, RCM_TIES_POSITION, 0.01) /
            (double)k;
    return STATUS_OK;
}

unsigned rounding_print(const struct rounding_question *q, const struct weights_question *weights,
                        const struct query_rounding *found, double loss)
{
    char most[40], text[200] = "", scores[120] = "of those rows";
    if (!q->format)
        return 0;
    if (!weights->file)
        snprintf(scores, sizeof scores, "normal, mean %.4g, standard deviation %.4g", q->mean.value,
                 score_sd_of(weights));
    format_recall(most, sizeof most, found->loss);
    if (loss < found->loss)
        snprintf(text, sizeof text,
                 ", more than these buckets do (%.3g): a recall above %s is not "
                 "worth asking for",
                 loss, most);
    else
        snprintf(text, sizeof text, "; a recall above %s is not worth asking for", most);
    return print_wrapped(
        "  rounding    exact top-k of %s scores (%s) loses %.3g, ties by position%s. 99 %% "
        "of rows lose at most %.3g; the worst ties lose %.3g in the mean",
        q->format->name, scores, found->loss, text, found->loss_99, found->worst);
}

void rounding_json(json_t *object, const struct rounding_question *q,
                   const struct query_rounding *found)
{
    if (!q->format)
        return;
    set_text(object, "rounding", q->format->name);
    set_real(object, "rounding_loss", found->loss);
    set_real(object, "rounding_loss_99", found->loss_99);
    set_real(object, "rounding_loss_worst", found->worst);
}
