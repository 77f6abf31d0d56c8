/* to_c.c - prints profiles as C initialisers of struct rcm_profile, for model/time/profiles.c. It
 * is part of the build, not of the library. It is linked with all of the library except the list
 * that it makes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <model/recallmodel/profile_text.h>

static void print_string(const char *name, const char *text)
{
    printf("    .%s = \"", name);
    for (; *text; text++)
        printf(*text == '"' || *text == '\\' || *text == '?' ? "\\%c" : "%c", *text);
    puts("\",");
}

/* The variable of the kernel in model/time/kernels.h: its name, with _ for -. */
static void print_kernel(const char *name)
{
    printf("    .kernel = &kernel_");
    for (; *name; name++)
        putchar(*name == '-' ? '_' : *name);
    puts(",");
}

static void print_profile(const struct rcm_device_text *text)
{
    struct rcm_text_key key;
    puts("{");
    for (size_t i = 0; (key = rcm_text_key(i)).name; i++) {
        const void *value = (const char *)text + key.offset;
        if (key.kind == RCM_TEXT_WORDS)
            print_string(key.name, value);
        else if (key.kind == RCM_TEXT_KERNEL)
            print_kernel(text->profile.kernel->name);
        else if (key.kind == RCM_TEXT_DTYPE)
            printf("    .dtype = (enum rcm_dtype)%d, /* %s */\n", (int)text->profile.dtype,
                   rcm_dtype_name(text->profile.dtype));
        else if (key.kind == RCM_TEXT_RATE)
            continue; /* the list of devices has them */
        else if (*(const double *)value > 0.0)
            printf("    .%s = %.17g,\n", key.name, *(const double *)value);
    }
    puts("},");
}

/* Reads one file and prints it. Returns 0, or 1 with a line on standard error. */
static int convert(const char *path)
{
    static char bytes[RCM_PROFILE_TEXT_MOST];
    static struct rcm_device_text text;
    char error[800];
    FILE *file = fopen(path, "rb");
    const size_t length = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (!file || ferror(file)) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 1;
    }
    fclose(file);
    const int line = rcm_profile_text_read(bytes, length, &text, error, sizeof error);
    if (line != 0) {
        fprintf(stderr, "%s:%d: %s\n", path, line > 0 ? line : 1, error);
        return 1;
    }
    if (!text.has_profile) {
        fprintf(stderr, "%s: is a device without a profile\n", path);
        return 1;
    }
    print_profile(&text);
    return 0;
}

int main(int count, char **paths)
{
    for (int i = 1; i < count; i++)
        if (convert(paths[i]) != 0)
            return 1;
    return fflush(stdout) != 0;
}
