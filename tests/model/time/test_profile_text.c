/* test_profile_text.c - devices and profiles as text: what is written is read again as the same.
 *
 * Against: every shipped profile and the list built from it, 500 profiles of random doubles, also
 * under two locales.
 *
 * Slow: 4 s.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <glob.h>
#include <locale.h>
#include <unistd.h>

#include <programs/common/device_file.h>

#include "profile_text.h"

START_TEST(keys)
{
    size_t count = 0, doubles = 0;
    struct rcm_text_key key, other;
    for (; (key = rcm_text_key(count)).name; count++) {
        ck_assert_uint_le(key.offset + key.size, sizeof(struct rcm_device_text));
        doubles += key.kind == RCM_TEXT_PARAMETER || key.kind == RCM_TEXT_NUMBER;
        for (size_t j = 0; j < count; j++) {
            other = rcm_text_key(j);
            ck_assert_msg(strcmp(key.name, other.name) != 0, "%s stands twice", key.name);
            ck_assert_msg(key.offset != other.offset, "%s and %s", key.name, other.name);
        }
    }
    printf("%zu keys\n", count);
    ck_assert_uint_lt(count, 128); /* PROFILE_KEYS_MOST */
    ck_assert_ptr_null(rcm_text_key(count + 1).name);
    ck_assert_ptr_null(rcm_text_key(SIZE_MAX).name);
    /* Every number of a profile has a key: after `runs` there are only doubles. */
    const size_t first = offsetof(struct rcm_profile, launch_us);
    ck_assert_uint_eq(doubles, (sizeof(struct rcm_profile) - first) / sizeof(double));
}
END_TEST

/* The profiles in the library, made when it was built, against those that the reader reads now.
 * What is written reads back as the same. */
START_TEST(shipped)
{
    static char text[RCM_PROFILE_TEXT_MOST], again[RCM_PROFILE_TEXT_MOST];
    static struct rcm_device_text first, second;
    glob_t found;
    ck_assert_int_eq(glob("model/time/profiles/*.profile", 0, NULL, &found), 0);
    ck_assert_int_eq(glob("model/time/profiles/exact/*.profile", GLOB_APPEND, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const size_t length = read_file(found.gl_pathv[i], text, sizeof text);
        ck_assert_msg(read_text(text, length, &first) == 0, "%s: %s", found.gl_pathv[i], error);
        const struct rcm_profile *same = NULL; /* the order is another one */
        for (size_t j = 0; !same && rcm_profile(j); j++)
            same = strcmp(rcm_profile(j)->name, first.name) == 0 &&
                           rcm_profile(j)->dtype == first.profile.dtype
                       ? rcm_profile(j)
                       : NULL;
        ck_assert_ptr_nonnull(same);
        check_same_profile(&first.profile, same);
        const size_t size = write_entry(&first, text, sizeof text);
        ck_assert_uint_eq(size, strlen(text));
        ck_assert_msg(read_text(text, size, &second) == 0, "%s", error);
        check_same_profile(&first.profile, &second.profile);
        ck_assert(memcmp(&first.device.bandwidth_bytes_per_s, &second.device.bandwidth_bytes_per_s,
                         4 * sizeof(double)) == 0);
        ck_assert_uint_eq(write_entry(&second, again, sizeof again), size);
        ck_assert_str_eq(text, again);
    }
    ck_assert_ptr_null(rcm_profile(found.gl_pathc));
    ck_assert(rcm_profile(0)->kernel->model != RCM_TIME_CPU);
    ck_assert_uint_gt(found.gl_pathc, 0);
    globfree(&found);
}
END_TEST

START_TEST(any_profile)
{
    check_round_trips(1, 500);
}
END_TEST

/* What calibrate writes: parameters with six digits, figures with ten. */
START_TEST(digits_of_calibrate)
{
    static char text[RCM_PROFILE_TEXT_MOST];
    static struct rcm_device_text out;
    uint64_t state = 1;
    random_profile(&state, &out);
    struct rcm_text_key key;
    for (size_t i = 0; (key = rcm_text_key(i)).name; i++)
        if (key.kind == RCM_TEXT_PARAMETER || key.kind == RCM_TEXT_NUMBER)
            *(double *)(void *)((char *)&out + key.offset) = 1.0 / 3.0;
    FILE *file = tmpfile();
    ck_assert(device_file_write(file, &out.profile, NULL, NULL));
    rewind(file);
    const size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    ck_assert_msg(read_text(text, length, &out) == 0, "%s", error);
    for (size_t i = 0; (key = rcm_text_key(i)).name; i++) {
        double value; /* Not every value is a double or aligned as one */
        memcpy(&value, (const char *)&out + key.offset, sizeof value);
        if (key.kind == RCM_TEXT_PARAMETER)
            ck_assert_msg(value == 0.333333, "%s = %.17g", key.name, value);
        if (key.kind == RCM_TEXT_NUMBER)
            ck_assert_msg(value == 0.3333333333, "%s = %.17g", key.name, value);
    }
}
END_TEST

START_TEST(any_device)
{
    static char text[4096];
    static struct rcm_device_text out;
    for (size_t i = 0; rcm_device(i); i++) {
        const struct rcm_device *device = rcm_device(i);
        const size_t size = rcm_profile_text_write(text, sizeof text, NULL, device, NULL);
        ck_assert_uint_gt(size, 0);
        ck_assert_msg(read_text(text, size, &out) == 0, "%s in\n%s", error, text);
        ck_assert(!out.has_profile);
        check_same_text(out.device.name, device->name);
        check_same_text(out.device.source, device->source);
        ck_assert_double_eq(out.device.bandwidth_bytes_per_s, device->bandwidth_bytes_per_s);
        ck_assert_double_eq(out.device.vector_rate_per_s, device->vector_rate_per_s);
        ck_assert_double_eq(out.device.fma_rate_per_s, device->fma_rate_per_s);
        ck_assert_double_eq(out.device.matrix_rate_per_s, device->matrix_rate_per_s);
    }
}
END_TEST

/* As snprintf: for a buffer of any size the returned length is that of the whole text. The errors
 * are in comments. */
START_TEST(sizes_of_the_buffer)
{
    static char whole[RCM_PROFILE_TEXT_MOST], part[RCM_PROFILE_TEXT_MOST];
    double errors[64];
    for (size_t i = 0; i < 64; i++)
        errors[i] = i % 2 ? 0.0123 : NAN;
    const struct rcm_profile *q = rcm_profile(0);
    const size_t length = rcm_profile_text_write(whole, sizeof whole, q, NULL, errors);
    ck_assert_uint_eq(length, strlen(whole));
    ck_assert_ptr_nonnull(strstr(whole, "us, +- 1.2 %, "));
    ck_assert_uint_eq(rcm_profile_text_write(NULL, 0, q, NULL, errors), length);
    for (size_t size = 1; size <= length + 2; size++) {
        memset(part, 'x', sizeof part);
        ck_assert_uint_eq(rcm_profile_text_write(part, size, q, NULL, errors), length);
        const size_t kept = size <= length ? size - 1 : length;
        ck_assert(memcmp(part, whole, kept) == 0 && part[kept] == '\0' && part[size] == 'x');
    }
}
END_TEST

START_TEST(what_is_not_written)
{
    char text[100];
    struct rcm_profile q = *rcm_profile(0);
    struct rcm_device device = *rcm_device(0);
    ck_assert_uint_eq(rcm_profile_text_write(text, sizeof text, NULL, NULL, NULL), 0);
    q.kernel = NULL;
    ck_assert_uint_eq(rcm_profile_text_write(text, sizeof text, &q, NULL, NULL), 0);
    q.kernel = rcm_kernel(0); /* the kernel any has no model of its work */
    ck_assert_uint_eq(rcm_profile_text_write(text, sizeof text, &q, NULL, NULL), 0);
    static const char *const bad[] = {"a # b",
                                      "a\nlaunch_us = 1",
                                      "a\x1b[2J",
                                      "\xff",
                                      "\xc2\x9b"
                                      "2J",
                                      "a name of forty bytes, which is too long"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        device.name = bad[i];
        ck_assert_msg(rcm_profile_text_write(text, sizeof text, NULL, &device, NULL) == 0, "%s",
                      bad[i]);
    }
}
END_TEST

/* In a locale with a decimal comma, and in one whose decimal point has two bytes. */
START_TEST(locales)
{
    static const char *const names[][3] = {{"de_DE", "de_DE.UTF-8", "0,5"},
                                           {"ps_AF", "ps_AF.UTF-8",
                                            "0\xd9\xab"
                                            "5"}};
    char folder[] = "/tmp/rcm-locale-XXXXXX", command[200], half[16];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    setenv("LOCPATH", folder, 1);
    for (size_t i = 0; i < 2; i++) {
        snprintf(command, sizeof command, "localedef -i %s -f UTF-8 %s/%s >/dev/null 2>&1",
                 names[i][0], folder, names[i][1]);
        if (system(command) != 0 || !setlocale(LC_ALL, names[i][1]) ||
            *localeconv()->decimal_point == '.') { /* musl has no others */
            printf("SKIPPED: the locale %s cannot be made (Debian: locales)\n", names[i][1]);
            continue;
        }
        snprintf(half, sizeof half, "%.1f", 0.5);
        ck_assert_str_eq(half, names[i][2]);
        check_round_trips(3, 50);
        static struct rcm_device_text out;
        static const char text[] = "bandwidth_bytes_per_s = 1.5e12\nvector_rate_per_s = 2.5e12";
        static const char comma[] = "bandwidth_bytes_per_s = 1,5e12\nvector_rate_per_s = 2.5e12";
        ck_assert_int_eq(read_text(text, strlen(text), &out), 0);
        ck_assert_double_eq(out.device.bandwidth_bytes_per_s, 1.5e12);
        ck_assert_int_eq(read_text(comma, strlen(comma), &out), 1);
        setlocale(LC_ALL, "C");
        char mine[4096], its[4096];
        setlocale(LC_ALL, names[i][1]);
        rcm_profile_text_write(its, sizeof its, rcm_profile(0), NULL, (double[64]){0.0151});
        setlocale(LC_ALL, "C");
        rcm_profile_text_write(mine, sizeof mine, rcm_profile(0), NULL, (double[64]){0.0151});
        ck_assert_msg(strcmp(mine, its) == 0, "%.500s", its);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

TEST_MAIN("profile_text", keys, shipped, any_profile, digits_of_calibrate, any_device,
          sizes_of_the_buffer, what_is_not_written, locales)
