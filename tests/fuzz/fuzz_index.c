/* fuzz_index.c - libFuzzer on the file of partitions and query models, after its checksum: any
 * bytes are read as heads that can be used, or refused with a reason.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <attention/training/trained.h>
#include <base/files/state_file.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Uses every number of a head. */
static void use(const struct trained_head *head)
{
    const struct partition *p = head->partition;
    float *key = calloc(p->d, sizeof *key), *scores = calloc(p->clusters, sizeof *scores);
    uint32_t bucket;
    if (!key || !scores)
        abort();
    partition_assign(p, key, 1, &bucket);
    if (bucket >= p->clusters)
        abort();
    for (uint32_t m = 0; head->models && m < head->query_heads; m++)
        if (head->models[m])
            query_model_scores(head->models[m], key, scores);
    free(key);
    free(scores);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct trained trained;
    char error[200] = "";
    uint8_t *copy = malloc(length + 8);
    if (!copy)
        abort();
    memcpy(copy, bytes, length);
    const uint64_t sum = state_file_checksum(bytes, length);
    memcpy(copy + length, &sum, sizeof sum);
    if (trained_parse(&trained, copy, length + 8, MESSAGE(error)) == 0) {
        for (size_t i = 0; i < trained.length; i++)
            use(&trained.heads[i]);
    } else if (*error == '\0' || trained.length != 0) {
        abort();
    }
    trained_free(&trained);
    free(copy);
    return 0;
}
