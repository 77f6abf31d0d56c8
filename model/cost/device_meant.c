/* device_meant.c - which device a name means, as people and drivers write it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <model/recallmodel/cost.h>

#include <stdlib.h>
#include <string.h>

#include "names.h"

/* What drivers call a card where the words do not tell which one it is. */
static const struct {
    const char *name, *device;
} driver_names[] = {
    {"H100 80GB HBM3", "H100-SXM"}, {"GH200 480GB", "GH200"}, /* 480 GB are those of its CPU */
    {"TPU v5 lite", "TPUv5e"},      {"TPU v6 lite", "TPUv6e"}, {"TPU7x", "TPUv7x"},
};

/* The words that say nothing about which card it is. */
static const char *const makers[] = {
    "nvidia",    "geforce", "tesla",       "amd",     "instinct", "intel",
    "google",    "cloud",   "r",           "tm",      "gpu",      "oam",
    "blackwell", "server",  "workstation", "edition", "ac",       "graphics",
};

/* Left out by people: "4090", "B580", "v5e". */
static const char *const series[] = {"rtx", "arc", "tpu"};

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define WORD_MOST 24
#define NAME_MOST 64

/* A name in parts. `rest`: all words but those of the maker. */
struct parts {
    char card[NAME_MOST], rest[NAME_MOST], form[WORD_MOST]; /* form: "sxm", "pcie", "nvl" or "" */
    double memory_gb;                                       /* 0: it names none */
};

/* The next word in lower case; false: there is none. */
static bool next_word(const char **text, char word[WORD_MOST])
{
    static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                      known[] = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    *text += strcspn(*text, known);
    const size_t length = strspn(*text, known);
    const size_t kept = length < WORD_MOST ? length : WORD_MOST - 1; /* no name is longer */
    for (size_t i = 0; i < kept; i++)
        word[i] = (char)(strchr(capitals, (*text)[i]) ? (*text)[i] - 'A' + 'a' : (*text)[i]);
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

/* The form of a card: "sxm5" is "sxm". NULL: it is another word. */
static const char *form_of(const char *word)
{
    static const char *const forms[] = {"pcie", "nvl"};
    const size_t digits = strncmp(word, "sxm", 3) == 0 ? strspn(word + 3, "0123456789") : 0;
    if (strncmp(word, "sxm", 3) == 0 && word[3 + digits] == '\0')
        return "sxm";
    return is_one_of(word, forms, COUNT(forms)) ? word : NULL;
}

/* "80gb" and "80g" are 80; 0: it is another word. */
static double memory_of(const char *word)
{
    const char *unit = word + strspn(word, "0123456789");
    return unit > word && (strcmp(unit, "g") == 0 || strcmp(unit, "gb") == 0) ? atof(word) : 0.0;
}

static bool append(char text[NAME_MOST], const char *word)
{
    const size_t length = strlen(text);
    if (length + strlen(word) >= NAME_MOST)
        return false;
    strcpy(text + length, word);
    return true;
}

static bool take_apart(const char *name, struct parts *parts)
{
    char word[WORD_MOST];
    *parts = (struct parts){.memory_gb = 0.0};
    if (strpbrk(name, "./")) /* a path, or a part of a card: "MIG 1g.10gb" */
        return false;
    while (next_word(&name, word)) {
        if (is_one_of(word, makers, COUNT(makers)))
            continue;
        const char *form = form_of(word);
        const double memory_gb = memory_of(word);
        if (form)
            strcpy(parts->form, form);
        else if (memory_gb > 0.0)
            parts->memory_gb = memory_gb;
        else if (strncmp(word, "hbm", 3) != 0 && !append(parts->card, word))
            return false;
        if (!append(parts->rest, word))
            return false;
    }
    return *parts->card;
}

/* Is it what was typed, in any form and with any memory? */
static bool is_card(const char *card, const char *typed)
{
    if (strcmp(card, typed) == 0)
        return true;
    for (size_t i = 0; i < COUNT(series); i++) {
        const size_t length = strlen(series[i]);
        if (strncmp(card, series[i], length) == 0 && strcmp(card + length, typed) == 0)
            return true;
    }
    return false;
}

/* Those of the card that was typed, without other forms and, if `memory` counts, other memories. */
static size_t find(const struct parts *typed, bool memory, const struct rcm_device **found,
                   size_t most)
{
    const struct rcm_device *d;
    size_t count = 0;
    for (size_t i = 0; (d = rcm_device(i)) && count < most; i++) {
        struct parts own;
        if (!take_apart(d->name, &own) || !is_card(own.card, typed->card) ||
            (*typed->form && *own.form && strcmp(typed->form, own.form) != 0) ||
            (memory && d->memory_bytes != 1e9 * typed->memory_gb))
            continue;
        found[count++] = d;
    }
    return count;
}

static const struct rcm_device *named_by_driver(const struct parts *typed)
{
    for (size_t i = 0; i < COUNT(driver_names); i++)
        if (names_equal(driver_names[i].name, typed->rest))
            return rcm_device_by_name(driver_names[i].device);
    return NULL;
}

/* The commonest of a family, whose forms differ: the SXM card, of these the first of the table. */
static size_t commonest(const struct rcm_device *const *found, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct parts own;
        if (take_apart(found[i]->name, &own) && strcmp(own.form, "sxm") == 0)
            return i;
    }
    return 0;
}

#define FAMILY_MOST 16

const struct rcm_device *rcm_device_meant(const char *name, const struct rcm_device **others,
                                          size_t most, size_t *count)
{
    const struct rcm_device *found[FAMILY_MOST], *device = rcm_device_by_name(name);
    struct parts typed;
    *count = 0;
    if (!device && take_apart(name, &typed)) {
        device = named_by_driver(&typed);
        size_t cards = device ? 0 : find(&typed, typed.memory_gb > 0.0, found, FAMILY_MOST);
        if (!device && cards == 0)
            cards = find(&typed, false, found, FAMILY_MOST);
        const size_t first = commonest(found, cards);
        device = cards ? found[first] : device;
        for (size_t i = 0; i < cards; i++)
            if (i != first && (*count)++ < most)
                others[*count - 1] = found[i];
    }
    if (device)
        return device;
    *count = rcm_devices_by_prefix(name, others, most);
    if (*count != 1)
        return NULL;
    rcm_devices_by_prefix(name, &device, 1);
    *count = 0;
    return device;
}
