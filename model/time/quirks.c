/* quirks.c - what measured runs show of a card that no rate of it tells: a registry.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <model/recallmodel/time.h>

#define SPECIALISED 16 /* of which a compiler of kernels takes multiples for aligned */

/* Both the row and the step between the elements of a bucket, of buckets that are not very short.
 */
static bool aligned_buckets(struct rcm_topk p)
{
    return p.k_b == 1 && p.n >= 4096 && p.b >= 1 && p.n / p.b >= 8 && p.n % SPECIALISED == 0 &&
           p.b % SPECIALISED == 0;
}

static const struct rcm_quirk quirks[] = {
    {.card = "A10G",
     .kernels = "the compiled max of torch and a Triton kernel",
     .when = "n and b are multiples of 16",
     .meets = aligned_buckets,
     .median_ratio = 1.55,
     .high_ratio = 2.58,
     .runs = "graphcore/argmax-a10g",
     .mend = "pad each row by one element"},
};

const struct rcm_quirk *rcm_quirk(size_t index)
{
    return index < sizeof quirks / sizeof *quirks ? &quirks[index] : NULL;
}

const struct rcm_quirk *rcm_quirk_of(const struct rcm_device *device, struct rcm_topk p)
{
    const struct rcm_quirk *q;
    for (size_t i = 0; (q = rcm_quirk(i)); i++)
        if (strcmp(q->card, device->name) == 0 && q->meets(p))
            break;
    return q;
}
