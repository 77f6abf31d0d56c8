/* rope_options.c - see rope_options.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "rope_options.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- readers */

int read_head_dim(void *to, const char *option, const char *value)
{
    const int status = read_count(to, option, value);
    const uint64_t head_dim = status == STATUS_OK ? *(uint64_t *)to : 0;
    if (status == STATUS_OK && (head_dim % 2 != 0 || head_dim > RCM_HEAD_DIM_MOST))
        return usage_error("%s '%.*s' is not an even number up to %d; give the elements of a head "
                           "that RoPE rotates, such as 64 or 128",
                           option, VALUE_SHOWN, value, RCM_HEAD_DIM_MOST);
    return status;
}

int read_one_decimal(void *to, const char *option, const char *value)
{
    const struct decimal_list *list = to;
    const int status = read_decimals(to, option, value);
    if (status == STATUS_OK && list->length != 1)
        return usage_error("%s '%.*s' is not one number; give only one, such as 0.5", option,
                           VALUE_SHOWN, value);
    return status;
}

int read_rope_share(void *to, const char *option, const char *value)
{
    const struct decimal_list *share = to;
    const int status = read_one_decimal(to, option, value);
    if (status == STATUS_OK && decimal_complement(share->items[0]) < 0.0)
        return usage_error("%s '%.*s' is above 1; give the share of the variance that is periodic, "
                           "such as 0.5",
                           option, VALUE_SHOWN, value);
    return status;
}

/* ---- the options together */

const char *rope_option_given(const struct rope_options *options)
{
    return options->theta > 0.0      ? "--rope-theta"
           : options->head_dim       ? "--head-dim"
           : options->share.length   ? "--rope-share"
           : options->spread.length  ? "--rope-spread"
           : options->weights.length ? "--rope-weights"
                                     : NULL;
}

int rope_options_check(const struct rope_options *options)
{
    const uint64_t head_dim = options->head_dim ? options->head_dim : sim_rope_default.head_dim;
    double sum = 0.0;
    for (size_t i = 0; i < options->weights.length; i++)
        sum += decimal_value(options->weights.items[i]);
    if (options->weights.length > head_dim / 2)
        return usage_error("--rope-weights has %zu weights, and a head of %" PRIu64 " has %" PRIu64
                           " pairs; give at most that many",
                           options->weights.length, head_dim, head_dim / 2);
    if (options->weights.length && !(sum > 0.0))
        return usage_error("--rope-weights are all 0; give one above 0, or --rope-share 0");
    return STATUS_OK;
}

struct sim_rope rope_of_options(const struct rope_options *options, double *weights)
{
    struct sim_rope rope = sim_rope_default;
    if (options->theta > 0.0)
        rope.theta = options->theta;
    if (options->head_dim)
        rope.head_dim = (unsigned)options->head_dim;
    if (options->share.length)
        rope.share = decimal_value(options->share.items[0]);
    if (options->spread.length)
        rope.spread = decimal_value(options->spread.items[0]);
    for (size_t i = 0; i < options->weights.length; i++)
        weights[i] = decimal_value(options->weights.items[i]);
    rope.weight = options->weights.length ? weights : NULL;
    rope.weights = options->weights.length;
    return rope;
}

struct rcm_rope rope_to_avoid(const struct rope_options *options)
{
    return (struct rcm_rope){.theta = options->theta,
                             .head_dim =
                                 options->head_dim ? options->head_dim : sim_rope_default.head_dim,
                             .stretch = options->stretch};
}

double rope_loss(struct rcm_topk p, const struct sim_rope *rope, uint64_t seed)
{
    double w[SIM_PAIRS_MAX];
    struct rcm_wave waves[SIM_PAIRS_MAX];
    const unsigned pairs = rope->head_dim / 2;
    const struct rcm_rope wavelengths = {.theta = rope->theta, .head_dim = rope->head_dim};
    rope_weights(rope, seed, w);
    for (unsigned i = 0; i < pairs; i++)
        waves[i] = (struct rcm_wave){rcm_rope_wavelength(wavelengths, i),
                                     fmin(rope->share * w[i], RCM_WAVE_SHARE_MOST)};
    return rcm_loss_waves(p, waves, pairs);
}

void rope_options_free(struct rope_options *options)
{
    free(options->share.items);
    free(options->spread.items);
    free(options->weights.items);
}
