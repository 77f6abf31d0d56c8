/* device_meant.c - which device a name means, as people, tools and clouds write it.
 *
 * A name is a set of words. Those of the maker say nothing; each other word must be one of the
 * device: a name is never that of the card with the nearest letters.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <model/recallmodel/cost.h>

#include <stdlib.h>
#include <string.h>

#include "names.h"

/* The words that do not tell which card of a maker it is. */
static const char *const plain[] = {
    "r",          "tm",        "gpu",    "oam",         "corporation",
    "vf",         "blackwell", "server", "workstation", "edition",
    "generation", "graphics",  "ac",     "tensor",      "core",
};

enum maker { NVIDIA, AMD, INTEL, GOOGLE, MAKERS };
static const struct {
    const char *word;
    enum maker maker;
} makers[] = {
    {"nvidia", NVIDIA}, {"geforce", NVIDIA}, {"tesla", NVIDIA},  {"amd", AMD},
    {"instinct", AMD},  {"intel", INTEL},    {"google", GOOGLE}, {"cloud", GOOGLE},
};

/* How the names of their devices begin, of any but NVIDIA. */
static const struct {
    const char *begins;
    enum maker maker;
} brands[] = {{"MI", AMD}, {"Arc", INTEL}, {"Gaudi", INTEL}, {"TPU", GOOGLE}};

/* Left out by people: "4090", "B580", "v5e". */
static const char *const series[] = {"rtx", "arc", "tpu"};

/* Other words for a card. */
static const struct {
    const char *card, *device;
} other_names[] = {
    {"tpuv5lite", "TPUv5e"}, {"tpuv6lite", "TPUv6e"}, {"tpuv6", "TPUv6e"},
    {"tpu7x", "TPUv7x"},     {"tpuv7", "TPUv7x"},
};

/* What a device may be called beside its name and the memory of its row: its forms, its kind of
 * memory, and other sizes of it (480 GB are those of the CPU of a GH200). */
static const struct {
    const char *device, *words;
} also_called[] = {
    {"A100-PCIe", "hbm2e"},    {"A100-PCIe-40GB", "hbm2"},  {"A100-SXM", "hbm2e"},
    {"A100-SXM-40GB", "hbm2"}, {"H100-PCIe", "hbm2e"},      {"H100-SXM", "hbm3"},
    {"H100-NVL", "hbm3"},      {"H200", "sxm nvl hbm3e"},   {"GH200", "480gb hbm3"},
    {"GH200-144GB", "hbm3e"},  {"B200", "sxm 192gb hbm3e"}, {"B300", "sxm hbm3e"},
    {"GB200", "nvl72 hbm3e"},  {"GB300", "nvl72 hbm3e"},    {"V100", "pcie sxm 32gb hbm2"},
    {"V100S", "pcie hbm2"},    {"MI300X", "hbm3"},          {"MI325X", "hbm3e"},
    {"MI355X", "hbm3e"},
};

/* The machines of clouds whose card is sure; '*' stands for digits, or none. From the pages of
 * Amazon EC2, Google Compute Engine and Azure on their types of accelerated machines. */
static const struct {
    const char *machine, *device;
} machines[] = {
    {"p3.*xlarge", "V100"},
    {"p3dn.24xlarge", "V100"},
    {"p4d.24xlarge", "A100-SXM-40GB"},
    {"p4de.24xlarge", "A100-SXM"},
    {"p5.*xlarge", "H100-SXM"},
    {"p5e.48xlarge", "H200"},
    {"p5en.48xlarge", "H200"},
    {"p6-b200.48xlarge", "B200"},
    {"p6-b300.48xlarge", "B300"},
    {"g4dn.*xlarge", "T4"},
    {"g4dn.metal", "T4"},
    {"g5.*xlarge", "A10G"},
    {"g6.*xlarge", "L4"},
    {"gr6.*xlarge", "L4"},
    {"g6e.*xlarge", "L40S"},
    {"a2-highgpu-*g", "A100-SXM-40GB"},
    {"a2-megagpu-16g", "A100-SXM-40GB"},
    {"a2-ultragpu-*g", "A100-SXM"},
    {"a3-highgpu-*g", "H100-SXM"},
    {"a3-megagpu-8g", "H100-SXM"},
    {"a3-ultragpu-8g", "H200"},
    {"a4-highgpu-8g", "B200"},
    {"a4x-highgpu-4g", "GB200"},
    {"g2-standard-*", "L4"},
    {"standard_nc*as_t4_v3", "T4"},
    {"standard_nc*ads_a100_v4", "A100-PCIe"},
    {"standard_nc*ads_h100_v5", "H100-NVL"},
    {"standard_nc*adis_h100_v5", "H100-NVL"},
    {"standard_nd*asr_v4", "A100-SXM-40GB"},
    {"standard_nd*amsr_a100_v4", "A100-SXM"},
    {"standard_nd*isr_h100_v5", "H100-SXM"},
    {"standard_nd*isr_h200_v5", "H200"},
    {"standard_nd*isr_mi300x_v5", "MI300X"},
};

/* Cards without a row that have the chip and the memory of another one, with slower links to other
 * cards and fewer float64. */
static const struct {
    const char *card, *same;
} same_chips[] = {{"h800", "h100"}, {"a800", "a100"}};

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define WORD_MOST 24
#define NAME_MOST 64
#define WORDS_MOST 6

/* A name in parts. `details`: forms, memories and their kinds. */
struct parts {
    char card[NAME_MOST], details[WORDS_MOST][WORD_MOST];
    size_t count;
    enum maker maker; /* MAKERS: it names none */
};

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", digits[] = "0123456789";

static char lower(char letter)
{
    return (char)(letter && strchr(letters, letter) ? letter - 'A' + 'a' : letter);
}

static bool is_digit(char letter)
{
    return letter && strchr(digits, letter);
}

/* The next word in lower case; false: there is none. */
static bool next_word(const char **text, char word[WORD_MOST])
{
    static const char known[] = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    *text += strcspn(*text, known);
    const size_t length = strspn(*text, known);
    const size_t kept = length < WORD_MOST ? length : WORD_MOST - 1; /* no name is longer */
    for (size_t i = 0; i < kept; i++)
        word[i] = lower((*text)[i]);
    word[kept] = '\0';
    *text += length;
    return kept > 0;
}

static bool is_one_of(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

static bool is_unit(const char *word)
{
    static const char *const units[] = {"g", "gb", "gib"};
    return is_one_of(word, units, COUNT(units));
}

/* "80gb" and "80g" are 80; 0: it is another word. */
static double memory_of(const char *word)
{
    const char *unit = word + strspn(word, digits);
    return unit > word && is_unit(unit) ? atof(word) : 0.0;
}

/* A form, a size of memory or a kind of it; "sxm5" becomes "sxm". */
static bool is_detail(char word[WORD_MOST])
{
    static const char *const forms[] = {"sxm", "pcie", "nvl", "nvl72"};
    if (strncmp(word, "sxm", 3) == 0 && word[3 + strspn(word + 3, digits)] == '\0')
        word[3] = '\0';
    return is_one_of(word, forms, COUNT(forms)) || memory_of(word) > 0.0 ||
           strncmp(word, "hbm", 3) == 0;
}

/* Adds a word to the card. Numbers do not grow together: "H20 0" is no H200. */
static bool append(char text[NAME_MOST], const char *word)
{
    const size_t length = strlen(text);
    if (length + strlen(word) >= NAME_MOST ||
        (length > 0 && is_digit(text[length - 1]) && is_digit(*word)))
        return false;
    strcpy(text + length, word);
    return true;
}

static bool names_maker(const char *word, enum maker *maker)
{
    for (size_t i = 0; i < COUNT(makers); i++)
        if (strcmp(makers[i].word, word) == 0) {
            *maker = makers[i].maker;
            return true;
        }
    return false;
}

static bool take_apart(const char *name, struct parts *parts)
{
    char word[WORD_MOST];
    *parts = (struct parts){.maker = MAKERS};
    if (strpbrk(name, "./")) /* a path, or a part of a card: "MIG 1g.10gb" */
        return false;
    while (next_word(&name, word)) {
        const char *then = name;
        char unit[WORD_MOST];
        if (word[strspn(word, digits)] == '\0' && next_word(&then, unit) && is_unit(unit)) {
            strncat(word, unit, WORD_MOST - 1 - strlen(word)); /* "80 GB" */
            name = then;
        }
        if (is_one_of(word, plain, COUNT(plain)) || names_maker(word, &parts->maker))
            continue;
        if (is_detail(word)) {
            if (parts->count == WORDS_MOST)
                return false;
            strcpy(parts->details[parts->count++], word);
        } else if (!append(parts->card, word)) {
            return false;
        }
    }
    return *parts->card;
}

/* ---- a device */

/* Is it the card that was typed? "mi355" is MI355X: AMD has no other one of each number here. */
static bool is_card(const char *card, const char *typed)
{
    const size_t length = strlen(typed);
    if (strcmp(card, typed) == 0 || (strncmp(card, "mi", 2) == 0 && length == strlen(card) - 1 &&
                                     strncmp(card, typed, length) == 0 && card[length] == 'x'))
        return true;
    for (size_t i = 0; i < COUNT(series); i++) {
        const size_t left_out = strlen(series[i]);
        if (strncmp(card, series[i], left_out) == 0 && strcmp(card + left_out, typed) == 0)
            return true;
    }
    return false;
}

static bool is_detail_of(const struct rcm_device *d, const struct parts *own, const char *word)
{
    if (memory_of(word) > 0.0 && d->memory_bytes == 1e9 * memory_of(word))
        return true;
    for (size_t i = 0; i < own->count; i++)
        if (strcmp(own->details[i], word) == 0)
            return true;
    for (size_t i = 0; i < COUNT(also_called); i++) {
        const char *words = also_called[i].words;
        char also[WORD_MOST];
        while (strcmp(also_called[i].device, d->name) == 0 && next_word(&words, also))
            if (strcmp(also, word) == 0)
                return true;
    }
    return false;
}

static enum maker maker_of(const struct rcm_device *d)
{
    for (size_t i = 0; i < COUNT(brands); i++)
        if (strncmp(d->name, brands[i].begins, strlen(brands[i].begins)) == 0)
            return brands[i].maker;
    return NVIDIA;
}

static bool is_meant(const struct rcm_device *d, const struct parts *typed)
{
    struct parts own;
    if (!take_apart(d->name, &own) || !is_card(own.card, typed->card) ||
        (typed->maker != MAKERS && typed->maker != maker_of(d)))
        return false;
    for (size_t i = 0; i < typed->count; i++)
        if (!is_detail_of(d, &own, typed->details[i]))
            return false;
    return true;
}

/* ---- the devices that a name may mean */

#define FAMILY_MOST 16

static bool is_sxm(const struct rcm_device *d)
{
    struct parts own;
    bool sxm = false;
    if (take_apart(d->name, &own))
        for (size_t i = 0; i < own.count; i++)
            sxm = sxm || strcmp(own.details[i], "sxm") == 0;
    return sxm;
}

/* Those of the card, the commonest of a family first: the SXM card, of these the first of the
 * table. */
static size_t find(const struct parts *typed, const struct rcm_device *found[FAMILY_MOST])
{
    const struct rcm_device *d;
    size_t count = 0;
    bool sxm = false;
    for (size_t i = 0; i < COUNT(other_names); i++)
        if (strcmp(other_names[i].card, typed->card) == 0 && typed->count == 0) {
            found[0] = rcm_device_by_name(other_names[i].device);
            return 1;
        }
    for (size_t i = 0; (d = rcm_device(i)) && count < FAMILY_MOST; i++) {
        if (!is_meant(d, typed))
            continue;
        size_t at = count++;
        for (; !sxm && is_sxm(d) && at > 0; at--)
            found[at] = found[at - 1];
        sxm = sxm || is_sxm(d);
        found[at] = d;
    }
    return count;
}

/* Is it a machine of this type? */
static bool fits(const char *pattern, const char *name)
{
    for (; *pattern; pattern++)
        if (*pattern == '*')
            name += strspn(name, digits);
        else if (*pattern != lower(*name++))
            return false;
    return *name == '\0';
}

static const struct rcm_device *of_machine(const char *name)
{
    name += strncmp(name, "ml.", 3) == 0 ? 3 : 0; /* as Amazon SageMaker calls them */
    for (size_t i = 0; i < COUNT(machines); i++)
        if (fits(machines[i].machine, name))
            return rcm_device_by_name(machines[i].device);
    return NULL;
}

/* Copies the name out of what a tool prints: in brackets, "GH100 [H100 SXM5 80GB] [10de:2330]
 * (rev a1)"; or behind a colon, "GPU 0: NVIDIA H200 (UUID: ..)". False: it is too long. */
static bool take_name(const char *line, char name[NAME_MOST])
{
    static const char *const ends[] = {"(UUID", "(rev"};
    const char *begin = NULL, *end;
    for (const char *at = line; (at = strchr(at, '[')); at++)
        if (!is_digit(at[1]) && strchr(at, ']'))
            begin = at + 1;
    end = begin ? strchr(begin, ']') : line + strlen(line);
    if (!begin) {
        for (size_t i = 0; i < COUNT(ends); i++) {
            const char *found = strstr(line, ends[i]);
            end = found && found < end ? found : end;
        }
        begin = line;
        for (const char *at = line; (at = strstr(at, ": ")) && at < end;)
            begin = at += 2;
    }
    const size_t length = (size_t)(end - begin);
    if (length >= NAME_MOST)
        return false;
    memcpy(name, begin, length);
    name[length] = '\0';
    return true;
}

const struct rcm_device *rcm_device_meant(const char *name, const struct rcm_device **others,
                                          size_t most, size_t *count)
{
    const struct rcm_device *found[FAMILY_MOST], *device = rcm_device_by_name(name);
    struct parts typed;
    char own[NAME_MOST];
    *count = 0;
    device = device ? device : of_machine(name);
    if (device || !take_name(name, own))
        return device;
    const size_t cards = take_apart(own, &typed) ? find(&typed, found) : 0;
    for (size_t i = 1; i < cards; i++)
        if ((*count)++ < most)
            others[*count - 1] = found[i];
    if (cards > 0)
        return found[0];
    *count = rcm_devices_by_prefix(name, others, most);
    if (*count == 1 && strpbrk(name, digits)) /* "RTX 4080" is another card than the one behind */
        *count = 0;
    return NULL;
}

bool rcm_device_guessed(const char *name, const struct rcm_device *meant)
{
    struct parts typed, whole;
    char own[NAME_MOST];
    if (meant == rcm_device_by_name(name))
        return false;
    return rcm_name_begins(meant->name, name) ||
           (take_name(name, own) && take_apart(own, &typed) && take_apart(meant->name, &whole) &&
            strlen(typed.card) < strlen(whole.card) &&
            strncmp(whole.card, typed.card, strlen(typed.card)) == 0);
}

bool rcm_device_is_part(const char *name)
{
    const char *at = strstr(name, "MIG ");
    return at && is_digit(at[4]);
}

const struct rcm_device *rcm_device_same_chip(const char *name)
{
    const struct rcm_device *found[FAMILY_MOST];
    struct parts typed;
    char own[NAME_MOST];
    for (size_t i = 0; i < COUNT(same_chips); i++) {
        if (!take_name(name, own) || !take_apart(own, &typed) ||
            strcmp(typed.card, same_chips[i].card) != 0)
            continue;
        strcpy(typed.card, same_chips[i].same);
        if (find(&typed, found) > 0)
            return found[0];
    }
    return NULL;
}
