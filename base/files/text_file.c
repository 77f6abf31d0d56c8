/* text_file.c - see text_file.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "text_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <base/array.h>
#include <base/text.h>

#include "regular_file.h"

/* Takes out what is not the text, in place. Returns the length. */
static size_t clean(char *text, size_t length)
{
    size_t kept = 0;
    const bool old = !memchr(text, '\n', length);
    for (size_t i = text_mark(text, length); i < length; i++)
        if (text[i] != '\r' || old || i + 1 == length || text[i + 1] != '\n')
            text[kept++] = old && text[i] == '\r' ? '\n' : text[i];
    text[kept] = '\0';
    return kept;
}

char *text_read(FILE *file, size_t most, size_t *length)
{
    char *text = NULL;
    size_t capacity = 0, got = 0;
    int reason = 0;
    while (!reason) {
        char *larger = array_try_grow(text, got + 1, &capacity, 1);
        text = larger ? larger : text;
        got += larger ? fread(text + got, 1, capacity - got - 1, file) : 0;
        reason = !larger ? ENOMEM : ferror(file) ? errno : got > most ? EFBIG : 0;
        if (!reason && feof(file)) {
            *length = clean(text, got);
            return text;
        }
    }
    free(text);
    errno = reason;
    return NULL;
}

char *text_file_read(const char *path, size_t most, size_t *length)
{
    struct stat status;
    const int descriptor = regular_file_open(path, &status);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    char *text = file ? text_read(file, most, length) : NULL;
    const int reason = errno;
    if (file)
        fclose(file);
    else if (descriptor >= 0)
        close(descriptor);
    errno = reason;
    return text;
}
