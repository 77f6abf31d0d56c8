/* test_json_value.c - JSON as a tree and as text, against jansson: the same tree built with both.
 *
 * Against: jansson, byte for byte, also on 20000 random trees and 1000 levels.
 *
 * Slow: 5 s.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <jansson.h>

#include <programs/common/json_value.h>
#include <programs/recallmodel/output/json.h>
#include <tests/test.h>

/* The same value twice. */
struct pair {
    struct json *ours;
    json_t *theirs;
};

static char *text_of(const struct json *value)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    json_write(value, file);
    fclose(file);
    return text;
}

/* The bytes agree, and are read as the same value. Frees both. */
static void check_same(struct pair pair)
{
    char *got = text_of(pair.ours);
    char *want = json_dumps(pair.theirs, JSON_INDENT(2) | JSON_ENCODE_ANY);
    ck_assert(json_has_text(pair.ours) && want);
    ck_assert_msg(strcmp(got, want) == 0, "got\n%s\nwant\n%s", got, want);
    json_t *read = json_loads(got, JSON_DECODE_ANY, NULL);
    ck_assert_msg(json_equal(read, pair.theirs), "read otherwise:\n%s", got);
    json_decref(read);
    json_decref(pair.theirs);
    json_free(pair.ours);
    free(want);
    free(got);
}

static struct pair real(double value)
{
    return (struct pair){json_new_real(value), json_real(value)};
}

static struct pair count(uint64_t value)
{
    return (struct pair){json_new_count(value), json_integer((json_int_t)value)};
}

static struct pair text(const char *value)
{
    return (struct pair){json_new_text(value), json_string(value)};
}

START_TEST(reals)
{
    static const double corners[] = {
        0.0,      -0.0,      1.0,       -1.0,    0.1,      1e15,   1e16, 1e17,     1e-4,  1e-5,
        123456.0, 0x1p-1074, 0x1p-1022, DBL_MAX, -DBL_MAX, 1e22,   1e23, 9.5e-324, 1e100, -1e-100,
        5e-5,     2.5e-10,   1.0 / 3,   1e300,   0x1p53,   0x1p63, 1e5,  1e-7};
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++)
        check_same(real(corners[i]));
    uint64_t state = 1;
    for (unsigned i = 0; i < 30000; i++) {
        const uint64_t bits = next_random(&state);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            check_same(real(value)); /* over the whole range */
        check_same(real(ldexp((double)(int64_t)bits, -(int)(bits % 90))));
        check_same(real((double)(int64_t)(bits >> 50) * 0.01)); /* few digits */
    }
    for (unsigned i = 0; i < 2000; i++)
        check_same(real(0x1p-1074 * (double)(next_random(&state) >> (12 + i % 52))));
}
END_TEST

START_TEST(simple_values)
{
    char *found;
    static const uint64_t counts[] = {0, 1, 9, 10, 4096, UINT64_C(1) << 53, INT64_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        check_same(count(counts[i]));
    check_same((struct pair){json_new_null(), json_null()});
    check_same((struct pair){json_new_truth(true), json_true()});
    check_same((struct pair){json_new_truth(false), json_false()});
    check_same((struct pair){json_new_array(), json_array()});
    check_same((struct pair){json_new_object(), json_object()});
    struct json *const nulls[] = {json_new_real(NAN), json_new_real(INFINITY), json_new_text(NULL)};
    struct json *object = json_new_object();
    for (size_t i = 0; i < 3; i++) {
        json_put(object, "key", json_new_count(1));
        ck_assert(!json_null_at(object, "key") && !json_null_at(object, "other"));
        json_put(object, "key", nulls[i]);
        ck_assert(json_null_at(object, "key"));
    }
    json_free(object);
    /* jansson has no number above 2^63. */
    struct json *largest = json_new_count(UINT64_MAX);
    ck_assert_str_eq(found = text_of(largest), "18446744073709551615");
    json_free(largest);
    free(found);
    json_free(NULL);
}
END_TEST

/* Is it refused, as a text and as a key, exactly where jansson refuses it? */
static void check_text(const char *bytes)
{
    struct pair value = text(bytes);
    if (json_has_text(value.ours) != (value.theirs != NULL))
        ck_abort_msg("refused by %s alone: %02x %02x %02x %02x", value.theirs ? "us" : "jansson",
                     (unsigned char)bytes[0], (unsigned char)bytes[1], (unsigned char)bytes[2],
                     (unsigned char)bytes[3]);
    struct json *object = json_new_object(), *array = json_new_array();
    json_put(object, bytes, json_new_null());
    json_add(array, object);
    ck_assert(json_has_text(array) == (value.theirs != NULL));
    json_free(array);
    if (value.theirs)
        check_same(value);
    else
        json_free(value.ours);
}

START_TEST(texts)
{
    char bytes[8] = "";
    /* All sequences of two bytes, of three that begin like a longer one, the limits of four. */
    for (unsigned first = 0; first < 256; first++)
        for (unsigned more = 0; more < (first < 0xe0 ? 256u : 65536u);
             more += few_cases() && first >= 0xe0 ? 17 : 1) {
            snprintf(bytes, sizeof bytes, "%c%c%c", (char)first, (char)more, (char)(more >> 8));
            check_text(bytes);
        }
    static const unsigned char ends[] = {'a', 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff};
    for (unsigned first = 0xf0; first < 256; first++)
        for (unsigned i = 0; i < 10000; i++) {
            snprintf(bytes, sizeof bytes, "%c%c%c%c%c", (char)first, ends[i % 10],
                     ends[i / 10 % 10], ends[i / 100 % 10], ends[i / 1000]);
            check_text(bytes);
        }
    check_same(text("a \"quoted\" \\ / back\b\f\n\r\t and \x01\x0b\x1f\x7f, \xc2\x85 \xe2\x82\xac "
                    "\xf0\x9f\x98\x80 \xef\xbf\xbf \xf4\x8f\xbf\xbf"));
}
END_TEST

static const char *random_text(uint64_t *state)
{
    static const char *const parts[] = {"a", "k_b", "\"", "\\", "\n", "\x1e", "\xc3\xa9", " ", "/"};
    static char word[64];
    *word = '\0';
    for (uint64_t i = next_random(state) % 7; i > 0; i--)
        strcat(word, parts[next_random(state) % (sizeof parts / sizeof *parts)]);
    return word;
}

static struct pair random_tree(uint64_t *state, unsigned depth)
{
    const uint64_t kind = next_random(state) % (depth ? 7 : 5);
    struct pair pair = {NULL, NULL};
    switch (kind) {
    case 0:
        return text(random_text(state));
    case 1:
        return real(ldexp((double)(next_random(state) >> 11), -(int)(next_random(state) % 200)));
    case 2:
        return count(next_random(state) >> 1);
    case 3:
        return (struct pair){json_new_truth(true), json_true()};
    case 4:
        return (struct pair){json_new_null(), json_null()};
    case 5:
        pair = (struct pair){json_new_array(), json_array()};
        break;
    default:
        pair = (struct pair){json_new_object(), json_object()};
    }
    for (uint64_t i = next_random(state) % 6; i > 0; i--) {
        const struct pair member = random_tree(state, depth - 1);
        const char *key = random_text(state); /* also one that is there */
        if (kind == 5) {
            json_add(pair.ours, member.ours);
            json_array_append_new(pair.theirs, member.theirs);
        } else {
            json_put(pair.ours, key, member.ours);
            json_object_set_new(pair.theirs, key, member.theirs);
        }
    }
    return pair;
}

START_TEST(trees)
{
    uint64_t state = 2;
    for (unsigned i = 0; i < 20000; i++)
        check_same(random_tree(&state, i % 7));
}
END_TEST

START_TEST(deep_trees)
{
    struct pair inner = text("in the middle");
    for (unsigned i = 0; i < 1000; i++) {
        struct pair outer = {json_new_array(), json_array()};
        if (i % 3 == 0) {
            json_free(outer.ours);
            json_decref(outer.theirs);
            outer = (struct pair){json_new_object(), json_object()};
            json_put(outer.ours, "level", inner.ours);
            json_object_set_new(outer.theirs, "level", inner.theirs);
        } else {
            json_add(outer.ours, inner.ours);
            json_array_append_new(outer.theirs, inner.theirs);
        }
        inner = outer;
    }
    check_same(inner);
}
END_TEST

/* Members: found, counted, replaced, moved. */
START_TEST(members)
{
    uint64_t state = 3;
    for (unsigned i = 0; i < 2000; i++) {
        struct pair to = {json_new_object(), json_object()}, from = to;
        from = (struct pair){json_new_object(), json_object()};
        for (unsigned j = 0; j < 8; j++) {
            const uint64_t value = next_random(&state);
            const char key[] = {"abcdef"[value % 6], '\0'};
            json_put(j % 2 ? to.ours : from.ours, key, json_new_count(value >> 8));
            json_object_set_new(j % 2 ? to.theirs : from.theirs, key,
                                json_integer((json_int_t)(value >> 8)));
        }
        json_merge(to.ours, from.ours);
        json_object_update(to.theirs, from.theirs);
        json_decref(from.theirs);
        for (const char *key = "a\0b\0c\0d\0e\0f\0"; *key; key += 2)
            ck_assert((json_member(to.ours, key) != NULL) ==
                      (json_object_get(to.theirs, key) != NULL));
        check_same(to);
    }
    struct json *array = json_new_array();
    for (uint64_t i = 0; i < 3; i++)
        json_add(array, json_new_count(i));
    json_free(json_take(array, 1));
    ck_assert_uint_eq(json_length(array), 2);
    char *got = text_of(json_item(array, 1));
    ck_assert_str_eq(got, "2");
    free(got);
    json_free(array);
}
END_TEST

START_TEST(full_disk)
{
    FILE *file = fopen("/dev/full", "w");
    ck_assert(file != NULL);
    struct json *array = json_new_array();
    for (uint64_t i = 0; i < 100000; i++)
        json_add(array, json_new_count(i));
    json_write(array, file);
    ck_assert(ferror(file));
    json_free(array);
    fclose(file);
}
END_TEST

/* A name of a file may be any bytes; another text that is not UTF-8 is an error. */
START_TEST(no_utf8)
{
    struct json *object = json_new_object();
    set_name(object, "plain", "\xc3\xa9.npy");
    set_name(object, "file", "\xc3\xa9\xff.npy");
    set_name(object, "none", NULL);
    char *got = text_of(object);
    ck_assert_str_eq(got, "{\n  \"plain\": \"\xc3\xa9.npy\",\n  \"file\": \"???.npy\",\n"
                          "  \"none\": null\n}");
    free(got);
    set_text(object, "text", "\xff");
    char error[200] = "";
    ck_assert(freopen("/dev/full", "w", stdout) != NULL);
    FILE *file = tmpfile(), *before = stderr;
    stderr = file;
    const int status = print_json(object); /* frees it */
    stderr = before;
    rewind(file);
    ck_assert(fgets(error, sizeof error, file) != NULL && strstr(error, "not UTF-8") != NULL);
    ck_assert_int_eq(status, 1);
    ck_assert_int_eq(fflush(stdout), 0); /* nothing was printed */
    fclose(file);
}
END_TEST

TEST_MAIN("json_value", reals, simple_values, texts, trees, deep_trees, members, full_disk, no_utf8)
