/* generator_check.c - see generate.h: which numbers the generator takes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include "generate.h"

static int check_shape(const struct generator *g, struct message error)
{
    if (g->d == 0 || g->d % 2 || g->d > 4096)
        return message_set(error, MEMBER "d %" PRIu32 " is not an even number from 2 to 4096",
                           g->d);
    if (g->n < 2 || g->n > 1u << 30)
        return message_set(error, MEMBER "n %" PRIu32 " is not from 2 to 2^30", g->n);
    if (g->n_q == 0 || g->n_q >= g->n)
        return message_set(
            error, MEMBER "n_q %" PRIu32 " is not from 1 to one less than " MEMBER "n %" PRIu32,
            g->n_q, g->n);
    if (g->key_heads == 0 || g->query_heads == 0 || g->query_heads % g->key_heads)
        return message_set(error,
                           MEMBER "query_heads %" PRIu32 " is not a multiple of " MEMBER
                                  "heads %" PRIu32 "; give one that is",
                           g->query_heads, g->key_heads);
    if (!(g->theta > 1 && isfinite(g->theta)))
        return message_set(error, MEMBER "rope_theta %g is not above 1; give one such as 5e5",
                           g->theta);
    return 0;
}

static int check_needles(const struct generator *g, struct message error)
{
    const double queries = (double)(g->query_heads / g->key_heads) * g->n_q;
    const double open = (double)g->n - g->n_q - 1;
    const double most = queries < open ? queries : open;
    if (g->needles <= most)
        return 0;
    return message_set(
        error,
        MEMBER "needles %g is more than a key head has room for; give at most %g: each query has "
               "one at most, and all lie before the first query",
        g->needles, most);
}

const struct generator_knob generator_knobs[] = {
#define GENERATOR_KNOB(name, option, value, least, most, whole, meaning) \
    {option, meaning, offsetof(struct generator, name), value, least, most, whole},
    GENERATOR_KNOBS(GENERATOR_KNOB)
#undef GENERATOR_KNOB
        {0}};

int generator_check(const struct generator *g, struct message error)
{
    if (check_shape(g, error) != 0)
        return -1;
    for (const struct generator_knob *knob = generator_knobs; knob->option; knob++) {
        const double value = *(const double *)((const char *)g + knob->at);
        if (value >= knob->least && value <= knob->most && (!knob->whole || value == floor(value)))
            continue;
        return message_set(error, "%s %g is not a %s; give one from %g to %g", knob->option, value,
                           knob->whole ? "whole number" : "number in its range", knob->least,
                           knob->most);
    }
    return check_needles(g, error);
}
