/* chain.c - see chain.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "chain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/number.h>

static const char *const names[] = {[CHAIN_TEMPERATURE] = "temperature",
                                    [CHAIN_TOP_K] = "top-k",
                                    [CHAIN_TOP_P] = "top-p",
                                    [CHAIN_MIN_P] = "min-p",
                                    [CHAIN_TYPICAL] = "typical"};
#define KINDS (sizeof names / sizeof *names)

/* ---- from text */

/* The place of a step; its length: there is none. */
static unsigned place_of(const struct chain *chain, enum chain_kind kind)
{
    unsigned i = 0;
    while (i < chain->length && chain->of[i].kind != kind)
        i++;
    return i;
}

static int add_step(struct chain *chain, const char *item, struct message error)
{
    char name[32];
    const size_t length = strcspn(item, "=");
    unsigned kind = 0;
    double value = 0.0;
    while (kind < KINDS && (strncmp(item, names[kind], length) != 0 || names[kind][length]))
        kind++;
    snprintf(name, sizeof name, "%.*s", (int)length, item);
    if (kind == KINDS)
        return message_set(error,
                           "has the step '%s'; the steps are temperature=T, top-k, top-p=P, "
                           "min-p=P and typical=P",
                           name);
    if (place_of(chain, (enum chain_kind)kind) < chain->length)
        return message_set(error, "has %s twice; give it once", name);
    if (kind == CHAIN_TOP_K && item[length])
        return message_set(error, "has a number behind top-k; give it as --k");
    if (kind != CHAIN_TOP_K && (!item[length] || parse_amount(item + length + 1, &value) != NULL ||
                                (kind != CHAIN_TEMPERATURE && value > 1.0)))
        return message_set(error, "needs a decimal number %s behind %s=, such as %s=0.9",
                           kind == CHAIN_TEMPERATURE ? "above 0" : "above 0 and at most 1", name,
                           name);
    chain->of[chain->length++] = (struct chain_step){(enum chain_kind)kind, value};
    return 0;
}

int chain_read(struct chain *chain, const char *text, struct message error)
{
    *chain = (struct chain){.length = 0};
    for (const char *from = text;; from++) {
        char item[64];
        const size_t length = strcspn(from, ",");
        snprintf(item, sizeof item, "%.*s", (int)length, from);
        if (add_step(chain, item, error) != 0)
            return -1;
        from += length;
        if (!*from)
            break;
    }
    const unsigned top_k = place_of(chain, CHAIN_TOP_K), top_p = place_of(chain, CHAIN_TOP_P);
    if (top_k < chain->length && place_of(chain, CHAIN_TYPICAL) < top_k)
        return message_set(error, "has typical before top-k, which no sampler does; put it behind");
    if (top_k < chain->length && top_p < top_k && place_of(chain, CHAIN_MIN_P) < top_p)
        return message_set(error, "has min-p before top-p, and both before top-k; put top-p first");
    return 0;
}

void chain_text(const struct chain *chain, char text[CHAIN_TEXT])
{
    size_t length = 0;
    *text = '\0';
    for (unsigned i = 0; i < chain->length; i++) {
        const struct chain_step *step = &chain->of[i];
        length += (size_t)snprintf(text + length, CHAIN_TEXT - length, "%s%s", i > 0 ? "," : "",
                                   names[step->kind]);
        if (step->kind != CHAIN_TOP_K)
            length += (size_t)snprintf(text + length, CHAIN_TEXT - length, "=%.15g", step->value);
    }
}

double chain_temperature(const struct chain *chain)
{
    const unsigned i = place_of(chain, CHAIN_TEMPERATURE);
    return i < chain->length ? chain->of[i].value : 1.0;
}

bool chain_cuts(const struct chain *chain)
{
    for (unsigned i = 0; i < chain->length; i++)
        if (chain->of[i].kind != CHAIN_TEMPERATURE && chain->of[i].kind != CHAIN_TOP_K)
            return true;
    return false;
}

double chain_row_temperature(const struct chain *chain)
{
    const unsigned top_k = place_of(chain, CHAIN_TOP_K), top_p = place_of(chain, CHAIN_TOP_P);
    if (top_k == chain->length || top_p > top_k)
        return NAN;
    return place_of(chain, CHAIN_TEMPERATURE) < top_p ? chain_temperature(chain) : 1.0;
}

/* ---- the steps */

struct state {
    size_t count;
    uint32_t *kept;
    double *weight, *order; /* of those kept; room for a typical step */
};

static size_t keep_top_k(const struct state *s, size_t k, const bool *lost)
{
    size_t left = 0;
    for (size_t i = 0; i < s->count && left < k; i++)
        if (!lost || !lost[s->kept[i]])
            s->kept[left++] = s->kept[i];
    return left;
}

static double sum_of(const double *weight, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += weight[i];
    return sum;
}

static size_t keep_top_p(const struct state *s, double p, double rest)
{
    const double enough = p * (sum_of(s->weight, s->count) + rest);
    double sum = 0.0;
    size_t left = 0;
    while (left < s->count && (left == 0 || sum < enough))
        sum += s->weight[left++];
    return left;
}

static size_t keep_min_p(const struct state *s, double p)
{
    size_t left = 0;
    while (left < s->count && s->weight[left] >= p * s->weight[0])
        left++;
    return left;
}

/* As weights fall, those nearest to the entropy are one run of tokens, which grows at the end that
 * is nearer. */
static size_t keep_typical(const struct state *s, double p)
{
    const double all = sum_of(s->weight, s->count);
    double entropy = 0.0, sum = 0.0;
    size_t low = 0, high;
    for (size_t i = 0; i < s->count; i++) {
        s->order[i] = log(all) - log(s->weight[i]);
        entropy += s->weight[i] > 0.0 ? s->weight[i] / all * s->order[i] : 0.0;
    }
    while (low < s->count && s->order[low] < entropy)
        low++;
    high = low; /* kept: low .. high - 1 */
    while (high - low < s->count && (high == low || sum < p * all)) {
        const bool up = high == s->count ||
                        (low > 0 && entropy - s->order[low - 1] <= s->order[high] - entropy);
        sum += s->weight[up ? --low : high++];
    }
    memmove(s->kept, s->kept + low, (high - low) * sizeof *s->kept);
    return high - low;
}

size_t chain_kept(const struct chain *chain, struct chain_row row, size_t k, const bool *lost,
                  uint32_t *kept, double *room)
{
    struct state s = {row.length, kept, room, room + row.length};
    const double *weight = row.weight[0];
    for (size_t i = 0; i < row.length; i++)
        kept[i] = (uint32_t)i;
    if (place_of(chain, CHAIN_TOP_K) == chain->length)
        s.count = keep_top_k(&s, k, lost);
    for (unsigned step = 0; step < chain->length; step++) {
        const enum chain_kind kind = chain->of[step].kind;
        const double value = chain->of[step].value;
        for (size_t i = 0; kind > CHAIN_TOP_K && i < s.count; i++)
            s.weight[i] = weight[kept[i]];
        switch (kind) {
        case CHAIN_TEMPERATURE:
            weight = row.weight[1];
            break;
        case CHAIN_TOP_K:
            s.count = keep_top_k(&s, k, lost);
            break;
        case CHAIN_TOP_P:
            s.count = keep_top_p(&s, value, row.rest);
            break;
        case CHAIN_MIN_P:
            s.count = keep_min_p(&s, value);
            break;
        case CHAIN_TYPICAL:
            s.count = keep_typical(&s, value);
            break;
        }
    }
    return s.count;
}
