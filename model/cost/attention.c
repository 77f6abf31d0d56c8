/* attention.c - what sparse attention can gain end to end. Derivation: docs/models.md 15.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/recallmodel/cost.h>

#include "names.h"

/* layers, width, vocabulary, head, heads, kv_heads, ffn, embeddings_read. The sources are the
 * files config.json of the models on the Hugging Face hub. tests/programs/attention/test_decoders.c
 * compares their parameters with the published counts. The list leaves out mixtures of experts, of
 * which a step reads a part, and decoders with sliding windows (Gemma 2 and 3, gpt-oss), which do
 * not read every key. */
static const struct rcm_decoder decoders[] = {
    {"Llama-2-7B", 32, 4096, 32000, 128, 32, 32, 0, 2,
     "Key et al.'s code; 12 width^2 parameters a layer, both embeddings read whole"},
    {"Llama-3.1-8B", 32, 4096, 128256, 128, 32, 8, 14336, 1, "meta-llama/Llama-3.1-8B config.json"},
    {"Llama-3.1-70B", 80, 8192, 128256, 128, 64, 8, 28672, 1,
     "meta-llama/Llama-3.1-70B config.json"},
    {"Llama-3.1-405B", 126, 16384, 128256, 128, 128, 8, 53248, 1,
     "meta-llama/Llama-3.1-405B config.json"},
    {"Qwen2.5-7B", 28, 3584, 152064, 128, 28, 4, 18944, 1, "Qwen/Qwen2.5-7B config.json"},
    {"Qwen3-8B", 36, 4096, 151936, 128, 32, 8, 12288, 1, "Qwen/Qwen3-8B config.json"},
    {"Qwen3-32B", 64, 5120, 151936, 128, 64, 8, 25600, 1, "Qwen/Qwen3-32B config.json"},
    {"Mistral-7B", 32, 4096, 32768, 128, 32, 8, 14336, 1, "mistralai/Mistral-7B-v0.3 config.json"},
    {"Gemma-7B", 28, 3072, 256000, 256, 16, 16, 24576, 1, "google/gemma-7b config.json"},
};
#define DECODERS (sizeof decoders / sizeof *decoders)

const struct rcm_decoder *rcm_decoder(size_t index)
{
    return index < DECODERS ? &decoders[index] : NULL;
}

size_t rcm_decoders_by_prefix(const char *name, const struct rcm_decoder **found, size_t most)
{
    size_t count = 0;
    bool exact = false;
    for (size_t i = 0; i < DECODERS && !exact; i++)
        exact = names_equal(decoders[i].name, name);
    for (size_t i = 0; i < DECODERS; i++) {
        if (!(exact ? names_equal : rcm_name_begins)(decoders[i].name, name))
            continue;
        if (count < most)
            found[count] = &decoders[i];
        count++;
    }
    return count;
}

static bool is_decoder(const struct rcm_decoder *d)
{
    return d->layers >= 1 && d->width >= 1 && d->head >= 1 && d->kv_heads >= 1 &&
           d->heads >= d->kv_heads && d->heads % d->kv_heads == 0;
}

double rcm_decoder_layer_parameters(const struct rcm_decoder *d)
{
    if (!is_decoder(d))
        return NAN;
    const double width = (double)d->width, head = (double)d->head;
    const double projections = 2.0 * width * head * ((double)d->heads + (double)d->kv_heads);
    return projections + (d->ffn ? 3.0 * width * (double)d->ffn : 8.0 * width * width);
}

/* The work of one step: of all layers and the embeddings, or of attention to n cached keys. */
struct step_work {
    double operations, bytes;
};

static double time_us(const struct rcm_device *device, struct step_work work)
{
    return (work.operations / device->matrix_rate_per_s +
            work.bytes / device->bandwidth_bytes_per_s) *
           1e6;
}

static struct step_work weights_of(const struct rcm_decoder *d)
{
    const double parameters = (double)d->layers * rcm_decoder_layer_parameters(d);
    const double embedding = (double)d->width * (double)d->vocabulary;
    return (struct step_work){2.0 * (parameters + embedding),
                              2.0 * (parameters + (double)d->embeddings_read * embedding)};
}

/* Keys and values of n tokens and the new one, read once for all queries of a group. */
static struct step_work attention_of(const struct rcm_decoder *d, double n)
{
    const double elements = 2.0 * (double)d->layers * (n + 1.0) * (double)d->head;
    return (struct step_work){2.0 * elements * (double)d->heads,
                              2.0 * elements * (double)d->kv_heads};
}

struct rcm_attention rcm_attention(const struct rcm_decoder *decoder,
                                   const struct rcm_device *device, uint64_t n, uint64_t k,
                                   uint64_t components)
{
    if (n < 1 || n > RCM_N_MAX || k < 1 || k > n || components < 1 || components > decoder->head ||
        !is_decoder(decoder) || !(device->matrix_rate_per_s > 0.0) ||
        !(device->bandwidth_bytes_per_s > 0.0))
        return (struct rcm_attention){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    const double d = (double)decoder->head, r = (double)components;
    const double keys = (double)n, wanted = (double)k;
    const double group = (double)(decoder->heads / decoder->kv_heads);
    const struct step_work weights = weights_of(decoder), dense_work = attention_of(decoder, keys);
    const double rest = time_us(device, weights), attention = time_us(device, dense_work);

    /* Elements moved for one head of keys: dense, with one choice for a group, with one for each
     * query. */
    const double dense = 2.0 * keys * d + 2.0 * d;
    const double sparse = keys * r + 2.0 * wanted * d + 4.0 * d;
    const double apart = keys * fmin(group * r, d) + 2.0 * fmin(group * wanted, keys) * d + 4.0 * d;
    const struct step_work apart_work = {dense_work.operations * sparse / dense,
                                         dense_work.bytes * apart / dense};
    const double step = rest + attention;
    return (struct rcm_attention){.step_us = step,
                                  .attention_us = attention,
                                  .transfers = dense / sparse,
                                  .speedup = step / (rest + attention * sparse / dense),
                                  .transfers_apart = dense / apart,
                                  .speedup_apart = step / (rest + time_us(device, apart_work)),
                                  .bytes = weights.bytes + dense_work.bytes};
}

double rcm_attention_selected(const struct rcm_decoder *decoder, struct rcm_attention gain,
                              double select_us)
{
    if (!is_decoder(decoder) || !(select_us >= 0.0 && select_us < INFINITY))
        return NAN;
    const double sparse_us = gain.step_us / gain.speedup;
    return gain.step_us / (sparse_us + (double)decoder->layers * select_us);
}
