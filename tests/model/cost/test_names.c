/* test_names.c - names of devices: UTF-8, prefixes, and which device a name means.
 *
 * Against: UTF-8 by jansson.
 *
 * SPDX-License-Identifier: Apache-2.0 */
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
    {"TPU v4", "TPUv4", ""},
    {"TPU7x", "TPUv7x", ""},
    /* as people write */
    {"h100", "H100-SXM", "H100-PCIe H100-NVL"},
    {"NVIDIA H100", "H100-SXM", "H100-PCIe H100-NVL"},
    {"h100 80gb", "H100-SXM", "H100-PCIe"},
    {"H100 SXM5", "H100-SXM", ""},
    {"a100", "A100-SXM", "A100-PCIe A100-PCIe-40GB A100-SXM-40GB"},
    {"a100 40gb", "A100-SXM-40GB", "A100-PCIe-40GB"},
    {"a100_pcie", "A100-PCIe", ""},
    {"v100", "V100", ""},
    {"4090", "RTX-4090", ""},
    {"rtx4090", "RTX-4090", ""},
    {"v5e", "TPUv5e", ""},
    {"b580", "Arc-B580", ""},
    {"gh200", "GH200", ""},
    {"mi355", "MI355X", ""},
    {"rtx", NULL, "RTX-3080 RTX-3090 RTX-4080-SUPER RTX-4090 RTX-5090 RTX-PRO-6000"},
    {"tpuv5", NULL, "TPUv5e TPUv5p"},
    /* other cards */
    {"NVIDIA GeForce RTX 4090 Laptop GPU", NULL, ""},
    {"NVIDIA GeForce RTX 4090 D", NULL, ""},
    {"NVIDIA GeForce RTX 3080 Ti", NULL, ""},
    {"NVIDIA L40", NULL, ""},
    {"NVIDIA A10", NULL, ""},
    {"NVIDIA H100 80GB HBM3 MIG 1g.10gb", NULL, ""},
    {"NVIDIA H20", NULL, ""},
    {"A100 NVL", NULL, ""},
    {"H100 of a name that no card has, and that is longer than any", NULL, ""},
    {"NVIDIA", NULL, ""},
    {"80GB", NULL, ""},
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
        snprintf(name, sizeof name, "NVIDIA %s", rcm_device(i)->name);
        ck_assert_ptr_eq(rcm_device_meant(rcm_device(i)->name, NULL, 0, &count), rcm_device(i));
        ck_assert_uint_eq(count, 0);
        ck_assert_msg(rcm_device_meant(name, NULL, 0, &count) == rcm_device(i), "%s", name);
    }
}
END_TEST

TEST_MAIN("names", utf8, beginnings_of_names, devices_that_names_mean)
