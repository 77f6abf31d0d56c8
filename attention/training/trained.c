/* trained.c - see trained.h. What was trained, and what fits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "trained.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <base/memory.h>

struct trained_head *trained_add(struct trained *trained)
{
    trained->heads =
        array_grow(trained->heads, trained->length, &trained->capacity, sizeof *trained->heads);
    trained->heads[trained->length] = (struct trained_head){0};
    return &trained->heads[trained->length++];
}

static void free_head(struct trained_head *head)
{
    partition_free(head->partition);
    for (uint32_t m = 0; head->models && m < head->models_length; m++)
        if (head->models[m])
            query_model_free(head->models[m]);
    free(head->models);
}

void trained_drop_last(struct trained *trained)
{
    free_head(&trained->heads[--trained->length]);
}

void trained_free(struct trained *trained)
{
    for (size_t i = 0; i < trained->length; i++)
        free_head(&trained->heads[i]);
    free(trained->heads);
    *trained = (struct trained){0};
}

const struct trained_head *trained_find(const struct trained *trained, uint32_t layer,
                                        uint32_t key_head, bool unroped)
{
    for (size_t i = 0; i < trained->length; i++) {
        const struct trained_head *head = &trained->heads[i];
        if (head->layer == layer && head->key_head == key_head && head->unroped == unroped)
            return head;
    }
    return NULL;
}

/* "layer 3, key head 1" */
static const char *name_of(const struct head_shape *head, char *text, size_t size)
{
    if (head->layer == LAYER_UNKNOWN)
        snprintf(text, size, "key head %" PRIu32 " of an unknown layer", head->key_head);
    else
        snprintf(text, size, "layer %" PRIu32 ", key head %" PRIu32, head->layer, head->key_head);
    return text;
}

static int check_fit(const struct trained_head *found, const struct head_shape *head,
                     const struct trained_need *need, bool models, struct message error)
{
    const bool unroped = need->unroped;
    char name[64];
    name_of(head, name, sizeof name);
    if (!found)
        message_set(error, "has nothing for %s %s RoPE", name, unroped ? "before" : "after");
    else if (found->partition->d != head->d)
        message_set(error, "has keys of %" PRIu32 " components for %s, these have %" PRIu32,
                    found->partition->d, name, head->d);
    else if (found->query_head != head->query_head || found->query_heads != head->query_heads)
        message_set(error,
                    "has query heads %" PRIu32 " to %" PRIu32 " for %s, here it has %" PRIu32
                    " to %" PRIu32,
                    found->query_head, found->query_head + found->query_heads - 1, name,
                    head->query_head, head->query_head + head->query_heads - 1);
    else if (unroped && found->before != head->unroped)
        message_set(error,
                    "was trained on keys %s RoPE for %s, and here those before RoPE are %sknown",
                    found->before ? "before" : "after", name, head->unroped ? "" : "not ");
    else if (need->clusters && need->clusters != found->partition->clusters)
        message_set(error,
                    "has %" PRIu32 " clusters for %s, and " MEMBER "clusters asks for %" PRIu32
                    "; leave it out",
                    found->partition->clusters, name, need->clusters);
    else if (need->iterations && need->iterations != found->iterations)
        message_set(error,
                    "was trained with at most %" PRIu32 " iterations for %s, and " MEMBER
                    "iterations asks "
                    "for %" PRIu32 "; leave it out",
                    found->iterations, name, need->iterations);
    else if (need->spherical && !found->partition->spherical)
        message_set(error,
                    "was trained without " MEMBER
                    "spherical for %s, and now it is given; leave it out",
                    name);
    else if (models && !found->models)
        message_set(error, "has no query model for %s %s RoPE", name, unroped ? "before" : "after");
    else
        return 0;
    return -1;
}

/* The same angles, as far as both are known? */
static bool ropes_agree(const struct rope *a, const struct rope *b)
{
    if (!b || !(a->theta > 0) || !(b->theta > 0))
        return true;
    return a->theta == b->theta && a->pairing == b->pairing && a->scaling == b->scaling &&
           a->factor == b->factor && a->low == b->low && a->high == b->high &&
           a->original == b->original && a->attention_factor == b->attention_factor;
}

int trained_select(const struct trained *trained, const struct head_shape *heads, size_t length,
                   const struct trained_need *need, const struct partition **partitions,
                   const struct query_model *const **models, struct message error)
{
    for (size_t i = 0; i < length; i++) {
        if (heads[i].dense) /* nothing is chosen there */
            continue;
        const struct trained_head *found =
            trained_find(trained, heads[i].layer, heads[i].key_head, need->unroped);
        if (found && need->unroped && !ropes_agree(&trained->rope, need->rope))
            return message_set(error,
                               "was trained with another RoPE (theta %g); give the same " MEMBER
                               "rope_theta, " MEMBER "rope_pairing and " MEMBER "rope_scaling",
                               trained->rope.theta);
        if (check_fit(found, &heads[i], need, models != NULL, error) != 0)
            return -1;
        if (partitions)
            partitions[i] = found->partition;
        if (models)
            models[i] = (const struct query_model *const *)found->models;
    }
    return 0;
}
