/* test_device_file.c - profiles as files, and which profile answers a question.
 *
 * Against: the library.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <calibrate/fit.h>
#include <programs/common/device_file.h>
#include <tests/test.h>

START_TEST(profile_files)
{
    const struct rcm_profile *q = rcm_profile(0);
    static char text[65536];
    char error[800];
    FILE *file = tmpfile();
    ck_assert(device_file_write(file, q, rcm_device_by_name(q->name), NULL));
    rewind(file);
    size_t length = fread(text, 1, sizeof text - 100, file);
    fclose(file);
    static struct rcm_device_text entry;
    ck_assert_msg(rcm_profile_text_read(text, length, &entry, error, sizeof error) == 0, "%s",
                  error);
    ck_assert(entry.has_profile && entry.profile.kernel == q->kernel &&
              entry.profile.dtype == q->dtype);
    ck_assert_str_eq(entry.profile.name, q->name);
    ck_assert_str_eq(entry.profile.date, q->date);
    ck_assert_str_eq(entry.profile.runs, q->runs);
    ck_assert_str_eq(entry.profile.source, q->source);
    ck_assert_double_eq(entry.device.bandwidth_bytes_per_s, 2.04e12);
    /* After name, kernel, dtype, date, source and runs there are only doubles. */
    const double *a = &entry.profile.launch_us, *b = &q->launch_us;
    for (size_t i = 0; i < (sizeof *q - offsetof(struct rcm_profile, launch_us)) / sizeof *a; i++)
        ck_assert_msg(relative_error(a[i], b[i]) < 1e-5, "number %zu: %g and %g", i, a[i], b[i]);
    static const struct {
        const char *more, *said;
    } cases[] = {
        {"kernel = nope\n", "kernel is not a kernel whose times can be predicted"},
        {"kernel = any\n", "kernel is not a kernel"},
        {"dtype = f8\n", "dtype is not f32, f16 or bf16"},
        {"launch_us = -1\n", "launch_us is not a positive number"},
        {"n_low = x\n", "n_low is not a positive number"},
        {"block_ms = 1\n", "block_ms is not a known key"},
        {"date = a date that is much too long for a date to be true\n", "date is too long"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        strcpy(text + length, cases[i].more);
        const size_t longer = length + strlen(cases[i].more);
        ck_assert_int_gt(rcm_profile_text_read(text, longer, &entry, error, sizeof error), 20);
        ck_assert_msg(strstr(error, cases[i].said) != NULL, "%s", error);
    }
    static const char *const lacking[][2] = {
        {"kernel = ours\n", "launch_us"},
        {"launch_us = 1\nroof_bytes_per_s = 1\n", "no kernel ="},
        {"", "needs bandwidth_bytes_per_s"},
        {"kernel=xla\nlaunch_us=1\nblock_us=1\nblocks_at_once=1\ninsert_us=1\nmemory_ratio="
         "1\ncache_bytes=1\nroof_bytes_per_s=1\nlines_per_us=1\n",
         "has none of element_us_1"}};
    for (size_t i = 0; i < 4; i++) {
        const char *lacks = lacking[i][0];
        ck_assert_int_eq(rcm_profile_text_read(lacks, strlen(lacks), &entry, error, sizeof error),
                         -1);
        ck_assert_msg(strstr(error, lacking[i][1]) != NULL, "%s", error);
    }
}
END_TEST

static struct rcm_profile short_profile(void)
{
    return (struct rcm_profile){.kernel = rcm_kernel_by_name("samaga"), .dtype = RCM_F32};
}

/* A profile of the short model reads back from a file as it was. */
START_TEST(short_profile_files)
{
    static struct rcm_device_text entry;
    static char text[65536];
    char error[800] = "";
    struct rcm_profile q = short_profile();
    q.name = "A card";
    q.operations_per_s = 2.5e12;
    q.run_count = 8;
    q.held_out_exact_p95_ratio = 1.25;
    FILE *file = tmpfile();
    device_file_write(file, &q, NULL, NULL);
    rewind(file);
    const size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    ck_assert_msg(rcm_profile_text_read(text, length, &entry, error, sizeof error) == 0, "%s",
                  error);
    ck_assert(entry.profile.kernel == q.kernel && entry.profile.operations_per_s == 2.5e12 &&
              entry.profile.held_out_exact_p95_ratio == 1.25);
    static const char nothing[] = "kernel = samaga\nblock_us = 1\n";
    ck_assert_int_eq(rcm_profile_text_read(nothing, strlen(nothing), &entry, error, sizeof error),
                     -1);
    ck_assert_msg(strstr(error, "has none of launch_us, roof_bytes_per_s"), "%s", error);
}
END_TEST

static bool same_profile(const struct rcm_profile *a, const struct rcm_profile *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static const struct rcm_profile *cpu_profile(void)
{
    size_t i = 0;
    while (rcm_profile(i)->kernel->model != RCM_TIME_CPU)
        i++;
    return rcm_profile(i);
}

/* A profile answers for the family of its kernel and for types of the same width. The nearest
 * profile answers. */
START_TEST(who_answers)
{
    static struct rcm_device_text entry;
    entry.device = *rcm_device_by_name("H100-PCIe");
    const struct rcm_kernel *thread = rcm_kernel_by_name("graphcore-thread"),
                            *ours = rcm_kernel_by_name("ours");
    enum rcm_dtype f16 = RCM_F16, bf16 = RCM_BF16, f32 = RCM_F32;
    struct rcm_profile_answer a = profile_for_question(&entry, NULL, NULL);
    ck_assert(a.found && same_profile(&a.profile, rcm_profile(0)) &&
              a.kernel == rcm_profile(0)->kernel && a.dtype == RCM_F16 && !a.other_kernel &&
              !a.other_dtype);
    a = profile_for_question(&entry, thread, &bf16);
    ck_assert(a.found && same_profile(&a.profile, rcm_profile(0)) && a.kernel == thread &&
              a.dtype == RCM_BF16 && a.other_kernel && a.other_dtype);
    a = profile_for_question(&entry, rcm_kernel(0), &f16);
    ck_assert(same_profile(&a.profile, rcm_profile(0)) && !a.other_kernel && !a.other_dtype);
    /* This project's kernel was measured on another card; of a wider type its own stands in. */
    a = profile_for_question(&entry, ours, NULL);
    ck_assert(a.found && a.kernel == ours && strcmp(a.profile.name, "H200") == 0 &&
              strcmp(a.profile.stands_in_for, "H100-PCIe") == 0);
    entry.device = *rcm_device_by_name("MI300X");
    ck_assert(!profile_for_question(&entry, ours, NULL).found);
    entry.device = *rcm_device_by_name("H100-PCIe");
    a = profile_for_question(&entry, NULL, &f32);
    ck_assert(a.found && strcmp(a.profile.stands_in_for, "H100-PCIe") == 0 && a.dtype == RCM_F32 &&
              a.profile.roof_bytes_per_s == rcm_profile(0)->roof_bytes_per_s);
    char names[200];
    kernels_known(&entry, names, sizeof names);
    ck_assert_str_eq(names, "graphcore, graphcore-thread, graphcore-block");
    entry.device = *rcm_device_by_name("GH200");
    kernels_known(&entry, names, sizeof names);
    ck_assert_str_eq(names, "");
    a = profile_for_question(&entry, NULL, NULL);
    ck_assert(a.found && strcmp(a.profile.stands_in_for, "GH200") == 0 &&
              strcmp(a.profile.name, "H200") == 0);
    /* a CPU's profile stands in for nothing */
    entry = (struct rcm_device_text){.profile = *cpu_profile(), .has_profile = true};
    entry.device.name = entry.profile.name;
    ck_assert(profile_for_question(&entry, NULL, &f32).found);
    ck_assert(!profile_for_question(&entry, NULL, &f16).found);
}
END_TEST

TEST_MAIN("device_file", profile_files, short_profile_files, who_answers)
