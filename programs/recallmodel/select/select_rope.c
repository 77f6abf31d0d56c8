/* select_rope.c - select: which b it kept away from because they resonate with RoPE.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include <programs/common/wrap.h>

#include <programs/recallmodel/question/answer.h>
#include "selection.h"

bool selection_has_rope(const struct selection_answer *answer)
{
    return answer->asked.rope.theta > 0.0;
}

/* The elements of a row that exist, by which buckets are dealt out. */
static uint64_t elements_of(struct rcm_topk p)
{
    return p.valid ? p.valid : p.n;
}

struct rcm_resonance selection_resonance(const struct selection_answer *answer, struct rcm_topk p)
{
    return selection_has_rope(answer) ? rcm_rope_resonance(elements_of(p), p.b, answer->asked.rope)
                                      : (struct rcm_resonance){0};
}

struct rcm_point selection_without_rope(const struct selection_answer *answer)
{
    struct rcm_selection without = answer->asked;
    without.rope.theta = 0.0;
    if (!(answer->settings->budget > 0.0))
        return rcm_best_buckets(&without);
    const struct rcm_choice choice = rcm_best_recall(&without, answer->settings->budget, NULL);
    return (struct rcm_point){choice.p, choice.objective};
}

/* Was another b the best, one that resonates? */
static bool avoids(const struct selection_answer *answer)
{
    const struct rcm_point *other = &answer->without_rope;
    return other->objective < INFINITY && selection_has_buckets(answer) &&
           (other->p.b != answer->choice.p.b || other->p.k_b != answer->choice.p.k_b);
}

unsigned selection_print_rope(const struct selection_answer *answer)
{
    if (!selection_has_rope(answer) || !selection_has_buckets(answer))
        return 0;
    const struct rcm_topk p = answer->choice.p, other = answer->without_rope.p;
    const struct rcm_resonance own = selection_resonance(answer, p),
                               left = selection_resonance(answer, other);
    if (own.drift < 1.0)
        return print_wrapped(
            "  RoPE        no b is free: b = %" PRIu64 " is near %" PRIu64
            " x the wavelength %.4g of pair %" PRIu64
            " and may lose more; shuffle the elements, all rows alike, and nothing resonates",
            p.b, own.multiple, own.wavelength, own.pair);
    if (avoids(answer))
        return print_wrapped("  RoPE        avoids b = %" PRIu64 ", k_b = %" PRIu64
                             ", near %" PRIu64 " x the wavelength %.4g of pair %" PRIu64
                             "; shuffled elements can have it",
                             other.b, other.k_b, left.multiple, left.wavelength, left.pair);
    if (isinf(own.drift) && answer->asked.rope.stretch > 0 && p.b >= answer->asked.rope.stretch)
        return print_wrapped("  RoPE        no bucket has two elements of a stretch of %" PRIu64
                             ", so nothing resonates",
                             answer->asked.rope.stretch);
    if (isinf(own.drift))
        return print_wrapped("  RoPE        every wavelength is too long to resonate with b");
    return print_wrapped("  RoPE        b does not resonate: the nearest pair, %" PRIu64
                         ", drifts by %.3g turns in a bucket",
                         own.pair, own.drift);
}

static json_t *resonance_json(const struct rcm_resonance r)
{
    const bool any = isfinite(r.drift);
    json_t *object = json_object();
    set_truth(object, "resonates", r.drift < 1.0);
    set_real(object, "drift", r.drift);
    set_real(object, "wavelength", r.wavelength);
    json_object_set_new(object, "multiple",
                        any ? json_integer((json_int_t)r.multiple) : json_null());
    json_object_set_new(object, "pair", any ? json_integer((json_int_t)r.pair) : json_null());
    return object;
}

json_t *selection_rope_json(const struct selection_answer *answer)
{
    json_t *object = json_object(), *avoided = NULL;
    set_real(object, "rope_theta", answer->asked.rope.theta);
    set_count(object, "head_dim", answer->asked.rope.head_dim);
    if (answer->asked.rope.stretch > 0)
        set_count(object, "stretch", answer->asked.rope.stretch);
    if (avoids(answer)) {
        const struct rcm_topk p = answer->without_rope.p;
        avoided = resonance_json(selection_resonance(answer, p));
        set_count(avoided, "b", p.b);
        set_count(avoided, "k_b", p.k_b);
    }
    json_object_set_new(object, "choice",
                        selection_has_buckets(answer)
                            ? resonance_json(selection_resonance(answer, answer->choice.p))
                            : json_null());
    json_object_set_new(object, "avoided", avoided ? avoided : json_null());
    return object;
}
