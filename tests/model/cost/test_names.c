/* test_names.c - names of devices: UTF-8 and prefixes.
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

TEST_MAIN("names", utf8, beginnings_of_names)
