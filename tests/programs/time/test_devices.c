/* test_devices.c - the registry of devices: names, prefixes, sources, plausible rates; the
 * roofline without a vector rate; what the command says.
 *
 * Against: a limit of ever faster vectors, 1000 shapes; the command.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <unistd.h>

#include <tests/programs/command.h>

/* ---- rows */

/* Letters and digits only, in lower case: another way to compare than that of the library. */
static void normal(char *to, const char *name)
{
    for (; *name; name++)
        if (isalnum((unsigned char)*name))
            *to++ = (char)tolower((unsigned char)*name);
    *to = '\0';
}

START_TEST(names)
{
    char a[80], b[80];
    size_t count = 0;
    for (size_t i = 0; rcm_device(i); i++, count++) {
        const struct rcm_device *found[2], *d = rcm_device(i);
        normal(a, d->name);
        ck_assert_ptr_eq(rcm_device_by_name(d->name), d);
        ck_assert_ptr_eq(rcm_device_by_name(a), d);
        ck_assert_msg(rcm_devices_by_prefix(a, found, 2) == 1 && found[0] == d,
                      "%s is not found by its name", d->name);
        for (size_t j = 0; j < i; j++) {
            normal(b, rcm_device(j)->name);
            ck_assert_msg(strcmp(a, b) != 0, "%s is there twice", d->name);
        }
    }
    ck_assert_uint_ge(count, 25);
    ck_assert_ptr_null(rcm_device(count));
    static const char *const wanted[] = {"A100-PCIe", "A100-PCIe-40GB",
                                         "A100-SXM",  "A100-SXM-40GB",
                                         "H100-PCIe", "H100-SXM",
                                         "H100-NVL",  "H200",
                                         "GH200",     "B200",
                                         "B300",      "L4",
                                         "L40S",      "RTX 4090",
                                         "RTX 5090",  "RTX PRO 6000",
                                         "V100S",     "MI300X",
                                         "MI325X",    "MI355X",
                                         "TPU v4",    "TPU v5e",
                                         "TPU v5p",   "TPU v6e",
                                         "TPU v7x",   "A10G",
                                         "RTX 3090",  "RTX 4080 SUPER",
                                         "GB200",     "GB300",
                                         "RTX 3080",  "Arc B580",
                                         "V100",      "L40",
                                         "A10",       "T4",
                                         "RTX 5080",  "RTX 6000 Ada",
                                         "Gaudi-3"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        ck_assert_msg(rcm_device_by_name(wanted[i]) != NULL, "%s is not there", wanted[i]);
}
END_TEST

/* Does the source, "RATES: WHERE FROM; RATES: WHERE FROM", name the rate? */
static bool names_rate(const char *source, const char *rate)
{
    for (const char *part = source; part; part = strchr(part, ';')) {
        part += strspn(part, "; ");
        const char *colon = strchr(part, ':'), *at = strstr(part, rate);
        if (at && colon && at < colon)
            return true;
    }
    return false;
}

START_TEST(sources_and_rates)
{
    for (size_t i = 0; rcm_device(i); i++) {
        const struct rcm_device *d = rcm_device(i);
        const struct {
            const char *name;
            double rate, low, high;
        } rates[] = {
            /* A wrong unit lies outside: from a small computer to several times what there is. */
            {"bandwidth", d->bandwidth_bytes_per_s, 10e9, 50e12},
            {"memory", d->memory_bytes, 1e9, 2e12},
            {"fp32", d->fma_rate_per_s, 0.1e12, 1e15},
            {"matrix", d->matrix_rate_per_s, 0.1e12, 20e15},
            {"vector", d->vector_rate_per_s, 0.05e12, 0.5e15},
            {"printed", d->matrix_rate_printed_per_s, 0.1e12, 20e15},
            {"on chip", d->on_chip_bytes, 0.1e6, 10e9},
            {"multiprocessors", d->multiprocessors, 1, 5000},
        };
        ck_assert(d->bandwidth_bytes_per_s > 0.0 && d->memory_bytes > 0.0);
        for (size_t j = 0; j < sizeof rates / sizeof *rates; j++) {
            const bool known = rates[j].rate > 0.0;
            ck_assert_msg(!known ||
                              (rates[j].rate >= rates[j].low && rates[j].rate <= rates[j].high),
                          "%s: %s is %g", d->name, rates[j].name, rates[j].rate);
            ck_assert_msg(names_rate(d->source, rates[j].name) == known, "%s: the source %s %s: %s",
                          d->name, known ? "does not name" : "names", rates[j].name, d->source);
        }
        /* A multiply-add counts as two, and no device compares more often than it multiplies and
         * adds. */
        ck_assert(d->vector_rate_per_s <= d->fma_rate_per_s);
    }
}
END_TEST

/* Rates that figures and profiles were made with do not change. */
START_TEST(rates_of_the_first_six)
{
    static const struct {
        const char *name;
        double bandwidth, fma, vector, matrix, printed;
    } were[] = {
        {"A100-PCIe", 1.935e12, 19.5e12, 9.74592e12, 312e12, 312e12},
        {"H100-SXM", 3.35e12, 67e12, 16.72704e12, 989.4e12, 1979e12},
        {"H100-PCIe", 2.04e12, 51.2e12, 12.80448e12, 756e12, 0.0},
        {"H200", 4.8e12, 67e12, 16.72704e12, 989.4e12, 0.0},
        {"TPUv4", 1.2e12, 4.3e12, 4.3e12, 275e12, 275e12},
        {"TPUv5e", 819e9, 6.14e12, 6.14e12, 197e12, 197e12},
    };
    for (size_t i = 0; i < sizeof were / sizeof *were; i++) {
        const struct rcm_device *d = rcm_device_by_name(were[i].name);
        ck_assert_str_eq(d->name, were[i].name);
        ck_assert_double_eq(d->bandwidth_bytes_per_s, were[i].bandwidth);
        ck_assert_double_eq(d->fma_rate_per_s, were[i].fma);
        ck_assert_double_eq(d->vector_rate_per_s, were[i].vector);
        ck_assert_double_eq(d->matrix_rate_per_s, were[i].matrix);
        ck_assert_double_eq(d->matrix_rate_printed_per_s, were[i].printed);
    }
}
END_TEST

START_TEST(prefixes)
{
    static const struct {
        const char *prefix, *names; /* in the order of the registry */
    } cases[] = {
        {"b200", "B200"},
        {"rtx4090", "RTX-4090"},
        {"RTX pro", "RTX-PRO-6000"},
        {"h100", "H100-PCIe H100-SXM H100-NVL"},
        {"a100", "A100-PCIe A100-PCIe-40GB A100-SXM A100-SXM-40GB"},
        {"a100-pcie", "A100-PCIe"}, /* the whole name wins */
        {"a100 pcie 4", ""},        /* ends inside 40 */
        {"a100 pcie 40", "A100-PCIe-40GB"},
        {"gh200", "GH200"},
        {"gh", "GH200 GH200-144GB"},
        {"l4", "L4"},
        {"l40", "L40"},
        {"v100", "V100"},
        {"mi", "MI300X MI325X MI355X"},
        {"mi355", "MI355X"},
        {"tpuv5", "TPUv5e TPUv5p"},
        {"h20", ""}, /* a device of its own, not the beginning of H200 */
        {"h10", ""},
        {"b2", ""},
        {"", ""},
        {"-_ ", ""},
        {"h200x", ""},
        {"gtx", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct rcm_device *found[40] = {NULL}, *first[40] = {NULL};
        char names[400] = "";
        const size_t count = rcm_devices_by_prefix(cases[i].prefix, found, 40);
        for (size_t j = 0; j < count; j++)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", j ? " " : "",
                     found[j]->name);
        ck_assert_msg(strcmp(names, cases[i].names) == 0, "'%s': %s", cases[i].prefix, names);
        ck_assert_uint_eq(rcm_devices_by_prefix(cases[i].prefix, first, 1), count);
        ck_assert(first[0] == found[0] && first[1] == NULL);
        ck_assert_uint_eq(rcm_devices_by_prefix(cases[i].prefix, NULL, 0), count);
    }
    ck_assert_ptr_null(rcm_device_by_name("H100")); /* this one takes whole names only */
}
END_TEST

/* ---- without a vector rate */

START_TEST(roofline_by_bandwidth_alone)
{
    struct rcm_device device = {
        .name = "toy", .bandwidth_bytes_per_s = 1e9, .matrix_rate_per_s = 1e11};
    uint64_t state = 1;
    for (int i = 0; i < 1000; i++) {
        const struct rcm_topk p = random_shape(&state, 100000);
        struct rcm_device fast = device;
        fast.vector_rate_per_s = 1e300; /* never the bound */
        const struct rcm_roofline got = rcm_roofline(&device, RCM_F32, p),
                                  want = rcm_roofline(&fast, RCM_F32, p);
        ck_assert_msg(got.time_us == want.time_us && got.time_us == got.time_memory_us, TOPK_FMT,
                      TOPK_ARG(p));
        ck_assert(got.bytes == want.bytes && got.operations == want.operations);
        ck_assert(isnan(got.time_vector_us) && !got.memory_bound && got.k_b_max == 0);
        const struct rcm_product a = rcm_product(&device, RCM_F32, p, 64),
                                 b = rcm_product(&fast, RCM_F32, p, 64);
        ck_assert(a.product_us == b.product_us && strcmp(a.product_bound, b.product_bound) == 0);
        ck_assert(isnan(a.fused_us) && a.fused_bound == NULL && b.fused_us > 0.0);
    }
    const struct rcm_topk p = {.n = 100, .k = 10, .b = 10, .k_b = 1};
    device.bandwidth_bytes_per_s = 0.0;
    ck_assert(isnan(rcm_roofline(&device, RCM_F32, p).time_us));
}
END_TEST

/* ---- the command */

static const json_t *configuration(const json_t *json, size_t index)
{
    return json_array_get(json_object_get(json, "configurations"), index);
}

START_TEST(recall_on_a_device_without_vector_rate)
{
    json_t *json = parse_answer("--n 2^18 --k 64 --b 128 --kb 2 --device tpuv6e --json");
    const json_t *roofline = json_object_get(configuration(json, 0), "roofline");
    ck_assert_str_eq(json_string_value(json_object_get(json, "device")), "TPUv6e");
    ck_assert_double_eq_tol(json_number_value(json_object_get(roofline, "time_us")),
                            262144 * 4 / 1.638e6, 1e-12);
    ck_assert(json_is_null(json_object_get(roofline, "time_vector_us")) &&
              json_is_null(json_object_get(roofline, "bound")) &&
              json_is_null(json_object_get(roofline, "k_b_max")));
    json_decref(json);
    run("--n 2^18 --k 64 --b 128 --kb 2 --device tpuv6e");
    ck_assert_msg(result.status == 0 && strstr(result.out, "by bandwidth alone"), "%s", result.out);
    run("--n 2^18 --k 64 --b 128 --kb 2 --device b200");
    ck_assert_msg(result.status == 0 && strstr(result.out, "roofline of the B200") &&
                      !strstr(result.out, "alone"),
                  "%s", result.out);
    run("--n 2^18 --k 64 --b 128 --kb 2 --device tpuv6e --csv");
    ck_assert_msg(result.status == 0 && strstr(result.out, "roofline_bound"), "%s", result.out);
}
END_TEST

START_TEST(device_by_prefix)
{
    run("devices --device tpuv5");
    ck_assert_int_eq(result.status, 2);
    ck_assert_str_eq(result.err, "recallmodel: --device 'tpuv5' may mean TPUv5e, TPUv5p; give one "
                                 "of them\n");
    /* of a family, the commonest */
    run("select --n 2^17 --k 64 --device h100");
    ck_assert_int_eq(result.status, 0);
    ck_assert_str_eq(result.err, "recallmodel: --device: h100 is taken as H100-SXM; there are "
                                 "H100-PCIe and H100-NVL, too\n");
    run("select --n 2^17 --k 64 --device mi355");
    ck_assert_str_eq(result.err, "recallmodel: --device: mi355 is taken as MI355X\n");
    run("select --n 2^17 --k 64 --device 'NVIDIA Corporation GH100 [H100 PCIe] (rev a1)' --json");
    ck_assert(result.status == 0 && strstr(result.out, "\"device\": \"H100-PCIe\""));
    run("select --n 2^17 --k 64 --device b200");
    ck_assert_str_eq(result.err, "");
    json_t *family = parse_answer("select --n 2^17 --k 64 --device h100 --json");
    ck_assert_str_eq(json_string_value(json_object_get(family, "device_family")), "h100");
    ck_assert_str_eq(json_string_value(json_object_get(family, "device")), "H100-SXM");
    json_decref(family);
    run("--n 100 --k 10 --device x1");
    ck_assert_str_eq(result.err, "recallmodel: --device 'x1' is not known, and no other card "
                                 "answers for it; give one that recallmodel devices lists, this "
                                 "(machine), or the path of a file (./my.device)\n");
    run("--n 100 --k 10 --device 4091");
    ck_assert_msg(result.status == 2 && strstr(result.err, "is not known"), "%s", result.err);
    /* another card is never named for its letters */
    run("--n 100 --k 10 --device h20");
    ck_assert_msg(result.status == 2 && strstr(result.err, "'h20' is not known, and no other") &&
                      !strstr(result.err, "H200"),
                  "%s", result.err);
    run("--n 100 --k 10 --device h800");
    ck_assert_str_eq(result.err, "recallmodel: --device 'h800' is not known; it has the chip and "
                                 "the memory of H100-SXM: give that\n");
    json_t *json = parse_answer("devices --device rtxpro6000 --json");
    const json_t *devices = json_object_get(json, "devices"), *device = json_array_get(devices, 0);
    ck_assert_uint_eq(json_array_size(devices), 1);
    ck_assert_str_eq(json_string_value(json_object_get(device, "device")), "RTX-PRO-6000");
    ck_assert_double_eq(json_number_value(json_object_get(device, "memory_bytes")), 96e9);
    json_decref(json);
}
END_TEST

/* The longest line. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        width = strcspn(text, "\n") > width ? strcspn(text, "\n") : width;
    return width;
}

START_TEST(list_is_readable)
{
    run("devices");
    ck_assert_msg(result.status == 0 && width_of(result.out) <= 100 &&
                      !strstr(result.out, "datasheet;"),
                  "%zu wide: %s", width_of(result.out), result.out);
    for (size_t i = 0; rcm_device(i); i++)
        ck_assert_msg(strstr(result.out, rcm_device(i)->name), "%s is not listed",
                      rcm_device(i)->name);
    run("devices --verbose");
    ck_assert_msg(result.status == 0 && width_of(result.out) <= 100 &&
                      strstr(result.out, "NVIDIA L4 datasheet"),
                  "%zu wide: %s", width_of(result.out), result.out);
    run("devices --device b200");
    ck_assert_msg(result.status == 0 && strstr(result.out, "HGX B200 datasheet") &&
                      !strstr(result.out, "B300"),
                  "%s", result.out);
    run("devices --csv");
    ck_assert_msg(strstr(result.out, "paper_k_b_max") && strstr(result.out, "memory_bytes") &&
                      strstr(result.out, "NVIDIA HGX B200 datasheet"),
                  "%s", result.out);
    json_t *json = parse_answer("devices --json");
    ck_assert_uint_ge(json_array_size(json_object_get(json, "devices")), 25);
    json_decref(json);
}
END_TEST

START_TEST(memory)
{
    run("--n 2^30 --k 64 --b 64 --kb 1 --m 64 --device h100-pcie");
    ck_assert_msg(
        strstr(result.out, "64 rows of 2^30 f32 values take 274.9 GB; the H100-PCIe has 80 GB.\n"),
        "%s", result.out);
    run("--n 2^30 --k 64 --b 64 --kb 1 --device h100-pcie");
    ck_assert_msg(result.status == 0 && !strstr(result.out, " has 80 GB"), "%s", result.out);
    static const struct {
        const char *arguments;
        json_type want;
    } cases[] = {
        {"--n 2^30 --k 64 --b 64 --kb 1 --m 64 --device h100-pcie --json", JSON_TRUE},
        {"--n 2^30 --k 64 --b 64 --kb 1 --m 64 --dtype bf16 --device b200 --json",
         JSON_FALSE}, /* 137 GB of 180 */
        {"--n 2^30 --k 64 --b 64 --kb 1 --m 64 --device b200 --json", JSON_TRUE},
        {"--n 20000000000 --k 64 --b 64 --kb 1 --device h100-pcie --json",
         JSON_FALSE}, /* 80 GB to the byte */
        {"--n 20000000001 --k 64 --b 64 --kb 1 --device h100-pcie --json", JSON_TRUE},
        {"predict --n 2^30 --k 64 --b 4096 --kb 1 --m 64 --device h100-pcie --json",
         JSON_TRUE}, /* f16: 137 GB */
        {"predict --n 2^20 --k 64 --b 4096 --kb 1 --m 64 --device h100-pcie --json", JSON_FALSE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *json = parse_answer(cases[i].arguments),
               *value = json_object_get(json, "exceeds_memory");
        ck_assert_msg(value && json_typeof(value) == cases[i].want, "%s: %s", cases[i].arguments,
                      result.out);
        json_decref(json);
    }
    run("predict --n 2^30 --k 64 --b 4096 --kb 1 --m 64 --device h100-pcie");
    ck_assert_msg(
        strstr(result.out, "64 rows of 2^30 f16 values take 137.4 GB; the H100-PCIe has 80 GB.\n"),
        "%s", result.out);
}
END_TEST

START_TEST(device_file_says_memory)
{
    char path[] = "/tmp/rcm-device-XXXXXX", arguments[200];
    FILE *file = fdopen(mkstemp(path), "w");
    fputs("name = Toy\nbandwidth_bytes_per_s = 1e12\nmemory_bytes = 1e6\n",
          file); /* and no vector rate */
    fclose(file);
    snprintf(arguments, sizeof arguments, "--n 250000 --k 10 --b 50 --kb 2 --device %s --json",
             path);
    json_t *json = parse_answer(arguments);
    ck_assert(json_is_false(json_object_get(json, "exceeds_memory")));
    json_decref(json);
    snprintf(arguments, sizeof arguments, "--n 250001 --k 10 --b 50 --kb 2 --device %s", path);
    run(arguments);
    ck_assert_msg(
        result.status == 0 &&
            strstr(result.out, "1 row of 250001 f32 values takes 0.001 GB; the Toy has 0.001 GB."),
        "%s", result.out);
    unlink(path);
}
END_TEST

/* A device without a profile is no error for predict: a stand-in answers, says so, and the bound of
 * the device stands beside it. */
START_TEST(predict_without_a_profile)
{
    json_t *json =
        parse_answer("predict --device b200 --n 2^18 --k 1024 --kb 4 --b 1024 --m 64 --json");
    json_t *row = json_array_get(json_object_get(json, "predictions"), 0);
    const struct rcm_topk p = {.n = 1 << 18, .k = 1024, .b = 1024, .k_b = 4, .m = 64};
    const struct rcm_roofline roof = rcm_roofline(rcm_device_by_name("B200"), RCM_F16, p);
    ck_assert_str_eq(json_string_value(json_object_get(json, "stand_in")), "H200");
    ck_assert_str_eq(json_string_value(json_object_get(json, "device")), "B200");
    ck_assert(json_is_false(json_object_get(json, "calibrated")));
    ck_assert(json_real_value(json_object_get(row, "bound_us")) == roof.time_us);
    struct rcm_profile q;
    ck_assert(rcm_stand_in_for(rcm_device_by_name("B200"), NULL, NULL, NULL, &q));
    ck_assert(json_real_value(json_object_get(row, "predicted_us")) == rcm_predict(&q, p).time_us);
    ck_assert(json_real_value(json_object_get(row, "high_us")) == rcm_predict(&q, p).high_us);
    json_decref(json);
    run("predict --device b200 --n 2^18 --k 1024 --kb 4 --b 1024");
    ck_assert_int_eq(result.status, 0);
    ck_assert_ptr_nonnull(strstr(result.out, "nothing was measured"));
}
END_TEST

TEST_MAIN("devices", predict_without_a_profile, names, sources_and_rates, rates_of_the_first_six,
          prefixes, roofline_by_bandwidth_alone, recall_on_a_device_without_vector_rate,
          device_by_prefix, list_is_readable, memory, device_file_says_memory)
