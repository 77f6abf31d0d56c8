/* test_row_layouts.c - rows in every type, byte order and order of axes, in .npy and .safetensors;
 * files of other kinds are refused with the line of Python that mends them.
 *
 * Against: all float16, bfloat16 and float8 values by their definition; the place of each element
 * by its indices; every cut and every flipped bit of a header of safetensors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <unistd.h>

#include <sim/rows/row_file.h>
#include <tests/test.h>

static char path[] = "/tmp/recallmodel-test-XXXXXX";

static void make_file(void)
{
    strcpy(path + sizeof path - 7, "XXXXXX");
    const int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    close(descriptor);
}

static void write_file(const void *header, size_t length, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(header, 1, length, file), length);
    if (bytes > 0)
        ck_assert_uint_eq(fwrite(data, 1, bytes, file), bytes);
    ck_assert_int_eq(fclose(file), 0);
}

static void write_npy(const char *descr, const char *order, const char *shape, const void *data,
                      size_t bytes)
{
    char header[128];
    snprintf(header + 10, sizeof header - 10,
             "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr, order, shape);
    const size_t text = strlen(header + 10);
    memcpy(header, "\x93NUMPY\1\0", 8);
    header[8] = (char)text;
    header[9] = '\0';
    write_file(header, 10 + text, data, bytes);
}

/* Returns the length of the header. */
static size_t write_safetensors(const char *json, const void *data, size_t bytes)
{
    char header[400] = {(char)(unsigned char)strlen(json), (char)(strlen(json) >> 8)};
    memcpy(header + 8, json, strlen(json));
    write_file(header, 8 + strlen(json), data, bytes);
    return 8 + strlen(json);
}

static bool opens(struct row_file *file, enum sim_dtype dtype, char error[500])
{
    const bool good = row_file_open(file, path, dtype, 0, (struct message){error, 500}) == 0;
    ck_assert(good || (*error && !strchr(error, '\n') && file->descriptor < 0 && !file->whole));
    return good;
}

/* What the bits of a type of 2 or 1 bytes mean. */
struct small {
    const char *descr, *safetensors;
    enum sim_dtype dtype;
    int exponent_bits, fraction_bits;
    bool infinite;
};

static double meaning(const struct small *type, int bits)
{
    const int most = (1 << type->exponent_bits) - 1, bias = most >> 1,
              whole = (1 << type->fraction_bits) - 1, exponent = bits >> type->fraction_bits & most,
              fraction = bits & whole;
    double value = exponent ? ldexp(whole + 1 + fraction, exponent - bias - type->fraction_bits)
                            : ldexp(fraction, 1 - bias - type->fraction_bits);
    if (exponent == most && type->infinite)
        value = fraction ? NAN : INFINITY;
    if (exponent == most && !type->infinite && fraction == whole)
        value = NAN;
    return bits >> (type->exponent_bits + type->fraction_bits) ? -value : value;
}

static void check_values(const struct small *type, enum sim_dtype asked, int count)
{
    static double x[65536];
    static uint64_t buffer[65536];
    char error[500];
    struct row_file file;
    ck_assert_msg(opens(&file, asked, error), "%s: %s", type->descr, error);
    ck_assert(file.dtype == type->dtype && file.rows == 1 && (int)file.row == count);
    ck_assert_int_eq(row_file_read(&file, 0, x, buffer), 0);
    for (int i = 0; i < count; i++) {
        const double want = meaning(type, i);
        ck_assert_msg(isnan(want) ? isnan(x[i]) : x[i] == want && !signbit(x[i]) == !signbit(want),
                      "%s %04x: %g, want %g", type->descr, (unsigned)i, x[i], want);
    }
    row_file_close(&file);
}

START_TEST(small_types_are_exact)
{
    static const struct small types[] = {
        {"<f2", "F16", SIM_F16, 5, 10, true},        {">f2", NULL, SIM_F16, 5, 10, true},
        {"<V2", "BF16", SIM_BF16, 8, 7, true},       {"|V2", NULL, SIM_BF16, 8, 7, true},
        {"<u2", NULL, SIM_BF16, 8, 7, true},         {"<i2", NULL, SIM_BF16, 8, 7, true},
        {">u2", NULL, SIM_BF16, 8, 7, true},         {">i2", NULL, SIM_BF16, 8, 7, true},
        {"|V1", "F8_E4M3", SIM_F8E4M3, 4, 3, false}, {"<f1", "F8_E5M2", SIM_F8E5M2, 5, 2, true},
        {"|u1", NULL, SIM_F8E5M2, 5, 2, true},       {"|i1", NULL, SIM_F8E4M3, 4, 3, false},
    };
    static unsigned char bytes[2 * 65536];
    char shape[16], json[100];
    make_file();
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const struct small *type = &types[t];
        const bool two = type->descr[2] == '2', big = type->descr[0] == '>';
        const int count = two ? 65536 : 256;
        for (int i = 0; i < count && two; i++) {
            bytes[2 * i + big] = (unsigned char)i;
            bytes[2 * i + !big] = (unsigned char)(i >> 8);
        }
        for (int i = 0; i < count && !two; i++)
            bytes[i] = (unsigned char)i;
        const size_t size = (size_t)count * (two ? 2 : 1);
        snprintf(shape, sizeof shape, "1, %d", count);
        write_npy(type->descr, "False", shape, bytes, size);
        check_values(type, type->descr[1] == 'f' ? SIM_DTYPE_UNKNOWN : type->dtype, count);
        if (!type->safetensors)
            continue;
        snprintf(json, sizeof json,
                 "{\"x\":{\"dtype\":\"%s\",\"shape\":[1,%d],\"data_offsets\":"
                 "[0,%zu]}}",
                 type->safetensors, count, size);
        write_safetensors(json, bytes, size);
        check_values(type, SIM_DTYPE_UNKNOWN, count);
    }
    unlink(path);
}
END_TEST

/* Element (i, j, l, ..) is its place in C order. */
START_TEST(orders_of_axes)
{
    static const uint64_t shapes[][4] = {{6},       {3, 4},    {1, 5},      {5, 1},
                                         {2, 3, 4}, {2, 3, 1}, {2, 3, 4, 5}};
    unsigned char bytes[8 * 120], swapped[8 * 120];
    make_file();
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int how = 0; how < 8; how++) {
            const bool fortran = how & 1, big = how & 2, wide = how & 4;
            char shape[40] = "", error[500];
            uint64_t count = 1, axes = 0, buffer[6];
            double x[6];
            for (; axes < 4 && shapes[s][axes]; axes++) {
                count *= shapes[s][axes];
                snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%d,",
                         (int)shapes[s][axes]);
            }
            const size_t each = wide ? 8 : 4;
            for (uint64_t c = 0; c < count; c++) {
                uint64_t at = 0, rest = c, step = count;
                for (uint64_t a = axes; a-- > 0;) {
                    step /= shapes[s][a];
                    at += rest % shapes[s][a] * step;
                    rest /= shapes[s][a];
                }
                const double value = (double)c;
                const float narrow = (float)c;
                memcpy(bytes + (fortran ? at : c) * each, wide ? (const void *)&value : &narrow,
                       each);
            }
            for (uint64_t i = 0; i < count * each; i++)
                swapped[i / each * each + each - 1 - i % each] = bytes[i];
            const char *descr = big ? wide ? ">f8" : ">f4" : wide ? "<f8" : "<f4";
            write_npy(descr, fortran ? "True" : "False", shape, big ? swapped : bytes,
                      count * each);
            struct row_file file;
            ck_assert_msg(opens(&file, SIM_DTYPE_UNKNOWN, error), "%s: %s", shape, error);
            for (uint64_t r = 0; r < file.rows; r++) {
                ck_assert_int_eq(row_file_read(&file, r, x, buffer), 0);
                for (uint64_t i = 0; i < file.row; i++)
                    ck_assert_msg(x[i] == (double)(r * file.row + i), "%s, %s: row %d, %d: %g",
                                  shape, descr, (int)r, (int)i, x[i]);
            }
            ck_assert_int_ne(row_file_read(&file, file.rows, x, buffer), 0);
            row_file_close(&file);
        }
    unlink(path);
}
END_TEST

#define TENSOR "\"x\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]}"

START_TEST(headers_of_safetensors)
{
    static const struct {
        const char *json, *says; /* NULL: it is read */
    } cases[] = {
        {"{" TENSOR "}", NULL},
        {"{\"__metadata__\":{\"a\":\"\\\"b\\\"\",\"c\":\"d\"}," TENSOR "}   ", NULL},
        {"{\"x\" : {\"data_offsets\":[0,24] , \"shape\":[2,3],\n\"dtype\":\"F32\"}}", NULL},
        {"{" TENSOR ",\"y\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[24,32]}}",
         "2 tensors; save one: python3"},
        {"{\"x\":{\"dtype\":\"I32\",\"shape\":[2,3],\"data_offsets\":[0,24]}}", "I32"},
        {"{\"x\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[8,32]}}", "data_offsets"},
        {"{\"x\":{\"dtype\":\"F32\",\"shape\":[2,4],\"data_offsets\":[0,24]}}", "promises"},
        {"{\"x\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,24]}}", "single number"},
        {"{\"x\":{\"dtype\":\"F32\",\"shape\":[2,0],\"data_offsets\":[0,24]}}", "no rows"},
        {"{\"x\":{\"dtype\":\"F32\",\"data_offsets\":[0,24]}}", "missing"},
        {"{\"x\":[]}", "not an object"},
        {"{\"x\":{\"dtype\":1}}", "not a string"},
        {"{}", "holds no tensor"},
        {"{", "no name"},
    };
    const float data[6] = {1, 2, 3, 4, 5, 6};
    char error[500];
    struct row_file file;
    double x[3];
    uint64_t buffer[3];
    make_file();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_safetensors(cases[i].json, data, sizeof data);
        const bool good = opens(&file, SIM_DTYPE_UNKNOWN, error);
        ck_assert_msg(good == !cases[i].says && (good || strstr(error, cases[i].says)), "%s: %s",
                      cases[i].json, good ? "opened" : error);
        if (!good)
            continue;
        ck_assert(file.rows == 2 && file.row == 3 && file.axes == 2);
        ck_assert_int_eq(row_file_read(&file, 1, x, buffer), 0);
        ck_assert(x[0] == 4.0 && x[1] == 5.0 && x[2] == 6.0);
        row_file_close(&file);
    }
    const size_t length = write_safetensors(cases[1].json, data, sizeof data);
    unsigned char bytes[400];
    FILE *in = fopen(path, "r");
    ck_assert_uint_eq(fread(bytes, 1, sizeof bytes, in), length + sizeof data);
    fclose(in);
    for (size_t cut = 0; cut < length + sizeof data; cut++) {
        write_file(bytes, cut, NULL, 0);
        ck_assert_msg(!opens(&file, SIM_DTYPE_UNKNOWN, error), "%zu bytes", cut);
    }
    for (size_t at = 0; at < length; at++)
        for (int flip = 1; flip < 256; flip *= 2) {
            bytes[at] ^= (unsigned char)flip;
            write_file(bytes, length + sizeof data, NULL, 0);
            if (opens(&file, SIM_DTYPE_UNKNOWN, error)) {
                ck_assert_int_eq(row_file_read(&file, file.rows - 1, x, buffer), 0);
                row_file_close(&file);
            }
            bytes[at] ^= (unsigned char)flip;
        }
    unlink(path);
}
END_TEST

/* tests/python/test_rows_read.py runs the mends. */
START_TEST(other_kinds_are_refused)
{
    static const char zip[] = "PK\3\4\24\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    static const struct {
        const char *bytes, *says;
    } cases[] = {
        {"\x1f\x8b\x08 and more", "gzip"},
        {"\x80\2\x8a\nl\xfc\x9c and more", "weights_only=True"},
        {"\x89HDF\r\n\x1a\n", "h5py"},
        {"ARROW1", "read_feather"},
        {"PAR1", "pandas"},
        {"no kind that is known", MEMBER "dtype and " MEMBER "row"},
    };
    char error[500], named[64];
    struct row_file file;
    make_file();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file(cases[i].bytes, strlen(cases[i].bytes), NULL, 0);
        ck_assert(!opens(&file, SIM_DTYPE_UNKNOWN, error));
        ck_assert_msg(strstr(error, cases[i].says), "%s: %s", cases[i].says, error);
        if (i + 1 < sizeof cases / sizeof *cases)
            ck_assert_msg(strstr(error, path), "%s does not name the file", error);
    }
    const struct {
        const char *member, *says;
    } members[] = {{"logits.npy", ")[\"logits\"])'"},
                   {"a\"b.npy", ")[\"NAME\"])'"},
                   {"x/data.pkl", "torch.load("}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        char header[64] = {0};
        memcpy(header, zip, 26);
        header[26] = (char)strlen(members[i].member);
        strcpy(header + 30, members[i].member);
        write_file(header, sizeof header, NULL, 0);
        ck_assert(!opens(&file, SIM_DTYPE_UNKNOWN, error));
        ck_assert_msg(strstr(error, members[i].says), "%s: %s", members[i].member, error);
    }
    static const struct {
        const char *suffix, *says;
    } names[] = {{"csv", "loadtxt"},     {"pkl", "where it was made"}, {"pickle", "run code"},
                 {"joblib", "run code"}, {"feather", "read_feather"},  {"arrow", "open_stream"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        write_file("1,2\n", 4, NULL, 0);
        snprintf(named, sizeof named, "%s.%s", path, names[i].suffix);
        ck_assert_int_eq(rename(path, named), 0);
        ck_assert(row_file_open(&file, named, SIM_DTYPE_UNKNOWN, 0, MESSAGE(error)) != 0);
        ck_assert_msg(strstr(error, names[i].says), "%s", error);
        unlink(named);
    }
    write_file("\x80\4\x95", 3, NULL, 0);
    ck_assert(!opens(&file, SIM_DTYPE_UNKNOWN, error) && !strstr(error, "python3"));
    unlink(path);
}
END_TEST

/* -3.4028235e38 is how float32's lowest value is written; the type has none below it. */
START_TEST(values_of_a_mask)
{
    const float data[4] = {-0x1.fffffep+127F, -1e9F, 2.0F, -INFINITY};
    const double below[] = {-3.4028235e38, -1e9, -999999999.0, -INFINITY};
    const unsigned masked[] = {2, 3, 3, 1};
    char error[500];
    struct row_file file;
    double x[4];
    uint64_t buffer[4];
    make_file();
    write_npy("<f4", "False", "4,", data, sizeof data);
    ck_assert(opens(&file, SIM_DTYPE_UNKNOWN, error) && file.mask_below == -INFINITY);
    for (size_t i = 0; i < 4; i++) {
        unsigned count = 0;
        file.mask_below = below[i];
        ck_assert_int_eq(row_file_read(&file, 0, x, buffer), 0);
        for (size_t j = 0; j < 4; j++)
            count += x[j] == -INFINITY;
        ck_assert_msg(count == masked[i] && x[2] == 2.0, "%g: %u", below[i], count);
    }
    row_file_close(&file);
    unlink(path);
}
END_TEST

TEST_MAIN("row layouts", small_types_are_exact, orders_of_axes, headers_of_safetensors,
          other_kinds_are_refused, values_of_a_mask)
