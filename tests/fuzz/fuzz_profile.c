/* fuzz_profile.c - libFuzzer on device files and profiles: any bytes give one that can be used, or
 * a reason. make check-fuzz runs it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <model/recallmodel.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* The written text is read again and means the same. */
static void read_again(const struct rcm_device_text *text)
{
    static char first[RCM_PROFILE_TEXT_MOST], second[RCM_PROFILE_TEXT_MOST];
    static struct rcm_device_text again;
    char error[800];
    const struct rcm_profile *profile = text->has_profile ? &text->profile : NULL;
    const size_t size = rcm_profile_text_write(first, sizeof first, profile, &text->device, NULL);
    if (size == 0 || size >= sizeof first ||
        rcm_profile_text_read(first, size, &again, error, sizeof error) != 0)
        abort();
    const struct rcm_profile *other = again.has_profile ? &again.profile : NULL;
    if (rcm_profile_text_write(second, sizeof second, other, &again.device, NULL) != size ||
        memcmp(first, second, size) != 0)
        abort();
    for (size_t i = 0; profile && rcm_time_parameter(i); i++)
        if (rcm_time_value(profile, rcm_time_parameter(i)) !=
            rcm_time_value(other, rcm_time_parameter(i)))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static struct rcm_device_text text;
    char error[800] = "";
    const int line = rcm_profile_text_read((const char *)bytes, length, &text, error, sizeof error);
    if (line != 0) {
        if (!*error || !rcm_text_is_plain(error))
            abort();
        return 0;
    }
    if (*error || !*text.name)
        abort();
    read_again(&text);
    if (!text.has_profile)
        return 0;
    const struct rcm_topk p = {.n = 262144, .k = 1024, .b = 1024, .k_b = 2, .m = 16};
    if (rcm_predict(&text.profile, p).time_us < 0.0)
        abort();
    (void)rcm_predict_exact(&text.profile, p);
    return 0;
}
