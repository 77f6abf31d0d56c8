/* command_attention.c - the most that sparse attention can gain in a step of decoding, whatever
 * selects the keys.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <programs/common/wrap.h>

#include <programs/recallmodel/question/answer.h>
#include <programs/recallmodel/command.h>

struct settings {
    struct question question;
    struct decoder_option {
        const struct rcm_decoder *one; /* NULL: not given, or all */
        bool all;
    } decoder;
    struct rcm_decoder own; /* of --layers, --width ..; 0: not given */
    uint64_t components;    /* 0: not given */
    double select_us;       /* 0: not given */
};

#define NAMES_LISTED 64 /* decoders that a prefix may mean */

static const char *decoder_name_at(unsigned i)
{
    return rcm_decoder(i) ? rcm_decoder(i)->name : NULL;
}

static int read_decoder(void *to, const char *option, const char *value)
{
    struct decoder_option *decoder = to;
    const struct rcm_decoder *found[NAMES_LISTED];
    const size_t count = rcm_decoders_by_prefix(value, found, NAMES_LISTED);
    char several[800] = "";
    decoder->all = strcmp(value, "all") == 0;
    decoder->one = count == 1 ? found[0] : NULL;
    if (decoder->all || count == 1)
        return STATUS_OK;
    for (size_t i = 0; i < count && i < NAMES_LISTED; i++)
        append_name(several, sizeof several, found[i]->name);
    return unclear_name(option, value, several, decoder_name_at,
                        "all, or the numbers of another: --layers, --width, --kv-heads and --head");
}

static int read_components(void *to, const char *option, const char *value)
{
    const char *wrong = parse_count(value, to);
    return wrong ? usage_error("%s '%.*s' is %s; give a whole number from 1 to the elements of a"
                               " head, such as 16 of 128",
                               option, VALUE_SHOWN, value, wrong)
                 : STATUS_OK;
}

#define OWN(member) offsetof(struct settings, own.member)

static const struct argument attention_options[] = {
    OPTIONS_ROW,
    {"--decoder", "NAME", KIND(read_decoder, .names = decoder_name_at, .also = "all"),
     offsetof(struct settings, decoder),
     "the decoder: its name, a prefix of just one name, or all (default Llama-2-7B)"},
    {"--layers", "L", BY(read_count), OWN(layers),
     "the layers of another decoder, which also needs --width, --kv-heads and --head"},
    {"--width", "W", BY(read_count), OWN(width), "its hidden size"},
    {"--kv-heads", "H", BY(read_count), OWN(kv_heads), "its heads of keys and values"},
    {"--head", "D", BY(read_count), OWN(head), "the elements of one of its heads"},
    {"--heads", "H", BY(read_count), OWN(heads), "its heads of queries (default W/D)"},
    {"--ffn", "F", BY(read_count), OWN(ffn),
     "the inner size of its gated feed-forward network, which then has 3 W F parameters (default: "
     "8 W^2 parameters, as in Key et al.)"},
    {"--vocabulary", "V", BY(read_count), OWN(vocabulary),
     "the size of its vocabulary, whose embedding has V W parameters (default: not counted)"},
    {"--components", "R", BY(read_components), offsetof(struct settings, components),
     "elements of each key that SparQ reads first (default: an eighth of those of a head)"},
    {"--select-us", "T", BY(read_us), offsetof(struct settings, select_us),
     "also print the speed-up if choosing the k keys takes T microseconds in each layer"},
    {"--device", "D", &kind_of_device, IN_QUESTION(device),
     "a device with a matrix rate: its name, or the path of a device file (default H100-PCIe)"},
    OPTIONS_FORM,
};

#define NUMBERS "--layers --width --kv-heads --head"

static const struct argument_rule attention_rules[] = {
    {.options = NUMBERS " --heads --ffn --vocabulary",
     .needs = NUMBERS,
     .excludes = "--decoder",
     .why = "another decoder is given by its numbers: " NUMBERS},
    {0},
};

static const struct rcm_device *device_of(const struct settings *settings)
{
    return settings->question.device.given ? &settings->question.device.text.device
                                           : rcm_device_by_name("H100-PCIe");
}

static bool has_own(const struct settings *settings)
{
    const struct rcm_decoder *own = &settings->own;
    return own->layers || own->width || own->kv_heads || own->head || own->heads || own->ffn ||
           own->vocabulary;
}

/* The decoder of --layers, --width ..; what may be left out is derived. */
static struct rcm_decoder own_decoder(const struct settings *settings)
{
    struct rcm_decoder own = settings->own;
    own.name = "as given";
    own.embeddings_read = 1;
    own.heads = own.heads ? own.heads : own.width / own.head;
    return own;
}

/* The index-th decoder that was asked for; false: no more. */
static bool decoder_at(const struct settings *settings, size_t index, struct rcm_decoder *decoder)
{
    if (settings->decoder.all) {
        if (!rcm_decoder(index))
            return false;
        *decoder = *rcm_decoder(index);
        return true;
    }
    if (has_own(settings))
        *decoder = own_decoder(settings);
    else
        *decoder = settings->decoder.one ? *settings->decoder.one : *rcm_decoder(0);
    return index == 0;
}

static uint64_t components_of(const struct settings *settings, const struct rcm_decoder *decoder)
{
    const uint64_t eighth = decoder->head / 8;
    return settings->components ? settings->components : eighth ? eighth : 1;
}

struct attention_row {
    struct rcm_topk p;
    const char *decoder, *device;
    uint64_t components;
    struct rcm_attention gain;
    double share, selected;
    int exceeds; /* -1: the memory of the device is not known */
};

enum { SELECTED = 1 }; /* parts of the table */

static const struct column attention_items[] = {
    {FIELD(struct attention_row, p.n), EVERYWHERE("n")},
    {FIELD(struct attention_row, p.k), EVERYWHERE("k")},
    {FIELD(struct attention_row, decoder), EVERYWHERE("decoder")},
    {FIELD(struct attention_row, device), EVERYWHERE("device")},
    {FIELD(struct attention_row, components), HEADED("components", "compo-\nnents")},
    {FIELD(struct attention_row, gain.step_us), HEADED("step_us", "step\nus"), .style = STYLE_TIME},
    {FIELD(struct attention_row, gain.attention_us), IN_DATA("attention_us")},
    {FIELD(struct attention_row, share), HEADED("attention_share", "atten-\ntion"),
     .style = STYLE_PERCENT},
    {FIELD(struct attention_row, gain.transfers), HEADED("transfers", "trans-\nfers"),
     .style = STYLE_SPEEDUP},
    {FIELD(struct attention_row, gain.speedup), HEADED("speedup", "speed-\nup")},
    {FIELD(struct attention_row, gain.transfers_apart), IN_DATA("transfers_apart")},
    {FIELD(struct attention_row, selected), HEADED("speedup_selected", "with\nchoice"),
     .when = SELECTED},
    {FIELD(struct attention_row, gain.speedup_apart), HEADED("speedup_apart", "each\nquery")},
    {FIELD(struct attention_row, gain.bytes), IN_DATA("bytes")},
    {FIELD(struct attention_row, exceeds), IN_DATA("exceeds_memory")},
};
static const struct columns attention_columns = COLUMNS(struct attention_row, attention_items);

/* The row of the index-th decoder; false: no more. */
static bool attention_row_at(const struct settings *settings, size_t index, struct rcm_topk p,
                             struct attention_row *row)
{
    const struct rcm_device *device = device_of(settings);
    struct rcm_decoder decoder;
    if (!decoder_at(settings, index, &decoder))
        return false;
    const uint64_t components = components_of(settings, &decoder);
    const struct rcm_attention gain = rcm_attention(&decoder, device, p.n, p.k, components);
    *row = (struct attention_row){
        .p = p,
        .decoder = decoder.name,
        .device = device->name,
        .components = components,
        .gain = gain,
        .share = gain.attention_us / gain.step_us,
        .selected = rcm_attention_selected(&decoder, gain, settings->select_us),
        .exceeds = device->memory_bytes > 0.0 ? gain.bytes > device->memory_bytes : -1,
    };
    return true;
}

static struct table *attention_rows(const struct query *query, void *state)
{
    const struct settings *settings = state;
    struct table *table = table_of(&attention_columns, settings->select_us > 0.0 ? SELECTED : 0);
    struct attention_row row;
    for (size_t i = 0; attention_row_at(settings, i, query->base, &row); i++)
        table_add(table, &row, false);
    return table;
}

/* Which decoders do not fit onto the device, with the longest of the rows. */
static void print_too_large(const struct settings *settings, struct rcm_topk p)
{
    struct attention_row row;
    for (size_t i = 0; i < settings->question.n.length; i++)
        p.n = settings->question.n.items[i] > p.n ? settings->question.n.items[i] : p.n;
    for (size_t i = 0; attention_row_at(settings, i, p, &row); i++)
        if (row.exceeds > 0)
            print_wrapped("%s: weights and %" PRIu64
                          " keys and values take %.4g GB; the %s has %.4g GB.",
                          row.decoder, p.n, row.gain.bytes / 1e9, row.device,
                          device_of(settings)->memory_bytes / 1e9);
}

static void attention_text(const struct query *query, const struct table *table, void *state,
                           bool colour)
{
    const struct settings *settings = state;
    table_print(table, stdout, colour);
    print_too_large(settings, query->base);
    print_wrapped("speed-up: for one token of one sequence and 2-byte values, if choosing the keys "
                  "takes no time and query heads that share a key head choose the same keys. each "
                  "query: if each query head chooses its own (docs/models.md 15).");
    if (settings->select_us > 0.0)
        print_wrapped("with choice: choosing the keys takes %.4g us in each layer.",
                      settings->select_us);
}

/* Do the numbers of --layers .. make a decoder? */
static int check_own(const struct settings *settings)
{
    const struct rcm_decoder *own = &settings->own;
    if (!own->heads && own->width % own->head)
        return usage_error("--width %" PRIu64 " is not a multiple of --head %" PRIu64
                           "; give --heads",
                           own->width, own->head);
    const uint64_t heads = own_decoder(settings).heads;
    if (heads % own->kv_heads)
        return usage_error("%" PRIu64 " heads are not a multiple of --kv-heads %" PRIu64
                           "; give one that divides them, or --heads",
                           heads, own->kv_heads);
    return STATUS_OK;
}

/* What must hold between the options. */
static int check_attention(void *state)
{
    const struct settings *settings = state;
    struct rcm_decoder decoder;
    int status = has_own(settings) ? check_own(settings) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    if (!(device_of(settings)->matrix_rate_per_s > 0.0))
        return usage_error("--device %s has no matrix_rate_per_s; add the line, or give one of "
                           "recallmodel devices",
                           device_of(settings)->name);
    for (size_t i = 0; decoder_at(settings, i, &decoder); i++)
        if (settings->components > decoder.head)
            return usage_error("--components %" PRIu64 " is more than the %" PRIu64
                               " elements of a head of %s; give at most %" PRIu64,
                               settings->components, decoder.head, decoder.name, decoder.head);
    return STATUS_OK;
}

static const struct answer attention_answer = {.rules = attention_rules,
                                               .check = check_attention,
                                               .shapes = SHAPES_NONE,
                                               .rows = attention_rows,
                                               .text = attention_text,
                                               .json_key = "steps",
                                               .one_table = true};

static int run_attention(int count, char **arguments)
{
    struct settings settings = {.question = QUESTION_DEFAULT};
    return answer_arguments(attention_options, &attention_answer, &settings.question, count,
                            arguments);
}

const struct command command_attention = {
    .name = "attention",
    .group = "Does sparse attention pay, and what does it lose?",
    .summary = "the largest speed-up that sparse attention can give a decoding step",
    .example =
        "recallmodel attention --n 4096,16384,65536 --k 256 --decoder llama-3.1-8b --device h200",
    .detail = "n keys are cached, and k of them are attended to.\n"
              "\n"
              "  step us         the time of one token with dense attention: operations over the "
              "matrix rate plus bytes over the bandwidth\n"
              "  attention       the share of attention in that time\n"
              "  transfers       the bytes that dense attention reads over those that SparQ reads: "
              "some components of every key, then k whole keys and values\n"
              "  speed-up        the speed-up of the whole step, if selecting the k keys takes no "
              "time and query heads that share a key head choose the same keys\n"
              "  with choice     the speed-up if choosing takes --select-us in each layer\n"
              "  each query      the speed-up if each query head chooses its own keys",
    .columns = &attention_columns,
    .options = attention_options,
    .run = run_attention,
};
