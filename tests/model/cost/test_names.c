/* test_names.c - names of devices: UTF-8, prefixes, and which device a name means.
 *
 * Against: UTF-8 by jansson; names as tools print them; 10000 names with one letter or digit
 * changed, none of which may mean a card whose name it does not have.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>

#include <jansson.h>

#include <tests/test.h>

/* What jansson accepts, except for control characters. */
static bool plain_by_jansson(const char *text)
{
    json_t *string = json_string(text);
    bool plain = string != NULL;
    for (const char *at = text; plain && *at; at++)
        if ((unsigned char)*at < 32 || *at == 127 ||
            (at[0] == '\xc2' && (unsigned char)at[1] < 0xa0))
            plain = false;
    json_decref(string);
    return plain;
}

START_TEST(utf8)
{
    char text[8];
    size_t count = 0;
    /* All sequences of one and two bytes; all of three bytes that begin like a longer one; the
     * limits of four bytes. */
    for (unsigned first = 0; first < 256; first++)
        for (unsigned more = 0; more < (first < 0xe0 ? 256u : 65536u); more++, count++) {
            snprintf(text, sizeof text, "%c%c%c", (char)first, (char)more, (char)(more >> 8));
            if (rcm_text_is_plain(text) != plain_by_jansson(text))
                ck_abort_msg("%02x %04x", first, more);
        }
    static const unsigned char ends[] = {'a', 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff};
    for (unsigned first = 0xf0; first < 256; first++)
        for (unsigned i = 0; i < 10000; i++, count++) {
            snprintf(text, sizeof text, "%c%c%c%c%c", (char)first, ends[i % 10], ends[i / 10 % 10],
                     ends[i / 100 % 10], ends[i / 1000]);
            if (rcm_text_is_plain(text) != plain_by_jansson(text))
                ck_abort_msg("%02x %u", first, i);
        }
    printf("%zu sequences of bytes\n", count);
}
END_TEST

START_TEST(beginnings_of_names)
{
    static const struct {
        const char *name, *prefix;
        bool begins;
    } cases[] = {
        {"H100-PCIe", "h100", true},    {"H100-PCIe", "H100 pcie", true},
        {"H100-PCIe", "h_100-P", true}, {"H200", "H20", false},
        {"H100-PCIe", "H10", false},    {"H100-PCIe", "", false},
        {"H100-PCIe", " -", false},     {"H100", "H100-PCIe", false},
        {"TPUv5e", "tpu v5", true},     {"TPUv5e", "v5", false},
        {"RTX 4090", "rtx4", false},    {"RTX 4090", "rtx", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(rcm_name_begins(cases[i].name, cases[i].prefix) == cases[i].begins, "%s, %s",
                      cases[i].name, cases[i].prefix);
    for (size_t i = 0; rcm_device(i); i++)
        ck_assert(rcm_name_begins(rcm_device(i)->name, rcm_device(i)->name));
}
END_TEST

/* What nvidia-smi, torch.cuda.get_device_name, JAX and people call cards. */
static const struct {
    const char *name, *device, *others; /* device: NULL: none, or one of the others */
} meant[] = {
    {"NVIDIA H100 80GB HBM3", "H100-SXM", ""},
    {"NVIDIA H100 PCIe", "H100-PCIe", ""},
    {"NVIDIA H100 NVL", "H100-NVL", ""},
    {"NVIDIA H200", "H200", ""},
    {"NVIDIA H200 NVL", "H200", ""},
    {"NVIDIA GH200 480GB", "GH200", ""},
    {"NVIDIA GH200 144G HBM3e", "GH200-144GB", ""},
    {"NVIDIA B200", "B200", ""},
    {"NVIDIA B300 SXM6 AC", "B300", ""},
    {"NVIDIA GB200", "GB200", ""},
    {"NVIDIA A100-SXM4-40GB", "A100-SXM-40GB", ""},
    {"NVIDIA A100-SXM4-80GB", "A100-SXM", ""},
    {"A100-SXM4-80GB", "A100-SXM", ""}, /* an older driver */
    {"NVIDIA A100 80GB PCIe", "A100-PCIe", ""},
    {"NVIDIA A100-PCIE-40GB", "A100-PCIe-40GB", ""},
    {"NVIDIA L4", "L4", ""},
    {"NVIDIA L40S", "L40S", ""},
    {"NVIDIA A10G", "A10G", ""},
    {"Tesla V100-SXM2-32GB", "V100", ""},
    {"Tesla V100S-PCIE-32GB", "V100S", ""},
    {"NVIDIA GeForce RTX 4090", "RTX-4090", ""},
    {"NVIDIA GeForce RTX 4080 SUPER", "RTX-4080-SUPER", ""},
    {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX-PRO-6000", ""},
    {"Intel(R) Arc(TM) B580 Graphics", "Arc-B580", ""},
    {"AMD Instinct MI300X", "MI300X", ""},
    {"TPU v5 lite", "TPUv5e", ""},
    {"TPU v6 lite", "TPUv6e", ""},
    {"TPU v4", "TPUv4", ""},
    {"TPU7x", "TPUv7x", ""},
    {"H200 SXM", "H200", ""},
    {"B200-SXM", "B200", ""},
    {"NVIDIA H100 80GB HBM2e", "H100-PCIe", ""},
    {"NVIDIA A10", "A10", ""},
    {"NVIDIA L40", "L40", ""},
    {"NVIDIA RTX 6000 Ada Generation", "RTX-6000-Ada", ""},
    {"NVIDIA GeForce RTX 5080", "RTX-5080", ""},
    {"Tesla T4", "T4", ""},
    {"Tesla V100-PCIE-16GB", "V100", ""},
    {"AMD Instinct MI300X VF", "MI300X", ""},
    {"GB200 NVL72", "GB200", ""},
    {"NVIDIA H100 Tensor Core GPU", "H100-SXM", "H100-PCIe H100-NVL"},
    {"Intel Gaudi 3", "Gaudi-3", ""},
    /* lines of nvidia-smi -L, rocm-smi and lspci */
    {"GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-9221d5d1-b60b-a624)", "H100-SXM", ""},
    {"Card Series: \t\tAMD Instinct MI300X OAM", "MI300X", ""},
    {"GPU[0]\t\t: Card Series: \t\tAMD Instinct MI325X", "MI325X", ""},
    {"NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)", "H100-SXM", ""},
    {"NVIDIA Corporation GH100 [H100 PCIe] [10de:2331] (rev a1)", "H100-PCIe", ""},
    {"18:00.0 3D controller [0302]: NVIDIA Corporation GA102GL [A10] [10de:2236] (rev a1)", "A10",
     ""},
    {"NVIDIA Corporation GA100 [A100 PCIe 40GB] (rev a1)", "A100-PCIe-40GB", ""},
    {"NVIDIA Corporation GV100GL [Tesla V100 SXM2 32GB] (rev a1)", "V100", ""},
    {"Advanced Micro Devices, Inc. [AMD/ATI] Aqua Vanjaram [Instinct MI300X]", "MI300X", ""},
    /* machines of clouds */
    {"p5.48xlarge", "H100-SXM", ""},
    {"p5en.48xlarge", "H200", ""},
    {"ml.p5.48xlarge", "H100-SXM", ""},
    {"AMD Instinct MI300", "MI300X", ""},
    {"p4d.24xlarge", "A100-SXM-40GB", ""},
    {"p6-b200.48xlarge", "B200", ""},
    {"g4dn.xlarge", "T4", ""},
    {"g5.xlarge", "A10G", ""},
    {"g5.12xlarge", "A10G", ""},
    {"g6.2xlarge", "L4", ""},
    {"g6e.xlarge", "L40S", ""},
    {"a2-highgpu-1g", "A100-SXM-40GB", ""},
    {"a2-ultragpu-8g", "A100-SXM", ""},
    {"a3-highgpu-8g", "H100-SXM", ""},
    {"a3-ultragpu-8g", "H200", ""},
    {"g2-standard-4", "L4", ""},
    {"Standard_ND96isr_H100_v5", "H100-SXM", ""},
    {"Standard_ND96asr_v4", "A100-SXM-40GB", ""},
    {"Standard_NC24ads_A100_v4", "A100-PCIe", ""},
    {"Standard_NC40ads_H100_v5", "H100-NVL", ""},
    {"Standard_NC4as_T4_v3", "T4", ""},
    /* as people write */
    {"h100", "H100-SXM", "H100-PCIe H100-NVL"},
    {"NVIDIA H100", "H100-SXM", "H100-PCIe H100-NVL"},
    {"h100 80gb", "H100-SXM", "H100-PCIe"},
    {"h100 80 GB", "H100-SXM", "H100-PCIe"},
    {"H100 SXM5", "H100-SXM", ""},
    {"a100", "A100-SXM", "A100-PCIe A100-PCIe-40GB A100-SXM-40GB"},
    {"a100 40gb", "A100-SXM-40GB", "A100-PCIe-40GB"},
    {"a100_pcie", "A100-PCIe", ""},
    {"v100", "V100", ""},
    {"4090", "RTX-4090", ""},
    {"rtx4090", "RTX-4090", ""},
    {"v5e", "TPUv5e", ""},
    {"TPU v6", "TPUv6e", ""},
    {"TPU v7", "TPUv7x", ""},
    {"b580", "Arc-B580", ""},
    {"gh200", "GH200", ""},
    {"mi355", "MI355X", ""},
    {"rtx", NULL,
     "RTX-3080 RTX-3090 RTX-4080-SUPER RTX-4090 RTX-6000-Ada RTX-5080 RTX-5090 RTX-PRO-6000"},
    {"rtx pro", NULL, "RTX-PRO-6000"},
    {"tpuv5", NULL, "TPUv5e TPUv5p"},
    /* other cards */
    {"NVIDIA GeForce RTX 4090 Laptop GPU", NULL, ""},
    {"NVIDIA GeForce RTX 4090 D", NULL, ""},
    {"NVIDIA GeForce RTX 3080 Ti", NULL, ""},
    {"NVIDIA GeForce RTX 4080", NULL, ""},
    {"rtx4080", NULL, ""},
    {"NVIDIA GeForce RTX 3080 12GB", NULL, ""},
    {"Quadro RTX 6000", NULL, ""},
    {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", NULL, ""},
    {"NVIDIA A100-SXM-64GB", NULL, ""},
    {"H100 SXM5 64GB", NULL, ""},
    {"NVIDIA H100 96GB", NULL, ""},
    {"NVIDIA A10-24Q", NULL, ""},
    {"NVIDIA L20", NULL, ""},
    {"NVIDIA L40G", NULL, ""},
    {"h20", NULL, ""},
    {"H20 0", NULL, ""},
    {"H800", NULL, ""},
    {"A800", NULL, ""},
    {"B100", NULL, ""},
    {"MI308X", NULL, ""},
    {"MI300A", NULL, ""},
    {"Gaudi 2", NULL, ""},
    {"g6f.xlarge", NULL, ""}, /* a part of an L4 */
    {"g7.xlarge", NULL, ""},
    {"Standard_NV36ads_A10_v5", NULL, ""},
    {"[AMD/ATI] Device 74a1", NULL, ""},
    {"NVIDIA H100 80GB HBM3 MIG 1g.10gb", NULL, ""},
    {"NVIDIA H20", NULL, ""},
    {"A100 NVL", NULL, ""},
    {"H100 of a name that no card has, and that is longer than any", NULL, ""},
    {"NVIDIA", NULL, ""},
    {"80GB", NULL, ""},
    {"NVIDIA v4", NULL, ""},
    {"AMD H100", NULL, ""},
    {"", NULL, ""},
    {"-_ ", NULL, ""},
    {"./h200", NULL, ""},
    {"h200.profile", NULL, ""},
};

START_TEST(devices_that_names_mean)
{
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++) {
        const struct rcm_device *others[8];
        char names[200] = "";
        size_t count, again;
        const struct rcm_device *got = rcm_device_meant(meant[i].name, others, 8, &count);
        for (size_t j = 0; j < count; j++)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", j ? " " : "",
                     others[j]->name);
        ck_assert_msg(strcmp(names, meant[i].others) == 0 &&
                          (meant[i].device ? got && strcmp(got->name, meant[i].device) == 0 : !got),
                      "'%s': %s, others '%s'", meant[i].name, got ? got->name : "none", names);
        ck_assert(rcm_device_meant(meant[i].name, NULL, 0, &again) == got && again == count);
    }
    for (size_t i = 0; rcm_device(i); i++) {
        char name[80];
        size_t count;
        snprintf(name, sizeof name, "%s GPU", rcm_device(i)->name);
        ck_assert_ptr_eq(rcm_device_meant(rcm_device(i)->name, NULL, 0, &count), rcm_device(i));
        ck_assert_uint_eq(count, 0);
        ck_assert_msg(rcm_device_meant(name, NULL, 0, &count) == rcm_device(i), "%s", name);
        ck_assert_msg(!rcm_device_guessed(name, rcm_device(i)), "%s", name);
    }
}
END_TEST

/* A name that ends before that of its device is told; a part of a card is none. */
START_TEST(guesses_and_parts)
{
    static const struct {
        const char *name;
        bool guessed, part;
    } cases[] = {
        {"mi300", true, false},
        {"AMD Instinct MI300", true, false},
        {"AMD MI355 OAM", true, false},
        {"AMD Instinct MI300X OAM", false, false},
        {"NVIDIA H100 80GB HBM3", false, false},
        {"NVIDIA GeForce RTX 4090", false, false},
        {"NVIDIA A10", false, false},
        {"TPU v5 lite", false, false},
        {"p5.48xlarge", false, false},
        {"NVIDIA H100 80GB HBM3 MIG 1g.10gb", false, true},
        {"  MIG 3g.40gb     Device  0: (UUID: MIG-5c6f)", false, true},
        {"MIG", false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t count;
        const struct rcm_device *d = rcm_device_meant(cases[i].name, NULL, 0, &count);
        ck_assert_msg((d && rcm_device_guessed(cases[i].name, d)) == cases[i].guessed, "%s",
                      cases[i].name);
        ck_assert_msg(rcm_device_is_part(cases[i].name) == cases[i].part, "%s", cases[i].name);
        ck_assert_msg(!cases[i].part || !d, "%s", cases[i].name);
    }
}
END_TEST

START_TEST(cards_with_the_chip_of_another)
{
    static const char *const cases[][2] = {
        {"H800", "H100-SXM"},
        {"NVIDIA H800 PCIe", "H100-PCIe"},
        {"a800", "A100-SXM"},
        {"NVIDIA A800-SXM4-80GB", "A100-SXM"},
        {"NVIDIA A800 80GB PCIe", "A100-PCIe"},
        {"H20", NULL},
        {"H100", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct rcm_device *same = rcm_device_same_chip(cases[i][0]);
        ck_assert_msg(cases[i][1] ? same && strcmp(same->name, cases[i][1]) == 0 : !same, "%s: %s",
                      cases[i][0], same ? same->name : "none");
    }
}
END_TEST

/* Letters and digits in lower case, and a blank wherever there is another one. */
static void words_of(char *to, const char *name)
{
    *to++ = ' ';
    for (; *name; name++)
        *to++ = isalnum((unsigned char)*name) ? (char)tolower((unsigned char)*name) : ' ';
    *to++ = ' ';
    *to = '\0';
}

static bool is_in_table(const char *name)
{
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
        if (strcmp(meant[i].name, name) == 0)
            return true;
    return false;
}

/* Does the name have, as whole words, the numbers and letters by which people know the device? Of
 * its own name: the words with a digit, but for the memory. */
static bool names_the_card(const char *name, const struct rcm_device *d)
{
    char words[256], own[256], *rest = own;
    words_of(words, name);
    words_of(own, d->name);
    for (char *word; (word = strtok_r(rest, " ", &rest));) {
        char joined[80];
        snprintf(joined, sizeof joined, " %s ", word);
        const size_t number = strspn(word, "0123456789");
        if (!strpbrk(word, "0123456789") || (number > 0 && strcmp(word + number, "gb") == 0))
            continue;
        return strstr(words, joined) != NULL;
    }
    return false;
}

START_TEST(no_name_near_a_known_one)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    uint64_t state = 1;
    size_t cards = 0;
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
        for (int j = 0; j < 200 && meant[i].device &&
                        names_the_card(meant[i].name, rcm_device_by_name(meant[i].device));
             j++) { /* a g5 is one letter from a p5, and another machine of the table */
            char name[120];
            size_t count, length = strlen(meant[i].name);
            snprintf(name, sizeof name, "%s", meant[i].name);
            size_t at = random_between(&state, 0, length - 1);
            while (!isalnum((unsigned char)name[at]))
                at = random_between(&state, 0, length - 1);
            const char was = name[at];
            name[at] = isdigit((unsigned char)was) ? letters[26 + random_between(&state, 0, 9)]
                                                   : letters[random_between(&state, 0, 35)];
            const struct rcm_device *got = rcm_device_meant(name, NULL, 0, &count);
            if (!got || tolower((unsigned char)was) == name[at] || is_in_table(name))
                continue;
            cards++;
            ck_assert_msg(names_the_card(name, got), "'%s', near '%s', is taken as %s", name,
                          meant[i].name, got->name);
        }
    printf("%zu names still mean a card: %s\n", cards, "a bus number, another size, a revision");
}
END_TEST

TEST_MAIN("names", utf8, beginnings_of_names, devices_that_names_mean, guesses_and_parts,
          cards_with_the_chip_of_another, no_name_near_a_known_one)
