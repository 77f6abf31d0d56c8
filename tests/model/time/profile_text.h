/* profile_text.h - reads and writes profiles as text, makes random ones and compares them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_TEXT_H
#define PROFILE_TEXT_H

#include <tests/test.h>

static char error[800];

/* Reads a copy without a zero byte at its end, so that a checker sees a reader that goes too
 * far. */
static inline int read_text(const char *text, size_t length, struct rcm_device_text *out)
{
    char *copy = malloc(length ? length : 1);
    memcpy(copy, text, length);
    *error = '\0';
    const int line = rcm_profile_text_read(copy, length, out, error, sizeof error);
    free(copy);
    ck_assert_msg((line == 0) == (*error == '\0'), "%d, but '%s'", line, error);
    return line;
}

static inline size_t read_file(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    const size_t length = fread(text, 1, size - 1, file);
    fclose(file);
    text[length] = '\0';
    return length;
}

static inline size_t write_entry(const struct rcm_device_text *from, char *text, size_t size)
{
    const struct rcm_profile *profile = from->has_profile ? &from->profile : NULL;
    return rcm_profile_text_write(text, size, profile, &from->device, NULL);
}

static inline void check_same_text(const char *a, const char *b)
{
    ck_assert_str_eq(a ? a : "", b ? b : "");
}

/* Every number of the two profiles is the same double, for all keys of the format. */
static inline void check_same_profile(const struct rcm_profile *a, const struct rcm_profile *b)
{
    struct rcm_text_key key;
    for (size_t i = 0; (key = rcm_text_key(i)).name; i++)
        if (key.kind == RCM_TEXT_PARAMETER || key.kind == RCM_TEXT_NUMBER) {
            const size_t offset = key.offset - offsetof(struct rcm_device_text, profile);
            const double x = *(const double *)(const void *)((const char *)a + offset);
            const double y = *(const double *)(const void *)((const char *)b + offset);
            ck_assert_msg(x == y, "%s: %.17g and %.17g", key.name, x, y);
        }
    ck_assert_ptr_eq(a->kernel, b->kernel);
    ck_assert_int_eq(a->dtype, b->dtype);
    check_same_text(a->name, b->name);
    check_same_text(a->date, b->date);
    check_same_text(a->source, b->source);
    check_same_text(a->runs, b->runs);
}

/* Any positive double, also a subnormal one. */
static inline double any_number(uint64_t *state)
{
    double value;
    do {
        const uint64_t bits = next_random(state) >> 1;
        memcpy(&value, &bits, sizeof value);
    } while (!(value > 0.0) || isinf(value) || isnan(value));
    return value;
}

static inline void random_profile(uint64_t *state, struct rcm_device_text *text)
{
    struct rcm_text_key key;
    *text = (struct rcm_device_text){.has_profile = true};
    for (size_t i = 0; (key = rcm_text_key(i)).name; i++) {
        double *number = (double *)(void *)((char *)text + key.offset);
        if (key.kind == RCM_TEXT_PARAMETER || key.kind == RCM_TEXT_NUMBER)
            *number = any_number(state);
        if (key.kind == RCM_TEXT_RATE)
            *number = next_random(state) % 2 ? any_number(state) : 0.0;
    }
    text->profile.kernel = rcm_kernel(1 + next_random(state) % 3);
    text->profile.dtype = (enum rcm_dtype)(next_random(state) % 3);
    text->profile.name = "  M\xc3\xbc"
                         "ller's GPU = 1\t";
    text->profile.date = "";
}

static inline void check_round_trips(uint64_t seed, size_t count)
{
    static char text[RCM_PROFILE_TEXT_MOST], again[RCM_PROFILE_TEXT_MOST];
    static struct rcm_device_text first, second;
    for (size_t i = 0; i < count; i++) {
        random_profile(&seed, &first);
        const size_t size = write_entry(&first, text, sizeof text);
        ck_assert_uint_eq(size, strlen(text));
        ck_assert_msg(read_text(text, size, &second) == 0, "%s in\n%s", error, text);
        first.profile.name = "M\xc3\xbc"
                             "ller's GPU = 1";
        check_same_profile(&first.profile, &second.profile);
        ck_assert_double_eq(first.device.fma_rate_per_s, second.device.fma_rate_per_s);
        ck_assert_uint_eq(write_entry(&second, again, sizeof again), size);
        ck_assert_str_eq(text, again);
    }
}

#endif
